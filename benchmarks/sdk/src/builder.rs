//! Builds a [`Document`] in Rust: `Document::new(…).source(…).launch(…)…`, one call per field.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::{
    document::{
        Argument, Better, Document, ErrorBound, Fill, FurtherError, Launch, Made, Metric,
        Parameter, Reference, Role, SizeRule, Source, Values,
    },
    options::{CompilerOption, CompilerOptions},
    stage::Stage,
};

fn texts<T: Into<String>>(parts: impl IntoIterator<Item = T>) -> Vec<String> {
    parts.into_iter().map(Into::into).collect()
}

impl Document {
    /// A document with the benchmark's name and one sentence on what it computes.
    #[must_use]
    pub fn new(name: impl Into<String>, about: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            about: about.into(),
            sources: Vec::new(),
            options: CompilerOptions::default(),
            size_macro: None,
            launches: Vec::new(),
            iterations: None,
            stages: Vec::new(),
            arguments: Vec::new(),
            parameters: Vec::new(),
            restrictions: Vec::new(),
            size: SizeRule::starting(1024, "elements"),
            flops: None,
            bytes: None,
            metrics: Vec::new(),
            primary: "seconds".to_owned(),
            secondary: String::new(),
            error: ErrorBound::default(),
            errors: Vec::new(),
            reference: Reference::default(),
            answer_depends_on: Vec::new(),
        }
    }

    /// Adds a source. The first source is compiled; the others can be included by name.
    #[must_use]
    pub fn source(mut self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.sources.push(Source::new(name, text));
        self
    }

    /// Adds a source in which every `{{ expression }}` is replaced by its value for the size and
    /// the configuration.
    #[must_use]
    pub fn template(mut self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.sources.push(Source { made: Made::Template, ..Source::new(name, text) });
        self
    }

    /// Adds a source that the benchmark's `source` writes for a size and a configuration.
    #[must_use]
    pub fn made_source(mut self, name: impl Into<String>) -> Self {
        self.sources.push(Source { made: Made::Plugin, ..Source::new(name, "") });
        self
    }

    /// Adds an option for the compiler of a kind of device (`cpu`, `cuda`, `hip`), or for `all`.
    /// Each `{{ expression }}` in it is replaced by its value.
    #[must_use]
    pub fn option(mut self, device: impl Into<String>, flag: impl Into<String>) -> Self {
        self.options.add(device.into(), CompilerOption { flag: flag.into(), when: None });
        self
    }

    /// Adds an option that applies where the expression `when` is true.
    #[must_use]
    pub fn option_when(
        mut self,
        device: impl Into<String>,
        flag: impl Into<String>,
        when: impl Into<String>,
    ) -> Self {
        let option = CompilerOption { flag: flag.into(), when: Some(when.into()) };
        self.options.add(device.into(), option);
        self
    }

    /// Names the macro that holds the size. Kernels are then compiled for each size.
    #[must_use]
    pub fn size_macro(mut self, name: impl Into<String>) -> Self {
        self.size_macro = Some(name.into());
        self
    }

    /// Adds a launch.
    #[must_use]
    pub fn launch(mut self, launch: Launch) -> Self {
        self.launches.push(launch);
        self
    }

    /// Sets how many times a run performs all launches.
    #[must_use]
    pub fn iterations(mut self, expression: impl Into<String>) -> Self {
        self.iterations = Some(expression.into());
        self
    }

    /// Adds a part of the run that can be tuned separately.
    #[must_use]
    pub fn stage(mut self, stage: Stage) -> Self {
        self.stages.push(stage);
        self
    }

    /// Adds an argument.
    #[must_use]
    pub fn argument(mut self, argument: Argument) -> Self {
        self.arguments.push(argument);
        self
    }

    /// Adds a parameter.
    #[must_use]
    pub fn parameter(mut self, parameter: Parameter) -> Self {
        self.parameters.push(parameter);
        self
    }

    /// Adds an expression that must hold for every valid configuration.
    #[must_use]
    pub fn restriction(mut self, expression: impl Into<String>) -> Self {
        self.restrictions.push(expression.into());
        self
    }

    /// Sets how the problem size grows.
    #[must_use]
    pub fn size(mut self, rule: SizeRule) -> Self {
        self.size = rule;
        self
    }

    /// Sets the arithmetic operations of one run.
    #[must_use]
    pub fn flops(mut self, expression: impl Into<String>) -> Self {
        self.flops = Some(expression.into());
        self
    }

    /// Sets the bytes that one run must move.
    #[must_use]
    pub fn bytes(mut self, expression: impl Into<String>) -> Self {
        self.bytes = Some(expression.into());
        self
    }

    /// Adds a metric of which more is better.
    #[must_use]
    pub fn metric(
        self,
        name: impl Into<String>,
        unit: impl Into<String>,
        expression: impl Into<String>,
    ) -> Self {
        self.with_metric(name.into(), unit.into(), expression.into(), Better::Higher)
    }

    /// Adds a metric of which less is better.
    #[must_use]
    pub fn metric_lower(
        self,
        name: impl Into<String>,
        unit: impl Into<String>,
        expression: impl Into<String>,
    ) -> Self {
        self.with_metric(name.into(), unit.into(), expression.into(), Better::Lower)
    }

    fn with_metric(
        mut self,
        name: String,
        unit: String,
        expression: String,
        better: Better,
    ) -> Self {
        self.metrics.push(Metric { name, unit, expression, better });
        self
    }

    /// Names the metric that tuning improves; `seconds` by default.
    #[must_use]
    pub fn primary(mut self, metric: impl Into<String>) -> Self {
        self.primary = metric.into();
        self
    }

    /// Names the metric in which a study looks for saturation; more of it must be better. By
    /// default it is the first such metric, else `flops` per second, else `bytes` per second.
    #[must_use]
    pub fn secondary(mut self, metric: impl Into<String>) -> Self {
        self.secondary = metric.into();
        self
    }

    /// Sets the largest error of a result.
    #[must_use]
    pub fn error(mut self, metric: impl Into<String>, bound: f64) -> Self {
        self.error = ErrorBound { metric: metric.into(), bound, ..self.error };
        self
    }

    /// Sets the error above which a result is wrong; by default 1000 times the bound.
    #[must_use]
    pub fn wrong_above(mut self, error: f64) -> Self {
        self.error.wrong_above = Some(error);
        self
    }

    /// Adds an error metric: its largest value over all outputs.
    #[must_use]
    pub fn further_error(mut self, metric: impl Into<String>) -> Self {
        self.errors.push(FurtherError::Metric(metric.into()));
        self
    }

    /// Adds an error metric of one output against an argument that replaces its reference.
    #[must_use]
    pub fn error_against(
        mut self,
        metric: impl Into<String>,
        output: impl Into<String>,
        against: impl Into<String>,
    ) -> Self {
        let (metric, output, against) = (metric.into(), output.into(), against.into());
        self.errors.push(FurtherError::Against { metric, output, against });
        self
    }

    /// Adds any further error: of one output, or by an expression.
    #[must_use]
    pub fn error_of(mut self, error: FurtherError) -> Self {
        self.errors.push(error);
        self
    }

    /// Names a bound, for `--max-error NAME`.
    #[must_use]
    pub fn level(mut self, name: impl Into<String>, bound: f64) -> Self {
        self.error.levels.insert(name.into(), bound);
        self
    }

    /// Sets how reference results are computed.
    #[must_use]
    pub fn reference(mut self, reference: Reference) -> Self {
        self.reference = reference;
        self
    }

    /// Names the parameters that the reference result depends on. `reference` finds their values in
    /// `Problem::answer`.
    #[must_use]
    pub fn answer_depends_on<T: Into<String>>(
        mut self,
        parameters: impl IntoIterator<Item = T>,
    ) -> Self {
        self.answer_depends_on.extend(texts(parameters));
        self
    }
}

impl Source {
    /// A source that is compiled as written.
    #[must_use]
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: name.into(), text: text.into(), made: Made::AsWritten }
    }
}

impl Launch {
    /// A launch of a `__global__` function over the problem's extents in x, y, z.
    #[must_use]
    pub fn new<T: Into<String>>(
        entry: impl Into<String>,
        problem: impl IntoIterator<Item = T>,
    ) -> Self {
        Self {
            entry: entry.into(),
            problem: texts(problem),
            block: Vec::new(),
            grid_divisors: Vec::new(),
            shared_bytes: None,
            arguments: Vec::new(),
        }
    }

    /// Sets threads per block in x, y, z; by default the parameters `block_size_x`, `…_y`, `…_z`.
    #[must_use]
    pub fn block<T: Into<String>>(mut self, block: impl IntoIterator<Item = T>) -> Self {
        self.block = texts(block);
        self
    }

    /// Adds the next axis (x first). The problem divided by the product of the expressions is the
    /// grid.
    #[must_use]
    pub fn divided_by<T: Into<String>>(mut self, divisors: impl IntoIterator<Item = T>) -> Self {
        self.grid_divisors.push(texts(divisors));
        self
    }

    /// Sets the bytes of dynamic shared memory.
    #[must_use]
    pub fn shared_bytes(mut self, expression: impl Into<String>) -> Self {
        self.shared_bytes = Some(expression.into());
        self
    }

    /// Names further arguments that the launch takes, after the others.
    #[must_use]
    pub fn and_arguments<T: Into<String>>(mut self, names: impl IntoIterator<Item = T>) -> Self {
        self.arguments.extend(texts(names));
        self
    }

    /// Names the arguments that the launch takes; by default all arguments in order.
    #[must_use]
    pub fn arguments<T: Into<String>>(mut self, names: impl IntoIterator<Item = T>) -> Self {
        self.arguments = texts(names);
        self
    }
}

impl Argument {
    /// A buffer. Its format is a format's name, or the name of a parameter that holds formats.
    #[must_use]
    pub fn buffer<T: Into<String>>(
        name: impl Into<String>,
        role: Role,
        format: impl Into<String>,
        shape: impl IntoIterator<Item = T>,
    ) -> Self {
        Self {
            name: name.into(),
            role,
            format: format.into(),
            shape: texts(shape),
            value: None,
            fill: Fill::Zero,
        }
    }

    /// A scalar passed by value.
    #[must_use]
    pub fn scalar(
        name: impl Into<String>,
        format: impl Into<String>,
        value: impl Into<String>,
    ) -> Self {
        Self {
            name: name.into(),
            role: Role::In,
            format: format.into(),
            shape: Vec::new(),
            value: Some(value.into()),
            fill: Fill::Zero,
        }
    }

    /// Sets how the elements are generated.
    #[must_use]
    pub fn filled(mut self, fill: Fill) -> Self {
        self.fill = fill;
        self
    }
}

impl Parameter {
    /// A parameter and its values; the first value is the default.
    #[must_use]
    pub fn new<T: Into<Value>>(
        name: impl Into<String>,
        values: impl IntoIterator<Item = T>,
    ) -> Self {
        Self {
            name: name.into(),
            values: Values::List(values.into_iter().map(Into::into).collect()),
            default: None,
            about: String::new(),
        }
    }

    /// A parameter that chooses the format of some elements, f32 by default.
    #[must_use]
    pub fn format(name: impl Into<String>) -> Self {
        Self::new(name, ["f64", "f32", "f16", "bf16"]).default("f32")
    }

    /// The parameter `policy`, which chooses how the kernel computes functions.
    #[must_use]
    pub fn policy() -> Self {
        Self::policy_named("policy")
    }

    /// A policy parameter with another name, for kernels that have several.
    #[must_use]
    pub fn policy_named(name: impl Into<String>) -> Self {
        Self::new(name, ["accurate", "fast", "approximate"])
    }

    /// A parameter whose values are computed by an expression.
    #[must_use]
    pub fn computed(name: impl Into<String>, values: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            values: Values::Expression(values.into()),
            default: None,
            about: String::new(),
        }
    }

    /// Sets the default: the value that a careful programmer would write without tuning.
    #[must_use]
    pub fn default(mut self, value: impl Into<Value>) -> Self {
        self.default = Some(value.into());
        self
    }

    /// Describes the parameter in one sentence.
    #[must_use]
    pub fn about(mut self, about: impl Into<String>) -> Self {
        self.about = about.into();
        self
    }
}

impl SizeRule {
    /// Sizes from `start` on; `meaning` is the unit of a size ("elements").
    #[must_use]
    pub fn starting(start: u64, meaning: impl Into<String>) -> Self {
        Self {
            start,
            meaning: meaning.into(),
            multiple_of: None,
            powers_of: None,
            binary_digits: None,
            tile: None,
            largest: None,
        }
    }

    /// Rounds sizes to a multiple.
    #[must_use]
    pub fn multiple_of(mut self, step: u64) -> Self {
        self.multiple_of = Some(step);
        self
    }

    /// Rounds sizes to a power.
    #[must_use]
    pub fn powers_of(mut self, base: u64) -> Self {
        self.powers_of = Some(base);
        self
    }

    /// Chooses sizes with at most this many leading binary digits, which tiles divide.
    #[must_use]
    pub fn binary_digits(mut self, digits: u32) -> Self {
        self.binary_digits = Some(digits);
        self
    }

    /// Chooses multiples of a power of two, and below it powers of two: tiles of up to this extent
    /// then have no remainder.
    #[must_use]
    pub fn tile(mut self, extent: u64) -> Self {
        self.tile = Some(extent);
        self
    }

    /// Sets the largest size.
    #[must_use]
    pub fn largest(mut self, size: u64) -> Self {
        self.largest = Some(size);
        self
    }
}

impl Reference {
    /// One expression per output.
    #[must_use]
    pub fn expressions<N: Into<String>, E: Into<String>>(
        outputs: impl IntoIterator<Item = (N, E)>,
    ) -> Self {
        Self::Expressions(
            outputs
                .into_iter()
                .map(|(name, expression)| (name.into(), expression.into()))
                .collect::<BTreeMap<_, _>>(),
        )
    }
}
