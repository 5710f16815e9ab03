//! The configurations by which two sides are compared.
//!
//! Two searches of one kernel may end with different winners by luck alone. So on one device a size
//! is judged by a configuration that all studies of both sides measured in rounds: the fastest one.
//! What the winners differ by is a finding of its own. Devices are compared by their own winners:
//! there the best on each is the question.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

use records::{Figure, Named, Summary};

use super::{
    rounds::{ENOUGH, in_rounds, rounds},
    side::Studied,
};

/// The configuration that is judged, by size. At other sizes every study has its own winner.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Judged(BTreeMap<u64, Named>);

impl Judged {
    /// Every study's own winners.
    #[must_use]
    pub fn winners() -> Self {
        Self::default()
    }

    /// The fastest configuration at each size that all these studies measured in rounds. Of
    /// several devices, every study's own winners.
    pub(super) fn common(studies: &[&Studied], sizes: &[u64]) -> Self {
        let devices: BTreeSet<&str> =
            studies.iter().map(|study| study.record.device.name.as_str()).collect();
        if devices.len() > 1 {
            return Self::winners();
        }
        let fastest = |size: &u64| Some((*size, fastest_of_all(studies, *size)?));
        Self(sizes.iter().filter_map(fastest).collect())
    }

    /// The configuration that is judged at a size, unless it is every study's own winner.
    pub(super) fn at(&self, size: u64) -> Option<&Named> {
        self.0.get(&size)
    }

    /// Returns what a study measured of the configuration that is judged at a size.
    pub(super) fn figure<'a>(&self, study: &'a Studied, size: u64) -> Option<Cow<'a, Figure>> {
        match self.at(size) {
            None => study.figure(size).map(Cow::Borrowed),
            Some(configuration) => figure_of(study, size, configuration),
        }
    }
}

/// Returns the configuration with the least mean logarithm of its run time, of those that all
/// studies measured: of those with enough samples in rounds, if there are any.
fn fastest_of_all(studies: &[&Studied], size: u64) -> Option<Named> {
    let (first, others) = studies.split_first()?;
    let of = |configuration: &&Named| {
        let mut all = 0.0;
        let mut enough = true;
        for study in std::iter::once(first).chain(others) {
            all += figure_of(study, size, configuration)?.seconds.median.ln();
            enough &= in_rounds(study, size, configuration).len() >= ENOUGH;
        }
        Some((!enough, all))
    };
    let known = measured(first, size).into_iter().filter_map(|named| Some((of(&named)?, named)));
    let fastest = known.min_by(|((a, x), _), ((b, y), _)| a.cmp(b).then(x.total_cmp(y)));
    fastest.map(|(_, configuration)| configuration.clone())
}

/// Returns the configurations that a study measured at a size, beyond its search.
fn measured(study: &Studied, size: u64) -> Vec<&Named> {
    let figures = figures(study, size).into_iter().flatten().map(|figure| &figure.configuration);
    let entries = rounds(study).flat_map(|event| &event.entries);
    let entries = entries.filter(|entry| entry.size == size).map(|entry| &entry.configuration);
    let mut all: Vec<&Named> = Vec::new();
    for configuration in figures.chain(entries) {
        if !all.contains(&configuration) {
            all.push(configuration);
        }
    }
    all
}

/// The best and the default of a size.
fn figures(study: &Studied, size: u64) -> [Option<&Figure>; 2] {
    let point = study.view.sizes.iter().find(|point| point.size == size);
    let default = point.and_then(|point| point.closed.as_ref()?.default.as_ref());
    [study.figure(size), default]
}

fn figure_of<'a>(study: &'a Studied, size: u64, configuration: &Named) -> Option<Cow<'a, Figure>> {
    let known = figures(study, size).into_iter().flatten();
    if let Some(figure) = known.into_iter().find(|figure| figure.configuration == *configuration) {
        return Some(Cow::Borrowed(figure)).filter(|figure| figure.seconds.median > 0.0);
    }
    let samples = in_rounds(study, size, configuration);
    if samples.len() < ENOUGH {
        return None;
    }
    let (configuration, seconds) = (configuration.clone(), Summary::of(&samples)?);
    let (metric, error, metrics) = (None, None, BTreeMap::default());
    Some(Cow::Owned(Figure { configuration, seconds, metric, error, unsettled: false, metrics }))
}
