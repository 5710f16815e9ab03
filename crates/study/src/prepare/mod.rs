//! From settings to a study that can begin: finds and describes the benchmark, sets up its workers,
//! and checks every setting before anything is written.

mod benchmarks;
pub mod controls;
mod devices;
mod fault;
mod live;
mod observing;
mod provenance;
mod recorded;
mod study;

use std::path::Path;

use records::settings::{Goal, StudySettings};
use space::Parameter;

pub use benchmarks::{SETUP_TIMEOUT, describe, probe, staged, start, unusable};
pub use devices::{device_choice, device_choices, models};
pub use fault::PrepareFault;
pub use provenance::{argv, hash};
pub(crate) use study::StudySource;
pub use study::{Preparing, Study};

use crate::prior::{Learner, ScoredSpace};

impl Study {
    /// Prepares a study of the benchmark or the recorded space that its settings name.
    pub fn prepare(settings: StudySettings) -> Result<Self, PrepareFault> {
        Self::prepare_with(settings, Preparing::default())
    }

    /// Like [`Study::prepare`], with folders of benchmarks, or a listener for notes.
    pub fn prepare_with(
        settings: StudySettings,
        with: Preparing<'_>,
    ) -> Result<Self, PrepareFault> {
        let study = match settings.device.recorded().map(Path::to_owned) {
            Some(_) if settings.goal == Goal::Saturate => return Err(PrepareFault::KneeOfRecorded),
            Some(file) => recorded::prepare(&file, settings)?,
            None => live::prepare(settings, with)?,
        };
        study.learnt(with.note)
    }

    /// Adds the prior that the settings name.
    fn learnt(mut self, note: &dyn Fn(&str)) -> Result<Self, PrepareFault> {
        if self.plan.settings.learn_from.is_empty() {
            return Ok(self);
        }
        let kernel = self.record.benchmark.name.clone();
        let (parameters, replayed) = match &self.source {
            StudySource::Live { benchmark, .. } => (benchmark.parameters().to_vec(), None),
            StudySource::Recorded(space) => {
                let listed = space.parameters.iter();
                let parameters = listed.map(|(name, values)| Parameter::new(name, values.clone()));
                (parameters.collect(), ScoredSpace::under("", space, &self.plan.ranking).ok())
            }
        };
        let learner =
            Learner { kernel: &kernel, parameters: &parameters, replayed: replayed.as_ref() };
        let space = self.first_space()?;
        learner.learn(&mut self.plan, &mut self.record, &space, note)?;
        Ok(self)
    }
}
