//! Trends as plots, and their descriptions, the same on the terminal and on pages.

use report::{
    comparison::Level,
    exporters::{
        FigureError, TrendMark, TrendPlot, TrendPoint, plot_trend,
        quantities::{counted, grouped},
    },
};

use super::{
    changes::Change,
    trend::{Series, Trend},
};

/// Half-width of a 95 % interval in standard deviations.
const HALF_WIDTH: f64 = 1.96;

impl Trend<'_> {
    /// Describes a series: `at size 4096`, or `geometric mean over 7 sizes`.
    #[must_use]
    pub fn over(&self, series: &Series) -> String {
        match series.size {
            Some(size) => format!("at size {}", grouped(size)),
            None => format!("geometric mean over {}", counted(self.usual, "size")),
        }
    }

    /// The changes of one series of this trend, from the changes of all trends.
    #[must_use]
    pub fn changes_of<'a>(&self, series: &Series, changes: &'a [Change]) -> Vec<&'a Change> {
        let own = |change: &&Change| {
            change.size == series.size
                && change.subject == self.subject
                && change.device == self.device
        };
        changes.iter().filter(own).collect()
    }

    /// Draws a series of this trend as SVG, and marks its changes.
    ///
    /// # Errors
    /// If the series has no points.
    pub fn figure(&self, series: &Series, changes: &[Change]) -> Result<String, FigureError> {
        let title = format!("{} on {}", self.subject, self.device);
        let y_title = match series.size {
            Some(_) => format!("seconds {}", self.over(series)),
            None => format!("seconds, {}", self.over(series)),
        };
        let points = series.points.iter().map(|(at, level)| {
            let end = |sign: f64| (level.value + sign * HALF_WIDTH * level.deviation).exp();
            let interval = (end(-1.0), end(1.0));
            TrendPoint { time: self.studies[*at].1.started, seconds: level.value.exp(), interval }
        });
        let own = self.changes_of(series, changes).into_iter();
        let marks = own.map(|change| TrendMark { time: change.since, words: change.speed() });
        plot_trend(&TrendPlot {
            title: &title,
            y_title: &y_title,
            points: &points.collect::<Vec<_>>(),
            marks: &marks.collect::<Vec<_>>(),
        })
    }
}

/// Half the 95 % interval of a level, in percent of the level.
#[must_use]
pub fn half_interval(level: &Level) -> f64 {
    100.0 * (HALF_WIDTH * level.deviation).exp_m1()
}

impl Change {
    /// The change in words: `5.1 % slower (4.2 to 6.0 %)`.
    #[must_use]
    pub fn speed(&self) -> String {
        let ratio = &self.ratio;
        let share = |ratio: f64| 100.0 * (ratio - 1.0).abs();
        let (one, other) = (share(ratio.low), share(ratio.high));
        let (low, high) = (one.min(other), one.max(other));
        format!("{:.1} % {} ({low:.1} to {high:.1} %)", share(ratio.ratio), ratio.verdict.word())
    }
}
