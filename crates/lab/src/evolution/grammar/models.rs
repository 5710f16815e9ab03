//! Kinds that predict the cost of a proposal, and kinds that judge it.

use super::{
    kind::{Kind, Role, even, scale, text, whole},
    setting::{Range, Setting},
};

const POOL: Setting = whole("pool", "proposals of which the most promising is evaluated", 4, 60);
const BLIND: Setting = even("blind", "share of proposals that are evaluated unseen", 0.0, 0.3);
const MEMORY: Setting = whole("memory", "places that predictions rest on", 30, 200);
const PRIOR: Setting = scale("prior", "places that speak for no difference", 0.3, 5.0);

const TARGETS: &[(&str, &str)] = &[
    ("ranks", "log(share / (1 - share))"),
    ("levels", "log(0.05 + level(place.cost))"),
    ("both", "log(share / (1 - share)) + log(0.05 + level(place.cost))"),
];

const fn merit(
    name: &'static str,
    about: &'static str,
    settings: &'static [Setting],
    text: &'static str,
) -> Kind {
    Kind { role: Role::Merit, name, about, weight: 1.0, settings, needs: &[], text }
}

/// Models, from the simplest to the most complex, and merits.
pub(super) const KINDS: &[Kind] = &[
    Kind {
        role: Role::Model,
        name: "additive",
        about: "what each value is worth",
        weight: 0.8,
        settings: &[POOL, BLIND, MEMORY, PRIOR],
        needs: &["lessons"],
        text: text!("model_additive"),
    },
    Kind {
        role: Role::Model,
        name: "frequencies",
        about: "how often good places have its values",
        weight: 0.8,
        settings: &[
            POOL,
            BLIND,
            MEMORY,
            PRIOR,
            even("quantile", "share of places that are good", 0.08, 0.4),
        ],
        needs: &["lessons"],
        text: text!("model_frequencies"),
    },
    Kind {
        role: Role::Model,
        name: "pairs",
        about: "what pairs of values are worth",
        weight: 0.5,
        settings: &[
            POOL,
            BLIND,
            whole("memory", "places that predictions rest on", 30, 120),
            PRIOR,
        ],
        needs: &["lessons"],
        text: text!("model_pairs"),
    },
    Kind {
        role: Role::Model,
        name: "nearest",
        about: "the places nearest to it",
        weight: 1.5,
        settings: &[
            whole("pool", "proposals of which the most promising is evaluated", 4, 40),
            BLIND,
            whole("memory", "places that predictions rest on", 30, 120),
            even("sharpness", "how much more near places count", 2.0, 6.0),
        ],
        needs: &["lessons", "distance"],
        text: text!("model_nearest"),
    },
    Kind {
        role: Role::Model,
        name: "trees",
        about: "random trees",
        weight: 2.0,
        settings: &[
            POOL,
            BLIND,
            MEMORY,
            whole("trees", "trees", 5, 24),
            whole("splits", "random splits of which the best is taken", 2, 10),
            whole("leaf", "places that are not split", 1, 6),
            whole("every", "evaluations before the trees are grown anew", 1, 8),
        ],
        needs: &["lessons"],
        text: text!("model_trees"),
    },
    Kind {
        role: Role::Model,
        name: "process",
        about: "a Gaussian process",
        weight: 2.0,
        settings: &[
            BLIND,
            whole("watched", "configurations that are watched", 40, 180),
            whole("proposals", "proposals that are watched from then on", 1, 10),
            whole("points", "places in the model when it is made anew", 30, 90),
            scale("length", "distance over which places are alike", 0.5, 8.0),
            scale("jump", "what differing at all counts, beside how far", 0.01, 0.5),
            scale("noise", "variance that no place explains", 1e-4, 0.1),
            whole(
                "fitting",
                "tries to fit each parameter's distance, when the model is made",
                0,
                10,
            ),
            Setting { name: "target", about: "what is predicted", range: Range::Words(TARGETS) },
        ],
        needs: &["lessons", "distance", "level", "share_below"],
        text: text!("model_process"),
    },
    merit("level", "the expected rank", &[], text!("merit_level")),
    merit(
        "bound",
        "a confidence bound",
        &[
            scale("caution", "weight of what is uncertain", 0.1, 3.0),
            even("calming", "by how much that weight falls with the budget", 0.0, 1.0),
        ],
        text!("merit_bound"),
    ),
    merit(
        "gain",
        "expected improvement",
        &[even("ambition", "improvement that does not count", 0.0, 0.1)],
        text!("merit_gain"),
    ),
];
