//! Spaces as their users see them: counts, expressions, neighbours, and spaces of 10^18
//! configurations.

mod expressions;
mod large;
mod properties;
mod restrictions;
