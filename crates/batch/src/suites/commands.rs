//! What a suite knows of the commands whose flags are its keys. The command line builds this data.

use registry::did_you_mean;

/// How a flag takes values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlagKind {
    /// The flag takes no value; in a suite it is `true` or `false`.
    Switch,
    /// The flag takes one value.
    One,
    /// The flag takes one value that is a list, such as `sizes`.
    Listed,
    /// The flag may be given several times.
    Several,
}

/// A flag of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flag {
    /// The flag's long name, without dashes.
    pub name: String,
    /// How the flag takes values.
    pub kind: FlagKind,
}

/// A command that makes a study, with its flags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandFlags {
    /// The command's name: `run`, `tune` or `score`.
    pub name: String,
    /// The command's flags.
    pub flags: Vec<Flag>,
    /// The flag whose values are written after the command's name. `None` if benchmarks are written
    /// there, each for a study of its own.
    pub subject: Option<String>,
}

/// Flags that belong to the whole suite, with what to write instead.
const OF_THE_SUITE: &[(&str, &str)] = &[
    ("out", "give it to `autobench suite`"),
    ("plugin-path", "give it to `autobench suite`"),
    ("dry-run", "give it to `autobench suite`"),
    ("json", "give it to `autobench suite`"),
    ("quiet", "give it to `autobench suite`"),
    ("help", "use `autobench run --help`"),
    ("repeat", "write `repeats`, which makes studies of their own"),
];

impl CommandFlags {
    /// Returns the flag with this name, unless it belongs to the whole suite.
    #[must_use]
    pub fn flag(&self, name: &str) -> Option<&Flag> {
        let own = self.flags.iter().find(|flag| flag.name == name);
        own.filter(|flag| of_the_suite(&flag.name).is_none())
    }
}

/// What to write instead of giving this flag to a study.
fn of_the_suite(name: &str) -> Option<&'static str> {
    OF_THE_SUITE.iter().find(|(other, _)| *other == name).map(|(_, instead)| *instead)
}

/// A message that no flag of these commands is named so, with the most similar flag.
pub(super) fn unknown(key: &str, commands: &[&CommandFlags], own: &[&str]) -> String {
    if let Some(instead) = of_the_suite(key) {
        return format!("`{key}` is no flag of a study in a suite; {instead}");
    }
    let flags = commands.iter().flat_map(|command| &command.flags);
    let names = flags.map(|flag| flag.name.as_str()).filter(|name| of_the_suite(name).is_none());
    let meant = did_you_mean(&key.replace('_', "-"), names.chain(own.iter().copied()));
    let commands: Vec<String> =
        commands.iter().map(|command| format!("`autobench {}`", command.name)).collect();
    format!("`{key}` is no flag of {}{meant}", commands.join(" or "))
}
