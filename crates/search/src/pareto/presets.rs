//! The settings that the study of NSGA-II and NSGA-III in Kernel Tuner (2025) chose.

/// The preset for a number of evaluations, with population and mutation.
macro_rules! moo2025 {
    ($evaluations:literal, $population:literal, $mutation:literal) => {
        registry::Preset {
            name: concat!("moo2025-", $evaluations),
            reference: concat!(
                "NSGA-II and NSGA-III in Kernel Tuner, Table 6, for ",
                $evaluations,
                " evaluations"
            ),
            knobs: &[
                ("population", $population),
                ("mutation", $mutation),
                ("crossover", "1"),
                ("crossover_operator", "two_point"),
            ],
        }
    };
}
pub(crate) use moo2025;
