//! What is answered, and how it goes over the line.

use std::{
    fs::File,
    io::{self, Read as _, Write},
};

use super::request::Refusal;
use crate::exporters::{escape, whole};

/// Pages run their own scripts alone, load nothing from elsewhere, and are shown in no other page.
const HEADERS: &str = "Content-Security-Policy: default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; \
    img-src 'self' data: blob:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'\r\n\
    X-Content-Type-Options: nosniff\r\n\
    X-Frame-Options: DENY\r\n\
    Referrer-Policy: no-referrer\r\n\
    Cross-Origin-Resource-Policy: same-origin\r\n\
    Cache-Control: no-store\r\n\
    Connection: close\r\n";

/// An answer.
#[derive(Debug)]
pub(super) struct Response {
    status: u16,
    kind: &'static str,
    /// A further header line, with its end.
    header: String,
    body: Body,
}

#[derive(Debug)]
enum Body {
    Bytes(Vec<u8>),
    /// A file, as long as it was when it was opened.
    File(File, u64),
}

impl Response {
    /// A page.
    pub(super) fn page(title: &str, body: &str) -> Self {
        let footer = "Served by autobench from the folders of results.";
        let text = whole(&escape(title), body, footer);
        Self::of(200, "text/html; charset=utf-8", Body::Bytes(text.into_bytes()))
    }

    /// A file; its kind by its name.
    pub(super) fn file(name: &str, file: File, length: u64) -> Self {
        let kind = match name.rsplit_once('.').map(|(_, extension)| extension) {
            Some("html") => "text/html; charset=utf-8",
            Some("svg") => "image/svg+xml",
            Some("png") => "image/png",
            Some("csv") => "text/csv; charset=utf-8",
            Some("json") => "application/json",
            Some("f32" | "gz") => "application/octet-stream",
            _ => "text/plain; charset=utf-8",
        };
        Self::of(200, kind, Body::File(file, length))
    }

    /// A sentence, mostly on why there is nothing else.
    pub(super) fn sentence(status: u16, sentence: &str) -> Self {
        let text = format!("{sentence}\n").into_bytes();
        Self::of(status, "text/plain; charset=utf-8", Body::Bytes(text))
    }

    /// Another place.
    pub(super) fn elsewhere(path: &str) -> Self {
        let header = format!("Location: {path}\r\n");
        Self { header, ..Self::sentence(308, "it is a folder") }
    }

    /// Why a request has no answer.
    pub(super) fn refusal(refusal: &Refusal) -> Self {
        let response = match refusal {
            Refusal::Malformed => Self::sentence(400, "this is no request that can be answered"),
            Refusal::Method => Self::sentence(405, "results are only read here: GET or HEAD"),
            Refusal::Host => {
                Self::sentence(421, "only localhost and 127.0.0.1 with this port are served")
            }
            Refusal::Path => Self::sentence(404, "there is no such result"),
            Refusal::Long => Self::sentence(431, "the head of the request is too long"),
            Refusal::Slow => Self::sentence(408, "the request did not come in time"),
        };
        let header = match refusal {
            Refusal::Method => "Allow: GET, HEAD\r\n",
            _ => "",
        };
        Self { header: header.to_owned(), ..response }
    }

    fn of(status: u16, kind: &'static str, body: Body) -> Self {
        Self { status, kind, header: String::new(), body }
    }

    /// Writes it; without its body for HEAD.
    pub(super) fn write(self, to: &mut impl Write, with_body: bool) -> io::Result<()> {
        let Self { status, kind, header, body } = self;
        let length = match &body {
            Body::Bytes(bytes) => bytes.len() as u64,
            Body::File(_, length) => *length,
        };
        let word = word(status);
        let head = format!(
            "HTTP/1.1 {status} {word}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n{header}{HEADERS}\r\n"
        );
        to.write_all(head.as_bytes())?;
        match body {
            _ if !with_body => {}
            Body::Bytes(bytes) => to.write_all(&bytes)?,
            // A journal may grow meanwhile.
            Body::File(file, length) => drop(io::copy(&mut file.take(length), to)?),
        }
        to.flush()
    }
}

fn word(status: u16) -> &'static str {
    match status {
        200 => "OK",
        308 => "Permanent Redirect",
        400 => "Bad Request",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        421 => "Misdirected Request",
        431 => "Request Header Fields Too Large",
        503 => "Service Unavailable",
        _ => "Internal Server Error",
    }
}
