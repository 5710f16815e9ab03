//! A study that has ended is held against the ceilings of its device.

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
    /// Copies what is known of the device into the journal, once, so that every reader of the folder
    /// knows it, on whatever machine.
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

/// What the winner of every size does; nothing where the document does not say.
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

/// Formats of the arguments and of the parameters that name one.
fn formats(benchmark: &Benchmark, configuration: &Named) -> Vec<String> {
    let arguments = benchmark.document().arguments.iter().map(|argument| argument.format.clone());
    let values = configuration.0.iter().map(|(_, value)| value.to_string());
    let named = arguments.chain(values).filter(|text| text.parse::<Element>().is_ok());
    named.collect::<BTreeSet<String>>().into_iter().collect()
}
