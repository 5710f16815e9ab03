//! Acquisition functions against values by hand, by SciPy, and by an evaluation of every candidate.

use proptest::prelude::*;

use super::*;

fn outlook(pairs: &[(f32, f32)]) -> Outlook {
    let (means, deviations) = pairs.iter().copied().unzip();
    Outlook { means, deviations }
}

fn aim(below: f64, exploration: f64) -> Aim {
    Aim { below, exploration, zeta: 1.0, evaluations: 40, axes: 5 }
}

#[test]
fn the_improvement_equals_scipy_near_and_far() {
    // mpmath 1.4: log(npdf(z) + z * ncdf(z)) with 60 digits.
    let expected = [
        (-30.0, -457.724_653_760_598),
        (-8.0, -37.122_364_261_692_6),
        (-6.5, -25.853_424_209_777_9),
        (-5.0, -16.744_301_162_661),
        (-3.0, -7.869_686_059_603_03),
        (-1.0, -2.485_121_025_712_64),
        (0.5, -0.359_827_683_745_064),
        (5.0, 1.609_437_923_126_43),
    ];
    for (z, expected) in expected {
        assert!((log_improvement(z) - expected).abs() < 3e-3, "{z}: {}", log_improvement(z));
    }
    assert!((log_improvement(0.0) - (1.0 / TAU.sqrt()).ln()).abs() < 1e-12);
    assert!(log_improvement(-40.0).is_finite() && log_improvement(40.0).is_finite());
}

#[test]
fn each_function_prefers_what_its_definition_says() {
    // For an aim of 1, the candidates improve by 0.1 for sure, by 0.2 but for one chance in 31,000,
    // by 0.4 with a deviation of 1, and on average not at all but with a deviation of 3.
    let outlook = outlook(&[(0.9, 0.01), (0.8, 0.05), (0.6, 1.0), (1.5, 3.0)]);
    let chosen = |acquisition: Acquisition, exploration| {
        acquisition.choose(&outlook, &aim(1.0, exploration)).unwrap()
    };
    // Expected improvements by SciPy 1.17: 0.1, 0.2000004, 0.6304, 0.9634.
    assert_eq!(chosen(Acquisition::ExpectedImprovement, 1.0), 3);
    // Standardised: 10, 4, 0.4, -0.17.
    assert_eq!(chosen(Acquisition::ProbabilityOfImprovement, 1.0), 0);
    // 0.6 - 0.1 and 1.5 - 0.3, then 0.6 - 0.5 and 1.5 - 1.5.
    assert_eq!(chosen(Acquisition::LowerConfidenceBound, 0.1), 2);
    assert_eq!(chosen(Acquisition::LowerConfidenceBound, 0.5), 3);
}

#[test]
fn srinivas_number_of_deviations_is_that_of_the_tutorial() {
    // numpy 2: sqrt(2 * log(40**(5/2 + 2) * pi**2 / (3 * 0.2))).
    assert!((aim(0.0, 0.2).srinivas() - 6.229_003_602_339_222).abs() < 1e-9);
    let first = Aim { below: 0.0, exploration: 50.0, zeta: 1.0, evaluations: 1, axes: 1 };
    assert!(first.srinivas().abs() < 1e-12);
}

#[test]
fn exploration_falls_with_what_is_known_and_with_what_is_gained() {
    // (0.5 / (3 / 2)) / 0.8.
    let factor = contextual_variance((0.5, 0.8), (2.0, 3.0));
    assert!((factor - 5.0 / 12.0).abs() < 1e-12);
    assert!((contextual_variance((0.5, 0.8), (f64::INFINITY, 3.0)) - 0.01).abs() < 1e-12);
    assert!((contextual_variance((0.5, 0.8), (-2.0, 3.0)) - 0.25).abs() < 1e-12);
}

#[test]
fn closed_candidates_are_not_chosen() {
    let all = [
        Acquisition::ExpectedImprovement,
        Acquisition::ProbabilityOfImprovement,
        Acquisition::LowerConfidenceBound,
        Acquisition::SrinivasBound,
    ];
    for acquisition in all {
        let mut outlook = outlook(&[(5.0, 1.0), (50.0, 1e-6), (0.0, 1.0)]);
        let mut order = Vec::new();
        while let Some(slot) = acquisition.choose(&outlook, &aim(1.0, 0.5)) {
            order.push(slot);
            outlook.close(slot);
        }
        assert_eq!(order, [2, 0, 1], "{acquisition:?}");
        assert_eq!(outlook.mean_deviation(), None);
    }
}

proptest! {
    #[test]
    fn the_bound_never_hides_the_highest_expected_improvement(
        pairs in prop::collection::vec((-4.0..4.0_f32, 1e-4..2.0_f32), 1..60),
        below in -60.0..6.0_f64,
    ) {
        let outlook = outlook(&pairs);
        let value = |slot: usize| {
            let (mean, s) = (f64::from(pairs[slot].0), f64::from(pairs[slot].1));
            s.ln() + log_improvement((below - mean) / s)
        };
        let highest = (0..pairs.len()).map(value).fold(f64::NEG_INFINITY, f64::max);
        let chosen = Acquisition::ExpectedImprovement.choose(&outlook, &aim(below, 0.1)).unwrap();
        // z is in single precision, and its square counts.
        let tolerance = 1e-6 * (1.0 + highest.abs());
        prop_assert!(value(chosen) >= highest - tolerance, "{} of {highest}", value(chosen));
    }
}
