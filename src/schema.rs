//! `autobench schema`: prints the JSON schema of YAML benchmarks and suites, for editors.

use clap::{Args as _, ValueEnum};

use super::{
    command::{Command, read},
    suite,
    terminal::{Failure, output},
};

inventory::submit!(Command {
    rank: 43,
    name: "schema",
    about: "Print the JSON schema of YAML benchmarks or suites, for editors",
    examples: &["schema benchmark > benchmark.schema.json", "schema suite > suite.schema.json",],
    augment: SchemaArgs::augment_args,
    run: |matches| run(&read::<SchemaArgs>(matches)?),
});

/// The schema of benchmarks, which a test of the SDK writes from the types of a document.
const BENCHMARK: &str = include_str!("../benchmarks/sdk/schema/benchmark.json");

/// The arguments of `schema`.
#[derive(Debug, clap::Args)]
pub(super) struct SchemaArgs {
    /// The kind of file
    #[arg(value_enum)]
    kind: Kind,
}

/// A kind of file.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Kind {
    /// A benchmark without code
    Benchmark,
    /// A suite of studies
    Suite,
}

fn run(arguments: &SchemaArgs) -> Result<(), Failure> {
    match arguments.kind {
        Kind::Benchmark => output::json(BENCHMARK.trim_end()),
        Kind::Suite => output::json(&format!("{:#}", suite::schema())),
    }
}
