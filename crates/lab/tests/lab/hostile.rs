//! Harmful and faulty scripts: each one ends with a message or within its limits, and ends the same
//! way every time.
#![expect(clippy::print_stdout, reason = "a failure shows which script it belongs to")]

use std::{path::Path, sync::Arc};

use search_api::{Analytic, Budget, Evaluation, Stop};
use space::{Parameter, Space};

/// How a script ends.
#[derive(Clone, Copy)]
enum Ends {
    /// The script fails to load or to run, with a message that contains these words.
    Says(&'static str),
    /// The script runs until the budget ends it.
    AtTheBudget,
    /// The script returns by itself.
    Alone,
}

use Ends::{Alone, AtTheBudget, Says};

/// The text is a whole script.
const WHOLE: &str = "";
/// The text is the body of `search(problem, knobs)`.
const BODY: &str = "return { search = function(problem, knobs)\n";

/// Name, beginning and rest of a script, and how it ends.
type Hostile = (&'static str, &'static str, &'static str, Ends);

const OUTSIDE: &[Hostile] = &[
    ("opens a file", BODY, "io.open('/etc/passwd')", Says("line")),
    ("reads the environment", BODY, "os.getenv('HOME')", Says("line")),
    ("runs a command", BODY, "os.execute('true')", Says("line")),
    ("asks for the time", BODY, "os.clock()", Says("line")),
    ("asks for the date", BODY, "os.time()", Says("line")),
    ("requires a module", BODY, "require('socket')", Says("line")),
    ("requires a file", BODY, "require('./other')", Says("line")),
    ("loads code", BODY, "loadstring('return 1')()", Says("line")),
    ("loads a file", BODY, "loadfile('/etc/passwd')", Says("line")),
    ("does a file", BODY, "dofile('/etc/passwd')", Says("line")),
    ("debugs", BODY, "debug.info(1, 's')", Says("line")),
    ("asks for the garbage", BODY, "collectgarbage('count')", Says("line")),
    ("asks for the memory", BODY, "gcinfo()", Says("line")),
    ("takes an environment", BODY, "getfenv(0)", Says("line")),
    ("sets an environment", BODY, "setfenv(1, {})", Says("line")),
    ("makes a proxy", BODY, "newproxy(true)", Says("line")),
    ("prints for ever", BODY, "while true do print('x') end", Says("line")),
    ("seeds the numbers", BODY, "math.randomseed(1)", Says("line")),
    ("draws before the search", WHOLE, "math.random() return {}", Says("before the search")),
];

const ENDLESS: &[Hostile] = &[
    ("loops", BODY, "while true do end", Says("without an evaluation")),
    ("loops while it loads", WHOLE, "while true do end", Says("without an evaluation")),
    ("repeats", BODY, "repeat until false", Says("without an evaluation")),
    (
        "evaluates nothing for ever",
        BODY,
        "while true do problem.evaluate_all({}) end",
        Says("without an evaluation"),
    ),
    ("counts for ever", BODY, "for i = 1, math.huge do end", Says("without an evaluation")),
    (
        "catches its end",
        BODY,
        "while true do pcall(function() while true do end end) end",
        Says("without an evaluation"),
    ),
    (
        "catches the budget",
        BODY,
        "while true do pcall(problem.evaluate, problem.unknown() or 0) end",
        AtTheBudget,
    ),
    (
        "catches the budget and returns",
        BODY,
        "for i = 1, 100 do pcall(function() problem.evaluate(problem.unknown() or 0) end) end",
        AtTheBudget,
    ),
    (
        "catches the budget in a handler",
        BODY,
        "while true do xpcall(function() problem.evaluate(problem.unknown()) end, \
         function() while true do end end) end",
        AtTheBudget,
    ),
    (
        "catches the budget in coroutines",
        BODY,
        "while true do coroutine.resume(coroutine.create(function() \
         while true do problem.evaluate(problem.unknown()) end end)) end",
        AtTheBudget,
    ),
    (
        "nests what it catches",
        BODY,
        "local function deeper(n) while true do pcall(deeper, n + 1) \
         problem.evaluate(problem.unknown()) end end deeper(1)",
        AtTheBudget,
    ),
    (
        "asks for the known for ever",
        BODY,
        "local c = problem.random() while true do problem.evaluate(c) end",
        Alone,
    ),
    (
        "asks for what is not there for ever",
        BODY,
        "while true do pcall(problem.evaluate, -1) end",
        Says("without an evaluation"),
    ),
    (
        "wraps an endless generator",
        BODY,
        "for x in coroutine.wrap(function() while true do coroutine.yield(1) end end) do end",
        Says("without an evaluation"),
    ),
    (
        "indexes without end",
        BODY,
        "local t = {} setmetatable(t, { __index = t }) local x = t.x",
        Says("loop"),
    ),
    (
        "sorts with no order",
        BODY,
        "local t = {} for i = 1, 100000 do t[i] = i % 7 end \
         table.sort(t, function() return true end) error('sorted')",
        Says(""),
    ),
    (
        "sorts with chance",
        BODY,
        "local t = {} for i = 1, 10000 do t[i] = i end \
         table.sort(t, function() return math.random() < 0.5 end) error('sorted')",
        Says(""),
    ),
    (
        "sorts while the table shrinks",
        BODY,
        "local t = {} for i = 1, 1000 do t[i] = i end \
         table.sort(t, function(a, b) table.clear(t) return a < b end) error('sorted')",
        Says(""),
    ),
];

const PATTERNS: &[Hostile] = &[
    (
        "tracks back",
        BODY,
        "string.find(string.rep('a', 300), string.rep('.-', 30) .. 'b')",
        Says("without an evaluation"),
    ),
    (
        "tracks back by a method",
        BODY,
        "local s = string.rep('a', 300) s:gsub(string.rep('a*', 40) .. 'b', 'c')",
        Says("without an evaluation"),
    ),
    (
        "matches for ever",
        BODY,
        "for w in string.gmatch(string.rep('a', 500), string.rep('a?', 60) .. 'b') do end",
        Says("without an evaluation"),
    ),
    (
        "compares a long text with a long pattern",
        BODY,
        "local s = string.rep('a', 8000000) \
         string.find(s, string.rep('a', 4000000) .. 'b', 1, true)",
        Says("refused"),
    ),
    (
        "splits a long text at a long separator",
        BODY,
        "local s = string.rep('a', 8000000) s:split(string.rep('a', 4000000) .. 'b')",
        Says("refused"),
    ),
    (
        "nests patterns",
        BODY,
        "string.find('x', string.rep('(', 40) .. 'x' .. string.rep(')', 40))",
        Says("captures"),
    ),
    ("breaks a pattern", BODY, "string.find('x', '%')", Says("pattern")),
    (
        "finds the balance of a long text",
        BODY,
        "string.find(string.rep('(', 20000), '%b()') error('found')",
        Says("found"),
    ),
];

const BOMBS: &[Hostile] = &[
    ("fills memory", BODY, "local t = {} while true do t[#t + 1] = {} end", Says("memory")),
    (
        "fills memory while it loads",
        WHOLE,
        "local t = {} while true do t[#t + 1] = {} end",
        Says("memory"),
    ),
    ("doubles a text", BODY, "local s = 'x' while true do s = s .. s end", Says("memory")),
    ("repeats a text", BODY, "string.rep('x', 1e9)", Says("memory")),
    ("repeats nothing", BODY, "string.rep('', 2e9) error('repeated')", Says("repeated")),
    ("makes a large table", BODY, "table.create(5e7, 1)", Says("memory")),
    ("makes a table beyond all bounds", BODY, "table.create(1e18)", Says("")),
    ("makes a large buffer", BODY, "buffer.create(2^30)", Says("memory")),
    (
        "makes buffers",
        BODY,
        "local t = {} while true do t[#t + 1] = buffer.create(1e6) end",
        Says("memory"),
    ),
    ("reads beyond a buffer", BODY, "buffer.readf64(buffer.create(8), 4)", Says("buffer")),
    ("moves very many", BODY, "table.move({}, 1, 1e9, 2)", Says("refused")),
    ("moves at the end of numbers", BODY, "table.move({}, 1, 2^31 - 1, 2)", Says("refused")),
    ("unpacks very many", BODY, "table.unpack({}, 1, 1e8)", Says("unpack")),
    ("joins what is not there", BODY, "table.concat({}, ',', 1, 1e9)", Says("concat")),
    ("formats wide", BODY, "string.format('%999999999d', 1)", Says("format")),
    ("formats a bomb", BODY, "string.format(string.rep('%99.99f', 200000), 1)", Says("")),
    ("packs a bomb", BODY, "string.pack('!16' .. string.rep('j', 1e6), 1)", Says("")),
    (
        "catches want of memory",
        BODY,
        "local kept = {} for i = 1, 1000 do pcall(function() while true do \
         kept[#kept + 1] = string.rep('x', 1000) end end) end kept = nil error('survived')",
        Says("survived"),
    ),
    (
        "makes coroutines",
        BODY,
        "local t = {} while true do t[#t + 1] = coroutine.create(function() end) end",
        Says("memory"),
    ),
    ("recurs", BODY, "local function f() return 1 + f() end f()", Says("overflow")),
    (
        "recurs through metatables",
        BODY,
        "local t t = setmetatable({}, { __index = function(_, k) return t[k .. 'x'] end }) \
         local x = t.y",
        Says("overflow"),
    ),
    (
        "recurs through coroutines",
        BODY,
        "local function f() coroutine.wrap(f)() end f()",
        Says("overflow"),
    ),
    (
        "recurs through pcall",
        BODY,
        "local function f() return pcall(f) end f() error('back')",
        Says("back"),
    ),
    (
        "recurs through sort",
        BODY,
        "local function f() table.sort({ 2, 1 }, f) end f()",
        Says("overflow"),
    ),
    (
        "recurs through gsub",
        BODY,
        "local function f() string.gsub('a', 'a', f) end f()",
        Says("overflow"),
    ),
    (
        "makes garbage",
        BODY,
        "for i = 1, 20000 do local s = string.rep('x', 100000 + i) end error('survived')",
        Says("survived"),
    ),
    (
        "grows slowly by long copies",
        BODY,
        "local s = string.rep('x', 1e7) for i = 1, 300 do local t = s .. i end error('survived')",
        Says("survived"),
    ),
];

const OBJECTS: &[Hostile] = &[
    ("raises a table", BODY, "error({})", Says("table")),
    ("raises nothing", BODY, "error()", Says("nil")),
    ("raises nothing at all", BODY, "error(nil)", Says("nil")),
    ("raises a number", BODY, "error(42)", Says("42")),
    ("raises an empty text", BODY, "error('')", Says("empty")),
    ("raises a long text", BODY, "error(string.rep('x', 1e6))", Says("…")),
    ("raises lines", BODY, "error('one\\ntwo\\nthree')", Says("one")),
    ("raises what a terminal obeys", BODY, "error('\\27[31mred')", Says("red")),
    ("raises what is no text", BODY, "error('\\255\\254')", Says("line")),
    (
        "raises a text that is a bomb",
        BODY,
        "error(setmetatable({}, { __tostring = function() while true do end end }))",
        Says("table"),
    ),
    (
        "tells a bomb",
        BODY,
        "tostring(setmetatable({}, { __tostring = function() while true do end end }))",
        Says("without an evaluation"),
    ),
    (
        "tells what is no text",
        BODY,
        "tostring(setmetatable({}, { __tostring = function() return {} end }))",
        Says("string"),
    ),
    (
        "fails in its handler",
        BODY,
        "xpcall(error, function() error('again') end) error('after')",
        Says("after"),
    ),
    (
        "fails when it is collected",
        BODY,
        "for i = 1, 1000 do setmetatable({}, { __gc = function() error('never') end }) end \
         error('after')",
        Says("after"),
    ),
    ("yields", BODY, "coroutine.yield(1)", Says("yield")),
    (
        "yields in an order",
        BODY,
        "coroutine.wrap(function() table.sort({ 2, 1 }, coroutine.yield) end)() error('after')",
        Says(""),
    ),
    (
        "evaluates in a coroutine that never ends",
        BODY,
        "local go = coroutine.wrap(function() while true do \
         coroutine.yield(problem.evaluate(problem.unknown())) end end) while true do go() end",
        AtTheBudget,
    ),
    ("changes a library", BODY, "string.format = nil", Says("readonly")),
    ("changes mathematics", BODY, "math.random = function() return 0 end", Says("readonly")),
    ("changes texts", BODY, "getmetatable('').__index = nil", Says("")),
    ("replaces the metatable of texts", BODY, "setmetatable('', {})", Says("table expected")),
    ("changes the problem", BODY, "problem.evaluate = nil", Says("readonly")),
    ("changes the parameters", BODY, "problem.parameters[1].values[1] = 9", Says("readonly")),
    ("changes the starts", BODY, "table.insert(problem.starts, 1)", Says("readonly")),
    ("changes the knobs", BODY, "knobs.x = 1", Says("readonly")),
    ("changes the problem by rawset", BODY, "rawset(problem, 'size', 1)", Says("readonly")),
    (
        "changes globals",
        BODY,
        "pcall = nil error = nil problem.evaluate(0) answer = 42 assert(answer == 42) \
         while true do problem.evaluate(problem.unknown()) end",
        AtTheBudget,
    ),
];

const WRONG: &[Hostile] = &[
    ("evaluates no number", BODY, "problem.evaluate(0 / 0)", Says("no configuration")),
    ("evaluates infinity", BODY, "problem.evaluate(math.huge)", Says("no configuration")),
    ("evaluates below", BODY, "problem.evaluate(-1)", Says("no configuration")),
    ("evaluates beyond", BODY, "problem.evaluate(problem.size)", Says("no configuration")),
    ("evaluates a part", BODY, "problem.evaluate(0.5)", Says("no configuration")),
    ("evaluates nothing", BODY, "problem.evaluate(nil)", Says("not nil")),
    ("evaluates with nothing", BODY, "problem.evaluate()", Says("not nil")),
    ("evaluates a text", BODY, "problem.evaluate('0')", Says("not a string")),
    ("evaluates itself", BODY, "problem.evaluate(problem)", Says("indices")),
    ("evaluates what is not valid", BODY, "problem.evaluate({ 1, 1, 1 })", Says("not valid")),
    ("evaluates too few", BODY, "problem.evaluate({ 1, 2 })", Says("indices")),
    ("evaluates too many", BODY, "problem.evaluate({ 1, 2, 2, 1 })", Says("not more")),
    ("evaluates beyond a list", BODY, "problem.evaluate({ 9, 1, 1 })", Says("from 1 to 8")),
    ("evaluates below a list", BODY, "problem.evaluate({ 0, 1, 1 })", Says("from 1 to 8")),
    (
        "evaluates indices that are none",
        BODY,
        "problem.evaluate({ 0 / 0, 1, 1 })",
        Says("from 1 to 8"),
    ),
    (
        "evaluates through a metatable",
        BODY,
        "problem.evaluate(setmetatable({}, { __index = function() while true do end end }))",
        Says("indices"),
    ),
    ("evaluates a list that is none", BODY, "problem.evaluate_all(1)", Says("line")),
    ("evaluates a list with a hole", BODY, "problem.evaluate_all({ 0, nil, 'x' })", Says("line")),
    ("draws too many", BODY, "problem.sample(1e9)", Says("a sample has")),
    ("draws no number", BODY, "problem.sample(0 / 0)", Says("a sample has")),
    ("asks for no kind", BODY, "problem.neighbours(0, 'near')", Says("strictly_adjacent")),
    ("asks for a kind that is none", BODY, "problem.neighbours(0, {})", Says("strictly_adjacent")),
    ("draws from nothing", BODY, "math.random(0)", Says("empty range")),
    ("draws from no number", BODY, "math.random(0 / 0)", Says("empty range")),
    ("asks what is not there", BODY, "problem.cheat()", Says("nil")),
    ("divides a table", BODY, "local x = {} / 2", Says("arithmetic")),
    ("returns nothing", WHOLE, "local x = 1", Says("returns a table")),
    ("returns a number", WHOLE, "return 1", Says("returns a table")),
    ("returns no search", WHOLE, "return {}", Says("`search`")),
    ("is no Luau", WHOLE, "this is no script", Says("script.luau:1")),
    ("is compiled code", WHOLE, "\u{1b}Lua\u{6}\u{0}", Says("script.luau:1")),
    ("is nothing", WHOLE, "", Says("returns a table")),
    ("nests too deep", WHOLE, "NESTED", Says("script.luau:1")),
    (
        "declares a knob that all have",
        WHOLE,
        "return { search = error, knobs = { order = { default = 1, from = 1, to = 2 } } }",
        Says("another name"),
    ),
    (
        "declares knobs that are none",
        WHOLE,
        "return { search = error, knobs = { x = 1 } }",
        Says("knobs"),
    ),
    (
        "declares a default that is not allowed",
        WHOLE,
        "return { search = error, knobs = { x = { default = 3, from = 1, to = 2 } } }",
        Says("the default `3`"),
    ),
    (
        "declares bounds without a number",
        WHOLE,
        "return { search = error, knobs = { x = { default = 3, from = 0 / 0, to = 2 } } }",
        Says("`from` and `to`"),
    ),
    (
        "declares through a metatable",
        WHOLE,
        "return setmetatable({ search = error }, { __index = function() while true do end end })",
        Says("invalid argument"),
    ),
];

fn bowl() -> Arc<Space> {
    let values = || (0_i64..8).collect::<Vec<_>>();
    let parameters = ["a", "b", "c"].map(|name| Parameter::new(name, values())).to_vec();
    Arc::new(Space::build(parameters, &["(a + b + c) % 3 != 0"], &[]).expect("a space"))
}

/// How a script ended: the message if it was refused or failed.
fn ended(folder: &Path, beginning: &str, rest: &str) -> (Result<(), String>, Option<Stop>, usize) {
    let text = match (beginning, rest) {
        (_, "NESTED") => format!("return {}1{}", "(".repeat(100_000), ")".repeat(100_000)),
        (WHOLE, rest) => rest.to_owned(),
        (beginning, rest) => format!("{beginning}{rest}\nend }}"),
    };
    let path = folder.join("script.luau");
    std::fs::write(&path, text).expect("written");
    let found = match search_api::strategy(path.to_str().expect("text"), "") {
        Ok(found) => found,
        Err(fault) => return (Err(fault.to_string()), None, 0),
    };
    let knobs = found.strategy.settings([]).expect("the defaults are allowed");
    let cost = |_: &Space, id: space::ConfigurationId| Evaluation::scored(id.0 as f64);
    let mut problem = Analytic::new(bowl(), Budget::evaluations(20), 7, cost);
    let end = (found.strategy.search)(&mut problem, &knobs);
    let evaluations = problem.ledger().order().len();
    match end {
        Err(Stop::Fault(why)) => (Err(why.to_string()), None, evaluations),
        end => (Ok(()), end.err(), evaluations),
    }
}

fn hold(scripts: &[Hostile]) {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, beginning, rest, ends) in scripts {
        println!("{name}");
        let first = ended(folder.path(), beginning, rest);
        println!("    {first:?}");
        match (ends, &first) {
            (Says(words), (Err(sentence), ..)) => {
                let words: &str = match (*words, *beginning) {
                    ("line", WHOLE) => "script.luau:1",
                    ("line", _) => "script.luau:2",
                    (words, _) => words,
                };
                assert!(sentence.contains(words), "{name}: {sentence}");
                assert!(!sentence.contains(char::is_control), "{name}: {sentence}");
                assert!(!sentence.contains("0x"), "{name} tells an address: {sentence}");
                assert!((5..600).contains(&sentence.chars().count()), "{name}: {sentence}");
                let is_placed = sentence.contains("script.luau");
                assert!(is_placed || sentence.contains("memory"), "{name}: {sentence}");
            }
            (AtTheBudget, (Ok(()), Some(Stop::Budget), 20)) => {}
            (Alone, (Ok(()), None | Some(Stop::Exhausted), _)) => {}
            (_, other) => panic!("{name} ended otherwise: {other:?}"),
        }
        // Scripts that take seconds to end are not run twice.
        if !first.0.as_ref().is_err_and(|why| why.contains("without an evaluation")) {
            assert_eq!(
                ended(folder.path(), beginning, rest),
                first,
                "{name} is not the same again"
            );
        }
    }
}

#[test]
fn a_script_reaches_nothing_outside() {
    hold(OUTSIDE);
}

#[test]
fn a_script_that_would_not_end_is_ended() {
    hold(ENDLESS);
}

#[test]
fn a_pattern_that_would_not_end_is_ended() {
    hold(PATTERNS);
}

#[test]
fn a_script_that_takes_too_much_is_refused_it() {
    hold(BOMBS);
}

#[test]
fn objects_and_errors_of_a_script_do_no_harm() {
    hold(OBJECTS);
}

#[test]
fn a_script_that_is_wrong_hears_what_and_where() {
    hold(WRONG);
}
