//! The arguments of a size and a configuration: formats, extents, counts, and the memory they
//! take.

use std::collections::BTreeSet;

use autobench_sdk::document::{Argument, Fill, Role};

use super::{
    Benchmark, FormulaFault,
    benchmark::DocumentFault,
    formula::{Formula, element_of, holds_formats},
};
use crate::{
    accuracy::Element,
    records::Named,
    space::{Parameter, Value},
};

/// Most combinations of parameters that `largest_footprint` tries.
const MOST_COMBINATIONS: usize = 1 << 16;

/// One argument at one size.
#[derive(Debug, Clone, PartialEq)]
pub struct ArgumentPlan {
    /// Its name.
    pub name: String,
    /// What the kernels do with it.
    pub role: Role,
    /// The format of its elements.
    pub element: Element,
    /// The extent of each dimension, slowest first; empty for a scalar.
    pub extents: Vec<u64>,
    /// How many elements: the product of the extents.
    pub count: u64,
    /// A scalar's value; missing for buffers.
    pub value: Option<f64>,
    /// How its elements are generated.
    pub fill: Fill,
}

impl ArgumentPlan {
    /// Bytes of its elements.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.count.saturating_mul(self.element.bytes())
    }
}

/// Where a format comes from.
#[derive(Debug, Clone, Copy)]
enum Format {
    Fixed(Element),
    Parameter(usize),
}

/// An argument's expressions.
#[derive(Debug, Clone)]
pub(super) struct ArgumentFormulas {
    format: Format,
    extents: Vec<Formula>,
    value: Option<Formula>,
}

impl ArgumentFormulas {
    pub(super) fn compile(
        at: usize,
        argument: &Argument,
        parameters: &[Parameter],
        names: &[&str],
    ) -> Result<Self, DocumentFault> {
        let place = format!("arguments[{at}]");
        let format = format(&place, argument, parameters)?;
        let extents = argument
            .shape
            .iter()
            .enumerate()
            .map(|(axis, text)| Formula::compile(format!("{place}.shape[{axis}]"), text, names))
            .collect::<Result<Vec<_>, _>>()?;
        let value = match (&argument.value, extents.is_empty()) {
            (Some(text), true) => Some(Formula::compile(format!("{place}.value"), text, names)?),
            (None, false) => None,
            (Some(_), false) => {
                return Err(DocumentFault::new(
                    format!("{place}.value"),
                    format!("`{}` has a shape, so it takes no value: use `fill`", argument.name),
                ));
            }
            (None, true) => {
                return Err(DocumentFault::new(
                    place,
                    format!("`{}` needs a `shape`, or a `value` if a scalar", argument.name),
                ));
            }
        };
        if value.is_some() && argument.role != Role::In {
            return Err(DocumentFault::new(
                format!("{place}.role"),
                format!("the scalar `{}` is passed by value and can only be `in`", argument.name),
            ));
        }
        Ok(Self { format, extents, value })
    }

    fn formulas(&self) -> impl Iterator<Item = &Formula> {
        self.extents.iter().chain(&self.value)
    }
}

fn format(
    place: &str,
    argument: &Argument,
    parameters: &[Parameter],
) -> Result<Format, DocumentFault> {
    let place = format!("{place}.format");
    if let Some(at) = parameters.iter().position(|p| p.name == argument.format) {
        if holds_formats(&parameters[at]) {
            return Ok(Format::Parameter(at));
        }
        let message = format!("parameter `{}` has values that are no formats", argument.format);
        return Err(DocumentFault::new(place, message));
    }
    argument.format.parse().map(Format::Fixed).map_err(|error| {
        DocumentFault::new(place, format!("{error}, nor a parameter of that name"))
    })
}

impl Benchmark {
    /// The arguments of a size and a configuration, in the document's order.
    ///
    /// # Errors
    /// When an expression has no value, or one that is no count.
    pub fn shapes(
        &self,
        size: u64,
        configuration: &Named,
    ) -> Result<Vec<ArgumentPlan>, FormulaFault> {
        let slots = self.slots(size, configuration)?;
        self.document
            .arguments
            .iter()
            .zip(&self.arguments)
            .map(|(argument, formulas)| self.plan(argument, formulas, &slots))
            .collect()
    }

    fn plan(
        &self,
        argument: &Argument,
        formulas: &ArgumentFormulas,
        slots: &[Value],
    ) -> Result<ArgumentPlan, FormulaFault> {
        let element = match formulas.format {
            Format::Fixed(element) => element,
            Format::Parameter(at) => element_of(&self.parameters[at].name, &slots[at + 1])?,
        };
        let mut count = 1_u64;
        let mut extents = Vec::new();
        for formula in &formulas.extents {
            let extent = formula.count(slots)?;
            extents.push(extent);
            count = count.checked_mul(extent).ok_or_else(|| too_large(argument))?;
        }
        count.checked_mul(element.bytes()).ok_or_else(|| too_large(argument))?;
        Ok(ArgumentPlan {
            name: argument.name.clone(),
            role: argument.role,
            element,
            extents,
            count,
            value: formulas.value.as_ref().map(|formula| formula.number(slots)).transpose()?,
            fill: argument.fill.clone(),
        })
    }

    /// Bytes of device memory: every buffer once, and `inout` buffers twice, since they are
    /// restored from a copy.
    ///
    /// # Errors
    /// As [`Self::shapes`], and when the sum is beyond 2⁶⁴.
    pub fn footprint(&self, size: u64, configuration: &Named) -> Result<u64, FormulaFault> {
        let mut total = 0_u64;
        for plan in self.shapes(size, configuration)? {
            let copies = match (plan.role, plan.value) {
                (_, Some(_)) => 0,
                (Role::Inout, None) => 2,
                _ => 1,
            };
            total = plan
                .bytes()
                .checked_mul(copies)
                .and_then(|bytes| total.checked_add(bytes))
                .ok_or_else(|| FormulaFault::TooLarge(format!("size {size}")))?;
        }
        Ok(total)
    }

    /// The largest footprint of a size over the parameters that appear in shapes and formats, and
    /// a configuration that has it. Combinations without a footprint do not count, unless none has
    /// one.
    ///
    /// # Errors
    /// When no combination has a footprint.
    pub fn largest_footprint(&self, size: u64) -> Result<(u64, Named), FormulaFault> {
        let mut configurations = vec![self.defaults()];
        for at in self.shaping_parameters() {
            let values = &self.parameters[at].values;
            if configurations.len().saturating_mul(values.len()) > MOST_COMBINATIONS {
                // Too many to combine: the worst value of this one beside the worst so far.
                configurations = vec![self.worst(size, configurations)?.1];
            }
            configurations = configurations
                .iter()
                .flat_map(|configuration| {
                    values.iter().map(move |value| {
                        let mut next = configuration.clone();
                        next.0[at].1 = value.clone();
                        next
                    })
                })
                .collect();
        }
        self.worst(size, configurations)
    }

    fn worst(&self, size: u64, configurations: Vec<Named>) -> Result<(u64, Named), FormulaFault> {
        let mut worst: Option<(u64, Named)> = None;
        let mut first_fault = None;
        for configuration in configurations {
            match self.footprint(size, &configuration) {
                Ok(bytes) if worst.as_ref().is_none_or(|(most, _)| bytes > *most) => {
                    worst = Some((bytes, configuration));
                }
                Ok(_) => {}
                // Memory that cannot be counted is the worst there is.
                Err(fault @ (FormulaFault::TooLarge(_) | FormulaFault::Size(_))) => {
                    return Err(fault);
                }
                Err(fault) => first_fault = first_fault.or(Some(fault)),
            }
        }
        worst.ok_or_else(|| {
            first_fault.unwrap_or_else(|| FormulaFault::TooLarge(format!("size {size}")))
        })
    }

    /// Positions of the parameters that shapes, scalar values or formats depend on.
    fn shaping_parameters(&self) -> BTreeSet<usize> {
        let mut shaping = BTreeSet::new();
        for argument in &self.arguments {
            if let Format::Parameter(at) = argument.format {
                shaping.insert(at);
            }
            for formula in argument.formulas() {
                shaping.extend(formula.names_used().filter_map(|name| self.names.parameter(name)));
            }
        }
        shaping
    }
}

fn too_large(argument: &Argument) -> FormulaFault {
    FormulaFault::TooLarge(format!("argument `{}`", argument.name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugins::sample::{configuration, document};

    #[test]
    fn formats_and_extents_follow_the_configuration() {
        let benchmark = Benchmark::new(document()).unwrap();
        let plans = benchmark.shapes(1000, &configuration(64, 8, "f64")).unwrap();
        assert_eq!((plans[0].element, plans[0].count), (Element::F64, 2000));
        assert_eq!(plans[0].extents, [1000, 2]);
        assert_eq!(plans[2].count, 8);
        assert_eq!((plans[3].value, plans[3].count), (Some(1000.0), 1));
    }

    #[test]
    fn the_footprint_counts_inout_twice_and_scalars_never() {
        let benchmark = Benchmark::new(document()).unwrap();
        let bytes = benchmark.footprint(1000, &configuration(64, 8, "f64")).unwrap();
        assert_eq!(bytes, 2000 * 8 + 1000 * 4 + 2 * 8);
    }

    #[test]
    fn the_largest_footprint_takes_the_worst_of_every_shaping_parameter() {
        let benchmark = Benchmark::new(document()).unwrap();
        assert_eq!(benchmark.largest_footprint(1000).unwrap().0, 2000 * 8 + 1000 * 4 + 2 * 8);
    }

    #[test]
    fn sizes_beyond_memory_are_faults_and_not_panics() {
        let benchmark = Benchmark::new(document()).unwrap();
        for size in [1 << 61, 1 << 62, u64::MAX] {
            assert!(benchmark.largest_footprint(size).is_err(), "{size}");
        }
    }

    #[test]
    fn a_shape_that_is_no_count_says_where() {
        let mut document = document();
        document.arguments[1].shape = vec!["size / 3".to_owned()];
        let benchmark = Benchmark::new(document).unwrap();
        let fault = benchmark.shapes(1000, &configuration(64, 1, "f32")).unwrap_err();
        let text = fault.to_string();
        assert!(text.starts_with("arguments[1].shape[0], `size / 3`, is 333.3"), "{text}");
    }

    #[test]
    fn a_scalar_without_value_and_a_buffer_with_one_are_refused() {
        let mut scalar = document();
        scalar.arguments[3].value = None;
        assert_eq!(Benchmark::new(scalar).unwrap_err().path, "arguments[3]");
        let mut buffer = document();
        buffer.arguments[1].value = Some("1".to_owned());
        assert_eq!(Benchmark::new(buffer).unwrap_err().path, "arguments[1].value");
        let mut format = document();
        format.arguments[1].format = "items".to_owned();
        assert_eq!(Benchmark::new(format).unwrap_err().path, "arguments[1].format");
    }
}
