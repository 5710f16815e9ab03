//! Builds the graph from parameters and restrictions. Restrictions are split (`residual`), prefixes
//! grow by one parameter after the other (`forward`), and the result is reduced (`backward`).

use super::{
    Expression, Parameter, SpaceError, Value, ValueIndex,
    backward::reduce,
    diagram::Diagram,
    forward::grow,
    residual::{EvaluationPoint, LayerPlan, NumericScope, Term, conjuncts},
    restriction::{Restriction, RestrictionChecks},
};

/// Limit of parameters: each takes one level of recursion.
const MAX_PARAMETERS: usize = 512;

pub(super) struct BuiltSpace {
    pub(super) diagram: Diagram,
    pub(super) restrictions: Vec<Restriction>,
    /// For each parameter, the indices of the values that occur in valid configurations.
    pub(super) occurring: Vec<Vec<u32>>,
}

pub(super) fn build(
    parameters: &[Parameter],
    texts: &[impl AsRef<str>],
    constants: &[(String, Value)],
) -> Result<BuiltSpace, SpaceError> {
    check(parameters, constants)?;
    let names: Vec<&str> = parameters
        .iter()
        .map(|p| p.name.as_str())
        .chain(constants.iter().map(|(name, _)| name.as_str()))
        .collect();
    let expressions = texts
        .iter()
        .map(|text| Expression::compile(text.as_ref(), &names))
        .collect::<Result<Vec<_>, _>>()?;
    let mut checks = RestrictionChecks::new(parameters, constants, expressions);
    let mut scope = NumericScope::new(parameters, constants);
    let terms = terms(&checks, &mut scope);
    let (constant, terms): (Vec<_>, Vec<_>) =
        terms.into_iter().partition(|(_, term)| term.variables().is_empty());
    for (_, term) in &constant {
        if !checks.holds(term, EvaluationPoint { known: &[], value: 0.0, place: 0 })? {
            return Ok(nothing(parameters, checks));
        }
    }
    let plan = LayerPlan::of(scope.values(), scope.ranges(), terms);
    if plan.layers.iter().any(|layer| layer.values.is_empty()) {
        return Ok(nothing(parameters, checks));
    }
    let layers = grow(&plan, &mut checks)?;
    let (diagram, occurring) = reduce(&plan, layers)?;
    Ok(BuiltSpace { diagram, restrictions: checks.restrictions, occurring })
}

fn nothing(parameters: &[Parameter], checks: RestrictionChecks<'_>) -> BuiltSpace {
    BuiltSpace {
        diagram: Diagram::default(),
        restrictions: checks.restrictions,
        occurring: vec![Vec::new(); parameters.len()],
    }
}

/// Parts of the restrictions, each with the number of its restriction. A restriction that can be
/// split and cannot fail is in normal form; any other stays as written.
fn terms(checks: &RestrictionChecks<'_>, scope: &mut NumericScope) -> Vec<(usize, Term)> {
    let ranges = scope.ranges();
    let mut found = Vec::new();
    for (number, restriction) in checks.restrictions.iter().enumerate() {
        let read = scope.read(restriction.expression.tree());
        match read.and_then(|term| conjuncts(term, &ranges)) {
            Some(parts) => found.extend(parts.into_iter().map(|term| (number, term))),
            None => found.push((number, Term::whole(number, checks.named(number)))),
        }
    }
    found
}

pub(super) fn check(
    parameters: &[Parameter],
    constants: &[(String, Value)],
) -> Result<(), SpaceError> {
    if parameters.len() > MAX_PARAMETERS {
        return Err(SpaceError::TooLarge("over 512 parameters".into()));
    }
    let mut names: Vec<&String> =
        parameters.iter().map(|p| &p.name).chain(constants.iter().map(|c| &c.0)).collect();
    names.sort_unstable();
    if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(SpaceError::NameTwice(pair[0].clone()));
    }
    for parameter in parameters {
        if parameter.values.is_empty() {
            return Err(SpaceError::NoValues(parameter.name.clone()));
        }
        if parameter.values.len() > u32::MAX as usize {
            return Err(SpaceError::TooLarge("over 2^32 values in a parameter".into()));
        }
        if let Some(value) = duplicate(&parameter.values) {
            let parameter = parameter.name.clone();
            return Err(SpaceError::Duplicate { parameter, value: value.clone() });
        }
    }
    Ok(())
}

fn duplicate(values: &[Value]) -> Option<&Value> {
    let mut seen = ValueIndex::default();
    values.iter().find(|value| !seen.insert(value, 0))
}
