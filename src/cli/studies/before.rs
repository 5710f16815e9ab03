//! What the study before this one answered, so that whoever repeats a study sees how far the answers agree.

use std::{fs, path::PathBuf};

use crate::{
    comparison::Studied,
    exporters::quantities::{grouped, significant},
    records::{StudyFolder, StudyRecord, StudyView, Tempos},
    settings::{Goal, StudySettings},
};

/// The machine copies this much faster or slower, from which on it is said.
const NOTABLE: f64 = 1.15;

/// A sentence on the latest finished study of the same plan beside this one, if there is one.
pub(super) fn sentence(
    folder: &StudyFolder,
    record: &StudyRecord,
    view: &StudyView,
) -> Option<String> {
    if record.settings.goal != Goal::Saturate || record.is_replayed() {
        return None;
    }
    let before = latest(folder, record)?;
    let said = match knee(&before.view) {
        Some((size, Some((low, high)))) => {
            format!("{} ({} to {})", grouped(size), grouped(low as u64), grouped(high as u64))
        }
        Some((size, None)) => grouped(size),
        None => "no knee".to_owned(),
    };
    let earlier = (record.started - before.record.started).num_minutes();
    let mut text = format!("{said}, begun {} earlier", duration(earlier));
    if let Some(pace) = pace(&before.view, view) {
        text += &format!("; {pace}");
    }
    let apart = match (knee(&before.view), knee(view)) {
        (Some((_, Some(a))), Some((_, Some(b)))) => a.1 < b.0 || b.1 < a.0,
        (a, b) => a.is_some() != b.is_some(),
    };
    if apart {
        text += ": the two do not agree, `--repeat 5` shows how far answers of this machine hold";
    }
    Some(text)
}

/// The latest finished study of the same plan on the same device, in the same folder of results.
fn latest(folder: &StudyFolder, record: &StudyRecord) -> Option<Studied> {
    let own = folder.path().file_name()?.to_str()?;
    // Names are a time and what was studied; those of a time are numbered.
    let kind = |name: &str| Some(name.split_once('_')?.1.to_owned());
    let of_kind = kind(own)?;
    let entries = fs::read_dir(folder.path().parent()?).ok()?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> =
        names.filter(|name| name.as_str() < own && kind(name).as_ref() == Some(&of_kind)).collect();
    names.sort_unstable();
    names.iter().rev().find_map(|name| {
        let path: PathBuf = folder.path().with_file_name(name);
        let study = Studied::read(&path).ok()?;
        let is_same = study.is_finished()
            && study.record.host.name == record.host.name
            && study.record.device.name == record.device.name
            && same_but_for_chance(&study.record, record);
        is_same.then_some(study)
    })
}

/// Whether two studies were asked for the same, whatever their seeds and tags, and wherever the benchmark
/// that the folder names lies.
fn same_but_for_chance(before: &StudyRecord, now: &StudyRecord) -> bool {
    let StudySettings { benchmark, seed, tags, .. } = now.settings.clone();
    StudySettings { benchmark, seed, tags, ..before.settings.clone() } == now.settings
}

fn knee(view: &StudyView) -> Option<(u64, Option<(f64, f64)>)> {
    let accepted = view.accepted.as_ref()?;
    Some((accepted.size, view.deciding().and_then(|finding| finding.interval)))
}

/// How fast the machine's memory was then, if it was not as fast as now.
fn pace(before: &StudyView, now: &StudyView) -> Option<String> {
    let seconds = |view: &StudyView| Tempos::copy_seconds(view.answer_rounds());
    let factor = seconds(before)? / seconds(now)?;
    match factor {
        factor if factor > NOTABLE => {
            Some(format!("the machine's memory was {}× slower then", significant(factor, 2)))
        }
        factor if factor < 1.0 / NOTABLE => {
            Some(format!("the machine's memory was {}× faster then", significant(1.0 / factor, 2)))
        }
        _ => None,
    }
}

fn duration(minutes: i64) -> String {
    match minutes {
        ..=1 => "a minute".to_owned(),
        2..=119 => format!("{minutes} minutes"),
        120..=2879 => format!("{} hours", minutes / 60),
        _ => format!("{} days", minutes / 1440),
    }
}
