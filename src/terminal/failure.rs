//! The error that `main` prints, and the exit codes.

use std::{error::Error, fmt, io};

use worker::WorkerFault;

/// Exit status of the program; scripts read it. Documented in `docs/guide/files.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitStatus {
    /// The command succeeded.
    Done = 0,
    /// autobench has a bug, or the machine has a fault (full disk, lost process).
    Bug = 1,
    /// Settings, arguments or input files are wrong.
    Settings = 2,
    /// The benchmark cannot be loaded or has a mistake.
    Plugin = 3,
    /// The device is missing or does not work.
    Device = 4,
    /// No configuration ran with a correct result.
    Nothing = 5,
    /// A comparison found a change that `--fail-on` names.
    Alarm = 6,
    /// Stopped by Ctrl-C or SIGTERM. All measurements so far are recorded.
    Interrupted = 130,
}

/// Why a command failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Exit status.
    pub exit: ExitStatus,
    /// What failed and where, as one lowercase sentence with its cause.
    pub message: String,
    /// What the user can do next.
    pub hint: Option<String>,
}

impl Failure {
    fn new(exit: ExitStatus, message: impl fmt::Display) -> Self {
        Self { exit, message: message.to_string(), hint: None }
    }

    /// autobench or the machine has a fault.
    pub fn bug(message: impl fmt::Display) -> Self {
        Self::new(ExitStatus::Bug, message)
    }

    /// Settings or input are wrong.
    pub fn settings(message: impl fmt::Display) -> Self {
        Self::new(ExitStatus::Settings, message)
    }

    /// A benchmark cannot be used.
    pub fn plugin(message: impl fmt::Display) -> Self {
        Self::new(ExitStatus::Plugin, message)
    }

    /// A device cannot be used.
    pub fn device(message: impl fmt::Display) -> Self {
        Self::new(ExitStatus::Device, message)
    }

    /// No valid configuration was found.
    pub fn nothing(message: impl fmt::Display) -> Self {
        Self::new(ExitStatus::Nothing, message)
    }

    /// A comparison found a change that `--fail-on` names.
    pub fn alarm(message: impl fmt::Display) -> Self {
        Self::new(ExitStatus::Alarm, message)
    }

    /// Stopped by the user.
    pub fn interrupted(message: impl fmt::Display) -> Self {
        Self::new(ExitStatus::Interrupted, message)
    }

    /// A file or folder cannot be used. An I/O error that settings cannot cause is the machine's
    /// fault.
    pub fn stored(fault: impl Error) -> Self {
        use io::ErrorKind as Kind;
        let of_settings = |kind| {
            matches!(
                kind,
                Kind::NotFound
                    | Kind::NotADirectory
                    | Kind::IsADirectory
                    | Kind::AlreadyExists
                    | Kind::PermissionDenied
                    | Kind::ReadOnlyFilesystem
                    | Kind::InvalidInput
                    | Kind::InvalidFilename
                    | Kind::InvalidData
                    | Kind::UnexpectedEof
            )
        };
        let mut cause = fault.source();
        let mut exit = ExitStatus::Settings;
        while let Some(error) = cause {
            if error.downcast_ref::<io::Error>().is_some_and(|error| !of_settings(error.kind())) {
                exit = ExitStatus::Bug;
            }
            cause = error.source();
        }
        Self::new(exit, fault)
    }

    /// Changes the exit status to [`ExitStatus::Bug`] if the machine kept the worker from
    /// answering.
    #[must_use]
    pub fn unless_machine(mut self, fault: &WorkerFault) -> Self {
        if fault.deserves_another_try() {
            self.exit = ExitStatus::Bug;
        }
        self
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
