//! Compares spaces of real kernels, and of restrictions of every kind, with Kernel Tuner: how many
//! configurations are valid, and which. `tests/data/README.md` says how Kernel Tuner's answers were
//! made.

use std::{collections::BTreeSet, fmt::Write as _, path::Path};

use exchange::read_space_file;
use records::Named;
use sha2::{Digest as _, Sha256};
use space::{Parameter, Space, Value};

use crate::support::data;

/// A space with Kernel Tuner's answers.
#[derive(serde::Deserialize)]
struct Case {
    name: String,
    parameters: serde_json::Map<String, serde_json::Value>,
    restrictions: Vec<String>,
    valid: u64,
    cartesian: u128,
    sha256: String,
}

fn space(
    parameters: &serde_json::Map<String, serde_json::Value>,
    restrictions: &[String],
) -> Space {
    let parameter = |(name, values): (&String, &serde_json::Value)| {
        let values: Vec<Value> = serde_json::from_value(values.clone()).expect("values");
        Parameter::new(name, values)
    };
    Space::build(parameters.iter().map(parameter).collect(), restrictions, &[]).expect("a space")
}

#[test]
fn restrictions_leave_what_they_leave_kernel_tuner() {
    let text = std::fs::read_to_string(data("space_counts.json")).expect("readable");
    let file: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let cases: Vec<Case> = serde_json::from_value(file["cases"].clone()).expect("cases");
    assert_eq!(cases.len(), 16);
    for case in cases {
        let space = space(&case.parameters, &case.restrictions);
        assert_eq!((space.len(), space.cartesian()), (case.valid, case.cartesian), "{}", case.name);
        let row = |id| {
            let named = Named::of(&space, id);
            let values: Vec<&Value> = named.0.iter().map(|(_, value)| value).collect();
            serde_json::to_string(&values).expect("JSON")
        };
        let rows: BTreeSet<String> = space.ids().map(row).collect();
        let rows = rows.into_iter().collect::<Vec<_>>().join("\n");
        let digest = Sha256::digest(rows).iter().fold(String::new(), |mut text, byte| {
            write!(text, "{byte:02x}").expect("a string");
            text
        });
        assert_eq!(digest, case.sha256, "{}", case.name);
    }
}

/// Checks that the space has exactly the configurations of a Kernel Tuner cache file.
fn equals_cache(space: &Space, cache: &Path) {
    let recorded = read_space_file(cache).expect("a cache file");
    let theirs: BTreeSet<String> = recorded.rows().iter().map(|(named, _)| named.key()).collect();
    let ours: BTreeSet<String> = space.ids().map(|id| Named::of(space, id).key()).collect();
    assert_eq!(ours, theirs);
}

#[test]
fn the_space_that_kernel_tuner_went_through_is_ours() {
    let parameters = serde_json::json!({
        "block_size_x": [16, 32, 64, 128], "unroll": [1, 2, 3, 4], "padded": [0, 1],
        "scale": [0.5, 1.5], "layout": ["rows", "columns"],
    });
    let restrictions = ["block_size_x * unroll <= 256", "layout == 'rows' or padded == 0"];
    let space = space(parameters.as_object().expect("an object"), &restrictions.map(str::to_owned));
    equals_cache(&space, &data("spaces/kernel_tuner.json.gz"));
}

mod shared {
    use exchange::read_t1;
    use space::Space;

    use super::equals_cache;
    use crate::support::shared;

    fn count(name: &str, valid: u64, cartesian: u128) -> Space {
        let path = shared(&format!("data/spaces/T1/{name}.json"));
        let space = read_t1(&path).expect("a T1 file").space().expect("a space");
        assert_eq!((space.len(), space.cartesian()), (valid, cartesian));
        let default = space.default_id().expect("something is valid");
        assert_eq!(space.explain(&space.configuration(default)), None);
        let counted = space.occurrences();
        assert!(counted.iter().all(|values| values.iter().sum::<u64>() == valid));
        space
    }

    #[test]
    #[ignore = "needs ../shared: cargo test -- --ignored shared::"]
    fn the_convolution_has_the_4_362_configurations_of_the_recorded_space() {
        let space = count("convolution", 4_362, 10_240);
        equals_cache(&space, &shared("data/spaces/convolution_A100.json.gz"));
    }

    #[test]
    #[ignore = "needs ../shared: cargo test -- --ignored shared::"]
    fn the_dedispersion_has_the_11_130_configurations_of_the_recorded_space() {
        let space = count("dedispersion", 11_130, 22_272);
        equals_cache(&space, &shared("data/spaces/dedispersion_A100.json.gz"));
    }

    #[test]
    #[ignore = "needs ../shared: cargo test -- --ignored shared::"]
    fn the_gemm_has_116_928_valid_configurations() {
        count("gemm", 116_928, 663_552);
    }

    #[test]
    #[ignore = "needs ../shared: cargo test -- --ignored shared::"]
    fn the_hotspot_has_82_984_valid_configurations() {
        count("hotspot", 82_984, 4_440_000);
    }
}
