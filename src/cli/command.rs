//! Registry of the commands: each file submits its entry.

use clap::{ArgMatches, FromArgMatches};

use super::{examples, terminal::Failure};

pub(super) struct Command {
    /// Position in the help.
    pub(super) rank: u8,
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    pub(super) augment: fn(clap::Command) -> clap::Command,
    /// Checks the arguments, then acts.
    pub(super) run: fn(&ArgMatches) -> Result<(), Failure>,
}

inventory::collect!(Command);

const EXIT_CODES: &str = "Exit codes: 0 done, 1 fault of the program or the machine, 2 wrong settings, 3 benchmark, 4 device, 5 nothing valid found, 6 slower or faster than --fail-on allows, 130 interrupted.";

pub(super) fn program() -> clap::Command {
    let mut commands: Vec<&Command> = inventory::iter::<Command>().collect();
    commands.sort_by_key(|command| command.rank);
    let commands = commands.into_iter().map(|command| {
        let own = (command.augment)(clap::Command::new(command.name));
        let own = taking_negative_numbers(own.about(command.about).long_about(None));
        match examples::of(command.name) {
            Some(examples) => own.after_help(examples),
            None => own,
        }
    });
    clap::Command::new("autobench")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Finds the problem size that saturates a device, and the best variant of a kernel there")
        .after_help(EXIT_CODES)
        .max_term_width(100)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands(commands)
}

/// Lets options have negative numbers, which they refuse in their own words: without this, `--time -3` is an unknown
/// option `-3`.
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

/// What the standard library says of texts that are no numbers, and what a reader needs to know.
const NUMBERS: [(&str, &str); 4] = [
    ("invalid float literal", "write a number, such as `2.5`"),
    ("cannot parse float from empty string", "write a number, such as `2.5`"),
    ("invalid digit found in string", "write a whole number, such as `12`"),
    ("cannot parse integer from empty string", "write a whole number, such as `12`"),
];

/// A refusal of arguments in clearer words, where there are any.
pub(super) fn clearer(error: &clap::Error) -> Option<String> {
    let text = error.to_string();
    let (said, words) = NUMBERS.iter().find(|(said, _)| text.contains(said))?;
    Some(text.replace(said, words))
}

pub(super) fn read<T: FromArgMatches>(matches: &ArgMatches) -> Result<T, Failure> {
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
            let error = program().try_get_matches_from(arguments).expect_err("refused");
            let text = clearer(&error).expect("clearer words");
            assert!(text.contains(words) && !text.contains("literal"), "{text}");
        }
        let other = program().try_get_matches_from(["autobench", "runn"]).expect_err("refused");
        assert_eq!(clearer(&other), None);
    }

    #[test]
    fn every_option_refuses_a_negative_number_in_its_own_words() {
        for (arguments, words) in [
            (["autobench", "run", "x", "--sizes", "-5"], "no list of sizes"),
            (["autobench", "tune", "x", "--size", "-5"], "'--size <N>'"),
            (["autobench", "run", "x", "--budget", "-2"], "'--budget <N>'"),
            (["autobench", "run", "x", "--repeat", "-1"], "'--repeat"),
        ] {
            let error = program().try_get_matches_from(arguments).expect_err("refused");
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
        program().get_subcommands().for_each(refuse);
    }

    #[test]
    fn every_command_is_there_once_and_sound() {
        program().debug_assert();
        let mut ranks: Vec<u8> = inventory::iter::<Command>().map(|command| command.rank).collect();
        ranks.sort_unstable();
        let all: Vec<u8> = (1..=u8::try_from(ranks.len()).expect("few commands")).collect();
        assert_eq!(ranks, all, "each command has a place of its own in the help");
    }

    #[test]
    fn every_command_has_examples_that_fit_a_terminal_and_begin_as_calls_of_it() {
        for subcommand in program().get_subcommands() {
            let name = subcommand.get_name();
            let text = examples::of(name).unwrap_or_else(|| panic!("{name} has no examples"));
            for line in text.lines().skip(1) {
                assert!(line.chars().count() <= 80, "{line}");
                assert!(line.starts_with(&format!("  autobench {name}")), "{line}");
            }
        }
    }

    #[test]
    fn examples_name_flags_that_exist() {
        let program = program();
        for (name, lines) in examples::EXAMPLES {
            let own = program.find_subcommand(name).expect("a command");
            let inner = own.get_subcommands().flat_map(clap::Command::get_arguments);
            let all: Vec<&str> =
                own.get_arguments().chain(inner).filter_map(|a| a.get_long()).collect();
            for line in *lines {
                let flags = line.split(' ').filter_map(|word| word.strip_prefix("--"));
                for flag in flags {
                    assert!(all.contains(&flag), "`{line}`: no --{flag}");
                }
            }
        }
    }
}
