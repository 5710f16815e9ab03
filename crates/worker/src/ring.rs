//! Rings of copies of an argument, their purposes, and which copies runs use in turn.

use std::collections::BTreeMap;

use autobench_sdk::document::{Fill, Role};
use device::{
    Buffer,
    workload::{Argument, Content, Workload},
};
use space::accuracy::Element;

use super::turn::Turn;

/// Most bytes between two slots, assumed when memory is planned.
pub(super) const GAP: u64 = 8192;

#[derive(Debug)]
pub(super) struct Ring {
    pub(super) number: u64,
    pub(super) purpose: RingPurpose,
    pub(super) buffer: Buffer,
    pub(super) bytes: u64,
    pub(super) slots: u32,
    /// Whether the ring holds the content of its purpose.
    pub(super) filled: bool,
    /// Value of the arena's clock at the last use.
    pub(super) used: u64,
}

/// What a ring holds. Rings of equal purposes are interchangeable.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RingPurpose {
    pub(super) argument: usize,
    pub(super) part: RingRole,
    pub(super) element: Element,
    pub(super) count: u64,
    /// Only for inputs: generator, seed, and the size if a plugin's elements depend on it.
    pub(super) content: Option<(Fill, u64, u64)>,
}

/// Whether kernels use a ring, or an argument is restored from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RingRole {
    Working,
    Original,
}

impl RingPurpose {
    /// Whether every run uses another copy. True for all rings that kernels use, except constants.
    pub(super) fn goes_round(&self, argument: &Argument) -> bool {
        self.part == RingRole::Working && argument.role != Role::Constant
    }
}

impl Ring {
    pub(super) fn serves(&self, purpose: &RingPurpose, slots: u32) -> bool {
        self.slots >= slots && self.purpose == *purpose
    }
}

/// Slots that the next runs of a size use, and slots that earlier runs have changed.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Rotation {
    /// For rings that are restored: the next slot to use.
    pub(super) next: u32,
    /// For rings that need no restoring: the next slots to use, by number of slots.
    pub(super) turns: BTreeMap<u32, Turn>,
    /// Rings of written arguments, each with the ring of its original.
    pub(super) written: Vec<(u64, u64)>,
    /// The first `changed` slots of the written rings may differ from their originals.
    pub(super) changed: u32,
}

impl Rotation {
    /// Adds a written argument. The content of its ring is unknown, so all of it will be restored.
    pub(super) fn add(&mut self, working: u64, original: u64) {
        if !self.written.contains(&(working, original)) {
            self.written.push((working, original));
            self.changed = u32::MAX;
        }
    }
}

/// The rings that a workload needs, in the order of its arguments.
pub(super) fn purposes(workload: &Workload, seed: u64) -> Vec<(RingPurpose, &Argument)> {
    let mut wanted = Vec::new();
    for (at, argument) in workload.arguments.iter().enumerate() {
        let Content::Buffer { fill, .. } = &argument.content else { continue };
        let size = if *fill == Fill::Plugin { workload.size } else { 0 };
        let content = Some((fill.clone(), seed, size));
        let purpose = |part, content| RingPurpose {
            argument: at,
            part,
            element: argument.element,
            count: argument.count().unwrap_or(0),
            content,
        };
        match argument.role {
            Role::In | Role::Constant => {
                wanted.push((purpose(RingRole::Working, content), argument))
            }
            Role::Out | Role::Scratch => wanted.push((purpose(RingRole::Working, None), argument)),
            Role::Inout => {
                wanted.push((purpose(RingRole::Working, None), argument));
                wanted.push((purpose(RingRole::Original, content), argument));
            }
        }
    }
    wanted
}

pub(super) fn bytes_of(argument: &Argument) -> u64 {
    argument.count().map_or(0, |_| argument.bytes().max(1))
}
