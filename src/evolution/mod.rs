//! Strategies that were written by a generator, scored on recorded spaces, and selected.
//!
//! After Willemsen, van Stein and van Werkhoven, *Automated Algorithm Design for Auto-Tuning
//! Optimizers*, 2025: parents and offspring, the score as fitness, what failed told to the generator.

mod generator;
mod llm;
mod message;
mod script_text;

pub use generator::{
    Answer, GENERATORS, Generator, GeneratorKind, Given, Make, Mutation, Request, Shown, Tokens,
    Unanswered,
};
pub use message::{Target, message};
pub use script_text::{NoScript, ScriptText, script_text};
