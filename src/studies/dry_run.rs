//! Dry run: sizes, configurations, memory and estimated time, without measuring.

use records::{StudyRecord, repeat_seed, settings::Goal};
use report::exporters::quantities::{bytes, counted, grouped, seconds, significant};
use serde_json::{Value, json};
use space::Space;
use study::{Plan, Study, Survey};
use worker::MeasurePlan;

use crate::terminal::{Failure, Screen, output};

/// Assumed seconds to compile a configuration.
const COMPILE: f64 = 0.1;
/// Assumed bandwidth in bytes per second of a device whose bandwidth is unknown.
const BANDWIDTH: f64 = 10e9;
/// Configurations measured again when a size closes: the best five and the default.
const FINALS: u64 = 6;

struct Foreseen {
    size: u64,
    configurations: u64,
    evaluations: u64,
    bytes: u64,
    seconds: f64,
}

/// Prints the sizes, configurations, bytes and time of a study that is repeated `studies` times.
pub(crate) fn dry_run(study: &Study, screen: Screen, studies: u32) -> Result<(), Failure> {
    let (plan, record, mut subject) = (&study.plan, &study.record, study.subject());
    let survey = Survey::estimate(plan, subject.as_mut(), record.device.memory_free)
        .map_err(Failure::settings)?;
    let evaluations = plan.settings.budget.evaluations.unwrap_or(u64::MAX);
    let bandwidth = record.device.peak_bandwidth.unwrap_or(BANDWIDTH);
    let mut foreseen = Vec::new();
    for size in survey.sizes(plan) {
        let configurations =
            subject.space(size).as_ref().map(Space::len).map_err(Failure::settings)?;
        let bytes = subject.footprint(size).map_err(Failure::settings)?;
        let evaluations = configurations.min(evaluations);
        let seconds = seconds_of(evaluations, bytes as f64 / bandwidth, plan.window);
        foreseen.push(Foreseen { size, configurations, evaluations, bytes, seconds });
    }
    if screen.json {
        let mut document = document(record, plan, &foreseen);
        if studies > 1 {
            document["seeds"] = json!(seeds(plan, studies));
        }
        return output::json(&format!("{document:#}"));
    }
    let mut lines = lines(record, plan, &foreseen);
    if studies > 1 {
        lines.push(repeated(plan, studies));
    }
    lines.iter().try_for_each(|line| output::line(line))
}

fn seeds(plan: &Plan, studies: u32) -> Vec<u64> {
    (1..=studies).map(|number| repeat_seed(plan.settings.seed, number)).collect()
}

fn repeated(plan: &Plan, studies: u32) -> String {
    let few = seeds(plan, studies.min(5));
    let mut list = few.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
    if few.len() < studies as usize {
        list += "…";
    }
    format!(
        "repeat: {studies} such studies, one after the other, each with all of that for itself; seeds {list}"
    )
}

/// Estimates the seconds of a size whose runs take `run` seconds each, and whose configurations are
/// sampled for `window` seconds at least. Finals are sampled once more.
fn seconds_of(evaluations: u64, run: f64, window: f64) -> f64 {
    let plan = MeasurePlan::default();
    let samples = run * plan.min_samples as f64;
    let samples = samples.max(plan.min_seconds).min(plan.max_seconds).max(run).max(window);
    let search = evaluations as f64 * (COMPILE + 2.0 * run + samples);
    search + evaluations.min(FINALS) as f64 * (run + samples)
}

/// The estimated total, and its assumptions; `None` for a replay, which takes hardly any time.
fn estimate(record: &StudyRecord, foreseen: &[Foreseen]) -> Option<(f64, String)> {
    if record.is_replayed() {
        return None;
    }
    let speed = |bandwidth: f64| format!("{} GB/s", significant(bandwidth / 1e9, 3));
    let source = match record.device.peak_bandwidth {
        Some(bandwidth) => format!("the device's {}", speed(bandwidth)),
        None => format!("an assumed {}", speed(BANDWIDTH)),
    };
    let assumption = format!(
        "a run reads and writes its memory once at {source} and a compile takes {}; kernels that \
         compute more and noisy machines take longer",
        seconds(COMPILE)
    );
    Some((foreseen.iter().map(|size| size.seconds).sum(), assumption))
}

/// Seconds with two digits, because the estimate is rough.
fn roughly(time: f64) -> String {
    format!("{} s", significant(time, 2))
}

fn lines(record: &StudyRecord, plan: &Plan, foreseen: &[Foreseen]) -> Vec<String> {
    let estimate = estimate(record, foreseen);
    let what = format!("{} on {}", record.benchmark.name, record.device.name);
    let meaning = match record.benchmark.size_meaning.as_str() {
        "" => String::new(),
        meaning => format!(" ({meaning})"),
    };
    let mut lines = vec![match (foreseen, plan.settings.goal) {
        ([only], _) => format!("{what}: size {}{meaning}", grouped(only.size)),
        ([first, .., last], Goal::Saturate) => format!(
            "{what}: up to {} sizes from {} to {}{meaning}",
            foreseen.len(),
            grouped(first.size),
            grouped(last.size)
        ),
        _ => format!("{what}: {}{meaning}", counted(foreseen.len(), "size")),
    }];
    lines.push(format!(
        "{:>16} {:>15} {:>12} {:>12} {:>10}",
        "size", "configurations", "evaluations", "memory", "estimate"
    ));
    for size in foreseen {
        lines.push(format!(
            "{:>16} {:>15} {:>12} {:>12} {:>10}",
            grouped(size.size),
            grouped(size.configurations),
            grouped(size.evaluations),
            if size.bytes > 0 { bytes(size.bytes as f64) } else { "–".to_owned() },
            estimate.as_ref().map_or("–".to_owned(), |_| roughly(size.seconds)),
        ));
    }
    let evaluations: u64 = foreseen.iter().map(|size| size.evaluations).sum();
    let within = plan.settings.budget.seconds.map_or_else(String::new, |budget| {
        format!(", in at most {} of compiling, checking and measuring", seconds(budget))
    });
    lines.push(format!("at most {} evaluations{within}", grouped(evaluations)));
    lines.extend(stages(record));
    lines.extend(afterwards(plan, record).map(str::to_owned));
    if let Some((all, assumption)) = estimate {
        let what = if plan.settings.goal == Goal::Saturate { " to tune all of these" } else { "" };
        let limit = plan.settings.budget.seconds.filter(|limit| !what.is_empty() && all > *limit);
        let more = limit
            .map(|limit| format!("; within {} sizes grow as far as that goes", seconds(limit)));
        let more = more.unwrap_or_default();
        lines.push(format!("estimate: about {}{what}, if {assumption}{more}", roughly(all)));
    }
    lines
}

/// The stages of a benchmark, if it has any.
fn stages(record: &StudyRecord) -> Option<String> {
    let stages = record.benchmark.document.get("stages")?.as_array()?;
    let text = |stage: &Value, field: &str| Some(stage.get(field)?.as_str()?.to_owned());
    let described = |stage: &Value| {
        let name = text(stage, "name")?;
        Some(text(stage, "about").map_or(name.clone(), |about| format!("{name} ({about})")))
    };
    let all: Vec<String> = stages.iter().filter_map(described).collect();
    (!all.is_empty()).then(|| format!("stages: {}; --stage tunes one by itself", all.join(", ")))
}

fn afterwards(plan: &Plan, record: &StudyRecord) -> Option<&'static str> {
    match plan.settings.goal {
        _ if record.is_replayed() => None,
        Goal::Saturate => Some(
            "sizes grow until larger ones leave the knee where it is; then the best and the default \
             of all sizes are measured in rounds, until the knee is settled or time is out",
        ),
        Goal::Tune => Some(
            "then the best and the default are measured in rounds, until the figure is precise or \
             time is out",
        ),
    }
}

fn document(record: &StudyRecord, plan: &Plan, foreseen: &[Foreseen]) -> Value {
    let estimate = estimate(record, foreseen);
    let sizes: Vec<Value> = foreseen
        .iter()
        .map(|size| {
            json!({
                "size": size.size,
                "configurations": size.configurations,
                "evaluations": size.evaluations,
                "bytes": size.bytes,
                "estimated_seconds": estimate.as_ref().map(|_| size.seconds),
            })
        })
        .collect();
    json!({
        "benchmark": record.benchmark.name,
        "device": record.device.name,
        "goal": plan.settings.goal,
        "sizes": sizes,
        "evaluations": foreseen.iter().map(|size| size.evaluations).sum::<u64>(),
        "budget_seconds": plan.settings.budget.seconds,
        "estimated_seconds": estimate.as_ref().map(|(all, _)| all),
        "estimate_assumes": estimate.as_ref().map(|(_, assumption)| assumption),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_is_longer_than_sampling_may_take_is_sampled_once() {
        let short = seconds_of(1, 1e-6, 0.0);
        let least = MeasurePlan::default().min_seconds;
        assert!((short - (COMPILE + 2.0 * least)).abs() < 1e-4, "{short}");
        let long = seconds_of(1, 5.0, 0.0);
        assert!((long - (COMPILE + 10.0 + 5.0 + 10.0)).abs() < 1e-9, "{long}");
        assert!(seconds_of(24, 1e-3, 0.0) > seconds_of(12, 1e-3, 0.0));
        let energy = seconds_of(1, 1e-6, 0.3);
        assert!((energy - (COMPILE + 2.0 * 0.3)).abs() < 1e-4, "{energy}");
    }
}
