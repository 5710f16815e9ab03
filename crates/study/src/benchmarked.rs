//! The subject of a live study: a benchmark on a device behind a worker.

use std::{cell::RefCell, collections::BTreeMap, rc::Rc, time::Duration};

use plugins::Benchmark;
use records::{
    CachesRecord, Named, Noise, Started,
    settings::{Goal, Sense},
};
use space::{Parameter, Space, Value, keep_values};
use worker::{Client, observers::is_of_samples};

use super::{Subject, SubjectFacts};
use crate::scaling::Rounding;

/// A benchmark as the subject of a study.
pub struct Benchmarked {
    benchmark: Benchmark,
    client: Rc<RefCell<Client>>,
    /// Workers whose devices share the work.
    others: Vec<Rc<RefCell<Client>>>,
    controls: Vec<Parameter>,
    noise_within: Duration,
    narrowed: Vec<String>,
    restrictions: Vec<String>,
    own_footprint: OwnFootprint,
    /// Whether to ask the plugin for metrics; false after it returned none.
    own_metrics: bool,
}

/// The configuration with the plugin's largest footprint. After one search for it, each size costs
/// one call.
#[derive(Debug, Clone, PartialEq)]
enum OwnFootprint {
    Unasked,
    /// The plugin states no footprint; the shapes of the arguments give it.
    Missing,
    /// The configuration with the largest footprint.
    Of(Named),
}

/// Time limit of a request for facts.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(60);
/// Seconds that two series may take beyond the time limit of a trial.
const TWO_SERIES: Duration = Duration::from_secs(10);
/// The check for cold samples reads a buffer of this share of the last-level cache.
const PROVEN: f64 = 0.5;
/// At most this many parameter values are tried to find the plugin's largest footprint.
const VALUES_TRIED: usize = 256;
/// A warning is given if two series of one configuration differ by more than this share.
const NOISY: f64 = 0.03;

impl Benchmarked {
    /// Returns a subject whose space is narrowed by the user's values and restrictions.
    #[must_use]
    pub fn new(
        benchmark: Benchmark,
        client: Rc<RefCell<Client>>,
        narrowed: &[String],
        restrictions: &[String],
    ) -> Self {
        Self {
            benchmark,
            client,
            others: Vec::new(),
            controls: Vec::new(),
            noise_within: REQUEST_TIMEOUT,
            narrowed: narrowed.to_vec(),
            restrictions: restrictions.to_vec(),
            own_footprint: OwnFootprint::Unasked,
            own_metrics: true,
        }
    }

    /// Adds workers whose devices share the work; their free memory limits sizes as well.
    #[must_use]
    pub fn shared_with(self, others: Vec<Rc<RefCell<Client>>>) -> Self {
        Self { others, ..self }
    }

    /// Adds parameters that change settings of the device.
    #[must_use]
    pub fn controlled_by(self, controls: Vec<Parameter>) -> Self {
        Self { controls, ..self }
    }

    /// Limits the time of the two series of the default configuration, which take some seconds more
    /// than a trial.
    #[must_use]
    pub fn trials_within(self, trial_timeout: Duration) -> Self {
        Self { noise_within: REQUEST_TIMEOUT.min(trial_timeout + TWO_SERIES), ..self }
    }

    /// Returns the facts of a benchmark that a plan needs.
    #[must_use]
    pub fn facts(benchmark: &Benchmark) -> SubjectFacts {
        let document = benchmark.document();
        let observed = |(name, _): (String, _)| {
            let sources = benchmark.sources(&name).into_iter().map(str::to_owned);
            let sources: Vec<String> = sources.filter(|source| is_of_samples(source)).collect();
            (!sources.is_empty()).then_some((name, sources))
        };
        SubjectFacts {
            primary: document.primary.clone(),
            secondary: document.secondary.clone(),
            metrics: benchmark
                .directions()
                .into_iter()
                .map(|(name, better)| (name, Sense::from(better)))
                .collect(),
            undirected: Vec::new(),
            errors: benchmark.error_names(),
            outputs: benchmark.outputs().map(str::to_owned).collect(),
            observed: benchmark.directions().into_iter().filter_map(observed).collect(),
            bound: Some(document.error.bound),
            levels: document.error.levels.clone(),
            wrong_line: Some(document.error.wrong_line()),
            rounding: Rounding::of(&document.size),
        }
    }

    fn own(&self, size: u64, configuration: &Named) -> Result<Option<u64>, String> {
        let bytes = self.client.borrow_mut().footprint(size, configuration, REQUEST_TIMEOUT);
        bytes.map_err(|fault| fault.to_string())
    }

    /// Finds the configuration for which the plugin states the most memory. Every parameter takes
    /// its worst value, one parameter after the other: a plugin may count memory that no shape
    /// names.
    fn heaviest(&self, size: u64, from: Named) -> Result<OwnFootprint, String> {
        let Some(mut most) = self.own(size, &from)? else { return Ok(OwnFootprint::Missing) };
        let mut heaviest = from;
        let parameters = self.benchmark.parameters();
        let values = parameters
            .iter()
            .enumerate()
            .flat_map(|(at, parameter)| parameter.values.iter().map(move |value| (at, value)));
        for (at, value) in values.take(VALUES_TRIED) {
            let mut next = heaviest.clone();
            next.0[at].1 = value.clone();
            // A combination that the plugin refuses cannot run.
            if let Ok(Some(bytes)) = self.own(size, &next)
                && bytes > most
            {
                (most, heaviest) = (bytes, next);
            }
        }
        Ok(OwnFootprint::Of(heaviest))
    }

    /// Returns the largest doubling of `first` that needs at most `TIMES` times its memory and
    /// work.
    fn of_some_length(&self, first: u64) -> Option<u64> {
        const TIMES: f64 = 64.0;
        let of = |size: u64| {
            let (bytes, worst) = self.benchmark.largest_footprint(size).ok()?;
            let flops = self.benchmark.flops(size, &worst).ok()?.unwrap_or(bytes as f64);
            Some((bytes as f64, flops))
        };
        let (bytes, flops) = of(first)?;
        let is_short =
            |size: &u64| of(*size).is_some_and(|(b, f)| b <= TIMES * bytes && f <= TIMES * flops);
        let doubles = (0..=6).map_while(|power| first.checked_mul(1 << power));
        Some(self.rounding().nearest(doubles.take_while(is_short).last()?))
    }

    fn caches(&mut self) -> Option<CachesRecord> {
        self.client.borrow_mut().prove_cold(&[PROVEN], REQUEST_TIMEOUT).ok()
    }

    /// Runs the default configuration in two series (A/A run). A saturation study does this at a
    /// larger size, whose runs take long enough.
    fn noise(&mut self, first: u64, goal: Goal) -> Option<Noise> {
        let size = match goal {
            Goal::Tune => first,
            Goal::Saturate => self.of_some_length(first)?,
        };
        let space = self.space(size).ok()?;
        let id = space.default_id()?;
        self.client.borrow_mut().noise(size, &Named::of(&space, id), self.noise_within).ok()
    }
}

fn conditions_of(client: &RefCell<Client>) -> Result<(u64, Vec<String>), String> {
    let info =
        client.borrow_mut().device_info(REQUEST_TIMEOUT).map_err(|fault| fault.to_string())?;
    Ok((info.memory.1, info.warnings))
}

impl Subject for Benchmarked {
    fn narrowed(&mut self, size: u64, kept: &[String]) -> Result<Space, String> {
        let mut parameters = self.benchmark.parameters();
        parameters.extend(self.controls.iter().cloned());
        for text in self.narrowed.iter().chain(kept) {
            keep_values(&mut parameters, text).map_err(|e| e.to_string())?;
        }
        let mut restrictions = self.benchmark.restrictions().to_vec();
        restrictions.extend(self.restrictions.iter().cloned());
        let size = i64::try_from(size).map_err(|_| format!("size {size} is too large"))?;
        let constants = [("size".to_owned(), Value::Int(size))];
        Space::build(parameters, &restrictions, &constants).map_err(|e| e.to_string())
    }

    fn footprint(&mut self, size: u64) -> Result<u64, String> {
        let (shapes, worst) = self.benchmark.largest_footprint(size).map_err(|e| e.to_string())?;
        if self.own_footprint == OwnFootprint::Unasked {
            self.own_footprint = self.heaviest(size, worst)?;
        }
        let OwnFootprint::Of(heaviest) = &self.own_footprint else { return Ok(shapes) };
        let own = self.own(size, heaviest)?.unwrap_or(0);
        Ok(own.max(shapes))
    }

    fn conditions(&mut self, first: u64, goal: Goal) -> Result<Started, String> {
        let (mut free, of_device) = conditions_of(&self.client)?;
        let mut warnings = self.benchmark.warnings();
        warnings.extend(of_device);
        for other in &self.others {
            free = free.min(conditions_of(other)?.0);
        }
        let caches = self.caches();
        warnings.extend(caches.as_ref().and_then(CachesRecord::warning));
        let noise = self.noise(first, goal);
        if let Some(noise) = noise.filter(|n| n.difference > NOISY) {
            warnings.push(format!(
                "two series of the same kernel differ by {:.1} %: the machine is noisy",
                noise.difference * 100.0
            ));
        }
        Ok(Started { free_bytes: Some(free), caches, noise, warnings, ..Started::default() })
    }

    fn only_size(&self) -> Option<u64> {
        None
    }

    fn first_size(&self) -> u64 {
        self.benchmark.document().size.start
    }

    fn size_limit(&self) -> Option<u64> {
        self.benchmark.document().size.largest
    }

    fn rounding(&self) -> Rounding {
        Rounding::of(&self.benchmark.document().size)
    }

    fn metrics(&mut self, size: u64, configuration: &Named, seconds: f64) -> BTreeMap<String, f64> {
        if self.own_metrics {
            let derived =
                self.client.borrow_mut().derive(size, configuration, seconds, REQUEST_TIMEOUT);
            match derived {
                Ok(Some(metrics)) => return metrics,
                Ok(None) => self.own_metrics = false,
                // The document's formulas do not replace metrics that the plugin failed to derive.
                Err(_) => return BTreeMap::new(),
            }
        }
        self.benchmark.metrics(seconds, size, configuration, &BTreeMap::new())
    }
}
