//! T1 files as other programs write them.

use super::*;

fn with(space: &str) -> String {
    format!(r#"{{"ConfigurationSpace": {space}, "KernelSpecification": {{"Language": "CUDA"}}}}"#)
}

fn one(parameter: &str) -> Result<T1, String> {
    parse_t1(&with(&format!(r#"{{"TuningParameters": [{parameter}]}}"#)))
}

fn shown(parameter: &str) -> (String, usize) {
    let t1 = one(parameter).expect(parameter);
    let values: Vec<String> = t1.parameters[0].values.iter().map(ToString::to_string).collect();
    (values.join(" "), t1.warnings.len())
}

#[test]
fn values_are_read_in_every_spelling() {
    for (values, kind, expected, warned) in [
        (r#""[16, 32]""#, "int", "16 32", 0),
        ("[16, 32]", "int", "16 32", 0),
        ("7", "int", "7", 0),
        (r#""list(range(2, 7, 2))""#, "int", "2 4 6", 0),
        (r#""[1] + list(range(32, 65, 32))""#, "int", "1 32 64", 0),
        (r#""[2**i for i in range(0, 4)]""#, "int", "1 2 4 8", 0),
        (r#""[0.5, 1]""#, "int", "0.5 1", 1),
        (r#""['16', '32']""#, "int", "16 32", 1),
        (r#"["uniform", "random"]"#, "string", "uniform random", 0),
        (r#""['uniform', 'random']""#, "string", "uniform random", 0),
        (r#""['fast', 2]""#, "int", "fast 2", 1),
        (r#""[True, False]""#, "bool", "true false", 0),
        ("[0, 1]", "bool", "false true", 0),
        ("[1, 2, 1.0]", "float", "1 2", 1),
    ] {
        let json = format!(r#"{{"Name": "p", "Type": "{kind}", "Values": {values}}}"#);
        assert_eq!(shown(&json), (expected.to_owned(), warned), "{json}");
    }
}

#[test]
fn defaults_are_found_or_warned_about() {
    let default = |json: &str| {
        let json =
            format!(r#"{{"Name": "p", "Type": "int", "Values": "[4, 8]", "Default": {json}}}"#);
        let t1 = one(&json).expect("a parameter");
        (t1.parameters[0].default, t1.warnings.len())
    };
    assert_eq!(default("8"), (Some(1), 0));
    assert_eq!(default("[8]"), (Some(1), 0));
    assert_eq!(default("\"8\""), (Some(1), 0));
    assert_eq!(default("null"), (None, 0));
    assert_eq!(default("9"), (None, 1));
    assert_eq!(default("[4, 8]"), (None, 1));
}

#[test]
fn what_breaks_the_schema_is_understood_with_a_warning() {
    let text = r#"{
        "General": {"BenchmarkName": "triad"},
        "ConfigurationSpace": {
            "TuningParameters": {"Name": "n", "Type": "int", "Values": "[1, 2, 3]"},
            "Conditions": {"Expression": "n < MAX", "Parameters": ["n"]}
        },
        "BenchmarkConfig": {"MAX": 3, "n": 9, "list": [1]},
        "Budget": {"Type": "ConfigurationCount", "BudgetValue": 220},
        "KernelSpecification": {"KernelName": "triad_kernel", "KernelFile": "triad.cu",
            "ProblemSize": "n*1024", "Arguments": {"Name": "a"}}
    }"#;
    let t1 = parse_t1(text).expect("understood");
    assert_eq!((&t1.name[..], &t1.kernel[..], &t1.language[..]), ("triad", "triad_kernel", "CUDA"));
    assert_eq!(t1.problem_size, ["n*1024"]);
    assert_eq!(t1.budgets, [("ConfigurationCount".to_owned(), 220.0)]);
    assert_eq!(t1.constants, [("MAX".to_owned(), Value::Int(3))]);
    assert_eq!(t1.arguments.len(), 1);
    assert_eq!(t1.warnings.len(), 4, "{:?}", t1.warnings);
    assert_eq!(t1.space().expect("a space").len(), 2);
}

#[test]
fn conditions_divide_as_python_does() {
    let text = with(
        r#"{"TuningParameters": [
            {"Name": "a", "Values": "[8, 16]"}, {"Name": "b", "Values": "[3, 4]"}],
            "Conditions": [{"Expression": "a % (a / b) == 0"}]}"#,
    );
    // Exactly, 8 % 2.667 = 2.667 and 16 % 5.333 = 5.333, but floats round; 8 % 2.0 = 16 % 4.0 = 0.
    let t1 = parse_t1(&text).expect("understood");
    let space = t1.space().expect("a space");
    let python = |a: f64, b: f64| (a % (a / b)) == 0.0;
    let expected = [(8.0, 3.0), (8.0, 4.0), (16.0, 3.0), (16.0, 4.0)];
    let expected = expected.iter().filter(|(a, b)| python(*a, *b)).count();
    assert_eq!(space.len(), expected as u64);
}

#[test]
fn what_is_no_t1_file_gets_a_sentence() {
    for (text, said) in [
        ("", "no JSON"),
        ("[]", "no JSON object"),
        ("{}", "`ConfigurationSpace`"),
        (r#"{"ConfigurationSpace": 3}"#, "`TuningParameters`"),
        (r#"{"ConfigurationSpace": {"TuningParameters": [1]}}"#, "no `Name`"),
        (r#"{"ConfigurationSpace": {"TuningParameters": [{"Name": "a"}]}}"#, "no `Values`"),
    ] {
        let message = parse_t1(text).expect_err(text);
        assert!(message.contains(said), "{text}: {message}");
    }
    for values in [
        "range(10**12)",
        "9**9**9",
        "__import__('os').system('id')",
        "[None]",
        "[[1]]",
        "[]",
        "((((",
        "[i for i in range(10**6) for j in range(10**6)]",
    ] {
        let json = format!(r#"{{"Name": "p", "Values": "{values}"}}"#);
        match one(&json) {
            Err(message) => assert!(message.contains("`p`"), "{values}: {message}"),
            // A float that is too large is still a number.
            Ok(t1) => assert_eq!(t1.parameters[0].values.len(), 1, "{values}"),
        }
    }
}
