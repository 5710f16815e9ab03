//! Published results, to be shown next to our own.

use records::{SCORE_FIGURES, ScoreRow};
use registry::offered;
use serde::{Deserialize, Serialize};
use yaml::{Member, Node, Place, Value};

use super::{fault::Faults, given::Word};

/// Published sentences and values of a study, as the suite's file has them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WrittenPublished {
    /// Sentences about the whole study.
    pub texts: Vec<Word>,
    /// Values of single strategies.
    pub figures: Vec<WrittenFigure>,
}

/// A published value of a strategy, with its places in the file.
#[derive(Debug, Clone, PartialEq)]
pub struct WrittenFigure {
    /// The strategy.
    pub strategy: Word,
    /// Which value was published; `None` for the one by which the study sorts strategies.
    pub figure: Option<FigureName>,
    /// The published value, as text.
    pub text: Word,
}

/// The name of a value: `gain`, `gain@50`, `wins over random`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FigureName {
    /// The name in `figures.csv`.
    pub name: String,
    /// Number of evaluations after which the value is taken, if it must be given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evaluations: Option<u64>,
    /// The strategy with which the value compares.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<String>,
}

/// Published sentences and values of a study.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Published {
    /// Sentences about the whole study.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub texts: Vec<String>,
    /// Values of single strategies.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub figures: Vec<PublishedFigure>,
    /// How the spaces differ from the published ones.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub differs: String,
}

/// A published value of a strategy.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublishedFigure {
    /// Label of the strategy.
    pub strategy: String,
    /// Which value was published; `None` for the one by which the study sorts strategies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub figure: Option<FigureName>,
    /// The published value, as text.
    pub text: String,
}

impl Published {
    /// Whether nothing was published.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl FigureName {
    /// Whether a row over all spaces has this value.
    #[must_use]
    pub fn is_of(&self, row: &ScoreRow) -> bool {
        let at = self.evaluations.is_none() || self.evaluations == row.evaluations;
        let against = self.against.is_none() || self.against == row.against;
        row.space.is_none() && row.figure == self.name && at && against
    }

    fn read(text: &str) -> Result<Self, String> {
        let (figure, against) = match text.split_once(" over ") {
            Some((figure, other)) => (figure, Some(other.trim().to_owned())),
            None => (text, None),
        };
        let (name, evaluations) = match figure.split_once('@') {
            Some((name, at)) => {
                let number = at.trim().parse::<u64>().ok();
                let number = number.ok_or_else(|| {
                    format!("`{text}` is no figure: behind `@` stands a number of evaluations")
                })?;
                (name, Some(number))
            }
            None => (figure, None),
        };
        let name = name.trim();
        if !SCORE_FIGURES.contains(&name) {
            let known = offered(name, SCORE_FIGURES);
            return Err(format!("`{name}` is no figure of a score (known: {known})"));
        }
        Ok(Self { name: name.to_owned(), evaluations, against })
    }
}

/// Reads the sentences of a suite's `published`.
pub(super) fn sentences(member: &Member, faults: &mut Faults) -> Vec<Word> {
    let items = match &member.node.value {
        Value::List(items) => items.as_slice(),
        _ => std::slice::from_ref(&member.node),
    };
    items.iter().filter_map(|item| text(item, &member.key, faults)).collect()
}

/// Reads a study's `published`: a text, a list of texts, or a map from strategies to values.
pub(super) fn of_study(member: &Member, faults: &mut Faults) -> WrittenPublished {
    let Value::Map(strategies) = &member.node.value else {
        return WrittenPublished { texts: sentences(member, faults), figures: Vec::new() };
    };
    let mut figures = Vec::new();
    for strategy in strategies {
        let named = || Word { text: strategy.key.clone(), place: strategy.place };
        let Value::Map(several) = &strategy.node.value else {
            if let Some(text) = text(&strategy.node, &strategy.key, faults) {
                figures.push(WrittenFigure { strategy: named(), figure: None, text });
            }
            continue;
        };
        for figure in several {
            let name = FigureName::read(&figure.key);
            let text = text(&figure.node, &figure.key, faults);
            match (name, text) {
                (Ok(name), Some(text)) => {
                    figures.push(WrittenFigure { strategy: named(), figure: Some(name), text });
                }
                (Err(why), _) => faults.add(figure.place, why),
                (Ok(_), None) => {}
            }
        }
    }
    WrittenPublished { texts: Vec::new(), figures }
}

fn text(node: &Node, of: &str, faults: &mut Faults) -> Option<Word> {
    match &node.value {
        Value::Text(text) if !text.trim().is_empty() => Some(word(text, node.place)),
        _ => {
            faults.add(node.place, format!("what was published under `{of}` is a text"));
            None
        }
    }
}

fn word(text: &str, place: Place) -> Word {
    Word { text: text.split_whitespace().collect::<Vec<_>>().join(" "), place }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_named_with_evaluations_and_the_other_strategy() {
        let read = |text: &str| FigureName::read(text);
        let gain = FigureName { name: "gain".to_owned(), ..FigureName::default() };
        assert_eq!(read("gain"), Ok(gain.clone()));
        assert_eq!(read("gain@50"), Ok(FigureName { evaluations: Some(50), ..gain }));
        let wins = read("wins over random").expect("known");
        assert_eq!((wins.name.as_str(), wins.against.as_deref()), ("wins", Some("random")));
        assert!(read("gian").expect_err("unknown").contains("did you mean `gain`?"));
        assert!(read("gain@many").expect_err("no number").contains("number of evaluations"));
    }

    #[test]
    fn a_figure_finds_its_row() {
        let row = ScoreRow {
            figure: "wins".to_owned(),
            against: Some("random".to_owned()),
            ..ScoreRow::default()
        };
        assert!(FigureName::read("wins over random").expect("known").is_of(&row));
        assert!(FigureName::read("wins").expect("known").is_of(&row));
        assert!(!FigureName::read("wins over pso").expect("known").is_of(&row));
        assert!(!FigureName::read("wins@9").expect("known").is_of(&row));
        let of_space = ScoreRow { space: Some("one".to_owned()), ..row };
        assert!(!FigureName::read("wins").expect("known").is_of(&of_space));
    }
}
