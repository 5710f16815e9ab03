//! Kinds that begin a search, that decide where moves start, and that restart it.

use super::{
    kind::{Kind, Role, even, scale, text, whole},
    setting::Setting,
};

const DESIGN: Setting = whole("design", "configurations to begin with", 0, 24);
const FAILURES_BEFORE_RESTART: Setting =
    whole("patience", "evaluations without anything better before a new beginning", 8, 150);

const HOT: &str = "temperature at first";
const COLD: &str = "temperature at the end";

/// Walks of one place, populations, designs and restarts.
pub(super) const KINDS: &[Kind] = &[
    Kind {
        role: Role::Design,
        name: "random",
        about: "begins at random",
        weight: 1.0,
        settings: &[DESIGN],
        needs: &[],
        text: text!("design_random"),
    },
    Kind {
        role: Role::Design,
        name: "spread",
        about: "begins with places far from each other",
        weight: 2.0,
        settings: &[DESIGN],
        needs: &["far"],
        text: text!("design_spread"),
    },
    Kind {
        role: Role::Design,
        name: "centred",
        about: "begins at the centre and far from it",
        weight: 2.0,
        settings: &[DESIGN],
        needs: &["far"],
        text: text!("design_centred"),
    },
    Kind {
        role: Role::Walk,
        name: "best",
        about: "goes on from the best",
        weight: 2.0,
        settings: &[],
        needs: &[],
        text: text!("walk_best"),
    },
    Kind {
        role: Role::Walk,
        name: "strict",
        about: "climbs",
        weight: 2.0,
        settings: &[],
        needs: &[],
        text: text!("walk_strict"),
    },
    Kind {
        role: Role::Walk,
        name: "threshold",
        about: "accepts up to a falling threshold",
        weight: 1.0,
        settings: &[scale(
            "threshold",
            "threshold at first, 1 being from the best to the median",
            0.02,
            1.0,
        )],
        needs: &["level"],
        text: text!("walk_threshold"),
    },
    Kind {
        role: Role::Walk,
        name: "annealing",
        about: "anneals",
        weight: 1.0,
        settings: &[scale("hot", HOT, 0.05, 2.0), scale("cold", COLD, 1e-4, 0.05)],
        needs: &["level"],
        text: text!("walk_annealing"),
    },
    Kind {
        role: Role::Walk,
        name: "rank_annealing",
        about: "anneals by ranks",
        weight: 1.0,
        settings: &[scale("hot", HOT, 0.02, 0.5), scale("cold", COLD, 1e-4, 0.02)],
        needs: &["share_below"],
        text: text!("walk_rank_annealing"),
    },
    Kind {
        role: Role::Walk,
        name: "late",
        about: "accepts what would have been better some steps ago",
        weight: 1.0,
        settings: &[whole("lateness", "steps ago that a place is compared with", 2, 40)],
        needs: &[],
        text: text!("walk_late"),
    },
    Kind {
        role: Role::Walk,
        name: "tabu",
        about: "walks on from the best of a few and never returns",
        weight: 1.0,
        settings: &[whole("tried", "places of which a step takes the best", 2, 20)],
        needs: &[],
        text: text!("walk_tabu"),
    },
    Kind {
        role: Role::Walk,
        name: "population",
        about: "keeps a population of the best",
        weight: 2.5,
        settings: &[
            whole("population", "members of the population", 4, 40),
            whole("tournament", "members of which the best becomes a parent", 1, 6),
        ],
        needs: &["ranking"],
        text: text!("population"),
    },
    Kind {
        role: Role::Walk,
        name: "aging",
        about: "keeps a population of the youngest",
        weight: 0.7,
        settings: &[
            whole("population", "members of the population", 6, 40),
            whole("tournament", "members of which the best becomes a parent", 2, 10),
        ],
        needs: &["ranking"],
        text: text!("population_aging"),
    },
    Kind {
        role: Role::Restart,
        name: "anywhere",
        about: "restarts anywhere",
        weight: 0.7,
        settings: &[FAILURES_BEFORE_RESTART],
        needs: &[],
        text: text!("restart_anywhere"),
    },
    Kind {
        role: Role::Restart,
        name: "far",
        about: "restarts far away",
        weight: 1.0,
        settings: &[FAILURES_BEFORE_RESTART],
        needs: &["far"],
        text: text!("restart_far"),
    },
    Kind {
        role: Role::Restart,
        name: "kick",
        about: "restarts beside the best",
        weight: 2.0,
        settings: &[
            FAILURES_BEFORE_RESTART,
            whole("kick", "parameters that change at most", 1, 6),
            even("elsewhere", "chance to begin anywhere", 0.0, 0.4),
        ],
        needs: &["fresh"],
        text: text!("restart_kick"),
    },
    Kind {
        role: Role::Restart,
        name: "elites",
        about: "restarts from values of the best",
        weight: 1.5,
        settings: &[
            FAILURES_BEFORE_RESTART,
            even("inherit", "chance that a value is one of the best's", 0.4, 0.95),
        ],
        needs: &["ranking", "fresh"],
        text: text!("restart_elites"),
    },
    Kind {
        role: Role::Restart,
        name: "promising",
        about: "restarts at the most promising of many",
        weight: 2.0,
        settings: &[
            FAILURES_BEFORE_RESTART,
            whole("strangers", "random configurations to choose from", 20, 200),
        ],
        needs: &[],
        text: text!("restart_promising"),
    },
];
