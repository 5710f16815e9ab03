//! Suites: many studies from one YAML file. A study of a suite is a command line of `run`, `tune`
//! or `score`, and its keys are the command's flags. See `docs/guide/suites.md`.

mod built_in;
mod commands;
mod document;
mod earlier_runs;
mod expansion;
mod fault;
mod figure;
mod folder;
mod given;
mod journal;
mod label;
mod map;
mod page;
mod published;
mod reading;
mod record;
mod row;
mod schema;
mod scores;
pub mod slurm;
mod table;
mod winners;
pub mod words;

pub use built_in::{BuiltIn, built_in, built_ins};
pub use commands::{CommandFlags, Flag, FlagKind};
pub use document::{Entry, Suite};
pub use earlier_runs::{EarlierRuns, SizeFrom};
pub use expansion::{Expansion, PlannedStudy, is_space_path, only, with_overrides};
pub use fault::{SuiteFault, SuiteFaults};
pub use figure::figures;
pub use folder::SuiteFolder;
pub use given::{Given, Word};
pub use journal::{StudyEnd, SuiteEvent, SuiteJournal, Told};
pub use published::{FigureName, Published, PublishedFigure, WrittenFigure, WrittenPublished};
pub use reading::{SuiteSource, read, unknown};
pub use record::{RecordedStudy, SUITE_FORMAT, SUITE_VERSION, SuiteRecord};
pub use row::{BegunStudy, StudyAnswer, SuiteRow, SuiteView, row};
pub use schema::schema;
pub use scores::{BesidePublished, shown};
pub use table::files;
pub use winners::{Links, links, size_of, won};

#[cfg(test)]
mod tests;
