//! session
use super::{Reply, Request, Setup};
#[derive(Debug, Default)]
pub(super) struct Session {
    setup: Option<Setup>,
}
impl Session {
    pub(super) fn start_over(&mut self) {}
    pub(super) fn serve(&mut self, request: &Request) -> Reply {
        match request {
            Request::Setup(s) => {
                self.setup = Some(s.clone());
                Reply::Text("x".into())
            }
            _ => Reply::Refused("not yet".into()),
        }
    }
}
