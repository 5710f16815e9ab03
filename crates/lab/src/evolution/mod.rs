//! Evolution of strategies: a generator writes them, they are scored on recorded spaces, and the
//! best survive.
//!
//! After Willemsen, van Stein and van Werkhoven, *Automated Algorithm Design for Auto-Tuning
//! Optimizers*, 2025: parents and offspring, the score as fitness, and failures reported to the
//! generator.

mod draw;
mod evolving;
mod family;
mod finals;
mod fitness;
mod generator;
mod grammar;
mod held_out;
mod llm;
mod message;
mod script_text;
mod transcript;

pub use evolving::{
    Evolution, FamilyEnd, FamilyError, FamilyListener, file_name as candidate_file,
};
pub use family::Family;
pub use finals::hold_finals;
pub use generator::{
    Answer, GENERATORS, Generator, GeneratorKind, Given, Make, Mutation, Request, Shown, Tokens,
    Unanswered,
};
pub use held_out::HeldOut;
pub use message::{Target, message};
pub use script_text::{NoScript, ScriptText, script_text};
