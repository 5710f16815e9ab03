//! Search strategies: one file each, which submits its entry.
//!
//! A strategy sees a [`Problem`](search_api::Problem) and nothing else, so it runs unchanged on a
//! device, on a recorded space and on a function in a test. It has no stop logic: the budget ends
//! it through `?`.
//!
//! It never knows devices, budgets or clocks. Begin with `random.rs`.

mod pareto;
mod populations;
mod problem;
mod surrogate;
mod walks;

// Strategies.
mod adaptive_tabu_greywolf;
mod basinhopping;
mod bayes_opt;
mod default;
mod diff_evo;
mod dual_annealing;
mod exhaustive;
mod firefly_algorithm;
mod genetic_algorithm;
mod greedy_ils;
mod greedy_mls;
mod hybrid_vndx;
mod local_search;
mod mls;
mod nsga2;
mod nsga3;
mod ordered_greedy_mls;
mod pso;
mod pyatf_differential_evolution;
mod random;
mod simulated_annealing;

pub use populations::repair;
pub use problem::explorer::Explorer;
