//! Every format that a study is written as.

mod exchange;
mod formats;
mod front;
mod plots;
mod repeats;
mod roofline;
mod study;

// Linked for its observers, which declare metrics of devices.
use worker as _;
