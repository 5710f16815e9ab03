//! Errors that are computed in addition to the error that is bounded.

use autobench_sdk::document::{Document, Fill, FurtherError, Over, Role};
use records::{LOGARITHM, Metric};
use space::{
    Value,
    accuracy::{Compared, ErrorMetric},
};

use super::{
    checks::fault,
    fault::DocumentFault,
    formula::{Formula, is_identifier},
};

/// Separates a metric from the output that it is for.
const OF: &str = "_of_";

/// A named error of results.
#[derive(Debug, Clone)]
pub struct NamedError {
    name: String,
    /// The output; all outputs if missing.
    output: Option<String>,
    /// The argument that replaces the reference.
    against: Option<String>,
    kind: Kind,
}

#[derive(Debug, Clone)]
enum Kind {
    Metric(ErrorMetric),
    Expression(Formula, Over),
}

/// An output with its reference.
#[derive(Debug, Clone, Copy)]
pub struct ComparedOutput<'a> {
    /// The output's name.
    pub name: &'a str,
    /// The flat indices of the elements that are compared.
    pub indices: &'a [u64],
    /// What the kernel wrote.
    pub found: &'a [f64],
    /// The reference.
    pub expected: &'a [f64],
    /// The problem size.
    pub size: u64,
}

/// Compiles the errors that a document asks for.
pub(super) fn compile(document: &Document) -> Result<Vec<NamedError>, DocumentFault> {
    let mut all: Vec<NamedError> = Vec::new();
    for (at, asked) in document.errors.iter().enumerate() {
        let place = format!("errors[{at}]");
        let error = one(&place, asked, document)?;
        if all.iter().any(|known| known.name == error.name) {
            return fault(place, format!("`{}` names two of them", error.name));
        }
        all.push(error);
    }
    Ok(all)
}

fn one(
    place: &str,
    asked: &FurtherError,
    document: &Document,
) -> Result<NamedError, DocumentFault> {
    let metric = |metric: &str| match metric.parse() {
        Ok(metric) => Ok(Kind::Metric(metric)),
        Err(unknown) => fault(place, format!("{unknown}")),
    };
    let mut opposite = None;
    let (output, kind) = match asked {
        FurtherError::Metric(name) => (None, metric(name)?),
        FurtherError::OfOutput { metric: name, output } => (Some(output), metric(name)?),
        FurtherError::Against { metric: name, output, against } => {
            opposite = Some(against);
            (Some(output), metric(name)?)
        }
        FurtherError::Expression { name, each, over, output } => {
            let taken = name.starts_with(LOGARITHM)
                || name.parse::<ErrorMetric>().is_ok()
                || Metric::named(name).is_some()
                || document.metrics.iter().any(|metric| metric.name == *name);
            if taken || !is_identifier(name) {
                let why = format!(
                    "`{name}` means something else, or is no name of letters, digits and `_`"
                );
                return fault(format!("{place}.name"), why);
            }
            let formula =
                Formula::compile(format!("{place}.each"), each, &["x", "r", "i", "size"])?;
            (output.as_ref(), Kind::Expression(formula, *over))
        }
    };
    if let Some(output) = output
        && !outputs(document).any(|known| known == output)
    {
        let known: Vec<&str> = outputs(document).collect();
        let why = format!("`{output}` is no output (outputs: {})", known.join(", "));
        return fault(format!("{place}.output"), why);
    }
    if let (Some(against), Some(output)) = (opposite, output) {
        comparable(place, against, output, document)?;
    }
    let (output, against) = (output.cloned(), opposite.cloned());
    Ok(NamedError { name: asked.name(), output, against, kind })
}

/// Checks that an argument can replace an output's reference.
fn comparable(
    place: &str,
    against: &str,
    output: &str,
    document: &Document,
) -> Result<(), DocumentFault> {
    let named = |name: &str| document.arguments.iter().find(|argument| argument.name == name);
    let place = format!("{place}.against");
    let Some(argument) = named(against) else {
        return fault(place, format!("there is no argument named `{against}`"));
    };
    let is_input = matches!(argument.role, Role::In | Role::Constant);
    if !is_input || argument.shape.is_empty() || matches!(argument.fill, Fill::File(_)) {
        return fault(place, format!("`{against}` is no input that a generator or code fills"));
    }
    if named(output).is_some_and(|output| output.shape != argument.shape) {
        return fault(place, format!("`{against}` has another shape than `{output}`"));
    }
    Ok(())
}

/// Names of the arguments that are compared with the reference.
pub(super) fn outputs(document: &Document) -> impl Iterator<Item = &str> {
    let checked = |role| matches!(role, Role::Out | Role::Inout);
    document.arguments.iter().filter(move |a| checked(a.role)).map(|a| a.name.as_str())
}

/// Names of all errors that can be asked for.
pub(super) fn names(document: &Document) -> Vec<String> {
    let metrics = || ErrorMetric::ALL.into_iter().map(|(name, _)| name);
    let whole = metrics().map(str::to_owned);
    let of_output =
        |output: &str| metrics().map(|name| format!("{name}{OF}{output}")).collect::<Vec<_>>();
    let own = document.errors.iter().map(FurtherError::name);
    let mut names: Vec<String> =
        own.chain(whole).chain(outputs(document).flat_map(of_output)).collect();
    let mut seen = std::collections::HashSet::new();
    names.retain(|name| seen.insert(name.clone()));
    names
}

/// The error with this name, if a study can ask for it.
pub(super) fn named(document: &Document, own: &[NamedError], name: &str) -> Option<NamedError> {
    if let Some(known) = own.iter().find(|error| error.name == name) {
        return Some(known.clone());
    }
    let (metric, output) =
        name.split_once(OF).map_or((name, None), |(m, output)| (m, Some(output)));
    let kind = Kind::Metric(metric.parse().ok()?);
    if output.is_some_and(|output| !outputs(document).any(|known| known == output)) {
        return None;
    }
    let output = output.map(str::to_owned);
    Some(NamedError { name: name.to_owned(), output, against: None, kind })
}

impl NamedError {
    /// The error's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The metric; `None` if the error is an expression.
    #[must_use]
    pub fn metric(&self) -> Option<ErrorMetric> {
        match self.kind {
            Kind::Metric(metric) => Some(metric),
            Kind::Expression(..) => None,
        }
    }

    /// The argument that replaces the reference of `output`, if this error has one.
    #[must_use]
    pub fn against(&self, output: &str) -> Option<&str> {
        self.against.as_deref().filter(|_| self.output.as_deref() == Some(output))
    }

    /// The error's value for an output, given the sums over the output; `None` if the error is for
    /// another output.
    #[must_use]
    pub fn of(&self, output: ComparedOutput<'_>, sums: &Compared) -> Option<f64> {
        if self.output.as_ref().is_some_and(|own| own != output.name) {
            return None;
        }
        match &self.kind {
            Kind::Metric(metric) => Some(sums.error(*metric)),
            Kind::Expression(formula, over) => Some(reduced(formula, *over, output)),
        }
    }
}

/// An expression reduced over all elements; NaN if it has no value for one of them.
fn reduced(formula: &Formula, over: Over, output: ComparedOutput<'_>) -> f64 {
    let size = Value::Int(i64::try_from(output.size).unwrap_or(i64::MAX));
    let mut slots = [Value::Float(0.0), Value::Float(0.0), Value::Int(0), size];
    let (mut total, mut most) = (0.0, 0.0_f64);
    for ((x, r), i) in output.found.iter().zip(output.expected).zip(output.indices) {
        slots[0] = Value::Float(*x);
        slots[1] = Value::Float(*r);
        slots[2] = Value::Int(i64::try_from(*i).unwrap_or(i64::MAX));
        let Ok(value) = formula.number(&slots) else { return f64::NAN };
        total += if over == Over::RootMeanSquare { value * value } else { value };
        most = if value > most || value.is_nan() { value } else { most };
    }
    let count = output.found.len().max(1) as f64;
    match over {
        Over::Mean => total / count,
        Over::RootMeanSquare => (total / count).sqrt(),
        Over::Max => most,
        Over::Sum => total,
    }
}

#[cfg(test)]
mod tests {
    use autobench_sdk::prelude::{Argument, Role};

    use super::*;
    use crate::sample;

    fn document() -> Document {
        sample::document().argument(Argument::buffer("d", Role::Out, "f32", ["size"]))
    }

    fn values(error: &NamedError) -> (Option<f64>, Option<f64>) {
        let (found, expected, indices) = ([1.0, 2.0, 4.0], [1.0, 2.5, 5.0], [0, 1, 7]);
        let metrics: Vec<ErrorMetric> = error.metric().into_iter().collect();
        let sums = Compared::of(&found, &expected, &metrics);
        let of = |name| {
            let output = ComparedOutput {
                name,
                indices: &indices,
                found: &found,
                expected: &expected,
                size: 8,
            };
            error.of(output, &sums)
        };
        (of("c"), of("d"))
    }

    #[test]
    fn errors_are_of_all_outputs_or_of_one_and_may_be_expressions() {
        let mut document = document();
        document.errors = vec![
            FurtherError::Metric("mae".into()),
            FurtherError::OfOutput { metric: "max".into(), output: "d".into() },
            FurtherError::Expression {
                name: "last".into(),
                each: "abs(x - r) * (i == size - 1)".into(),
                over: Over::Max,
                output: Some("c".into()),
            },
        ];
        let own = compile(&document).expect("errors");
        assert_eq!(values(&own[0]), (Some(0.5), Some(0.5)));
        assert_eq!(values(&own[1]), (None, Some(1.0)));
        assert_eq!(values(&own[2]), (Some(1.0), None));
        let asked = |name| named(&document, &own, name).map(|error| values(&error));
        assert_eq!(asked("max_of_d"), Some((None, Some(1.0))));
        assert_eq!(asked("last"), Some((Some(1.0), None)));
        assert_eq!(asked("mse"), Some((Some(1.25 / 3.0), Some(1.25 / 3.0))));
        assert!(asked("rmsle").is_some_and(|both| both.0.is_some_and(f64::is_finite)));
        assert!(asked("beauty").is_none() && asked("mse_of_a").is_none());
        let names = names(&document);
        assert!(names.iter().all(|name| named(&document, &own, name).is_some()), "{names:?}");
        assert_eq!(names.iter().filter(|name| *name == "mae").count(), 1);
    }

    #[test]
    fn faults_name_their_place() {
        let refused = |asked: FurtherError| {
            let mut document = document();
            document.errors = vec![FurtherError::Metric("mae".into()), asked];
            compile(&document).expect_err("refused").to_string()
        };
        let expression = |name: &str, each: &str| FurtherError::Expression {
            name: name.into(),
            each: each.into(),
            over: Over::Mean,
            output: None,
        };
        let against = |output: &str, against: &str| {
            let (metric, output) = ("max".into(), output.into());
            refused(FurtherError::Against { metric, output, against: against.into() })
        };
        for (fault, start) in [
            (refused(FurtherError::Metric("mae".into())), "errors[1]: `mae` names two"),
            (refused(FurtherError::Metric("rms".into())), "errors[1]: no error metric named `rms`"),
            (refused(expression("own", "x - y")), "errors[1].each: "),
            (refused(expression("max", "x")), "errors[1].name: "),
            (refused(expression("error", "x")), "errors[1].name: "),
            (refused(expression("bandwidth", "x")), "errors[1].name: "),
            (against("c", "b"), "errors[1].against: there is no argument named `b`"),
            (against("c", "state"), "errors[1].against: `state` is no input"),
            (against("c", "a"), "errors[1].against: `a` has another shape than `c`"),
            (
                refused(FurtherError::OfOutput { metric: "max".into(), output: "a".into() }),
                "errors[1].output: `a` is no output",
            ),
        ] {
            assert!(fault.starts_with(start), "{fault}");
        }
    }
}
