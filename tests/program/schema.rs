//! The JSON schemas accept every YAML file of the repository, and refuse what the program refuses.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};
use yaml::Node;

use crate::support::{command, json as parsed};

/// Whether a value is as a schema says; otherwise where it is not. Knows the words that our schemas
/// use.
fn check(schema: &Value, value: &Value, root: &Value, at: &str) -> Result<(), String> {
    for (word, said) in schema.as_object().expect("a schema") {
        let fits = match word.as_str() {
            "$schema" | "title" | "description" | "definitions" | "items" | "minimum" => true,
            "required" => {
                list(said).iter().all(|key| value.get(key.as_str().expect("a key")).is_some())
            }
            "properties" => {
                for (key, schema) in said.as_object().expect("properties") {
                    if let Some(value) = value.get(key) {
                        check(schema, value, root, &format!("{at}.{key}"))?;
                    }
                }
                true
            }
            "additionalProperties" => {
                let known = |key: &str| schema["properties"].get(key).is_some();
                let further =
                    value.as_object().into_iter().flatten().filter(|(key, _)| !known(key));
                for (key, value) in further {
                    if *said == false {
                        return Err(format!("{at} has no `{key}`"));
                    }
                    check(said, value, root, &format!("{at}.{key}"))?;
                }
                true
            }
            "type" => match said {
                Value::Array(all) => all.iter().any(|one| is(one, value)),
                one => is(one, value),
            },
            "const" => said == value,
            "$ref" => {
                let name = said.as_str().expect("a text").trim_start_matches("#/definitions/");
                check(&root["definitions"][name], value, root, at)?;
                true
            }
            "allOf" => {
                for one in list(said) {
                    check(one, value, root, at)?;
                }
                true
            }
            "anyOf" => {
                let faults: Vec<String> =
                    list(said).iter().map_while(|one| check(one, value, root, at).err()).collect();
                if faults.len() == list(said).len() {
                    return Err(faults.join("; "));
                }
                true
            }
            "minItems" => {
                value.as_array().is_none_or(|all| all.len() as u64 >= said.as_u64().unwrap())
            }
            "maxItems" => {
                value.as_array().is_none_or(|all| all.len() as u64 <= said.as_u64().unwrap())
            }
            other => panic!("the schema says `{other}`"),
        };
        if !fits {
            return Err(format!("{at}: {word} is {said}, not {value}"));
        }
    }
    let items = value.as_array().into_iter().flatten().enumerate();
    for (number, item) in items {
        let schema = match &schema["items"] {
            Value::Array(each) => each.get(number),
            Value::Null => None,
            all => Some(all),
        };
        if let Some(schema) = schema {
            check(schema, item, root, &format!("{at}[{number}]"))?;
        }
    }
    Ok(())
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

fn is(kind: &Value, value: &Value) -> bool {
    match kind.as_str().expect("a kind") {
        "null" => value.is_null(),
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        other => panic!("the schema says `{other}`"),
    }
}

/// A YAML value as JSON, with numbers and truth values as an editor reads them.
fn plain(node: &Node) -> Value {
    match &node.value {
        yaml::Value::Map(members) => {
            members.iter().map(|member| (member.key.clone(), plain(&member.node))).collect()
        }
        yaml::Value::List(items) => items.iter().map(plain).collect(),
        yaml::Value::Text(text) => {
            let scalar = serde_json::from_str(text).ok();
            scalar.filter(|v: &Value| v.is_number() || v.is_boolean()).unwrap_or(json!(text))
        }
        yaml::Value::Nothing => Value::Null,
    }
}

fn schema(kind: &str) -> Value {
    parsed(&command().args(["schema", kind]).output().expect("the program runs"))
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").filter_map(Result::ok) {
        let path = entry.path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "yaml") {
            found.push(path);
        }
    }
}

#[test]
fn the_schemas_accept_every_yaml_file_of_the_repository() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for folder in ["benchmarks", "crates", "examples", "scripts", "tests"] {
        files(&root.join(folder), &mut found);
    }
    let (benchmark, suite) = (schema("benchmark"), schema("suite"));
    let mut seen = (0, 0);
    for path in found {
        let text = fs::read_to_string(&path).expect("text");
        let value = plain(&Node::parse(&text).expect("YAML"));
        let (schema, count) = match value.get("suite").is_some() {
            true => (&suite, &mut seen.1),
            false => (&benchmark, &mut seen.0),
        };
        *count += 1;
        if let Err(fault) = check(schema, &value, schema, "") {
            panic!("{}: {fault}", path.display());
        }
    }
    assert!(seen.0 >= 4 && seen.1 >= 14, "{seen:?}");
}

#[test]
fn the_schemas_refuse_keys_that_the_program_refuses() {
    let suite = schema("suite");
    let of = |study: Value| json!({ "suite": "mine", "studies": [study] });
    let refused = |value: Value| check(&suite, &value, &suite, "").is_err();
    assert!(!refused(of(json!({ "run": "gemm", "budget": 3 }))));
    assert!(refused(of(json!({ "run": "gemm", "budgte": 3 }))));
    assert!(refused(of(json!({ "run": "gemm", "out": "elsewhere" }))), "a flag of the whole suite");
    assert!(refused(of(json!({ "budget": 3 }))), "no command");
    assert!(refused(json!({ "suite": "mine", "studys": [] })));
    let benchmark = schema("benchmark");
    let template = include_str!("../../benchmarks/sdk/templates/benchmark.yaml");
    for (was, wrong) in [
        ("grid_divisors:", "grid_divisor:"),
        ("role: out", "role: output"),
        ("{start: 4096, meaning: elements}", "{meaning: elements}"),
        ("bound: 1e-6", "bound: small"),
        ("{uniform: {low: -1, high: 1}}", "{unifrom: {low: -1, high: 1}}"),
    ] {
        let text = template.replacen(was, wrong, 1);
        assert_ne!(text, template, "{was}");
        let value = plain(&Node::parse(&text).expect("YAML"));
        assert!(check(&benchmark, &value, &benchmark, "").is_err(), "{wrong}");
    }
}
