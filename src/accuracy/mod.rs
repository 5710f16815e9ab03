//! Numeric formats and error metrics: how numbers are stored, and how wrong a result is.

mod element;

pub use element::Element;
