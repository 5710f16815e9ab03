//! Registry of the commands. Each command's file submits its own entry.

use clap::{
    ArgMatches, FromArgMatches,
    error::{ContextKind, ContextValue, ErrorKind},
};
use registry::nearest;

use super::terminal::Failure;

/// A command of the program.
pub struct Command {
    /// Position in the help. The tens digit is the index of the group.
    pub rank: u8,
    /// What users type.
    pub name: &'static str,
    /// What the command does, in one line.
    pub about: &'static str,
    /// Example calls for the end of the command's help, without the program's name. Each fits in 80
    /// columns.
    pub examples: &'static [&'static str],
    /// Adds the command's arguments.
    pub augment: fn(clap::Command) -> clap::Command,
    /// Checks the arguments, then runs the command.
    pub run: fn(&ArgMatches) -> Result<(), Failure>,
}

inventory::collect!(Command);

/// Titles of the groups of commands in the help.
const GROUPS: [&str; 5] = ["Measure", "Read results", "Strategies and spaces", "Extend", "Other"];

/// Options that `-h` shows for commands with many options. `--help` shows all.
const COMMON: [&str; 11] = [
    "detector",
    "device",
    "param",
    "restrict",
    "max-error",
    "budget",
    "time",
    "size",
    "sizes",
    "objective",
    "out",
];

/// From this number of options on, `-h` shows only the options in [`COMMON`].
const MANY: usize = 30;

const EXIT_CODES: &str = "Exit codes: 0 done, 1 fault of the program or the machine, 2 wrong settings, 3 benchmark, 4 device, 5 nothing valid found, 6 slower or faster than --fail-on allows, 130 interrupted.";

/// Commands that only `autobench-lab` has.
const IN_THE_LAB: [&str; 2] = ["evolve", "knobs"];

/// Whether the command exists only in `autobench-lab`, and this program is not `autobench-lab`.
pub(super) fn is_elsewhere(name: &str) -> bool {
    IN_THE_LAB.contains(&name) && !inventory::iter::<Command>().any(|known| known.name == name)
}

fn examples(program: &str, command: &Command) -> String {
    let lines = command.examples.iter().map(|line| format!("\n  {program} {line}"));
    format!("Examples:{}", lines.collect::<String>())
}

/// Builds the command line of all commands. `name` is the program's name in the help.
pub fn program(name: &'static str) -> clap::Command {
    let mut commands: Vec<&Command> = inventory::iter::<Command>().collect();
    commands.sort_by_key(|command| command.rank);
    let listed = grouped(&commands);
    let commands = commands.into_iter().map(|command| {
        let own = (command.augment)(clap::Command::new(command.name));
        let own = taking_negative_numbers(own.about(command.about).long_about(None));
        let own = short(own);
        own.after_help(examples(name, command))
    });
    clap::Command::new(name)
        .version(env!("CARGO_PKG_VERSION"))
        .about("Finds the problem size that saturates a device, and the best variant of a kernel there")
        .help_template(format!(
            "{{about}}\n\n{{usage-heading}} {{usage}}\n{listed}\n\nOptions:\n{{options}}{{after-help}}"
        ))
        .after_help(EXIT_CODES)
        .max_term_width(100)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands(commands)
}

/// Lists the commands under the titles of their groups.
fn grouped(commands: &[&Command]) -> String {
    let wide = commands.iter().map(|command| command.name.len()).max().unwrap_or(0);
    let groups = commands.chunk_by(|a, b| a.rank / 10 == b.rank / 10);
    let group = |commands: &[&Command]| {
        let line = |command: &&Command| format!("\n  {:<wide$}  {}", command.name, command.about);
        let lines: String = commands.iter().map(line).collect();
        format!("\n{}:{lines}\n", GROUPS[usize::from(commands[0].rank / 10)])
    };
    groups.map(group).collect::<String>().trim_end().to_owned()
}

/// Hides rarely used options from `-h` if a command has many options.
fn short(command: clap::Command) -> clap::Command {
    if command.get_arguments().count() < MANY {
        return command;
    }
    command.mut_args(|arg| {
        let is_common = arg.get_long().is_none_or(|long| COMMON.contains(&long));
        arg.hide_short_help(!is_common)
    })
}

/// Lets options accept a negative number as their value, so that each option can reject it with its
/// own message. Without this, clap reads the `-3` of `--time -3` as an unknown option.
fn taking_negative_numbers(command: clap::Command) -> clap::Command {
    let command =
        command.mut_args(|arg| match arg.get_action().takes_values() && !arg.is_positional() {
            true => arg.allow_negative_numbers(true),
            false => arg,
        });
    command.mut_subcommands(taking_negative_numbers)
}

pub(super) fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let Some((name, arguments)) = matches.subcommand() else {
        return Err(Failure::settings("which command?").hint("`autobench --help` lists them"));
    };
    match inventory::iter::<Command>().find(|command| command.name == name) {
        Some(command) => (command.run)(arguments),
        None => Err(Failure::bug(format!("nobody runs `{name}`"))),
    }
}

/// The standard library's messages about invalid numbers, and clearer messages.
const NUMBERS: [(&str, &str); 4] = [
    ("invalid float literal", "write a number, such as `2.5`"),
    ("cannot parse float from empty string", "write a number, such as `2.5`"),
    ("invalid digit found in string", "write a whole number, such as `12`"),
    ("cannot parse integer from empty string", "write a whole number, such as `12`"),
];

/// Returns a clearer message for an error in the arguments, if there is one.
pub(super) fn clearer(error: &clap::Error) -> Option<String> {
    let text = error.to_string();
    if let Some((said, words)) = NUMBERS.iter().find(|(said, _)| text.contains(said)) {
        return Some(text.replace(said, words));
    }
    match (error.kind(), error.get(ContextKind::InvalidSubcommand)) {
        (ErrorKind::InvalidSubcommand, Some(ContextValue::String(written))) => {
            nearest(written, inventory::iter::<Command>().map(|one| one.name))
                .map(|name| with_tip(&text, &format!("did you mean `{name}`?")))
        }
        _ => None,
    }
}

/// Returns a clearer message for an option that only other commands have. `arguments` begin with the
/// program's name.
pub(super) fn elsewhere(error: &clap::Error, arguments: &[String]) -> Option<String> {
    let Some(ContextValue::String(written)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let long = written.strip_prefix("--").filter(|_| error.kind() == ErrorKind::UnknownArgument)?;
    let has = |command: &clap::Command| command.get_arguments().any(|a| a.get_long() == Some(long));
    let all = program("autobench");
    let others: Vec<&str> =
        all.get_subcommands().filter(|one| has(one)).map(clap::Command::get_name).collect();
    let own = arguments.get(1)?;
    let known = all.get_subcommands().any(|one| one.get_name() == own);
    if !known || others.is_empty() || others.contains(&own.as_str()) {
        return None;
    }
    let why = match (own.as_str(), long) {
        ("tune", "detector") => "; `tune` measures one size, which has no knee",
        _ => "",
    };
    let names: Vec<String> = others.iter().map(|name| format!("`autobench {name}`")).collect();
    let tip = format!("`--{long}` is an option of {}{why}", names.join(", "));
    Some(with_tip(&error.to_string(), &tip))
}

/// Replaces clap's tip, if there is one.
fn with_tip(text: &str, tip: &str) -> String {
    let mut parts: Vec<&str> = text.split("\n\n").filter(|part| !part.contains("tip:")).collect();
    let tip = format!("  tip: {tip}");
    parts.insert(1.min(parts.len()), &tip);
    parts.join("\n\n")
}

/// Reads the arguments of a command from clap's matches.
///
/// # Errors
/// If the command declares different arguments from those it reads.
pub fn read<T: FromArgMatches>(matches: &ArgMatches) -> Result<T, Failure> {
    T::from_arg_matches(matches).map_err(Failure::bug)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_is_told_so() {
        for (arguments, words) in [
            (["autobench", "run", "x", "--time", "lots"], "write a number"),
            (["autobench", "run", "x", "--budget", "2x"], "write a whole number"),
            (["autobench", "run", "x", "--time", ""], "write a number"),
        ] {
            let error = program("autobench").try_get_matches_from(arguments).expect_err("refused");
            let text = clearer(&error).unwrap_or_else(|| error.to_string());
            assert!(text.contains(words) && !text.contains("literal"), "{text}");
        }
    }

    #[test]
    fn an_option_of_another_command_and_a_misspelt_command_are_told() {
        for (line, words) in [
            ("autobench tune vecadd --detector kneedle", "is an option of `autobench run`"),
            ("autobench tune vecadd --detector kneedle", "one size, which has no knee"),
            ("autobench show latest --seed 3", "is an option of"),
            ("autobench rn vecadd", "did you mean `run`?"),
            ("autobench tnue vecadd", "did you mean `tune`?"),
            ("autobench shw", "did you mean `show`?"),
            ("autobench comparee", "did you mean `compare`?"),
        ] {
            let arguments: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let error = program("autobench").try_get_matches_from(&arguments).expect_err("refused");
            let text = clearer(&error).or_else(|| elsewhere(&error, &arguments));
            let text = text.unwrap_or_else(|| error.to_string());
            assert!(text.contains(words) && text.matches("tip:").count() == 1, "{text}");
        }
        for line in ["autobench tune vecadd --nothing-like-it", "autobench quite-different"] {
            let arguments: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let error = program("autobench").try_get_matches_from(&arguments).expect_err("refused");
            assert_eq!(clearer(&error).or_else(|| elsewhere(&error, &arguments)), None);
        }
    }

    #[test]
    fn every_option_refuses_a_negative_number_in_its_own_words() {
        for (arguments, words) in [
            (["autobench", "run", "x", "--sizes", "-5"], "no list of sizes"),
            (["autobench", "tune", "x", "--size", "-5"], "'--size <N>'"),
            (["autobench", "run", "x", "--budget", "-2"], "'--budget <N>'"),
            (["autobench", "run", "x", "--repeat", "-1"], "'--repeat"),
        ] {
            let error = program("autobench").try_get_matches_from(arguments).expect_err("refused");
            let text = error.to_string();
            assert!(text.contains(words) && !text.contains("tip:"), "{text}");
        }
        fn refuse(command: &clap::Command) {
            for arg in command.get_arguments() {
                let is_option = arg.get_action().takes_values() && !arg.is_positional();
                assert!(!is_option || arg.is_allow_negative_numbers_set(), "{arg}");
            }
            command.get_subcommands().for_each(refuse);
        }
        program("autobench").get_subcommands().for_each(refuse);
    }

    #[test]
    fn every_command_is_there_once_and_sound() {
        program("autobench").debug_assert();
        let ranks: Vec<u8> = inventory::iter::<Command>().map(|command| command.rank).collect();
        let different: std::collections::BTreeSet<u8> = ranks.iter().copied().collect();
        assert_eq!(ranks.len(), different.len(), "each command has a place of its own in the help");
    }

    #[test]
    fn every_command_has_examples_that_fit_a_terminal_and_name_flags_that_exist() {
        let whole = program("autobench");
        for command in inventory::iter::<Command>() {
            assert!(!command.examples.is_empty(), "{} has no examples", command.name);
            let own = whole.find_subcommand(command.name).expect("a command");
            let inner = own.get_subcommands().flat_map(clap::Command::get_arguments);
            let all: Vec<&str> =
                own.get_arguments().chain(inner).filter_map(|a| a.get_long()).collect();
            for line in command.examples {
                assert!(line.len() + "  autobench ".len() <= 80, "{line}");
                assert!(line.starts_with(command.name), "{line}");
                let flags = line.split(' ').filter_map(|word| word.strip_prefix("--"));
                for flag in flags {
                    assert!(all.contains(&flag), "`{line}`: no --{flag}");
                }
            }
        }
    }
}
