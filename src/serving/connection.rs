//! One connection: a request within a time and a length, an answer, and the end.

use std::{
    io::{self, Read},
    net::{Shutdown, TcpStream},
    time::{Duration, Instant},
};

use super::{
    request::{Refusal, Request},
    response::Response,
    site::Site,
};

/// Longest head of a request in bytes.
const LONGEST_HEAD: usize = 8192;

/// A request must be there by then, however slowly it comes.
const READING: Duration = Duration::from_secs(5);

/// A reader that takes nothing for so long is gone.
const WRITING: Duration = Duration::from_secs(20);

/// Most that is read of what a client says behind its request, before the connection closes.
const LEFT_OVER: usize = 64 * 1024;

/// Answers one request. Whatever goes wrong on the way is the client's: it sees the end.
pub(super) fn answer(stream: &TcpStream, site: &Site, port: u16) {
    let deadline = Instant::now() + READING;
    let prepared = stream.set_nonblocking(false).and_then(|()| {
        stream.set_write_timeout(Some(WRITING))?;
        stream.set_nodelay(true)
    });
    if prepared.is_err() {
        return;
    }
    let (response, with_body) = match head(stream, deadline) {
        Ok(None) => return,
        Ok(Some(bytes)) => match Request::parse(&bytes, port) {
            Ok(request) => (site.answer(&request), request.with_body),
            Err(refusal) => (Response::refusal(&refusal), true),
        },
        Err(refusal) => (Response::refusal(&refusal), true),
    };
    let mut to = stream;
    let _ = response.write(&mut to, with_body);
    let _ = stream.shutdown(Shutdown::Write);
    drain(stream);
}

/// Tells that there are too many connections, without waiting for a request or a reader.
pub(super) fn refuse(stream: &TcpStream) {
    let mut to = stream;
    if stream.set_nonblocking(true).is_ok() {
        let response = Response::sentence(503, "too many connections; try again");
        let _ = response.write(&mut to, true);
    }
}

/// The head of a request with its empty line; none if the client went before it said all.
fn head(stream: &TcpStream, deadline: Instant) -> Result<Option<Vec<u8>>, Refusal> {
    let (mut bytes, mut part) = (Vec::new(), [0; 1024]);
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() || stream.set_read_timeout(Some(left)).is_err() {
            return Err(Refusal::Slow);
        }
        let mut from = stream;
        let count = match from.read(&mut part) {
            Ok(0) => return Ok(None),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => {
                let late =
                    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut);
                return if late { Err(Refusal::Slow) } else { Ok(None) };
            }
        };
        bytes.extend_from_slice(&part[..count]);
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            bytes.truncate(end);
            return if end > LONGEST_HEAD { Err(Refusal::Long) } else { Ok(Some(bytes)) };
        }
        if bytes.len() > LONGEST_HEAD {
            return Err(Refusal::Long);
        }
    }
}

/// Reads what is left, for a moment: closing over unread bytes would take the answer back.
fn drain(stream: &TcpStream) {
    let _ = stream.set_read_timeout(Some(Duration::from_millis(200)));
    let (mut from, mut part, mut total) = (stream, [0; 4096], 0);
    while let Ok(count) = from.read(&mut part) {
        total += count;
        if count == 0 || total > LEFT_OVER {
            return;
        }
    }
}
