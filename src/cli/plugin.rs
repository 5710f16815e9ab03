//! stub
use super::Failure;
#[derive(Debug, clap::Args)] pub struct PluginArgs {}
pub fn run(_: &PluginArgs) -> Result<(), Failure> { Ok(()) }
