//! Scripts that come with the program: to begin from, and as reference for figures.

/// A script inside the program. Where there is no file of its name, the name alone means it.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// Its name, which is that of its file.
    pub name: &'static str,
    /// What it says.
    pub text: &'static str,
}

/// A row of [`EXAMPLES`].
macro_rules! example {
    ($name:literal) => {
        Example { name: $name, text: include_str!(concat!("examples/", $name)) }
    };
}

/// All examples: three that have twins among the program's own strategies, then six algorithms that
/// a model wrote (Willemsen, van Stein and van Werkhoven, Automated Algorithm Design for Auto-Tuning
/// Optimizers, 2025), from their descriptions.
pub const EXAMPLES: &[Example] = &[
    example!("random.luau"),
    example!("local_search.luau"),
    example!("genetic_algorithm.luau"),
    example!("adaptive_bandit_neighborhood.luau"),
    example!("adaptive_levy_sa.luau"),
    example!("hierarchical_bandit_vns.luau"),
    example!("prts.luau"),
    example!("tabu_harmony_search.luau"),
    example!("thompson_vns.luau"),
];

/// The example of this name.
pub(super) fn named(name: &str) -> Option<&'static Example> {
    EXAMPLES.iter().find(|example| example.name == name)
}
