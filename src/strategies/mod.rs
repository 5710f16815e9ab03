//! Search strategies: one file each, behind one small trait.
//!
//! A strategy sees a [`Problem`] and nothing else, so it runs unchanged on a device, on a
//! recorded space and on a function in a test. It holds no stop logic: the budget ends it
//! through `?`.

mod analytic;
mod budget;
mod climb;
mod continuous;
mod crossover;
mod donor;
mod explorer;
mod form;
mod knobs;
mod ledger;
mod multi_start;
mod nearest_known;
mod pareto;
mod population;
mod problem;
mod repair;
mod spread;
mod surrogate;
mod tabu;
mod temperature;
mod yardstick;

pub use analytic::Analytic;
pub use budget::{Budget, Spent};
pub use knobs::{Allowed, Knob, KnobError, Knobs};
pub use ledger::{Answer, Ledger};
pub use problem::{Evaluation, Objectives, Problem, Stop};

/// A way to search a space for its best configurations.
pub trait Strategy: Sync {
    /// The name users type.
    fn name(&self) -> &'static str;

    /// Other names it is known by.
    fn aliases(&self) -> &'static [&'static str] {
        &[]
    }

    /// One sentence for lists and help.
    fn about(&self) -> &'static str;

    /// Where it was published, or what it follows.
    fn reference(&self) -> &'static str;

    /// The settings it understands.
    fn knobs(&self) -> &'static [Knob] {
        &[]
    }

    /// Searches until the problem says stop, or until it has nothing left to propose.
    ///
    /// # Errors
    /// Passes on the [`Stop`] of the problem, which is the ordinary end.
    fn search(&self, problem: &mut dyn Problem, knobs: &Knobs) -> Result<(), Stop>;
}

crate::registry! {
    /// Every strategy, by name.
    pub static STRATEGIES: dyn Strategy;
    adaptive_tabu_greywolf, basinhopping, bayes_opt, default, diff_evo, dual_annealing, exhaustive,
    firefly_algorithm, genetic_algorithm, greedy_ils, greedy_mls, hybrid_vndx, local_search, mls,
    nsga2, nsga3, ordered_greedy_mls, pso, pyatf_differential_evolution, random,
    simulated_annealing,
}

/// The strategy of that name or alias, with `-` and `_` taken as the same.
#[must_use]
pub fn named(name: &str) -> Option<&'static dyn Strategy> {
    let wanted = name.replace('-', "_");
    let same = |entry: &&&dyn Strategy| entry.name() == wanted;
    let alias = |entry: &&&dyn Strategy| entry.aliases().contains(&wanted.as_str());
    STRATEGIES.iter().find(same).or_else(|| STRATEGIES.iter().find(alias)).copied()
}
