//! How the answer is searched for: spaces, strategies, tuning, knees, scores, and whole studies of
//! devices that are formulas.

#[path = "../support/chat_server.rs"]
mod chat_server;
mod evolution_grammar;
mod generators_llm;
mod growth_generated;
mod knees_curves;
mod knees_generated;
mod knees_reference;
mod knees_rounds;
mod scoring_reference;
mod scoring_strategies;
mod scripts_hostile;
mod scripts_values;
mod space_counts;
mod space_expressions;
mod space_large;
mod space_properties;
mod space_restrictions;
mod strategies_contract;
mod strategies_documentation;
mod strategies_fronts;
mod strategies_knobs;
mod strategies_memory;
mod study_formula;
mod study_growth;
mod study_learning;
mod study_synthetic;
mod study_upheld;
#[path = "../support/shared.rs"]
mod support;
mod tuning_fronts;

use autobench::{
    scripts::{self, EXAMPLES},
    strategies::{STRATEGIES, Strategy},
};

/// The strategies of the program, and those that its examples of scripts are.
fn every_strategy() -> impl Iterator<Item = &'static Strategy> {
    let script = |name| scripts::strategy(name, "").expect("an example").strategy;
    STRATEGIES.iter().copied().chain(EXAMPLES.iter().map(move |example| script(example.name)))
}
