//! Plain data of results: what happened to each configuration, the journal that keeps it, and
//! files of recorded spaces.

mod event;
mod folder;
mod front;
mod journal;
mod kernel_tuner;
mod macros;
mod named;
mod outcome;
mod python_json;
mod recorded;
mod settings;
mod sizes;
mod study;
mod summary;
mod units;
mod view;

pub use event::{
    Entry, Event, Figure, KneeFinding, MetricFigure, Noise, Purpose, SizeClosed, SizeOpened,
    Started, TrialEvent,
};
pub use folder::{
    FolderError, JOURNAL_FILE, SAMPLES_FILE, STUDY_FILE, StudyFolder, slug, write_whole,
};
pub use front::{Front, FrontPoint};
pub use journal::{Journal, JournalError, Read, read_journal};
pub use kernel_tuner::{parse_kernel_tuner, read_kernel_tuner};
pub use macros::{are_formats, macro_text};
pub use named::Named;
pub use outcome::{Costs, Exit, Measurement, Outcome, Phase, Status, Summary, Trial};
pub use recorded::{RecordedError, RecordedSpace, RecordedTrial};
pub use settings::{
    BudgetSettings, CacheState, Goal, ObjectiveSettings, PenaltySettings, Sense, SizeSettings,
    StudySettings,
};
pub use sizes::{Counts, SizePoint};
pub use study::{
    BenchmarkRecord, DeviceRecord, Host, MetricRecord, STUDY_FORMAT, STUDY_VERSION, StudyRecord,
};
pub use view::{AcceptedKnee, Progress, StudyView, TrialRow};
