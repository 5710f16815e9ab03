//! Journals: whatever is cut off, what was written before stays.

mod journal;
