//! Residuals of restrictions once some parameters are bound.
//!
//! Two prefixes leave the same choices when every restriction has the same residual. For example,
//! `a + b + c <= 9` becomes `5 + c <= 9` after `a = 1, b = 4`, and also after `a = 3, b = 2`. So
//! only the *state* of a prefix matters: the values of the known parts of restrictions that still
//! wait for other parameters.
//!
//! A restriction becomes a [`Term`] (`term`, read by `scope`), split at `and`, with sums and
//! products in any order (`normal`). Binding a parameter moves what is now known into the state
//! (`bind`). Bounds decide residuals early and find states that no continuation can distinguish
//! (`decision_rule`, with `interval` and `unbound_values`). `layer_plan` applies all of this to one
//! order of the parameters.

mod bind;
mod decision_rule;
mod interval;
mod layer_plan;
mod normal;
mod scope;
mod term;
mod unbound_values;

pub(super) use layer_plan::{Layer, LayerPlan};
pub(super) use normal::conjuncts;
pub(super) use scope::NumericScope;
pub(super) use term::{EvaluationPoint, Operation, Term};
