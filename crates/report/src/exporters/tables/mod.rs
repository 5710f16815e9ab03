//! Tables with named columns.

pub(super) mod columns;
pub(super) mod recorded_table;
pub(super) mod score_table;
