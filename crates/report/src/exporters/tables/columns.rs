//! Tables with named columns, as CSV.

use records::sinks;

use crate::exporters::ExportError;

/// A table, kept as the text that it becomes. All rows have the columns of the first row.
#[derive(Debug, Default)]
pub struct Table {
    /// Header and rows as CSV.
    text: String,
    columns: usize,
    rows: usize,
    /// Where the text of the last row begins.
    last: usize,
    /// Number of the first row with more or fewer columns than the first.
    uneven: Option<usize>,
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
        if self.rows == 0 {
            self.columns = row.0.len();
            self.line(row.0.iter().map(|(column, _)| column.as_str()));
        } else {
            self.last = self.text.len();
        }
        self.rows += 1;
        if row.0.len() != self.columns {
            self.uneven.get_or_insert(self.rows);
        }
        self.line(row.0.iter().map(|(_, value)| value.as_str()));
    }

    /// Returns the table as CSV (RFC 4180, but lines end in `\n`).
    ///
    /// # Errors
    /// If a row has more or fewer columns than the first.
    pub fn csv(self) -> Result<Vec<u8>, ExportError> {
        self.even()?;
        Ok(self.text.into_bytes())
    }

    /// Returns what the last row adds to a CSV file that grows with the table: the row, after the
    /// header if it is the first row.
    ///
    /// # Errors
    /// If a row has more or fewer columns than the first.
    pub fn last_line(&self) -> Result<Vec<u8>, ExportError> {
        self.even()?;
        Ok(self.text.as_bytes()[self.last..].to_vec())
    }

    fn even(&self) -> Result<(), ExportError> {
        let why = |row| format!("row {row} has not the {} columns of the first", self.columns);
        match self.uneven {
            None => Ok(()),
            Some(row) => Err(ExportError::Format { format: "csv", why: why(row) }),
        }
    }

    fn line<'a>(&mut self, cells: impl Iterator<Item = &'a str>) {
        if self.columns == 0 {
            return;
        }
        for (at, cell) in cells.enumerate() {
            if at > 0 {
                self.text.push(',');
            }
            let cell = sinks::csv(cell);
            // A line of one empty cell would be no row.
            if cell.contains([',', '"', '\n', '\r']) || (cell.is_empty() && self.columns == 1) {
                self.text.push('"');
                self.text += &cell.replace('"', "\"\"");
                self.text.push('"');
            } else {
                self.text += &cell;
            }
        }
        self.text.push('\n');
    }
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
