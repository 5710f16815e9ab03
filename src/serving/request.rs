//! What a request asks for, if it may ask.

/// Most header lines.
const MOST_HEADERS: usize = 64;

/// A request for something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Request {
    /// Parts of the path, decoded; none is empty, `.`, `..`, hidden, or holds a slash.
    pub(super) path: Vec<String>,
    /// Whether the path ends in a slash.
    pub(super) is_folder: bool,
    /// Names and values behind the question mark, decoded.
    pub(super) query: Vec<(String, String)>,
    /// Whether the answer's body is wanted: GET, and not HEAD.
    pub(super) with_body: bool,
}

/// Why a request has no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    /// It is no request of HTTP/1.
    Malformed,
    /// It does something other than reading.
    Method,
    /// It names another host.
    Host,
    /// Its path leads nowhere, or would lead outside.
    Path,
    /// Its head is too long.
    Long,
    /// It did not come in time.
    Slow,
}

impl Request {
    /// Reads the head of a request to this port.
    pub(super) fn parse(head: &[u8], port: u16) -> Result<Self, Refusal> {
        let text = std::str::from_utf8(head).map_err(|_| Refusal::Malformed)?;
        let mut lines = text.split("\r\n");
        let first: Vec<&str> = lines.next().unwrap_or_default().split(' ').collect();
        let [method, target, version] = first[..] else { return Err(Refusal::Malformed) };
        if !matches!(version, "HTTP/1.1" | "HTTP/1.0") {
            return Err(Refusal::Malformed);
        }
        let with_body = match method {
            "GET" => true,
            "HEAD" => false,
            _ => return Err(Refusal::Method),
        };
        check_headers(lines, port)?;
        if !target.starts_with('/') || !target.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(Refusal::Malformed);
        }
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let pairs = query.split('&').filter(|pair| !pair.is_empty());
        let pairs = pairs.map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Some((decoded(&name.replace('+', " "))?, decoded(&value.replace('+', " "))?))
        });
        Ok(Self {
            path: parts(path).ok_or(Refusal::Path)?,
            is_folder: path.ends_with('/'),
            query: pairs.collect::<Option<_>>().ok_or(Refusal::Malformed)?,
            with_body,
        })
    }

    /// The value of a name behind the question mark, unless it is empty.
    pub(super) fn value(&self, name: &str) -> Option<String> {
        let found = self.query.iter().find(|(known, value)| known == name && !value.is_empty());
        found.map(|(_, value)| value.clone())
    }
}

/// Checks that the host is this one, and that no body follows.
fn check_headers<'a>(lines: impl Iterator<Item = &'a str>, port: u16) -> Result<(), Refusal> {
    let mut hosts = Vec::new();
    for (at, line) in lines.enumerate() {
        let (name, value) = line.split_once(':').ok_or(Refusal::Malformed)?;
        let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
        // A line that goes on the one before, and a space before the colon, have smuggled much.
        if at >= MOST_HEADERS || name.is_empty() || !name.chars().all(is_token) {
            return Err(Refusal::Malformed);
        }
        let value = value.trim_matches([' ', '\t']);
        if value.chars().any(|c| c.is_control() && c != '\t') {
            return Err(Refusal::Malformed);
        }
        match name.to_ascii_lowercase().as_str() {
            "host" => hosts.push(value),
            "transfer-encoding" => return Err(Refusal::Malformed),
            "content-length" if value != "0" => return Err(Refusal::Malformed),
            _ => {}
        }
    }
    let [host] = hosts[..] else { return Err(Refusal::Malformed) };
    let name = host.strip_suffix(&format!(":{port}")).or((port == 80).then_some(host));
    match name {
        Some(name) if name == "127.0.0.1" || name.eq_ignore_ascii_case("localhost") => Ok(()),
        _ => Err(Refusal::Host),
    }
}

/// Parts of a path; `None` if one of them could lead elsewhere.
fn parts(path: &str) -> Option<Vec<String>> {
    let inner = path.strip_prefix('/')?;
    let inner = inner.strip_suffix('/').unwrap_or(inner);
    if inner.is_empty() {
        return (path == "/").then(Vec::new);
    }
    let is_safe = |part: &String| {
        let bad = |c: char| c == '/' || c == '\\' || c.is_control();
        // Hidden names, and with them `.` and `..`, are nobody's results.
        !part.is_empty() && !part.starts_with('.') && !part.contains(bad)
    };
    inner.split('/').map(|part| decoded(part).filter(is_safe)).collect()
}

/// A text without percent-encoding, decoded once.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        rest = behind;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let digit = |at: usize| char::from(*rest.get(at)?).to_digit(16);
        let value = 16 * digit(0)? + digit(1)?;
        bytes.push(u8::try_from(value).ok()?);
        rest = &rest[2..];
    }
    String::from_utf8(bytes).ok()
}

/// A text as a part of a path or a value behind a question mark.
pub(super) fn encoded(text: &str) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~".contains(byte);
    let encode = |byte: &u8| match plain(byte) {
        true => char::from(*byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    text.as_bytes().iter().map(encode).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(target: &str) -> Result<Request, Refusal> {
        Request::parse(format!("GET {target} HTTP/1.1\r\nHost: localhost:80").as_bytes(), 80)
    }

    #[test]
    fn paths_are_decoded_once_and_lead_nowhere_else() {
        let path = |target| asked(target).map(|request| request.path);
        assert_eq!(path("/"), Ok(vec![]));
        assert_eq!(path("/a%20b/c.html"), Ok(vec!["a b".to_owned(), "c.html".to_owned()]));
        assert_eq!(path("/%252e%252e/x"), Ok(vec!["%2e%2e".to_owned(), "x".to_owned()]));
        for outside in [
            "/..",
            "/../x",
            "/a/../../x",
            "/%2e%2e/x",
            "/%2E%2e%2fx",
            "/a%2fb",
            "/a\\b",
            "/a%5cb",
            "//etc",
            "/a//b",
            "/.hidden",
            "/a/.git/x",
            "/./a",
            "/a%00",
            "/%ff",
            "/%",
            "/%4",
            "/%zz",
            "//",
        ] {
            assert_eq!(path(outside), Err(Refusal::Path), "{outside}");
        }
        for malformed in ["http://localhost/", "*", "", "x", "/a b", "/\u{e9}"] {
            assert_eq!(path(malformed), Err(Refusal::Malformed), "{malformed}");
        }
    }

    #[test]
    fn queries_are_names_and_values() {
        let request = asked("/?benchmark=my+kernel&device=A%26B&x").expect("a request");
        assert_eq!(request.value("benchmark").as_deref(), Some("my kernel"));
        assert_eq!(request.value("device").as_deref(), Some("A&B"));
        assert_eq!(request.value("x"), None);
        assert_eq!(decoded(&encoded("a b/ü?&\"")).as_deref(), Some("a b/ü?&\""));
    }

    #[test]
    fn only_this_host_is_asked_and_only_for_reading() {
        let head = |text: &str| Request::parse(text.as_bytes(), 8080).map(|r| r.with_body);
        assert_eq!(head("GET / HTTP/1.1\r\nHost: 127.0.0.1:8080"), Ok(true));
        assert_eq!(head("HEAD / HTTP/1.0\r\nhost:\tLOCALHOST:8080 "), Ok(false));
        for (wrong, refusal) in [
            ("GET / HTTP/1.1\r\nHost: evil.example:8080", Refusal::Host),
            ("GET / HTTP/1.1\r\nHost: localhost.evil.example:8080", Refusal::Host),
            ("GET / HTTP/1.1\r\nHost: localhost", Refusal::Host),
            ("GET / HTTP/1.1\r\nHost: localhost:80", Refusal::Host),
            ("GET / HTTP/1.1\r\nHost:", Refusal::Host),
            ("GET / HTTP/1.1", Refusal::Malformed),
            ("GET / HTTP/1.1\r\nHost: localhost:8080\r\nHost: evil", Refusal::Malformed),
            ("GET / HTTP/1.1\r\n Host: localhost:8080", Refusal::Malformed),
            ("GET / HTTP/1.1\r\nHost : localhost:8080", Refusal::Malformed),
            ("GET / HTTP/1.1\r\nHost: localhost:8080\r\nx", Refusal::Malformed),
            (
                "GET / HTTP/1.1\r\nHost: localhost:8080\r\nTransfer-Encoding: chunked",
                Refusal::Malformed,
            ),
            ("GET / HTTP/1.1\r\nHost: localhost:8080\r\nContent-Length: 5", Refusal::Malformed),
            ("GET / HTTP/1.1\nHost: localhost:8080", Refusal::Malformed),
            ("GET / HTTP/2", Refusal::Malformed),
            ("GET  / HTTP/1.1", Refusal::Malformed),
            ("GET /", Refusal::Malformed),
            ("", Refusal::Malformed),
            ("POST / HTTP/1.1\r\nHost: localhost:8080", Refusal::Method),
            ("get / HTTP/1.1\r\nHost: localhost:8080", Refusal::Method),
        ] {
            assert_eq!(head(wrong), Err(refusal), "{wrong}");
        }
        let many = format!("GET / HTTP/1.1\r\nHost: localhost:8080{}", "\r\nx: y".repeat(64));
        assert_eq!(head(&many), Err(Refusal::Malformed));
    }
}
