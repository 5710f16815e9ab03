//! Reads curves from text: two columns of numbers, and a third one for repeated measurements.

use std::{io::Read, path::Path};

use knees::{CurveValue, Faster, RepeatedCurve};
use records::FileFault;

use crate::terminal::Failure;

/// Most bytes to read: standard input may never end.
const MOST_BYTES: u64 = 256 << 20;

/// A curve of a file, and the names of its columns.
pub(super) struct NamedCurve {
    pub(super) curve: RepeatedCurve,
    pub(super) names: (String, String),
}

/// Reads a curve from a file, or from standard input for `-`.
pub(super) fn read(path: &Path, faster: Faster) -> Result<NamedCurve, Failure> {
    let (bytes, source) = if path == Path::new("-") {
        (whole(std::io::stdin().lock()), Path::new("standard input"))
    } else {
        (std::fs::File::open(path).and_then(whole), path)
    };
    let bytes = bytes.map_err(FileFault::reading(source)).map_err(Failure::settings)?;
    let name = format!("`{}`", source.display());
    if bytes.len() as u64 > MOST_BYTES {
        return Err(Failure::settings(format!(
            "{name} has more than {MOST_BYTES} bytes; average its points first"
        )));
    }
    let text = String::from_utf8(bytes).map_err(|_| {
        Failure::settings(format!("{name} is not text; give a file of two columns"))
    })?;
    let (readings, names) =
        parse(&text).map_err(|error| Failure::settings(format!("{name}, {error}")))?;
    let curve = RepeatedCurve::new(&readings, faster)
        .map_err(|error| Failure::settings(format!("{name}: {error}")))?;
    Ok(NamedCurve { curve, names })
}

/// Reads a source, up to one byte more than allowed.
fn whole(from: impl Read) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Columns {
    x: usize,
    y: usize,
    round: Option<usize>,
    /// The column that says which study a row belongs to, in autobench's own tables.
    study: Option<usize>,
}

impl Columns {
    /// Chooses the columns by their header: `x` and `y`, or `size` and `metric_value` in
    /// autobench's own tables, or else the first two. Rounds come only from a column `round`.
    fn named(header: &[String]) -> Self {
        let named = |name: &str| header.iter().position(|field| field.eq_ignore_ascii_case(name));
        let round = named("round");
        let pair = |x, y| Some((named(x)?, named(y)?));
        match pair("x", "y").or_else(|| pair("size", "metric_value")) {
            Some((x, y)) => Self { x, y, round, study: named("started") },
            None => {
                let mut others = (0..header.len()).filter(|at| Some(*at) != round);
                let (x, y) = (others.next().unwrap_or(0), others.next().unwrap_or(1));
                Self { x, y, round, study: None }
            }
        }
    }
}

/// Parses a text. Fields are separated by commas, semicolons, tabs or blanks, the same in all
/// lines. Skipped are empty lines, lines that begin with `#`, a header, and rows below a header
/// that have no y. Rows with the same x and no round are averaged. Also returns the names of x and
/// y in the header.
fn parse(text: &str) -> Result<(Vec<CurveValue>, (String, String)), String> {
    let mut names = ("x".to_owned(), "y".to_owned());
    let mut readings: Vec<CurveValue> = Vec::new();
    let mut columns = Columns { x: 0, y: 1, round: None, study: None };
    let mut study: Option<String> = None;
    let mut header = None;
    let mut separator = None;
    for (number, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let (number, line) = (number + 1, line.trim());
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let separator = *separator.get_or_insert_with(|| separator_of(line));
        let fields = fields(line, separator);
        if header.is_some() && fields.get(columns.y).is_some_and(String::is_empty) {
            continue;
        }
        let (Some(first), Some(second)) = (fields.get(columns.x), fields.get(columns.y)) else {
            return Err(format!("line {number}: one column where two are needed: `{line}`"));
        };
        if let Some(started) = columns.study.and_then(|at| fields.get(at))
            && study.get_or_insert_with(|| started.clone()) != started
        {
            return Err(format!("line {number}: another study begins; give the rows of one"));
        }
        match (first.parse::<f64>(), second.parse::<f64>()) {
            (Ok(x), Ok(y)) if x.is_finite() && y.is_finite() => {
                let round = round(columns.round, &fields, number)?;
                readings.push(CurveValue { x, y, round, lost: 0.0, placement: 0 });
            }
            (Ok(_), Ok(_)) => return Err(format!("line {number}: `{line}` is not finite")),
            (Err(_), Err(_)) if readings.is_empty() && header.is_none() => {
                columns = Columns::named(&fields);
                let name = |at: usize| fields.get(at).cloned().unwrap_or_default();
                names = (name(columns.x), name(columns.y));
                header = Some(number);
            }
            (Ok(_), Err(_)) => return Err(format!("line {number}: `{second}` is not a number")),
            (Err(_), _) => return Err(format!("line {number}: `{first}` is not a number")),
        }
    }
    if readings.is_empty() {
        return Err("line 1: no row of two numbers in it".to_owned());
    }
    Ok((readings, names))
}

fn round(column: Option<usize>, fields: &[String], number: usize) -> Result<u64, String> {
    let Some(column) = column else { return Ok(0) };
    let field = fields.get(column).map_or("", String::as_str);
    let whole = field.parse::<f64>().ok().filter(|round| round.fract() == 0.0 && *round >= 0.0);
    whole
        .map(|round| round as u64)
        .ok_or_else(|| format!("line {number}: the round is a whole number, not `{field}`"))
}

/// The separator of a line's fields; `None` for blanks.
fn separator_of(line: &str) -> Option<char> {
    [';', '\t', ','].into_iter().find(|&separator| line.contains(separator))
}

/// The fields of a line. Separators inside quotation marks do not count.
fn fields(line: &str, separator: Option<char>) -> Vec<String> {
    let Some(separator) = separator else {
        return line.split_whitespace().map(|field| field.trim_matches('"').to_owned()).collect();
    };
    let mut quoted = false;
    let apart = |c: char| {
        quoted ^= c == '"';
        c == separator && !quoted
    };
    line.split(apart).map(|field| field.trim().trim_matches('"').to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_usual_way_to_write_two_columns_is_read() {
        for text in [
            "1,2\n3,4\n",
            "size,GB/s\n1,2\n3,4",
            "\u{feff}\"size\";\"rate\"\r\n1;2\r\n3;4\r\n",
            "# made by hand\n1\t2\n\n3\t4\n",
            "  1   2 \n 3 4e0 extra\n",
        ] {
            assert_eq!(found(text), [(1.0, 2.0, 0), (3.0, 4.0, 0)], "{text:?}");
        }
    }

    #[test]
    fn a_header_says_which_column_is_the_round() {
        let expected = [(1.0, 2.0, 1), (1.0, 3.0, 2)];
        for text in [
            "x,y,round\n1,2,1\n1,3,2\n",
            "size;GB/s;Round\n1;2;1\n1;3;2\n",
            "round x y\n1 1 2\n2 1 3\n",
            "y\tround\tx\n2\t1\t1\n3\t2\t1\n",
        ] {
            assert_eq!(found(text), expected, "{text:?}");
        }
        assert_eq!(found("1,2,7\n"), [(1.0, 2.0, 0)], "without a header there are no rounds");
    }

    #[test]
    fn our_own_tables_of_sizes_are_read() {
        let table = "device,size,purpose,closed,metric_value\n\
                     one,1,growth,\"spent; looked at again, twice\",2.5\n\
                     one,2,growth,nothing ran,\n\
                     one,3,refinement,done,4\n";
        assert_eq!(found(table), [(1.0, 2.5, 0), (3.0, 4.0, 0)]);
    }

    #[test]
    fn columns_keep_their_names() {
        for (text, expected) in [
            ("1,2\n3,4\n", ("x", "y")),
            ("size,GB/s\n1,2\n", ("size", "GB/s")),
            ("\"bytes, all\";\"rate\"\n1;2\n", ("bytes, all", "rate")),
            ("round x y\n1 1 2\n", ("x", "y")),
            ("started,size,metric_value\na,1,2\n", ("size", "metric_value")),
        ] {
            let (_, (x, y)) = parse(text).expect("readings");
            assert_eq!((x.as_str(), y.as_str()), expected, "{text:?}");
        }
    }

    fn found(text: &str) -> Vec<(f64, f64, u64)> {
        let (readings, _) = parse(text).expect("readings");
        readings.iter().map(|reading| (reading.x, reading.y, reading.round)).collect()
    }

    #[test]
    fn a_fault_is_told_with_its_line() {
        let error = |text: &str| parse(text).expect_err("a fault");
        assert!(error("x,y\n1,2\n3,four").contains("line 3: `four`"));
        assert!(error("1,2\n3\n").contains("line 2: one column"));
        assert!(error("1,2\nNaN,3").contains("line 2"));
        assert!(error("x,y\nalso,words\n").contains("line 2"));
        assert!(error("").contains("no row"));
        assert!(error("x,y,round\n1,2,1.5").contains("line 2: the round is a whole number"));
        assert!(error("started,size,metric_value\na,1,2\nb,1,3").contains("another study"));
        assert!(error("x,y,round\n1,2").contains("not ``"));
    }
}
