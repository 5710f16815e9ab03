//! Compares spaces under random restrictions with trying all configurations.

use proptest::prelude::*;
use space::{
    Configuration, ConfigurationId, EvalError, Expression, Neighbourhood, Parameter, Space, Value,
};

/// Four parameters of numbers, one of texts, and one of numbers and texts.
const NAMES: [&str; 6] = ["a", "b", "c", "d", "f", "m"];

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => (-3_i64..=9).prop_map(Value::Int),
        2 => prop::sample::select(vec![16_i64, 32, 64, 128, 1024]).prop_map(Value::Int),
        1 => prop::sample::select(vec![0.5, 1.5, -2.25, 0.1, 0.3, 1e-3]).prop_map(Value::Float),
        1 => any::<bool>().prop_map(Value::Bool),
    ]
}

fn parameters() -> impl Strategy<Value = Vec<Parameter>> {
    let list = prop::collection::vec(value(), 1..=5).prop_map(|values| {
        let mut different: Vec<Value> = Vec::new();
        for value in values {
            if !different.contains(&value) {
                different.push(value);
            }
        }
        different
    });
    let text = |least| prop::sample::subsequence(vec!["f16", "f32", "f64"], least..=2);
    let texts = |texts: Vec<&str>| texts.into_iter().map(Value::from).collect::<Vec<_>>();
    (prop::collection::vec(list, 4), text(1), text(0)).prop_map(move |(mut lists, all, some)| {
        lists.push(texts(all));
        lists.push([texts(some), vec![Value::Int(1)]].concat());
        let named = NAMES.iter().zip(lists);
        named
            .map(|(name, values)| Parameter { name: (*name).into(), values, default: None })
            .collect()
    })
}

/// Arithmetic over the parameters, with every operator.
fn arithmetic() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        4 => prop::sample::select(NAMES[..4].to_vec()).prop_map(str::to_owned),
        1 => (-2_i64..=12).prop_map(|n| n.to_string()),
        1 => prop::sample::select(vec!["0.5", "2.0", "64", "1024"]).prop_map(str::to_owned),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let operator = prop::sample::select(vec!["+", "-", "*", "+", "*", "/", "//", "%"]);
        prop_oneof![
            6 => (inner.clone(), operator, inner.clone()).prop_map(|(l, o, r)| format!("({l} {o} {r})")),
            1 => inner.clone().prop_map(|x| format!("-{x}")),
            1 => inner.clone().prop_map(|x| format!("abs({x})")),
            1 => inner.clone().prop_map(|x| format!("floor({x} / 2)")),
            1 => inner.clone().prop_map(|x| format!("({x}) ** 2")),
            1 => (inner.clone(), inner.clone()).prop_map(|(l, r)| format!("min({l}, {r})")),
            1 => (inner.clone(), inner.clone(), inner)
                .prop_map(|(l, c, r)| format!("({l} if {c} > 1 else {r})")),
        ]
    })
}

fn restriction() -> impl Strategy<Value = String> {
    let comparison = || prop::sample::select(vec!["<", "<=", ">", ">=", "==", "!="]);
    let single = prop_oneof![
        4 => (arithmetic(), comparison(), arithmetic()).prop_map(|(l, o, r)| format!("{l} {o} {r}")),
        2 => (arithmetic(), comparison(), arithmetic(), comparison(), arithmetic())
            .prop_map(|(l, o, m, p, r)| format!("{l} {o} {m} {p} {r}")),
        1 => arithmetic().prop_map(|x| format!("{x} in (0, 1, 2, 4.0)")),
        1 => arithmetic(),
        1 => prop::sample::select(vec![
            "f == 'f16'",
            "f in ('f32', 'f64') and m != 'f16'",
            "(4 if f == 'f32' else 2) * a * b <= 16",
            "('f16' if a > 2 else 'f32') == f",
            "f < 'f32' or m == 1",
            "f and m",
            "m in ['f32', 1]",
            "f == 1 or f != a",
        ])
        .prop_map(str::to_owned),
    ];
    single.prop_recursive(2, 6, 2, |inner| {
        prop_oneof![
            2 => (inner.clone(), inner.clone()).prop_map(|(l, r)| format!("({l} and {r})")),
            2 => (inner.clone(), inner.clone()).prop_map(|(l, r)| format!("({l} or {r})")),
            1 => inner.prop_map(|x| format!("not ({x})")),
        ]
    })
}

/// Every valid configuration, found by trying all; `None` where a restriction fails for one of
/// them.
fn by_force(parameters: &[Parameter], texts: &[String]) -> Option<Vec<Configuration>> {
    let compile = |text: &String| Expression::compile(text, &NAMES).expect("an expression");
    let expressions: Vec<Expression> = texts.iter().map(compile).collect();
    let count: usize = parameters.iter().map(|p| p.values.len()).product();
    let mut valid = Vec::new();
    for mut number in 0..count {
        let mut indices = vec![0; parameters.len()];
        for (index, parameter) in indices.iter_mut().zip(parameters).rev() {
            *index = (number % parameter.values.len()) as u32;
            number /= parameter.values.len();
        }
        let chosen = indices.iter().zip(parameters);
        let slots: Vec<Value> = chosen.map(|(at, p)| p.values[*at as usize].clone()).collect();
        let mut holds = true;
        for expression in &expressions {
            match expression.eval(&slots) {
                Ok(value) => holds &= value.is_true(),
                Err(EvalError::DivisionByZero) => {}
                Err(_) => return None,
            }
        }
        if holds {
            valid.push(Configuration(indices));
        }
    }
    Some(valid)
}

fn set() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(restriction(), 1..4)
}

/// Number of random spaces that are tried, from `AUTOBENCH_CASES`.
fn cases() -> u32 {
    std::env::var("AUTOBENCH_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(256)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_space_is_what_its_restrictions_leave(parameters in parameters(), texts in set()) {
        let Some(all) = by_force(&parameters, &texts) else { return Ok(()) };
        let space = Space::build(parameters.clone(), &texts, &[]).expect("a space");
        let listed: Vec<Configuration> = space.ids().map(|id| space.configuration(id)).collect();
        prop_assert_eq!(&listed, &all, "{:?}", texts);
        for (id, configuration) in (0..).zip(&all) {
            prop_assert_eq!(space.id_of(configuration), Some(ConfigurationId(id)));
        }
        for (depth, counted) in space.occurrences().iter().enumerate() {
            for (value, count) in (0..).zip(counted) {
                let there = all.iter().filter(|c| c.0[depth] == value).count() as u64;
                prop_assert_eq!(*count, there);
            }
        }
    }

    #[test]
    fn hamming_neighbours_differ_in_one_parameter(parameters in parameters(), texts in set()) {
        let Some(all) = by_force(&parameters, &texts) else { return Ok(()) };
        let space = Space::build(parameters, &texts, &[]).expect("a space");
        for (id, one) in (0..).zip(&all).step_by(1 + all.len() / 20) {
            let apart = |c: &Configuration| c.0.iter().zip(&one.0).filter(|(a, b)| a != b).count();
            let near = (0..).zip(&all).filter(|(_, c)| apart(c) == 1);
            let expected: Vec<ConfigurationId> = near.map(|(id, _)| ConfigurationId(id)).collect();
            prop_assert_eq!(space.neighbours(ConfigurationId(id), Neighbourhood::Hamming), expected);
        }
    }

    #[test]
    fn no_graph_is_smaller(parameters in parameters(), texts in set()) {
        let Some(all) = by_force(&parameters, &texts) else { return Ok(()) };
        let space = Space::build(parameters.clone(), &texts, &[]).expect("a space");
        let listed = Space::of_configurations(parameters, all).expect("a space");
        prop_assert_eq!((space.nodes(), space.edges()), (listed.nodes(), listed.edges()));
    }
}
