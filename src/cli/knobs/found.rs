//! What a search for settings found, in words and as JSON.

use serde_json::json;

use crate::{
    exporters::aligned,
    numeric::mean,
    scoring::{
        KnobGrid, KnobSearch, Landscape, ScoredSetting, ScoredStrategyError, Watch, best_setting,
        left_one_out,
    },
};

/// Settings that are shown.
const SHOWN: usize = 10;

/// A finished search.
pub(super) struct Found {
    /// All settings, the best first.
    settings: Vec<ScoredSetting>,
    /// The strategy as it is, and the best setting, scored from fresh seeds.
    fresh: (ScoredSetting, ScoredSetting),
    /// Scores of settings that were chosen without the space.
    left_one_out: Option<Vec<f64>>,
}

impl Found {
    /// Sorts settings, the strategy as it is among them, and scores the best one and that one again.
    pub(super) fn among(
        mut settings: Vec<ScoredSetting>,
        fresh: &KnobSearch<'_>,
        watch: Watch<'_>,
    ) -> Result<Self, ScoredStrategyError> {
        settings.retain(|setting| !setting.scores.is_empty());
        let left_one_out = left_one_out(&settings);
        let best = best_setting(&settings).and_then(|setting| setting.id);
        settings.sort_by(|a, b| b.score().total_cmp(&a.score()));
        let plain = fresh.scored(None, watch)?;
        let best = match best {
            Some(id) => fresh.scored(Some(id), watch)?,
            None => plain.clone(),
        };
        Ok(Self { settings, fresh: (plain, best), left_one_out })
    }

    pub(super) fn text(&self, landscapes: &[Landscape]) -> String {
        let mut rows = vec![vec!["setting".to_owned(), "score".to_owned(), String::new()]];
        let shown = |setting: &ScoredSetting| {
            let mark = if setting.id.is_none() { "as it is" } else { "" };
            vec![setting.entry.clone(), scored(setting), mark.to_owned()]
        };
        rows.extend(self.settings.iter().take(SHOWN).map(shown));
        if self.settings.iter().skip(SHOWN).any(|setting| setting.id.is_none()) {
            rows.extend(self.settings.iter().filter(|s| s.id.is_none()).map(shown));
        }
        let mut lines = aligned(&rows, &[0, 2]);
        let more = self.settings.len().saturating_sub(SHOWN);
        if more > 0 {
            lines.push(format!("… and {more} more"));
        }
        let (plain, best) = &self.fresh;
        lines.push(String::new());
        lines.push(format!("best      {}", best.entry));
        lines.push(format!(
            "fresh     {} from seeds that the search did not use; as it is {}",
            scored(best),
            scored(plain)
        ));
        if let Some(scores) = &self.left_one_out {
            let each = landscapes
                .iter()
                .zip(scores)
                .map(|(landscape, score)| format!("{} {score:.3}", landscape.name));
            lines.push(format!(
                "left out  {:.3} on spaces that had no say in the setting ({})",
                mean(scores),
                each.collect::<Vec<_>>().join(", ")
            ));
        }
        lines.join("\n")
    }

    pub(super) fn json(&self, grid: &KnobGrid, landscapes: &[Landscape]) -> String {
        let setting = |setting: &ScoredSetting| {
            let scores = landscapes.iter().map(|l| l.name.as_str()).zip(&setting.scores);
            json!({
                "setting": setting.entry,
                "score": setting.score(),
                "error": setting.error(),
                "scores": scores.collect::<std::collections::BTreeMap<_, _>>(),
            })
        };
        let (plain, best) = &self.fresh;
        let all = json!({
            "settings": grid.space.len(),
            "scored": self.settings.iter().map(setting).collect::<Vec<_>>(),
            "best": best.entry,
            "fresh": { "best": setting(best), "as_it_is": setting(plain) },
            "left_one_out": self.left_one_out.as_ref().map(|scores| mean(scores)),
        });
        format!("{all:#}\n")
    }
}

fn scored(setting: &ScoredSetting) -> String {
    match setting.error() {
        Some(error) => format!("{:.3} ±{error:.3}", setting.score()),
        None => format!("{:.3}", setting.score()),
    }
}
