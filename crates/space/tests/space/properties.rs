//! Properties that hold for every space, tested on random spaces.

use std::collections::{BTreeSet, HashSet};

use proptest::prelude::*;
use space::{
    Configuration, ConfigurationId, Expression, Neighbourhood, Parameter, Space, Value,
    keep_values, parse_values, seeded,
};

const NAMES: [&str; 5] = ["a", "b", "c", "d", "e"];

/// Restrictions of many kinds: early, late, over all parameters, over one, dividing by zero, never
/// true.
const RESTRICTIONS: [&str; 12] = [
    "a * b <= 6",
    "b % a == 0",
    "a == 1 or c < d",
    "a + b + c + d + e <= 12",
    "c % (d - 2) == 0",
    "not (a == 2 and e == 0)",
    "d in (0, 1, 4)",
    "b != 1",
    "2 <= c * d < 9",
    "e / 2 == e // 2",
    "limit >= a * e",
    "a ** 2 + b > 99",
];

fn drawn() -> impl Strategy<Value = (Vec<usize>, Vec<usize>)> {
    let sizes = prop::collection::vec(1_usize..=5, 5);
    (sizes, prop::collection::vec(0..RESTRICTIONS.len(), 0..4))
}

fn build(sizes: &[usize], restrictions: &[usize]) -> Space {
    let parameters = NAMES
        .iter()
        .zip(sizes)
        .map(|(name, size)| Parameter::new(*name, 0..*size as i64))
        .collect();
    let texts: Vec<&str> = restrictions.iter().map(|i| RESTRICTIONS[*i]).collect();
    Space::build(parameters, &texts, &[("limit".to_owned(), Value::Int(7))]).expect("space")
}

/// Every configuration that no restriction rejects, found by trying all.
fn by_force(sizes: &[usize], restrictions: &[usize]) -> Vec<Configuration> {
    let mut names = NAMES.to_vec();
    names.push("limit");
    let compile = |i: &usize| Expression::compile(RESTRICTIONS[*i], &names).expect("expression");
    let expressions: Vec<_> = restrictions.iter().map(compile).collect();
    let count: usize = sizes.iter().product();
    let mut valid = Vec::new();
    for mut number in 0..count {
        let mut indices = vec![0; sizes.len()];
        for (index, size) in indices.iter_mut().zip(sizes).rev() {
            *index = (number % size) as u32;
            number /= size;
        }
        let mut slots: Vec<Value> = indices.iter().map(|i| Value::Int(i64::from(*i))).collect();
        slots.push(Value::Int(7));
        // A restriction without a value, as after a division by zero, does not reject.
        if expressions.iter().all(|e| e.eval(&slots).map_or(true, |v| v.is_true())) {
            valid.push(Configuration(indices));
        }
    }
    valid
}

fn near(
    space: &Space,
    all: &[Configuration],
    a: &Configuration,
    b: &Configuration,
    kind: Neighbourhood,
) -> bool {
    let differing = a.0.iter().zip(&b.0).filter(|(a, b)| a != b).count();
    if differing == 0 {
        return false;
    }
    match kind {
        Neighbourhood::Hamming => differing == 1,
        Neighbourhood::StrictlyAdjacent => a.0.iter().zip(&b.0).all(|(a, b)| a.abs_diff(*b) <= 1),
        Neighbourhood::HammingAdjacent => {
            differing == 1 && near(space, all, a, b, Neighbourhood::Adjacent)
        }
        Neighbourhood::Adjacent => (0..space.parameters().len()).all(|d| {
            let occurring: BTreeSet<u32> = all.iter().map(|c| c.0[d]).collect();
            let place = |i: u32| occurring.iter().position(|v| *v == i).expect("occurs");
            place(a.0[d]).abs_diff(place(b.0[d])) <= 1
        }),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_space_holds_exactly_what_counting_through_everything_finds((sizes, restrictions) in drawn()) {
        let space = build(&sizes, &restrictions);
        let all = by_force(&sizes, &restrictions);
        prop_assert_eq!(space.len(), all.len() as u64);
        for (id, configuration) in all.iter().enumerate() {
            let id = ConfigurationId(id as u64);
            prop_assert_eq!(&space.configuration(id), configuration);
            prop_assert_eq!(space.id_of(configuration), Some(id));
            prop_assert_eq!(space.explain(configuration), None);
            let named = space.named(id);
            prop_assert_eq!(space.id_of_named(named.iter().map(|(n, v)| (*n, *v))), Some(id));
        }
        let valid: HashSet<&Configuration> = all.iter().collect();
        for other in by_force(&sizes, &[]).iter().filter(|c| !valid.contains(c)) {
            prop_assert_eq!(space.id_of(other), None);
            prop_assert!(space.explain(other).is_some());
        }
    }

    #[test]
    fn neighbours_are_those_of_the_definition((sizes, restrictions) in drawn()) {
        let space = build(&sizes, &restrictions);
        let all = by_force(&sizes, &restrictions);
        let kinds = [Neighbourhood::Hamming, Neighbourhood::HammingAdjacent, Neighbourhood::Adjacent, Neighbourhood::StrictlyAdjacent];
        for (a, one) in all.iter().enumerate().step_by(1 + all.len() / 12) {
            for kind in kinds {
                let expected: Vec<_> = all
                    .iter()
                    .enumerate()
                    .filter(|(_, other)| near(&space, &all, one, other, kind))
                    .map(|(b, _)| ConfigurationId(b as u64))
                    .collect();
                let a = ConfigurationId(a as u64);
                prop_assert_eq!(&space.neighbours(a, kind), &expected);
                for b in expected {
                    prop_assert!(space.neighbours(b, kind).contains(&a));
                }
            }
        }
    }

    #[test]
    fn the_nearest_is_the_nearest((sizes, restrictions) in drawn()) {
        let space = build(&sizes, &restrictions);
        let all = by_force(&sizes, &restrictions);
        for target in by_force(&sizes, &[]).iter().step_by(17) {
            let least = all.iter().map(|c| space.distance(c, target)).fold(f64::INFINITY, f64::min);
            let found = space.nearest_by_hamming(target).map(|id| space.configuration(id));
            prop_assert_eq!(found.is_some(), !all.is_empty());
            if let Some(found) = found {
                prop_assert!(space.distance(&found, target) <= least + 1e-9);
            }
        }
        let default = space.default_configuration();
        prop_assert_eq!(space.default_id(), space.nearest_by_hamming(&default));
    }

    #[test]
    fn samples_are_valid_different_and_as_many_as_asked(
        (sizes, restrictions) in drawn(),
        count in 0_usize..60,
        seed: u64,
    ) {
        let space = build(&sizes, &restrictions);
        let expected = count.min(space.len() as usize);
        for drawn in [
            space.sample(count, &mut seeded(seed, 0)),
            space.latin_hypercube(count, &mut seeded(seed, 1)),
        ] {
            prop_assert_eq!(drawn.len(), expected);
            prop_assert_eq!(drawn.iter().collect::<HashSet<_>>().len(), expected);
            prop_assert!(drawn.iter().all(|id| id.0 < space.len()));
        }
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in "\\PC*") {
        let _ = Expression::compile(&text, &["x"]).map(|e| e.eval(&[Value::Int(3)]));
        let _ = parse_values(&text);
        let _ = keep_values(&mut [Parameter::new("x", [1_i64])], &text);
    }

    #[test]
    fn no_mixture_of_words_makes_an_expression_panic(
        words in prop::collection::vec(prop::sample::select(vec![
            "x", "y", "1", "2.5", "9223372036854775807", "0", "'a'", "[", "]", "(", ")", ",", "+",
            "-", "*", "/", "//", "%", "**", "<", "<=", "==", "and", "or", "not", "in", "if", "else",
            "for", "i", "min", "max", "range", "len", "round", "int", "<<", ">>", "&", "~", "None",
            "[i for i in", "range(3)", "(x", "log(", ".", "math",
        ]), 0..14)
    ) {
        let text = words.join(" ");
        if let Ok(expression) = Expression::compile(&text, &["x", "y"]) {
            for slots in [[Value::Int(i64::MIN), Value::Int(0)], [Value::Float(-0.5), Value::from("a")]] {
                let walked = expression.eval(&slots);
                let fast = expression.eval_f64(&slots);
                // Where both evaluators return a number, the numbers are equal.
                if let (Ok(Some(walked)), Ok(fast)) = (walked.map(|v| v.as_f64()), fast) {
                    prop_assert!(walked.total_cmp(&fast).is_eq() || (walked.is_nan() && fast.is_nan()), "{}", text);
                }
            }
        }
    }
}

#[test]
fn random_configurations_are_equally_likely() {
    let space = build(&[5, 5, 5, 1, 1], &[0]);
    let count = space.len() as usize;
    let mut rng = seeded(1, 0);
    let mut seen = vec![0_u32; count];
    for _ in 0..count * 400 {
        seen[space.random(&mut rng).expect("not empty").0 as usize] += 1;
    }
    // 400 draws expected for each: chi-square over its degrees of freedom is 1 ± sqrt(2 / count).
    let chi: f64 = seen.iter().map(|n| (f64::from(*n) - 400.0).powi(2) / 400.0).sum();
    let spread = (2.0 / count as f64).sqrt();
    assert!((chi / count as f64 - 1.0).abs() < 5.0 * spread, "chi-square {chi} over {count}");
}

#[test]
fn a_sample_draws_every_subset_equally_often() {
    let space = build(&[5, 1, 1, 1, 1], &[]);
    let mut rng = seeded(3, 0);
    let mut pairs = std::collections::BTreeMap::new();
    for _ in 0..20_000 {
        let drawn = space.sample(2, &mut rng);
        *pairs.entry((drawn[0].0, drawn[1].0)).or_insert(0_u32) += 1;
    }
    // 5 × 4 ordered pairs, 1000 draws expected for each, standard deviation 31.
    assert_eq!(pairs.len(), 20);
    assert!(pairs.values().all(|n| n.abs_diff(1_000) < 160), "{pairs:?}");
}

#[test]
fn a_latin_hypercube_takes_every_value_equally_often_where_nothing_restricts() {
    let space = build(&[5, 5, 5, 5, 5], &[]);
    let drawn = space.latin_hypercube(20, &mut seeded(5, 0));
    for depth in 0..5 {
        for value in 0..5 {
            let holds = |id: &&ConfigurationId| space.configuration(**id).0[depth] == value;
            assert_eq!(drawn.iter().filter(holds).count(), 4);
        }
    }
}

#[test]
fn a_trillion_configurations_are_counted_and_sampled_without_being_listed() {
    let names: Vec<String> = (0..12).map(|i| format!("p{i}")).collect();
    let parameters: Vec<Parameter> =
        names.iter().map(|name| Parameter::new(name.clone(), 1_i64..=10)).collect();
    let space =
        Space::build(parameters, &["p1 % p0 == 0", "p2 % p1 == 0", "p4 * p5 * p6 <= 100"], &[])
            .expect("space");
    assert_eq!(space.cartesian(), 1_000_000_000_000);
    let chains = (1..=10_u64)
        .flat_map(|a| (1..=10).map(move |b| (a, b)))
        .filter(|(a, b)| b % a == 0)
        .map(|(_, b)| (1..=10).filter(|c| c % b == 0).count() as u64)
        .sum::<u64>();
    let triples = (0..1_000_u64)
        .filter(|n| (1 + n % 10) * (1 + n / 10 % 10) * (1 + n / 100) <= 100)
        .count() as u64;
    assert_eq!(space.len(), chains * 10 * triples * 100_000);
    assert!(space.edges() < 2_000, "{} edges", space.edges());
    let mut rng = seeded(1, 0);
    for id in space.sample(200, &mut rng) {
        let configuration = space.configuration(id);
        assert_eq!(space.explain(&configuration), None);
        assert_eq!(space.id_of(&configuration), Some(id));
        assert!(!space.neighbours(id, Neighbourhood::Hamming).is_empty());
    }
}

#[test]
fn divisions_by_zero_are_satisfied_and_counted() {
    let parameters = vec![Parameter::new("a", [0_i64, 1, 2]), Parameter::new("b", [3_i64, 4])];
    let space = Space::build(parameters, &["b % a == 0"], &[]).expect("space");
    // `a = 0` is undefined twice, `a = 1` divides both, `a = 2` divides 4.
    assert_eq!(space.len(), 5);
    assert_eq!(space.undefined().collect::<Vec<_>>(), [("b % a == 0", 2)]);
}

#[test]
fn faulty_spaces_are_refused_in_one_sentence() {
    let one = || vec![Parameter::new("a", [1_i64, 2])];
    let refused = |parameters: Vec<Parameter>, restrictions: &[&str]| {
        Space::build(parameters, restrictions, &[("size".into(), Value::Int(1))])
            .expect_err("refused")
            .to_string()
    };
    let none: [i64; 0] = [];
    assert!(refused(vec![Parameter::new("a", none)], &[]).contains("`a` has no values"));
    assert!(
        refused(vec![Parameter::new("a", [1_i64, 2, 1])], &[]).contains("lists the value 1 twice")
    );
    assert!(
        refused(vec![Parameter::new("size", [1_i64])], &[]).contains("`size` names two things")
    );
    assert!(refused(one(), &["b > 1"]).contains("there is no `b` (known: a, size)"));
    assert!(refused(one(), &["log(a - 1) > 1"]).contains("`log` is not defined here"));
}

#[test]
fn texts_and_truth_values_restrict_too() {
    let parameters = vec![
        Parameter::new("format", ["f16", "f32", "f64"]),
        Parameter::new("fast", [true, false]),
        Parameter::new("width", [1_i64, 2, 4, 8]),
    ];
    let restrictions = ["not fast or format != 'f64'", "width * {'f16'} <= 8"];
    assert!(Space::build(parameters.clone(), &restrictions, &[]).is_err());
    let space = Space::build(
        parameters,
        &["not fast or format != 'f64'", "width <= (8 if format in ['f16', 'f32'] else 2)"],
        &[],
    )
    .expect("space");
    // f16 and f32 have 2 × 4 configurations each; f64 has only the slow variant, with two widths.
    assert_eq!(space.len(), 18);
}

#[test]
fn narrowing_keeps_the_named_values_and_the_nearest_default() {
    let mut parameters =
        vec![Parameter::new("block", [16_i64, 32, 64, 128, 256]).with_default(64_i64)];
    keep_values(&mut parameters, "block=16,256,128").expect("values exist");
    assert_eq!(parameters[0].values, [16, 128, 256].map(Value::Int));
    assert_eq!(parameters[0].values[parameters[0].default_index()], Value::Int(128));
    let mut refused = |text: &str| keep_values(&mut parameters, text).expect_err(text).to_string();
    assert_eq!(refused("blok=16"), "there is no parameter `blok` (known: block)");
    assert_eq!(refused("block=64"), "parameter `block` has no value 64 (it has: 16, 128, 256)");
    assert!(refused("block").contains("such as `block_size_x=64,128`"));
    assert!(refused("block=").contains("must be a list"));
}
