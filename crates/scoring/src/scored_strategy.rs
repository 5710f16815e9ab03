//! A strategy with its settings, named on the command line as `name` or `name:knob=value:…`.

use std::sync::Arc;

use records::settings::Order;
use registry::{KnobError, Knobs, Written};
use search_api::{Problem, Search, Stop, StrategyFault};
use study::tuning::Searcher;

/// A knob that every strategy has.
const ORDER: &str = "order";

/// A strategy to be scored.
#[derive(Clone)]
pub struct ScoredStrategy {
    /// Name in tables: the text as given.
    pub label: String,
    /// How it searches: a function of the program, or a script that is freed with its last owner.
    pub search: Arc<Search>,
    /// Its settings.
    pub knobs: Knobs,
    /// What it tunes first: precision, performance, or both at once.
    pub order: Order,
}

/// Why a text names no strategy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScoredStrategyError {
    /// No strategy has this name, or its script is faulty.
    #[error(transparent)]
    Unknown(#[from] StrategyFault),
    /// A setting is wrong.
    #[error("{0} in `{1}`")]
    Setting(KnobError, String),
    /// The order is not known.
    #[error("{0} in `{1}`")]
    Order(String, String),
}

impl ScoredStrategy {
    /// Reads `name` or `name:knob=value:…`, as [`Written`] says; every strategy has the knob
    /// `order`. A name may be the path of a script.
    ///
    /// # Errors
    /// If the strategy or a setting is unknown, or a value is not allowed.
    pub fn parse(text: &str) -> Result<Self, ScoredStrategyError> {
        let fault = |error| ScoredStrategyError::Setting(error, text.to_owned());
        let written = Written::parse(text).map_err(fault)?;
        let strategy = search_api::strategy(&written.name, "")?.strategy;
        let is_order = |name: &str| name == ORDER;
        let order = written.knobs.iter().rfind(|(name, _)| is_order(name));
        let order = order.map_or(Ok(Order::default()), |(_, value)| value.parse());
        let order = order.map_err(|why| ScoredStrategyError::Order(why, text.to_owned()))?;
        let own = written.pairs().filter(|(name, _)| !is_order(name));
        let knobs = strategy.settings(own).map_err(fault)?;
        let label = Written { name: strategy.name.to_owned(), ..written }.label();
        Ok(Self { label, search: Arc::new(strategy.search), knobs, order })
    }

    /// A search that is not a registered strategy, under a name for tables.
    #[must_use]
    pub fn of_search(
        label: impl Into<String>,
        search: impl Fn(&mut dyn Problem) -> Result<(), Stop> + Send + Sync + 'static,
    ) -> Self {
        let search = move |problem: &mut dyn Problem, _: &Knobs| search(problem);
        Self {
            label: label.into(),
            search: Arc::new(search),
            knobs: Knobs::default(),
            order: Order::default(),
        }
    }

    /// The search with its settings.
    #[must_use]
    pub fn searcher(&self) -> Searcher<'_> {
        Searcher { search: &*self.search, knobs: &self.knobs, order: self.order }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        ScoredStrategy::parse(text).err().expect("refused").to_string()
    }

    #[test]
    fn a_name_may_carry_settings() {
        let plain = ScoredStrategy::parse("local-search").expect("known");
        assert_eq!(plain.label, "local_search");
        let set = ScoredStrategy::parse("local_search:kick=2:far=0").expect("known");
        assert_eq!(set.label, "local_search:kick=2:far=0");
        assert_eq!(set.knobs.integer("kick"), 2);
        let commas = ScoredStrategy::parse("local_search:kick=2,far=0").expect("known");
        assert_eq!((commas.label, commas.knobs), (set.label, set.knobs));
        let ordered = ScoredStrategy::parse("random:order=precision-first").expect("known");
        assert_eq!(ordered.label, "random:order=precision-first");
        assert_eq!((ordered.order, plain.order), (Order::PrecisionFirst, Order::Unified));
        assert!(refused("random:order=last").contains("no order named `last`"));
        assert!(refused("anealing").contains("local_search"));
        assert!(refused("local_search:kik=2").contains("`kik`"));
    }
}
