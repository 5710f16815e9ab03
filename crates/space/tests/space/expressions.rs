//! Compares the expression language with Python's own answers.
//!
//! The table was printed by Python 3 over `x = 7, y = -3, z = 2.5, n = 0, f = 'f16', b = True`.

use space::{EvalError, Expression, Value};

const NAMES: [&str; 6] = ["x", "y", "z", "n", "f", "b"];

fn slots() -> Vec<Value> {
    vec![
        Value::Int(7),
        Value::Int(-3),
        Value::Float(2.5),
        Value::Int(0),
        Value::from("f16"),
        Value::Bool(true),
    ]
}

fn compile(text: &str) -> Expression {
    Expression::compile(text, &NAMES).unwrap_or_else(|error| panic!("{error}"))
}

type Case = (&'static str, fn() -> Value);

#[rustfmt::skip]
const TABLE: &[Case] = &[
    ("1 + 2 * 3", || Value::Int(7)),
    ("2 ** 3 ** 2", || Value::Int(512)),
    ("-2 ** 2", || Value::Int(-4)),
    ("2 ** -1", || Value::Float(0.5)),
    ("7 / 2", || Value::Float(3.5)),
    ("6 / 3", || Value::Float(2.0)),
    ("7 // 2", || Value::Int(3)),
    ("-7 // 2", || Value::Int(-4)),
    ("7 // -2", || Value::Int(-4)),
    ("-7 % 3", || Value::Int(2)),
    ("7 % -3", || Value::Int(-2)),
    ("7.5 % 2", || Value::Float(1.5)),
    ("-7.5 % 2", || Value::Float(0.5)),
    ("7.5 // 2", || Value::Float(3.0)),
    ("-7.5 // 2", || Value::Float(-4.0)),
    ("7.5 // -2", || Value::Float(-4.0)),
    ("1e308 * 10", || Value::Float(f64::INFINITY)),
    ("5.0 // 0.1", || Value::Float(49.0)),
    ("1.0 % 0.1", || Value::Float(0.09999999999999995)),
    ("x + y", || Value::Int(4)),
    ("x % y", || Value::Int(-2)),
    ("y % x", || Value::Int(4)),
    ("x / y", || Value::Float(-2.3333333333333335)),
    ("x // y", || Value::Int(-3)),
    ("z * 2", || Value::Float(5.0)),
    ("z // 1", || Value::Float(2.0)),
    ("x // z", || Value::Float(2.0)),
    ("y % z", || Value::Float(2.0)),
    ("-y", || Value::Int(3)),
    ("+y", || Value::Int(-3)),
    ("~x", || Value::Int(-8)),
    ("not x", || Value::Bool(false)),
    ("not n", || Value::Bool(true)),
    ("x and y", || Value::Int(-3)),
    ("n and y", || Value::Int(0)),
    ("n or y", || Value::Int(-3)),
    ("x or y", || Value::Int(7)),
    ("'' or 'a'", || Value::from("a")),
    ("x if n else y", || Value::Int(-3)),
    ("x if z else y", || Value::Int(7)),
    ("1 if x > 3 else 2 if x > 1 else 3", || Value::Int(1)),
    ("1 < x < 10", || Value::Bool(true)),
    ("1 < x > 3 == 3", || Value::Bool(true)),
    ("1 < 0 < 1 / n", || Value::Bool(false)),
    ("x == 7.0", || Value::Bool(true)),
    ("x != 7", || Value::Bool(false)),
    ("b == 1", || Value::Bool(true)),
    ("b + b", || Value::Int(2)),
    ("b * 2.0", || Value::Float(2.0)),
    ("f == 'f16'", || Value::Bool(true)),
    ("f in ['f16', 'f32']", || Value::Bool(true)),
    ("f not in ('f16', 'f32')", || Value::Bool(false)),
    ("x in [1, 7]", || Value::Bool(true)),
    ("x not in [1, 7]", || Value::Bool(false)),
    ("z in [2.5]", || Value::Bool(true)),
    ("'6' in f", || Value::Bool(true)),
    ("f < 'f2'", || Value::Bool(true)),
    ("f + 'x'", || Value::from("f16x")),
    ("min(x, y, z)", || Value::Int(-3)),
    ("max(x, y, z)", || Value::Int(7)),
    ("min([x, y])", || Value::Int(-3)),
    ("max(1, 1.0)", || Value::Int(1)),
    ("max(1.0, 1)", || Value::Float(1.0)),
    ("abs(y)", || Value::Int(3)),
    ("abs(-2.5)", || Value::Float(2.5)),
    ("ceil(2.1)", || Value::Int(3)),
    ("ceil(-2.1)", || Value::Int(-2)),
    ("floor(2.9)", || Value::Int(2)),
    ("floor(-2.1)", || Value::Int(-3)),
    ("math.floor(2.5)", || Value::Int(2)),
    ("round(2.5)", || Value::Int(2)),
    ("round(3.5)", || Value::Int(4)),
    ("round(-2.5)", || Value::Int(-2)),
    ("round(2.675, 2)", || Value::Float(2.67)),
    ("round(1234.5, -2)", || Value::Float(1200.0)),
    ("round(1250, -2)", || Value::Int(1200)),
    ("round(1350, -2)", || Value::Int(1400)),
    ("round(x, 1)", || Value::Int(7)),
    ("int(2.9)", || Value::Int(2)),
    ("int(-2.9)", || Value::Int(-2)),
    ("int('12')", || Value::Int(12)),
    ("float('2.5')", || Value::Float(2.5)),
    ("float(x)", || Value::Float(7.0)),
    ("bool(x)", || Value::Bool(true)),
    ("bool(n)", || Value::Bool(false)),
    ("len([1, 2, 3])", || Value::Int(3)),
    ("len(f)", || Value::Int(3)),
    ("sum([1, 2.5])", || Value::Float(3.5)),
    ("sum(range(5))", || Value::Int(10)),
    ("sum(i * i for i in range(4))", || Value::Int(14)),
    ("sum([i for i in range(10) if i % 3 == 0])", || Value::Int(18)),
    ("sum([i * j for i in range(3) for j in range(i)])", || Value::Int(2)),
    ("[10, 20, 30][1]", || Value::Int(20)),
    ("[10, 20, 30][-1]", || Value::Int(30)),
    ("[[1, 2], [3]][0][1]", || Value::Int(2)),
    ("'abc'[1]", || Value::from("b")),
    ("list(range(2, 11, 3))[2]", || Value::Int(8)),
    ("([1] + [2, 3])[2]", || Value::Int(3)),
    ("([0] * 3 + [1])[3]", || Value::Int(1)),
    ("len([0] * 3)", || Value::Int(3)),
    ("log2(8)", || Value::Float(3.0)),
    ("log(1)", || Value::Float(0.0)),
    ("log(8, 2)", || Value::Float(3.0)),
    ("log10(1000)", || Value::Float(3.0)),
    ("sqrt(2)", || Value::Float(std::f64::consts::SQRT_2)),
    ("exp(0)", || Value::Float(1.0)),
    ("pow(2, 10)", || Value::Int(1024)),
    ("5 & 3", || Value::Int(1)),
    ("5 | 3", || Value::Int(7)),
    ("5 ^ 3", || Value::Int(6)),
    ("1 << 4", || Value::Int(16)),
    ("255 >> 2", || Value::Int(63)),
    ("-1 >> 70", || Value::Int(-1)),
    ("x & (x - 1) == 0", || Value::Bool(false)),
    ("0x10 + 0b11 + 0o7", || Value::Int(26)),
    ("1_000", || Value::Int(1000)),
    ("1e3", || Value::Float(1000.0)),
    (".5", || Value::Float(0.5)),
    ("5.", || Value::Float(5.0)),
    ("True", || Value::Bool(true)),
    ("False", || Value::Bool(false)),
    ("None == None", || Value::Bool(true)),
    ("[1, 2] == [1, 2.0]", || Value::Bool(true)),
    ("[1, 2] < [1, 3]", || Value::Bool(true)),
    ("(1, 2) == (1, 2)", || Value::Bool(true)),
    ("32 <= x * 8 <= 1024", || Value::Bool(true)),
    ("(x * 4 + 14) * (y * 2 + 14) * 4 <= 49152", || Value::Bool(true)),
    ("x % ((x * y) / y) == 0", || Value::Bool(true)),
    ("9223372036854775807 == 9223372036854775807.0", || Value::Bool(false)),
    ("9223372036854775806 < 9223372036854775807.0", || Value::Bool(true)),
    ("2 ** 62 + (2 ** 62 - 1)", || Value::Int(9223372036854775807)),
];

/// Equal in value and in type: `1` is not `1.0` here.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Float(a), Value::Float(b)) => {
            a.to_bits() == b.to_bits() || (a - b).abs() <= a.abs() * 1e-15
        }
        (Value::Int(_), Value::Int(_))
        | (Value::Bool(_), Value::Bool(_))
        | (Value::Text(_), Value::Text(_)) => a == b,
        _ => false,
    }
}

#[test]
fn values_are_those_of_python() {
    for (text, expected) in TABLE {
        let value = compile(text).eval(&slots()).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert!(same(&value, &expected()), "{text}: {value:?}, Python says {:?}", expected());
    }
}

#[test]
fn the_compiled_program_agrees_with_the_table() {
    for (text, expected) in TABLE {
        let expression = compile(text);
        let expected = expected();
        let truth = expression.eval_bool(&slots()).expect(text);
        assert_eq!(truth, expected.is_true(), "{text}");
        if let Some(number) = expected.as_f64() {
            let value = expression.eval_f64(&slots()).expect(text);
            assert!(same(&Value::Float(value), &Value::Float(number)), "{text}: {value}");
        }
    }
}

#[test]
fn what_python_refuses_is_an_error_here() {
    let error = |text: &str| compile(text).eval(&slots()).expect_err(text);
    for text in ["1 / n", "1 // n", "x % n", "1.0 % 0.0", "0 ** -1", "z / 0.0", "n // 0.0"] {
        assert_eq!(error(text), EvalError::DivisionByZero, "{text}");
        assert_eq!(compile(text).eval_f64(&slots()), Err(EvalError::DivisionByZero), "{text}");
    }
    for text in ["log(0)", "sqrt(-1)", "log2(y)", "(-8) ** 0.5", "int(1e308 * 10)", "1 << -1"] {
        assert!(matches!(error(text), EvalError::Domain(_)), "{text}");
        assert!(matches!(compile(text).eval_f64(&slots()), Err(EvalError::Domain(_))), "{text}");
    }
    for text in ["'a' + 1", "1 < 'a'", "-f", "len(3)", "range(1.5)", "min([])", "1 in 2", "z & 1"] {
        assert!(matches!(error(text), EvalError::Type(_)), "{text}");
    }
    assert_eq!(error("[1][1]"), EvalError::Index(1));
    assert_eq!(error("[1][-2]"), EvalError::Index(-2));
    assert!(matches!(error("[1]"), EvalError::NotScalar(_)));
    assert!(matches!(error("None"), EvalError::NotScalar(_)));
}

#[test]
fn nothing_after_the_decision_is_evaluated() {
    for (text, expected) in [
        ("n != 0 and 1 / n > 0", false),
        ("n == 0 or 1 / n > 0", true),
        ("1 < 0 < 1 / n", false),
        ("True if n == 0 else 1 / n", true),
    ] {
        assert_eq!(compile(text).eval_bool(&slots()), Ok(expected), "{text}");
        assert_eq!(compile(text).eval(&slots()), Ok(Value::Bool(expected)), "{text}");
    }
}

#[test]
fn what_does_not_fit_64_bits_goes_on_as_a_float() {
    let max = i64::MAX;
    for text in [format!("{max} + 1"), "2 ** 63".into(), format!("-(-{max} - 1)"), "1 << 63".into()]
    {
        let value = compile(&text).eval(&slots()).expect("a value");
        assert!(same(&value, &Value::Float(9_223_372_036_854_775_808.0)), "{text}: {value:?}");
    }
    let value = compile("10 ** 400 > 1").eval(&slots());
    assert_eq!(value, Ok(Value::Bool(true)));
    assert_eq!(compile("(-9223372036854775807 - 1) // -1 > 0").eval_bool(&slots()), Ok(true));
    assert_eq!(compile("(-9223372036854775807 - 1) % -1").eval_f64(&slots()), Ok(0.0));
}

#[test]
fn work_and_memory_are_bounded() {
    for text in [
        "range(10**12)",
        "len(range(10**12))",
        "[0] * 10**9",
        "sum([1 for i in range(10**6) for j in range(10**6) if False])",
        "len([0] * 1000000 + [0] * 1000000)",
        "[[0] * 1000] * 1000 == [[0] * 1000] * 1000 and sum(len(a) for a in range(10**9))",
    ] {
        let error = compile(text).eval(&slots()).expect_err(text);
        assert!(matches!(error, EvalError::TooLong(_)), "{text}: {error}");
    }
}

#[test]
fn errors_say_where_and_what_was_expected() {
    let message =
        |text: &str| Expression::compile(text, &["x", "tile"]).expect_err(text).to_string();
    for (text, expected) in [
        ("x +", "`x +`, character 4: expected a value, not the end"),
        ("x tile", "`x tile`, character 3: expected an operator or the end, not `tile`"),
        ("(x", "`(x`, character 3: expected `)`, not the end"),
        ("x == y", "`x == y`, character 6: there is no `y` (known: x, tile)"),
        ("x = 3", "`x = 3`, character 3: `=` has no meaning here (`==` compares)"),
        ("!x", "`!x`, character 1: `!` has no meaning here (`not` negates)"),
        ("abs(1, 2)", "`abs(1, 2)`, character 1: `abs` takes 1 argument, not 2"),
        ("1 if x", "`1 if x`, character 7: expected `else`, not the end"),
        ("'a", "`'a`, character 1: this string has no closing '"),
        ("3x", "`3x`, character 2: a number must end before letters begin"),
        ("[i for 3 in x]", "`[i for 3 in x]`, character 8: expected a variable, not `3`"),
        ("é + ü", "`é + ü`, character 1: there is no `é` (known: x, tile)"),
    ] {
        assert_eq!(message(text), expected);
    }
    assert!(message("open('x')").contains("there is no function `open` (known: abs, bool, ceil"));
    assert!(message("__import__('os')").contains("there is no function"));
    assert!(message("x.real").contains("expected an operator or the end, not `.`"));
}

#[test]
fn deep_and_long_expressions_are_refused_and_not_overflowed() {
    let deep = format!("{}1{}", "(".repeat(100_000), ")".repeat(100_000));
    let signs = format!("{}1", "-".repeat(100_000));
    let nots = format!("{}1", "not ".repeat(100_000));
    let powers = vec!["2"; 100_000].join("**");
    let sums = vec!["1"; 100_000].join("+");
    let ors = vec!["x"; 100_000].join(" or ");
    let ifs = format!("{}1", "1 if 1 else ".repeat(100_000));
    let indices = format!("x{}", "[0]".repeat(100_000));
    for text in [deep, signs, nots, powers, sums, ors, ifs, indices] {
        let error = Expression::compile(&text, &["x"]).expect_err("too deep");
        assert!(error.message.contains("over"), "{}", error.message);
    }
    let nested = format!("{}1{}", "(1+".repeat(48), ")".repeat(48));
    assert_eq!(Expression::compile(&nested, &[]).expect("deep enough").eval_f64(&[]), Ok(49.0));
}

#[test]
fn an_expression_knows_the_names_it_uses() {
    let expression = compile("z * x + sum(x for x in range(3)) if f == 'a' else x");
    assert_eq!(expression.names_used().collect::<Vec<_>>(), ["x", "z", "f"]);
    assert_eq!(expression.slots_used(), [0, 2, 4]);
}
