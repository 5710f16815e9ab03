//! Merges recorded spaces of one search: parts of a cluster's work, or a continued search.

use records::Named;
use space::{Value, ValueIndex};

use crate::{RecordedSpace, spaces::warnings::bound};

/// Which row counts where two files record one configuration differently.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Conflict {
    /// The row of the first file counts.
    First,
    /// The row of the last file counts.
    Last,
    /// The merge fails.
    #[default]
    Error,
}

/// Why spaces cannot be merged.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MergeError {
    /// The spaces differ in a property.
    #[error(
        "`{first}` and `{second}` cannot be merged: the {what} is `{a}` in the one and `{b}` in the other"
    )]
    Differs {
        /// Name of the first file.
        first: String,
        /// Name of the other file.
        second: String,
        /// Name of the property that differs.
        what: &'static str,
        /// Its value in the first file.
        a: String,
        /// Its value in the other file.
        b: String,
    },
    /// Both spaces have a row of one configuration, and the rows differ.
    #[error(
        "`{first}` and `{second}` record {configuration} differently; choose with --on-conflict first or --on-conflict last"
    )]
    Conflict {
        /// Name of the earlier file, or of the earlier files.
        first: String,
        /// Name of the later file.
        second: String,
        /// The configuration.
        configuration: Named,
    },
}

/// Merges named spaces, with the first space's order of parameters.
///
/// # Errors
/// If device, kernel, problem size, objective or parameters differ where both are known, or if rows
/// differ and `on_conflict` is [`Conflict::Error`].
pub fn merge(
    spaces: impl IntoIterator<Item = (String, RecordedSpace)>,
    on_conflict: Conflict,
) -> Result<RecordedSpace, MergeError> {
    let mut spaces = spaces.into_iter();
    let Some((first, mut merged)) = spaces.next() else { return Ok(RecordedSpace::default()) };
    for (second, other) in spaces {
        agree(&first, &merged, &second, &other)?;
        merged = join(&merged, &other);
        for (configuration, trial) in other.rows().iter() {
            match (merged.get(&configuration), on_conflict) {
                (Some(known), _) if known == trial => {}
                (None, _) | (_, Conflict::Last) => {
                    merged.insert(configuration, trial.clone());
                }
                (Some(_), Conflict::First) => {}
                (Some(_), Conflict::Error) => {
                    return Err(MergeError::Conflict { first, second, configuration });
                }
            }
        }
    }
    Ok(merged)
}

/// Refuses spaces that differ in a known property.
fn agree(
    first: &str,
    a: &RecordedSpace,
    second: &str,
    b: &RecordedSpace,
) -> Result<(), MergeError> {
    let names = |space: &RecordedSpace| -> String {
        let mut names: Vec<&str> = space.parameters.iter().map(|(name, _)| &**name).collect();
        names.sort_unstable();
        names.join(", ")
    };
    for (what, a, b) in [
        ("device", &a.device, &b.device),
        ("kernel", &a.kernel, &b.kernel),
        ("problem size", &a.problem_size, &b.problem_size),
        ("objective", &a.objective, &b.objective),
        ("list of parameters", &names(a), &names(b)),
    ] {
        if a != b && !a.is_empty() && !b.is_empty() {
            let (first, second) = (first.to_owned(), second.to_owned());
            return Err(MergeError::Differs { first, second, what, a: a.clone(), b: b.clone() });
        }
    }
    Ok(())
}

/// A space with the rows of the first space, and the headers and values of both.
fn join(a: &RecordedSpace, b: &RecordedSpace) -> RecordedSpace {
    let joined = |(name, values): &(String, Vec<Value>)| {
        let other = b.parameters.iter().find(|(other, _)| other == name);
        let other = other.map_or(&[][..], |(_, values)| values);
        (name.clone(), union(values, other))
    };
    let mut space = RecordedSpace::new(a.parameters.iter().map(joined).collect());
    let known = |a: &String, b: &String| if a.is_empty() { b.clone() } else { a.clone() };
    space.format = a.format;
    space.device = known(&a.device, &b.device);
    space.kernel = known(&a.kernel, &b.kernel);
    space.problem_size = known(&a.problem_size, &b.problem_size);
    space.objective = known(&a.objective, &b.objective);
    space.header.clone_from(&a.header);
    let more = b.header.iter().filter(|(name, _)| !a.header.iter().any(|(n, _)| n == name));
    space.header.extend(more.cloned());
    space.units = b.units.clone().into_iter().chain(a.units.clone()).collect();
    space.warnings = a.warnings.iter().chain(&b.warnings).cloned().collect();
    bound(&mut space.warnings);
    for (configuration, trial) in a.rows().iter() {
        space.insert(configuration, trial.clone());
    }
    space
}

/// The values of both lists; ascending if both lists are.
fn union(a: &[Value], b: &[Value]) -> Vec<Value> {
    let mut all = a.to_vec();
    let known = ValueIndex::of(a);
    all.extend(b.iter().filter(|value| known.position(value).is_none()).cloned());
    if a.is_sorted() && b.is_sorted() {
        all.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
    }
    all
}

#[cfg(test)]
mod tests {
    use records::RecordedTrial;

    use super::*;

    fn space(device: &str, rows: &[(i64, f64)]) -> RecordedSpace {
        let values = rows.iter().map(|(value, _)| Value::Int(*value)).collect();
        let mut space = RecordedSpace::new(vec![("a".to_owned(), values)]);
        space.device = device.to_owned();
        for (value, time) in rows {
            let configuration = Named(vec![("a".to_owned(), Value::Int(*value))]);
            let trial = RecordedTrial { time_ms: Some(*time), ..RecordedTrial::default() };
            space.insert(configuration, trial);
        }
        space
    }

    fn merged(a: RecordedSpace, b: RecordedSpace, how: Conflict) -> Result<RecordedSpace, String> {
        let named = [("A".to_owned(), a), ("B".to_owned(), b)];
        merge(named, how).map_err(|error| error.to_string())
    }

    #[test]
    fn rows_and_values_of_all_are_there_once() {
        let space = merged(
            space("D", &[(1, 1.0), (4, 2.0)]),
            space("", &[(2, 3.0), (4, 2.0)]),
            Conflict::Error,
        )
        .expect("merged");
        assert_eq!(space.device, "D");
        assert_eq!(space.parameters[0].1, [1, 2, 4].map(Value::Int));
        let times: Vec<_> = space.trials().iter().filter_map(|trial| trial.time_ms).collect();
        assert_eq!(times, [1.0, 2.0, 3.0]);
    }

    #[test]
    fn other_devices_and_other_parameters_are_refused_by_name() {
        let error = merged(space("D", &[(1, 1.0)]), space("E", &[(2, 1.0)]), Conflict::Last);
        let error = error.expect_err("another device");
        assert!(error.contains("the device is `D`") && error.contains("`B`"), "{error}");
        let other = RecordedSpace::new(vec![("b".to_owned(), vec![Value::Int(1)])]);
        let error = merged(space("", &[(1, 1.0)]), other, Conflict::Last).expect_err("another");
        assert!(error.contains("the list of parameters is `a`"), "{error}");
    }

    #[test]
    fn rows_that_differ_are_settled_as_asked() {
        let (a, b) = (space("D", &[(1, 1.0)]), space("D", &[(1, 2.0)]));
        let time = |how| {
            let space = merged(a.clone(), b.clone(), how)?;
            Ok::<_, String>(space.trials()[0].time_ms)
        };
        assert_eq!(time(Conflict::First), Ok(Some(1.0)));
        assert_eq!(time(Conflict::Last), Ok(Some(2.0)));
        let error = time(Conflict::Error).expect_err("they differ");
        assert!(error.contains("record a=1 differently"), "{error}");
    }
}
