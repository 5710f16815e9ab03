//! How a study divides its time, and when it has seen enough. All numbers of a study that decide its
//! answer are here, except the knobs of detectors and strategies and the model of rounds.
//! `--measure NAME=VALUE` changes one, and the study's record keeps all of them.

use serde::{Deserialize, Serialize};

use super::SettingFault;

/// A number of the policy, as it is listed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PolicyField {
    /// Its name.
    pub name: &'static str,
    /// Its unit; empty for a number or a share.
    pub unit: &'static str,
    /// Its default.
    pub default: f64,
    /// What it does, and why the default is what it is.
    pub about: &'static str,
}

macro_rules! policy {
    ($($name:ident = $default:literal $unit:literal, $about:literal;)*) => {
        /// The numbers of a study that decide its answer.
        #[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
        #[serde(default)]
        pub struct MeasuringPolicy {
            $(#[doc = $about] pub $name: f64,)*
        }

        impl Default for MeasuringPolicy {
            fn default() -> Self {
                Self { $($name: $default,)* }
            }
        }

        impl MeasuringPolicy {
            /// All numbers, in the order in which a study comes to them.
            pub const FIELDS: &[PolicyField] = &[$(PolicyField {
                name: stringify!($name),
                unit: $unit,
                default: $default,
                about: $about,
            },)*];

            fn field(&mut self, name: &str) -> Option<&mut f64> {
                match name {
                    $(stringify!($name) => Some(&mut self.$name),)*
                    _ => None,
                }
            }
        }
    };
}

policy! {
    rounds = 1.0 "", "0: no rounds over all sizes; the curve is what every size measured by itself, as in protocols that measure one size after the other.";
    mean = 0.0 "", "1, with rounds=0: the metric of a size is that of the mean of its own samples; its time stays the median.";
    growth_share = 0.45 "", "Share of the study's time that is divided among the sizes of growth; finals and rounds need the rest.";
    growth_at_most = 0.65 "", "Growth may take this share of the time while no knee is seen, as on a busy machine.";
    expected_sizes = 8.0 "sizes", "The time of growth is divided among at most so many sizes: those up to a knee need a search, and later ones start from what it found.";
    starts_from = 3.0 "sizes", "A size starts with configurations of so many smaller sizes; their winners are always tried.";
    starts = 16.0 "", "Most configurations with which a size starts.";
    starts_ratio = 4.0 "", "Worst score of such a configuration, as a multiple of the best at its size.";
    finals_share = 0.35 "", "Share of a size's time that its finals may take.";
    refinement_share = 0.04 "", "Least share of the study's time for a size around the knee.";
    scouting_rounds = 12.0 "rounds", "Rounds over all sizes after a size of growth; they average its noise out before growth may end.";
    scouting_share = 0.02 "", "Most of the study's time that these take.";
    locating_rounds = 60.0 "rounds", "Rounds that locate the knee before sizes around it are added.";
    locating_share = 0.06 "", "Most of the study's time that these take.";
    others_tried = 4.0 "", "Winners of other sizes that a size tries before its finals.";
    others_tried_while = 0.4 "", "Sizes try them while this share of the study's time is left.";
    finalists = 5.0 "", "Configurations that are measured again in a size's finals, besides the default.";
    finalists_of_front = 16.0 "", "The same, for a front.";
    finals_while = 0.3 "", "Sizes have finals while this share of the study's time is left.";
    tie = 0.02 "", "Configurations tie if their times differ by at most this share and pairs do not tell them apart; the one nearest to the default wins.";
    candidates = 3.0 "", "Configurations of a size that race in the rounds, besides the best and the default.";
    near = 1.15 "", "Longest time of such a candidate, as a multiple of the best's.";
    sample = 1.5e-3 "s", "A size whose samples take longer takes part in fewer rounds.";
    rarest = 16.0 "rounds", "Every size takes part in at least one of so many rounds.";
    request = 0.5 "s", "Time of the rounds between two looks at the clock, and between exchanges of memory.";
    exchange_share = 0.15 "", "Most of the rounds' time that exchanging memory among sizes may take.";
    look_growth = 0.2 "", "The answer is looked at again when the rounds have grown by this share.";
    calm_seconds = 5.0 "s", "Least time of rounds on a calm machine: windows of 5 s put every knee within a step.";
    unsure_seconds = 15.0 "s", "Least time of rounds while the probability is below 0.95: more exchanges of memory average out what sizes have of their own.";
    unsteady_seconds = 20.0 "s", "Least time of rounds on a machine with several states: 10 s were not enough, 20 s were.";
    after_rounds = 0.08 "", "Share of the study's time that is left for the comparison with full precision.";
    least_rounds_share = 0.1 "", "Least share of the study's time for the rounds of the answer.";
    unlimited_rounds = 30.0 "s", "Time of the rounds in a study without a limit of time.";
    single_size_share = 0.2 "", "Share of the time of a study of one size that its rounds may take.";
    single_size_rounds = 2.0 "s", "Most time of the rounds of a study of one size: longer ones name no better winners, since a machine changes over minutes.";
    precise_evaluations = 24.0 "", "Most evaluations of the search for the best in full precision.";
    precise_share = 0.05 "", "Share of the study's time for that search.";
    precise_seconds = 1.0 "s", "Least time for that search.";
    threshold_candidates = 3.0 "", "Configurations that are measured again under each error threshold.";
}

impl MeasuringPolicy {
    /// Changes a number, given as `NAME=VALUE`.
    pub fn set(&mut self, text: &str) -> Result<(), SettingFault> {
        let fault = |why: String| Err(SettingFault(why));
        let Some((name, value)) = text.split_once('=') else {
            return fault(format!("`{text}` is not NAME=VALUE: see `autobench list policy`"));
        };
        let Some(field) = self.field(name.trim()) else {
            return fault(format!(
                "the policy of measuring has no `{name}`: see `autobench list policy`"
            ));
        };
        let Ok(number) = value.trim().parse::<f64>() else {
            return fault(format!("`{value}` is not a number, as {name} is"));
        };
        *field = number;
        self.check()
    }

    /// Fails if a number is not from 0 to [`Self::MOST`].
    pub(super) fn check(&self) -> Result<(), SettingFault> {
        let mut own = *self;
        for PolicyField { name, .. } in Self::FIELDS {
            let number = own.field(name).map_or(0.0, |number| *number);
            if !(0.0..=Self::MOST).contains(&number) {
                let most = Self::MOST;
                return Err(SettingFault(format!("{name} is from 0 to {most}, not {number}")));
            }
        }
        Ok(())
    }

    /// Most that a number can be.
    const MOST: f64 = 1e4;
}

/// Parses `NAME=VALUE` for the command line, which checks it.
pub fn parse_policy(text: &str) -> Result<String, SettingFault> {
    MeasuringPolicy::default().set(text).map(|()| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_can_be_set_by_its_name_and_nothing_else() {
        for field in MeasuringPolicy::FIELDS {
            let mut policy = MeasuringPolicy::default();
            assert_eq!(policy.field(field.name), Some(&mut { field.default }), "{field:?}");
            policy.set(&format!("{}={}", field.name, field.default + 1.0)).expect("a number");
            assert_ne!(policy, MeasuringPolicy::default(), "{field:?}");
            assert!(field.about.ends_with('.'), "{field:?}");
        }
        let refused = |text: &str| parse_policy(text).expect_err(text).to_string();
        assert!(refused("tie").contains("NAME=VALUE"));
        assert!(refused("tie=soon").contains("not a number"));
        assert!(refused("tie=-1").contains("from 0"));
        assert!(refused("tie=nan").contains("from 0") && refused("tie=1e9").contains("to 10000"));
        assert!(refused("ties=1").contains("no `ties`"));
    }
}
