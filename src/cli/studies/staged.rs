//! A study of one stage of a benchmark.

use crate::{cli::terminal::Failure, plugins::Benchmark, settings::StudySettings};

/// The benchmark of a study: the whole, or the stage that the settings name, whose other parameters
/// are then narrowed to their defaults.
pub(in crate::cli) fn staged(
    benchmark: Benchmark,
    settings: &mut StudySettings,
) -> Result<Benchmark, Failure> {
    if settings.stage.is_empty() {
        return Ok(benchmark);
    }
    let stage = benchmark.of_stage(&settings.stage).map_err(Failure::settings)?;
    let kept = benchmark.kept_at_defaults(&settings.stage, &settings.parameters);
    settings.parameters.extend(kept);
    Ok(stage)
}
