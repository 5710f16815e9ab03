//! Every format that a study is written as.

mod exchange;
mod formats;
mod front;
mod plots;
mod repeats;
mod roofline;
mod study;

// Observers declare metrics of devices.
use worker as _;
