//! A strategy with its settings, as named on the command line: `name` or `name:knob=value:…`.

use crate::{
    registry::Unknown,
    strategies::{KnobError, Knobs, STRATEGIES, Strategy},
};

/// One that is scored.
#[derive(Clone)]
pub struct ScoredStrategy {
    /// What it is called in tables: as it was named.
    pub label: String,
    /// The strategy.
    pub strategy: &'static Strategy,
    /// Its settings.
    pub knobs: Knobs,
}

/// Why a name means no strategy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScoredStrategyError {
    /// There is no such strategy.
    #[error(transparent)]
    Unknown(#[from] Unknown),
    /// Its settings are wrong.
    #[error("{0} in `{1}`")]
    Setting(KnobError, String),
}

impl ScoredStrategy {
    /// Reads `name` or `name:knob=value:…`.
    ///
    /// # Errors
    /// When there is no such strategy, or no such setting.
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
