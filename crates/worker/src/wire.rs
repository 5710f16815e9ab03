//! Framing of requests and replies: the length in four bytes, little-endian, then JSON.

use std::io::{self, Read, Write};

use serde::{Serialize, de::DeserializeOwned};

/// Longest document in bytes. It must hold a plugin's sources and a long list of outcomes.
const LONGEST: usize = 64 << 20;

pub(super) fn send(to: &mut impl Write, document: &impl Serialize) -> io::Result<()> {
    let mut frame = vec![0; 4];
    serde_json::to_writer(&mut frame, document)?;
    let length = frame.len() - 4;
    let header = u32::try_from(length)
        .ok()
        .filter(|_| length <= LONGEST)
        .ok_or_else(|| invalid(format!("a message of {length} bytes is too long")))?;
    frame[..4].copy_from_slice(&header.to_le_bytes());
    to.write_all(&frame)
}

/// Reads one document. Fails with `UnexpectedEof` if the other side is gone.
pub(super) fn receive<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<T> {
    let mut header = [0; 4];
    from.read_exact(&mut header)?;
    let length = u32::from_le_bytes(header) as usize;
    if length > LONGEST {
        return Err(invalid(format!("a message claims to be {length} bytes long")));
    }
    let mut body = vec![0; length];
    from.read_exact(&mut body)?;
    serde_json::from_slice(&body).map_err(|error| invalid(format!("a message is garbled: {error}")))
}

fn invalid(text: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{Reply, Request};

    #[test]
    fn documents_come_out_as_they_went_in() {
        let mut bytes = Vec::new();
        send(&mut bytes, &Request::Devices).expect("fits");
        send(&mut bytes, &Reply::Refused("no".to_owned())).expect("fits");
        let mut from = bytes.as_slice();
        assert_eq!(receive::<Request>(&mut from).expect("whole"), Request::Devices);
        assert_eq!(receive::<Reply>(&mut from).expect("whole"), Reply::Refused("no".to_owned()));
        let end = receive::<Reply>(&mut from).expect_err("nothing left");
        assert_eq!(end.kind(), io::ErrorKind::UnexpectedEof);
    }

    #[test]
    fn oversized_and_garbled_messages_are_refused() {
        let mut from: &[u8] = &[0xff; 16];
        assert_eq!(
            receive::<Reply>(&mut from).expect_err("too long").kind(),
            io::ErrorKind::InvalidData
        );
        let mut from: &[u8] = &[2, 0, 0, 0, b'{', b'x'];
        assert_eq!(
            receive::<Reply>(&mut from).expect_err("not JSON").kind(),
            io::ErrorKind::InvalidData
        );
    }
}
