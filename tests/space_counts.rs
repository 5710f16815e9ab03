//! Spaces of real kernels: how many configurations are valid.
#![expect(clippy::print_stderr, reason = "says what is skipped")]

use std::{fs, path::PathBuf};

use autobench::space::{Parameter, Space, Value, parse_values};
use serde_json::Value as Json;

fn shared(path: &str) -> Option<PathBuf> {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let found = ["../shared", "../../shared"].map(|up| here.join(up).join(path));
    let found = found.into_iter().find(|path| path.exists());
    if found.is_none() {
        eprintln!("skipped: there is no shared/{path} beside the repository");
    }
    found
}

fn text<'a>(json: &'a Json, key: &str) -> &'a str {
    json[key].as_str().unwrap_or_else(|| panic!("`{key}` is no text in {json}"))
}

fn read(path: PathBuf) -> (Vec<Parameter>, Vec<String>) {
    let json: Json = serde_json::from_str(&fs::read_to_string(path).expect("file")).expect("json");
    let space = &json["ConfigurationSpace"];
    let parameter = |p: &Json| {
        let values = parse_values(text(p, "Values")).expect("values");
        let default = p["Default"].as_i64().map(Value::Int);
        let parameter = Parameter::new(text(p, "Name"), values);
        match default {
            Some(default) => parameter.with_default(default),
            None => parameter,
        }
    };
    let list = |key: &str| space[key].as_array().cloned().unwrap_or_default();
    let parameters = list("TuningParameters").iter().map(parameter).collect();
    let restrictions =
        list("Conditions").iter().map(|c| text(c, "Expression").to_owned()).collect();
    (parameters, restrictions)
}

fn count(name: &str, valid: u64, cartesian: u128) {
    let Some(path) = shared(&format!("data/spaces/T1/{name}.json")) else { return };
    let (parameters, restrictions) = read(path);
    let space = Space::build(parameters, &restrictions, &[]).expect("space");
    assert_eq!((space.len(), space.cartesian()), (valid, cartesian));
    let default = space.default_id().expect("something is valid");
    assert_eq!(space.explain(&space.configuration(default)), None);
}

#[test]
fn the_convolution_has_4_362_valid_configurations() {
    count("convolution", 4_362, 10_240);
}

#[test]
fn the_dedispersion_has_11_130_valid_configurations() {
    count("dedispersion", 11_130, 22_272);
}

#[test]
fn the_gemm_has_116_928_valid_configurations() {
    count("gemm", 116_928, 663_552);
}

#[test]
fn the_hotspot_has_82_984_valid_configurations() {
    count("hotspot", 82_984, 4_440_000);
}
