//! The document that describes a benchmark: JSON from a plugin, or the YAML of a declarative
//! benchmark. *Expressions* are the safe Python-like subset of `docs/guide/tuning.md`. They may
//! name `size`, every parameter, and the names that their field states.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{options::CompilerOptions, stage::Stage};

/// Everything that the host needs to know about a benchmark before it runs the benchmark's code.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// The name users type: lower-case letters, digits, `-` and `_`.
    pub name: String,
    /// One sentence on what is computed.
    pub about: String,
    /// The kernel sources. The first is compiled; the others can be included by name.
    pub sources: Vec<Source>,
    /// Compiler options.
    #[serde(default, skip_serializing_if = "CompilerOptions::is_empty")]
    pub options: CompilerOptions,
    /// The macro that holds the size. Kernels are then compiled for each size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size_macro: Option<String>,
    /// The launches that make up one run, in order.
    pub launches: Vec<Launch>,
    /// Expression: how many times a run performs all launches; once if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iterations: Option<String>,
    /// Parts of the run that can be tuned separately.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<Stage>,
    /// The arguments, in the order in which kernels take them, unless a launch names its own.
    pub arguments: Vec<Argument>,
    /// The tunable parameters.
    #[serde(default)]
    pub parameters: Vec<Parameter>,
    /// Expressions that must hold for every valid configuration.
    #[serde(default)]
    pub restrictions: Vec<String>,
    /// How the problem size grows.
    pub size: SizeRule,
    /// Expression: arithmetic operations of one run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flops: Option<String>,
    /// Expression: bytes that one run must move (compulsory traffic).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<String>,
    /// Quantities derived from a measurement; a metric may name earlier metrics.
    #[serde(default)]
    pub metrics: Vec<Metric>,
    /// The metric that tuning improves by default; `seconds` if left out.
    #[serde(default = "seconds")]
    pub primary: String,
    /// The metric in which a study looks for saturation over the sizes; more of it must be better.
    /// If left out, the first such metric, else `flops` per second, else `bytes` per second.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub secondary: String,
    /// The bound on the error of results.
    #[serde(default)]
    pub error: ErrorBound,
    /// Errors in addition to the bounded one, as metrics that objectives and bounds can name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<FurtherError>,
    /// How reference results are computed.
    #[serde(default)]
    pub reference: Reference,
    /// The parameters that change what is computed, not only how, so that the reference result
    /// depends on them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answer_depends_on: Vec<String>,
}

fn seconds() -> String {
    "seconds".to_owned()
}

/// One text of kernel code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// File name, for messages and `#include`.
    pub name: String,
    /// The text. If left out of a YAML benchmark, the file `name` next to the YAML file is read.
    #[serde(default)]
    pub text: String,
    /// How the compiled text is made.
    #[serde(default, skip_serializing_if = "Made::is_as_written")]
    pub made: Made,
}

/// How the text of a source is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Made {
    /// The text is compiled as written.
    #[default]
    AsWritten,
    /// Every `{{ expression }}` in the text is replaced by its value for the size and the
    /// configuration.
    Template,
    /// The plugin's `source` function writes it for a size and a configuration.
    Plugin,
}

impl Made {
    fn is_as_written(&self) -> bool {
        *self == Self::AsWritten
    }
}

/// One kernel launch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Launch {
    /// The `__global__` function.
    pub entry: String,
    /// Expressions: the problem's extents in x, y, z. A missing extent is 1.
    pub problem: Vec<String>,
    /// Expressions: threads per block in x, y, z. If left out, the parameters `block_size_x`,
    /// `block_size_y`, `block_size_z` where they exist.
    #[serde(default)]
    pub block: Vec<String>,
    /// For each axis, expressions: the problem divided by their product, rounded up, is the grid. A
    /// missing axis is divided by its block; an empty list divides by 1.
    #[serde(default)]
    pub grid_divisors: Vec<Vec<String>>,
    /// Expression: bytes of dynamic shared memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared_bytes: Option<String>,
    /// The names of the arguments that the launch takes; empty means all arguments in order.
    #[serde(default)]
    pub arguments: Vec<String>,
}

/// What a kernel does with an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Read only.
    In,
    /// Written; checked against the reference.
    Out,
    /// Read and written; restored before every sample, checked against the reference.
    Inout,
    /// Read only; in constant memory if the kernel declares a symbol with the argument's name.
    Constant,
    /// Written, but never checked.
    Scratch,
}

/// One argument of the kernels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Argument {
    /// The argument's name.
    pub name: String,
    /// How the kernels use the argument.
    pub role: Role,
    /// A format (`f64 f32 tf32 f16 bf16 e4m3 e5m2 i32 u32 i64 u64 i8 u8`), or the name of a
    /// parameter that holds formats.
    pub format: String,
    /// Expressions: the extent of each dimension, slowest first. Empty means a scalar.
    #[serde(default)]
    pub shape: Vec<String>,
    /// Expression: the value of a scalar.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// How the elements are generated.
    #[serde(default)]
    pub fill: Fill,
}

/// A generator of input elements. It depends only on seed, argument and index, and gives the same
/// bits on every device.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Fill {
    /// Zeros.
    #[default]
    Zero,
    /// The same value for every element.
    Constant(f64),
    /// Multiples of 2⁻²⁴ drawn uniformly from `[low, high)`.
    Uniform {
        /// The lower bound.
        low: f64,
        /// The upper bound.
        high: f64,
    },
    /// Whole numbers drawn uniformly from `low ..= high`.
    Integer {
        /// The smallest value.
        low: i64,
        /// The largest value.
        high: i64,
    },
    /// The sum of four uniforms in `[-½, ½)`, times `scale`: a bell shape.
    Bell {
        /// The factor.
        scale: f64,
    },
    /// A permutation of `0 .. count`: every value once.
    Permutation,
    /// `start + step · index`.
    Ramp {
        /// The first element.
        start: f64,
        /// The difference of neighbouring elements.
        step: f64,
    },
    /// The plugin's own `fill` function, called in chunks.
    Plugin,
    /// Raw little-endian elements from a file next to the benchmark.
    File(String),
}

/// One tunable parameter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameter {
    /// The name, which is also a macro in kernels.
    pub name: String,
    /// The parameter's values.
    pub values: Values,
    /// The value that a careful programmer would write without tuning; the first value if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<serde_json::Value>,
    /// One sentence for `autobench list`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
}

/// The values of a parameter: a list, or an expression that gives one (`[2**i for i in range(6)]`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Values {
    /// A list of values.
    List(Vec<serde_json::Value>),
    /// An expression that gives the values.
    Expression(String),
}

/// How the problem size grows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SizeRule {
    /// The first size of a study.
    pub start: u64,
    /// The unit of a size: "elements", "rows and columns".
    pub meaning: String,
    /// Sizes are rounded to a multiple of this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub multiple_of: Option<u64>,
    /// Sizes are rounded to a power of this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub powers_of: Option<u64>,
    /// A study chooses sizes with at most this many leading binary digits (two: 16, 24, 32, 48, 64,
    /// …), which tiles divide. Sizes that a user names are used unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub binary_digits: Option<u32>,
    /// A study chooses multiples of this power of two, and below it powers of two: tiles of up to
    /// this extent then have no remainder. Sizes that a user names are used unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tile: Option<u64>,
    /// The largest size, even if memory allows more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub largest: Option<u64>,
}

/// A quantity derived from a measurement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Metric {
    /// The metric's name.
    pub name: String,
    /// The metric's unit, as printed.
    pub unit: String,
    /// Expression over `seconds`, `flops`, `bytes`, `size`, the parameters and earlier metrics.
    pub expression: String,
    /// Which direction is better.
    #[serde(default)]
    pub better: Better,
}

/// The better direction of a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Better {
    /// More is better.
    #[default]
    Higher,
    /// Less is better.
    Lower,
}

/// The bound on the error of results.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorBound {
    /// `mse`, `rmse`, `nrmse`, `nrmse_by_mean`, `rmsre`, `rmsle`, `mae`, `nmae`, `mre`,
    /// `mre_plain`, `male`, `max`, `max_relative` or `nmi_loss`.
    pub metric: String,
    /// The largest error that the reported best configuration may have, unless the user sets
    /// another bound.
    pub bound: f64,
    /// Errors above this are wrong results; 1000 times the bound if left out. A configuration
    /// between the two bounds is measured, and penalised for its error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wrong_above: Option<f64>,
    /// Bounds by name, such as `high`, `medium` and `low`, for `--max-error NAME`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub levels: BTreeMap<String, f64>,
}

/// An error in addition to the bounded one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum FurtherError {
    /// A metric of [`ErrorBound::metric`], under its own name: its largest value over all outputs.
    Metric(String),
    /// A metric of one output, named `METRIC_of_OUTPUT`.
    OfOutput {
        /// The metric.
        metric: String,
        /// The output.
        output: String,
    },
    /// A metric of one output against an argument that replaces the reference, named
    /// `METRIC_of_OUTPUT_against_ARGUMENT`.
    Against {
        /// The metric.
        metric: String,
        /// The output.
        output: String,
        /// A buffer that is filled and never written, with as many elements as the output.
        against: String,
    },
    /// An expression of the benchmark's author.
    Expression {
        /// The name.
        name: String,
        /// Expression over the element `x`, its reference `r`, its flat index `i`, and `size`.
        each: String,
        /// How the values of all elements are combined.
        #[serde(default)]
        over: Over,
        /// The output; if left out, the largest value over all outputs counts.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        output: Option<String>,
    },
}

/// How the values of all elements are combined into one error.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Over {
    /// The mean of the values.
    #[default]
    Mean,
    /// The root of the mean of the squares.
    RootMeanSquare,
    /// The largest value.
    Max,
    /// The sum of the values.
    Sum,
}

impl FurtherError {
    /// The name of the error's metric.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Metric(metric) => metric.clone(),
            Self::OfOutput { metric, output } => format!("{metric}_of_{output}"),
            Self::Against { metric, output, against } => {
                format!("{metric}_of_{output}_against_{against}")
            }
            Self::Expression { name, .. } => name.clone(),
        }
    }
}

impl ErrorBound {
    /// The error above which a result is wrong.
    #[must_use]
    pub fn wrong_line(&self) -> f64 {
        /// Default factor of the bound.
        const WRONG: f64 = 1000.0;
        self.wrong_above.unwrap_or(self.bound * WRONG)
    }
}

impl Default for ErrorBound {
    fn default() -> Self {
        let levels = BTreeMap::new();
        Self { metric: "nrmse".to_owned(), bound: 1e-4, wrong_above: None, levels }
    }
}

/// How reference results are computed.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Reference {
    /// The plugin's `reference` function.
    Plugin,
    /// One expression per output, over the element's flat index `i`, `size`, the parameters of
    /// [`Document::answer_depends_on`], and `NAME[index]` for inputs.
    Expressions(BTreeMap<String, String>),
    /// A second kernel, written plainly, with the same arguments.
    Kernel(Source, Launch),
    /// Raw little-endian f64 files, one per output, next to the benchmark.
    Files(BTreeMap<String, String>),
    /// The benchmark's own most precise configuration.
    #[default]
    Itself,
    /// The program that runs the benchmark; see `docs/guide/workers.md`. Nobody else may say this.
    Guest,
}
