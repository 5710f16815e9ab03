//! From parameters and restrictions to the graph of valid configurations.
//!
//! Depth first over the parameters in their given order. A restriction is checked as soon as its
//! last variable is bound; a prefix whose future depends only on variables seen before is looked
//! up instead of grown again.

use super::{
    EvalError, Expression, ExpressionError, Parameter, Value,
    diagram::{Diagram, END, Edge, Node},
    expression::Num,
    memory::{Memory, memories},
};

/// Most edges a graph may have: 16 bytes each.
const MAX_EDGES: usize = 1 << 25;

/// Most checks of restrictions before construction gives up.
const MAX_CHECKS: u64 = 1 << 30;

/// Most parameters: each is one level of recursion.
const MAX_PARAMETERS: usize = 512;

/// Why parameters and restrictions make no space.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SpaceError {
    /// A parameter without values.
    #[error("parameter `{0}` has no values; give it at least one")]
    NoValues(String),
    /// A value listed twice.
    #[error("parameter `{parameter}` lists the value {value} twice; remove one")]
    Duplicate {
        /// The parameter.
        parameter: String,
        /// The value.
        value: Value,
    },
    /// Two parameters or constants of the same name.
    #[error("`{0}` names two things; rename one")]
    NameTwice(String),
    /// A restriction that is no expression.
    #[error("restriction {0}")]
    Restriction(#[from] ExpressionError),
    /// A restriction without a truth value.
    #[error("restriction `{restriction}` fails: {source}")]
    Evaluation {
        /// Its text.
        restriction: String,
        /// Why.
        source: EvalError,
    },
    /// Too much work or memory.
    #[error("the space is too large to build ({0}); narrow a parameter or add a restriction")]
    TooLarge(&'static str),
}

/// A restriction with the parameters it waits for.
#[derive(Clone, Debug)]
pub(super) struct Restriction {
    pub(super) expression: Expression,
    /// How often it divided by zero while the space was built; that counts as satisfied.
    pub(super) undefined: u64,
    /// How many parameters must be bound before it can be checked.
    pub(super) ready: usize,
    numeric: bool,
}

pub(super) struct Built {
    pub(super) diagram: Diagram,
    pub(super) restrictions: Vec<Restriction>,
    /// For each parameter, the indices of the values that occur in some valid configuration.
    pub(super) occurring: Vec<Vec<u32>>,
}

/// Checks the lists and builds the graph.
pub(super) fn build(
    parameters: &[Parameter],
    texts: &[impl AsRef<str>],
    constants: &[(String, Value)],
) -> Result<Built, SpaceError> {
    check(parameters, constants)?;
    let names: Vec<&str> = parameters
        .iter()
        .map(|p| p.name.as_str())
        .chain(constants.iter().map(|(name, _)| name.as_str()))
        .collect();
    let mut restrictions = Vec::new();
    for text in texts {
        let expression = Expression::compile(text.as_ref(), &names)?;
        let bound = |slot: &usize| *slot < parameters.len();
        let ready =
            expression.slots_used().iter().copied().filter(bound).max().map_or(0, |s| s + 1);
        let numeric = expression.program().is_some()
            && expression.slots_used().iter().all(|slot| match parameters.get(*slot) {
                Some(parameter) => parameter.values.iter().all(|v| v.number().is_some()),
                None => constants[*slot - parameters.len()].1.number().is_some(),
            });
        restrictions.push(Restriction { expression, undefined: 0, ready, numeric });
    }
    let mut builder = Builder::new(parameters, constants, restrictions);
    let root = if builder.holds(0)? { builder.grow(0)? } else { None };
    builder.diagram.root = root;
    builder.diagram.edges.shrink_to_fit();
    let occurring = builder
        .occurs
        .iter()
        .map(|seen| (0..).zip(seen).filter(|(_, s)| **s).map(|(i, _)| i).collect())
        .collect();
    Ok(Built { diagram: builder.diagram, restrictions: builder.restrictions, occurring })
}

pub(super) fn check(
    parameters: &[Parameter],
    constants: &[(String, Value)],
) -> Result<(), SpaceError> {
    if parameters.len() > MAX_PARAMETERS {
        return Err(SpaceError::TooLarge("over 512 parameters"));
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
            return Err(SpaceError::TooLarge("over 2^32 values in a parameter"));
        }
        if let Some(value) = duplicate(&parameter.values) {
            let parameter = parameter.name.clone();
            return Err(SpaceError::Duplicate { parameter, value: value.clone() });
        }
    }
    Ok(())
}

fn duplicate(values: &[Value]) -> Option<&Value> {
    let mut sorted: Vec<&Value> = values.iter().collect();
    // Texts after numbers makes the order total but for NaN, which equals nothing.
    sorted.sort_by(|a, b| {
        a.as_text()
            .is_some()
            .cmp(&b.as_text().is_some())
            .then(a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal))
    });
    sorted.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[1])
}

struct Builder<'a> {
    parameters: &'a [Parameter],
    restrictions: Vec<Restriction>,
    /// The restrictions to check once so many parameters are bound.
    ready: Vec<Vec<usize>>,
    memories: Vec<Option<Memory>>,
    numbers: Vec<Vec<Num>>,
    bound: Vec<Num>,
    /// Values for the restrictions that need more than numbers; empty when none does.
    slots: Vec<Value>,
    chosen: Vec<u32>,
    scratch: Vec<Vec<Edge>>,
    occurs: Vec<Vec<bool>>,
    diagram: Diagram,
    checks: u64,
}

impl<'a> Builder<'a> {
    fn new(
        parameters: &'a [Parameter],
        constants: &[(String, Value)],
        restrictions: Vec<Restriction>,
    ) -> Self {
        let count = parameters.len();
        let number = |v: &Value| v.number().unwrap_or(Num::Int(0));
        let mut bound = vec![Num::Int(0); count];
        bound.extend(constants.iter().map(|(_, v)| number(v)));
        let slots = if restrictions.iter().all(|r| r.numeric) {
            Vec::new()
        } else {
            let first = parameters.iter().map(|p| p.values[0].clone());
            first.chain(constants.iter().map(|(_, v)| v.clone())).collect()
        };
        let mut ready = vec![Vec::new(); count + 1];
        for (index, restriction) in restrictions.iter().enumerate() {
            ready[restriction.ready].push(index);
        }
        Self {
            memories: memories(parameters, &restrictions),
            parameters,
            restrictions,
            ready,
            numbers: parameters.iter().map(|p| p.values.iter().map(number).collect()).collect(),
            bound,
            slots,
            chosen: vec![0; count],
            scratch: vec![Vec::new(); count],
            occurs: parameters.iter().map(|p| vec![false; p.values.len()]).collect(),
            diagram: Diagram::default(),
            checks: 0,
        }
    }

    /// Whether all restrictions hold that became ready with parameter `depth - 1`.
    fn holds(&mut self, depth: usize) -> Result<bool, SpaceError> {
        for &index in &self.ready[depth] {
            self.checks += 1;
            let restriction = &mut self.restrictions[index];
            let result = match restriction.expression.program() {
                Some(program) if restriction.numeric => program.run(&self.bound).map(Num::is_true),
                _ => restriction.expression.eval_bool(&self.slots),
            };
            match result {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                Err(EvalError::DivisionByZero) => restriction.undefined += 1,
                Err(source) => {
                    let restriction = restriction.expression.text().to_owned();
                    return Err(SpaceError::Evaluation { restriction, source });
                }
            }
        }
        if self.checks > MAX_CHECKS {
            return Err(SpaceError::TooLarge("over a billion checks of its restrictions"));
        }
        Ok(true)
    }

    /// The node of the current prefix of `depth` values; `None` when nothing valid follows.
    fn grow(&mut self, depth: usize) -> Result<Option<u32>, SpaceError> {
        if depth == self.parameters.len() {
            return Ok(Some(END));
        }
        let key = self.memories[depth].as_ref().map(|memory| memory.key(&self.chosen));
        if let (Some(key), Some(memory)) = (key, &self.memories[depth])
            && let Some(node) = memory.get(key)
        {
            return Ok(node);
        }
        let node = self.grow_new(depth)?;
        if let (Some(key), Some(memory)) = (key, &mut self.memories[depth]) {
            memory.insert(key, node);
        }
        Ok(node)
    }

    fn grow_new(&mut self, depth: usize) -> Result<Option<u32>, SpaceError> {
        let mut edges = std::mem::take(&mut self.scratch[depth]);
        edges.clear();
        let mut total = 0_u64;
        for value in 0..self.numbers[depth].len() {
            self.bound[depth] = self.numbers[depth][value];
            if let Some(slot) = self.slots.get_mut(depth) {
                slot.clone_from(&self.parameters[depth].values[value]);
            }
            // Bounded by `check`: a parameter has fewer than 2^32 values.
            self.chosen[depth] = value as u32;
            if !self.holds(depth + 1)? {
                continue;
            }
            if let Some(child) = self.grow(depth + 1)? {
                edges.push(Edge { before: total, child, value: value as u32 });
                self.occurs[depth][value] = true;
                total = total
                    .checked_add(self.diagram.total(child))
                    .ok_or(SpaceError::TooLarge("over 2^64 valid configurations"))?;
            }
        }
        let node = self.store(&edges, total)?;
        self.scratch[depth] = edges;
        Ok(node)
    }

    fn store(&mut self, edges: &[Edge], total: u64) -> Result<Option<u32>, SpaceError> {
        if edges.is_empty() {
            return Ok(None);
        }
        if self.diagram.edges.len() + edges.len() > MAX_EDGES {
            return Err(SpaceError::TooLarge("its graph has over 33 million edges"));
        }
        let node =
            Node { first: self.diagram.edges.len() as u32, edges: edges.len() as u32, total };
        self.diagram.edges.extend_from_slice(edges);
        self.diagram.nodes.push(node);
        Ok(Some(self.diagram.nodes.len() as u32 - 1))
    }
}
