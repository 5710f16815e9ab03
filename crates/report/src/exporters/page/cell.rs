//! Cells of tables: a text for readers, and the plain number or date by which the script sorts and
//! copies the cell.

use std::fmt;

use chrono::{DateTime, SecondsFormat, Utc};

use super::html::escape;
use crate::exporters::words::quantities::grouped;

/// A cell of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    html: String,
    value: Option<String>,
    class: &'static str,
}

impl Cell {
    /// A cell of HTML.
    #[must_use]
    pub fn html(html: String) -> Self {
        Self { html, value: None, class: "" }
    }

    /// A cell of text.
    #[must_use]
    pub fn text(text: &str) -> Self {
        Self::html(escape(text))
    }

    /// A text that is aligned like a number.
    #[must_use]
    pub fn figure(text: &str) -> Self {
        Self { class: "n", ..Self::text(text) }
    }

    /// A quantity in words, with its number in the base unit if that is known.
    #[must_use]
    pub fn quantity(text: &str, value: Option<f64>) -> Self {
        let value = value.filter(|value| value.is_finite()).map(|value| value.to_string());
        Self { value, ..Self::figure(text) }
    }

    /// A quantity with words, between which the line may break.
    #[must_use]
    pub fn phrase(text: &str, value: Option<f64>) -> Self {
        Self { class: "phrase", ..Self::quantity(text, value) }
    }

    /// A whole number, in groups of three digits.
    #[must_use]
    pub fn count(number: u64) -> Self {
        Self { value: Some(number.to_string()), ..Self::figure(&grouped(number)) }
    }

    /// A date and time, to the minute.
    #[must_use]
    pub fn date(time: DateTime<Utc>) -> Self {
        let value = Some(time.to_rfc3339_opts(SecondsFormat::Secs, true));
        Self { value, ..Self::text(&time.format("%Y-%m-%d %H:%M").to_string()) }
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<td")?;
        if !self.class.is_empty() {
            write!(f, " class=\"{}\"", self.class)?;
        }
        if let Some(value) = &self.value {
            write!(f, " data-value=\"{value}\"")?;
        }
        write!(f, ">{}</td>", self.html)
    }
}

/// Formats a row of a table.
#[must_use]
pub fn row(cells: impl IntoIterator<Item = Cell>) -> String {
    let cells: String = cells.into_iter().map(|cell| cell.to_string()).collect();
    format!("<tr>{cells}</tr>\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_and_dates_say_what_they_are() {
        let time = "2026-03-04T12:00:09Z".parse().expect("a time");
        for (cell, html) in [
            (Cell::text("a < b"), "<td>a &lt; b</td>"),
            (
                Cell::quantity("1.5 ms", Some(1.5e-3)),
                "<td class=\"n\" data-value=\"0.0015\">1.5 ms</td>",
            ),
            (Cell::quantity("–", None), "<td class=\"n\">–</td>"),
            (Cell::quantity("–", Some(f64::NAN)), "<td class=\"n\">–</td>"),
            (Cell::count(4096), "<td class=\"n\" data-value=\"4096\">4096</td>"),
            (Cell::date(time), "<td data-value=\"2026-03-04T12:00:09Z\">2026-03-04 12:00</td>"),
        ] {
            assert_eq!(cell.to_string(), html);
        }
    }
}
