//! Arguments for a size and a configuration: formats, shapes and values.

use std::collections::BTreeSet;

use autobench_sdk::document::{self, Role};
use device::workload::{Argument, Content};
use space::{Parameter, Value, accuracy::Element};

use super::{
    fault::DocumentFault,
    formula::{Formula, FormulaFault, Names, element_of, holds_formats},
};

#[derive(Debug, Clone, Copy)]
enum ElementFormat {
    Fixed(Element),
    Parameter(usize),
}

#[derive(Debug, Clone)]
pub(super) struct ArgumentFormulas {
    format: ElementFormat,
    extents: Vec<Formula>,
    value: Option<Formula>,
}

impl ArgumentFormulas {
    pub(super) fn compile(
        at: usize,
        argument: &document::Argument,
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

    pub(super) fn argument(
        &self,
        described: &document::Argument,
        parameters: &[Parameter],
        slots: &[Value],
    ) -> Result<Argument, FormulaFault> {
        let element = match self.format {
            ElementFormat::Fixed(element) => element,
            ElementFormat::Parameter(at) => element_of(&parameters[at].name, &slots[at + 1])?,
        };
        let content = match &self.value {
            Some(value) => {
                let mut bytes = Vec::new();
                element.encode(&[value.number(slots)?], &mut bytes);
                Content::Scalar(bytes)
            }
            None => {
                let too_large = || FormulaFault::TooLarge(format!("argument `{}`", described.name));
                let (mut shape, mut count) = (Vec::new(), 1_u64);
                for extent in &self.extents {
                    let extent = extent.count(slots)?;
                    count = count.checked_mul(extent).ok_or_else(too_large)?;
                    shape.push(extent);
                }
                count.checked_mul(element.bytes()).ok_or_else(too_large)?;
                Content::Buffer { shape, fill: described.fill.clone() }
            }
        };
        let (name, role) = (described.name.clone(), described.role);
        Ok(Argument { name, role, element, content })
    }

    /// Positions of the parameters that the argument depends on.
    pub(super) fn parameters(&self, names: &Names) -> BTreeSet<usize> {
        let format = if let ElementFormat::Parameter(at) = self.format { Some(at) } else { None };
        let formulas = self.extents.iter().chain(&self.value);
        let named = formulas.flat_map(Formula::names_used).filter_map(|name| names.parameter(name));
        named.chain(format).collect()
    }
}

fn format(
    place: &str,
    argument: &document::Argument,
    parameters: &[Parameter],
) -> Result<ElementFormat, DocumentFault> {
    let place = format!("{place}.format");
    if let Some(at) = parameters.iter().position(|p| p.name == argument.format) {
        if holds_formats(&parameters[at]) {
            return Ok(ElementFormat::Parameter(at));
        }
        let message = format!("parameter `{}` has values that are no formats", argument.format);
        return Err(DocumentFault::new(place, message));
    }
    argument.format.parse().map(ElementFormat::Fixed).map_err(|error| {
        DocumentFault::new(place, format!("{error}, nor a parameter of that name"))
    })
}

#[cfg(test)]
mod tests {
    use autobench_sdk::document::Fill;

    use super::*;
    use crate::{
        Benchmark,
        sample::{configuration, document},
    };

    #[test]
    fn formats_and_extents_follow_the_configuration() {
        let benchmark = Benchmark::new(document()).unwrap();
        let arguments = benchmark.arguments(1000, &configuration(64, 8, "f64")).unwrap();
        assert_eq!((arguments[0].element, arguments[0].count()), (Element::F64, Some(2000)));
        let shape = vec![1000, 2];
        assert_eq!(arguments[0].content, Content::Buffer { shape, fill: Fill::default() });
        assert_eq!(arguments[2].count(), Some(8));
        assert_eq!(arguments[3].content, Content::Scalar(1000_i64.to_le_bytes().to_vec()));
    }

    #[test]
    fn a_shape_that_is_no_count_says_where() {
        let mut document = document();
        document.arguments[1].shape = vec!["size / 3".to_owned()];
        let benchmark = Benchmark::new(document).unwrap();
        let fault = benchmark.arguments(1000, &configuration(64, 1, "f32")).unwrap_err();
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
