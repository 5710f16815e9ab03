//! The document that describes a benchmark: JSON from a plugin, or the YAML of a declarative
//! benchmark. *Expressions* are the safe Python-like subset of `docs/guide/tuning.md`; they may name
//! `size`, every parameter, and what their field tells.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{options::CompilerOptions, stage::Stage};

/// All that the host needs to know about a benchmark before it runs any of its code.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// The name users type: lower-case letters, digits, `-` and `_`.
    pub name: String,
    /// One sentence: what is computed.
    pub about: String,
    /// The kernel sources; the first is compiled, the others can be included by name.
    pub sources: Vec<Source>,
    /// What the compiler is told besides.
    #[serde(default, skip_serializing_if = "CompilerOptions::is_empty")]
    pub options: CompilerOptions,
    /// The macro that tells kernels the size; they are then compiled for each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size_macro: Option<String>,
    /// The launches that make up one run, in order.
    pub launches: Vec<Launch>,
    /// Expression: how often a run performs all launches, one round after the other; once if left
    /// out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iterations: Option<String>,
    /// Parts of the run that can be tuned by themselves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<Stage>,
    /// The arguments, in the order the kernels take them unless a launch names its own.
    pub arguments: Vec<Argument>,
    /// The tunable parameters.
    #[serde(default)]
    pub parameters: Vec<Parameter>,
    /// Expressions that every valid configuration makes true.
    #[serde(default)]
    pub restrictions: Vec<String>,
    /// How the problem grows.
    pub size: SizeRule,
    /// Expression: arithmetic operations of one run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flops: Option<String>,
    /// Expression: bytes that one run must move (compulsory traffic).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<String>,
    /// Quantities derived from a measurement; later ones may name earlier ones.
    #[serde(default)]
    pub metrics: Vec<Metric>,
    /// The metric that tuning improves by default; `seconds` if left out.
    #[serde(default = "seconds")]
    pub primary: String,
    /// The metric whose saturation is sought over the sizes, of which more must be better. If left
    /// out, the first such metric or, without one, `flops` or else `bytes` per second.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub secondary: String,
    /// How wrong a result may be.
    #[serde(default)]
    pub error: ErrorBound,
    /// Errors that are taken besides, as metrics that objectives and bounds can name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<FurtherError>,
    /// Where the right answer comes from.
    #[serde(default)]
    pub reference: Reference,
    /// The parameters that say what is computed and not only how, so that the right answer depends on
    /// them.
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
    /// The text. If left out of a YAML benchmark, the file `name` beside the YAML file is read.
    #[serde(default)]
    pub text: String,
    /// How the text that is compiled comes from it.
    #[serde(default, skip_serializing_if = "Made::is_as_written")]
    pub made: Made,
}

/// How the text of a source is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Made {
    /// It is compiled as it is written.
    #[default]
    AsWritten,
    /// Every `{{ expression }}` in it is replaced by its value for the size and the configuration.
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
    /// Expressions: the problem's extent in x, y, z (missing ones are 1).
    pub problem: Vec<String>,
    /// Expressions: threads per block in x, y, z. If left out, the parameters `block_size_x`,
    /// `block_size_y`, `block_size_z` where they exist.
    #[serde(default)]
    pub block: Vec<String>,
    /// Per axis, the expressions whose product divides the problem (rounded up) to give the grid. A
    /// missing axis is divided by its block, an empty list divides by nothing.
    #[serde(default)]
    pub grid_divisors: Vec<Vec<String>>,
    /// Expression: bytes of dynamic shared memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared_bytes: Option<String>,
    /// The names of the arguments it takes; empty means all of them in order.
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
    /// Read only, in constant memory where the kernel declares a symbol of the argument's name.
    Constant,
    /// Written, never checked.
    Scratch,
}

/// One argument of the kernels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Argument {
    /// Its name.
    pub name: String,
    /// What the kernels do with it.
    pub role: Role,
    /// A format (`f64 f32 tf32 f16 bf16 e4m3 e5m2 i32 u32 i64 u64 i8 u8`) or the name of the parameter that
    /// holds one.
    pub format: String,
    /// Expressions: the extent of each dimension, slowest first. Empty means a scalar.
    #[serde(default)]
    pub shape: Vec<String>,
    /// Expression: the value of a scalar.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// How its elements are generated.
    #[serde(default)]
    pub fill: Fill,
}

/// A generator of input elements: a function of seed, argument and index alone, with the same bits
/// on every device.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Fill {
    /// Zeros.
    #[default]
    Zero,
    /// Every element the same.
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
        /// The smallest.
        low: i64,
        /// The largest.
        high: i64,
    },
    /// The sum of four uniforms in `[-½, ½)`, times `scale`: a bell shape.
    Bell {
        /// The factor.
        scale: f64,
    },
    /// A permutation of `0 .. count` (count rounded to its own cycle; every value once).
    Permutation,
    /// `start + step · index`.
    Ramp {
        /// The first element.
        start: f64,
        /// The difference of neighbours.
        step: f64,
    },
    /// The plugin's own `fill` function, called in chunks.
    Plugin,
    /// Raw little-endian elements from a file beside the benchmark.
    File(String),
}

/// One tunable parameter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameter {
    /// Its name, which is also the macro the kernel sees.
    pub name: String,
    /// Its values.
    pub values: Values,
    /// The value a careful programmer would write without tuning; the first if missing.
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
    /// Listed.
    List(Vec<serde_json::Value>),
    /// Computed.
    Expression(String),
}

/// How the problem size grows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SizeRule {
    /// The first size of a study.
    pub start: u64,
    /// What one unit of size is: "elements", "rows and columns".
    pub meaning: String,
    /// Sizes are rounded to a multiple of this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub multiple_of: Option<u64>,
    /// Sizes are rounded to a power of this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub powers_of: Option<u64>,
    /// A study chooses sizes with at most this many leading binary digits (two: 16, 24, 32, 48, 64,
    /// …), which tiles divide; sizes that a user names are taken as they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub binary_digits: Option<u32>,
    /// The largest size, whatever the memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub largest: Option<u64>,
}

/// A quantity derived from a measurement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Metric {
    /// Its name.
    pub name: String,
    /// Its unit, as printed.
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

/// How wrong a result may be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorBound {
    /// `mse rmse nrmse nrmse_by_mean rmsre rmsle mae nmae mre mre_plain male max max_relative nmi_loss`.
    pub metric: String,
    /// The largest error of a configuration that is reported as best, unless the user names another.
    pub bound: f64,
    /// Errors above this are wrong results; a thousand times the bound if left out. Between the two
    /// a configuration is measured, and weighed against others by its error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wrong_above: Option<f64>,
    /// Bounds by name, such as `high`, `medium` and `low`, for `--max-error NAME`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub levels: BTreeMap<String, f64>,
}

/// An error besides the one that is bounded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum FurtherError {
    /// One of the metrics of [`ErrorBound::metric`], the largest of all outputs, under its own name.
    Metric(String),
    /// A metric of one output, named `METRIC_of_OUTPUT`.
    OfOutput {
        /// The metric.
        metric: String,
        /// The output.
        output: String,
    },
    /// A metric of one output against an argument in place of the reference, named
    /// `METRIC_of_OUTPUT_against_ARGUMENT`.
    Against {
        /// The metric.
        metric: String,
        /// The output.
        output: String,
        /// A buffer that is filled and never written, with as many elements as the output.
        against: String,
    },
    /// An expression of the author's.
    Expression {
        /// The name.
        name: String,
        /// Expression over `x`, the element, `r`, its reference, `i`, its flat index, and `size`.
        each: String,
        /// How the values of all elements become one.
        #[serde(default)]
        over: Over,
        /// The output; the largest of all outputs if left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        output: Option<String>,
    },
}

/// How the values of all elements become one error.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Over {
    /// Their mean.
    #[default]
    Mean,
    /// The root of the mean of their squares.
    RootMeanSquare,
    /// The largest.
    Max,
    /// Their sum.
    Sum,
}

impl FurtherError {
    /// The name of its metric.
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
        /// Times the bound.
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

/// Where the right answer comes from.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Reference {
    /// The plugin's `reference` function.
    Plugin,
    /// One expression per output over `i` (its flat index), `size`, the parameters of
    /// [`Document::answer_depends_on`], and `NAME[index]` for inputs.
    Expressions(BTreeMap<String, String>),
    /// A second, plain kernel with the same arguments.
    Kernel(Source, Launch),
    /// Raw little-endian f64 files per output, beside the benchmark.
    Files(BTreeMap<String, String>),
    /// Nothing better than the benchmark's own most precise configuration.
    #[default]
    Itself,
}
