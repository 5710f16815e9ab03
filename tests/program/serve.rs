//! `serve` through the real binary: what it shows, and what it refuses.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{Shutdown, TcpStream},
    path::Path,
    process::{Child, Stdio},
    time::Duration,
};

use autobench::numeric::seeded;

use crate::{
    history::write_on,
    made::Made,
    support::{autobench, command, sentence},
};

/// A server, until it is dropped.
struct Served {
    child: Child,
    port: u16,
}

impl Served {
    fn over(out: &Path) -> Self {
        let mut command = command();
        command.arg("serve").arg(out).args(["--port", "0"]);
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("a pipe");
        BufReader::new(stdout).read_line(&mut line).expect("a line");
        let port = line.strip_prefix("http://127.0.0.1:").and_then(|rest| rest.split_once('/'));
        let port = port.and_then(|(port, _)| port.parse().ok());
        Self { child, port: port.unwrap_or_else(|| panic!("no port in {line:?}")) }
    }

    fn connection(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).expect("it hears");
        stream.set_read_timeout(Some(Duration::from_secs(30))).expect("set");
        stream
    }

    /// Its answer to these bytes.
    fn told(&self, bytes: &[u8]) -> String {
        let mut stream = self.connection();
        // It may have answered and closed before all was said.
        let _ = stream.write_all(bytes);
        let _ = stream.shutdown(Shutdown::Write);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn asked(&self, method: &str, target: &str) -> String {
        let port = self.port;
        let head = format!("{method} {target} HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n");
        self.told(head.as_bytes())
    }

    fn got(&self, target: &str) -> String {
        self.asked("GET", target)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn status(answer: &str) -> u16 {
    let code = answer.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3));
    code.and_then(|code| code.parse().ok()).unwrap_or_else(|| panic!("no status in {answer:?}"))
}

fn body(answer: &str) -> &str {
    answer.split_once("\r\n\r\n").expect("a head and a body").1
}

/// `out` with two studies and what no reader may see, and a secret beside it.
fn results(place: &Path) -> std::path::PathBuf {
    let out = place.join("out");
    fs::create_dir(&out).expect("a folder");
    let mut rng = seeded(1, 0);
    for (day, benchmark) in [(0, "gemm"), (1, "<b>bold</b>")] {
        let made = Made { benchmark, device: "device", slowness: 1.0, wander: 0.01 };
        write_on(day, &made, &out.join(format!("study {day}")), &mut rng);
    }
    fs::write(out.join("study 0/report.html"), "<h1>the report</h1>").expect("written");
    fs::write(place.join("secret"), "secret").expect("written");
    fs::write(out.join("private.txt"), "secret").expect("written");
    fs::write(out.join("study 0/.hidden"), "secret").expect("written");
    fs::create_dir(out.join("notes")).expect("a folder");
    fs::write(out.join("notes/x.txt"), "secret").expect("written");
    let link = |to: &Path, at: &str| std::os::unix::fs::symlink(to, out.join(at)).expect("a link");
    link(&place.join("secret"), "study 0/file_link");
    link(place, "study 0/folder_link");
    link(&out.join("study 1"), "study 0/inner_link");
    out
}

#[test]
fn it_shows_the_list_the_folders_and_their_files() {
    let place = tempfile::tempdir().expect("a folder");
    let out = results(place.path());
    let before = fs::read_dir(&out).expect("a folder").count();
    let served = Served::over(&out);
    let list = served.got("/");
    assert_eq!(status(&list), 200);
    assert!(list.contains("Content-Security-Policy: default-src 'none'"), "{list}");
    assert!(list.contains("2 of 2 studies") && list.contains("/results/study%200/"), "{list}");
    assert!(list.contains("&lt;b&gt;bold") && !list.contains("<b>bold"), "{list}");
    assert!(list.contains(" data-value=\"2026-"), "{list}");
    assert!(list.contains(" data-value=\"1048576\">1\u{a0}048\u{a0}576"), "{list}");
    let one = served.got("/?benchmark=gemm&device=%22%3E%3Cscript%3E");
    assert!(one.contains("0 of 2 studies") && !one.contains("\"><script>"), "{one}");
    assert!(served.got("/?benchmark=gemm").contains("1 of 2 studies"));
    let folder = served.got("/results/study%200/");
    assert!(folder.contains("report.html") && folder.contains("journal.jsonl"), "{folder}");
    let words = folder.split("<main>").nth(1).and_then(|main| main.split("<script>").next());
    let words = words.expect("a page");
    assert!(!words.contains("_link") && !words.contains(".hidden"), "{words}");
    let moved = served.got("/results/study%200");
    assert_eq!(status(&moved), 308);
    assert!(moved.contains("Location: /results/study%200/\r\n"), "{moved}");
    let report = served.got("/results/study%200/report.html");
    assert_eq!((status(&report), body(&report)), (200, "<h1>the report</h1>"));
    assert!(report.contains("Content-Type: text/html"), "{report}");
    let journal = served.got("/results/study%200/journal.jsonl");
    let whole = fs::read_to_string(out.join("study 0/journal.jsonl")).expect("read");
    assert_eq!(body(&journal), whole);
    let head = served.asked("HEAD", "/results/study%200/report.html");
    assert_eq!((status(&head), body(&head)), (200, ""));
    assert!(head.contains("Content-Length: 19\r\n"), "{head}");
    assert_eq!(fs::read_dir(&out).expect("a folder").count(), before, "it writes nothing");
}

#[test]
fn trends_are_pages_with_their_changes_and_lead_to_results() {
    let place = tempfile::tempdir().expect("a folder");
    let out = place.path().join("out");
    fs::create_dir(&out).expect("a folder");
    let mut rng = seeded(3, 0);
    for day in 0..12 {
        // From the seventh day on it takes a fifth longer.
        let slowness = if day < 6 { 1.0 } else { 1.2 };
        let made = Made { benchmark: "gemm & <co>", device: "device/1", slowness, wander: 0.003 };
        write_on(day, &made, &out.join(format!("day {day}")), &mut rng);
    }
    let before = fs::read_dir(&out).expect("a folder").count();
    let served = Served::over(&out);
    assert!(served.got("/").contains("href=\"/trends\""));
    let list = served.got("/trends");
    let link = "/trend?subject=gemm%20%26%20%3Cco%3E&amp;device=device%2F1";
    assert!(list.contains(&format!("<a href=\"{link}\">gemm &amp; &lt;co&gt;</a>")), "{list}");
    assert!(list.contains("slower") && list.contains("since 2026-01-07"), "{list}");
    let link = link.replace("&amp;", "&");
    let page = served.got(&link);
    assert_eq!(status(&page), 200);
    assert!(page.contains("<svg") && page.contains("geometric mean over 6 sizes"), "{page}");
    assert!(page.contains("(6 studies before, 6 after)"), "{page}");
    assert!(page.contains("href=\"/results/day%206/\""), "{page}");
    assert!(!page.contains("<co>"), "{page}");
    let one = served.got(&format!("{link}&size=4096"));
    assert!(one.contains("at size 4096") && one.contains("<b>4096</b>"), "{one}");
    for (missing, code) in [
        (format!("{link}&size=7"), 404),
        (format!("{link}&size=x"), 404),
        ("/trend".to_owned(), 404),
        ("/trend?subject=gemm&device=%3Cscript%3E".to_owned(), 404),
        ("/trends/x".to_owned(), 404),
    ] {
        let answer = served.got(&missing);
        assert_eq!(status(&answer), code, "{missing}");
        assert!(!answer.contains("<script>"), "{missing}: {answer}");
    }
    assert_eq!(fs::read_dir(&out).expect("a folder").count(), before, "it writes nothing");
}

#[test]
fn it_gives_out_nothing_but_files_of_results() {
    let place = tempfile::tempdir().expect("a folder");
    let served = Served::over(&results(place.path()));
    for target in [
        "/results/../secret",
        "/results/%2e%2e/secret",
        "/results/study%200/../../secret",
        "/results/study%200/%2e%2e%2f%2e%2e%2fsecret",
        "/results/study%200/..%5c..%5csecret",
        "/results/study%200/%252e%252e/private.txt",
        "/results//etc/passwd",
        "/results/%2fetc%2fpasswd",
        "/results/study%200/file_link",
        "/results/study%200/folder_link/secret",
        "/results/study%200/inner_link/study.json",
        "/results/study%200/.hidden",
        "/results/study%200/report.html/",
        "/results/study%200/report.html%00.txt",
        "/results/private.txt",
        "/results/notes/x.txt",
        "/results/history.jsonl",
        "/results/study%20",
        "/results/study%200x/",
        "/results/",
        "/results",
        "/secret",
        "/etc/passwd",
        "/../../../../etc/passwd",
    ] {
        let answer = served.got(target);
        let fits = [400, 404].contains(&status(&answer)) || target.ends_with(".html/");
        assert!(fits, "{target}: {answer}");
        assert!(
            !body(&answer).contains("secret") && !answer.contains("root:"),
            "{target}: {answer}"
        );
    }
}

#[test]
fn hostile_requests_get_a_sentence_and_the_next_one_an_answer() {
    let place = tempfile::tempdir().expect("a folder");
    let served = Served::over(&results(place.path()));
    let port = served.port;
    let host = format!("Host: localhost:{port}\r\n");
    let long = format!("GET /{} HTTP/1.1\r\n{host}\r\n", "x".repeat(10_000));
    let many = format!("GET / HTTP/1.1\r\n{host}{}\r\n", "a: b\r\n".repeat(100));
    for (request, code) in [
        ("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n".to_owned(), 421),
        (format!("GET / HTTP/1.1\r\nHost: evil.example:{port}\r\n\r\n"), 421),
        (format!("GET / HTTP/1.1\r\nHost: 127.0.0.1.evil:{port}\r\n\r\n"), 421),
        ("GET / HTTP/1.1\r\n\r\n".to_owned(), 400),
        (format!("GET http://evil.example/ HTTP/1.1\r\n{host}\r\n"), 400),
        (format!("POST / HTTP/1.1\r\n{host}\r\n"), 405),
        (format!("DELETE /results/study%200/ HTTP/1.1\r\n{host}\r\n"), 405),
        (format!("GET / HTTP/1.1\r\n{host}Content-Length: 3\r\n\r\nabc"), 400),
        (format!("GET / HTTP/1.1\r\n{host}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), 400),
        (format!("GET / HTTP/1.1\r\n{host}bad header\r\n\r\n"), 400),
        ("\r\n\r\n".to_owned(), 400),
        ("\u{16}\u{3}\u{1}\u{2}\r\n\r\n".to_owned(), 400),
        (long, 431),
        (many, 400),
    ] {
        let answer = served.told(request.as_bytes());
        assert_eq!(status(&answer), code, "{request:?}: {answer}");
    }
    assert_eq!(status(&served.told(b"\xff\xfe\r\n\r\n")), 400);
    assert_eq!(served.told(b"GET / HT"), "", "a request that ends in its middle has no answer");
    assert_eq!(status(&served.got("/")), 200);
}

#[test]
fn connections_that_say_nothing_keep_nobody_waiting_and_are_closed() {
    let place = tempfile::tempdir().expect("a folder");
    let served = Served::over(&results(place.path()));
    let mut silent: Vec<TcpStream> = (0..20).map(|_| served.connection()).collect();
    assert_eq!(status(&served.got("/")), 200);
    let mut slow = silent.pop().expect("a connection");
    slow.write_all(b"GET / HTTP/1.1\r\n").expect("written");
    let mut answer = String::new();
    slow.read_to_string(&mut answer).expect("an end");
    assert_eq!(status(&answer), 408);
    // More than there are places for.
    let more: Vec<TcpStream> = (0..60).map(|_| served.connection()).collect();
    drop((silent, more));
    let again = (0..100).find_map(|_| {
        std::thread::sleep(Duration::from_millis(100));
        Some(served.got("/")).filter(|answer| status(answer) == 200)
    });
    assert!(again.is_some(), "it goes on when they are gone");
}

#[test]
fn it_ends_on_ctrl_c_and_says_what_it_cannot_do() {
    let place = tempfile::tempdir().expect("a folder");
    let out = results(place.path());
    let mut served = Served::over(&out);
    let taken = autobench(&["serve", &out.to_string_lossy(), "--port", &served.port.to_string()]);
    assert_eq!(taken.status.code(), Some(2));
    assert!(sentence(&taken).contains("is taken"));
    let absent = autobench(&["serve", "nowhere"]);
    assert_eq!(absent.status.code(), Some(2));
    let id = rustix::process::Pid::from_child(&served.child);
    rustix::process::kill_process(id, rustix::process::Signal::INT).expect("sent");
    assert_eq!(served.child.wait().expect("it ends").code(), Some(0));
}
