//! A comparison of fronts as text, or as JSON.

use report::exporters::aligned;
use scoring::OverSpaces;
use serde_json::{Map, Value, json};

use super::{ComparedFronts, FIGURES};
use crate::score::text::{chosen, square};

/// Up to this many strategies, every pair is shown.
const PAIRED: usize = 12;

impl ComparedFronts<'_> {
    pub(in crate::score) fn lines(&self) -> Vec<String> {
        let (last, n) = self.last_cut();
        let figures = self.figures();
        let mut header = vec!["strategy".to_owned()];
        header.extend(self.evaluations.iter().map(|n| format!("gain @{n}")));
        let ends = ["faster by evaluations", "faster by time", "less time"];
        header.extend(ends.map(|what| format!("{what} @{n}")));
        header.extend((1..=self.spaces.len()).map(|n| format!("space {n}")));
        let mut rows = vec![header];
        for &at in &self.ranking {
            let mut row = vec![self.label(at).to_owned()];
            let against = self.yardstick;
            row.extend(self.evaluations.iter().map(|n| percent(&figures.gain(at, against, *n))));
            row.push(percent(&figures.faster_by_evaluations(at, against, n)));
            row.push(percent(&figures.faster_by_time(at, against, n)));
            row.push(percent(&figures.less_time(at, against, n)));
            row.extend((0..self.spaces.len()).map(|space| {
                let typical = self.typical((at, space, last), |reached| reached.igd_plus);
                let (low, high) = typical.interval;
                format!("{:.4} ({low:.4} to {high:.4})", typical.median)
            }));
            rows.push(row);
        }
        let mut lines = aligned(&rows, &[0]);
        lines.push(String::new());
        lines.push(format!(
            "objectives: {}; {} runs each from seed {}",
            self.arguments.objectives_in_words(),
            self.arguments.repeats,
            self.arguments.seed
        ));
        lines.push(format!(
            "gain @N: by how much the median IGD+ after N evaluations is below that of random \
             search; faster @{n}: how much faster the IGD+ of random search after {n} is reached, \
             counted in evaluations and in their recorded time, 100 % is twice as fast; less time @{n}: how much less time {n} evaluations take; means \
             of the spaces ± their standard deviation (95 % interval)"
        ));
        lines.push(format!(
            "space: median IGD+ after {n} evaluations with its 95 % interval, 0 is the front itself"
        ));
        lines.extend(self.spaces.iter().enumerate().map(|(at, space)| {
            let (size, on_front) = (space.space.len(), space.truth.len());
            format!(
                "space {}: {}, {size} configurations, {on_front} on the front",
                at + 1,
                space.name
            )
        }));
        lines.extend(self.pairs(n));
        lines.extend(chosen(self.choice.as_ref(), "median IGD+", |at| self.label(at)));
        lines
    }

    /// The gain of every strategy over every other.
    fn pairs(&self, n: usize) -> Vec<String> {
        if !(2..=PAIRED).contains(&self.ranking.len()) {
            return Vec::new();
        }
        let labels: Vec<&str> = self.ranking.iter().map(|&at| self.label(at)).collect();
        let mut lines = vec![String::new()];
        lines.push(format!("gain of the row over the column after {n} evaluations"));
        lines.extend(square(&labels, &|row, column| {
            let (one, other) = (self.ranking[row], self.ranking[column]);
            format!("{:+.0} %", 100.0 * self.figures().gain(one, other, n).mean)
        }));
        lines
    }

    pub(in crate::score) fn json(&self) -> String {
        let figures = self.figures();
        let (_, last) = self.last_cut();
        let strategies = self.ranking.iter().map(|&at| {
            let gains = self.evaluations.iter();
            let of = |n: usize| figures.gain(at, self.yardstick, n);
            let gains = gains.map(|n| (n.to_string(), json!(of(*n).mean)));
            let spaces = self.spaces.iter().enumerate().map(|(space, place)| {
                let cuts = self.evaluations.iter().enumerate();
                let cuts = cuts.map(|(cut, n)| (n.to_string(), self.reached((at, space, cut))));
                (place.name.clone(), Value::Object(cuts.collect()))
            });
            json!({
                "name": self.label(at),
                "gain": gains.collect::<Map<_, _>>(),
                "gain_at_last": over_spaces(&of(last)),
                "faster_by_evaluations":
                    over_spaces(&figures.faster_by_evaluations(at, self.yardstick, last)),
                "faster_by_time": over_spaces(&figures.faster_by_time(at, self.yardstick, last)),
                "less_time": over_spaces(&figures.less_time(at, self.yardstick, last)),
                "spaces": spaces.collect::<Map<_, _>>(),
            })
        });
        let mut answer = json!({
            "objectives": self.arguments.objectives,
            "repeats": self.arguments.repeats,
            "seed": self.arguments.seed,
            "strategies": strategies.collect::<Vec<_>>(),
        });
        if let Some(choice) = &self.choice {
            answer["chosen"] = json!(self.label(choice.chosen));
        }
        format!("{answer:#}")
    }

    fn reached(&self, place: (usize, usize, usize)) -> Value {
        let figures = FIGURES.map(|(name, figure)| {
            let typical = self.typical(place, figure);
            (name.to_owned(), json!({"median": typical.median, "interval": typical.interval}))
        });
        Value::Object(figures.into_iter().collect())
    }
}

fn over_spaces(over: &OverSpaces) -> Value {
    json!({"mean": over.mean, "spread": over.spread, "interval": over.interval})
}

/// A value over spaces in percent, with spread and interval; a dash if no space has the value.
fn percent(over: &OverSpaces) -> String {
    if over.mean.is_nan() {
        return "-".to_owned();
    }
    let spread = over.spread.map_or_else(String::new, |spread| format!(" ±{:.0}", 100.0 * spread));
    let (low, high) = (100.0 * over.interval.0, 100.0 * over.interval.1);
    format!("{:+.1} %{spread} ({low:.0} to {high:.0})", 100.0 * over.mean)
}
