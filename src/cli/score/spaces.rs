//! The recorded spaces that a command names: files, and folders of them.

use std::path::{Path, PathBuf};

use super::Failure;
use crate::{cli::output, records::read_space_file, scoring::Landscape};

/// Reads every space. In a folder, files that are no recorded spaces are passed over aloud.
pub(in crate::cli) fn read(paths: &[PathBuf]) -> Result<Vec<Landscape>, Failure> {
    let mut landscapes: Vec<Landscape> = Vec::new();
    for path in paths {
        if path.is_dir() {
            for file in files(path)? {
                match landscape(&file) {
                    Ok(landscape) => landscapes.push(landscape),
                    Err(why) => output::note(&format!("passed over {why}")),
                }
            }
        } else {
            landscapes.push(landscape(path).map_err(Failure::settings)?);
        }
    }
    if landscapes.is_empty() {
        return Err(Failure::settings("there is no recorded space in these folders")
            .hint("name Kernel Tuner cache files, plain or gzipped"));
    }
    distinguish(&mut landscapes);
    Ok(landscapes)
}

/// The files of a folder, by name.
fn files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let failed = |error| Failure::settings(format!("cannot read `{}`: {error}", folder.display()));
    let entries = std::fs::read_dir(folder).map_err(failed)?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            path.is_file() && (name.ends_with(".json") || name.ends_with(".json.gz"))
        })
        .collect();
    files.sort();
    Ok(files)
}

/// Reads one space.
pub(in crate::cli) fn landscape(path: &Path) -> Result<Landscape, String> {
    let recorded = read_space_file(path).map_err(|error| error.to_string())?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.trim_end_matches(".gz").trim_end_matches(".json");
    Landscape::new(name, &recorded).map_err(|why| format!("`{}`: {why}", path.display()))
}

/// Two files of one name get numbers.
fn distinguish(landscapes: &mut [Landscape]) {
    for at in 1..landscapes.len() {
        let name = landscapes[at].name.clone();
        let before = landscapes[..at].iter().filter(|other| other.name == name).count();
        if before > 0 {
            landscapes[at].name = format!("{name} ({})", before + 1);
        }
    }
}
