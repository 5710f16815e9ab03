//! Scripts, their limits, and the generators that write them.

mod grammar;
mod hostile;
mod llm;
#[path = "../../../../tests/support/shared.rs"]
mod support;
mod values;

#[path = "../../../../tests/support/chat_server.rs"]
mod chat_server;
#[path = "../../../search/tests/search/contract.rs"]
mod contract;

use lab::scripts::EXAMPLES;
use search_api::{STRATEGIES, Strategy};

/// All registered strategies, and the example scripts.
fn every_strategy() -> impl Iterator<Item = &'static Strategy> {
    let script = |name| search_api::strategy(name, "").expect("an example").strategy;
    STRATEGIES.iter().copied().chain(EXAMPLES.iter().map(move |example| script(example.name)))
}
