//! Scripts as values: they end at a deadline, and free everything when dropped.

use std::{sync::Arc, time::Duration};

use lab::scripts::{Deadline, Script};
use scoring::ScoredStrategy;
use search_api::{Analytic, Budget, Evaluation, Ledger, Stop};
use space::{ConfigurationId, Parameter, Space};

fn problem(
    budget: u64,
) -> Analytic<impl FnMut(&mut Ledger, ConfigurationId) -> Result<Evaluation, Stop>> {
    let parameters = vec![Parameter::new("a", 0_i64..100), Parameter::new("b", 0_i64..100)];
    let space = Arc::new(Space::build(parameters, &[] as &[&str], &[]).expect("a space"));
    let cost = |_: &Space, id: ConfigurationId| Evaluation::scored(id.0 as f64);
    Analytic::new(space, Budget::evaluations(budget), 7, cost)
}

/// A script that computes for a while before every evaluation, within the limits.
const SLOW: &str = "return { search = function(problem)\nwhile true do\n\
    for i = 1, 5000000 do end\nproblem.evaluate(problem.unknown())\nend\nend }";

#[test]
fn a_script_ends_at_its_deadline_wherever_it_is() {
    let deadline = Arc::new(Deadline::after(Duration::from_millis(50)));
    let script = Script::load("slow.luau", SLOW).expect("a script").until(deadline);
    let Err(Stop::Fault(why)) = script.search(&mut problem(10_000)) else { panic!("no fault") };
    assert!(why.starts_with("slow.luau:"), "{why}");
    assert!(why.ends_with("took longer than 0.05 s"), "{why}");
    // A search that has not begun yet does not begin.
    let mut late = problem(10_000);
    let Err(Stop::Fault(why)) = script.search(&mut late) else { panic!("no fault") };
    assert_eq!(&*why, "slow.luau: took longer than 0.05 s");
    assert!(late.ledger().order().is_empty());
}

#[test]
fn a_script_catches_no_deadline() {
    let text = "return { search = function(problem)\nwhile true do\n\
        pcall(function() while true do problem.known(0) problem.spent() end end)\nend\nend }";
    let deadline = Arc::new(Deadline::after(Duration::from_millis(20)));
    let script = Script::load("stubborn.luau", text).expect("a script").until(deadline);
    let Err(Stop::Fault(why)) = script.search(&mut problem(10)) else { panic!("no fault") };
    assert!(why.contains("took longer than 0.02 s"), "{why}");
}

#[test]
fn searches_on_other_threads_are_stopped_together() {
    let deadline = Arc::new(Deadline::after(Duration::from_secs(3600)));
    let script = Script::load("slow.luau", SLOW).expect("a script").until(Arc::clone(&deadline));
    std::thread::scope(|scope| {
        let running = scope.spawn(|| script.search(&mut problem(10_000)));
        deadline.stop();
        assert_eq!(running.join().expect("no panic"), Err(Stop::Interrupted));
    });
}

/// A script as a strategy to be scored.
fn of_script(label: &str, script: Arc<Script>) -> ScoredStrategy {
    ScoredStrategy::of_search(label, move |problem| script.search(problem))
}

#[test]
fn a_script_that_is_scored_has_the_defaults_of_its_knobs() {
    let text = "return { about = 'counts', search = function(problem, knobs)\n\
        assert(knobs.many == 3 and knobs.share == 0.5 and knobs.kind == 'b')\n\
        for _ = 1, knobs.many do problem.evaluate(problem.unknown()) end\nend, knobs = {\n\
        many = { default = 3, from = 1, to = 9, whole = true },\n\
        share = { default = 0.5, from = 0, to = 1 },\n\
        kind = { default = 'b', one_of = { 'a', 'b' } } } }";
    let script = Arc::new(Script::load("folder/counting.luau", text).expect("a script"));
    assert_eq!(script.about(), "counts");
    let scored = of_script("counting", Arc::clone(&script));
    let mut problem = problem(10);
    assert_eq!(scored.searcher().search(&mut problem), Ok(()));
    assert_eq!(problem.ledger().order().len(), 3);
    // The script is freed with its last owner.
    let gone = Arc::downgrade(&script);
    drop((scored, script));
    assert!(gone.upgrade().is_none());
}

/// Resident memory of this process, in bytes.
fn resident() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").expect("Linux");
    let pages = text.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok());
    pages.expect("a number of pages") * 4096
}

#[test]
fn thousands_of_candidates_leave_nothing_behind() {
    let exe = std::env::current_exe().expect("this test");
    let name = "values::candidates_of_a_process_of_their_own";
    let mut command = std::process::Command::new(exe);
    let status = command.args(["--exact", name, "--ignored", "--nocapture"]).status();
    assert!(status.expect("it runs").success());
}

#[test]
#[ignore = "started by the test above, in a process whose memory is its own"]
fn candidates_of_a_process_of_their_own() {
    let search = |number: usize| {
        // If texts, code or knobs were kept, 1000 candidates would keep more than 100 MB.
        let text = format!(
            "local long = '{}'\nreturn {{ about = 'the {number}th', search = function(problem)\n\
             problem.evaluate_all(problem.sample(5)) end,\n\
             knobs = {{ knob_{number} = {{ default = 1, from = 0, to = 2 }} }} }}",
            "x".repeat(100_000)
        );
        let script = Script::load("candidate.luau", &text).expect("a script");
        let scored = of_script("candidate", Arc::new(script));
        assert_eq!(scored.searcher().search(&mut problem(10)), Ok(()));
    };
    (0..50).for_each(search);
    let before = resident();
    (50..1050).for_each(search);
    let grown = resident().saturating_sub(before);
    assert!(grown < 30 << 20, "{grown} bytes more after 1000 candidates");
}
