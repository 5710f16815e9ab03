//! Results in a browser on the same machine: a small HTTP/1.1 server that only reads.
//!
//! It hears the loopback interface alone, answers GET and HEAD and nothing else, closes every
//! connection after one answer, and refuses requests that name another host, so that no page of
//! another site can read results through a browser (DNS rebinding). What it gives out are files of
//! results that are no links and lie behind none.

mod addresses;
mod connection;
mod files;
mod list_page;
mod request;
mod response;
mod site;
mod trend_page;

use std::{
    io,
    net::{Ipv4Addr, TcpListener},
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use self::{
    connection::{answer, refuse},
    site::Site,
};

/// Most connections at once; further ones are told to come back.
const MOST_CONNECTIONS: usize = 32;

/// How often it is looked whether to end.
const PAUSE: Duration = Duration::from_millis(50);

/// A server that hears a port of the loopback interface.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    site: Arc<Site>,
    port: u16,
}

impl Server {
    /// Hears a port, any free one if it is 0.
    ///
    /// # Errors
    /// If the port is taken or not permitted.
    pub fn bind(root: PathBuf, port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        listener.set_nonblocking(true)?;
        let port = listener.local_addr()?.port();
        Ok(Self { listener, site: Arc::new(Site::new(root)), port })
    }

    /// The port.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Answers until `stop` is set. Answers that are under way then are cut short.
    pub fn run(&self, stop: &AtomicBool) {
        let open = Arc::new(AtomicUsize::new(0));
        while !stop.load(Ordering::Relaxed) {
            let Ok((stream, _)) = self.listener.accept() else {
                // Nobody is there, or the machine has no descriptor left: both pass.
                thread::sleep(PAUSE);
                continue;
            };
            if open.load(Ordering::Relaxed) >= MOST_CONNECTIONS {
                refuse(&stream);
                continue;
            }
            open.fetch_add(1, Ordering::Relaxed);
            let place = Place(Arc::clone(&open));
            let (site, port) = (Arc::clone(&self.site), self.port);
            let work = move || {
                let _place = place;
                answer(&stream, &site, port);
            };
            // Without a thread the connection closes, and its place is free again.
            let _ = thread::Builder::new().spawn(work);
        }
    }
}

/// A connection's place among the open ones, until it is dropped.
struct Place(Arc<AtomicUsize>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
