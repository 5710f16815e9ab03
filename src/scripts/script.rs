//! A script: its compiled text, and the strategy that it is.

use mlua::Function;

use super::{
    api,
    declared::Declared,
    faults::{ScriptFault, sentence},
    limits::Over,
    sandbox::{COMPILER, Sandbox},
};
use crate::strategies::{Knobs, Problem, Stop, Strategy};

/// A script that was run once, so that what it declares is known.
pub(super) struct Script {
    /// The path that it was named by.
    path: String,
    /// The name in messages.
    name: String,
    code: Vec<u8>,
    declared: Declared,
}

impl Script {
    /// Compiles a text, and runs it up to what it returns.
    pub(super) fn load(path: &str, text: &str) -> Result<Self, ScriptFault> {
        let name = path.rsplit('/').next().unwrap_or(path).to_owned();
        let code = COMPILER.compile(text).map_err(|error| {
            let told = sentence(&error);
            // The compiler knows lines and no name.
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
        Ok(Self { path: path.to_owned(), name, code, declared })
    }

    /// The strategy, which lives as long as the program.
    pub(super) fn into_strategy(self) -> &'static Strategy {
        let kept: &'static Self = Box::leak(Box::new(self));
        let Declared { about, reference, knobs } = &kept.declared;
        let search = move |problem: &mut dyn Problem, knobs: &Knobs| kept.search(problem, knobs);
        Box::leak(Box::new(Strategy {
            name: &kept.path,
            aliases: &[],
            about,
            reference,
            knobs,
            presets: &[],
            search: Box::leak(Box::new(search)),
        }))
    }

    fn search(&self, problem: &mut dyn Problem, knobs: &Knobs) -> Result<(), Stop> {
        let ended = self.searched(problem, knobs);
        ended.map_err(|over| match over {
            Over::Stopped(stop) => stop,
            Over::Fault(why) => Stop::Fault(self.named(why).into()),
        })
    }

    /// A sentence that names the script at least, where no line is known.
    fn named(&self, why: String) -> String {
        if why.contains(&self.name) { why } else { format!("{}: {why}", self.name) }
    }

    /// One search in a state of its own.
    fn searched(&self, problem: &mut dyn Problem, knobs: &Knobs) -> Result<(), Over> {
        let fault = |error: mlua::Error| Over::Fault(sentence(&error));
        let sandbox = Sandbox::new().map_err(fault)?;
        let returned = sandbox.returned(&self.name, &self.code)?;
        let search: Function = returned.raw_get("search").map_err(fault)?;
        api::search(&sandbox, &search, problem, (&self.declared.knobs, knobs))
    }
}
