//! The generator `grammar`: composes strategies of building blocks, and mutates them.
//!
//! A genome lists the blocks of a strategy with their settings. Genomes are drawn, changed and
//! crossed. A script is written from its genome and contains it in a line, so that a family is
//! resumed from its scripts. `docs/guide/lab.md` describes the blocks and their effects.

mod catalogue;
mod draw;
mod genome;
mod kind;
mod knobs;
mod main_loop;
mod models;
mod moves;
mod mutate;
mod script;
mod setting;
mod walks;
mod words;

use genome::Genome;
use math::{Rng, seeded};
use registry::Knobs;

use super::generator::{
    Answer, Generator, GeneratorKind, Given, Mutation, Request, Shown, Unanswered,
};

inventory::submit! {
    GeneratorKind {
        name: "grammar",
        about: "composes and mutates strategies of building blocks; needs nothing",
        knobs: &[],
        incidental: &[],
        options: &[],
        make: |_: &Knobs, _: &Given| Ok(Box::new(Grammar)),
    }
}

/// The generator. It has no state: an answer depends on the request alone.
struct Grammar;

impl Generator for Grammar {
    fn answer(&mut self, request: &Request<'_>) -> Result<Answer, Unanswered> {
        let genome = answered(request);
        let (name, about) = (words::name(&genome), words::about(&genome));
        let script = script::script(&genome);
        let text = format!("Name: {name}\nDescription: {about}\n\n```luau\n{script}```\n");
        Ok(Answer { text, calls: 1, ..Answer::default() })
    }

    fn described(&self) -> String {
        "grammar".to_owned()
    }
}

/// The genome for a request.
fn answered(request: &Request<'_>) -> Genome {
    let mut rng = seeded(request.seed, request.number);
    let read = |shown: &Shown<'_>, rng: &mut Rng| Genome::read(shown.code, rng);
    let population: Vec<Genome> =
        request.population.iter().filter_map(|shown| read(shown, &mut rng)).collect();
    let parent = request.parent.as_ref().and_then(|parent| read(parent, &mut rng));
    match (request.mutation, parent) {
        (Mutation::Begin, _) => draw::first(request.number, &mut rng),
        (Mutation::Refine, Some(parent)) => mutate::refined(&parent, &population, &mut rng),
        (Mutation::Simplify, Some(parent)) => mutate::simplified(&parent, &population, &mut rng),
        // A parent that another generator wrote has no genome to change.
        (Mutation::New | Mutation::Refine | Mutation::Simplify, _) => {
            draw::unlike(&population, &mut rng)
        }
    }
}
