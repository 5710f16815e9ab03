//! Turns faults of studies into failures of a command, with an exit code and a hint.

use records::JOURNAL_FILE;
use study::{BegunStudy, PrepareFault, StudyFault};

use crate::terminal::Failure;

impl From<PrepareFault> for Failure {
    fn from(fault: PrepareFault) -> Self {
        use PrepareFault as Fault;
        let settings = Self::settings(&fault);
        match fault {
            Fault::LearnsFrom(fault) => fault.into(),
            Fault::Folder(fault) => Self::stored(fault),
            Fault::Journal(fault) => Self::stored(fault),
            Fault::NoWorker(_) | Fault::Records(_) | Fault::Bug(_) => Self::bug(fault),
            Fault::Benchmark { message, fault: None } => Self::plugin(message),
            Fault::Benchmark { message, fault: Some(fault) } => {
                Self::plugin(message).unless_machine(&fault)
            }
            Fault::Device(fault) => Self::device(&fault).unless_machine(&fault),
            Fault::NoDevices(why) => Self::device(why),
            Fault::NoSuchDevice(_) => {
                Self::device(fault).hint("`autobench devices` lists what there is")
            }
            Fault::NotControlled(_) => {
                Self::device(fault).hint("leave --control out to measure as it is")
            }
            Fault::NotRestored(_) => {
                Self::device(fault).hint("`autobench devices --restore` tries again")
            }
            Fault::NoBenchmark => settings.hint("`autobench list` shows what there is"),
            Fault::KneeOfRecorded => settings.hint("use `autobench tune --device replay:FILE`"),
            Fault::StageOfRecorded => settings.hint("leave --stage out"),
            Fault::ControlOfRecorded => settings.hint("leave --control out"),
            Fault::Control { .. } => {
                settings.hint("write `sm_clock=1200,1980` (MHz) or `power_limit=400,700` (W)")
            }
            Fault::NoBackend(_) => settings.hint("`replay:FILE` names a recorded space instead"),
            Fault::DifferentModels(_) => settings
                .hint("start a study for each model; a new study on several does so by itself"),
            Fault::Changed(_) => settings
                .hint("restore what changed, or mix the results knowingly with --accept-changes"),
            Fault::ControlIsParameter(_)
            | Fault::NotADevice(_)
            | Fault::GuestHasDevice(_)
            | Fault::SeveralDevices(_)
            | Fault::Plan(_)
            | Fault::NotFound(_)
            | Fault::Stage(_)
            | Fault::Space(_)
            | Fault::Recorded(_)
            | Fault::File(_) => settings,
        }
    }
}

/// The failure of a study that has no answer, with a hint on how to continue.
pub(super) fn failure(fault: StudyFault, begun: &BegunStudy) -> Failure {
    let path = begun.folder.path();
    let folder = path.display();
    let resume = format!("go on with `autobench resume {folder}`");
    match fault {
        StudyFault::Interrupted => Failure::interrupted(fault).hint(resume),
        // Nothing is left to go on with if somebody removed the journal.
        StudyFault::Records(_) if !path.join(JOURNAL_FILE).exists() => Failure::bug(fault),
        StudyFault::Records(_) => Failure::bug(fault).hint(resume),
        StudyFault::NoSize(_) => Failure::settings(fault),
        StudyFault::Benchmark(_) => Failure::plugin(fault).hint(resume),
        StudyFault::NothingValid(_) => Failure::nothing(fault)
            .hint(format!("`autobench show {folder} --journal` has every reason")),
    }
}
