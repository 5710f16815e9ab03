//! Groups of spaces that a search of knobs leaves out, so that its answer can be scored on spaces
//! that it does not know: each space, all of a kernel, and all of a device.

use std::collections::{BTreeMap, BTreeSet};

use super::Landscape;

/// Name of a kernel or device that is not known.
const UNKNOWN: &str = "unknown";

/// What spaces that are left out together have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LeftOutBy {
    /// Nothing: the group is one space.
    Space,
    /// The kernel.
    Kernel,
    /// The device.
    Device,
}

impl LeftOutBy {
    /// All kinds of groups.
    pub const ALL: [Self; 3] = [Self::Space, Self::Kernel, Self::Device];

    /// The word for it in tables.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Space => "space",
            Self::Kernel => "kernel",
            Self::Device => "device",
        }
    }

    /// Name of this property of a space; empty if it is not known.
    fn of(self, landscape: &Landscape) -> &str {
        match self {
            Self::Space => &landscape.name,
            Self::Kernel => &landscape.origin.kernel,
            Self::Device => &landscape.origin.device,
        }
    }
}

/// Spaces that a search leaves out together.
#[derive(Debug, Clone, PartialEq)]
pub struct LeftOutSpaces {
    /// What they have in common.
    pub by: LeftOutBy,
    /// Name of the space, kernel or device.
    pub name: String,
    /// Positions of the spaces.
    pub spaces: Vec<usize>,
}

/// The groups that are left out, one at a time. Kernels and devices count if there are several, and
/// if they group the spaces in a way that does not come earlier. Spaces of unknown kernels or
/// devices are left out together.
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
