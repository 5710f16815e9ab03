//! Spaces far too large to list: twelve parameters of ten values, a chain of divisors, a bounded
//! product and a bounded sum of all parameters. Counts are compared with an independent
//! calculation.

use std::collections::BTreeMap;

use exchange::parse_t1;
use rand::RngExt as _;
use space::{ConfigurationId, Neighbourhood, Space, SpaceError, seeded};

/// How the restrictions of a large space are laid out.
struct Large {
    values: [i64; 10],
    /// Each parameter of the chain divides the next.
    chain: [usize; 4],
    product: [usize; 3],
    /// Bounds of the product.
    between: (i64, i64),
    /// Upper bound of the sum of all parameters.
    sum: i64,
}

const ONE_TO_TEN: [i64; 10] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
const PRIMES: [i64; 10] = [1, 2, 3, 5, 7, 11, 13, 17, 19, 23];
const POWERS: [i64; 10] = [512, 1, 2, 4, 8, 16, 32, 64, 128, 256];

type Sums = BTreeMap<i64, u64>;

fn joined(a: &Sums, b: &Sums) -> Sums {
    let mut sums = Sums::new();
    for (x, times) in a {
        for (y, others) in b {
            *sums.entry(x + y).or_default() += times * others;
        }
    }
    sums
}

impl Large {
    /// The number of valid configurations, computed without autobench; with `fixed`, only those in
    /// which a parameter has the given value. Convolves the sums that the chain, the product and
    /// the other parameters can have.
    fn expected(&self, fixed: Option<(usize, i64)>) -> u64 {
        let allowed = |p: usize, v: i64| fixed.is_none_or(|(q, w)| p != q || v == w);
        let (mut chain, mut product) = (Sums::new(), Sums::new());
        for number in 0..10_000 {
            let place = [number / 1000, number / 100 % 10, number / 10 % 10, number % 10];
            let v = place.map(|at| self.values[at]);
            let fits = v.iter().zip(&self.chain).all(|(v, p)| allowed(*p, *v));
            if fits && v[1] % v[0] == 0 && v[2] % v[1] == 0 && v[3] % v[2] == 0 {
                *chain.entry(v.iter().sum()).or_default() += 1;
            }
        }
        for number in 0..1000 {
            let v = [number / 100, number / 10 % 10, number % 10].map(|at| self.values[at]);
            let fits = v.iter().zip(&self.product).all(|(v, p)| allowed(*p, *v));
            let product_of = v.iter().product::<i64>();
            if fits && (self.between.0..=self.between.1).contains(&product_of) {
                *product.entry(v.iter().sum()).or_default() += 1;
            }
        }
        let mut all = joined(&chain, &product);
        for p in (0..12).filter(|p| !self.chain.contains(p) && !self.product.contains(p)) {
            let own = self.values.iter().filter(|v| allowed(p, **v)).map(|v| (*v, 1)).collect();
            all = joined(&all, &own);
        }
        all.range(..=self.sum).map(|(_, times)| times).sum()
    }

    /// The space as a T1 file, with its restrictions written in one of three ways.
    fn space(&self, spelling: usize) -> Result<Space, SpaceError> {
        let name = |p: &usize| format!("p{p}");
        let all: Vec<String> = (0..12).map(|p| name(&p)).collect();
        let [a, b, c, d] = self.chain.map(|p| name(&p));
        let [x, y, z] = self.product.map(|p| name(&p));
        let (low, high, sum) = (self.between.0, self.between.1, self.sum);
        let conditions = match spelling {
            0 => vec![
                format!("{b} % {a} == 0"),
                format!("{c} % {b} == 0"),
                format!("{d} % {c} == 0"),
                format!("{low} <= {x} * {y} * {z} <= {high}"),
                format!("{} <= {sum}", all.join(" + ")),
            ],
            1 => {
                let backwards: Vec<&str> = all.iter().rev().map(String::as_str).collect();
                vec![
                    format!("{b} % {a} == 0 and {c} % {b} == 0 and not {d} % {c} != 0"),
                    format!("{z} * ({x} * {y}) >= {low} and {high} >= {y} * {z} * {x}"),
                    format!("{sum} >= {}", backwards.join(" + ")),
                ]
            }
            _ => {
                let (first, second) = all.split_at(5);
                vec![format!(
                    "({} < {sum} + 1 - ({}) and 0 == {b} % {a} and {c} % {b} == 0) and \
                     ({d} % {c} == 0 and not ({x} * {y} * {z} < {low} or {high} < {x} * {z} * {y}))",
                    first.join(" + "),
                    second.join(" + ")
                )]
            }
        };
        let parameters: Vec<serde_json::Value> = all
            .iter()
            .map(|name| {
                serde_json::json!({
                    "Name": name, "Type": "int", "Values": format!("{:?}", self.values)
                })
            })
            .collect();
        let conditions: Vec<serde_json::Value> =
            conditions.iter().map(|text| serde_json::json!({ "Expression": text })).collect();
        let file = serde_json::json!({
            "ConfigurationSpace": { "TuningParameters": parameters, "Conditions": conditions },
            "KernelSpecification": { "Language": "CUDA", "KernelName": "large" }
        });
        parse_t1(&file.to_string()).expect("a T1 file").space()
    }
}

/// Parameters of one restriction are next to each other.
const GROUPED: Large = Large {
    values: ONE_TO_TEN,
    chain: [0, 1, 2, 3],
    product: [4, 5, 6],
    between: (32, 1000),
    sum: 50,
};

/// The parameters of every restriction are spread over the whole list.
const SPREAD: Large = Large {
    values: ONE_TO_TEN,
    chain: [0, 3, 7, 11],
    product: [1, 5, 9],
    between: (32, 1000),
    sum: 50,
};

#[test]
fn about_a_billion_of_a_trillion_are_counted_exactly_in_every_spelling() {
    for large in [GROUPED, SPREAD] {
        let expected = large.expected(None);
        assert!((300_000_000..3_000_000_000).contains(&expected), "{expected}");
        for spelling in 0..3 {
            let space = large.space(spelling).expect("a space");
            assert_eq!(space.cartesian_digits(), "1000000000000");
            assert_eq!(space.len(), expected, "spelling {spelling}");
        }
    }
}

#[test]
fn values_that_are_not_consecutive_are_counted_exactly() {
    for (values, between, sum) in [(PRIMES, (32, 1024), 70), (POWERS, (32, 1024), 300)] {
        for (chain, product) in [([0, 1, 2, 3], [4, 5, 6]), ([0, 2, 4, 6], [1, 3, 5])] {
            let large = Large { values, chain, product, between, sum };
            let space = large.space(2).expect("a space");
            assert_eq!(space.len(), large.expected(None), "{values:?}");
            assert!(space.bytes() < 1 << 29);
        }
    }
}

#[test]
fn samples_are_uniform_over_a_billion() {
    const DRAWN: u64 = 20_000;
    let space = SPREAD.space(0).expect("a space");
    let mut rng = seeded(7, 0);
    let sample = space.sample(DRAWN as usize, &mut rng);
    let all: Vec<_> = sample.iter().map(|id| space.configuration(*id)).collect();
    // One parameter of the chain, one of the product, and one that only the sum restricts.
    for parameter in [0, 5, 10] {
        let mut chi = 0.0;
        for (at, value) in (0_u32..).zip(SPREAD.values) {
            let share = SPREAD.expected(Some((parameter, value))) as f64 / space.len() as f64;
            let expected = share * DRAWN as f64;
            let seen = all.iter().filter(|c| c.0[parameter] == at).count() as f64;
            if expected > 0.0 {
                chi += (seen - expected).powi(2) / expected;
            } else {
                assert!(seen == 0.0);
            }
        }
        // Nine degrees of freedom: chi-square exceeds 39 once in 100,000 times.
        assert!(chi < 39.0, "chi-square {chi} for p{parameter}");
        let counted = &space.occurrences()[parameter];
        let independent = SPREAD.values.map(|v| SPREAD.expected(Some((parameter, v))));
        assert_eq!(counted[..], independent);
    }
}

#[test]
fn a_walk_over_neighbours_stays_valid_and_can_be_walked_back() {
    let space = SPREAD.space(1).expect("a space");
    let mut rng = seeded(3, 0);
    let mut at = space.random(&mut rng).expect("something is valid");
    for step in 0..300 {
        let configuration = space.configuration(at);
        assert_eq!(space.explain(&configuration), None);
        assert_eq!(space.id_of(&configuration), Some(at));
        let near = space.neighbours(at, Neighbourhood::Hamming);
        assert!(!near.is_empty() && near.is_sorted());
        let next = near[rng.random_range(0..near.len())];
        let apart = configuration.0.iter().zip(space.configuration(next).0);
        assert_eq!(apart.filter(|(a, b)| *a != b).count(), 1);
        if step % 50 == 0 {
            assert!(space.neighbours(next, Neighbourhood::Hamming).contains(&at));
        }
        at = next;
    }
    let last = ConfigurationId(space.len() - 1);
    assert_eq!(space.id_of(&space.configuration(last)), Some(last));
}

#[test]
fn sums_that_never_repeat_end_in_a_sentence_before_memory_is_gone() {
    // Sums of floats round, so their order matters. In reverse order nothing can be added up early.
    let parameter = |p: usize| {
        let values: Vec<f64> = (0..10).map(|v| f64::from(p as u32 * 10 + v + 2).sqrt()).collect();
        space::Parameter::new(format!("p{p}"), values)
    };
    let names: Vec<String> = (0..12).rev().map(|p| format!("p{p}")).collect();
    let restriction = format!("{} <= 90", names.join(" + "));
    let built = Space::build((0..12).map(parameter).collect(), &[&restriction], &[]);
    let message = built.expect_err("too many different sums").to_string();
    assert!(message.contains("too large") && message.contains("`p"), "{message}");
    assert!(message.contains(&restriction) && message.contains("narrow"), "{message}");
}

#[test]
fn unrestricted_spaces_of_any_size_are_counted_or_refused() {
    let parameters = |count: usize| -> Vec<_> {
        (0..count).map(|p| space::Parameter::new(format!("p{p}"), 0_i64..100)).collect()
    };
    let none: [&str; 0] = [];
    let space = Space::build(parameters(9), &none, &[]).expect("a space");
    assert_eq!(space.len(), 10_u64.pow(18));
    let message = Space::build(parameters(10), &none, &[]).expect_err("over 2^64").to_string();
    assert!(message.contains("2^64"), "{message}");
}
