//! Tables with named columns, as CSV.

use crate::exporters::ExportError;

/// A table; all rows have the columns of the first.
#[derive(Debug, Default)]
pub struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// A row, column by column.
#[derive(Debug, Default)]
pub struct TableRow(Vec<(String, String)>);

impl TableRow {
    /// Adds a text.
    pub fn text(&mut self, column: &str, value: impl ToString) -> &mut Self {
        self.0.push((column.to_owned(), value.to_string()));
        self
    }

    /// Adds a number with all its digits; an empty cell if it is missing or not finite.
    pub fn number(&mut self, column: &str, value: impl Into<Option<f64>>) -> &mut Self {
        let value = value.into().filter(|v| v.is_finite());
        self.text(column, value.map_or_else(String::new, digits))
    }

    /// Adds the columns of another row.
    pub fn append(&mut self, other: Self) -> &mut Self {
        self.0.extend(other.0);
        self
    }

    /// Adds a whole number; an empty cell if it is missing.
    pub fn count(&mut self, column: &str, value: impl Into<Option<u64>>) -> &mut Self {
        self.text(column, value.into().map_or_else(String::new, |v| v.to_string()))
    }
}

/// The shortest digits that give the same number again.
fn digits(value: f64) -> String {
    let plain = value.abs() >= 1e-4 && value.abs() < 1e16;
    if plain || value.abs() < f64::MIN_POSITIVE { format!("{value}") } else { format!("{value:e}") }
}

impl Table {
    /// Adds a row.
    pub fn push(&mut self, row: TableRow) {
        if self.header.is_empty() {
            self.header = row.0.iter().map(|(column, _)| column.clone()).collect();
        }
        self.rows.push(row.0.into_iter().map(|(_, value)| value).collect());
    }

    /// The table as CSV (RFC 4180, but lines end in `\n`).
    ///
    /// # Errors
    /// If there is no memory for it.
    pub fn csv(&self) -> Result<Vec<u8>, ExportError> {
        let failed =
            |why: &dyn ToString| ExportError::Format { format: "csv", why: why.to_string() };
        let mut writer = ::csv::Writer::from_writer(Vec::new());
        for row in std::iter::once(&self.header).chain(&self.rows).filter(|row| !row.is_empty()) {
            writer.write_record(row).map_err(|e| failed(&e))?;
        }
        writer.into_inner().map_err(|e| failed(&e))
    }
}
