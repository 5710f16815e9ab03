//! Compiler options and sources for every size, with the real program: the example in
//! `docs/guide/benchmarks.md`.

use std::{fs, path::Path};

use crate::support::{command, turn};

/// The benchmark in the documentation.
fn example() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/guide/benchmarks.md");
    let page = fs::read_to_string(path).expect("the page");
    let start = page.find("```yaml\nname: norms").expect("the example") + "```yaml\n".len();
    let length = page[start..].find("```\n").expect("its end");
    page[start..start + length].to_owned()
}

/// Exit code and all output.
fn said(folder: &Path, arguments: &[&str]) -> (i32, String) {
    let mut program = command();
    program.current_dir(folder).env("XDG_CACHE_HOME", folder.join("cache")).args(arguments);
    let output = program.output().expect("the program");
    let text = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&text).into_owned())
}

/// Exit code and output for the example with one part replaced.
fn changed(right: &str, other: &str, arguments: &[&str]) -> (i32, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let text = example();
    assert_eq!(text.matches(right).count(), 1, "{right}");
    fs::write(folder.path().join("norms.yaml"), text.replace(right, other)).expect("written");
    said(folder.path(), &[&["plugin", "check", "norms.yaml"], arguments].concat())
}

#[test]
fn flags_are_tuned_and_those_of_the_winner_stand_in_its_source() {
    let _turn = turn();
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("norms.yaml"), example()).expect("written");
    let (code, text) = said(folder.path(), &["plugin", "check", "norms.yaml"]);
    assert!(code == 0 && text.contains("all is well"), "{code} {text}");
    let narrowed = ["--param", "reorder=true", "--param", "loops=-funroll-loops"];
    let tune = ["tune", "norms.yaml", "--size", "300", "--budget", "3", "--time", "20"];
    let (code, text) =
        said(folder.path(), &[&tune[..], &narrowed, &["--out", "out", "--quiet"]].concat());
    assert_eq!(code, 0, "{text}");
    let study = fs::read_dir(folder.path().join("out")).expect("results");
    let study =
        study.flatten().map(|entry| entry.path()).find(|path| path.join("study.json").exists());
    let study = study.expect("a study").display().to_string();
    let (code, text) = said(folder.path(), &["show", &study]);
    assert_eq!(code, 0, "{text}");
    assert!(
        text.contains("// options of the benchmark: -DNDEBUG -ffast-math -funroll-loops"),
        "{text}"
    );
    assert!(text.contains("#define N 300\n"), "{text}");
    let rows = text.lines().find(|line| line.contains("constexpr int rows = "));
    let rows = rows.expect("the line that the template makes");
    assert!(rows.trim_end_matches(';').ends_with(|c: char| c.is_ascii_digit()), "{rows}");
}

#[test]
fn an_option_that_the_compiler_does_not_know_is_a_failed_compilation() {
    let _turn = turn();
    let (code, text) = changed("\"-funroll-loops\"", "\"-fno-such-option\"", &["--sizes", "256"]);
    assert_eq!(code, 3, "{text}");
    let row = text.lines().find(|line| line.contains("compile-failed: "));
    let row = row.unwrap_or_else(|| panic!("{text}"));
    assert!(row.contains("loops=-fno-such-option") && row.contains("-fno-such-option'"), "{row}");
    assert!(text.contains(" wrong, at size 256"), "only some of the configurations: {text}");
}

#[test]
fn options_that_do_more_than_change_code_are_refused_before_anything_runs() {
    for (right, other, place) in [
        ("all: [\"-DNDEBUG\"]", "all: [\"-o ../stolen\"]", "options.all[0]: "),
        ("\"{{ loops }}\"", "\"@{{ loops }}\"", "options.cpu[1]: "),
        ("flag: \"-ffast-math\"", "flag: \"-Wl,-T,script\"", "options.cpu[0].flag: "),
        ("when: reorder}\n    - \"{{", "when: reordered}\n    - \"{{", "options.cpu[0].when: "),
        ("size_macro: N", "size_macro: while", "size_macro: the size cannot be the macro `while`"),
        ("made: template", "made: plugin", "sources[0].made: a YAML benchmark has no code"),
        ("name: loops,", "name: unroll,", "a parameter cannot be called `unroll`"),
        ("flag: \"-ffast-math\"", "flags: \"-ffast-math\"", "unknown field `flags`"),
    ] {
        let (code, text) = changed(right, other, &["--sizes", "256"]);
        assert_eq!(code, 3, "{other}: {text}");
        let changed = example().replace(right, other);
        let line = changed[..changed.find(other).expect("there")].matches('\n').count() + 1;
        let place = (format!("norms.yaml:{line}:"), place);
        assert!(text.contains(&place.0) && text.contains(place.1), "{place:?}: {text}");
        assert!(!text.contains("run time"), "{other}: {text}");
    }
    for (right, other, place) in [
        (
            "\"-fno-tree-vectorize\"",
            "\"-fplugin=./evil.so\"",
            "options.cpu[1]: the compiler is not given",
        ),
        ("  cuda:\n", "  cude:\n", "options.cude: no device is a `cude`"),
        (
            "{{ block_size_x * rows_per_thread }}",
            "{{ block_size }}",
            "sources[0].text: line 1, column 22: ",
        ),
    ] {
        let (code, text) = changed(right, other, &["--sizes", "256"]);
        assert_eq!(code, 3, "{other}: {text}");
        assert!(text.contains("norms.yaml:") && text.contains(place), "{other}: {text}");
    }
}
