//! Conditions that make a comparison fail: `slower:5%`.

use report::comparison::{Compared, ComparedBenchmark, Comparison, Ratio, Verdict};

/// A verdict, and the smallest change of speed that raises the alarm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Alarm {
    verdict: Verdict,
    share: f64,
}

/// Reads a share: `5%` or `0.05`.
pub(crate) fn share(text: &str) -> Result<f64, String> {
    let (number, unit) = match text.trim().strip_suffix('%') {
        Some(number) => (number.trim(), 0.01),
        None => (text.trim(), 1.0),
    };
    let share = number.parse().ok().map(|number: f64| number * unit);
    let share = share.filter(|share| (0.0..1.0).contains(share));
    share.ok_or_else(|| "give a share below 100 %, such as `5%` or `0.05`".to_owned())
}

impl Alarm {
    /// Reads `slower:5%`. Without a share, any significant difference raises the alarm.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let (word, by) = text.split_once(':').map_or((text, None), |(word, by)| (word, Some(by)));
        let verdict = Verdict::ALARMING.into_iter().find(|verdict| verdict.word() == word);
        let verdict = verdict.ok_or_else(|| {
            let words = Verdict::ALARMING.map(|verdict| format!("`{}:5%`", verdict.word()));
            format!("write one of {}", words.join(", "))
        })?;
        Ok(Self { verdict, share: by.map_or(Ok(0.0), share)? })
    }

    /// Everything in a comparison of which it is unknown whether it raises the alarm, one phrase
    /// each.
    pub(super) fn undecided(&self, comparison: &Comparison) -> Vec<String> {
        let open = |ratio: &Ratio| {
            let possible = match self.verdict {
                Verdict::Slower | Verdict::Missed => ratio.low <= 1.0 - self.share,
                _ => ratio.high >= 1.0 + self.share,
            };
            ratio.verdict == Verdict::Unknown && possible
        };
        let of = |other: &Compared| -> Vec<String> {
            let by_winners = matches!(self.verdict, Verdict::Missed | Verdict::Found);
            let ratio = |of: &ComparedBenchmark| match by_winners {
                true => of.winners.map(|winners| winners.ratio),
                false => Some(of.overall),
            };
            let benchmarks = other.benchmarks.iter().filter_map(|of| Some((of, ratio(of)?)));
            let names = benchmarks.filter(|(_, ratio)| open(ratio)).map(|(of, ratio)| {
                let Ratio { low, high, .. } = ratio;
                format!(
                    "whether {} is {} in {} is unknown ({low:.3} to {high:.3} times the speed)",
                    of.benchmark,
                    self.verdict.word(),
                    other.name
                )
            });
            names.collect()
        };
        comparison.others.iter().flat_map(of).collect()
    }

    /// Everything in a comparison that raises the alarm, one phrase each.
    pub(super) fn raised(&self, comparison: &Comparison) -> Vec<String> {
        let mut raised = Vec::new();
        for other in &comparison.others {
            raised.extend(other.missing.iter().cloned());
            for benchmark in &other.benchmarks {
                let sizes = benchmark.sizes.iter().filter(|size| self.is_raised_by(size.shown()));
                let sizes: Vec<String> = sizes.map(|size| size.size.to_string()).collect();
                let whole = self.is_raised_by(benchmark.shown());
                if !whole && sizes.is_empty() {
                    continue;
                }
                let place = match whole {
                    true => String::new(),
                    false => format!(" at size {}", sizes.join(", ")),
                };
                let (benchmark, name) = (&benchmark.benchmark, &other.name);
                raised.push(match self.verdict {
                    Verdict::Found => format!("{name} found a faster {benchmark}{place}"),
                    Verdict::Missed => format!("{name} missed a faster {benchmark}{place}"),
                    verdict => format!("{benchmark} is {} in {name}{place}", verdict.word()),
                });
            }
        }
        raised
    }

    /// Whether a ratio of speeds raises the alarm.
    pub(crate) fn is_raised_by(&self, ratio: &Ratio) -> bool {
        let far = match self.verdict {
            Verdict::Slower | Verdict::Missed => ratio.ratio <= 1.0 - self.share,
            _ => ratio.ratio >= 1.0 + self.share,
        };
        ratio.verdict == self.verdict && far
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alarms_are_read_in_percent_or_as_shares() {
        let alarm = Alarm { verdict: Verdict::Slower, share: 0.05 };
        assert_eq!(Alarm::parse("slower:5%"), Ok(alarm));
        assert_eq!(Alarm::parse("slower:0.05"), Ok(alarm));
        assert_eq!(Alarm::parse("faster"), Ok(Alarm { verdict: Verdict::Faster, share: 0.0 }));
        for wrong in ["", "same:5%", "slower:-1%", "slower:200%", "slower:x", "unknown"] {
            assert!(Alarm::parse(wrong).is_err(), "{wrong}");
        }
    }
}
