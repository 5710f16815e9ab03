//! Spaces that a search of knobs does without, so that its answer can be scored where it is a stranger: each by itself,
//! all of a kernel, and all of a device.

use std::collections::{BTreeMap, BTreeSet};

use super::Landscape;

/// Name of a kernel or device that spaces do not tell.
const UNKNOWN: &str = "unknown";

/// What spaces that are left out together have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LeftOutBy {
    /// It is one space.
    Space,
    /// The kernel.
    Kernel,
    /// The device.
    Device,
}

impl LeftOutBy {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Space, Self::Kernel, Self::Device];

    /// What it is called.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Space => "space",
            Self::Kernel => "kernel",
            Self::Device => "device",
        }
    }

    /// Its name of a space; empty where nobody knows.
    fn of(self, landscape: &Landscape) -> &str {
        match self {
            Self::Space => &landscape.name,
            Self::Kernel => &landscape.origin.kernel,
            Self::Device => &landscape.origin.device,
        }
    }
}

/// Spaces that a search does without.
#[derive(Debug, Clone, PartialEq)]
pub struct LeftOutSpaces {
    /// What they have in common.
    pub by: LeftOutBy,
    /// Its name.
    pub name: String,
    /// Their numbers.
    pub spaces: Vec<usize>,
}

/// What is left out by turns. Kernels and devices count where there are several, and they part the spaces in another
/// way than what comes before. Spaces that do not tell theirs are left out together.
pub(super) fn parts(landscapes: &[Landscape]) -> Vec<LeftOutSpaces> {
    if landscapes.len() < 2 {
        return Vec::new();
    }
    let each = landscapes.iter().enumerate().map(|(at, landscape)| LeftOutSpaces {
        by: LeftOutBy::Space,
        name: landscape.name.clone(),
        spaces: vec![at],
    });
    let mut parts: Vec<LeftOutSpaces> = each.collect();
    let mut ways = vec![of_spaces(&parts)];
    for by in [LeftOutBy::Kernel, LeftOutBy::Device] {
        let mut groups = BTreeMap::<&str, Vec<usize>>::new();
        for (at, landscape) in landscapes.iter().enumerate() {
            groups.entry(by.of(landscape)).or_default().push(at);
        }
        let several = groups.len() > 1;
        let group = |(name, spaces): (&str, _)| LeftOutSpaces {
            by,
            name: if name.is_empty() { UNKNOWN } else { name }.to_owned(),
            spaces,
        };
        let groups: Vec<LeftOutSpaces> = groups.into_iter().map(group).collect();
        let way = of_spaces(&groups);
        if several && !ways.contains(&way) {
            ways.push(way);
            parts.extend(groups);
        }
    }
    parts
}

fn of_spaces(parts: &[LeftOutSpaces]) -> BTreeSet<Vec<usize>> {
    parts.iter().map(|part| part.spaces.clone()).collect()
}
