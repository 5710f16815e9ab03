//! Every format that a study is written as.

#[path = "../../../../tests/support/counted.rs"]
mod counted;
mod exchange;
mod formats;
mod front;
mod growth;
mod hostile;
mod others;
mod plots;
mod repeats;
mod roofline;
mod study;

// Linked for its observers, which declare metrics of devices.
use worker as _;
