//! Flags that choose which studies a subcommand of `history` uses.

use std::path::{Path, PathBuf};

use batch::history::{Filter, History, State};
use chrono::{DateTime, Utc};
use clap::Args;

use super::moment::moment;
use crate::{
    results::OUT,
    terminal::{Failure, output},
};

#[derive(Debug, Args)]
pub(super) struct Chosen {
    /// The folder of results
    #[arg(long, default_value = OUT, value_name = "DIR")]
    pub(super) out: PathBuf,
    /// Only on devices whose name contains this
    #[arg(long, value_name = "NAME")]
    pub(super) device: Option<String>,
    /// Only with drivers whose version contains this
    #[arg(long, value_name = "VERSION")]
    pub(super) driver: Option<String>,
    /// Only from hosts whose name contains this
    #[arg(long, value_name = "NAME")]
    pub(super) host: Option<String>,
    /// Only studies from this day or time on, or younger than this (`30d`)
    #[arg(long, value_name = "WHEN", value_parser = moment)]
    pub(super) since: Option<DateTime<Utc>>,
    /// Only studies before this day or time, or older than this
    #[arg(long, value_name = "WHEN", value_parser = moment)]
    pub(super) until: Option<DateTime<Utc>>,
    /// Only studies with this tag (repeatable: with all of these tags)
    #[arg(long = "tag", value_name = "WORD")]
    pub(super) tags: Vec<String>,
}

impl Chosen {
    /// Builds the filter that these flags describe.
    pub(super) fn filter(&self, benchmark: Option<&String>, state: Option<State>) -> Filter {
        Filter {
            benchmark: benchmark.cloned(),
            device: self.device.clone(),
            driver: self.driver.clone(),
            host: self.host.clone(),
            since: self.since,
            until: self.until,
            tags: self.tags.clone(),
            state,
        }
    }
}

/// Opens the index of a folder of results. Rebuilds the index where it is missing or damaged.
pub(crate) fn opened(out: &Path) -> Result<History, Failure> {
    let history = History::of(out).map_err(Failure::stored)?;
    if let Some(why) = &history.remade {
        output::note(&format!("{why}, and was made again from the folders"));
    }
    if let Err(why) = history.keep() {
        output::note(&format!("the next call takes as long, since the index is not kept: {why}"));
    }
    Ok(history)
}
