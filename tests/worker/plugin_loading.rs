//! Loading of plugins in any language: a good one in C, and every kind of bad one.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use autobench_sdk::{document::Fill, inputs, templates};
use plugins::{Locator, Plugin, Reference, SearchPath, all, find, open};
use records::Named;

use super::support::several;

/// The folder with the library that Cargo built for this test.
fn built_by_cargo() -> SearchPath {
    SearchPath::only(vec![several().parent().unwrap().to_owned()])
}

fn compile(folder: &Path, name: &str, source: &str) -> PathBuf {
    let file = folder.join(format!("{name}.c"));
    let library = folder.join(format!("lib{name}.so"));
    fs::write(&file, source).unwrap();
    fs::write(folder.join("autobench.h"), templates::HEADER).unwrap();
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let built = Command::new(compiler)
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC", "-o"])
        .arg(&library)
        .arg(&file)
        .status()
        .expect("a C compiler");
    assert!(built.success(), "{name}.c does not compile");
    library
}

/// The loader's message about a plugin with these functions and table fields.
fn refused(name: &str, functions: &str, fields: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let source = format!(
        "#include \"autobench.h\"\n{functions}\n\
         AUTOBENCH_EXPORT const autobench_table autobench_benchmark = {{\n{fields}\n}};\n"
    );
    refused_file(&compile(folder.path(), name, &source))
}

fn refused_file(path: &Path) -> String {
    let text = open(&Locator::Library(path.to_owned())).expect_err("a fault").to_string();
    assert!(!text.contains('\n'), "one sentence: {text}");
    text.replace(&format!("{}/", path.parent().unwrap().display()), "")
}

const HEAD: &str = ".abi_version = AUTOBENCH_ABI_VERSION, .struct_size = sizeof(autobench_table),";
const WRITES: &str = "static autobench_status describe(autobench_sink document, autobench_sink \
                      message) { autobench_write(document, TEXT); (void)message; return \
                      AUTOBENCH_OK; }";

fn writes(name: &str, text: &str) -> String {
    let functions = format!("#define TEXT {text}\n{WRITES}");
    refused(name, &functions, &format!("{HEAD} .describe = describe,"))
}

#[test]
fn a_plugin_in_c_built_from_the_header_alone_answers_everything() {
    let folder = tempfile::tempdir().unwrap();
    let library = compile(folder.path(), "inc", &templates::C.replace("NAME", "inc"));
    let locator = find("inc", &SearchPath::only(vec![folder.path().to_owned()])).unwrap();
    assert_eq!(locator, Locator::Library(library));
    let (benchmark, plugin) = open(&locator).unwrap();
    let plugin = plugin.expect("a library");
    assert_eq!(benchmark.name(), "inc");
    assert_eq!(plugin.footprint(4096, &benchmark.defaults()), Ok(None));
    let instance = plugin.build(4096, 9, None).unwrap();
    let reference = Reference::new(&benchmark, Some(&instance), 4096, 9, "").unwrap();
    let found = reference.elements("c", &[0, 5, 4095]).unwrap();
    let range = Fill::Uniform { low: -1.0, high: 1.0 };
    let input = |argument, i| inputs::element(&range, 9, argument, i, 4096);
    let expected: Vec<f64> = [0, 5, 4095].iter().map(|&i| input(1, i) + input(2, i)).collect();
    assert_eq!(found, expected);
    let fault = instance.fill(0, 0, &mut [0.0]).unwrap_err().to_string();
    assert!(fault.ends_with("has no `fill`, which its document needs"), "{fault}");
    assert_eq!(instance.analyze(4096, 1e-6, &Named::default(), &Default::default()), Ok(None));
}

#[test]
fn a_table_that_ends_before_stages_were_known_is_taken_and_its_build_serves_them() {
    let folder = tempfile::tempdir().unwrap();
    let source = templates::C.replace("NAME", "early");
    let whole = ".struct_size = sizeof(autobench_table)";
    assert!(source.contains(whole), "{source}");
    // The field behind the stated end must not be read: its value is not a function.
    let source = source.replace(whole, ".struct_size = 64, .build_stage = (void *)1");
    let library = compile(folder.path(), "early", &source);
    let (benchmark, plugin) = open(&Locator::Library(library)).unwrap();
    let instance = plugin.expect("a library").build(4096, 9, Some("some")).unwrap();
    let reference = Reference::new(&benchmark, Some(&instance), 4096, 9, "").unwrap();
    assert!(reference.elements("c", &[0]).unwrap()[0].is_finite());
}

#[test]
fn a_plugin_in_rust_knows_the_stage_that_it_is_asked_for() {
    let (whole, plugin) = open(&find("coclustering", &built_by_cargo()).unwrap()).unwrap();
    let plugin = plugin.expect("a library");
    let benchmark = whole.of_stage("statistics").unwrap();
    let instance = plugin.build(64, 3, Some("statistics")).unwrap();
    let reference = Reference::new(&benchmark, Some(&instance), 64, 3, "").unwrap();
    let averages = reference.elements("averages", &[0, 39]).unwrap();
    // Days of the year.
    assert!(averages.iter().all(|average| (1.0..366.0).contains(average)), "{averages:?}");
    let fault = plugin.build(64, 3, Some("stats")).unwrap_err().to_string();
    assert!(fault.contains("there is no stage named `stats`"), "{fault}");
}

#[test]
fn plugins_in_rust_answer_through_the_same_table() {
    let search = built_by_cargo();
    for (name, output, indices) in [("vecadd", "c", [0, 4095]), ("gemm", "c", [0, 64 * 64 - 1])] {
        let (benchmark, plugin) = open(&find(name, &search).unwrap()).unwrap();
        let plugin = plugin.expect("a library");
        assert_eq!(benchmark.name(), name);
        assert_eq!(plugin.path(), several());
        let instance = plugin.build(64, 3, None).unwrap();
        let reference = Reference::new(&benchmark, Some(&instance), 64, 3, "").unwrap();
        let found = reference.elements(output, &indices).unwrap();
        assert!(found.iter().all(|x| x.is_finite() && *x != 0.0), "{found:?}");
        let fault = instance.reference(99, &[0], "").unwrap_err().to_string();
        assert!(fault.ends_with("failed: there is no such argument"), "{fault}");
    }
}

#[test]
fn one_library_holds_every_benchmark_and_says_so_if_none_is_named() {
    let known = all(&built_by_cargo());
    assert!(known.len() >= 30, "{known:?}");
    for (name, locator) in known {
        assert_eq!(locator, Locator::OneOf(several(), name.clone()));
        let (in_program, _) = open(&Locator::BuiltIn(name)).unwrap();
        assert_eq!(open(&locator).unwrap().0.document(), in_program.document());
    }
    let said = refused_file(&several());
    assert!(said.contains("holds several benchmarks; name one of them behind a `#` (axpy, "));
    let fault = open(&Locator::OneOf(several(), "vecad".to_owned())).unwrap_err().to_string();
    assert!(fault.contains("#vecad` (known: axpy, ") && fault.contains("`vecadd`?"), "{fault}");
}

#[test]
fn what_is_no_library_or_no_plugin_is_named_as_that() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("libtext.so");
    fs::write(&text, "words").unwrap();
    let said = refused_file(&text);
    assert!(said.starts_with("`libtext.so` cannot be loaded as a library: "), "{said}");
    assert!(said.contains("file too short") || said.contains("invalid ELF"), "{said}");

    let whole = compile(folder.path(), "inc", templates::C);
    let bytes = fs::read(&whole).unwrap();
    let cut = folder.path().join("libcut.so");
    fs::write(&cut, &bytes[..200]).unwrap();
    let said = refused_file(&cut);
    assert!(said.starts_with("`libcut.so` cannot be loaded as a library: "), "{said}");

    let other = compile(folder.path(), "other", "int something_else = 1;\n");
    let said = refused_file(&other);
    assert!(
        said.starts_with(
            "`libother.so` is a library but no autobench plugin: it exports no `autobench_benchmark`; "
        ),
        "{said}"
    );
    let missing = folder.path().join("libmissing.so");
    assert!(refused_file(&missing).contains("No such file"));
    assert!(Plugin::load(folder.path(), None).is_err());
}

#[test]
fn other_versions_and_smaller_tables_are_refused_before_any_call() {
    // `describe` would crash, so it must not be called.
    let crash = "static autobench_status describe(autobench_sink d, autobench_sink m) { (void)d; \
                 (void)m; *(volatile int *)0 = 0; return AUTOBENCH_OK; }";
    let said = refused("old", crash, ".abi_version = 7, .struct_size = 72, .describe = describe,");
    assert!(said.starts_with("`libold.so` speaks version 7 of the plugin interface"), "{said}");
    let said = refused(
        "short",
        crash,
        ".abi_version = AUTOBENCH_ABI_VERSION, .struct_size = 16, .describe = describe,",
    );
    assert!(said.starts_with("the table of `libshort.so` has 16 bytes where version 1"), "{said}");
}

#[test]
fn what_describe_writes_must_be_a_document() {
    let said = writes("garbage", "\"\\x01{{{ not json\"");
    assert!(
        said.starts_with("what `describe` of `libgarbage.so` wrote is no document: "),
        "{said}"
    );
    let said = writes("latin", "\"{\\\"name\\\": \\\"\\xe9\\\"}\"");
    assert!(said.contains("wrote is no document: it is not UTF-8 at byte 10"), "{said}");
    let said = writes("empty", "\"\"");
    assert!(said.contains("no document: EOF while parsing"), "{said}");
    let said = writes("field", "\"{\\\"name\\\": \\\"x\\\"}\"");
    assert!(said.contains("missing field `about`"), "{said}");
    let folder = tempfile::tempdir().unwrap();
    let wrong = templates::C.replace("'12 * size'", "'12 * sice'").replace("NAME", "wrong");
    let said = refused_file(&compile(folder.path(), "wrong", &wrong));
    assert!(said.starts_with("the document of `libwrong.so` is wrong at bytes: "), "{said}");
}

#[test]
fn functions_that_fail_say_why_or_that_they_did_not() {
    let answers = |what: &str| {
        format!(
            "static autobench_status describe(autobench_sink d, autobench_sink m) {{ (void)d; \
             (void)m; {what} }}"
        )
    };
    let fields = format!("{HEAD} .describe = describe,");
    let why = answers("autobench_write(m, \"out of\\n ideas\"); return AUTOBENCH_FAILED;");
    assert_eq!(refused("fails", &why, &fields), "`describe` of `libfails.so` failed: out of ideas");
    let silent = answers("return AUTOBENCH_FAILED;");
    assert_eq!(
        refused("silent", &silent, &fields),
        "`describe` of `libsilent.so` failed: it did not say why"
    );
    let strange = answers("return 77;");
    assert_eq!(
        refused("strange", &strange, &fields),
        "`describe` of `libstrange.so` failed: it answered 77, which means nothing"
    );
    assert_eq!(
        refused("none", "", HEAD),
        "`libnone.so` has no `describe`, which its document needs"
    );
}

#[test]
fn a_panic_in_rust_is_caught_inside_the_plugin() {
    use autobench_sdk::{abi::Status, author::BenchmarkConfig, document::Document, export};

    #[derive(Default)]
    struct Panics;
    impl BenchmarkConfig for Panics {
        fn describe(&self) -> Document {
            panic!("boom {}", 7)
        }
    }
    extern "C" fn keep(context: *mut std::ffi::c_void, bytes: *const u8, count: usize) {
        #[expect(unsafe_code, reason = "this is the host's side of a sink")]
        // SAFETY: the context is the `Vec` below, and the plugin passes `count` bytes.
        unsafe {
            let said = &mut *context.cast::<Vec<u8>>();
            said.extend_from_slice(std::slice::from_raw_parts(bytes, count));
        }
    }
    let mut said: Vec<u8> = Vec::new();
    let sink = autobench_sdk::abi::Sink {
        context: (&raw mut said).cast(),
        write: Some(keep as unsafe extern "C" fn(_, _, _)),
    };
    let table = export::table::<Panics>();
    let describe = table.describe.unwrap();
    #[expect(unsafe_code, reason = "this is the host's side of the table")]
    // SAFETY: both sinks live until the call returns.
    let status = unsafe { describe(sink, sink) };
    assert_eq!(status, Status::FAILED);
    assert_eq!(String::from_utf8(said).unwrap(), "panicked: boom 7");
}
