//! Training spaces, the target kernel, and held-out spaces.

use std::path::Path;

use autobench::{
    score::spaces::{self, Aim, Spaces},
    studies::{BoundArgs, hash},
    terminal::Failure,
};
use records::FamilySpace;
use scoring::{Landscape, Origin, Recollected};

use super::arguments::EvolveArgs;
use crate::evolution::Target;

/// Spaces that score candidates, and spaces that no candidate sees.
pub(super) struct FamilySpaces {
    pub(super) training: Vec<Landscape>,
    pub(super) held_out: Vec<Landscape>,
    /// Name of the kernel that strategies are written for; empty for any kernel.
    pub(super) kernel: String,
    /// Description of that kernel for the generator.
    pub(super) target: Option<Target>,
}

impl FamilySpaces {
    /// Reads all spaces, and refuses a held-out space that is also a training space.
    pub(super) fn read(arguments: &EvolveArgs) -> Result<Self, Failure> {
        let bounds = BoundArgs::default();
        let aim = Aim { objectives: &[], bounds: &bounds, timed: true };
        let mut known = Spaces::default();
        let mut training = spaces::landscapes(&arguments.spaces, &aim, &mut known)?;
        let mut described = None;
        let mut kernel = String::new();
        if let Some(named) = &arguments.target {
            let of_file = of_file(named)?;
            kernel = match &of_file {
                Some(landscape) => called(landscape).to_owned(),
                None => named.clone(),
            };
            let all: Vec<String> = training.iter().map(|one| called(one).to_owned()).collect();
            training.retain(|landscape| is_of(landscape, &kernel));
            if training.is_empty() {
                return Err(no_kernel(&kernel, &all));
            }
            described = of_file;
        }
        let target = match arguments.with_description {
            false => None,
            true => Some(Target::of(described.as_ref().map_or_else(|| only(&training), Ok)?)),
        };
        let held_out = match arguments.test.is_empty() {
            true => Vec::new(),
            false => spaces::landscapes(&arguments.test, &aim, &mut known)?,
        };
        disjoint(&training, &held_out)?;
        Ok(Self { training, held_out, kernel, target })
    }

    /// Hash of the kernel's description for the generator; empty without one.
    pub(super) fn description(&self) -> String {
        self.target
            .as_ref()
            .map_or_else(String::new, |target| hash(format!("{target:?}").as_bytes()))
    }
}

/// The space in the file that --target names; `None` if there is no such file.
fn of_file(named: &str) -> Result<Option<Landscape>, Failure> {
    let path = Path::new(named);
    if !path.exists() {
        return Ok(None);
    }
    let bounds = BoundArgs::default();
    let aim = Aim { objectives: &[], bounds: &bounds, timed: false };
    spaces::landscape(path, &aim).map(Some).map_err(Failure::settings)
}

/// Name of a space's kernel; if unknown, the name of the space.
fn called(landscape: &Landscape) -> &str {
    let kernel = landscape.origin.kernel.as_str();
    if kernel.is_empty() { &landscape.name } else { kernel }
}

/// Whether a space is of this kernel.
fn is_of(landscape: &Landscape, kernel: &str) -> bool {
    is_kernel(&landscape.origin.kernel, &landscape.name, kernel)
}

/// Whether a space is of this kernel: by its recorded kernel, or if none is recorded, by the
/// space's name (`convolution_A100` is of `convolution`).
fn is_kernel(recorded: &str, name: &str, kernel: &str) -> bool {
    let before = name.strip_prefix(kernel);
    match recorded.is_empty() {
        true => before.is_some_and(|rest| rest.is_empty() || rest.starts_with('_')),
        false => recorded == kernel,
    }
}

fn no_kernel(kernel: &str, all: &[String]) -> Failure {
    let mut names = all.to_vec();
    names.sort();
    names.dedup();
    Failure::settings(format!("no training space is of the kernel `{kernel}` (--target)"))
        .hint(format!("the kernels of --spaces are {}", names.join(", ")))
}

/// The first of the training spaces, if all are of one kernel.
fn only(training: &[Landscape]) -> Result<&Landscape, Failure> {
    let first = training.first();
    match first.filter(|first| training.iter().all(|other| called(other) == called(first))) {
        Some(first) => Ok(first),
        None => Err(Failure::settings(
            "--with-description needs one kernel, and the training spaces are of several",
        )
        .hint("name it with --target")),
    }
}

/// Refuses a space that is both seen and held out, even under another name or in another format.
fn disjoint(training: &[Landscape], held_out: &[Landscape]) -> Result<(), Failure> {
    for space in training {
        let recollected = Recollected::of(space);
        let both = held_out.iter().find(|other| recollected.repeats(other));
        if let Some(other) = both {
            let message = match other.name == space.name {
                true => format!("`{}` is among both --spaces and --test", space.name),
                false => format!(
                    "`{}` of --test is the same recording as `{}` of --spaces",
                    other.name, space.name
                ),
            };
            return Err(Failure::settings(format!(
                "{message}: what candidates were scored on says nothing of how good they are elsewhere"
            ))
            .hint("leave it out of one of them"));
        }
    }
    Ok(())
}

/// The record of a space.
pub(super) fn recorded(landscape: &Landscape) -> FamilySpace {
    let Origin { kernel, device, .. } = landscape.origin.clone();
    FamilySpace {
        name: landscape.name.clone(),
        configurations: landscape.space.len(),
        kernel,
        device,
        hash: hash(&content(landscape)),
    }
}

/// Everything that scores depend on: the configurations and their costs.
fn content(landscape: &Landscape) -> Vec<u8> {
    let mut bytes = Vec::new();
    for parameter in landscape.space.parameters() {
        let values: Vec<String> = parameter.values.iter().map(ToString::to_string).collect();
        bytes.extend_from_slice(format!("{}={};", parameter.name, values.join(",")).as_bytes());
    }
    for id in landscape.space.ids() {
        let cell = landscape.cell(id);
        bytes.extend_from_slice(&id.0.to_le_bytes());
        for number in [cell.value.unwrap_or(f64::INFINITY), cell.stages.total(), cell.stages.runs] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        for place in landscape.space.configuration(id).0.iter() {
            bytes.extend_from_slice(&place.to_le_bytes());
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_space_is_of_the_kernel_that_it_was_recorded_of_whatever_its_name() {
        assert!(is_kernel("gemm", "anything", "gemm"));
        assert!(!is_kernel("gemm_tiled", "gemm_tiled_A100", "gemm"));
        assert!(is_kernel("", "gemm_A100", "gemm") && is_kernel("", "gemm", "gemm"));
        assert!(!is_kernel("", "gemmini", "gemm"));
    }
}
