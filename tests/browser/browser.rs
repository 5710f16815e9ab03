//! A headless browser, controlled over pipes with its DevTools protocol.

use std::{
    env,
    io::{BufRead as _, BufReader, Write as _},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

/// Only one browser runs at a time: several would delay each other's frames.
static TURN: Mutex<()> = Mutex::new(());

/// A browser with one page.
pub(crate) struct Browser {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    session: String,
    sent: u64,
    /// Errors of the page, including those on its console.
    pub(crate) errors: Vec<String>,
    /// Addresses that the page requested.
    pub(crate) asked: Vec<String>,
    _home: tempfile::TempDir,
    _turn: MutexGuard<'static, ()>,
}

/// The browser's program; `None`, with a message, if there is none.
fn program() -> Option<PathBuf> {
    if let Some(named) = env::var_os("AUTOBENCH_CHROMIUM") {
        return Some(named.into());
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let names = ["chromium", "google-chrome", "chromium-browser"];
    let found = env::split_paths(&path)
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .find(|program| program.is_file());
    if found.is_none() {
        let required = env::var_os("AUTOBENCH_REQUIRE_BROWSER").is_some();
        assert!(!required, "there is no browser, and AUTOBENCH_REQUIRE_BROWSER asks for one");
        eprintln!("skipped: no browser (`apt-get install chromium`, or set AUTOBENCH_CHROMIUM)");
    }
    found
}

impl Browser {
    /// Opens a page in a window of this width; `None`, with a message, if there is no browser.
    pub(crate) fn open(page: &Path, width: u32) -> Option<Self> {
        let program = program()?;
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let home = tempfile::tempdir().expect("a folder");
        // The browser talks over file descriptors 3 and 4; a shell connects its pipes to them.
        let mut child = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1"])
            .arg(program)
            .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run"])
            .args(["--hide-scrollbars", "--disable-dev-shm-usage", "--remote-debugging-pipe"])
            .arg(format!("--user-data-dir={}", home.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the browser starts");
        let to = child.stdin.take().expect("a pipe");
        let from = BufReader::new(child.stdout.take().expect("a pipe"));
        let (session, errors, asked) = (String::new(), Vec::new(), Vec::new());
        let mut browser =
            Self { child, to, from, session, sent: 0, errors, asked, _home: home, _turn: turn };
        let target = browser.call("Target.createTarget", &json!({"url": "about:blank"}));
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        let attached = browser.call("Target.attachToTarget", &attach);
        browser.session = attached["sessionId"].as_str().expect("a session").to_owned();
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), &json!({}));
        }
        browser.width(width);
        browser.go(page);
        Some(browser)
    }

    /// Loads a page, and waits until its script is done.
    pub(crate) fn go(&mut self, page: &Path) {
        self.call("Page.navigate", &json!({"url": format!("file://{}", page.display())}));
        self.until("document.documentElement?.dataset.ready === 'yes'");
    }

    pub(crate) fn width(&mut self, width: u32) {
        let size =
            json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500});
        self.call("Emulation.setDeviceMetricsOverride", &size);
    }

    pub(crate) fn dark(&mut self, dark: bool) {
        let value = if dark { "dark" } else { "light" };
        let features = json!({"features": [{"name": "prefers-color-scheme", "value": value}]});
        self.call("Emulation.setEmulatedMedia", &features);
    }

    /// Calls a method of the protocol, and collects the events that arrive meanwhile.
    pub(crate) fn call(&mut self, method: &str, parameters: &Value) -> Value {
        self.sent += 1;
        let mut message = json!({"id": self.sent, "method": method, "params": parameters});
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        self.to.write_all(format!("{message}\0").as_bytes()).expect("the browser listens");
        loop {
            let mut bytes = Vec::new();
            let read = self.from.read_until(0, &mut bytes).expect("the browser answers");
            assert!(read > 0, "the browser ended during {method}");
            bytes.pop();
            let answer: Value = serde_json::from_slice(&bytes).expect("JSON");
            if answer["id"] == self.sent {
                assert!(answer.get("error").is_none(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
            self.heard(&answer);
        }
    }

    fn heard(&mut self, event: &Value) {
        let parameters = &event["params"];
        match event["method"].as_str() {
            Some("Runtime.exceptionThrown") => self.errors.push(parameters.to_string()),
            Some("Runtime.consoleAPICalled") if parameters["type"] == "error" => {
                self.errors.push(parameters["args"].to_string());
            }
            Some("Log.entryAdded") if parameters["entry"]["level"] == "error" => {
                self.errors.push(parameters["entry"].to_string());
            }
            Some("Network.requestWillBeSent") => {
                let url = parameters["request"]["url"].as_str().unwrap_or_default();
                self.asked.push(url.chars().take(200).collect());
            }
            _ => {}
        }
    }

    /// Value of an expression in the page, after its promise has resolved.
    pub(crate) fn ask(&mut self, expression: &str) -> Value {
        let parameters = json!({
            "expression": expression, "returnByValue": true, "awaitPromise": true, "userGesture": true
        });
        let answer = self.call("Runtime.evaluate", &parameters);
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    pub(crate) fn text(&mut self, expression: &str) -> String {
        self.ask(expression).as_str().unwrap_or_default().to_owned()
    }

    pub(crate) fn number(&mut self, expression: &str) -> f64 {
        self.ask(expression).as_f64().unwrap_or(f64::NAN)
    }

    /// Waits up to a minute for a condition in the page.
    pub(crate) fn until(&mut self, condition: &str) {
        for _ in 0..600 {
            let asked = format!("Boolean({condition})");
            let parameters = json!({"expression": asked, "returnByValue": true});
            // While a page is loading, the expression may fail.
            if self.call("Runtime.evaluate", &parameters)["result"]["value"] == true {
                return;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        panic!("never: {condition}; {:?}", self.errors);
    }

    /// Position and size of an element in the window, after scrolling to it.
    pub(crate) fn place(&mut self, element: &str) -> (f64, f64, f64, f64) {
        let place = self.ask(&format!(
            "(() => {{ const e = {element}; e.scrollIntoView({{block: 'center'}}); \
             const b = e.getBoundingClientRect(); return [b.x, b.y, b.width, b.height]; }})()"
        ));
        let at = |index: usize| place[index].as_f64().expect("a number");
        (at(0), at(1), at(2), at(3))
    }

    pub(crate) fn mouse(&mut self, kind: &str, (x, y): (f64, f64), more: &Value) {
        let mut event = json!({"type": kind, "x": x, "y": y});
        for (key, value) in more.as_object().into_iter().flatten() {
            event[key] = value.clone();
        }
        self.call("Input.dispatchMouseEvent", &event);
    }

    pub(crate) fn click(&mut self, element: &str) {
        let (x, y, width, height) = self.place(element);
        let middle = (x + width / 2.0, y + height / 2.0);
        let left = json!({"button": "left", "clickCount": 1});
        self.mouse("mousePressed", middle, &left);
        self.mouse("mouseReleased", middle, &left);
    }

    pub(crate) fn key(&mut self, key: &str) {
        // A printable key also has a text; the text of Enter is a carriage return.
        let text = match key {
            "Enter" => Some("\r"),
            one if one.chars().count() == 1 => Some(one),
            _ => None,
        };
        let mut event = json!({"type": "keyDown", "key": key});
        if let Some(text) = text {
            event["text"] = json!(text);
        }
        self.call("Input.dispatchKeyEvent", &event);
        self.call("Input.dispatchKeyEvent", &json!({"type": "keyUp", "key": key}));
    }

    /// Saves a screenshot of the whole page in the folder `AUTOBENCH_SCREENSHOTS`, if set.
    pub(crate) fn picture(&mut self, name: &str) {
        let Some(folder) = env::var_os("AUTOBENCH_SCREENSHOTS") else { return };
        let taken = self.call("Page.captureScreenshot", &json!({"captureBeyondViewport": true}));
        let png = STANDARD.decode(taken["data"].as_str().expect("a picture")).expect("base 64");
        std::fs::write(Path::new(&folder).join(format!("{name}.png")), png).expect("written");
    }

    /// Checks that the page had no error and requested only itself.
    pub(crate) fn is_calm(&self) {
        assert!(self.errors.is_empty(), "{:?}", self.errors);
        let own =
            |url: &String| ["file:", "data:", "blob:", "about:"].iter().any(|s| url.starts_with(s));
        assert!(self.asked.iter().all(own), "{:?}", self.asked);
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The browser may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
