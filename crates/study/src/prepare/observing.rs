//! Metrics that are observed over a span of time, such as energy: whether the device has them, and
//! what they cost.

use std::collections::BTreeMap;

use super::{PrepareFault, SETUP_TIMEOUT};
use crate::{Plan, PlanFault, tuning::DeviceWorker};

/// Refuses an objective, a bound or a curve's metric that nothing observes on this device, and leaves
/// out what is only wished. Notes how much longer configurations are sampled.
pub(super) fn announce(
    worker: &DeviceWorker,
    plan: &mut Plan,
    note: &dyn Fn(&str),
) -> Result<(), PrepareFault> {
    let required = plan.ranking.observed.clone();
    let wished = plan.wished.iter().filter(|metric| !required.contains(metric));
    let wanted: Vec<String> = required.iter().chain(wished).cloned().collect();
    if wanted.is_empty() {
        return Ok(());
    }
    let windows = worker.client.borrow_mut().windows(&wanted, SETUP_TIMEOUT);
    let windows = windows.map_err(PrepareFault::Device)?;
    let (known, lacking): (Vec<String>, Vec<String>) =
        wanted.into_iter().partition(|metric| windows.contains_key(metric));
    if let Some(metric) = lacking.iter().find(|metric| required.contains(metric)) {
        let why = format!(
            "nothing here measures `{metric}`, which an objective, a bound or the metric of the \
             curve needs: `autobench devices` says what sensors a device has"
        );
        return Err(PlanFault::Value(why).into());
    }
    if let Some(metric) = lacking.first() {
        note(&format!("nothing here measures `{metric}`, so it is left out"));
    }
    plan.ranking.observed = known;
    plan.window = windows.values().copied().fold(0.0, f64::max);
    cost(&windows).iter().for_each(|cost| note(cost));
    Ok(())
}

/// What observing costs, in a sentence; nothing if the usual samples are enough.
fn cost(windows: &BTreeMap<String, f64>) -> Option<String> {
    let long = windows.iter().filter(|(_, window)| **window > 0.0);
    let names: Vec<&str> = long.map(|(name, _)| name.as_str()).collect();
    let window = windows.values().copied().reduce(f64::max)?;
    let verb = if names.len() == 1 { "is" } else { "are" };
    (!names.is_empty()).then(|| {
        format!(
            "{} {verb} read over {window} s: each configuration takes up to that much longer",
            names.join(" and ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cost_is_told_where_samples_become_longer() {
        let cost = |windows: &[(&str, f64)]| {
            cost(&windows.iter().map(|(name, window)| ((*name).to_owned(), *window)).collect())
        };
        assert_eq!(cost(&[("clock", 0.0)]), None);
        assert_eq!(cost(&[]), None);
        let both = cost(&[("clock", 0.0), ("energy", 0.3), ("power", 0.3)]).expect("a cost");
        assert!(both.starts_with("energy and power are read over 0.3 s: each"), "{both}");
        assert!(cost(&[("energy", 0.3)]).expect("a cost").starts_with("energy is read over"));
    }
}
