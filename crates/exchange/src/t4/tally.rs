//! Counts of the deviations of a T4 file from its schema.

use crate::spaces::json_reader::ReadAsMissing;

#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) missing: ReadAsMissing,
    pub(crate) unreadable: usize,
    pub(crate) again: usize,
    pub(crate) incomplete: usize,
    pub(crate) unknown: usize,
    pub(crate) other_objectives: usize,
    pub(crate) misspelled: usize,
    pub(crate) no_benchmark: usize,
    pub(crate) units: usize,
}

impl Tally {
    /// One sentence for each deviation that occurs.
    pub(crate) fn sentences(&self) -> Vec<String> {
        let ways = [
            (
                self.unreadable,
                "results do not name a configuration as the first one does; they are left out",
            ),
            (
                self.again,
                "results repeat a configuration, as revisits do; the first of each counts",
            ),
            (
                self.incomplete,
                "results lack `times`, `invalidity` or `correctness`, which the schema demands",
            ),
            (
                self.unknown,
                "results have no time, or no known word for validity; they count as failed runs",
            ),
            (self.other_objectives, "results name other objectives than the first one"),
            (self.misspelled, "results say `compilation` where the schema says `compilation_time`"),
            (
                self.no_benchmark,
                "results have no `benchmark` time; the sum of their runtimes stands for it",
            ),
            (self.units, "measurements have another unit than the first of their name"),
        ];
        let occurring =
            self.missing.in_words().into_iter().chain(ways).filter(|(count, _)| *count > 0);
        occurring.map(|(count, what)| format!("{count} {what}")).collect()
    }
}
