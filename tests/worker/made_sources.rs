//! A plugin in C that generates its source for every size and configuration, and replies by
//! parameters.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use records::{Named, Outcome, Status};
use space::Value;
use worker::{Locator, MeasurePlan};

use super::support::{PATIENT, setup, worker};

/// `c[i] = factor * i + size`, with both numbers as constants in the kernel's text.
const PLUGIN: &str = r#"
#include "autobench.h"
#include <stdio.h>
#include <stdlib.h>
static const char DOCUMENT[] = "{\"name\": \"made\", \"about\": \"a source of its own for every size\","
  "\"sources\": [{\"name\": \"made.cu\", \"made\": \"plugin\"}],"
  "\"launches\": [{\"entry\": \"made\", \"problem\": [\"size\"]}],"
  "\"arguments\": [{\"name\": \"c\", \"role\": \"out\", \"format\": \"f64\", \"shape\": [\"size\"]}],"
  "\"parameters\": [{\"name\": \"block_size_x\", \"values\": [64]}, {\"name\": \"factor\", \"values\": [2, 3, 4]}],"
  "\"answer_depends_on\": [\"factor\"],"
  "\"size\": {\"start\": 100, \"meaning\": \"elements\"}, \"bytes\": \"8 * size\","
  "\"error\": {\"metric\": \"max\", \"bound\": 1e-9, \"wrong_above\": 0.5}, \"reference\": \"plugin\"}";
static int factor_of(const char *values) { return atoi(strstr(values, "\"factor\":") + 9); }
static autobench_status describe(autobench_sink document, autobench_sink message)
{
  (void)message;
  autobench_write(document, DOCUMENT);
  return AUTOBENCH_OK;
}
static autobench_status build(uint64_t size, uint64_t seed, void **instance, autobench_sink message)
{
  (void)seed, (void)message;
  *instance = (void *)size;
  return AUTOBENCH_OK;
}
static autobench_status source(const char *name, uint64_t size, const char *configuration,
                               autobench_sink text, autobench_sink message)
{
  char made[500];
  if (factor_of(configuration) == 4) {
    autobench_write(message, "four is too much");
    return AUTOBENCH_FAILED;
  }
  if (strcmp(name, "made.cu")) return AUTOBENCH_UNSUPPORTED;
  snprintf(made, sizeof made,
           "extern \"C\" __global__ void made(double *c) {\n"
           "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
           "  if (i < %d) c[i] = %d.0 * i + %d;\n}\n",
           (int)size, factor_of(configuration), (int)size);
  autobench_write(text, made);
  return AUTOBENCH_OK;
}
static autobench_status reference_for(void *instance, const char *answer, uint32_t output,
                                      const uint64_t *indices, uint64_t count, double *elements,
                                      autobench_sink message)
{
  (void)output, (void)message;
  for (uint64_t k = 0; k < count; ++k)
    elements[k] = (double)factor_of(answer) * indices[k] + (double)(uint64_t)instance;
  return AUTOBENCH_OK;
}
AUTOBENCH_EXPORT const autobench_table autobench_benchmark = {
  .abi_version = AUTOBENCH_ABI_VERSION, .struct_size = SIZE, .describe = describe,
  .build = build, .source = source, .reference_for = reference_for,
};
"#;

/// Builds the plugin, whose table claims this size; `None`, with a message, without a C compiler.
fn plugin(folder: &Path, size: &str) -> Option<PathBuf> {
    let (code, library) = (folder.join("made.c"), folder.join("libmade.so"));
    std::fs::write(&code, PLUGIN.replace("SIZE", size)).expect("written");
    let header = Path::new(env!("CARGO_MANIFEST_DIR")).join("benchmarks/sdk/include");
    let mut compile = Command::new("cc");
    compile.args(["-std=c11", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", "-I"]);
    match compile.arg(header).arg("-o").args([&library, &code]).output() {
        Ok(output) => {
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            Some(library)
        }
        Err(error) => {
            eprintln!("skipped: no C compiler `cc` ({error})");
            None
        }
    }
}

fn configuration(factor: i64) -> Named {
    let named = [("block_size_x", 64), ("factor", factor)];
    Named(named.map(|(name, value)| (name.to_owned(), Value::Int(value))).to_vec())
}

#[test]
fn a_source_is_made_for_each_size_and_configuration_and_answered_by_its_values() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(library) = plugin(folder.path(), "sizeof(autobench_table)") else { return };
    let mut client = worker(folder.path());
    client.set_up(setup(folder.path(), &library), PATIENT).expect("set up");
    let mut trial = |size: u64, factor: i64| -> Outcome {
        client.measure(size, &configuration(factor), &MeasurePlan::default(), PATIENT)
    };
    // Sizes and values alternate, so that no result of an earlier one can be mistaken for the right
    // one.
    for (size, factor) in [(100, 2), (1000, 2), (1000, 3), (100, 3), (100, 2)] {
        let outcome = trial(size, factor);
        assert_eq!(outcome.status, Status::Measured, "{size} {factor}: {}", outcome.reason);
        assert_eq!(outcome.measurement.expect("measured").error, Some(0.0));
    }
    let outcome = trial(100, 4);
    assert_eq!(outcome.status, Status::CompileFailed, "{}", outcome.reason);
    assert!(outcome.reason.contains("`made.cu` cannot be made"), "{}", outcome.reason);
    assert!(outcome.reason.contains("four is too much"), "{}", outcome.reason);
    let shown = client.explain(1000, &configuration(3), PATIENT).expect("the source");
    assert!(shown.contains("if (i < 1000) c[i] = 3.0 * i + 1000;"), "{shown}");
}

#[test]
fn a_table_from_before_has_no_sources_to_make() {
    let folder = tempfile::tempdir().expect("a folder");
    let older = "offsetof(autobench_table, source)";
    let Some(library) = plugin(folder.path(), older) else { return };
    let refused = worker(folder.path()).describe(&Locator::Library(library), PATIENT);
    let refused = refused.expect_err("refused").to_string();
    assert!(refused.contains("has no `source`, which its document needs"), "{refused}");
}
