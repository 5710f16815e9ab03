//! `autobench serve`: results in a browser on the same machine.

use std::{io, path::PathBuf};

use clap::Args;

use super::{
    command::{Command, read},
    results::OUT,
    terminal::{Failure, interruption, output},
};
use crate::{records::FileFault, serving::Server};

inventory::submit!(Command {
    rank: 20,
    name: "serve",
    about: "Show results in a browser, on this machine alone and only to read",
    augment: ServeArgs::augment_args,
    run: |matches| run(&read::<ServeArgs>(matches)?),
});

/// The arguments of `serve`.
#[derive(Debug, Args)]
pub(super) struct ServeArgs {
    /// The folder of results
    #[arg(default_value = OUT, value_name = "DIR")]
    dir: PathBuf,
    /// The port; 0 for any that is free
    #[arg(long, default_value_t = 8420, value_name = "PORT")]
    port: u16,
}

fn run(arguments: &ServeArgs) -> Result<(), Failure> {
    let ServeArgs { dir, port } = arguments;
    std::fs::read_dir(dir).map_err(FileFault::reading(dir)).map_err(Failure::stored)?;
    let stop = interruption()?;
    let server = Server::bind(dir.clone(), *port).map_err(|error| match error.kind() {
        io::ErrorKind::AddrInUse => Failure::settings(format!("port {port} is taken"))
            .hint("name another with --port, or --port 0 for any that is free"),
        io::ErrorKind::PermissionDenied => {
            Failure::settings(format!("port {port} is not permitted"))
                .hint("name one from 1024 on with --port")
        }
        _ => Failure::bug(format!("could not hear port {port}: {error}")),
    })?;
    output::line(&format!("http://127.0.0.1:{}/ shows `{}`", server.port(), dir.display()))?;
    output::note("Ctrl-C ends it");
    server.run(&stop);
    Ok(())
}
