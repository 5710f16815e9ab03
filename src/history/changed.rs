//! `autobench history regressions`: finds where a benchmark became slower or faster.

use batch::history::{Change, changes, trends};
use clap::Args;
use report::exporters::quantities::grouped;

use super::chosen::{Chosen, opened};
use crate::{
    compare::alarm::{self, Alarm},
    terminal::{Failure, output},
};

/// The arguments of `regressions`.
#[derive(Debug, Args)]
pub(super) struct RegressionsArgs {
    /// Only benchmarks whose name contains this
    #[arg(long, value_name = "NAME")]
    benchmark: Option<String>,
    #[command(flatten)]
    studies: Chosen,
    /// Only changes after which the trend has not changed again
    #[arg(long)]
    lasting: bool,
    /// Also show single sizes where the whole curve changed
    #[arg(long)]
    sizes: bool,
    /// Ignore changes up to this size
    #[arg(long, value_name = "PERCENT", default_value = "2%", value_parser = alarm::share)]
    margin: f64,
    /// End with exit code 6 if a benchmark, or one of its sizes, became slower (or faster) by at
    /// least this much and by more than chance: `slower:5%`
    #[arg(long, value_name = "VERDICT:PERCENT", value_parser = Alarm::parse)]
    fail_on: Vec<Alarm>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &RegressionsArgs) -> Result<(), Failure> {
    let history = opened(&arguments.studies.out)?;
    // Studies before `--since` are still needed as the reference of later changes.
    let mut filter = arguments.studies.filter(arguments.benchmark.as_ref(), None);
    let since = filter.since.take();
    let chosen = filter.chosen(&history.entries);
    let trends = trends(&chosen);
    let mut changes = changes(&trends, arguments.margin);
    changes.retain(|change| {
        since.is_none_or(|since| change.since >= since) && (change.lasts || !arguments.lasting)
    });
    print(arguments, &changes, trends.len())?;
    let alarmed =
        |change: &&Change| arguments.fail_on.iter().any(|alarm| alarm.is_raised_by(&change.ratio));
    let alarms: Vec<String> = changes.iter().filter(alarmed).map(place).collect();
    match alarms.is_empty() {
        true => Ok(()),
        false => Err(Failure::alarm(alarms.join("; "))),
    }
}

fn print(arguments: &RegressionsArgs, changes: &[Change], trends: usize) -> Result<(), Failure> {
    if arguments.json {
        return output::json(&serde_json::to_string_pretty(changes).map_err(Failure::bug)?);
    }
    let own: Vec<&Change> = changes
        .iter()
        .filter(|change| {
            arguments.sizes || change.size.is_none() || !is_of_a_whole(change, changes)
        })
        .collect();
    if own.is_empty() {
        return output::line(&match trends {
            0 => "there are no finished studies of that kind".to_owned(),
            1 => "no change in the trend of one benchmark and device".to_owned(),
            many => format!("no change in the trends of {many} benchmarks and devices"),
        });
    }
    for change in own {
        let (before, after) = change.studies;
        output::line(&format!(
            "{}  {} ({before} studies before, {after} after)",
            change.since.format("%Y-%m-%d %H:%M"),
            place(change),
        ))?;
        output::line(&format!("    from {} to {}", change.before, change.after))?;
        for difference in &change.differences {
            output::line(&format!(
                "    {}: {} → {}",
                difference.what, difference.first, difference.other
            ))?;
        }
    }
    Ok(())
}

/// Whether the whole curve changed at the same place as this size.
fn is_of_a_whole(change: &Change, changes: &[Change]) -> bool {
    changes.iter().any(|whole| {
        whole.size.is_none()
            && (&whole.subject, &whole.device) == (&change.subject, &change.device)
            && whole.at.abs_diff(change.at) <= 1
    })
}

/// Says what became slower or faster, by how much, and where.
fn place(change: &Change) -> String {
    let at = change.size.map(|size| format!(" at size {}", grouped(size))).unwrap_or_default();
    format!("{}{at} on {} became {}", change.subject, change.device, change.speed())
}
