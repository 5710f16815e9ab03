//! The table of errors in `docs/guide/kernels.md`: compares it with measured errors, or rewrites
//! it.

use std::fmt::Write;

use super::{functions::COLUMNS, references::FUNCTIONS};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/guide/kernels.md");
const BEGIN: &str =
    "<!-- written by `AUTOBENCH_WRITE_DOCS=1 cargo test --test devices precision` -->\n";
const END: &str = "<!-- end -->\n";

/// The largest error, and its arguments.
pub(super) struct Cell {
    pub(super) error: f64,
    pub(super) at: (f64, f64),
}

/// The bound that the table states for an error: 30 % more, rounded up to two digits. The margin is
/// for compilers and libraries that round a step differently.
fn bound(column: (&str, &str), is_absolute: bool, error: f64) -> f64 {
    let library = column.1 == "accurate" && column.0.len() == 3 && column.0 != "f16";
    let unit = if column.0 == "f64" { f64::EPSILON } else { f64::from(f32::EPSILON) };
    let least = match (is_absolute, library) {
        (true, true) => unit,
        (true, false) => 0.0,
        (false, true) => 2.0,
        (false, false) => 0.6,
    };
    let roomy = (error * 1.3).max(least);
    if roomy == 0.0 {
        return 0.0;
    }
    let unit = 10_f64.powi(roomy.log10().floor() as i32 - 1);
    (roomy / unit).ceil() * unit
}

fn shown(bound: f64) -> String {
    if bound >= 0.1 || bound == 0.0 { format!("{bound:.2}") } else { format!("{bound:.1e}") }
}

fn table(rows: &[[Cell; COLUMNS.len()]]) -> String {
    let mut text = "\n| function | arguments |".to_owned();
    COLUMNS.iter().for_each(|(format, policy)| write!(text, " {format} {policy} |").expect("text"));
    text += "\n|---|---|";
    text += &"--:|".repeat(COLUMNS.len());
    text.push('\n');
    for (function, cells) in FUNCTIONS.iter().zip(rows) {
        let unit = if function.is_absolute { ", absolute" } else { "" };
        write!(text, "| `{}`{unit} | {} |", function.name, function.domain).expect("text");
        for (column, cell) in COLUMNS.iter().zip(cells) {
            let bound = bound(*column, function.is_absolute, cell.error);
            write!(text, " {} |", shown(bound)).expect("text");
        }
        text.push('\n');
    }
    text + "\n"
}

/// The bounds in each row of the table.
fn stated(text: &str) -> Vec<Vec<f64>> {
    let rows = text.lines().filter(|line| line.starts_with("| `"));
    let cells = |line: &str| {
        let cells = line.trim_matches('|').split('|').skip(2);
        cells.map(|cell| cell.trim().parse().expect("a number")).collect()
    };
    rows.map(cells).collect()
}

/// Fails if an error is larger than the documented bound.
pub(super) fn compare_or_write(rows: &[[Cell; COLUMNS.len()]]) {
    let text = std::fs::read_to_string(FILE).expect("the documentation");
    let (before, rest) = text.split_once(BEGIN).expect("the mark before the table");
    let (table_there, after) = rest.split_once(END).expect("the mark after the table");
    if std::env::var_os("AUTOBENCH_WRITE_DOCS").is_some() {
        let table = table(rows);
        let text = [before, BEGIN, &table, END, after].concat();
        std::fs::write(FILE, text).expect("writable");
        return;
    }
    let stated = stated(table_there);
    assert_eq!(stated.len(), FUNCTIONS.len(), "docs/guide/kernels.md lacks functions: {BEGIN}");
    for ((function, cells), bounds) in FUNCTIONS.iter().zip(rows).zip(stated) {
        assert_eq!(bounds.len(), COLUMNS.len(), "{}: {BEGIN}", function.name);
        for ((column, cell), bound) in COLUMNS.iter().zip(cells).zip(bounds) {
            eprintln!("{} {column:?}: {:.3e} of {bound}", function.name, cell.error);
            assert!(
                cell.error <= bound,
                "{} {column:?} is off by {:e} at {:?}, and docs/guide/kernels.md states {bound}",
                function.name,
                cell.error,
                cell.at
            );
        }
    }
}
