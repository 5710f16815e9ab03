//! Whole studies of a device that is a formula: the knee, second looks, budgets, and studies that
//! were cut short and go on.

use std::{
    collections::{BTreeMap, HashMap},
    sync::atomic::AtomicBool,
};

use autobench::{
    numeric::{normal, seeded},
    records::{
        BudgetSettings, Costs, Entry, Event, Exit, Goal, Journal, Measurement, Named, Outcome,
        Phase, Round, RoundSample, RoundsPurpose, Started, Status, StudyFolder, StudySettings,
        Summary, Trial, TrialEvent,
    },
    scaling::Rounding,
    space::{Parameter, Space, Value},
    strategies::Spent,
    study::{self, Audience, Chronicle, Conclusion, Facts, Plan, Subject},
    tuning::{Evaluator, Hints, Watcher},
    worker::{Entrant, RoundsTaken},
};
use autobench_sdk::document::Better;
use chrono::Utc;

/// Half of the device's best throughput is reached at this size.
const HALF: f64 = 3e4;
/// Best throughput, in elements per second.
const BEST: f64 = 1e9;

struct Vector;

impl Subject for Vector {
    fn space(&mut self, _size: u64) -> Result<Space, String> {
        let blocks = Parameter::new("block", [1, 2, 4, 8, 16, 32, 64, 128]).with_default(8);
        let unroll = Parameter::new("unroll", [1, 2, 3, 4, 5, 6, 7, 8]);
        Space::build(vec![blocks, unroll], &[] as &[&str], &[]).map_err(|e| e.to_string())
    }

    fn footprint(&mut self, size: u64) -> Result<u64, String> {
        Ok(12 * size)
    }

    fn conditions(&mut self) -> Result<Started, String> {
        Ok(Started { free_bytes: Some(1 << 33), ..Started::default() })
    }

    fn only_size(&self) -> Option<u64> {
        None
    }

    fn first_size(&self) -> u64 {
        1000
    }

    fn size_limit(&self) -> Option<u64> {
        None
    }

    fn rounding(&self) -> Rounding {
        Rounding::Multiple(1)
    }

    fn metrics(&mut self, size: u64, _: &Named, seconds: f64) -> BTreeMap<String, f64> {
        BTreeMap::from([("speed".to_owned(), size as f64 / seconds)])
    }
}

/// Run times by formula, with a noise of 1 % that depends on nothing but what is asked.
#[derive(Default)]
struct Formula {
    /// A size at which the machine is this much slower until rounds begin.
    slow: Option<(u64, f64)>,
    /// Whether there are no rounds.
    no_rounds: bool,
    /// Seconds of charge per element.
    charge: f64,
    asked: HashMap<(u64, &'static str, String), u64>,
}

impl Formula {
    fn seconds(&self, size: u64, configuration: &Named) -> f64 {
        let number = |name: &str| match configuration.get(name) {
            Some(Value::Int(value)) => *value as f64,
            other => panic!("{other:?}"),
        };
        let away =
            (number("block").log2() - 6.0).abs() / 7.0 + (number("unroll") - 5.0).abs() / 9.0;
        (size as f64 + HALF) / BEST * (1.0 + 0.4 * away)
    }

    fn outcome(&mut self, size: u64, configuration: &Named, what: &'static str) -> Outcome {
        let asked = self.asked.entry((size, what, configuration.key())).or_default();
        *asked += 1;
        let slow = match self.slow {
            Some((at, factor)) if at == size => factor,
            _ => 1.0,
        };
        let key = configuration.key().bytes().fold(size, |h, b| h.wrapping_mul(31) + u64::from(b));
        let rng = &mut seeded(key, what.len() as u64);
        let mean = self.seconds(size, configuration) * slow;
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
                error: Some(1e-9),
                metrics: BTreeMap::new(),
            }),
            costs: Costs { measure: 0.01 + self.charge * size as f64, ..Costs::default() },
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
        configurations.iter().map(|c| self.outcome(size, c, what)).collect()
    }

    fn check_again(&mut self, size: u64, configuration: &Named) -> Outcome {
        self.outcome(size, configuration, "check")
    }

    /// The machine gets slower and faster all the time; noise is a function of the round.
    fn rounds(
        &mut self,
        entrants: &[Entrant],
        orders: &[Vec<usize>],
        _: f64,
    ) -> Option<RoundsTaken> {
        if self.no_rounds {
            return None;
        }
        let round = |order: &Vec<usize>| {
            let key = order.iter().fold(7, |h: u64, at| h.wrapping_mul(31) + *at as u64);
            let rng = &mut seeded(key, 0);
            let pace = 1.0 + 0.2 * normal(rng).abs();
            let sample = |at: &usize| {
                let Entrant { size, configuration } = &entrants[*at];
                let noise = 1.0 + 0.01 * normal(rng);
                RoundSample(*at, self.seconds(*size, configuration) * pace * noise, 0.0)
            };
            Round { samples: order.iter().map(sample).collect(), ..Round::default() }
        };
        Some(RoundsTaken {
            batches: vec![1; entrants.len()],
            rounds: orders.iter().map(round).collect(),
            costs: Costs { measure: 0.02 * orders.len() as f64, ..Costs::default() },
            ..RoundsTaken::default()
        })
    }
}

struct Nobody;

impl Watcher for Nobody {
    fn begins(&mut self, _: u64, _: &Named, _: &Spent) {}
    fn ended(&mut self, _: &Trial) {}
}

impl Audience for Nobody {
    fn sizes(&mut self, _: &[u64], _: f64) {}
    fn looks_again(&mut self, _: u64) {}
}

fn plan(evaluations: u64, seconds: f64) -> Plan {
    let settings = StudySettings {
        goal: Goal::Saturate,
        detectors: vec!["kneedle".to_owned()],
        strategy: "local-search".to_owned(),
        budget: BudgetSettings { evaluations: Some(evaluations), seconds: Some(seconds) },
        ..StudySettings::default()
    };
    let facts = Facts {
        primary: "seconds".to_owned(),
        secondary: "speed".to_owned(),
        metrics: vec![("speed".to_owned(), Better::Higher), ("seconds".to_owned(), Better::Lower)],
        bound: 1e-6,
        rounding: Rounding::Multiple(1),
    };
    Plan::resolve(settings, &facts).expect("a plan")
}

/// A study in a folder of its own, from these journal entries on.
fn study(plan: &Plan, device: &mut Formula, from: &[Entry]) -> (Conclusion, Vec<Entry>) {
    let out = tempfile::tempdir().expect("a folder");
    let folder = StudyFolder::create(out.path(), Utc::now(), "a", "b", "c").expect("a folder");
    let mut journal = Journal::create(&folder).expect("a journal");
    for entry in from {
        match entry.event.clone() {
            Event::Trial(t) => drop(journal.append_trials([t.trial]).expect("written")),
            other => drop(journal.append(other).expect("written")),
        }
    }
    let mut chronicle = Chronicle::new(journal, from.to_vec());
    let never = AtomicBool::new(false);
    let conclusion =
        study::run(plan, &mut Vector, device, &mut chronicle, &mut Nobody, &never).expect("runs");
    drop(chronicle);
    let (_, entries) = Journal::resume(&folder).expect("read again");
    (conclusion, entries)
}

#[test]
fn a_study_ends_with_a_confirmed_knee_its_interval_and_a_gain() {
    let (conclusion, entries) = study(&plan(24, 1e6), &mut Formula::default(), &[]);
    assert!(conclusion.knee, "{conclusion:?}");
    let knee = conclusion.findings[0].knee.expect("a knee");
    assert!((0.3..30.0).contains(&(knee / HALF)), "{knee}");
    let (low, high) = conclusion.findings[0].interval.expect("an interval");
    assert!(low <= knee && knee <= high && high / low < 2.0, "{low} {high}");
    assert_eq!(conclusion.findings[0].confidence, "settled", "{:?}", conclusion.findings[0]);
    assert!(conclusion.workload.gain.is_some_and(|gain| gain > 1.05), "{:?}", conclusion.workload);
    let sizes = entries.iter().filter_map(|e| match &e.event {
        Event::SizeOpened(opened) => Some(opened.size as f64),
        _ => None,
    });
    assert!(sizes.filter(|size| *size < knee).count() >= 4);
    assert!(conclusion.sizes < 30, "the device is 2^33 bytes large; it need not be filled");
}

/// The last figures of a size's winner.
fn seconds(entries: &[Entry], size: u64) -> f64 {
    let closed = entries.iter().rev().find_map(|e| match &e.event {
        Event::SizeClosed(closed) if closed.size == size => closed.best.clone(),
        _ => None,
    });
    closed.expect("measured").seconds.median
}

#[test]
fn a_size_that_met_a_slow_machine_is_measured_with_all_others_in_rounds() {
    let (_, quiet) = study(&plan(24, 1e6), &mut Formula::default(), &[]);
    let mut sizes = quiet.iter().filter_map(|e| match &e.event {
        Event::SizeOpened(opened) => Some(opened.size),
        _ => None,
    });
    let slow = sizes.nth(6).expect("a size of the schedule");
    let met = || Formula { slow: Some((slow, 3.0)), ..Formula::default() };
    let (conclusion, entries) = study(&plan(24, 1e6), &mut met(), &[]);
    let usual = seconds(&quiet, slow);
    assert!((seconds(&entries, slow) / usual - 1.0).abs() < 0.1);
    assert!(conclusion.knee);
    let mut without = Formula { no_rounds: true, ..met() };
    let (_, entries) = study(&plan(24, 1e6), &mut without, &[]);
    assert!(seconds(&entries, slow) > 2.0 * usual, "nothing else would have seen it");
}

#[test]
fn where_there_are_no_rounds_finals_are_the_answer() {
    let mut device = Formula { no_rounds: true, ..Formula::default() };
    let (conclusion, entries) = study(&plan(24, 1e6), &mut device, &[]);
    assert!(conclusion.knee && conclusion.findings[0].rounds == 0, "{conclusion:?}");
    assert!(!entries.iter().any(|entry| matches!(entry.event, Event::Rounds(_))));
}

#[test]
fn every_round_has_every_size_once_in_an_order_of_its_own() {
    let (_, entries) = study(&plan(8, 1e6), &mut Formula::default(), &[]);
    let events: Vec<_> = entries
        .iter()
        .filter_map(|entry| match &entry.event {
            Event::Rounds(event) if event.purpose == RoundsPurpose::Answer => Some(event),
            _ => None,
        })
        .collect();
    let mut next = 1;
    let mut orders = Vec::new();
    for event in &events {
        assert_eq!(event.first, next);
        next += event.rounds.len() as u64;
        for round in &event.rounds {
            let order: Vec<usize> = round.samples.iter().map(|sample| sample.0).collect();
            let mut once = order.clone();
            once.sort_unstable();
            once.dedup();
            assert_eq!(once.len(), order.len(), "nobody twice");
            orders.push(order);
        }
    }
    assert!(next > 30);
    let same = orders.windows(2).filter(|pair| pair[0] == pair[1]).count();
    assert_eq!(same, 0, "orders are drawn anew");
}

#[test]
fn a_winner_of_a_larger_size_is_lent_to_the_smaller_ones_that_never_tried_it() {
    let (_, entries) = study(&plan(6, 1e6), &mut Formula::default(), &[]);
    let lent = entries.iter().filter(|e| match &e.event {
        Event::SizeClosed(closed) => closed.why.contains("another size lent its winner"),
        _ => false,
    });
    assert!(lent.count() > 0);
}

#[test]
fn sizes_that_cost_more_than_is_left_are_not_begun() {
    let mut device = Formula { charge: 1e-4, ..Formula::default() };
    let (conclusion, _) = study(&plan(24, 100.0), &mut device, &[]);
    let why = conclusion.why_ended.expect("growth ended");
    assert!(why.contains("--time"), "{why}");
    assert!(!conclusion.confirmed, "time was too short for larger sizes");
}

#[test]
fn a_study_that_was_cut_anywhere_ends_like_one_that_was_not() {
    let plan = plan(8, 1e6);
    let (whole, entries) = study(&plan, &mut Formula::default(), &[]);
    let said = |entries: &[Entry]| -> Vec<Event> {
        entries.iter().map(|entry| entry.event.clone()).collect()
    };
    // Trials measured together are written together: no kill leaves a part of them.
    let together = |at: usize| match (&entries[at - 1].event, &entries[at].event) {
        (Event::Trial(a), Event::Trial(b)) => {
            a.trial.phase == b.trial.phase && matches!(b.trial.phase, Phase::Final | Phase::Again)
        }
        _ => false,
    };
    for cut in (1..entries.len()).filter(|at| !together(*at)).step_by(5) {
        // What the device was asked before the cut it was asked in another life.
        let mut device = Formula::default();
        for entry in &entries[..cut] {
            if let Event::Trial(TrialEvent { trial, .. }) = &entry.event
                && trial.phase == Phase::Final
            {
                device.asked.insert((trial.size, "final", String::new()), 1);
            }
        }
        let (conclusion, again) = study(&plan, &mut device, &entries[..cut]);
        assert_eq!(conclusion.workload, whole.workload, "cut at {cut}");
        let (again, entries) = (said(&again), said(&entries));
        let differs = again.iter().zip(&entries).position(|(a, b)| a != b);
        assert!(again == entries, "cut at {cut}, differs at {differs:?}");
    }
}
