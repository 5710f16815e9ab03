//! `autobench history export`: writes studies as a table.

use std::path::PathBuf;

use batch::history::table;
use clap::Args;
use records::write_whole;

use super::chosen::{Chosen, opened};
use crate::terminal::{Failure, output};

/// The arguments of `export`.
#[derive(Debug, Args)]
pub(super) struct ExportArgs {
    /// Only benchmarks whose name contains this
    #[arg(long, value_name = "NAME")]
    benchmark: Option<String>,
    #[command(flatten)]
    studies: Chosen,
    /// The file to write: `history.csv`
    #[arg(long, short, value_name = "FILE")]
    file: PathBuf,
}

pub(super) fn run(arguments: &ExportArgs) -> Result<(), Failure> {
    let path = &arguments.file;
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("csv") => {}
        Some("parquet") => {
            return Err(Failure::settings(format!(
                "`{}` would be Parquet, which autobench does not write",
                path.display()
            ))
            .hint("write .csv, and in Python: pandas.read_csv(\"history.csv\").to_parquet(…)"));
        }
        _ => {
            return Err(Failure::settings(format!(
                "`{}` is no table; end its name in .csv",
                path.display()
            )));
        }
    }
    let history = opened(&arguments.studies.out)?;
    let filter = arguments.studies.filter(arguments.benchmark.as_ref(), None);
    let chosen = filter.chosen(&history.entries);
    let bytes = table(&chosen).map_err(Failure::bug)?;
    write_whole(path, &bytes).map_err(Failure::stored)?;
    output::note(&format!("wrote {} studies to {}", chosen.len(), path.display()));
    Ok(())
}
