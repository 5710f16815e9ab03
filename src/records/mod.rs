//! Plain data of results: what happened to each configuration, the journal that keeps it, and
//! files of recorded spaces.

mod content;
mod event;
mod file_fault;
mod folder;
mod front;
mod gain;
mod hours;
mod journal;
mod json_reader;
mod kernel_tuner;
mod kernel_tuner_halves;
mod kernel_tuner_rows;
mod macros;
mod merging;
mod named;
mod outcome;
mod overview;
mod own_words;
mod python_text;
mod recorded;
mod recorded_trial;
mod repeats;
mod rounds;
mod row_draft;
mod row_index;
mod sizes;
mod space_file;
mod stages;
mod steadiness;
mod studied;
mod study;
mod summary;
mod t1;
mod t4;
mod t4_results;
mod t4_tally;
mod t4_words;
mod tokens;
mod units;
mod view;
mod words;

pub use event::{
    Entry, Event, Figure, KneeFinding, Look, MetricFigure, Noise, Purpose, SizeClosed, SizeOpened,
    Started, TrialEvent,
};
pub use file_fault::FileFault;
pub use folder::{
    FolderError, JOURNAL_FILE, SAMPLES_FILE, STUDY_FILE, StudyFolder, slug, write_whole,
};
pub use front::{Front, FrontPoint};
pub use gain::Gain;
pub use hours::Hours;
pub use journal::{Journal, JournalError, Read, parse_journal, read_journal};
pub use kernel_tuner::{parse_kernel_tuner, parse_kernel_tuner_times};
pub use kernel_tuner_rows::failure_word;
pub use macros::{are_formats, macro_text};
pub use merging::{Conflict, MergeError, merge};
pub use named::Named;
pub use outcome::{Beside, Costs, Exit, Measurement, Outcome, Phase, Status, Summary, Trial};
pub use overview::Overview;
pub use own_words::{OWN_MEMBER, OwnHeader, OwnRow};
pub use python_text::python_text;
pub use recorded::{RecordedSpace, Rows, SpaceFormat};
pub use recorded_trial::RecordedTrial;
pub use repeats::{
    Agreement, BandPoint, KneeAgreement, MOST_REPEATS, REPEATS_FILE, REPEATS_FORMAT,
    REPEATS_VERSION, Repeat, RepeatState, RepeatWinner, RepeatsFolder, RepeatsLock, RepeatsRecord,
    RepeatsView, Spread, Wins, band, repeat_seed,
};
pub use rounds::{
    CacheProof, CachesRecord, DISTURBED, Round, RoundEntry, RoundSample, RoundsEvent, RoundsPurpose,
};
pub use sizes::{Counts, SizePoint};
pub use space_file::{RecordedError, read_space_at, read_space_file, read_space_times};
pub use stages::Stages;
pub use steadiness::{Sensed, Steadiness, SteadySample, SteadyWork};
pub use studied::StudiedError;
pub use study::{
    BenchmarkRecord, DeviceRecord, Host, MetricRecord, REPLAY, STUDY_FORMAT, STUDY_VERSION,
    StudyRecord,
};
pub use t1::{T1, T1Error, parse_t1, read_t1};
pub use t4::parse_t4;
pub use t4_words::{TIMES_PREFIX, invalidity};
pub use view::{AcceptedKnee, Progress, StudyView, TrialRow};
