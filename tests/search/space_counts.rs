//! Spaces of real kernels: how many configurations are valid, and which.
#![expect(clippy::print_stderr, reason = "says what is skipped")]

use std::{collections::BTreeSet, path::PathBuf};

use autobench::{
    records::{Named, read_space_file, read_t1},
    space::Space,
};

fn shared(path: &str) -> Option<PathBuf> {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let found = ["../shared", "../../shared"].map(|up| here.join(up).join(path));
    let found = found.into_iter().find(|path| path.exists());
    if found.is_none() {
        eprintln!("skipped: there is no shared/{path} beside the repository");
    }
    found
}

fn count(name: &str, valid: u64, cartesian: u128) -> Option<Space> {
    let path = shared(&format!("data/spaces/T1/{name}.json"))?;
    let space = read_t1(&path).expect("a T1 file").space().expect("a space");
    assert_eq!((space.len(), space.cartesian()), (valid, cartesian));
    let default = space.default_id().expect("something is valid");
    assert_eq!(space.explain(&space.configuration(default)), None);
    let counted = space.occurrences();
    assert!(counted.iter().all(|values| values.iter().sum::<u64>() == valid));
    Some(space)
}

/// Every configuration that a Kernel Tuner cache file holds is in the space, and no other.
fn equals_cache(space: Option<Space>, cache: &str) {
    let Some(space) = space else { return };
    let Some(path) = shared(&format!("data/spaces/{cache}.json.gz")) else { return };
    let recorded = read_space_file(&path).expect("a cache file");
    let theirs: BTreeSet<String> = recorded.rows().iter().map(|(named, _)| named.key()).collect();
    let ours: BTreeSet<String> = space.ids().map(|id| Named::of(&space, id).key()).collect();
    assert_eq!(ours, theirs);
}

#[test]
fn the_convolution_has_the_4_362_configurations_of_the_recorded_space() {
    equals_cache(count("convolution", 4_362, 10_240), "convolution_A100");
}

#[test]
fn the_dedispersion_has_the_11_130_configurations_of_the_recorded_space() {
    equals_cache(count("dedispersion", 11_130, 22_272), "dedispersion_A100");
}

#[test]
fn the_gemm_has_116_928_valid_configurations() {
    count("gemm", 116_928, 663_552);
}

#[test]
fn the_hotspot_has_82_984_valid_configurations() {
    count("hotspot", 82_984, 4_440_000);
}
