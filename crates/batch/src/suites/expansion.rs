//! Expands the entries of a suite into studies: every benchmark, combination and repeat.

use std::path::{Path, absolute};

use records::{repeat_seed, settings::DEFAULT_SEED};
use registry::did_you_mean;
use yaml::Place;

use super::{
    commands::{CommandFlags, FlagKind, unknown},
    document::{Entry, Suite},
    earlier_runs::SizeFrom,
    fault::{Faults, SuiteFault},
    given::{Given, Word},
    label::{label, told_apart},
    published::WrittenPublished,
};

/// Most studies of one suite. More are taken to be a mistake.
const MOST_STUDIES: usize = 10_000;

/// What applies to all studies of a suite.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Expansion<'a> {
    /// Folder of the suite's file, to which the suite's paths are relative.
    pub folder: Option<&'a Path>,
    /// Devices that replace the suite's, except for recorded spaces.
    pub devices: &'a [String],
}

/// A study of a suite before it is checked and run.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedStudy {
    /// The study's name in tables.
    pub label: String,
    /// The command: `run`, `tune` or `score`.
    pub command: String,
    /// Published results of the study.
    pub published: WrittenPublished,
    /// How the study differs from the published one.
    pub differs: Option<Word>,
    /// The benchmark; `None` if recorded spaces take its place.
    pub benchmark: Option<Word>,
    /// The `label` of the study's entry, if it has one.
    pub own_label: Option<String>,
    /// Labels of earlier studies whose winning values are parameters of this study.
    pub winners_of: Vec<Word>,
    /// Label of the earlier run that gives this study its size.
    pub size_of: Option<Word>,
    /// The study's flags.
    pub flags: Vec<Given>,
    /// Where the study's entry begins in the file.
    pub place: Place,
}

impl PlannedStudy {
    /// The study as arguments of the program.
    #[must_use]
    pub fn arguments(&self) -> Vec<String> {
        let subject = self.benchmark.iter().map(|word| word.text.clone());
        let flags = self.flags.iter().flat_map(Given::arguments);
        std::iter::once(self.command.clone()).chain(subject).chain(flags).collect()
    }

    /// What the study's label adds to its entry's: the device, a value under `for_each`, a repeat.
    #[must_use]
    pub fn variation(&self) -> &str {
        let own = self.own_label.as_deref();
        own.and_then(|own| self.label.strip_prefix(own)).unwrap_or_default()
    }

    /// Whether a flag has values.
    #[must_use]
    pub fn has(&self, flag: &str) -> bool {
        self.flags.iter().any(|given| given.flag == flag && !given.words.is_empty())
    }

    /// Sets the values of a flag that may be given several times.
    pub fn set_several(&mut self, flag: &str, texts: Vec<String>) {
        let known = self.flags.iter().find(|given| given.flag == flag);
        let place = known.map_or(self.place, |given| given.place);
        self.flags.retain(|given| given.flag != flag);
        let words = texts.into_iter().map(|text| Word { text, place }).collect();
        self.flags.push(Given { flag: flag.to_owned(), kind: FlagKind::Several, words, place });
    }

    /// The values of a flag.
    #[must_use]
    pub fn words(&self, flag: &str) -> &[Word] {
        self.flags.iter().find(|given| given.flag == flag).map_or(&[], |given| &given.words)
    }

    /// Sets a flag to one value.
    pub fn set(&mut self, flag: &str, text: String) {
        let known = self.flags.iter().find(|given| given.flag == flag);
        let place = known.map_or(self.place, |given| given.place);
        self.flags.retain(|given| given.flag != flag);
        let words = vec![Word { text, place }];
        self.flags.push(Given { flag: flag.to_owned(), kind: FlagKind::One, words, place });
    }

    /// Takes its size from an earlier run, and learns from it.
    pub fn take_size(&mut self, from: &SizeFrom) {
        self.set("size", from.size.to_string());
        let own = self.words("learn-from").iter().map(|word| word.text.clone());
        let all = own.chain([from.folder.display().to_string()]).collect();
        self.set_several("learn-from", all);
    }

    /// The place of the flag or value that a message quotes; otherwise the place of the entry.
    #[must_use]
    pub fn place_of(&self, message: &str) -> Place {
        let says = |text: &str| {
            !text.is_empty()
                && (message.contains(&format!("`{text}`"))
                    || message.contains(&format!("'{text}'")))
        };
        let flags = || self.flags.iter();
        let words = || flags().flat_map(|given| &given.words);
        let knob = |word: &&Word| word.text.split_once('=').is_some_and(|(name, _)| says(name));
        let named = |given: &&Given| {
            let name = format!("--{}", given.flag);
            message.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').any(|w| w == name)
        };
        let published = || self.published.figures.iter().map(|figure| &figure.strategy);
        None.or_else(|| published().find(|word| says(&word.text)).map(|word| word.place))
            .or_else(|| words().find(|word| says(&word.text)).map(|word| word.place))
            .or_else(|| flags().find(named).map(|g| g.words.first().map_or(g.place, |w| w.place)))
            .or_else(|| words().find(knob).map(|word| word.place))
            .or_else(|| self.benchmark.as_ref().filter(|b| says(&b.text)).map(|b| b.place))
            .unwrap_or(self.place)
    }
}

impl Expansion<'_> {
    /// Returns the studies of a suite, in order.
    ///
    /// # Errors
    /// If there are too many studies, or two entries have the same label.
    pub fn of(&self, suite: &Suite) -> Result<Vec<PlannedStudy>, Vec<SuiteFault>> {
        let mut faults = Faults::default();
        let mut studies: Vec<PlannedStudy> = Vec::new();
        let mut labels: Vec<&Word> = Vec::new();
        for entry in &suite.entries {
            if let Some(label) = &entry.label {
                if labels.iter().any(|other| other.text == label.text) {
                    faults.add(label.place, format!("another study is labelled `{}`", label.text));
                }
                labels.push(label);
            }
            let Some(many) = count(entry).filter(|many| studies.len() + many <= MOST_STUDIES)
            else {
                let most = format!("these are more than {MOST_STUDIES} studies; leave some out");
                faults.add(entry.place, most);
                break;
            };
            studies.reserve(many);
            self.expand(entry, &mut studies);
        }
        let labels = told_apart(studies.iter().map(|study| study.label.clone()));
        for (study, label) in studies.iter_mut().zip(labels) {
            study.label = label;
        }
        faults.or(studies)
    }

    fn expand(&self, entry: &Entry, studies: &mut Vec<PlannedStudy>) {
        let entry = self.on_devices(entry);
        let benchmarks: Vec<Option<&Word>> = match entry.benchmarks.is_empty() {
            true => vec![None],
            false => entry.benchmarks.iter().map(Some).collect(),
        };
        let several = benchmarks.len() > 1;
        for benchmark in benchmarks {
            for varied in combinations(&entry.for_each) {
                let all = || entry.flags.iter().chain(varied.iter().copied());
                let seed = all().find(|given| given.flag == "seed").and_then(|g| g.words.first());
                let seed = seed.map_or(Some(DEFAULT_SEED), |word| word.text.parse().ok());
                for number in 1..=entry.repeats {
                    let repeat = (entry.repeats > 1).then_some(number);
                    let own = entry.label.as_ref();
                    let subject = (benchmark, entry.command.as_str());
                    let label = label(own, subject, several, &entry.flags, &varied, repeat);
                    let mut study = PlannedStudy {
                        label,
                        command: entry.command.clone(),
                        published: entry.published.clone(),
                        differs: entry.differs.clone(),
                        benchmark: benchmark.map(|word| self.led(word)),
                        own_label: own.map(|word| word.text.clone()),
                        winners_of: entry.winners_of.clone(),
                        size_of: entry.size_of.clone(),
                        flags: all().map(|given| self.given(given)).collect(),
                        place: entry.place,
                    };
                    if let (Some(number), Some(seed)) = (repeat, seed) {
                        study.set("seed", repeat_seed(seed, number).to_string());
                    }
                    studies.push(study);
                }
            }
        }
    }

    /// Replaces the entry's devices with the requested ones.
    fn on_devices(&self, entry: &Entry) -> Entry {
        let mut entry = entry.clone();
        let of_device = |given: &Given| given.flag == "device";
        let all = entry.flags.iter().chain(entry.for_each.iter().flatten());
        let replays = all
            .filter(|given| of_device(given))
            .any(|given| given.words.iter().any(|word| word.text.starts_with("replay:")));
        if self.devices.is_empty() || replays || !entry.has_device {
            return entry;
        }
        entry.flags.retain(|given| !of_device(given));
        entry.for_each.retain(|values| !values.iter().any(of_device));
        let on = |device: &String| Given {
            flag: "device".to_owned(),
            kind: FlagKind::One,
            words: vec![Word { text: device.clone(), place: entry.place }],
            place: entry.place,
        };
        match self.devices {
            [one] => entry.flags.push(on(one)),
            several => {
                let devices = several.iter().map(on).collect();
                entry.for_each.insert(0, devices);
            }
        }
        entry
    }

    /// Resolves the paths of a flag against the suite's folder.
    fn given(&self, given: &Given) -> Given {
        let mut given = given.clone();
        if given.flag == "device" {
            for word in &mut given.words {
                if let Some(path) = word.text.strip_prefix("replay:").filter(|p| !p.is_empty()) {
                    word.text = format!("replay:{}", self.path(path));
                }
            }
        }
        if given.flag == "learn-from" {
            for word in &mut given.words {
                word.text = self.path(&word.text);
            }
        }
        if given.flag == "spaces" {
            for word in given.words.iter_mut().filter(|word| is_space_path(&word.text)) {
                word.text = self.path(&word.text);
            }
        }
        given
    }

    /// Resolves a benchmark's path against the suite's folder. A name stays unchanged.
    fn led(&self, word: &Word) -> Word {
        let path = Path::new(&word.text);
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        let is_path =
            word.text.contains('/') || ["yaml", "yml", "so", "dylib", "dll"].contains(&ending);
        let text = if is_path { self.path(&word.text) } else { word.text.clone() };
        Word { text, place: word.place }
    }

    fn path(&self, path: &str) -> String {
        let led = self.folder.unwrap_or(Path::new("")).join(path);
        absolute(&led).unwrap_or(led).display().to_string()
    }
}

/// Whether a text is the path of a recorded space, rather than a benchmark's name.
#[must_use]
pub fn is_space_path(text: &str) -> bool {
    text.contains('/') || [".json", ".json.gz"].iter().any(|ending| text.ends_with(ending))
}

/// Keeps the studies that the names select; all studies if there are no names.
///
/// # Errors
/// If a name selects no study. The error is one sentence.
pub fn only(mut studies: Vec<PlannedStudy>, names: &[String]) -> Result<Vec<PlannedStudy>, String> {
    for name in names {
        if !studies.iter().any(|study| is_meant(study, name)) {
            let labels = studies.iter().map(|study| study.label.as_str());
            let benchmarks = studies.iter().filter_map(|study| study.benchmark.as_ref());
            let names = labels.chain(benchmarks.map(|word| word.text.as_str()));
            let meant = did_you_mean(name, names);
            return Err(format!("no study of the suite is named `{name}`{meant}"));
        }
    }
    if !names.is_empty() {
        studies.retain(|study| names.iter().any(|name| is_meant(study, name)));
    }
    Ok(studies)
}

/// Replaces flags of all studies whose command has them.
///
/// # Errors
/// If no study's command has one of the flags. The error is one sentence.
pub fn with_overrides(
    mut studies: Vec<PlannedStudy>,
    overrides: &[(String, Vec<String>)],
    commands: &[CommandFlags],
) -> Result<Vec<PlannedStudy>, String> {
    for (flag, values) in overrides {
        let mut taken = false;
        for study in &mut studies {
            let command = commands.iter().find(|command| command.name == study.command);
            let Some(known) = command.and_then(|command| command.flag(flag)) else { continue };
            taken = true;
            study.flags.retain(|given| given.flag != *flag);
            let place = study.place;
            let words = values.iter().map(|text| Word { text: text.clone(), place }).collect();
            study.flags.push(Given { flag: flag.clone(), kind: known.kind, words, place });
        }
        if !taken {
            let used = |c: &&CommandFlags| studies.iter().any(|study| study.command == c.name);
            return Err(unknown(flag, &commands.iter().filter(used).collect::<Vec<_>>(), &[]));
        }
    }
    Ok(studies)
}

/// Whether a name selects a study: its benchmark, its label, or the first words of the label.
fn is_meant(study: &PlannedStudy, name: &str) -> bool {
    let begins = study.label.strip_prefix(name);
    begins.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        || study.benchmark.as_ref().is_some_and(|word| word.text == name)
}

/// Number of an entry's studies; `None` if it overflows.
fn count(entry: &Entry) -> Option<usize> {
    let factors = entry.for_each.iter().map(Vec::len);
    let factors = factors.chain([entry.benchmarks.len().max(1), entry.repeats as usize]);
    factors.map(|factor| factor.max(1)).try_fold(1_usize, usize::checked_mul)
}

/// All combinations. The last list varies fastest.
fn combinations(lists: &[Vec<Given>]) -> Vec<Vec<&Given>> {
    let mut all = vec![Vec::new()];
    for list in lists.iter().filter(|list| !list.is_empty()) {
        all = all
            .iter()
            .flat_map(|before: &Vec<&Given>| {
                list.iter().map(move |given| [&before[..], &[given]].concat())
            })
            .collect();
    }
    all
}
