//! Adds the ceilings of the device to the journal of a finished study.

use std::collections::BTreeSet;

use plugins::Benchmark;
use records::{CeilingKind, CeilingsUsed, Event, Named, SizeWork, StudyView};
use space::accuracy::Element;

use super::kept;
use crate::{
    StudyFault, StudyJournal,
    prepare::{Study, StudySource},
};

impl Study {
    /// Copies the known ceilings of the device into the journal, once. The folder can then be read
    /// on any machine.
    pub(super) fn note_ceilings(
        &self,
        journal: &mut StudyJournal,
        note: impl FnMut(&str),
    ) -> Result<(), StudyFault> {
        let StudySource::Live { benchmark, .. } = &self.source else { return Ok(()) };
        let view = journal.view();
        if view.ceilings.is_some() {
            return Ok(());
        }
        let work = work(benchmark, &view);
        if work.is_empty() {
            return Ok(());
        }
        let Some(known) = kept::ceilings(&self.record.host, &self.record.device, note) else {
            return Ok(());
        };
        let differs = known.differences(&self.record);
        let bounds = |kind| matches!(kind, CeilingKind::Bandwidth | CeilingKind::Arithmetic);
        let ceilings = known.ceilings.into_iter().filter(|c| bounds(c.kind)).collect();
        let (measured, profile) = (known.measured, known.profile);
        let used = CeilingsUsed { measured, profile, differs, ceilings, work };
        journal.write(Event::Ceilings(used))
    }
}

/// Returns the work of the winner of every size, for sizes whose work the benchmark declares.
fn work(benchmark: &Benchmark, view: &StudyView) -> Vec<SizeWork> {
    let mut all = Vec::new();
    for (point, figure) in view.measured() {
        let configuration = &figure.configuration;
        let amount = |found: Result<Option<f64>, _>| found.ok().flatten();
        let work = SizeWork {
            size: point.size,
            flops: amount(benchmark.flops(point.size, configuration).map_err(drop)),
            bytes: amount(benchmark.bytes(point.size, configuration).map_err(drop)),
            formats: formats(benchmark, configuration),
        };
        if work.flops.is_some() || work.bytes.is_some() {
            all.push(work);
        }
    }
    all
}

/// Returns the number formats of the arguments, and those that values of parameters name.
fn formats(benchmark: &Benchmark, configuration: &Named) -> Vec<String> {
    let arguments = benchmark.document().arguments.iter().map(|argument| argument.format.clone());
    let values = configuration.0.iter().map(|(_, value)| value.to_string());
    let named = arguments.chain(values).filter(|text| text.parse::<Element>().is_ok());
    named.collect::<BTreeSet<String>>().into_iter().collect()
}
