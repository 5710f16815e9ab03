//! Lists the folders beside this one that are benchmarks, as modules and as a table of tables.

use std::{env, fmt::Write as _, fs, path::Path};

fn main() {
    let own = env::var("CARGO_MANIFEST_DIR").expect("Cargo says where a crate lies");
    let folder = Path::new(&own).parent().expect("a crate lies in a folder");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut names: Vec<String> = fs::read_dir(folder)
        .expect("the folder of benchmarks can be read")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| !["sdk", "built_in"].contains(&name.as_str()))
        .filter(|name| folder.join(name).join("src/lib.rs").is_file())
        .collect();
    names.sort();
    let (mut modules, mut tables) = (String::new(), String::new());
    for name in names {
        let file = folder.join(&name).join("src/lib.rs");
        let _ = writeln!(modules, "#[path = {:?}]\npub mod {name};", file.display().to_string());
        let _ = writeln!(tables, "    ({name:?}, &{name}::AUTOBENCH_BENCHMARK),");
    }
    let text = format!(
        "{modules}\n/// Every benchmark's table, by name.\n\
         pub static TABLES: &[(&str, &sdk::abi::Table)] = &[\n{tables}];\n"
    );
    let out = env::var("OUT_DIR").expect("Cargo says where to write");
    fs::write(Path::new(&out).join("benchmarks.rs"), text).expect("the list can be written");
}
