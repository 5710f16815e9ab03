//! Which sizes a study visits.

use serde::{Deserialize, Serialize};

use super::{
    SettingFault,
    fixed_or_auto::FixedOrAuto,
    size_text::{check_factor, parse_size, parse_sizes},
};

/// Default factor between two sizes of the schedule.
pub const LADDER_FACTOR: f64 = 1.5;
/// Default for the run time in seconds below which no knee is accepted.
pub const MIN_RUN_SECONDS: f64 = 1e-3;

/// Which sizes are visited.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, clap::Args)]
#[serde(default)]
pub struct SizeSettings {
    /// Each size is about this many times the previous one; `auto`: 1.5 times where the curve
    /// bends, more where launches dominate and where the curve is level
    #[arg(long, default_value_t = Self::default().factor, value_name = "N|auto")]
    pub factor: FixedOrAuto,
    /// Use exactly these sizes: `1000,2000,4000`, `1k..1M*2` or `100..1000+100`
    // With the plain name `Vec`, clap would expect one value per size.
    #[arg(long = "sizes", value_name = "LIST", value_parser = parse_sizes)]
    #[arg(conflicts_with_all = ["start", "factor"])]
    pub list: Option<std::vec::Vec<u64>>,
    /// Start with this size instead of the benchmark's first size
    #[arg(long, value_name = "N", value_parser = parse_size)]
    pub start: Option<u64>,
    /// Measure no size above this one [default: the largest that fits the device]
    #[arg(long, value_name = "N", value_parser = parse_size)]
    pub largest: Option<u64>,
    /// Use at most this share of the device's free memory
    #[arg(long, default_value_t = Self::default().memory_share, value_name = "SHARE")]
    pub memory_share: f64,
    /// Accept no knee where a run is shorter than this; `auto`: until the launch is a small part of
    /// the run, judged by the smallest sizes
    #[arg(long = "min-run-ms", default_value = "1", value_name = "MS|auto")]
    #[arg(value_parser = milliseconds)]
    pub min_run_seconds: FixedOrAuto,
}

impl Default for SizeSettings {
    fn default() -> Self {
        Self {
            factor: FixedOrAuto::Fixed(LADDER_FACTOR),
            list: None,
            start: None,
            largest: None,
            memory_share: 0.8,
            min_run_seconds: FixedOrAuto::Fixed(MIN_RUN_SECONDS),
        }
    }
}

fn milliseconds(text: &str) -> Result<FixedOrAuto, SettingFault> {
    Ok(match text.parse()? {
        FixedOrAuto::Fixed(time) => FixedOrAuto::Fixed(time / 1e3),
        FixedOrAuto::Auto => FixedOrAuto::Auto,
    })
}

impl SizeSettings {
    /// One size, or all sizes of a recorded space.
    #[must_use]
    pub fn only(size: Option<u64>) -> Self {
        Self { list: size.map(|size| vec![size]), ..Self::default() }
    }

    /// The first size, if the user chose one.
    #[must_use]
    pub fn first(&self) -> Option<u64> {
        let listed = self.list.as_ref().and_then(|list| list.iter().min().copied());
        listed.or(self.start)
    }

    pub(super) fn check(&self) -> Result<(), SettingFault> {
        let wrong = |why: String| Err(SettingFault(why));
        self.factor.fixed().map_or(Ok(()), check_factor)?;
        if !(self.memory_share > 0.0 && self.memory_share <= 1.0) {
            return wrong("--memory-share is above 0 and at most 1".to_owned());
        }
        let is_time = |seconds: f64| seconds >= 0.0 && seconds.is_finite();
        if !self.min_run_seconds.fixed().is_none_or(is_time) {
            return wrong("--min-run-ms is a time in milliseconds from 0, or `auto`".to_owned());
        }
        match self.first().zip(self.largest) {
            Some((first, largest)) if largest < first => {
                wrong(format!("--largest {largest} is below the first size, {first}"))
            }
            _ => Ok(()),
        }
    }
}
