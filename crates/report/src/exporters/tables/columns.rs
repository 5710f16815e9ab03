//! Tables with named columns, as CSV.

use crate::exporters::ExportError;

/// A table. All rows have the columns of the first row.
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

    /// Adds a number with all its digits, or an empty cell if it is missing or not finite.
    pub fn number(&mut self, column: &str, value: impl Into<Option<f64>>) -> &mut Self {
        let value = value.into().filter(|v| v.is_finite());
        self.text(column, value.map_or_else(String::new, digits))
    }

    /// Adds the columns of another row.
    pub fn append(&mut self, other: Self) -> &mut Self {
        self.0.extend(other.0);
        self
    }

    /// Adds a whole number, or an empty cell if it is missing.
    pub fn count(&mut self, column: &str, value: impl Into<Option<u64>>) -> &mut Self {
        self.text(column, value.into().map_or_else(String::new, |v| v.to_string()))
    }
}

/// Formats a number in the fewest digits that restore it.
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

    /// Returns the table as CSV (RFC 4180, but lines end in `\n`).
    ///
    /// # Errors
    /// If a row has more or fewer columns than the first.
    pub fn csv(&self) -> Result<Vec<u8>, ExportError> {
        lines(std::iter::once(&self.header).chain(&self.rows))
    }

    /// Returns what the last row adds to a CSV file that grows with the table: the row, after the
    /// header if it is the first row.
    ///
    /// # Errors
    /// If the CSV cannot be written.
    pub fn last_line(&self) -> Result<Vec<u8>, ExportError> {
        let header = (self.rows.len() == 1).then_some(&self.header);
        lines(header.into_iter().chain(self.rows.last()))
    }
}

fn lines<'a>(rows: impl Iterator<Item = &'a Vec<String>>) -> Result<Vec<u8>, ExportError> {
    let failed = |why: &dyn ToString| ExportError::Format { format: "csv", why: why.to_string() };
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    for row in rows.filter(|row| !row.is_empty()) {
        writer.write_record(row).map_err(|e| failed(&e))?;
    }
    writer.into_inner().map_err(|e| failed(&e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_grows_line_by_line_is_the_table() {
        let (mut table, mut grown) = (Table::default(), Vec::new());
        for (name, value) in [("a,b", 1.0), ("two\nlines", 0.5), ("plain", f64::INFINITY)] {
            let mut row = TableRow::default();
            row.text("name", name).number("value", value);
            table.push(row);
            grown.extend(table.last_line().expect("memory"));
        }
        assert_eq!(table.csv().map_err(|e| e.to_string()), Ok(grown));
        assert!(Table::default().last_line().is_ok_and(|line| line.is_empty()));
    }
}
