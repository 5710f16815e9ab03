//! Strategies that were written by a generator, scored on recorded spaces, and selected.
//!
//! After Willemsen, van Stein and van Werkhoven, *Automated Algorithm Design for Auto-Tuning
//! Optimizers*, 2025: parents and offspring, the score as fitness, what failed told to the generator.

mod generator;
mod grammar;

pub use generator::{
    Answer, GENERATORS, Generator, GeneratorKind, Given, Mutation, Request, Shown, Tokens,
    Unanswered,
};
