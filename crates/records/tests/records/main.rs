//! Journals: whatever is cut off the end, earlier lines stay readable.

mod journal;
