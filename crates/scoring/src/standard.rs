//! What speed-ups are relative to: the best of the configurations with given values.

use std::{convert::Infallible, fmt, str::FromStr};

use records::most_precise;
use space::{ConfigurationId, Space};

use super::Landscape;

/// Word for the most precise formats and policies.
const PRECISE: &str = "precise";

/// Which configurations speed-ups are relative to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standard {
    /// Those with the most precise value of every parameter that chooses a format or a policy.
    Precise,
    /// Those with these values of these parameters, as texts.
    Values(Vec<(String, String)>),
    /// A text that names no configurations.
    Malformed(String),
}

impl FromStr for Standard {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        if text.trim() == PRECISE {
            return Ok(Self::Precise);
        }
        let pair = |part: &str| {
            let (name, value) = part.split_once('=')?;
            let (name, value) = (name.trim().to_owned(), value.trim().to_owned());
            (!name.is_empty() && !value.is_empty()).then_some((name, value))
        };
        let values: Option<Vec<(String, String)>> = text.split(',').map(pair).collect();
        Ok(values.map_or_else(|| Self::Malformed(text.to_owned()), Self::Values))
    }
}

impl fmt::Display for Standard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Precise => f.write_str(PRECISE),
            Self::Values(values) => {
                let pairs = values.iter().map(|(name, value)| format!("{name}={value}"));
                f.write_str(&pairs.collect::<Vec<_>>().join(","))
            }
            Self::Malformed(text) => f.write_str(text),
        }
    }
}

impl Standard {
    /// Whether the text can name configurations.
    ///
    /// # Errors
    /// If it cannot; the error is one sentence.
    pub fn check(&self) -> Result<(), String> {
        match self {
            Self::Malformed(text) => Err(format!(
                "`{text}` names no configurations: write `P=V,…`, such as `precision=f64`, or `{PRECISE}`"
            )),
            _ => Ok(()),
        }
    }

    /// Cost of the best of these configurations, within the bounds or not.
    ///
    /// # Errors
    /// If the space has none of them, none has a cost, or costs have no ratios; the error is one
    /// sentence.
    pub fn cost(&self, landscape: &Landscape) -> Result<f64, String> {
        self.check()?;
        let space = &landscape.space;
        let wanted = self.places(space)?;
        let is_meant = |id: &ConfigurationId| {
            let configuration = space.configuration(*id);
            wanted.iter().all(|(parameter, place)| configuration.0[*parameter] == *place)
        };
        let costs = space.ids().filter(is_meant).filter_map(|id| landscape.cell(id).cost);
        let best = costs.fold(f64::INFINITY, f64::min);
        if best.is_infinite() {
            return Err(format!("no configuration with `{self}` has the objective"));
        }
        if best <= 0.0 {
            let metric = &landscape.objective.metric;
            return Err(format!("speed-ups need positive costs, which `{metric}` has not"));
        }
        Ok(best)
    }

    /// Parameters and the places of the values that they must have.
    fn places(&self, space: &Space) -> Result<Vec<(usize, u32)>, String> {
        let parameters = || space.parameters().iter().enumerate();
        let place = |place: usize| u32::try_from(place).map_err(|error| error.to_string());
        match self {
            Self::Values(values) => values
                .iter()
                .map(|(name, value)| {
                    let found = parameters().find(|(_, parameter)| parameter.name == *name);
                    let (at, parameter) =
                        found.ok_or_else(|| format!("there is no parameter `{name}`"))?;
                    let same = |known: &space::Value| known.to_string() == *value;
                    let found = parameter.values.iter().position(same);
                    let found = found.ok_or_else(|| format!("`{name}` is never `{value}`"))?;
                    Ok((at, place(found)?))
                })
                .collect(),
            _ => {
                let precise = parameters().filter_map(|(at, parameter)| {
                    let found = parameter.index_of(most_precise(&parameter.values)?)?;
                    Some(place(found).map(|place| (at, place)))
                });
                let precise: Vec<(usize, u32)> = precise.collect::<Result<_, _>>()?;
                if precise.is_empty() {
                    return Err("no parameter chooses a format or a policy".to_owned());
                }
                Ok(precise)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use exchange::RecordedSpace;
    use records::{Named, RecordedTrial};
    use space::Value;

    use super::*;

    fn landscape() -> Landscape {
        let formats = ["f16", "f64"].map(Value::from).to_vec();
        let blocks = [1_i64, 2].map(Value::from).to_vec();
        let mut recorded =
            RecordedSpace::new(vec![("format".to_owned(), formats), ("block".to_owned(), blocks)]);
        for (format, block, ms) in
            [("f16", 1, 1.0), ("f16", 2, 2.0), ("f64", 1, 8.0), ("f64", 2, 6.0)]
        {
            let named = Named(vec![
                ("format".to_owned(), Value::from(format)),
                ("block".to_owned(), Value::from(i64::from(block))),
            ]);
            let trial = RecordedTrial { time_ms: Some(ms), ..RecordedTrial::default() };
            recorded.insert(named, trial);
        }
        Landscape::new("made", &recorded).expect("valid")
    }

    #[test]
    fn the_best_configuration_with_the_values_counts() {
        let cost = |text: &str| text.parse::<Standard>().expect("read").cost(&landscape());
        assert_eq!(cost("precise"), Ok(6e-3));
        assert_eq!(cost("format=f64, block=1"), Ok(8e-3));
        assert_eq!(cost("block=2"), Ok(2e-3));
        for (text, words) in [
            ("format", "names no configurations"),
            ("form=f64", "there is no parameter `form`"),
            ("format=f32", "`format` is never `f32`"),
        ] {
            let fault = cost(text).expect_err(text);
            assert!(fault.contains(words), "{fault}");
        }
    }
}
