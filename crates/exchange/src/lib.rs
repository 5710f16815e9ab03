//! Recorded spaces and the files that hold them: our own, Kernel Tuner's caches, T4 results and T1
//! inputs. Files of other programs are read leniently, with warnings; our writers are strict.
//!
//! This crate never knows about devices or strategies. Begin with `spaces/mod.rs`.

mod kernel_tuner;
mod spaces;
mod t1;
mod t4;

pub use kernel_tuner::rows::failure_word;
pub use kernel_tuner::{parse_kernel_tuner, parse_kernel_tuner_times};
pub use spaces::file::{RecordedError, read_space_at, read_space_file, read_space_times};
pub use spaces::merging::{Conflict, MergeError, merge};
pub use spaces::named::{Make, NamedSpacesError, Reading, Spaces, Studies, recorded_in};
pub use spaces::of_study::StudiedError;
pub use spaces::overview::Overview;
pub use spaces::own_words::{OWN_MEMBER, OwnHeader, OwnRow};
pub use spaces::processor::names_processor;
pub use spaces::value_text::python_text;
pub use spaces::{RecordedRows, RecordedSpace, SpaceFormat};
pub use t1::{T1, T1Error, parse_t1, read_t1};
pub use t4::parse_t4;
pub use t4::vocabulary::{TIMES_PREFIX, invalidity};
