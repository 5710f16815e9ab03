//! Units of recorded times: the same times in any unit give the same search, and only published
//! forms whose settings are in milliseconds choose otherwise on a device of another speed.

use std::{collections::BTreeSet, io::Read as _};

use exchange::{RecordedSpace, parse_t4};
use flate2::read::GzDecoder;
use records::{Named, settings::Objective};
use scoring::{Landscape, ScoredStrategy, Thinking, simulate};
use search_api::{Budget, STRATEGIES};
use serde_json::{Value, json};
use space::ConfigurationId;
use study::tuning::{Evaluator as _, Hints, Ranking, Recorded};

use crate::support::data;

/// The published forms whose settings are in milliseconds, as Kernel Tuner's costs are. A device
/// that is a thousand times as fast or slow changes their choices, as it does there.
const IN_MILLISECONDS: [&str; 4] =
    ["adaptive_tabu_greywolf", "basinhopping", "bayes_opt", "hybrid_vndx"];

/// Evaluations of a search; more than a first sample.
const EVALUATIONS: u64 = 60;

/// Every strategy as it is, in its published form, and with every preset.
fn forms() -> Vec<ScoredStrategy> {
    let of = |strategy: &&search_api::Strategy| -> Vec<String> {
        let published = strategy.knobs.iter().any(|knob| knob.name == "form");
        let published = published.then(|| format!("{}:form=published", strategy.name));
        let presets = strategy.presets.iter();
        let presets = presets.map(|preset| format!("{}:preset={}", strategy.name, preset.name));
        std::iter::once(strategy.name.to_owned()).chain(published).chain(presets).collect()
    };
    let texts = STRATEGIES.iter().flat_map(of);
    texts.map(|text| ScoredStrategy::parse(&text).expect("a form")).collect()
}

fn is_in_milliseconds(form: &ScoredStrategy) -> bool {
    let name = form.label.split(':').next().unwrap_or_default();
    IN_MILLISECONDS.contains(&name) && form.knobs.choice("form") == "published"
}

/// The results of `gemm_cpu`, with all times in another unit. They are multiples of 2⁻³⁰ s, which do
/// not round in any of the units, since equal costs and others of the same size are ties.
fn in_unit(unit: &str, per_second: f64) -> RecordedSpace {
    let file = std::fs::File::open(data("spaces/gemm_cpu.t4.json.gz")).expect("there");
    let mut text = String::new();
    GzDecoder::new(file).read_to_string(&mut text).expect("readable");
    let mut document: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(document["metadata"]["timeunit"], json!("milliseconds"));
    document["metadata"]["timeunit"] = json!(unit);
    let of = |ms: f64| (ms * 1e-3 * 2.0_f64.powi(30)).round() / 2.0_f64.powi(30) * per_second;
    for result in document["results"].as_array_mut().expect("results") {
        rescale(&mut result["times"], &of);
        for measurement in result["measurements"].as_array_mut().expect("measurements") {
            if measurement["name"] == json!("time") {
                measurement["unit"] = json!(unit);
                rescale(&mut measurement["value"], &of);
            }
        }
    }
    parse_t4(&document.to_string()).expect("a recorded space")
}

/// Replaces all numbers.
fn rescale(value: &mut Value, of: &dyn Fn(f64) -> f64) {
    match value {
        Value::Number(number) => *value = json!(of(number.as_f64().expect("a number"))),
        Value::Array(items) => items.iter_mut().for_each(|item| rescale(item, of)),
        Value::Object(members) => members.values_mut().for_each(|item| rescale(item, of)),
        _ => {}
    }
}

fn landscape(recorded: &RecordedSpace) -> Landscape {
    Landscape::new("gemm", recorded).expect("valid configurations")
}

/// The configurations that a search tries, in order.
fn choices(form: &ScoredStrategy, landscape: &Landscape) -> Vec<ConfigurationId> {
    let budget = Budget::evaluations(EVALUATIONS);
    simulate(landscape, form.searcher(), budget, 3, Thinking::Free).order
}

#[test]
fn a_recording_in_another_unit_of_time_is_the_same_space_to_every_form() {
    let milliseconds = landscape(&in_unit("milliseconds", 1e3));
    let others = [("seconds", 1.0), ("microseconds", 1e6)];
    let others = others.map(|(unit, factor)| landscape(&in_unit(unit, factor)));
    for other in &others {
        assert_eq!(milliseconds.cells, other.cells);
        for form in forms() {
            assert_eq!(choices(&form, &milliseconds), choices(&form, other), "{}", form.label);
        }
    }
}

#[test]
fn another_speed_changes_the_choices_of_no_form_but_those_with_settings_in_milliseconds() {
    let recorded = landscape(&in_unit("milliseconds", 1e3));
    // Powers of two do not round.
    let others = [1024.0, 1.0 / 1024.0].map(|factor| {
        let mut other = recorded.clone();
        for cell in &mut other.cells {
            let costs = [&mut cell.value, &mut cell.cost, &mut cell.score];
            costs.into_iter().flatten().for_each(|cost| *cost *= factor);
        }
        other
    });
    let depends = |form: &ScoredStrategy| {
        let as_recorded = choices(form, &recorded);
        others.iter().any(|other| choices(form, other) != as_recorded)
    };
    let depending: BTreeSet<String> =
        forms().iter().filter(|form| depends(form)).map(|form| form.label.clone()).collect();
    let expected = forms().into_iter().filter(is_in_milliseconds).map(|form| form.label);
    assert_eq!(depending, expected.collect());
}

#[test]
fn a_simulated_search_is_told_the_same_cost_as_a_replayed_study() {
    let recorded = in_unit("milliseconds", 1e3);
    let landscape = landscape(&recorded);
    let ranking = Ranking::default();
    let mut replayed = Recorded::new(&recorded);
    for id in landscape.space.ids() {
        let outcome = replayed.evaluate(1, &Named::of(&landscape.space, id), &Hints::default());
        let told = ranking.unbounded(&outcome).map(|costs| costs[0]);
        assert_eq!(told, landscape.cell(id).score);
    }
}

#[test]
fn only_run_times_are_milliseconds_to_published_forms() {
    let times = landscape(&in_unit("milliseconds", 1e3));
    // The same costs a thousand times as large, by a metric that is no time.
    let mut joules = times.clone();
    joules.objective = Objective::asked("energy");
    for cell in &mut joules.cells {
        let costs = [&mut cell.value, &mut cell.cost, &mut cell.score];
        costs.into_iter().flatten().for_each(|cost| *cost *= 1e3);
    }
    for form in forms().into_iter().filter(is_in_milliseconds) {
        assert_eq!(choices(&form, &times), choices(&form, &joules), "{}", form.label);
    }
}
