//! The interface of benchmark plugins: the document that describes a benchmark, the trait that its
//! author implements, the C table of the library boundary, and the generators of inputs.
//!
//! ```
//! use autobench_sdk::prelude::*;
//!
//! #[derive(Default)]
//! struct Scale;
//!
//! impl BenchmarkConfig for Scale {
//!     fn describe(&self) -> Document {
//!         Document::new("scale", "y[i] = 3 x[i]")
//!             .source("scale.cu", include_str!("../tests/scale.cu"))
//!             .launch(Launch::new("scale", ["size"]))
//!             .argument(Argument::buffer("y", Role::Out, "f32", ["size"]))
//!             .argument(
//!                 Argument::buffer("x", Role::In, "f32", ["size"])
//!                     .filled(Fill::Uniform { low: 0.0, high: 1.0 }),
//!             )
//!             .argument(Argument::scalar("n", "i64", "size"))
//!             .parameter(Parameter::new("block_size_x", [64, 128, 256]).default(256))
//!             .size(SizeRule::starting(4096, "elements"))
//!             .bytes("8 * size")
//!             .reference(Reference::Plugin)
//!     }
//!
//!     fn reference(
//!         &self,
//!         problem: &Problem,
//!         _output: &str,
//!         indices: &[u64],
//!         out: &mut [f64],
//!     ) -> Result<(), Fault> {
//!         for (element, &i) in out.iter_mut().zip(indices) {
//!             *element = 3.0 * problem.input("x", i);
//!         }
//!         Ok(())
//!     }
//! }
//!
//! autobench_sdk::export_benchmark!(Scale);
//! ```

/// The page for authors; its code is compiled with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/builder.md")]
pub struct BuilderPage;

pub mod abi;
pub mod author;
pub mod builder;
pub mod document;
pub mod export;
pub mod inputs;
pub mod options;
pub mod stage;
pub mod templates;

/// All names that a plugin's `lib.rs` needs.
pub mod prelude {
    pub use crate::{
        author::{BenchmarkConfig, Configuration, Fault, Measured, Problem},
        document::{
            Argument, Better, Document, ErrorBound, Fill, FurtherError, Launch, Made, Metric, Over,
            Parameter, Reference, Role, SizeRule, Source, Values,
        },
        export_benchmark,
        stage::Stage,
    };
}
