//! Phrases about objectives and fronts, the same on pages, in pictures and on the terminal.

use records::{Front, FrontPoint, Metric, StudyRecord};

use super::quantities::{seconds, significant};

/// Formats the title of a metric's axis: `run time`, `error (nrmse)`, `energy (J)`. Times have
/// their units at the ticks instead.
#[must_use]
pub fn axis(record: &StudyRecord, metric: &str) -> String {
    let unit = match metric {
        "error" => record.benchmark.error.0.clone(),
        name => match Metric::named(name).filter(|known| is_time(known)) {
            Some(time) => return time.about.to_owned(),
            None => record.benchmark.unit(name),
        },
    };
    if unit.is_empty() { metric.to_owned() } else { format!("{metric} ({unit})") }
}

/// Formats a value of a metric. Only times have a unit: `1.5 ms`, `0.25`. An error of 0 is `exact`.
#[must_use]
pub fn tick(metric: &str, value: f64) -> String {
    match Metric::named(metric) {
        _ if metric == "error" && value.abs() < f64::MIN_POSITIVE => "exact".to_owned(),
        Some(known) if is_time(known) => seconds(value),
        _ => significant(value, 4),
    }
}

/// Formats a value of a metric like [`tick`], with its standard error if it has one:
/// `0.512 ± 0.004`.
#[must_use]
pub fn with_uncertainty(metric: &str, value: f64, uncertainty: Option<f64>) -> String {
    let value = tick(metric, value);
    uncertainty.map_or(value.clone(), |error| format!("{value} ± {}", significant(error, 2)))
}

fn is_time(metric: &Metric) -> bool {
    metric.unit == "s"
}

/// Formats the names of the objectives, the main objective first.
#[must_use]
pub fn objectives(record: &StudyRecord) -> String {
    let further = record.settings.further_objectives.iter().map(|further| further.metric.clone());
    list(&std::iter::once(record.objective().to_owned()).chain(further).collect::<Vec<_>>())
}

/// Formats the number and the objectives of the trade-offs:
/// `12 trade-offs of run time and energy (J)`.
#[must_use]
pub fn count(record: &StudyRecord, front: &Front) -> String {
    let names: Vec<String> =
        front.objectives.iter().map(|objective| axis(record, &objective.metric)).collect();
    let plural = if front.members.len() == 1 { "" } else { "s" };
    let seen = if front.fresh { "" } else { ", as the search saw them" };
    format!("{} trade-off{plural} of {}{seen}", front.members.len(), list(&names))
}

/// Formats the values of a front's member, one for each objective, with their standard errors.
#[must_use]
pub fn member(front: &Front, point: &FrontPoint) -> Vec<String> {
    let values = front.objectives.iter().zip(&point.values).enumerate();
    let uncertainty = |at: usize| point.uncertainties.get(at).copied().flatten();
    values
        .map(|(at, (objective, value))| {
            with_uncertainty(&objective.metric, *value, uncertainty(at))
        })
        .collect()
}

/// Formats a front as lines: a header, then one line per member.
#[must_use]
pub fn table(record: &StudyRecord, front: &Front) -> Vec<String> {
    let titles = front.objectives.iter().map(|objective| axis(record, &objective.metric));
    let titles: Vec<String> = titles.collect();
    let cells: Vec<Vec<String>> = front.members.iter().map(|point| member(front, point)).collect();
    let wide = |at: usize| {
        let cells = cells.iter().map(|cells| cells[at].chars().count());
        cells.chain([titles[at].chars().count(), 9]).max().unwrap_or(0)
    };
    let line = |cells: &[String], last: &str| {
        let cells =
            cells.iter().enumerate().map(|(at, cell)| format!("{cell:>w$}  ", w = wide(at)));
        cells.collect::<String>() + last
    };
    let members = front.members.iter().zip(&cells);
    let members = members.map(|(point, cells)| line(cells, &point.configuration.to_string()));
    std::iter::once(line(&titles, "configuration")).chain(members).collect()
}

/// Joins names: `a`, `a and b`, `a, b and c`.
fn list(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
