//! What a suite knows of the commands whose flags are its keys: plain data, made by the command line.

use registry::nearest;

/// How a flag takes values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlagKind {
    /// It takes none: `true` or `false`.
    Switch,
    /// One value.
    One,
    /// One value that is a list: `sizes`.
    Listed,
    /// It may be given several times.
    Several,
}

/// A flag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flag {
    /// Its long name.
    pub name: String,
    /// How it takes values.
    pub kind: FlagKind,
}

/// A command that performs a study, with its flags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandFlags {
    /// Its name: `run`, `tune` or `score`.
    pub name: String,
    /// Its flags.
    pub flags: Vec<Flag>,
    /// The flag that takes everything behind its name in one study; none: that is benchmarks, each
    /// for a study of its own.
    pub subject: Option<String>,
}

/// Flags that belong to a whole suite, with what to do instead.
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
    /// The flag of a name.
    #[must_use]
    pub fn flag(&self, name: &str) -> Option<&Flag> {
        let own = self.flags.iter().find(|flag| flag.name == name);
        own.filter(|flag| of_the_suite(&flag.name).is_none())
    }
}

/// What to do instead of giving a study this flag.
fn of_the_suite(name: &str) -> Option<&'static str> {
    OF_THE_SUITE.iter().find(|(other, _)| *other == name).map(|(_, instead)| *instead)
}

/// Why a key is none of these commands, in one sentence, with the key that may have been meant.
pub(super) fn unknown(key: &str, commands: &[&CommandFlags], own: &[&str]) -> String {
    if let Some(instead) = of_the_suite(key) {
        return format!("`{key}` is no flag of a study in a suite; {instead}");
    }
    let flags = commands.iter().flat_map(|command| &command.flags);
    let names = flags.map(|flag| flag.name.as_str()).filter(|name| of_the_suite(name).is_none());
    let meant = nearest(&key.replace('_', "-"), names.chain(own.iter().copied()));
    let meant = meant.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
    let commands: Vec<String> =
        commands.iter().map(|command| format!("`autobench {}`", command.name)).collect();
    format!("`{key}` is no flag of {}{meant}", commands.join(" or "))
}
