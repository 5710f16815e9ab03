//! Generates a module for every benchmark folder, and a list of the benchmarks' tables.

use std::{env, fmt::Write as _, fs, path::Path};

fn main() {
    let own = env::var("CARGO_MANIFEST_DIR").expect("Cargo says where a crate lies");
    let folder = Path::new(&own);
    println!("cargo::rerun-if-changed={own}");
    let mut names: Vec<String> = fs::read_dir(folder)
        .expect("the folder of benchmarks can be read")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| folder.join(name).join("mod.rs").is_file())
        .collect();
    names.sort();
    let (mut modules, mut tables) = (String::new(), String::new());
    for name in names {
        let file = folder.join(&name).join("mod.rs");
        let _ = writeln!(modules, "#[path = {:?}]\npub mod {name};", file.display().to_string());
        let _ = writeln!(tables, "    ({name:?}, &{name}::AUTOBENCH_BENCHMARK),");
    }
    let text = format!(
        "{modules}\n/// Every benchmark's table, by name.\n\
         pub static TABLES: &[(&str, &autobench_sdk::abi::Table)] = &[\n{tables}];\n"
    );
    let out = env::var("OUT_DIR").expect("Cargo says where to write");
    fs::write(Path::new(&out).join("benchmarks.rs"), text).expect("the list can be written");
}
