//! Index of rows by the positions of their values. The positions stay in the table of all rows.

use std::hash::BuildHasher as _;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

#[derive(Debug, Clone, Default)]
pub(crate) struct RowIndex(HashTable<usize>);

impl RowIndex {
    pub(crate) fn find(&self, table: &[u32], places: &[u32]) -> Option<usize> {
        let is = |row: &usize| of(table, places.len(), *row) == places;
        self.0.find(FxBuildHasher.hash_one(places), is).copied()
    }

    pub(crate) fn insert(&mut self, table: &[u32], width: usize, row: usize) {
        let hash = |row: &usize| FxBuildHasher.hash_one(of(table, width, *row));
        self.0.insert_unique(hash(&row), row, hash);
    }

    pub(crate) fn reserve(&mut self, table: &[u32], width: usize, more: usize) {
        self.0.reserve(more, |row| FxBuildHasher.hash_one(of(table, width, *row)));
    }
}

/// Indices always compare equal: equal tables have equal indices.
impl PartialEq for RowIndex {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

fn of(table: &[u32], width: usize, row: usize) -> &[u32] {
    &table[row * width..(row + 1) * width]
}
