//! A strategy with its settings, named on the command line as `name` or `name:knob=value:…`.

use crate::{
    registry::Unknown,
    strategies::{KnobError, Knobs, STRATEGIES, Strategy},
};

/// A strategy to be scored.
#[derive(Clone)]
pub struct ScoredStrategy {
    /// Name in tables: the text as given.
    pub label: String,
    /// The strategy.
    pub strategy: &'static Strategy,
    /// Its settings.
    pub knobs: Knobs,
}

/// Why a text names no strategy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScoredStrategyError {
    /// No strategy has this name.
    #[error(transparent)]
    Unknown(#[from] Unknown),
    /// A setting is wrong.
    #[error("{0} in `{1}`")]
    Setting(KnobError, String),
}

impl ScoredStrategy {
    /// Reads `name` or `name:knob=value:…`.
    ///
    /// # Errors
    /// If the strategy or a setting is unknown, or a value is not allowed.
    pub fn parse(text: &str) -> Result<Self, ScoredStrategyError> {
        let mut parts = text.trim().split(':');
        let name = parts.next().unwrap_or_default();
        let strategy = STRATEGIES.named(name)?;
        let settings: Vec<&str> = parts.collect();
        let knobs = Knobs::parse(strategy.knobs, &settings)
            .map_err(|error| ScoredStrategyError::Setting(error, text.to_owned()))?;
        let settings = settings.iter().flat_map(|setting| [":", setting]);
        let label = std::iter::once(strategy.name).chain(settings).collect();
        Ok(Self { label, strategy, knobs })
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
        assert!(refused("anealing").contains("local_search"));
        assert!(refused("local_search:kik=2").contains("`kik`"));
    }
}
