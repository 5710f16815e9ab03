//! Tests what the sizes of a study learn from each other.

use std::collections::BTreeMap;

use records::{Event, Phase, Trial, TrialEvent};
use space::Value;

use crate::formula::{Formula, plan_with, study};

#[test]
fn a_size_learns_from_what_the_sizes_before_tried() {
    // Six evaluations per size: one is the default, and up to three were best at earlier sizes.
    let tried = |warm: bool| {
        let plan = plan_with(6, 1e6, |settings| {
            settings.strategy = "default".to_owned();
            settings.without.warm_start = !warm;
        });
        let (_, entries) = study(&plan, &mut Formula::default(), &[]);
        let mut sizes: BTreeMap<u64, Vec<Trial>> = BTreeMap::new();
        for entry in entries {
            match entry.event {
                Event::Trial(TrialEvent { trial, .. }) if trial.phase == Phase::Search => {
                    sizes.entry(trial.size).or_default().push(trial);
                }
                _ => (),
            }
        }
        sizes
    };
    let (with, without) = (tried(true), tried(false));
    // The best block is 64 and the best unroll is 5. The defaults are 8 and 1.
    let near = |trial: &Trial| {
        let number =
            |name: &str| trial.configuration.get(name).and_then(Value::as_f64).expect("a number");
        (number("block").log2() - 6.0).abs() / 7.0 + (number("unroll") - 5.0).abs() / 9.0
    };
    // Mean distance of a size's best trial from the best values, over the later half of the sizes.
    let late = |sizes: &BTreeMap<u64, Vec<Trial>>| {
        let best = |trials: &Vec<Trial>| trials.iter().map(near).fold(f64::INFINITY, f64::min);
        let late: Vec<f64> = sizes.values().skip(sizes.len() / 2).map(best).collect();
        late.iter().sum::<f64>() / late.len() as f64
    };
    assert!(with.len() > 8 && without.len() > 8, "{} {}", with.len(), without.len());
    let (with, without) = (late(&with), late(&without));
    assert!(with < 0.05 && with < 0.5 * without, "{with} {without}");
}
