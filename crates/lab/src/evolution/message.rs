//! The message to a language model: the task, the script's view of a problem, the population, the
//! parent with its result, and the request.

use std::fmt::Write as _;

use scoring::Landscape;

use super::{Mutation, Shown};

/// The task: what a strategy is, how it is scored, and what it may use. Always the same.
const TASK: &str = include_str!("message_task.md");
/// The task's ending if no kernel is named.
const ANY_KERNEL: &str = "\
The strategy must do well on kernels that it has never seen: 3 to 20 parameters, a hundred to a
hundred thousand valid configurations, of which the budget covers a small part. Configurations that
differ little often cost alike; some parameters matter far more than others, some only together;
configurations that fail may lie in whole regions.
";
/// Largest number of values that are listed for a parameter.
const MOST_VALUES: usize = 24;

/// The kernel that strategies are for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Name of the kernel.
    pub kernel: String,
    /// Names of the parameters, with their values as text.
    pub parameters: Vec<(String, Vec<String>)>,
    /// Restrictions on combinations of values, if known.
    pub restrictions: Vec<String>,
    /// Number of valid configurations.
    pub size: u64,
}

impl Target {
    /// Describes the kernel of a space.
    #[must_use]
    pub fn of(landscape: &Landscape) -> Self {
        let space = &landscape.space;
        let parameters = space.parameters().iter().map(|parameter| {
            let values = parameter.values.iter().map(ToString::to_string).collect();
            (parameter.name.clone(), values)
        });
        Self {
            kernel: landscape.origin.kernel.clone(),
            parameters: parameters.collect(),
            restrictions: space.restrictions().map(|r| r.text().to_owned()).collect(),
            size: space.len(),
        }
    }

    fn told(&self) -> String {
        let Self { kernel, parameters, restrictions, size } = self;
        let mut told = format!(
            "The strategy is for the kernel `{kernel}`: {} parameters, {size} valid configurations. \
             It will run on several devices, whose best configurations differ, so use what the \
             parameters mean and hard-code no configuration. `problem.values(c)` and \
             `problem.parameters` have these names and values.\n\n| parameter | values |\n|---|---|\n",
            parameters.len()
        );
        for (name, values) in parameters {
            let listed = values.iter().take(MOST_VALUES).cloned().collect::<Vec<_>>().join(", ");
            let more = values.len().saturating_sub(MOST_VALUES);
            let rest = if more > 0 { format!(", and {more} more") } else { String::new() };
            let _ = writeln!(told, "| {name} | {listed}{rest} |");
        }
        match restrictions.as_slice() {
            [] => told += "\nNot all combinations are valid.\n",
            some => {
                told += "\nA combination is valid if all of these hold:\n";
                some.iter().for_each(|one| told += &format!("- `{one}`\n"));
            }
        }
        told
    }
}

/// The message that asks for a strategy. It is complete, because a model remembers no earlier
/// message.
#[must_use]
pub fn message(
    target: Option<&Target>,
    mutation: Mutation,
    parent: Option<&Shown<'_>>,
    population: &[Shown<'_>],
) -> String {
    let (task, answer) = TASK.split_once("# Answer").unwrap_or((TASK, ""));
    let kernel = target.map_or_else(|| ANY_KERNEL.to_owned(), Target::told);
    let mut message = format!("{task}# Kernel\n\n{kernel}\n");
    if !population.is_empty() {
        message += "# Strategies so far\n\n| name | score | what it does |\n|---|---|---|\n";
        for Shown { name, about, score, .. } in population {
            let _ = writeln!(message, "| {name} | {} | {about} |", scored(*score));
        }
        message += "\n";
    }
    if let Some(parent) = parent {
        message += &selected(parent);
    }
    message + "# Wanted\n\n" + wanted(mutation) + "\n\n# Answer" + answer
}

/// The parent and its result.
fn selected(parent: &Shown<'_>) -> String {
    let Shown { name, about, code, score, fault, .. } = parent;
    let code = code.trim_end();
    let fence = fence(code);
    let fared = match fault {
        Some(fault) => format!("It failed: {fault}"),
        None => format!("Its score is {}; more is better.", scored(*score)),
    };
    format!(
        "# The selected strategy\n\n`{name}`: {about}\n\n{fence}lua\n{code}\n{fence}\n\n{fared}\n\n"
    )
}

/// A fence that does not occur in a text.
fn fence(text: &str) -> String {
    let mut fence = "```".to_owned();
    while text.contains(&fence) {
        fence.push('`');
    }
    fence
}

fn scored(score: Option<f64>) -> String {
    score.map_or_else(|| "failed".to_owned(), |score| format!("{score:.3}"))
}

/// The request, in words.
const fn wanted(mutation: Mutation) -> &'static str {
    match mutation {
        Mutation::Begin => "Write a first strategy, as good as you can make it.",
        Mutation::Refine => {
            "Improve the selected strategy: keep its idea, find what holds it back, and change that. If \
             it failed, mend it first."
        }
        Mutation::New => {
            "Write a strategy whose idea is in none of those above: other moves, another memory of \
             what was seen, another way to choose what is tried next."
        }
        Mutation::Simplify => {
            "Improve the selected strategy and make it simpler: drop what does not pay, merge what is \
             alike, use fewer constants. Its score must not suffer."
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evolution::script_text::script_text;

    fn shown<'a>(name: &'a str, score: Option<f64>, fault: Option<&'a str>) -> Shown<'a> {
        Shown { number: 1, name, about: "walks", code: "return {}\n", score, fault }
    }

    #[test]
    fn a_model_is_told_of_the_population_the_parent_and_how_it_fared() {
        let parent = shown("bad", None, Some("bad.luau:3: attempt to index nil with 'x'"));
        let population = [shown("good", Some(0.51249), None), shown("bad", None, None)];
        let text = message(None, Mutation::Refine, Some(&parent), &population);
        for part in [
            "| good | 0.512 | walks |",
            "| bad | failed | walks |",
            "`bad`: walks\n\n```lua\nreturn {}\n```\n\nIt failed: bad.luau:3: attempt to index nil",
            "If it failed, mend it first",
            "never seen",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        let parent = shown("good", Some(0.5), None);
        let text = message(None, Mutation::Simplify, Some(&parent), &population);
        assert!(text.contains("Its score is 0.500; more is better."), "{text}");
        let first = message(None, Mutation::Begin, None, &[]);
        assert!(!first.contains("# Strategies so far") && !first.contains("# The selected"));
    }

    #[test]
    fn a_target_is_described_by_its_parameters_and_restrictions() {
        let values = |n: i32| (0..n).map(|i| i.to_string()).collect::<Vec<_>>();
        let mut target = Target {
            kernel: "gemm".to_owned(),
            parameters: vec![("MWG".to_owned(), values(3)), ("KWG".to_owned(), values(30))],
            restrictions: vec!["MWG >= KWG".to_owned()],
            size: 42,
        };
        let text = message(Some(&target), Mutation::New, None, &[]);
        for part in ["`gemm`: 2 parameters, 42 valid", "| MWG | 0, 1, 2 |", "23, and 6 more |"] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        assert!(text.contains("- `MWG >= KWG`") && !text.contains("never seen"));
        target.restrictions.clear();
        let text = message(Some(&target), Mutation::New, None, &[]);
        assert!(text.contains("Not all combinations are valid."));
    }

    #[test]
    fn everything_that_a_script_sees_is_told() {
        let page = include_str!("../../../../docs/guide/lab.md");
        let (_, table) = page.split_once("| of `problem` | |").expect("a table");
        let (table, _) = table.split_once("\n\n").expect("an end");
        let cells = table.lines().filter_map(|row| row.split('|').nth(1));
        let names: Vec<&str> = cells
            .flat_map(|cell| cell.split('`').skip(1).step_by(2))
            .map(|name| name.split('(').next().unwrap_or(name))
            .collect();
        assert!(names.len() >= 18, "{names:?}");
        for name in names {
            assert!(TASK.contains(&format!("`problem.{name}")), "{name}");
        }
    }

    #[test]
    fn the_example_of_the_message_is_an_answer_and_a_strategy() {
        let (_, example) = TASK.split_once("# Example").expect("an example");
        let (example, _) = example.split_once("\n# ").expect("an end");
        let text = script_text(example).expect("an answer");
        assert_eq!(text.name, "climbing");
        let script = crate::scripts::Script::load("climbing.luau", &text.code).expect("a strategy");
        assert_eq!(script.about(), text.about);
    }

    #[test]
    fn a_script_with_fences_in_it_stays_whole() {
        let mut parent = shown("odd", Some(0.1), None);
        parent.code = "-- ```\nreturn {}";
        let text = message(None, Mutation::Refine, Some(&parent), &[]);
        assert!(text.contains("````lua\n-- ```\nreturn {}\n````\n"), "{text}");
    }
}
