//! Suites that are compiled into the program, in the same format as users' files.

/// A suite that is compiled into the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuiltIn {
    /// The suite's name.
    pub name: &'static str,
    /// The text of the suite's file.
    pub text: &'static str,
}

/// All built-in suites, sorted by name.
const BUILT_IN: &[BuiltIn] = &[
    BuiltIn { name: "coclustering", text: include_str!("embedded/coclustering.yaml") },
    BuiltIn { name: "deviation-factors", text: include_str!("embedded/deviation-factors.yaml") },
    BuiltIn { name: "fronts", text: include_str!("embedded/fronts.yaml") },
    BuiltIn {
        name: "generated-optimizers",
        text: include_str!("embedded/generated-optimizers.yaml"),
    },
    BuiltIn { name: "mixed-precision", text: include_str!("embedded/mixed-precision.yaml") },
    BuiltIn { name: "orders", text: include_str!("embedded/orders.yaml") },
    BuiltIn { name: "penalties", text: include_str!("embedded/penalties.yaml") },
    BuiltIn { name: "profile", text: include_str!("embedded/profile.yaml") },
    BuiltIn { name: "recordings", text: include_str!("embedded/recordings.yaml") },
    BuiltIn { name: "saturate-then-mix", text: include_str!("embedded/saturate-then-mix.yaml") },
    BuiltIn { name: "saturation", text: include_str!("embedded/saturation.yaml") },
    BuiltIn { name: "smoke", text: include_str!("embedded/smoke.yaml") },
    BuiltIn {
        name: "strategies-by-threshold",
        text: include_str!("embedded/strategies-by-threshold.yaml"),
    },
    BuiltIn { name: "thesis", text: include_str!("embedded/thesis.yaml") },
];

impl BuiltIn {
    /// The suite's purpose: the `about:` line of its file.
    #[must_use]
    pub fn about(&self) -> &'static str {
        let line = self.text.lines().find_map(|line| line.strip_prefix("about:"));
        line.unwrap_or_default().trim()
    }
}

/// All built-in suites, sorted by name.
#[must_use]
pub fn built_ins() -> &'static [BuiltIn] {
    BUILT_IN
}

/// The built-in suite of this name.
#[must_use]
pub fn built_in(name: &str) -> Option<&'static BuiltIn> {
    BUILT_IN.iter().find(|suite| suite.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guide_lists_every_built_in_suite() {
        let guide = include_str!("../../../../docs/guide/suites.md");
        let rows: Vec<&str> = guide.lines().filter_map(|line| line.strip_prefix("| `")).collect();
        for suite in built_ins() {
            let listed = |row: &str| {
                let (first, _) = row.split_once(" | ").unwrap_or((row, ""));
                first.split('`').any(|name| name == suite.name)
            };
            assert!(
                rows.iter().any(|row| listed(row)),
                "docs/guide/suites.md: no `{}`",
                suite.name
            );
        }
    }
}
