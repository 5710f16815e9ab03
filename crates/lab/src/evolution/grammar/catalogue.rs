//! All kinds of blocks, and the shared functions that blocks call.

use super::{
    kind::{Kind, Role, text},
    models, moves, walks,
};

/// Every kind, in the order of the source files.
pub(super) fn kinds() -> impl Iterator<Item = &'static Kind> {
    walks::KINDS.iter().chain(moves::KINDS).chain(models::KINDS)
}

pub(super) fn of(role: Role) -> impl Iterator<Item = &'static Kind> {
    kinds().filter(move |kind| kind.role == role)
}

/// The kind with this name in a role.
pub(super) fn find(role: Role, name: &str) -> Option<&'static Kind> {
    of(role).find(|kind| kind.name == name)
}

/// A function that several blocks call.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) name: &'static str,
    /// Other shared functions that this one calls.
    pub(super) needs: &'static [&'static str],
    pub(super) text: &'static str,
}

/// Shared functions, each after the functions that it calls. `visit` calls everything before it.
pub(super) const SHARED: &[Shared] = &[
    Shared { name: "ranking", needs: &[], text: text!("ranking") },
    Shared { name: "history", needs: &[], text: text!("history") },
    Shared { name: "visit", needs: &[], text: text!("visit") },
    Shared { name: "level", needs: &["ranking"], text: text!("level") },
    Shared { name: "share_below", needs: &["ranking"], text: text!("share_below") },
    Shared { name: "distance", needs: &[], text: text!("distance") },
    Shared { name: "lessons", needs: &["ranking", "history"], text: text!("lessons") },
    Shared { name: "far", needs: &["history", "distance"], text: text!("far") },
    Shared { name: "fresh", needs: &[], text: text!("fresh") },
];

/// Code for children of members; follows the members.
pub(super) const BORN: &str = text!("mutated");
/// Code for members, in a walk of one place.
pub(super) const ELITE: &str = text!("elite");
/// Code for the next start of a walk of one place.
pub(super) const SETTLE_WALK: &str = text!("settle_walk");
/// Code for the next start of a tabu walk.
pub(super) const SETTLE_TABU: &str = text!("settle_tabu");
/// Code for the next start of a population.
pub(super) const SETTLE_POPULATION: &str = text!("settle_population");
/// Code for proposals of a single move.
pub(super) const PROPOSE_ONE: &str = text!("propose_one");
/// Code for proposals of several moves.
pub(super) const PROPOSE_MANY: &str = text!("propose_many");
/// Code that picks the most promising of a few proposals.
pub(super) const CHOOSE_POOL: &str = text!("choose_pool");
/// Code that picks the most promising point among those of a Gaussian process.
pub(super) const CHOOSE_WATCHED: &str = text!("choose_watched");

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_unique_within_a_role_and_what_blocks_need_is_there() {
        let mut seen = BTreeSet::new();
        for kind in kinds() {
            assert!(seen.insert((kind.role, kind.name)), "{} twice", kind.name);
            assert!(kind.weight > 0.0 && !kind.about.is_empty() && !kind.text.is_empty());
            for need in kind.needs {
                assert!(*need == "born" || SHARED.iter().any(|shared| shared.name == *need));
            }
        }
        for (at, shared) in SHARED.iter().enumerate() {
            let before = |need: &str| SHARED[..at].iter().any(|earlier| earlier.name == need);
            assert!(shared.needs.iter().all(|need| before(need)), "{}", shared.name);
        }
    }

    #[test]
    fn every_block_and_setting_stands_in_the_documentation() {
        let page = include_str!("../../../../../docs/guide/lab.md");
        for kind in kinds() {
            let names = kind.settings.iter().map(|setting| setting.name).chain([kind.name]);
            for name in names {
                assert!(page.contains(&format!("`{name}`")), "{name} of {}", kind.name);
            }
        }
    }

    #[test]
    fn every_setting_stands_in_the_text_of_its_block() {
        for kind in kinds() {
            for setting in kind.settings {
                let knob = format!("knobs.{}", setting.name);
                let shared = [CHOOSE_POOL, CHOOSE_WATCHED, BORN].join("");
                let is_restart = kind.role == Role::Restart && setting.name == "patience";
                let stands = kind.text.contains(&knob)
                    || kind.text.contains(&setting.name.to_uppercase())
                    || shared.contains(&knob)
                    || is_restart;
                assert!(stands, "{} has no {}", kind.name, setting.name);
            }
        }
    }
}
