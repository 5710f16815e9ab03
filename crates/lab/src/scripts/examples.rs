//! Scripts that are part of the program: starting points for authors, and references for
//! comparisons.

/// A script inside the program. Its name refers to it unless there is a file with that name.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// Name, and file name.
    pub name: &'static str,
    /// Source text.
    pub text: &'static str,
}

/// A row of [`EXAMPLES`].
macro_rules! example {
    ($name:literal) => {
        Example { name: $name, text: include_str!(concat!("examples/", $name)) }
    };
}

/// All examples. The first three exist as built-in strategies as well. Then follow six algorithms
/// that a language model wrote (Willemsen, van Stein and van Werkhoven, Automated Algorithm Design
/// for Auto-Tuning Optimizers, 2025), rewritten from their descriptions.
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
