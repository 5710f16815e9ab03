//! Guests: programs of the user's that hold a benchmark and its device, and answer over a pipe or a
//! socket. The protocol is in `docs/guide/workers.md`. To a worker, a guest is a device whose
//! kernels have no arguments: the guest keeps the data and knows the right results.
//!
//! This crate never knows about strategies or studies. Begin with `messages.rs`, then `device.rs`.

mod connection;
mod description;
mod device;
mod messages;
mod sizes;

use std::path::Path;

use autobench_sdk::document::Document;

pub use self::device::GuestDevice;
pub use connection::ENDED;

/// Starts the program at a path, or connects to the socket there, and asks what it is.
///
/// # Errors
/// One sentence, if there is no guest at the path.
pub fn open(path: &Path) -> Result<(Document, GuestDevice), String> {
    let mut connection = connection::Connection::open(path)?;
    let (document, facts) = description::describe(&mut connection)?;
    Ok((document, GuestDevice::new(connection, facts)))
}
