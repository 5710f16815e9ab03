//! What is written down, and read again: journals, recorded spaces, and every format of a study.

mod exporters_answer;
mod exporters_commands;
mod exporters_exchange;
mod exporters_formats;
mod exporters_front;
mod exporters_plots;
mod exporters_repeats;
mod exporters_roofline;
mod exporters_study;
mod files;
mod journal;
#[path = "../support/shared.rs"]
mod support;
