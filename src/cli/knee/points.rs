//! Two columns of numbers, as people write them.

use std::{io::Read, path::Path};

use super::Failure;
use crate::{knees::Curve, records::FileFault};

/// Reads a curve from a file, or from standard input for `-`.
pub(super) fn read(path: &Path) -> Result<Curve, Failure> {
    let (bytes, source) = if path == Path::new("-") {
        let mut bytes = Vec::new();
        let read = std::io::stdin().lock().read_to_end(&mut bytes);
        (read.map(|_| bytes), Path::new("standard input"))
    } else {
        (std::fs::read(path), path)
    };
    let bytes = bytes.map_err(FileFault::reading(source)).map_err(Failure::settings)?;
    let name = format!("`{}`", source.display());
    let text = String::from_utf8(bytes).map_err(|_| {
        Failure::settings(format!("{name} is not text; give a file of two columns"))
    })?;
    let (x, y) = parse(&text).map_err(|error| Failure::settings(format!("{name}, {error}")))?;
    Curve::new(&x, &y).map_err(|error| Failure::settings(format!("{name}: {error}")))
}

/// The first two columns of a text. Fields are parted by commas, semicolons, tabs or blanks;
/// empty lines and lines that begin with `#` are passed over, and so is a header.
fn parse(text: &str) -> Result<(Vec<f64>, Vec<f64>), String> {
    let (mut x, mut y) = (Vec::new(), Vec::new());
    let mut header = None;
    for (number, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let (number, line) = (number + 1, line.trim());
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let fields = fields(line);
        let [first, second, ..] = fields.as_slice() else {
            return Err(format!("line {number}: one column where two are needed: `{line}`"));
        };
        match (first.parse::<f64>(), second.parse::<f64>()) {
            (Ok(a), Ok(b)) if a.is_finite() && b.is_finite() => {
                x.push(a);
                y.push(b);
            }
            (Ok(_), Ok(_)) => return Err(format!("line {number}: `{line}` is not finite")),
            (Err(_), Err(_)) if x.is_empty() && header.is_none() => header = Some(number),
            (Ok(_), Err(_)) => return Err(format!("line {number}: `{second}` is not a number")),
            (Err(_), _) => return Err(format!("line {number}: `{first}` is not a number")),
        }
    }
    if x.is_empty() {
        return Err("line 1: no row of two numbers in it".to_owned());
    }
    Ok((x, y))
}

fn fields(line: &str) -> Vec<&str> {
    let clean = |field: &'_ str| -> bool { !field.is_empty() };
    let parted: Vec<&str> = match [';', '\t', ','].into_iter().find(|&c| line.contains(c)) {
        Some(separator) => line.split(separator).map(str::trim).collect(),
        None => line.split_whitespace().filter(|f| clean(f)).collect(),
    };
    parted.into_iter().map(|field| field.trim_matches('"')).collect()
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
            let expected = (vec![1.0, 3.0], vec![2.0, 4.0]);
            assert_eq!(parse(text), Ok(expected), "{text:?}");
        }
    }

    #[test]
    fn a_fault_is_told_with_its_line() {
        let error = |text: &str| parse(text).expect_err("a fault");
        assert!(error("x,y\n1,2\n3,four").contains("line 3: `four`"));
        assert!(error("1,2\n3\n").contains("line 2: one column"));
        assert!(error("1,2\nNaN,3").contains("line 2"));
        assert!(error("x,y\nalso,words\n").contains("line 2"));
        assert!(error("").contains("no row"));
    }
}
