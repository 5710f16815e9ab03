//! What is printed when a study ends, and what a dry run says.

use super::{Failure, launch::Screen, output, progress::seconds};
use crate::{
    records::{Figure, SizeClosed, StudyFolder, StudyRecord, StudyView},
    space::Space,
    study::{Conclusion, Plan, Subject, Survey},
};

/// Prints the answer.
pub(super) fn print(
    record: &StudyRecord,
    view: &StudyView,
    conclusion: &Conclusion,
    folder: &StudyFolder,
    screen: Screen,
) -> Result<(), Failure> {
    if screen.json {
        return output::line(&format!("{:#}", json(record, conclusion, folder)));
    }
    if screen.quiet {
        return Ok(());
    }
    for line in lines(record, view, conclusion) {
        output::line(&line)?;
    }
    output::line(&format!("results   {}", folder.path().display()))
}

fn lines(record: &StudyRecord, view: &StudyView, conclusion: &Conclusion) -> Vec<String> {
    let mut lines = vec![format!(
        "{} on {}: {} size{}, {} trials",
        record.benchmark.name,
        record.device.name,
        conclusion.sizes,
        if conclusion.sizes == 1 { "" } else { "s" },
        view.trials.len()
    )];
    let meaning = &record.benchmark.size_meaning;
    for (at, finding) in conclusion.findings.iter().enumerate() {
        let text = match finding.knee {
            Some(knee) if conclusion.knee || at > 0 => {
                let interval = finding
                    .interval
                    .map(|(low, high)| format!(", 95 % interval {low:.0} to {high:.0}"))
                    .unwrap_or_default();
                let share = finding
                    .share
                    .map(|s| format!(", {:.1} % of the best throughput", s * 100.0))
                    .unwrap_or_default();
                let doubt = match at == 0 && !conclusion.confirmed {
                    true => ", which no larger size was there to confirm",
                    false => "",
                };
                format!(
                    "knee      size {knee:.0} ({meaning}) by {}{interval}{share}{doubt}",
                    finding.detector
                )
            }
            Some(knee) => format!(
                "no knee   confirmed: {} saw one at {knee:.0}, and too few larger sizes followed",
                finding.detector
            ),
            None => format!("no knee   by {}: {}", finding.detector, finding.why),
        };
        lines.push(text);
    }
    if let Some(why) = &conclusion.why_ended {
        lines.push(format!("growth    ended: {why}"));
    }
    let workload = &conclusion.workload;
    let at = if conclusion.knee { "at the knee" } else { "at the largest size" };
    if let Some(best) = &workload.best {
        lines.push(format!("best      {} {at}", best.configuration));
        lines.push(format!("          {}", figure(record, best)));
    }
    lines.push(format!("gain      {}", gain(workload)));
    for warning in &view.started.warnings {
        lines.push(format!("warning   {warning}"));
    }
    lines
}

fn figure(record: &StudyRecord, best: &Figure) -> String {
    let time = &best.seconds;
    let half = (time.interval.1 - time.interval.0) / 2.0 / time.median * 100.0;
    let metric = best
        .metric
        .as_ref()
        .map(|m| format!(", {:.4} {}", m.value, record.benchmark.secondary.unit))
        .unwrap_or_default();
    let error =
        best.error.map(|e| format!(", {} {e:.2e}", record.benchmark.error.0)).unwrap_or_default();
    format!("{} ± {half:.1} % (n = {}){metric}{error}", seconds(time.median), time.count)
}

fn gain(workload: &SizeClosed) -> String {
    match (workload.gain, workload.gain_interval) {
        (Some(gain), Some((low, high))) => format!(
            "{gain:.2} times as fast as the default configuration (interval {low:.2} to {high:.2})"
        ),
        _ => "not known: the default configuration did not run".to_owned(),
    }
}

fn json(record: &StudyRecord, conclusion: &Conclusion, folder: &StudyFolder) -> serde_json::Value {
    serde_json::json!({
        "benchmark": record.benchmark.name,
        "device": record.device.name,
        "folder": folder.path(),
        "sizes": conclusion.sizes,
        "knee": conclusion.knee,
        "confirmed": conclusion.confirmed,
        "findings": conclusion.findings,
        "workload": conclusion.workload,
        "growth_ended": conclusion.why_ended,
    })
}

/// Says sizes, configurations, bytes and time without measuring.
pub(super) fn dry_run(
    plan: &Plan,
    record: &StudyRecord,
    subject: &mut dyn Subject,
) -> Result<(), Failure> {
    let survey =
        Survey::estimate(plan, subject, record.device.memory_free).map_err(Failure::settings)?;
    let sizes = plan.sizes(&survey);
    output::line(&format!(
        "{} on {}: up to {} sizes of {} to {} {}",
        record.benchmark.name,
        record.device.name,
        sizes.len(),
        sizes.first().copied().unwrap_or_default(),
        sizes.last().copied().unwrap_or_default(),
        record.benchmark.size_meaning,
    ))?;
    output::line("      size  configurations         bytes")?;
    let evaluations = plan.settings.budget.evaluations.unwrap_or(u64::MAX);
    let mut trials = 0_u64;
    for size in &sizes {
        let count = subject.space(*size).as_ref().map(Space::len).map_err(Failure::settings)?;
        let bytes = subject.footprint(*size).map_err(Failure::settings)?;
        output::line(&format!("{size:>10}  {count:>14}  {bytes:>12}"))?;
        trials = trials.saturating_add(count.min(evaluations));
    }
    let budget = plan.settings.budget.seconds.unwrap_or(f64::INFINITY);
    output::line(&format!(
        "at most {trials} trials in {budget:.0} s of compiling, checking and measuring; the study \
         ends sooner when the knee is confirmed"
    ))
}
