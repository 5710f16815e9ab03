//! A recorded space as a space of its own, and where each of its rows lies in it.

use crate::{
    records::{Named, RecordedSpace, RecordedTrial},
    space::{Configuration, ConfigurationId, Parameter, Space},
};

/// The space of exactly the recorded configurations, and what was recorded of each, by number.
///
/// # Errors
/// When the parameters are faulty.
pub(super) fn placed(
    recorded: &RecordedSpace,
) -> Result<(Space, Vec<Option<&RecordedTrial>>), String> {
    let parameters: Vec<Parameter> = recorded
        .parameters
        .iter()
        .map(|(name, values)| Parameter::new(name, values.clone()))
        .collect();
    let place = |named: &Named| -> Option<Configuration> {
        let index = |p: &Parameter| u32::try_from(p.index_of(named.get(&p.name)?)?).ok();
        parameters.iter().map(index).collect::<Option<Vec<_>>>().map(Configuration)
    };
    let placed: Vec<(Configuration, &RecordedTrial)> =
        recorded.rows().iter().filter_map(|(named, trial)| Some((place(named)?, trial))).collect();
    let listed = placed.iter().map(|(configuration, _)| configuration.clone());
    let space = Space::of_configurations(parameters.clone(), listed).map_err(|e| e.to_string())?;
    let mut trials = vec![None; usize::try_from(space.len()).unwrap_or(0)];
    for (configuration, trial) in placed {
        if let Some(ConfigurationId(at)) = space.id_of(&configuration) {
            trials[at as usize] = Some(trial);
        }
    }
    Ok((space, trials))
}
