//! Kinds that make proposals, and kinds that choose the next move.

use super::{
    kind::{Kind, Role, even, scale, text, whole},
    setting::Setting,
};

const MUTATION: Setting = even("mutation", "chance that a child changes a parameter", 0.0, 0.8);
const ELITE: Setting = whole("elite", "best places that values are taken from", 2, 24);
const FADING: Setting =
    even("memory_of_moves", "weight of a move's success after another move", 0.8, 1.0);

/// Setting of every move under a fixed or shifting choice.
pub(super) const SHARE: Setting = scale("share", "how often this move is taken", 0.1, 1.0);
/// The share at the end of the budget, for a shifting choice.
pub(super) const LATE: Setting =
    scale("late", "how often this move is taken at the end of the budget", 0.1, 1.0);

/// Moves that take values from members. In a walk of one place, the best places are members.
pub(super) const OF_MEMBERS: [&str; 5] = ["breed", "splice", "differ", "harmony", "relink"];

/// Setting for the number of best places that are members, in a walk of one place.
pub(super) const MEMBERS: Setting = ELITE;

const fn neighbours(name: &'static str, text: &'static str, weight: f64) -> Kind {
    Kind { role: Role::Move, name, about: name, weight, settings: &[], needs: &[], text }
}

const fn mixing(
    name: &'static str,
    settings: &'static [Setting],
    needs: &'static [&'static str],
    text: &'static str,
) -> Kind {
    Kind { role: Role::Move, name, about: name, weight: 1.2, settings, needs, text }
}

const fn choice(
    name: &'static str,
    about: &'static str,
    settings: &'static [Setting],
    text: &'static str,
) -> Kind {
    Kind { role: Role::Choice, name, about, weight: 1.0, settings, needs: &[], text }
}

/// Neighbourhoods, combinations of members, and choices among moves.
pub(super) const KINDS: &[Kind] = &[
    neighbours("hamming", text!("move_hamming"), 4.0),
    neighbours("hamming_adjacent", text!("move_hamming_adjacent"), 0.8),
    neighbours("adjacent", text!("move_adjacent"), 0.8),
    neighbours("strictly_adjacent", text!("move_strictly_adjacent"), 0.6),
    mixing(
        "several",
        &[whole("changes", "parameters that change at most", 2, 6)],
        &[],
        text!("move_several"),
    ),
    mixing(
        "flight",
        &[
            whole("wings", "parameters that move at most", 1, 5),
            even("tail", "how rare long flights are", 0.6, 2.5),
        ],
        &[],
        text!("move_flight"),
    ),
    mixing(
        "breed",
        &[even("other", "chance that a value is the other parent's", 0.1, 0.5), MUTATION],
        &["born"],
        text!("move_breed"),
    ),
    mixing("splice", &[MUTATION], &["born"], text!("move_splice")),
    mixing(
        "differ",
        &[
            even("factor", "share of a difference that is added", 0.3, 1.3),
            even("rate", "chance that a value moves", 0.1, 0.9),
        ],
        &[],
        text!("move_differ"),
    ),
    mixing(
        "harmony",
        &[
            even("remember", "chance that a value is a member's", 0.5, 1.0),
            even("pitch", "chance that such a value moves by a step", 0.0, 0.5),
        ],
        &[],
        text!("move_harmony"),
    ),
    mixing("relink", &[], &[], text!("move_relink")),
    neighbours("anywhere", text!("move_anywhere"), 1.2),
    choice("shares", "in fixed shares", &[], text!("choice_shares")),
    choice("shifting", "in shares that shift", &[], text!("choice_shifting")),
    choice(
        "confidence",
        "by upper confidence bounds",
        &[scale("curiosity", "how much rarely tried moves are preferred", 0.05, 2.0), FADING],
        text!("choice_confidence"),
    ),
    choice("thompson", "by Thompson sampling", &[FADING], text!("choice_thompson")),
    choice(
        "variable",
        "in turn",
        &[whole("failures", "failures of a move before it is the next one's turn", 1, 20)],
        text!("choice_variable"),
    ),
];
