//! The knobs, and the settings of papers.

use registry::{Allowed, Knob, Preset};

use crate::problem::form::TPDS2026;

pub(super) const KNOBS: &[Knob] = &[
    Knob {
        name: "form",
        about: "as published, or with its faults mended",
        default: "mended",
        allowed: Allowed::Choice(&["mended", "published"]),
    },
    Knob {
        name: "covariance",
        about: "how the correlation of two configurations falls with their distance; \
                `own` is the form's: matern32 as published, matern52 mended",
        default: "own",
        allowed: Allowed::Choice(&["own", "matern32", "matern52", "rbf"]),
    },
    Knob {
        name: "lengthscale",
        about: "the distance over which the correlation falls, in widths of the space; \
                0 for the form's own: 1.5 as published, 2.5 mended",
        default: "0",
        allowed: Allowed::Number(0.0, 100.0),
    },
    Knob {
        name: "noise",
        about: "the share of the variance that is noise; \
                0 for the form's own: 1e-10 as published, 1e-4 mended",
        default: "0",
        allowed: Allowed::Number(0.0, 1.0),
    },
    Knob {
        name: "acquisition",
        about: "what chooses a configuration; `multi` forms let several functions share the budget",
        default: "multi-ultrafast",
        allowed: Allowed::Choice(&[
            "ei",
            "pi",
            "lcb",
            "lcb-srinivas",
            "multi",
            "multi-advanced",
            "multi-fast",
            "multi-ultrafast",
        ]),
    },
    Knob {
        name: "exploration",
        about: "the exploration factor; 0 for the contextual variance",
        default: "0",
        allowed: Allowed::Number(0.0, 1e9),
    },
    Knob {
        name: "contextual",
        about: "what the contextual variance compares: mean deviations, as Kernel Tuner does, or \
                mean variances, as the paper says",
        default: "deviation",
        allowed: Allowed::Choice(&["deviation", "variance"]),
    },
    Knob {
        name: "zeta",
        about: "factor of the squared number of deviations of lcb-srinivas",
        default: "1",
        allowed: Allowed::Number(0.0, 1e6),
    },
    Knob {
        name: "margin",
        about: "how far below the best the mended form aims, in deviations, for an exploration \
                factor of 1",
        default: "0.05",
        allowed: Allowed::Number(0.0, 100.0),
    },
    Knob {
        name: "patience",
        about: "marks after which a function leaves: rounds in a row with another's choice \
                (multi), or worse or better than the mean by `improvement` (multi-advanced)",
        default: "5",
        allowed: Allowed::Integer(1, 1_000_000),
    },
    Knob {
        name: "discount",
        about: "factor of a function's sum of costs every round; 0 for the paper's: 0.65 for \
                multi, 0.75 for multi-advanced (Kernel Tuner 1.5: 0.95)",
        default: "0",
        allowed: Allowed::Number(0.0, 1.0),
    },
    Knob {
        name: "improvement",
        about: "share of the mean of all sums by which one must differ to count in multi-advanced",
        default: "0.1",
        allowed: Allowed::Number(0.0, 1.0),
    },
    Knob {
        name: "rounds",
        about: "rounds of all functions from one prediction to the next, for the mended form at \
                most; 0 for the acquisition's own: 6 for multi-ultrafast, else 1",
        default: "0",
        allowed: Allowed::Integer(0, 1_000_000),
    },
    Knob {
        name: "points_per_round",
        about: "known results for every round that the mended form makes from one prediction",
        default: "20",
        allowed: Allowed::Integer(1, 1_000_000),
    },
    Knob {
        name: "candidates",
        about: "random configurations that represent a larger space",
        default: "20000",
        allowed: Allowed::Integer(10, 1_000_000),
    },
    Knob {
        name: "design",
        about: "valid results to begin with; for the mended form at most the share of the budget \
                that `design_share` says",
        default: "20",
        allowed: Allowed::Integer(1, 10_000),
    },
    Knob {
        name: "design_share",
        about: "one in this many evaluations may belong to the mended form's first sample",
        default: "6",
        allowed: Allowed::Integer(1, 1_000_000),
    },
    Knob {
        name: "samplingmethod",
        about: "how the first sample is drawn: a Latin hypercube, the one of a thousand whose \
                nearest two points are farthest apart, or at random",
        default: "lhs",
        allowed: Allowed::Choice(&["lhs", "maximin", "random"]),
    },
];

pub(super) const PRESETS: &[Preset] = &[
    Preset {
        name: "tpds2026",
        reference: TPDS2026,
        knobs: &[
            ("form", "published"),
            ("covariance", "matern32"),
            ("lengthscale", "1.5"),
            ("acquisition", "multi-ultrafast"),
            ("design", "20"),
            ("samplingmethod", "lhs"),
        ],
    },
    Preset {
        name: "pmbs2021",
        reference: "advanced multi of Willemsen, van Nieuwpoort and van Werkhoven, PMBS 2021",
        knobs: &[
            ("form", "published"),
            ("covariance", "matern32"),
            ("lengthscale", "1.5"),
            ("acquisition", "multi-advanced"),
            ("contextual", "variance"),
            ("patience", "5"),
            ("discount", "0.75"),
            ("improvement", "0.1"),
            ("design", "20"),
            ("samplingmethod", "maximin"),
        ],
    },
    Preset {
        name: "pmbs2021-multi",
        reference: "multi of Willemsen, van Nieuwpoort and van Werkhoven, PMBS 2021",
        knobs: &[
            ("form", "published"),
            ("covariance", "matern32"),
            ("lengthscale", "1.5"),
            ("acquisition", "multi"),
            ("contextual", "variance"),
            ("patience", "5"),
            ("discount", "0.65"),
            ("design", "20"),
            ("samplingmethod", "maximin"),
        ],
    },
];
