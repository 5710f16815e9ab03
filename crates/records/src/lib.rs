//! Everything that is written down: settings, studies and their journals, as plain data. Nothing
//! here measures, searches or draws.
//!
//! It never knows how values arise. Begin with `journal/event.rs`.

mod ceilings;
mod command;
mod derived;
mod family;
mod file_fault;
mod journal;
mod metric;
mod named;
mod outcome;
mod recorded_trial;
mod repeats;
mod score;
pub mod settings;
pub mod sinks;
mod study;
mod writer_lock;

pub use ceilings::used::{CeilingsUsed, SizeWork};
pub use ceilings::{
    CEILINGS_FILE, CEILINGS_FORMAT, CEILINGS_VERSION, Ceiling, CeilingKind, CeilingsRecord,
};
pub use command::{command_line, shell_word};
pub use derived::{LOGARITHM, uncertainty};
pub use family::candidate::{CandidateRecord, FamilyView};
pub use family::event::{AnswerEvent, FamilyEvent, FinalRow, FinalsEvent, ScoreEvent, TokenCounts};
pub use family::test_table::{Difference, TestRow, TestTable};
pub use family::{
    FAMILY_FILE, FAMILY_FORMAT, FAMILY_VERSION, FamilyRecord, FamilyRules, FamilySpace,
    GeneratorRecord, TestPlan,
};
pub use file_fault::FileFault;
pub use journal::event::{
    Event, Figure, GrowthEnd, JournalEntry, KneeFinding, MetricFigure, Noise, PreciseBest, Purpose,
    SizeClosed, SizeOpened, Started, ThresholdBest, ThresholdBests, TrialEvent,
};
pub use journal::hours::Hours;
pub use journal::lines::{Entry, EventLog, JournalError, Read, parse_events};
pub use journal::{Journal, parse_journal, read_journal};
pub use metric::{METRICS, Metric, ObjectiveOn, ReadTrial};
pub use named::Named;
pub use outcome::{Beside, Costs, Exit, Measurement, Outcome, Phase, Status, Summary, Trial};
pub use recorded_trial::RecordedTrial;
pub use repeats::{
    Agreement, BandPoint, KneeAgreement, MOST_REPEATS, REPEATS_FORMAT, REPEATS_VERSION, Repeat,
    RepeatWinner, RepeatsFolder, RepeatsLock, RepeatsRecord, RepeatsView, Spread, Wins, band,
    repeat_seed,
};
pub use score::{
    EVERY_STRATEGY, Headline, SCORE_FIGURES, SCORE_FILE, SCORE_FORMAT, SCORE_VERSION, ScoreRecord,
    ScoreRow, ScoredSpace,
};
pub use study::folder::{
    FolderError, JOURNAL_FILE, REPEATS_FILE, SAMPLES_FILE, STUDY_FILE, SUITE_FILE, StudyFolder,
    create_named, output_file, read_record, slug, write_record, write_whole,
};
pub use study::front::{Front, FrontPoint};
pub use study::gain::Gain;
pub use study::macros::{are_formats, macro_text};
pub use study::precision::most_precise;
pub use study::precision_gains::{LevelBest, PrecisionGains, PrecisionPoint};
pub use study::round_records::{
    CacheProof, CachesRecord, DISTURBED, Round, RoundEntry, RoundSample, RoundsEvent, RoundsPurpose,
};
pub use study::size_points::{SizePoint, TrialCounts};
pub use study::stages::Stages;
pub use study::state::StudyState;
pub use study::steadiness::{Sensed, Steadiness, SteadySample, SteadyWork};
pub use study::view::{AcceptedKnee, Progress, StudyView, TrialRow};
pub use study::{
    BenchmarkRecord, DeviceRecord, Host, LearntFrom, MEMORY_HASH, MetricRecord, PLUGIN_HASH,
    REPLAY, STUDY_FORMAT, STUDY_VERSION, StudyRecord,
};
pub use writer_lock::WriterLock;
