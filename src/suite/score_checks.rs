//! Checks of a suite's comparisons of strategies, made before any of them begins.

use std::path::{Path, PathBuf, absolute};

use batch::suites::{PlannedStudy, Published, PublishedFigure, is_space_path};
use records::{EVERY_STRATEGY, StudyFolder};
use registry::did_you_mean;
use scoring::ScoredStrategy;

use super::command_lines::{SPACES, StudyLine};
use crate::{
    score::{
        PreparedScore, RECORDING,
        spaces::{Spaces, Studies, recorded_in},
    },
    terminal::Failure,
};

/// Checks comparisons of strategies. Reads each space once.
pub(super) struct ScoreChecks {
    /// The folder given with `--spaces`, which replaces the spaces of all comparisons.
    folder: Option<PathBuf>,
    /// Whether comparisons may lack spaces: true for a dry run.
    may_lack: bool,
    spaces: Spaces,
}

impl ScoreChecks {
    pub(super) fn new(folder: Option<&Path>, may_lack: bool) -> Self {
        let whole = |path: &Path| absolute(path).unwrap_or_else(|_| path.to_owned());
        Self { folder: folder.map(whole), may_lack, spaces: Spaces::kept() }
    }

    /// Sets the spaces of a comparison, and reads all files that it names. Returns its published
    /// values, with the strategies under their labels.
    pub(super) fn checked(&mut self, planned: &mut PlannedStudy) -> Result<Published, Failure> {
        let found = match self.found(planned) {
            Err(_) if self.may_lack && self.folder.is_none() => Vec::new(),
            found => found?,
        };
        if !found.is_empty() {
            let texts = found.iter().map(|path| path.display().to_string()).collect();
            planned.set_several(SPACES, texts);
        }
        let line = StudyLine::read(&planned.arguments()).map_err(Failure::settings)?;
        let StudyLine::Score(arguments) = line else {
            return Err(Failure::bug("a comparison changed its command"));
        };
        let known = arguments.labels()?;
        if !found.is_empty() {
            PreparedScore::prepare(&arguments, &mut self.spaces)?;
        }
        let mut published = plainly(planned);
        for figure in &planned.published.figures {
            let label = |text: &str| {
                if text == EVERY_STRATEGY {
                    return Ok(text.to_owned());
                }
                let parsed = ScoredStrategy::parse(text).map(|strategy| strategy.label);
                parsed.ok().filter(|label| known.contains(label)).ok_or_else(|| {
                    let meant = did_you_mean(text, known.iter().map(String::as_str));
                    Failure::settings(format!("`{text}` is no strategy of this study{meant}"))
                })
            };
            let mut name = figure.figure.clone();
            if let Some(other) = name.as_mut().and_then(|name| name.against.as_mut()) {
                *other = label(other)?;
            }
            published.figures.push(PublishedFigure {
                strategy: label(&figure.strategy.text)?,
                figure: name,
                text: figure.text.text.clone(),
            });
        }
        Ok(published)
    }

    /// The spaces of a comparison. With a given folder: the spaces in it, or only those that the
    /// comparison names. Without a folder: the paths that the comparison names.
    fn found(&self, planned: &PlannedStudy) -> Result<Vec<PathBuf>, Failure> {
        let words: Vec<&str> =
            planned.words(SPACES).iter().map(|word| word.text.as_str()).collect();
        let names = words.iter().filter(|word| !is_space_path(word)).copied();
        let names: Vec<&str> = names.collect();
        match (&self.folder, names.as_slice()) {
            (None, []) if !words.is_empty() => {
                let paths: Vec<PathBuf> = words.iter().map(PathBuf::from).collect();
                match paths.iter().find(|path| !path.exists()) {
                    Some(path) => Err(Failure::settings(format!(
                        "there is no `{}` to score on",
                        path.display()
                    ))),
                    None => Ok(paths),
                }
            }
            (None, _) => {
                let what = match names.first() {
                    Some(name) => format!("no recorded space of `{name}` is given"),
                    None => format!("`{}` has no recorded spaces", planned.command),
                };
                Err(Failure::settings(what).hint(format!("give --spaces DIR; {RECORDING}")))
            }
            (Some(folder), []) => Ok(vec![folder.clone()]),
            (Some(folder), names) => {
                let all = recorded_in(folder, Studies::Whole).map_err(Failure::settings)?;
                let mut found = Vec::new();
                for name in names {
                    let of_name = all.iter().filter(|path| is_of(path, name));
                    let before = found.len();
                    found.extend(of_name.cloned());
                    if found.len() == before {
                        return Err(Failure::settings(format!(
                            "`{}` holds no recorded space of `{name}`",
                            folder.display()
                        ))
                        .hint(RECORDING));
                    }
                }
                Ok(found)
            }
        }
    }
}

/// The published texts of a study, without the values of strategies.
pub(super) fn plainly(planned: &PlannedStudy) -> Published {
    Published {
        texts: planned.published.texts.iter().map(|word| word.text.clone()).collect(),
        figures: Vec::new(),
        differs: planned.differs.as_ref().map_or_else(String::new, |word| word.text.clone()),
    }
}

/// Whether a recorded space belongs to a benchmark: a study of it, or a file whose name begins with
/// the benchmark's name.
fn is_of(path: &Path, name: &str) -> bool {
    let same = |other: &str| other.replace('-', "_") == name.replace('-', "_");
    if let Ok(study) = StudyFolder::open(path) {
        return study.read_study().is_ok_and(|study| same(&study.benchmark.name));
    }
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = file.trim_end_matches(".gz").trim_end_matches(".json");
    let begins = stem.len() >= name.len() && stem.is_char_boundary(name.len());
    let ends = stem.get(name.len()..).unwrap_or_default();
    let apart = ends.chars().next().is_none_or(|c| !c.is_alphanumeric());
    begins && same(&stem[..name.len()]) && apart
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_of_the_benchmark_that_their_names_begin_with() {
        for (file, name, is) in [
            ("gemm_cpu.json.gz", "gemm", true),
            ("gemm.json", "gemm", true),
            ("black_scholes_A100.json", "black-scholes", true),
            ("gemm2_cpu.json", "gemm", false),
            ("ge.json", "gemm", false),
            ("été.json", "ét", false),
        ] {
            assert_eq!(is_of(Path::new(file), name), is, "{file}");
        }
    }
}
