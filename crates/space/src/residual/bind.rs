//! Binds one parameter: parts of restrictions that become known move into the state.

use super::term::Term;

/// Binds a parameter in the residuals of one restriction after the other. Equal parts are kept
/// once.
pub(super) struct Binding {
    variable: usize,
    /// Elements of the next state, as terms over the previous state and the bound parameter.
    pub(super) parts: Vec<Term>,
}

impl Binding {
    pub(super) fn of(variable: usize) -> Self {
        Self { variable, parts: Vec::new() }
    }

    /// Whether `term` has a value once the parameter is bound.
    pub(super) fn completes(&self, term: &Term) -> bool {
        match term {
            Term::Variable(v) | Term::Place(v) => *v == self.variable,
            _ => term.operands().iter().all(|t| self.completes(t)),
        }
    }

    /// The residual of `term`, over the next state.
    pub(super) fn residual(&mut self, term: &Term) -> Term {
        if matches!(term, Term::Number(_)) {
            return term.clone();
        }
        if self.completes(term) {
            return self.known(term.clone());
        }
        match term {
            Term::Sum(terms) => Term::Sum(self.gathered(terms, Term::Sum)),
            Term::Product(terms) => Term::Product(self.gathered(terms, Term::Product)),
            Term::Other(operation, terms) => {
                Term::Other(*operation, terms.iter().map(|t| self.residual(t)).collect())
            }
            open => open.clone(),
        }
    }

    /// The operands of a sum or a product, with all known operands combined into one.
    fn gathered(&mut self, terms: &[Term], gather: fn(Vec<Term>) -> Term) -> Vec<Term> {
        let (mut done, open): (Vec<Term>, Vec<Term>) =
            terms.iter().cloned().partition(|t| self.completes(t));
        let mut residual = Vec::with_capacity(open.len() + 1);
        if done.iter().all(|t| matches!(t, Term::Number(_))) {
            residual.append(&mut done);
        } else {
            let whole = if done.len() == 1 { done.remove(0) } else { gather(done) };
            residual.push(self.known(whole));
        }
        residual.extend(open.iter().map(|t| self.residual(t)));
        residual
    }

    fn known(&mut self, part: Term) -> Term {
        let at = self.parts.iter().position(|p| *p == part).unwrap_or_else(|| {
            self.parts.push(part);
            self.parts.len() - 1
        });
        Term::Known(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Parameter,
        expression::{Comparison, Expression},
        residual::{NumericScope, conjuncts, term::Operation},
    };

    fn normal(text: &str, names: &[&str], values: &[f64]) -> Vec<Term> {
        let expression = Expression::compile(text, names).expect("an expression");
        let list = |name: &&str| Parameter::new(*name, values.iter().copied());
        let parameters: Vec<Parameter> = names.iter().map(list).collect();
        let mut scope = NumericScope::new(&parameters, &[]);
        let term = scope.read(expression.tree()).expect("numbers");
        conjuncts(term, &scope.ranges()).expect("never fails")
    }

    fn at_most(left: Term, right: f64) -> Term {
        let comparison = Operation::Compare(Comparison::LessEqual);
        Term::Other(comparison, vec![left, Term::Number(right)])
    }

    #[test]
    fn restrictions_of_one_meaning_have_one_shape() {
        let names = ["a", "b", "c"];
        let shape = |text: &str| normal(text, &names, &[1.0, 2.0, 3.0]);
        let sum = Term::Sum(vec![Term::Variable(0), Term::Variable(1)]);
        for text in ["a + b <= 9", "9 >= a + b", "a + b - 9 <= 0", "not a + b > 9", "a <= 9 - b"] {
            assert_eq!(shape(text), [at_most(sum.clone(), 9.0)], "{text}");
        }
        let product = Term::Product(vec![Term::Variable(0), Term::Variable(1), Term::Variable(2)]);
        for text in ["a * b * c <= 8", "8 >= a * (b * c)", "-a * b * c >= -8"] {
            assert_eq!(shape(text), [at_most(product.clone(), 8.0)], "{text}");
        }
        assert_eq!(shape("1 <= a * b <= 4 and c % 2 == 0").len(), 3);
    }

    #[test]
    fn what_is_known_becomes_one_number_of_the_state() {
        let names = ["a", "b", "c", "d"];
        let [term] = &normal("a + c + d * b + a <= 9", &names, &[1.0, 2.0])[..] else {
            panic!("one restriction")
        };
        let mut first = Binding::of(0);
        let residual = first.residual(term);
        assert_eq!(first.parts, [Term::Sum(vec![Term::Variable(0), Term::Variable(0)])]);
        let mut second = Binding::of(1);
        let residual = second.residual(&residual);
        // Holds the sum so far, and the factor that waits for the other factor.
        assert_eq!(second.parts, [Term::Known(0), Term::Variable(1)]);
        let mut third = Binding::of(2);
        let residual = third.residual(&residual);
        assert_eq!(third.parts[0], Term::Sum(vec![Term::Known(0), Term::Variable(2)]));
        assert!(Binding::of(3).completes(&residual));
    }
}
