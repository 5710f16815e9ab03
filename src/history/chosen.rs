//! Which studies a subcommand of `history` is about.

use std::path::{Path, PathBuf};

use batch::history::{Filter, History, State};
use chrono::{DateTime, Utc};
use clap::Args;

use super::moment::moment;
use crate::{
    results::OUT,
    terminal::{Failure, output},
};

/// Flags that choose studies.
#[derive(Debug, Args)]
pub(super) struct Chosen {
    /// The folder of results
    #[arg(long, default_value = OUT, value_name = "DIR")]
    pub(super) out: PathBuf,
    /// Only on devices whose names hold this
    #[arg(long, value_name = "NAME")]
    pub(super) device: Option<String>,
    /// Only with drivers whose versions hold this
    #[arg(long, value_name = "VERSION")]
    pub(super) driver: Option<String>,
    /// Only from hosts whose names hold this
    #[arg(long, value_name = "NAME")]
    pub(super) host: Option<String>,
    /// Not before this day or time, or so long ago (`30d`)
    #[arg(long, value_name = "WHEN", value_parser = moment)]
    pub(super) since: Option<DateTime<Utc>>,
    /// Before this day or time, or so long ago
    #[arg(long, value_name = "WHEN", value_parser = moment)]
    pub(super) until: Option<DateTime<Utc>>,
    /// Only with this tag (repeatable: with all of them)
    #[arg(long = "tag", value_name = "WORD")]
    pub(super) tags: Vec<String>,
}

impl Chosen {
    /// What studies must be.
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

/// The studies of a folder, whose index is made or mended where need be.
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
