//! A device whose run times are a formula, and studies of it.

#![allow(dead_code, reason = "every test uses its own part")]

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::atomic::AtomicBool,
};

use chrono::Utc;
use math::{normal, seeded};
use rand::RngExt as _;
use records::{
    Costs, Event, Exit, Journal, JournalEntry, Measurement, Named, Outcome, Phase, Round,
    RoundSample, Started, Status, StudyFolder, Summary, Trial,
    settings::{BudgetSettings, Goal, Sense, StudySettings},
};
use search_api::Spent;
use space::{Parameter, Space, Value};
use study::{
    self, Conclusion, Plan, StudyFault, StudyJournal, StudyListener, Subject, SubjectFacts,
    scaling::Rounding,
    tuning::{Evaluator, Hints, TrialListener},
};
use worker::{Participant, RoundsTaken};

/// Size at which half of the device's best throughput is reached.
pub(crate) const HALF: f64 = 3e4;
/// Best throughput, in elements per second.
const BEST: f64 = 1e9;

/// With [`Work::Blocks`], smaller sizes only allow blocks up to [`SMALL_BLOCK`].
pub(crate) const SMALL: u64 = 4000;
pub(crate) const SMALL_BLOCK: i64 = 16;

/// How run time depends on the size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Work {
    /// A vector: the work is the size, and half of the throughput is reached at [`HALF`].
    #[default]
    Vector,
    /// A vector whose small sizes only allow small blocks.
    Blocks,
    /// A vector with launches that take far longer than the work of the first sizes.
    Launches,
    /// A vector on a device with short launches and a sharp bend, like a roofline.
    Roof,
    /// A matrix product: the work is the cube of the size.
    Matrices,
    /// A vector that no longer fits into a cache after the bend: the throughput falls to half.
    Hump,
    /// A vector in two formats. The device is faster in the short one until the two are compared.
    Formats,
}

impl Work {
    fn first(self) -> u64 {
        match self {
            Self::Vector | Self::Blocks | Self::Hump | Self::Formats => 1000,
            Self::Roof => 100,
            Self::Launches => 64,
            Self::Matrices => 16,
        }
    }

    fn of(self, size: u64) -> f64 {
        match self {
            Self::Matrices => (size as f64).powi(3),
            _ => size as f64,
        }
    }

    /// Returns the run time of the best configuration.
    fn seconds(self, size: u64) -> f64 {
        let work = self.of(size);
        match self {
            Self::Vector | Self::Blocks | Self::Formats => (work + HALF) / BEST,
            Self::Launches => (work + 100.0 * HALF) / BEST,
            Self::Roof => work.max(0.1 * HALF) / BEST,
            Self::Matrices => (work + 100_f64.powi(3)) / BEST,
            Self::Hump => {
                let left = ((work / (64.0 * HALF)).log2() / 2.0).clamp(0.0, 1.0);
                (work * (1.0 + left) + HALF) / BEST
            }
        }
    }
}

struct Formulated(Work);

impl Subject for Formulated {
    fn narrowed(&mut self, size: u64, kept: &[String]) -> Result<Space, String> {
        let largest = if self.0 == Work::Blocks && size < SMALL { SMALL_BLOCK } else { 128 };
        let blocks = [1, 2, 4, 8, 16, 32, 64, 128].into_iter().filter(|block| *block <= largest);
        let blocks = Parameter::new("block", blocks).with_default(8);
        let unroll = Parameter::new("unroll", [1, 2, 3, 4, 5, 6, 7, 8]);
        let mut all = vec![blocks, unroll];
        if self.0 == Work::Formats {
            all.push(Parameter::new("precision", ["f32", "f64"]));
        }
        for text in kept {
            space::keep_values(&mut all, text).map_err(|e| e.to_string())?;
        }
        Space::build(all, &[] as &[&str], &[]).map_err(|e| e.to_string())
    }

    fn footprint(&mut self, size: u64) -> Result<u64, String> {
        // Bytes of three vectors or three square matrices of `f32`.
        let elements = if self.0 == Work::Matrices { size * size } else { size };
        Ok(12 * elements)
    }

    fn conditions(&mut self, _first: u64, _goal: Goal) -> Result<Started, String> {
        Ok(Started { free_bytes: Some(1 << 33), ..Started::default() })
    }

    fn only_size(&self) -> Option<u64> {
        None
    }

    fn first_size(&self) -> u64 {
        self.0.first()
    }

    fn size_limit(&self) -> Option<u64> {
        None
    }

    fn rounding(&self) -> Rounding {
        Rounding::Multiple(1)
    }

    fn metrics(&mut self, size: u64, _: &Named, seconds: f64) -> BTreeMap<String, f64> {
        BTreeMap::from([("speed".to_owned(), self.0.of(size) / seconds)])
    }
}

/// Part of a study in which a configuration fails. The search measured it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    Final,
    Check,
    Rounds,
}

/// A set of configurations that fail after the search, each in one or several stages and with one
/// status.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Broken {
    pub(crate) seed: u64,
    /// How many of a hundred configurations fail.
    pub(crate) percent: u64,
}

impl Broken {
    fn failure(self, configuration: &Named, stage: Stage) -> Option<Outcome> {
        let key = configuration
            .key()
            .bytes()
            .fold(self.seed, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
        let rng = &mut seeded(key, 17);
        let breaks = rng.random_range(0..100) < self.percent;
        let stages: &[Stage] = [
            &[Stage::Final][..],
            &[Stage::Check],
            &[Stage::Rounds],
            &[Stage::Check, Stage::Rounds],
        ][rng.random_range(0..4)];
        let statuses = [Status::WrongResult, Status::TimedOut, Status::Crashed, Status::RunFailed];
        let status = statuses[rng.random_range(0..statuses.len())];
        let fails = breaks && stages.contains(&stage);
        fails.then(|| Outcome::failed(status, "c[0] is 7", Costs::default()))
    }
}

/// Run times by a formula. Noise of 1 % depends only on the size, the configuration and the phase.
#[derive(Default)]
pub(crate) struct Formula {
    /// How run time depends on the size.
    pub(crate) work: Work,
    /// A size, and the factor by which it is slower until rounds begin.
    pub(crate) slow: Option<(u64, f64)>,
    /// Whether the device has no rounds.
    pub(crate) no_rounds: bool,
    /// Slow-down of all but the default in rounds, and whether the first size's winner fails there.
    pub(crate) winners: Option<(f64, bool)>,
    /// A configuration, and the factor by which it is faster in rounds.
    pub(crate) swift: Option<(Named, f64)>,
    /// Waiting time of one participant in three in rounds, as a share of the run time.
    pub(crate) taken: f64,
    /// Seconds of rounds in which other programs slow the memory down by a factor of 1.5.
    pub(crate) shared: f64,
    /// Relative noise of samples in rounds, in addition to 1 %.
    pub(crate) noise: f64,
    /// By how much a piece of memory makes a size slower or faster in rounds, relatively.
    pub(crate) memory: f64,
    /// How often sizes have exchanged their memory.
    pub(crate) moves: u64,
    /// Configurations that fail after the search.
    pub(crate) broken: Broken,
    /// Seconds of rounds so far.
    pub(crate) in_rounds: f64,
    /// Measuring seconds of an evaluation per unit of size, in addition to 10 ms.
    pub(crate) charge: f64,
    /// Seconds of compiling a configuration, once for all sizes.
    pub(crate) compile: f64,
    pub(crate) compiled: HashSet<String>,
    pub(crate) asked: HashMap<(u64, &'static str, String), u64>,
}

impl Formula {
    pub(crate) fn seconds(&self, size: u64, configuration: &Named) -> f64 {
        let number = |name: &str| match configuration.get(name) {
            Some(Value::Int(value)) => *value as f64,
            other => panic!("{other:?}"),
        };
        let away =
            (number("block").log2() - 6.0).abs() / 7.0 + (number("unroll") - 5.0).abs() / 9.0;
        self.work.seconds(size) * (1.0 + 0.4 * away)
    }

    fn outcome(&mut self, size: u64, configuration: &Named, what: &'static str) -> Outcome {
        let asked = self.asked.entry((size, what, configuration.key())).or_default();
        *asked += 1;
        let slow = match self.slow {
            Some((at, factor)) if at == size => factor,
            _ => 1.0,
        };
        let key = configuration.key().bytes().fold(size, |h, b| h.wrapping_mul(31) + u64::from(b));
        let is_new = self.compiled.insert(configuration.key());
        // Finding a compiled configuration takes a moment too.
        let compile = if is_new { self.compile } else { self.compile.min(1e-5) };
        let rng = &mut seeded(key, what.len() as u64);
        let is_short = configuration.get("precision") == Some(&Value::from("f32"));
        let of_format = match (is_short, what) {
            (true, "again") => 1.03,
            (true, _) => 0.8,
            (false, _) => 1.0,
        };
        let mean = self.seconds(size, configuration) * slow * of_format;
        let samples: Vec<f64> = (0..20).map(|_| mean * (1.0 + 0.01 * normal(rng))).collect();
        Outcome {
            device: String::new(),
            status: Status::Measured,
            reason: String::new(),
            measurement: Some(Measurement {
                seconds: Summary::of(&samples).expect("samples"),
                samples: samples.iter().map(|s| *s as f32).collect(),
                exit: Exit::Precise,
                batch: 1,
                cold: Some(true),
                disturbed: Vec::new(),
                beside: None,
                flushed: false,
                error: Some(1e-9),
                metrics: BTreeMap::new(),
            }),
            costs: Costs { compile, measure: 0.01 + self.charge * size as f64, ..Costs::default() },
        }
    }
}

impl Evaluator for Formula {
    fn evaluate(&mut self, size: u64, configuration: &Named, _: &Hints) -> Outcome {
        self.outcome(size, configuration, "search")
    }

    fn prepare(&mut self, _: u64, _: &[Named]) -> f64 {
        0.0
    }

    fn measure_again(&mut self, size: u64, configurations: &[Named], _: &Hints) -> Vec<Outcome> {
        let before = self.asked.keys().any(|(at, what, _)| *at == size && *what == "final");
        let what = if before { "again" } else { "final" };
        let mut outcome = |c: &Named| {
            let broken = self.broken.failure(c, Stage::Final);
            broken.unwrap_or_else(|| self.outcome(size, c, what))
        };
        configurations.iter().map(&mut outcome).collect()
    }

    fn check_again(&mut self, size: u64, configuration: &Named) -> Outcome {
        let broken = self.broken.failure(configuration, Stage::Check);
        broken.unwrap_or_else(|| self.outcome(size, configuration, "check"))
    }

    /// The machine speed changes in every round. Noise depends only on the order of the round.
    fn rounds(
        &mut self,
        participants: &[Participant],
        orders: &[Vec<usize>],
        (_, moved): (f64, bool),
    ) -> Option<RoundsTaken> {
        if self.no_rounds {
            return None;
        }
        const SECONDS: f64 = 0.02;
        let (began, shared) = (self.in_rounds, self.shared);
        self.in_rounds += SECONDS * orders.len() as f64;
        self.moves += u64::from(moved);
        let default = default();
        let (slower, fails) = self.winners.unwrap_or((1.0, false));
        let is_default = |participant: &Participant| participant.configuration == default;
        let failure = |participant: &Participant| {
            let first = participant.size == self.work.first() && !is_default(participant);
            let why = || Outcome::failed(Status::WrongResult, "c[0] is 7", Costs::default());
            let broken = self.broken.failure(&participant.configuration, Stage::Rounds);
            broken.or_else(|| (fails && first).then(why))
        };
        let round = |(at, order): (usize, &Vec<usize>)| {
            let is_shared = began + SECONDS * (at as f64) < shared;
            let key = order.iter().fold(7, |h: u64, at| h.wrapping_mul(31) + *at as u64);
            let rng = &mut seeded(key, 0);
            let pace = 1.0 + 0.2 * normal(rng).abs();
            let sample = |at: &usize| {
                let Participant { size, configuration, .. } = &participants[*at];
                let noise = ((0.01 + self.noise) * normal(rng)).exp();
                let slower = if is_default(&participants[*at]) { 1.0 } else { slower };
                let swift = self.swift.as_ref().filter(|(name, _)| name == configuration);
                let slower = slower / swift.map_or(1.0, |(_, times)| *times);
                let place = normal(&mut seeded(size.wrapping_mul(1000) + self.moves, 3));
                let slower = slower * (self.memory * place).exp();
                // Large sizes depend on the memory.
                let needs = (*size as f64 / HALF).min(1.0);
                let slower = if is_shared { slower * (1.0 + 0.5 * needs) } else { slower };
                let is_short = configuration.get("precision") == Some(&Value::from("f32"));
                let slower = if is_short { 0.8 * slower } else { slower };
                let seconds = self.seconds(*size, configuration) * slower * pace * noise;
                // One participant in three waits for a core.
                let waits = if (*at as u64).wrapping_add(key).is_multiple_of(3) {
                    self.taken * seconds
                } else {
                    0.0
                };
                RoundSample(*at, seconds + waits, waits)
            };
            let taking_part = order.iter().filter(|at| failure(&participants[**at]).is_none());
            let samples = taking_part.map(sample).collect();
            Round { samples, ..Round::default() }
        };
        Some(RoundsTaken {
            batches: vec![1; participants.len()],
            moved,
            rounds: orders.iter().enumerate().map(round).collect(),
            dropped: (0..participants.len())
                .filter_map(|at| Some((at, failure(&participants[at])?)))
                .collect(),
            costs: Costs {
                measure: SECONDS * orders.len() as f64,
                fill: if moved { SECONDS } else { 0.0 },
                ..Costs::default()
            },
            spoilt: None,
        })
    }
}

pub(crate) fn default() -> Named {
    Named(vec![("block".into(), Value::Int(8)), ("unroll".into(), Value::Int(1))])
}

struct Nobody;

impl TrialListener for Nobody {
    fn begins(&mut self, _: u64, _: &Named, _: &Spent) {}
    fn ended(&mut self, _: &Trial) {}
}

impl StudyListener for Nobody {
    fn sizes(&mut self, _: &[u64], _: f64) {}
    fn finals(&mut self, _: u64, _: f64) {}
}

/// Whether tests try every case, as `scripts/nightly` does, instead of a fixed sample.
pub(crate) fn exhaustive() -> bool {
    std::env::var_os("AUTOBENCH_EXHAUSTIVE").is_some()
}

pub(crate) fn plan(evaluations: u64, seconds: f64) -> Plan {
    plan_with(evaluations, seconds, |_| ())
}

pub(crate) fn plan_with(
    evaluations: u64,
    seconds: f64,
    change: impl FnOnce(&mut StudySettings),
) -> Plan {
    let mut settings = StudySettings {
        goal: Goal::Saturate,
        detectors: vec!["kneedle".to_owned()],
        strategy: "local-search".to_owned(),
        budget: BudgetSettings { evaluations: Some(evaluations), seconds: Some(seconds) },
        ..StudySettings::default()
    };
    change(&mut settings);
    let facts = SubjectFacts {
        primary: "seconds".to_owned(),
        secondary: "speed".to_owned(),
        metrics: vec![
            ("speed".to_owned(), Sense::Maximise),
            ("seconds".to_owned(), Sense::Minimise),
            ("error".to_owned(), Sense::Minimise),
        ],
        undirected: Vec::new(),
        errors: Vec::new(),
        outputs: Vec::new(),
        observed: BTreeMap::new(),
        bound: Some(1e-6),
        levels: BTreeMap::new(),
        wrong_line: None,
        rounding: Rounding::Multiple(1),
    };
    Plan::resolve(settings, &facts).expect("a plan")
}

/// Runs a study in its own folder, resumed from these journal entries.
pub(crate) fn study(
    plan: &Plan,
    device: &mut Formula,
    from: &[JournalEntry],
) -> (Conclusion, Vec<JournalEntry>) {
    let (conclusion, entries) = concluded(plan, device, from);
    (conclusion.expect("runs"), entries)
}

/// The same, for a study that may fail.
pub(crate) fn concluded(
    plan: &Plan,
    device: &mut Formula,
    from: &[JournalEntry],
) -> (Result<Conclusion, StudyFault>, Vec<JournalEntry>) {
    let out = tempfile::tempdir().expect("a folder");
    let folder = StudyFolder::create(out.path(), Utc::now(), "a", "b", "c").expect("a folder");
    let mut journal = Journal::create(&folder).expect("a journal");
    for entry in from {
        match entry.event.clone() {
            Event::Trial(t) => drop(journal.append_trials([t.trial]).expect("written")),
            other => drop(journal.append(other).expect("written")),
        }
    }
    let mut journal = StudyJournal::new(journal, from.to_vec());
    let never = AtomicBool::new(false);
    let subject = &mut Formulated(device.work);
    let conclusion = study::run(plan, subject, device, &mut journal, &mut Nobody, &never);
    drop(journal);
    let (_, entries) = Journal::resume(&folder).expect("read again");
    (conclusion, entries)
}

/// Returns the configurations that a size's search measured and that failed in no trial there.
pub(crate) fn sound(entries: &[JournalEntry], size: u64) -> Vec<&Named> {
    let trials = || {
        entries.iter().filter_map(move |entry| match &entry.event {
            Event::Trial(event) if event.trial.size == size => Some(&event.trial),
            _ => None,
        })
    };
    let failed = |name: &Named| {
        trials().any(|trial| trial.configuration == *name && trial.outcome.measurement.is_none())
    };
    let searched = trials().filter(|trial| trial.phase == Phase::Search);
    searched.map(|trial| &trial.configuration).filter(|name| !failed(name)).collect()
}
