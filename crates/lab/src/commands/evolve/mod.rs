//! `autobench evolve`: a generator writes strategies, which are scored on recorded spaces and
//! selected.

mod answer;
mod arguments;
mod folder;
mod shown;
mod spaces;
mod watching;

use std::path::Path;

use autobench::{
    command::{Command, read},
    studies::argv,
    terminal::{Failure, RunsBar, interruption},
};
use chrono::{SubsecRound as _, Utc};
use clap::Args as _;
use records::{
    FAMILY_FORMAT, FAMILY_VERSION, FamilyRecord, FamilyRules, FamilyView, GeneratorRecord, TestPlan,
};
use scoring::{ScoredStrategy, Watch};

use self::{
    arguments::EvolveArgs,
    folder::FamilyFolder,
    spaces::{FamilySpaces, recorded},
    watching::Watching,
};
use crate::evolution::{Evolution, FamilyEnd, FamilyError, HeldOut, hold_finals};

inventory::submit!(Command {
    rank: 25,
    name: "evolve",
    about: "Have strategies written, scored on recorded spaces, and selected",
    examples: &[
        "evolve --spaces DIR --candidates 500 --out family",
        "evolve --spaces DIR --test OTHERS --out family  with a final table",
        "evolve --spaces DIR --out F --generator llm --endpoint URL --model M",
    ],
    augment: EvolveArgs::augment_args,
    run: |matches| run(&read::<EvolveArgs>(matches)?),
});

fn run(arguments: &EvolveArgs) -> Result<(), Failure> {
    let folder = FamilyFolder::at(&arguments.out)?;
    let (mut generator, described) = arguments.generator()?;
    let against = arguments.against()?;
    let spaces = FamilySpaces::read(arguments)?;
    let record = asked(arguments, described, &spaces, &against);
    let (mut family, mut journal) = folder.family(record, generator.as_mut())?;
    let interrupted = interruption()?;
    let screen = arguments.screen;
    let silent = screen.json || screen.quiet;

    let watching = Watching::new(&folder, family.view(), interrupted.clone(), silent);
    let end = Evolution {
        landscapes: &spaces.training,
        target: spaces.target.as_ref(),
        generator: generator.as_mut(),
        journal: &mut journal,
        family: &mut family,
    }
    .run(&watching);
    let end = end.and_then(|end| match end {
        FamilyEnd::Complete => {
            let held = hold_finals(&mut family, &spaces.training, &mut journal, &watching)?;
            Ok(if held { end } else { FamilyEnd::Stopped })
        }
        FamilyEnd::Stopped | FamilyEnd::Over(_) => Ok(end),
    });
    watching.finish();
    let mut end = end.map_err(failed)?;
    let mut at_table = false;

    if let (FamilyEnd::Complete, Some(plan)) = (&end, family.view().record.test.clone()) {
        let held_out = HeldOut { plan: &plan, landscapes: &spaces.held_out, against: &against };
        let bar = RunsBar::new("final table: ", held_out.runs(), silent);
        let stopped = || interrupted.load(std::sync::atomic::Ordering::Relaxed);
        let watch = Watch { done: &|_| bar.done(), stopped: &stopped };
        at_table = true;
        let made = held_out.conclude(&mut family, &mut journal, watch);
        bar.finish();
        if !made.map_err(failed)? {
            end = FamilyEnd::Stopped;
        }
    }
    family.remark(generator.remark());
    let view = family.view();
    folder.write_record(&view.record).map_err(Failure::stored)?;
    folder.write_best(view).map_err(Failure::stored)?;
    folder.write_files(view)?;
    if end == FamilyEnd::Stopped {
        return Err(stopped(view, at_table));
    }
    if view.best().is_none() {
        return Err(fruitless(view, &end, folder.path()));
    }
    let over = match &end {
        FamilyEnd::Over(why) => Some(why.as_str()),
        FamilyEnd::Complete | FamilyEnd::Stopped => None,
    };
    answer::print(&folder, view, over, screen)
}

/// The record of the request.
fn asked(
    arguments: &EvolveArgs,
    generator: GeneratorRecord,
    spaces: &FamilySpaces,
    against: &[ScoredStrategy],
) -> FamilyRecord {
    let test = (!spaces.held_out.is_empty()).then(|| TestPlan {
        spaces: spaces.held_out.iter().map(recorded).collect(),
        repeats: arguments.test_repeats,
        against: against.iter().map(|strategy| strategy.label.clone()).collect(),
    });
    FamilyRecord {
        format: FAMILY_FORMAT.to_owned(),
        version: FAMILY_VERSION,
        autobench: env!("CARGO_PKG_VERSION").to_owned(),
        started: Utc::now().trunc_subsecs(3),
        argv: argv(),
        candidates: arguments.candidates,
        tokens: arguments.tokens,
        generator,
        rules: FamilyRules {
            seed: arguments.seed,
            parents: arguments.parents,
            offspring: arguments.offspring,
            repeats: arguments.repeats,
            final_repeats: arguments.final_repeats(),
            candidate_seconds: arguments.candidate_seconds,
            target: spaces.kernel.clone(),
            description: spaces.description(),
        },
        spaces: spaces.training.iter().map(recorded).collect(),
        test,
    }
}

fn failed(error: FamilyError) -> Failure {
    match error {
        FamilyError::Journal(fault) => Failure::stored(fault),
        FamilyError::Folder(fault) => Failure::stored(fault),
        FamilyError::Script(fault) => Failure::bug(fault),
    }
}

fn stopped(view: &FamilyView, at_table: bool) -> Failure {
    let (made, all) = (view.candidates.len() as u64, view.record.candidates);
    let at = match made == all {
        true if at_table => "in the final table".to_owned(),
        true => "in the finals".to_owned(),
        false => format!("at candidate {} of {all}", made + 1),
    };
    Failure::interrupted(format!("interrupted {at}; everything that was scored is recorded"))
        .hint("go on with the same command")
}

fn fruitless(view: &FamilyView, end: &FamilyEnd, folder: &Path) -> Failure {
    let made = view.candidates.len();
    let first = view.failed().next();
    let fault = first.and_then(|one| Some((one.number, one.fault.as_ref()?)));
    let message = match (fault, end) {
        (Some((number, fault)), _) => {
            format!("none of {made} candidates has a score; candidate {number} failed: {fault}")
        }
        (None, FamilyEnd::Over(why)) => format!("there is no candidate: {why}"),
        (None, _) => "there is no candidate".to_owned(),
    };
    let hint = format!("`{}` has the reason of each", folder.join("candidates.csv").display());
    match made {
        0 => Failure::nothing(message),
        _ => Failure::nothing(message).hint(hint),
    }
}
