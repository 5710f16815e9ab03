//! Counts of the deviations of a T4 file from its schema.

#[derive(Debug, Default)]
pub(in crate::records) struct Tally {
    pub(in crate::records) not_finite: usize,
    pub(in crate::records) unreadable: usize,
    pub(in crate::records) again: usize,
    pub(in crate::records) incomplete: usize,
    pub(in crate::records) unknown: usize,
    pub(in crate::records) other_objectives: usize,
    pub(in crate::records) misspelled: usize,
    pub(in crate::records) no_benchmark: usize,
    pub(in crate::records) units: usize,
}

impl Tally {
    /// One sentence for each deviation that occurs.
    pub(in crate::records) fn sentences(&self) -> Vec<String> {
        let ways = [
            (self.not_finite, "values are NaN or infinite; they are read as missing"),
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
        let occurring = ways.into_iter().filter(|(count, _)| *count > 0);
        occurring.map(|(count, what)| format!("{count} {what}")).collect()
    }
}
