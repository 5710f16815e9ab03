//! Device memory that a benchmark uses.

use std::collections::BTreeSet;

use autobench_sdk::document::Role;
use records::Named;

use super::{Benchmark, formula::FormulaFault};

/// Upper limit of the parameter combinations that `largest_footprint` tries.
const MOST_COMBINATIONS: usize = 1 << 16;

impl Benchmark {
    /// Bytes of device memory: every buffer once, but `inout` buffers twice, since they are
    /// restored from a copy.
    ///
    /// # Errors
    /// As [`Self::arguments`], or the sum is beyond 2⁶⁴.
    pub fn footprint(&self, size: u64, configuration: &Named) -> Result<u64, FormulaFault> {
        let mut total = 0_u64;
        for argument in self.arguments(size, configuration)? {
            let copies = if argument.role == Role::Inout { 2 } else { 1 };
            total = argument
                .bytes()
                .checked_mul(copies)
                .and_then(|bytes| total.checked_add(bytes))
                .ok_or_else(|| FormulaFault::TooLarge(format!("size {size}")))?;
        }
        Ok(total)
    }

    /// The largest footprint of a size, over the parameters in shapes and formats, and a
    /// configuration that has it. Combinations without a footprint are skipped.
    ///
    /// # Errors
    /// No combination has a footprint.
    pub fn largest_footprint(&self, size: u64) -> Result<(u64, Named), FormulaFault> {
        let mut configurations = vec![self.defaults()];
        for together in self.shaping() {
            for at in together {
                let values = &self.parameters[at].values;
                if configurations.len().saturating_mul(values.len()) > MOST_COMBINATIONS {
                    // Too many combinations: only the largest so far is combined with this
                    // parameter's values.
                    configurations = vec![self.worst(size, configurations)?.1];
                }
                configurations = configurations
                    .iter()
                    .flat_map(|configuration| {
                        values.iter().map(move |value| {
                            let mut next = configuration.clone();
                            next.0[at].1 = value.clone();
                            next
                        })
                    })
                    .collect();
            }
            // If no configuration has a footprint, all stay and are combined with the next
            // parameters.
            if let Ok((_, worst)) = self.worst(size, configurations.clone()) {
                configurations = vec![worst];
            }
        }
        self.worst(size, configurations)
    }

    /// Groups of parameters in shapes and formats; parameters of one argument are in one group.
    /// Groups can be maximised separately, since the footprint is a sum over arguments.
    fn shaping(&self) -> Vec<BTreeSet<usize>> {
        let mut groups: Vec<BTreeSet<usize>> = Vec::new();
        for argument in &self.arguments {
            let own = argument.parameters(&self.names);
            if own.is_empty() {
                continue;
            }
            let (touched, apart): (Vec<_>, Vec<_>) =
                groups.into_iter().partition(|group| !group.is_disjoint(&own));
            groups = apart;
            groups.push(touched.into_iter().flatten().chain(own).collect());
        }
        groups
    }

    fn worst(&self, size: u64, configurations: Vec<Named>) -> Result<(u64, Named), FormulaFault> {
        let mut worst: Option<(u64, Named)> = None;
        let mut first_fault = None;
        for configuration in configurations {
            match self.footprint(size, &configuration) {
                Ok(bytes) if worst.as_ref().is_none_or(|(most, _)| bytes > *most) => {
                    worst = Some((bytes, configuration));
                }
                Ok(_) => {}
                // A footprint too large to count is the largest.
                Err(fault @ (FormulaFault::TooLarge(_) | FormulaFault::Size(_))) => {
                    return Err(fault);
                }
                Err(fault) => first_fault = first_fault.or(Some(fault)),
            }
        }
        worst.ok_or_else(|| {
            first_fault.unwrap_or_else(|| FormulaFault::TooLarge(format!("size {size}")))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{configuration, document};

    #[test]
    fn the_footprint_counts_inout_twice_and_scalars_never() {
        let benchmark = Benchmark::new(document()).unwrap();
        let bytes = benchmark.footprint(1000, &configuration(64, 8, "f64")).unwrap();
        assert_eq!(bytes, 2000 * 8 + 1000 * 4 + 2 * 8);
    }

    #[test]
    fn the_largest_footprint_takes_the_worst_of_every_shaping_parameter() {
        let benchmark = Benchmark::new(document()).unwrap();
        assert_eq!(benchmark.largest_footprint(1000).unwrap().0, 2000 * 8 + 1000 * 4 + 2 * 8);
    }

    #[test]
    fn sizes_beyond_memory_are_faults_and_not_panics() {
        let benchmark = Benchmark::new(document()).unwrap();
        for size in [1 << 61, 1 << 62, u64::MAX] {
            assert!(benchmark.largest_footprint(size).is_err(), "{size}");
        }
    }
}
