//! Reads a suite's file. Faults have places, and all faults are reported at once.

use records::MOST_REPEATS;
use registry::did_you_mean;
use yaml::{Member, Node, Place, Value};

use super::{
    commands::{CommandFlags, Flag, FlagKind, unknown},
    fault::{Faults, SuiteFault},
    given::{Given, Word},
    published::{self, WrittenPublished},
};

/// Keys of a whole suite.
pub(super) const KEYS: [&str; 11] = [
    "suite",
    "about",
    "published",
    "differs",
    "sized_for",
    "defaults",
    "quick",
    "studies",
    "figure",
    "map",
    "curves",
];
/// Keys of a study, in addition to its command and that command's flags.
pub(super) const OWN: [&str; 7] =
    ["label", "winners_of", "size_of", "published", "differs", "repeats", "for_each"];
/// Keys of [`OWN`] that `defaults` may also have.
pub(super) const OF_ALL: [&str; 2] = ["repeats", "for_each"];
/// The key for a number of studies. For a command with this flag, the number of runs.
pub(super) const REPEATS: &str = "repeats";

/// A suite as its file describes it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Suite {
    /// The suite's name.
    pub name: String,
    /// The suite's purpose, in one sentence.
    pub about: String,
    /// Published results on which the suite is based, in sentences.
    pub published: Vec<String>,
    /// How the spaces or machines differ from the published ones.
    pub differs: String,
    /// The backend for whose devices sizes were chosen; empty if sizes suit all.
    pub sized_for: String,
    /// Labels of the studies that the figure shows side by side.
    pub figure: Vec<Word>,
    /// Labels of the studies whose first kept output is drawn as a map, side by side.
    pub map: Vec<Word>,
    /// Labels of the studies whose curves are drawn with a linear run time, one after the other.
    pub curves: Vec<Word>,
    /// The entries in order. Each makes one or more studies.
    pub entries: Vec<Entry>,
}

/// An entry of a suite, with the defaults that apply to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The command: `run`, `tune` or `score`.
    pub command: String,
    /// Whether the entry's studies run on a device.
    pub has_device: bool,
    /// Published results of the entry's studies.
    pub published: WrittenPublished,
    /// How the studies differ from the published ones.
    pub differs: Option<Word>,
    /// The benchmarks, each for a study of its own. Empty if a recorded space is the benchmark.
    pub benchmarks: Vec<Word>,
    /// Name in tables, instead of the benchmark's.
    pub label: Option<Word>,
    /// Labels of earlier studies whose winning values are parameters of these studies.
    pub winners_of: Vec<Word>,
    /// Label of the earlier run that gives these studies their size.
    pub size_of: Option<Word>,
    /// Flags that all studies of the entry share.
    pub flags: Vec<Given>,
    /// Flags whose values differ between the studies. Every combination is a study; the last flag
    /// varies fastest.
    pub for_each: Vec<Vec<Given>>,
    /// Number of studies of every combination, each with its own seed.
    pub repeats: u32,
    /// Where the entry begins in the file.
    pub place: Place,
}

/// The flags that a map sets.
#[derive(Default)]
struct Settings {
    flags: Vec<(String, Node, Place)>,
    for_each: Vec<(String, Node, Place)>,
}

impl Settings {
    /// The value of `repeats`, if it is set.
    fn repeats(&self, faults: &mut Faults) -> Option<u32> {
        let (_, node, _) = self.flags.iter().find(|(key, ..)| key == REPEATS)?;
        let repeats = number(&node.value);
        if repeats.is_none() {
            let most = MOST_REPEATS;
            faults.add(node.place, format!("`repeats` is a number of studies from 1 to {most}"));
        }
        repeats
    }
}

impl Suite {
    /// Reads a suite. With `quick`, the values under `quick` take precedence.
    ///
    /// # Errors
    /// All faults of the suite.
    pub fn read(
        text: &str,
        commands: &[CommandFlags],
        quick: bool,
    ) -> Result<Self, Vec<SuiteFault>> {
        let tree = Node::parse(text).map_err(|fault| vec![fault])?;
        let mut faults = Faults::default();
        let suite = suite(&tree, commands, quick, &mut faults);
        faults.or(suite)
    }
}

fn suite(tree: &Node, commands: &[CommandFlags], quick: bool, faults: &mut Faults) -> Suite {
    let mut suite = Suite::default();
    let Value::Map(members) = &tree.value else {
        faults.add(tree.place, "a suite has the keys `suite`, `about` and `studies`");
        return suite;
    };
    let (mut defaults, mut hurried) = (Settings::default(), Settings::default());
    let mut studies = None;
    for member in members {
        match member.key.as_str() {
            "suite" => suite.name = line(member, faults),
            "about" => suite.about = line(member, faults),
            "differs" => suite.differs = line(member, faults),
            "sized_for" => suite.sized_for = line(member, faults),
            "published" => {
                let sentences = published::sentences(member, faults);
                suite.published = sentences.into_iter().map(|word| word.text).collect();
            }
            "figure" => suite.figure = words(member, "is a list of labels of studies", faults),
            "curves" => suite.curves = words(member, "is a list of labels of studies", faults),
            "map" => suite.map = words(member, "is a list of labels of studies", faults),
            "defaults" => defaults = settings(member, true, faults),
            "quick" => hurried = settings(member, false, faults),
            "studies" => studies = Some(member),
            key => {
                let meant = did_you_mean(key, KEYS);
                let known = KEYS.map(|key| format!("`{key}`")).join(", ");
                faults.add(member.place, format!("a suite has no `{key}`, but {known}{meant}"));
            }
        }
    }
    if suite.name.is_empty() && !members.iter().any(|member| member.key == "suite") {
        faults.add(tree.place, "a suite needs a name: `suite: NAME`");
    }
    let items = match studies.map(|member| (&member.node.value, member)) {
        Some((Value::List(items), _)) if !items.is_empty() => items,
        Some((_, member)) => {
            faults.add(member.place, "`studies` is a list of studies, such as `- run: vecadd`");
            return suite;
        }
        None => {
            faults.add(tree.place, "a suite needs `studies`, such as `- run: vecadd`");
            return suite;
        }
    };
    let quickened = &hurried;
    let hurried = quick.then_some(quickened);
    for item in items {
        suite.entries.extend(entry(item, commands, &defaults, hurried, faults));
    }
    unused(&suite, commands, &defaults, &OF_ALL, faults);
    unused(&suite, commands, quickened, &OF_ALL[..1], faults);
    suite
}

/// The member's text on one line; empty with a fault.
fn line(member: &Member, faults: &mut Faults) -> String {
    text(member, faults).map_or_else(String::new, |word| word.text)
}

/// The member's text on one line. An empty text is a fault.
fn text(member: &Member, faults: &mut Faults) -> Option<Word> {
    match &member.node.value {
        Value::Text(text) if !text.trim().is_empty() => {
            let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
            Some(Word { text: line, place: member.node.place })
        }
        _ => {
            faults.add(member.place, format!("`{}` is a text", member.key));
            None
        }
    }
}

fn settings(member: &Member, may_vary: bool, faults: &mut Faults) -> Settings {
    let mut settings = Settings::default();
    match &member.node.value {
        Value::Map(members) => read_settings(members, may_vary, &mut settings, faults),
        Value::Nothing => {}
        _ => faults.add(member.place, format!("`{}` has flags as keys", member.key)),
    }
    settings
}

fn read_settings(members: &[Member], may_vary: bool, settings: &mut Settings, faults: &mut Faults) {
    for member in members {
        let flag = |m: &Member| (m.key.clone(), m.node.clone(), m.place);
        match (member.key.as_str(), &member.node.value) {
            ("for_each", Value::Map(members)) if may_vary => {
                settings.for_each.extend(members.iter().map(flag));
            }
            ("for_each", _) if may_vary => {
                faults.add(member.place, "`for_each` has flags as keys, each with a list");
            }
            ("for_each", _) => faults.add(member.place, "`quick` has no `for_each`"),
            _ => settings.flags.push(flag(member)),
        }
    }
}

fn number(value: &Value) -> Option<u32> {
    let Value::Text(text) = value else { return None };
    text.parse().ok().filter(|number| (1..=MOST_REPEATS).contains(number))
}

fn entry(
    item: &Node,
    commands: &[CommandFlags],
    defaults: &Settings,
    quick: Option<&Settings>,
    faults: &mut Faults,
) -> Option<Entry> {
    let begins = || {
        let subject = |command: &CommandFlags| match &command.subject {
            Some(flag) => flag.to_uppercase(),
            None => "BENCHMARK".to_owned(),
        };
        let begin = |command: &CommandFlags| format!("`{}: {}`", command.name, subject(command));
        commands.iter().map(begin).collect::<Vec<_>>()
    };
    let Value::Map(members) = &item.value else {
        faults.add(item.place, format!("a study begins with {}", begins().join(" or ")));
        return None;
    };
    let mut own = Settings::default();
    let (mut chosen, mut label, mut rest) = (None, None, Vec::new());
    let (mut published, mut differs) = (WrittenPublished::default(), None);
    let (mut winners_of, mut size_of) = (Vec::new(), None);
    for member in members {
        let command = commands.iter().find(|command| command.name == member.key);
        match (command, member.key.as_str()) {
            (Some(_), _) if chosen.is_some() => {
                faults.add(member.place, "a study has one command; begin another with `-`");
            }
            (Some(command), _) => chosen = Some((command, member)),
            (None, "label") => label = text(member, faults),
            (None, "published") => published = published::of_study(member, faults),
            (None, "differs") => differs = text(member, faults),
            (None, "winners_of") => {
                winners_of = words(member, "is a list of labels of earlier studies", faults);
            }
            (None, "size_of") => size_of = text(member, faults),
            (None, _) => rest.push(member.clone()),
        }
    }
    read_settings(&rest, true, &mut own, faults);
    let Some((command, subject)) = chosen else {
        let first = members.first().map_or("", |member| member.key.as_str());
        let meant = did_you_mean(first, commands.iter().map(|command| command.name.as_str()));
        let begins = begins().join(" or ");
        faults.add(item.place, format!("a study begins with {begins}{meant}"));
        return None;
    };
    let taken = |settings: &Settings, key: &str| {
        let mut all = settings.flags.iter().chain(&settings.for_each);
        all.any(|(other, ..)| other == key)
    };
    for (key, _, place) in &own.for_each {
        if own.flags.iter().any(|(other, ..)| other == key) {
            faults.add(*place, format!("`{key}` stands in the study and under its `for_each`"));
        }
    }
    if let Some(word) = size_of.as_ref().filter(|_| command.name != "tune") {
        faults.add(word.place, "only a `tune` takes its size from a run: `size_of`");
    }
    let subjects = subjects(subject, command, faults);
    let counts_itself = command.flag(REPEATS).is_some();
    let repeats = match counts_itself {
        true => None,
        false => [quick, Some(&own), Some(defaults)]
            .into_iter()
            .flatten()
            .filter_map(|settings| settings.repeats(faults))
            .next(),
    };
    let mut entry = Entry {
        command: command.name.clone(),
        has_device: command.flag("device").is_some(),
        published,
        differs,
        benchmarks: Vec::new(),
        label,
        winners_of,
        size_of,
        flags: Vec::new(),
        for_each: Vec::new(),
        repeats: repeats.unwrap_or(1),
        place: item.place,
    };
    match &command.subject {
        Some(flag) if !subjects.is_empty() => entry.flags.push(Given {
            flag: flag.clone(),
            kind: FlagKind::Several,
            words: subjects,
            place: subject.place,
        }),
        Some(_) => {}
        None => entry.benchmarks = subjects,
    }
    let of_studies = |key: &str| key == REPEATS && !counts_itself;
    // Later sources take precedence. A default need not be a flag of every command.
    let sources = [(Some(defaults), false), (Some(&own), true), (quick, false)];
    for (at, (settings, must_exist)) in sources.iter().enumerate() {
        let Some(settings) = settings else { continue };
        let later = || sources[at + 1..].iter().filter_map(|(later, _)| *later);
        let wins = |key: &str| !later().any(|later| taken(later, key));
        for (key, node, place) in settings.flags.iter().filter(|(key, ..)| !of_studies(key)) {
            match command.flag(key) {
                Some(flag) => {
                    let given = Given::read(flag, node, *place, faults);
                    entry.flags.extend(wins(key).then_some(given));
                }
                None if *must_exist => faults.add(*place, unknown(key, &[command], &OWN)),
                None => {}
            }
        }
        for (key, node, place) in &settings.for_each {
            match command.flag(key) {
                Some(flag) => {
                    let dimension = dimension(flag, node, *place, faults);
                    entry.for_each.extend(wins(key).then_some(dimension));
                }
                None if *must_exist => faults.add(*place, unknown(key, &[command], &[])),
                None => {}
            }
        }
    }
    Some(entry)
}

/// The texts of a member that is one text or a list of texts. `what` completes the message for
/// other values.
fn words(member: &Member, what: &str, faults: &mut Faults) -> Vec<Word> {
    let items = match &member.node.value {
        Value::List(items) => items.as_slice(),
        _ => std::slice::from_ref(&member.node),
    };
    let mut words = Vec::new();
    for item in items {
        match &item.value {
            Value::Text(text) if !text.is_empty() => {
                words.push(Word { text: text.clone(), place: item.place });
            }
            _ => faults.add(item.place, format!("`{}` {what}", member.key)),
        }
    }
    words
}

/// The values that follow a command: benchmarks, or the values of a flag.
fn subjects(member: &Member, command: &CommandFlags, faults: &mut Faults) -> Vec<Word> {
    let names = match command.subject {
        Some(_) => "names recorded spaces, by name or path",
        None => "names a benchmark",
    };
    if matches!(member.node.value, Value::Nothing) {
        return Vec::new();
    }
    let words = words(member, names, faults);
    if matches!(&member.node.value, Value::List(items) if items.is_empty()) {
        faults.add(member.place, format!("`{}` names nothing", member.key));
    }
    words
}

/// The values of a flag under `for_each`, each as the flag itself would take it.
fn dimension(flag: &Flag, node: &Node, place: Place, faults: &mut Faults) -> Vec<Given> {
    match &node.value {
        Value::List(items) if !items.is_empty() => {
            items.iter().map(|item| Given::read(flag, item, place, faults)).collect()
        }
        _ => {
            let name = &flag.name;
            faults
                .add(place, format!("`{name}` under `for_each` is a list, a study for each item"));
            Vec::new()
        }
    }
}

/// Reports flags that no command of the suite's studies has.
fn unused(
    suite: &Suite,
    commands: &[CommandFlags],
    settings: &Settings,
    own: &[&str],
    faults: &mut Faults,
) {
    let used: Vec<&CommandFlags> = commands
        .iter()
        .filter(|command| suite.entries.iter().any(|entry| entry.command == command.name))
        .collect();
    if used.is_empty() {
        return;
    }
    for (key, _, place) in settings.flags.iter().chain(&settings.for_each) {
        if key != REPEATS && !used.iter().any(|command| command.flag(key).is_some()) {
            faults.add(*place, unknown(key, &used, own));
        }
    }
}
