//! How binding each parameter changes a state.

use super::{
    bind::Binding,
    decision_rule::{DecisionRule, Verdict},
    interval::{Interval, Ranges},
    term::{EvaluationPoint, Operation, Term},
    unbound_values::UnboundValues,
};

/// Key word of a restriction that every continuation satisfies.
const ALWAYS: u64 = u64::MAX;

/// Key word of a restriction whose parts are in the key.
const UNDECIDED: u64 = u64::MAX - 1;

pub(crate) struct LayerPlan {
    pub(crate) layers: Vec<Layer>,
    variables: Vec<Option<Interval>>,
}

/// How binding one parameter changes a prefix's state.
pub(crate) struct Layer {
    /// Indices and values that pass the checks on this parameter alone.
    pub(crate) values: Vec<(u32, f64)>,
    /// Restrictions that are decided here.
    pub(crate) checks: Vec<Term>,
    /// Restrictions that wait for later parameters, by number.
    pub(crate) waiting: Vec<usize>,
    parts: Vec<StateSource>,
    rules: Vec<WatchedRestriction>,
    /// Elements of the state that are in every key.
    always: Vec<usize>,
    /// `always`, and the elements that undecided restrictions put in the key.
    exact: Vec<usize>,
}

/// Source of an element of the next state.
enum StateSource {
    /// The element of the previous state with this index.
    Carried(usize),
    /// The bound value.
    Value,
    Computed(Term),
}

struct WatchedRestriction {
    rule: DecisionRule,
    reads: Vec<usize>,
}

impl LayerPlan {
    /// The plan for restrictions in normal form, each with its number.
    pub(crate) fn of(
        values: &[Vec<f64>],
        variables: Vec<Option<Interval>>,
        restrictions: Vec<(usize, Term)>,
    ) -> Self {
        let mut open: Vec<(usize, Term, UnboundValues)> =
            restrictions.into_iter().map(|(n, term)| (n, term, UnboundValues::default())).collect();
        let mut known: Vec<Interval> = Vec::new();
        let mut layers = Vec::with_capacity(values.len());
        for (depth, numbers) in values.iter().enumerate() {
            let mut binding = Binding::of(depth);
            let (done, waiting): (Vec<_>, Vec<_>) =
                open.into_iter().partition(|(_, term, _)| binding.completes(term));
            open = waiting
                .into_iter()
                .map(|(number, term, unbound_values)| {
                    (number, binding.residual(&term), unbound_values)
                })
                .collect();
            known = ranges(&binding.parts, &known, &variables);
            let rule = |(_, residual, unbound_values): &mut (usize, Term, UnboundValues)| {
                WatchedRestriction {
                    rule: DecisionRule::of(residual, &known, &variables, values, unbound_values),
                    reads: residual.knowns(),
                }
            };
            let watches: Vec<WatchedRestriction> = open.iter_mut().map(rule).collect();
            let (alone, checks): (Vec<Term>, Vec<Term>) =
                done.into_iter().map(|(_, term, _)| term).partition(needs_no_state);
            let passes = |(place, value): &(u32, f64)| {
                let at = EvaluationPoint { known: &[], value: *value, place: *place };
                alone.iter().all(|term| term.value(at) != 0.0)
            };
            let mut waiting: Vec<usize> = open.iter().map(|(number, ..)| *number).collect();
            waiting.dedup();
            layers.push(Layer {
                values: (0..).zip(numbers.iter().copied()).filter(passes).collect(),
                checks,
                waiting,
                parts: binding.parts.into_iter().map(StateSource::of).collect(),
                always: reads(&watches, |rule| matches!(rule, DecisionRule::Parts)),
                exact: reads(&watches, |rule| !matches!(rule, DecisionRule::Threshold { .. })),
                rules: watches
                    .into_iter()
                    .filter(|w| !matches!(w.rule, DecisionRule::Parts))
                    .collect(),
            });
        }
        Self { layers, variables }
    }

    /// Writes a state's key. States that leave the same choices have the same key. Returns `false`
    /// if no continuation is valid.
    pub(crate) fn key(
        &self,
        layer: &Layer,
        state: &[f64],
        needed: &mut Vec<bool>,
        key: &mut Vec<u64>,
    ) -> bool {
        key.clear();
        needed.clear();
        needed.resize(state.len(), false);
        layer.always.iter().for_each(|at| needed[*at] = true);
        for watch in &layer.rules {
            match watch.rule.verdict(state, &self.variables) {
                Verdict::Never => return false,
                Verdict::Always => key.push(ALWAYS),
                Verdict::Class(class) => key.push(class),
                Verdict::Undecided => {
                    watch.reads.iter().for_each(|at| needed[*at] = true);
                    key.push(UNDECIDED);
                }
            }
        }
        key.extend(layer.exact.iter().map(|at| {
            // Adding zero turns −0 into 0.
            if needed[*at] { (state[*at] + 0.0).to_bits() } else { 0 }
        }));
        true
    }
}

impl Layer {
    pub(crate) fn width(&self) -> usize {
        self.parts.len()
    }

    /// Number of words in a key after this layer.
    pub(crate) fn key_width(&self) -> usize {
        self.rules.len() + self.exact.len()
    }

    pub(crate) fn bind(&self, at: EvaluationPoint<'_>, state: &mut Vec<f64>) {
        state.clear();
        state.extend(self.parts.iter().map(|part| match part {
            StateSource::Carried(known) => at.known[*known],
            StateSource::Value => at.value,
            StateSource::Computed(term) => term.value(at),
        }));
    }
}

impl StateSource {
    fn of(term: Term) -> Self {
        match term {
            Term::Known(at) => Self::Carried(at),
            Term::Variable(_) => Self::Value,
            term => Self::Computed(term),
        }
    }
}

/// State elements that the restrictions of the chosen rules read, ascending.
fn reads(watches: &[WatchedRestriction], of: impl Fn(&DecisionRule) -> bool) -> Vec<usize> {
    let chosen = watches.iter().filter(|w| of(&w.rule));
    let mut found: Vec<usize> = chosen.flat_map(|w| w.reads.iter().copied()).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Whether a check is on one parameter alone and needs no prefix.
fn needs_no_state(term: &Term) -> bool {
    let mut needs = false;
    term.walk(&mut |part| {
        needs |= matches!(part, Term::Known(_) | Term::Other(Operation::Whole(_), _));
    });
    !needs
}

fn ranges(parts: &[Term], known: &[Interval], variables: &[Option<Interval>]) -> Vec<Interval> {
    // Value indices are never computed with, so any range this wide is correct.
    const UNUSED: Interval = Interval { low: f64::MIN, high: f64::MAX, whole: false };
    let ranges = Ranges { variables, known: &|at| known[at] };
    parts.iter().map(|part| part.interval(&ranges).unwrap_or(UNUSED)).collect()
}
