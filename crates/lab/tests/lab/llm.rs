//! The generator that asks a language model, with a server of recorded answers: every failure gives
//! a message, none crashes, and the key is shown nowhere.

use std::{path::PathBuf, sync::Arc};

use lab::{
    evolution::{
        Answer, GENERATORS, Generator, Given, Mutation, Request, Tokens, Unanswered, message,
        script_text,
    },
    scripts::Script,
};
use records::AnswerEvent;
use registry::Knobs;
use search_api::{Analytic, Budget, Evaluation, Stop};
use space::{ConfigurationId, Parameter, Space};

use crate::chat_server::{ChatServer, Reaction};

const KEY: &str = "sk-very-secret-0123456789";
const WHOLE: &str = "Name: random_walk\nDescription: walks at random\n\n```lua\n\
    return { search = function(problem)\n\
        while true do problem.evaluate(problem.unknown() or problem.random()) end\n\
    end }\n```\n";

/// A generator for a server, with a key in a file and short waits.
fn generator(endpoint: &str, knobs: &[&str]) -> Box<dyn Generator> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("generators_llm");
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = tempfile::NamedTempFile::new_in(&folder).expect("a file");
    std::fs::write(file.path(), format!("{KEY}\n")).expect("written");
    let given = Given {
        endpoint: Some(endpoint.to_owned()),
        model: Some("recorded".to_owned()),
        key_file: Some(file.path().to_owned()),
        transcript: None,
    };
    let kind = GENERATORS.named("llm").expect("registered");
    let quick = ["wait=0.001", "retries=2"];
    let all: Vec<&str> = quick.iter().chain(knobs).copied().collect();
    let knobs = Knobs::parse(kind.knobs, &all).expect("knobs");
    (kind.make)(&knobs, &given).expect("a generator")
}

fn asked(generator: &mut dyn Generator) -> Result<Answer, Unanswered> {
    let message = message(None, Mutation::Begin, None, &[]);
    let request = Request {
        number: 1,
        seed: 7_000_000_000,
        mutation: Mutation::Begin,
        parent: None,
        population: Vec::new(),
        message: &message,
        stopped: &|| false,
    };
    let answer = generator.answer(&request);
    // No text may contain the key.
    let told = format!("{answer:?} {} {:?}", generator.described(), generator.remark());
    assert!(!told.contains("very-secret") && !told.contains("0123456789"), "{told}");
    if let Err(fault) = &answer {
        let sentence = fault.to_string();
        assert!(!sentence.contains(char::is_control) && sentence.len() < 700, "{sentence}");
    }
    answer
}

/// The message of a failed answer, and the number of calls.
fn failed(reactions: impl IntoIterator<Item = Reaction>, knobs: &[&str]) -> (String, u64) {
    let server = ChatServer::start(reactions);
    match asked(&mut *generator(&server.endpoint(), knobs)) {
        Err(Unanswered::Failed { why, calls, .. }) => {
            assert_eq!(server.received().len() as u64, calls, "{why}");
            (why, calls)
        }
        other => panic!("not failed: {other:?}"),
    }
}

/// Why the family ends.
fn over(reactions: impl IntoIterator<Item = Reaction>, knobs: &[&str]) -> String {
    let server = ChatServer::start(reactions);
    match asked(&mut *generator(&server.endpoint(), knobs)) {
        Err(Unanswered::Over(why)) => why,
        other => panic!("not over: {other:?}"),
    }
}

#[test]
fn an_answer_has_its_text_its_tokens_and_its_calls() {
    let server = ChatServer::start([Reaction::says(WHOLE)]);
    let mut generator = generator(&server.endpoint(), &["temperature=0.5", "answer_tokens=900"]);
    let answer = asked(&mut *generator).expect("an answer");
    assert_eq!(answer.text, WHOLE);
    assert_eq!(answer.tokens, Some(Tokens { read: 1200, written: 300 }));
    assert_eq!((answer.calls, generator.remark()), (1, None));
    assert_eq!(generator.described(), "recorded, temperature 0.5, answer_tokens 900");
    assert_eq!(generator.place(), Some(format!("at {}", server.endpoint())));
    let [call] = server.received().try_into().expect("one call");
    assert!(call.head.starts_with("POST /v1/chat/completions HTTP/1.1"), "{}", call.head);
    assert!(call.head.contains(&format!("Bearer {KEY}")), "the key was not sent");
    assert_eq!(call.body["model"], "recorded");
    assert_eq!(call.body["temperature"], 0.5);
    assert_eq!(call.body["max_tokens"], 900);
    assert_eq!(call.body["seed"], 7_000_000_000_u64 % (1 << 31));
    assert!(call.body.get("stream").is_none());
    assert_eq!(call.body["messages"].as_array().map(Vec::len), Some(1));
    let told = call.body["messages"][0]["content"].as_str().expect("a text");
    assert!(told.contains("problem.evaluate"), "{told}");
}

#[test]
fn nothing_that_was_not_given_is_sent() {
    let server = ChatServer::start([Reaction::says(WHOLE)]);
    asked(&mut *generator(&server.endpoint(), &["seed=no"])).expect("an answer");
    let [call] = server.received().try_into().expect("one call");
    let keys: Vec<&String> = call.body.as_object().expect("an object").keys().collect();
    assert_eq!(keys, ["model", "messages"]);
}

#[test]
fn a_stream_is_the_same_answer() {
    let server = ChatServer::start([Reaction::streams(WHOLE), Reaction::says(WHOLE)]);
    let mut generator = generator(&server.endpoint(), &["stream=yes"]);
    for _ in 0..2 {
        let answer = asked(&mut *generator).expect("an answer");
        assert_eq!(answer.text, WHOLE);
        assert_eq!(answer.tokens, Some(Tokens { read: 1200, written: 300 }));
    }
    let call = &server.received()[0].body;
    assert_eq!(
        (&call["stream"], &call["stream_options"]["include_usage"]),
        (&true.into(), &true.into())
    );
}

#[test]
fn what_passes_is_asked_again() {
    let passing = [
        Reaction::too_many("0.01"),
        Reaction::refuses(500, "out of memory"),
        Reaction::refuses(503, "loading the model"),
        Reaction::BreaksOff("{\"choices\":".to_owned()),
        Reaction::body(r#"{"error":{"message":"overloaded"}}"#),
    ];
    for reaction in passing {
        let server = ChatServer::start([reaction.clone(), Reaction::says(WHOLE)]);
        let answer = asked(&mut *generator(&server.endpoint(), &[])).expect("an answer");
        assert_eq!((answer.calls, answer.text.as_str()), (2, WHOLE), "{reaction:?}");
    }
    let server = ChatServer::start([Reaction::Hangs, Reaction::says(WHOLE)]);
    let answer = asked(&mut *generator(&server.endpoint(), &["timeout=0.3"])).expect("an answer");
    assert_eq!(answer.calls, 2);
    // A stream that ends before its answer does.
    let part = "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n";
    let server = ChatServer::start([Reaction::body(part), Reaction::streams(WHOLE)]);
    let answer = asked(&mut *generator(&server.endpoint(), &["stream=yes"])).expect("an answer");
    assert_eq!((answer.calls, answer.text.as_str()), (2, WHOLE));
}

#[test]
fn what_does_not_pass_is_a_sentence_after_its_calls() {
    for (reaction, words) in [
        (Reaction::too_many("0"), "429: Rate limit reached"),
        (Reaction::refuses(500, "out of\nmemory"), "500: out of memory"),
        (Reaction::BreaksOff("{\"choices\":".to_owned()), "broke off"),
    ] {
        let (why, calls) = failed([reaction], &[]);
        assert!(why.contains(words) && why.ends_with("at the last of 3 calls"), "{why}");
        assert_eq!(calls, 3);
    }
    let (why, calls) = failed([Reaction::Hangs], &["timeout=0.2", "retries=1"]);
    assert_eq!((why.as_str(), calls), ("no answer within 0.2 s, at the last of 2 calls", 2));
}

#[test]
fn an_answer_that_is_none_is_a_sentence_at_once() {
    let giant = format!("{{\"choices\":[\"{}\"]}}", "x".repeat(9 << 20));
    for (reaction, words) in [
        (Reaction::ends(WHOLE, "length"), "cut after 300 tokens"),
        (Reaction::ends(WHOLE, "content_filter"), "held the answer back"),
        (Reaction::says(" \n"), "the answer is empty (the server's reason: stop)"),
        (Reaction::body("<html>hello</html>"), "the reply is not JSON: <html>"),
        (Reaction::body(r#"{"choices":[]}"#), "the reply has no choices"),
        (Reaction::body("\u{0}\u{1b}[31m"), "the reply is not JSON"),
        (Reaction::body(giant), "longer than 8 MiB"),
    ] {
        let (why, calls) = failed([reaction], &[]);
        assert!(why.contains(words), "{why}");
        assert_eq!(calls, 1, "{why}");
    }
    let (why, _) = failed([Reaction::body("data: {x\n\n")], &["stream=yes"]);
    assert!(why.contains("the stream is not JSON"), "{why}");
}

#[test]
fn what_no_call_can_mend_ends_the_family() {
    for (reaction, words) in [
        (Reaction::refuses(401, "Incorrect API key"), "does not take the key (401)"),
        (Reaction::refuses(403, "not in your country"), "does not take the key (403)"),
        (Reaction::refuses(402, "pay first"), "402: pay first"),
        (Reaction::refuses(404, "no model"), "404: no model; check the endpoint and the model"),
        (Reaction::refuses(400, "no temperature"), "this was the first request"),
        (Reaction::too_many("3600"), "wait for 3600 s"),
        (
            Reaction::Replies {
                status: 307,
                headers: vec![("Location".to_owned(), "https://else.where/v1".to_owned())],
                body: String::new(),
            },
            "sends requests on to: https://else.where/v1",
        ),
    ] {
        let why = over([reaction], &[]);
        assert!(why.contains(words), "{why}");
    }
    let silent = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = silent.local_addr().expect("an address");
    drop(silent);
    match asked(&mut *generator(&format!("http://{address}/v1"), &[])) {
        Err(Unanswered::Over(why)) => {
            assert!(why.contains("could not reach http://127.0.0.1:"), "{why}");
        }
        other => panic!("not over: {other:?}"),
    }
}

#[test]
fn a_request_that_is_refused_after_others_is_one_failure() {
    let server = ChatServer::start([
        Reaction::says(WHOLE),
        Reaction::refuses(400, "too long"),
        Reaction::says(WHOLE),
    ]);
    let mut generator = generator(&server.endpoint(), &[]);
    asked(&mut *generator).expect("an answer");
    match asked(&mut *generator) {
        Err(Unanswered::Failed { why, calls: 1, .. }) => assert!(why.contains("400: too long")),
        other => panic!("not failed: {other:?}"),
    }
    asked(&mut *generator).expect("an answer");
}

#[test]
fn an_answer_that_was_cut_took_its_tokens() {
    let server = ChatServer::start([Reaction::ends(WHOLE, "length")]);
    match asked(&mut *generator(&server.endpoint(), &[])) {
        Err(Unanswered::Failed { tokens, .. }) => {
            assert_eq!(tokens, Some(Tokens { read: 1200, written: 300 }));
        }
        other => panic!("not failed: {other:?}"),
    }
}

#[test]
fn only_an_answer_tells_that_the_server_was_there() {
    let resumed = |earlier: AnswerEvent| {
        let server = ChatServer::start([Reaction::refuses(400, "no such setting")]);
        let mut generator = generator(&server.endpoint(), &[]);
        generator.resumed(&[earlier]).expect("it goes on");
        asked(&mut *generator).expect_err("refused")
    };
    let failed = AnswerEvent { unanswered: Some("why".to_owned()), ..AnswerEvent::default() };
    assert!(matches!(resumed(failed), Unanswered::Over(_)));
    let answered = AnswerEvent { text: WHOLE.to_owned(), ..AnswerEvent::default() };
    assert!(matches!(resumed(answered), Unanswered::Failed { .. }));
}

#[test]
fn who_waits_for_a_model_hears_the_user() {
    for reaction in [Reaction::Hangs, Reaction::too_many("500")] {
        let server = ChatServer::start([reaction]);
        let message = message(None, Mutation::Begin, None, &[]);
        // Stop as soon as the server has received the request.
        let stopped = || !server.received().is_empty();
        let request = Request {
            number: 1,
            seed: 1,
            mutation: Mutation::Begin,
            parent: None,
            population: Vec::new(),
            message: &message,
            stopped: &stopped,
        };
        let answer = generator(&server.endpoint(), &["timeout=1000"]).answer(&request);
        assert_eq!(answer, Err(Unanswered::Stopped));
    }
}

#[test]
fn tokens_that_a_server_does_not_count_are_estimated_and_said_so() {
    let body = r#"{"choices":[{"message":{"content":"12345678x"},"finish_reason":"stop"}]}"#;
    let server = ChatServer::start([Reaction::body(body)]);
    let mut generator = generator(&server.endpoint(), &[]);
    let tokens = asked(&mut *generator).expect("an answer").tokens.expect("an estimate");
    assert_eq!(tokens.written, 3);
    assert!(tokens.read > 1000, "{tokens:?}");
    assert!(generator.remark().expect("a remark").contains("one is taken for 4 characters"));
}

#[test]
fn a_key_that_a_server_sends_back_is_not_told() {
    for status in [400, 401, 404, 429, 500] {
        let server = ChatServer::start([Reaction::Echoes(status)]);
        let answer = asked(&mut *generator(&server.endpoint(), &["retries=0"]));
        let sentence = answer.expect_err("refused").to_string();
        assert!(sentence.contains("[key]"), "{status}: {sentence}");
    }
    let server = ChatServer::start([Reaction::says(&format!("{KEY}\n{WHOLE}"))]);
    let answer = asked(&mut *generator(&server.endpoint(), &[])).expect("an answer");
    assert_eq!(answer.text, format!("[key]\n{WHOLE}"));
    let moved = Reaction::Replies {
        status: 301,
        headers: vec![("Location".to_owned(), format!("http://else.where/?key={KEY}"))],
        body: String::new(),
    };
    assert!(over([moved], &[]).contains("key=[key]"));
}

#[test]
fn a_generator_that_cannot_be_made_says_what_is_missing() {
    let kind = GENERATORS.named("llm").expect("registered");
    let knobs = Knobs::parse(kind.knobs, &[] as &[&str]).expect("knobs");
    let refused = |given: Given| (kind.make)(&knobs, &given).err().expect("refused");
    assert!(refused(Given::default()).contains("--endpoint"));
    let endpoint = Some("http://127.0.0.1:1/v1".to_owned());
    let given = Given { endpoint: endpoint.clone(), ..Given::default() };
    assert!(refused(given).contains("--model"));
    let given = Given {
        endpoint,
        model: Some("m".to_owned()),
        key_file: Some(PathBuf::from("/nowhere/key")),
        transcript: None,
    };
    assert!(refused(given).contains("the key file `/nowhere/key` cannot be read"));
}

/// How the script in an answer ends, from the server to the sandbox.
fn script_of(code: &str) -> String {
    let text = format!("Name: bad\nDescription: does harm\n\n```lua\n{code}\n```\n");
    let server = ChatServer::start([Reaction::says(&text)]);
    let answer = asked(&mut *generator(&server.endpoint(), &[])).expect("an answer");
    let parts = match script_text(&answer.text) {
        Ok(parts) => parts,
        Err(none) => return none.to_string(),
    };
    let script = match Script::load(&format!("{}.luau", parts.name), &parts.code) {
        Ok(script) => script,
        Err(fault) => return fault.to_string(),
    };
    let parameters = vec![Parameter::new("a", 0_i64..40), Parameter::new("b", 0_i64..40)];
    let space = Arc::new(Space::build(parameters, &[] as &[&str], &[]).expect("a space"));
    let cost = |_: &Space, id: ConfigurationId| Evaluation::scored(id.0 as f64);
    let mut problem = Analytic::new(space, Budget::evaluations(20), 7, cost);
    match script.search(&mut problem) {
        Err(Stop::Fault(why)) => why.to_string(),
        other => format!("{other:?}"),
    }
}

#[test]
fn code_that_means_harm_is_a_sentence_with_its_line() {
    let body = |rest: &str| format!("return {{ search = function(problem)\n{rest}\nend }}");
    for (code, words) in [
        (body("while true do end"), "without an evaluation"),
        ("while true do end".to_owned(), "without an evaluation"),
        (body("local t = {} while true do t[#t + 1] = {} end"), "memory"),
        (body("io.open('/etc/passwd')"), "bad.luau:2"),
        (body("while true do print('x') end"), "bad.luau:2"),
        (body("require('os')"), "bad.luau:2"),
        (body("this is no code"), "bad.luau:2"),
        ("return 3".to_owned(), "a script returns a table"),
        (body("```\n```"), "2 scripts between fences"),
        (String::new(), "is empty"),
    ] {
        let sentence = script_of(&code);
        assert!(sentence.contains(words), "{code}: {sentence}");
    }
    assert_eq!(script_of(&body("problem.evaluate_all(problem.sample(30))")), "Err(Budget)");
}

#[test]
fn an_answer_without_code_is_a_sentence() {
    let server = ChatServer::start([Reaction::says("I would rather not.")]);
    let answer = asked(&mut *generator(&server.endpoint(), &[])).expect("an answer");
    let none = script_text(&answer.text).expect_err("no code").to_string();
    assert_eq!(none, "the answer holds no script between fences");
}
