//! Checks restrictions while a space is built.

use super::{
    EvalError, Expression, Parameter, SpaceError, Value,
    expression::{Fuel, Num, excerpt},
    residual::{EvaluationPoint, Operation, Term},
};

#[derive(Clone, Debug)]
pub(super) struct Restriction {
    pub(super) expression: Expression,
    /// Number of divisions by zero while the space was built; they count as satisfied.
    pub(super) undefined: u64,
}

/// The restrictions, and values to check those that cannot be split.
pub(super) struct RestrictionChecks<'a> {
    parameters: &'a [Parameter],
    pub(super) restrictions: Vec<Restriction>,
    /// Slots of restrictions over numbers: the parameters, then the constants.
    numbers: Vec<Num>,
    /// Slots of all other restrictions.
    values: Vec<Value>,
    /// Whether each restriction is over numbers only.
    numeric: Vec<bool>,
    /// The parameters that each restriction names.
    named: Vec<Vec<usize>>,
    /// Work on lists that is left for all checks.
    fuel: Fuel,
}

impl<'a> RestrictionChecks<'a> {
    pub(super) fn new(
        parameters: &'a [Parameter],
        constants: &[(String, Value)],
        expressions: Vec<Expression>,
    ) -> Self {
        // First values are placeholders: a slot is always set before it is read.
        let first = |p: &Parameter| p.values[0].clone();
        let values: Vec<Value> =
            parameters.iter().map(first).chain(constants.iter().map(|c| c.1.clone())).collect();
        let over_numbers = |slot: &usize| match parameters.get(*slot) {
            Some(parameter) => parameter.values.iter().all(|v| v.number().is_some()),
            None => values[*slot].number().is_some(),
        };
        let numeric =
            |e: &Expression| e.program().is_some() && e.slots_used().iter().all(over_numbers);
        let of_parameters = |e: &Expression| {
            e.slots_used().iter().copied().filter(|slot| *slot < parameters.len()).collect()
        };
        Self {
            parameters,
            named: expressions.iter().map(of_parameters).collect(),
            numeric: expressions.iter().map(numeric).collect(),
            restrictions: expressions
                .into_iter()
                .map(|expression| Restriction { expression, undefined: 0 })
                .collect(),
            numbers: values.iter().map(|v| v.number().unwrap_or(Num::Int(0))).collect(),
            values,
            fuel: Fuel::for_many(),
        }
    }

    pub(super) fn named(&self, restriction: usize) -> &[usize] {
        &self.named[restriction]
    }

    pub(super) fn holds(
        &mut self,
        check: &Term,
        at: EvaluationPoint<'_>,
    ) -> Result<bool, SpaceError> {
        let Term::Other(Operation::Whole(restriction), places) = check else {
            return Ok(check.value(at) != 0.0);
        };
        for (slot, place) in self.named[*restriction].iter().zip(places) {
            // A place is the index of a value, which a float holds exactly.
            let value = &self.parameters[*slot].values[place.value(at) as usize];
            if self.numeric[*restriction] {
                self.numbers[*slot] = value.number().unwrap_or(Num::Int(0));
            } else {
                self.values[*slot] = value.clone();
            }
        }
        self.whole_holds(*restriction)
    }

    fn whole_holds(&mut self, number: usize) -> Result<bool, SpaceError> {
        let restriction = &mut self.restrictions[number];
        let result = match restriction.expression.program() {
            Some(program) if self.numeric[number] => program.run(&self.numbers).map(Num::is_true),
            _ => restriction.expression.holds(&self.values, &mut self.fuel),
        };
        match result {
            Ok(holds) => Ok(holds),
            Err(EvalError::DivisionByZero) => {
                restriction.undefined += 1;
                Ok(true)
            }
            Err(source) => {
                let restriction = restriction.expression.text().to_owned();
                Err(SpaceError::Evaluation { restriction, source })
            }
        }
    }

    /// The error for too many prefixes at a parameter.
    pub(super) fn too_large(&self, depth: usize, waiting: &[usize]) -> SpaceError {
        let name = |n: &usize| format!("`{}`", excerpt(self.restrictions[*n].expression.text()));
        let waiting: Vec<String> = waiting.iter().map(name).collect();
        let parameter = &self.parameters[depth].name;
        let why = match &waiting[..] {
            [] => format!("`{parameter}` has too many values"),
            [only] => format!("at `{parameter}` too many cases of {only} have to be told apart"),
            many => format!(
                "at `{parameter}` too many cases of {} have to be told apart",
                many.join(", ")
            ),
        };
        SpaceError::TooLarge(why)
    }
}
