//! The one error that `main` prints, and the documented exit codes.

use std::fmt;

/// What the program's exit status says. Documented in `docs/exit-codes.md`; scripts read them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Done.
    Done = 0,
    /// A fault of autobench itself, or of the machine (a full disk, a lost process).
    Bug = 1,
    /// Settings, arguments or input files are wrong.
    Settings = 2,
    /// The benchmark cannot be loaded or is wrong.
    Plugin = 3,
    /// The device is absent or does not work.
    Device = 4,
    /// Nothing valid was found: no configuration ran and was right.
    Nothing = 5,
    /// Stopped by Ctrl-C or SIGTERM; everything measured is recorded.
    Interrupted = 130,
}

/// Why a command did not succeed: one sentence, what caused it, and the next step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The exit status.
    pub exit: Exit,
    /// What and where, in one lowercase sentence.
    pub message: String,
    /// The next step, where there is one.
    pub hint: Option<String>,
}

impl Failure {
    fn new(exit: Exit, message: impl fmt::Display) -> Self {
        Self { exit, message: message.to_string(), hint: None }
    }

    /// A fault of the program or the machine.
    pub fn bug(message: impl fmt::Display) -> Self {
        Self::new(Exit::Bug, message)
    }

    /// Wrong settings or input.
    pub fn settings(message: impl fmt::Display) -> Self {
        Self::new(Exit::Settings, message)
    }

    /// A benchmark that cannot be used.
    pub fn plugin(message: impl fmt::Display) -> Self {
        Self::new(Exit::Plugin, message)
    }

    /// A device that cannot be used.
    pub fn device(message: impl fmt::Display) -> Self {
        Self::new(Exit::Device, message)
    }

    /// Nothing valid.
    pub fn nothing(message: impl fmt::Display) -> Self {
        Self::new(Exit::Nothing, message)
    }

    /// Stopped by the user.
    pub fn interrupted(message: impl fmt::Display) -> Self {
        Self::new(Exit::Interrupted, message)
    }

    /// Adds the next step.
    #[must_use]
    pub fn hint(mut self, hint: impl fmt::Display) -> Self {
        self.hint = Some(hint.to_string());
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.message)?;
        if let Some(hint) = &self.hint {
            write!(f, "\n  hint: {hint}")?;
        }
        Ok(())
    }
}
