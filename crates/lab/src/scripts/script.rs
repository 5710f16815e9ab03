//! A script as a value: its compiled text, its declaration, and its search.

use std::sync::Arc;

use mlua::Function;
use registry::{Knob, Knobs};
use search_api::{Problem, Stop, Strategy};

use super::{
    api,
    deadline::Deadline,
    declared::Declared,
    faults::{Over, ScriptFault, sentence},
    sandbox::{COMPILER, Sandbox},
};

/// Most bytes of a script.
pub(super) const LONGEST: u64 = 1 << 20;

/// A script that was run once to read its declaration. Dropping the value frees everything of it.
pub struct Script {
    /// The path that the user gave.
    path: String,
    /// The name in messages.
    name: String,
    code: Vec<u8>,
    declared: Declared,
    deadline: Option<Arc<Deadline>>,
}

impl Script {
    /// Compiles a text, and runs it to get its declaration. The last part of `path` names the
    /// script in faults; no file is read.
    ///
    /// # Errors
    /// If the text is not a strategy; with the line.
    pub fn load(path: &str, text: &str) -> Result<Self, ScriptFault> {
        let name = path.rsplit('/').next().unwrap_or(path).to_owned();
        if text.len() as u64 > LONGEST {
            return Err(ScriptFault::sentence(format!("{name}: it is longer than 1 MiB")));
        }
        let code = COMPILER.compile(text).map_err(|error| {
            let told = sentence(&error);
            // The compiler's message has a line, but no name.
            let told = told.trim_start_matches(':').trim_start();
            ScriptFault::sentence(format!("{name}:{told}"))
        })?;
        let sandbox = Sandbox::new().map_err(|error| ScriptFault::of(&error))?;
        let returned = sandbox.returned(&name, &code).map_err(|over| match over {
            Over::Fault(why) if why.contains(&name) => ScriptFault::sentence(why),
            Over::Fault(why) => ScriptFault::sentence(format!("{name}: {why}")),
            Over::Stopped(stop) => ScriptFault::sentence(stop.to_string()),
        })?;
        let declared = Declared::read(path, &returned)?;
        Ok(Self { path: path.to_owned(), name, code, declared, deadline: None })
    }

    /// Limits the total time of the script's searches.
    #[must_use]
    pub fn until(self, deadline: Arc<Deadline>) -> Self {
        Self { deadline: Some(deadline), ..self }
    }

    /// The script's own description, in a line.
    #[must_use]
    pub fn about(&self) -> &str {
        &self.declared.about
    }

    /// Searches with the default knobs.
    ///
    /// # Errors
    /// Why the search ended, as for every strategy, or [`Stop::Fault`].
    pub fn search(&self, problem: &mut dyn Problem) -> Result<(), Stop> {
        self.search_with(problem, None)
    }

    /// The script as a strategy, which is leaked to live as long as the program.
    pub(super) fn into_strategy(self) -> &'static Strategy {
        let kept: &'static Self = Box::leak(Box::new(self));
        let Declared { about, reference, knobs } = &kept.declared;
        let knobs: Vec<Knob> = knobs.iter().map(super::declared::DeclaredKnob::kept).collect();
        let search =
            move |problem: &mut dyn Problem, knobs: &Knobs| kept.search_with(problem, Some(knobs));
        Box::leak(Box::new(Strategy {
            name: &kept.path,
            aliases: &[],
            about,
            reference,
            knobs: knobs.leak(),
            presets: &[],
            search: Box::leak(Box::new(search)),
        }))
    }

    fn search_with(&self, problem: &mut dyn Problem, knobs: Option<&Knobs>) -> Result<(), Stop> {
        let ended = self.searched(problem, knobs);
        ended.map_err(|over| match over {
            Over::Stopped(stop) => stop,
            Over::Fault(why) => Stop::Fault(self.named(why).into()),
        })
    }

    /// A message that at least names the script, if the line is unknown.
    fn named(&self, why: String) -> String {
        if why.contains(&self.name) { why } else { format!("{}: {why}", self.name) }
    }

    /// Runs one search in a new Luau state.
    fn searched(&self, problem: &mut dyn Problem, knobs: Option<&Knobs>) -> Result<(), Over> {
        let fault = |error: mlua::Error| Over::Fault(sentence(&error));
        if let Some(deadline) = &self.deadline {
            deadline.check()?;
        }
        let sandbox = Sandbox::new().map_err(fault)?;
        sandbox.limits.end_at(self.deadline.clone());
        let returned = sandbox.returned(&self.name, &self.code)?;
        let search: Function = returned.raw_get("search").map_err(fault)?;
        api::search(&sandbox, &search, problem, (&self.declared.knobs, knobs))
    }
}
