//! Checks the copy of the SDK that new benchmarks carry.

use std::{fs, path::Path};

use autobench_sdk::templates::sdk;

const OWN: &str = env!("CARGO_MANIFEST_DIR");

#[test]
fn it_is_whole() {
    let own = Path::new(OWN);
    let mut there = vec!["Cargo.toml".to_owned()];
    for folder in ["src", "include", "templates"] {
        for entry in own.join(folder).read_dir().expect("a folder") {
            let name = entry.expect("an entry").file_name();
            there.push(format!("{folder}/{}", name.to_string_lossy()));
        }
    }
    there.sort();
    let mut copied: Vec<&str> = sdk().into_iter().map(|(path, _)| path).collect();
    copied.sort_unstable();
    assert_eq!(copied, there);
    for (path, text) in sdk().iter().filter(|(path, _)| *path != "Cargo.toml") {
        assert_eq!(*text, fs::read_to_string(own.join(path)).expect("a file"), "{path}");
    }
}

#[test]
fn it_depends_on_what_the_sdk_depends_on() {
    let workspace =
        fs::read_to_string(Path::new(OWN).join("../../Cargo.toml")).expect("a manifest");
    let (_, manifest) = sdk().into_iter().find(|(path, _)| *path == "Cargo.toml").expect("one");
    let dependencies = manifest.split("[dependencies]\n").nth(1).expect("dependencies");
    for line in dependencies.lines() {
        assert!(workspace.lines().any(|known| known == line), "{line}");
    }
    assert!(manifest.contains(concat!("version = \"", env!("CARGO_PKG_VERSION"), "\"")));
}
