//! A comparison as a page: speeds with their intervals, the curves of all sides, and all sizes.

use super::words::{about, apart, foot, rows, size_rows};
use crate::{
    comparison::{Compared, ComparedBenchmark, ComparedSize, Comparison, Side, title},
    exporters::page::{
        Cell, PageData,
        html::{breakable, escape, whole},
        row as page_row,
    },
};

/// Returns the page of a comparison of these sides.
#[must_use]
pub fn page(comparison: &Comparison, sides: &[Side]) -> String {
    let title = escape(&title(sides));
    let mut body = format!(
        "<h1>{title}</h1>\n<p class=\"about\">{}</p>\n\
         <div data-chart=\"ratios\" data-title=\"Speed\"></div>\n\
         <div data-chart=\"sides\" data-title=\"Curves\"></div>\n",
        escape(foot(comparison).trim_start_matches("note").trim_start())
    );
    for other in &comparison.others {
        body += &format!("<h2>{} over {}</h2>\n", escape(&other.name), escape(&comparison.first));
        body += &table(&rows(other), &figures(other));
        body += &list(&apart(other));
        body += &list(&about(other));
        body += &format!("<h2>Every size of {}</h2>\n", escape(&other.name));
        body += &table(&size_rows(other), &size_figures(other));
    }
    if !comparison.left_out.is_empty() {
        body += "<h2>Left out, or unfinished</h2>\n";
        body += &list(&comparison.left_out);
    }
    let mut data = PageData::new();
    data.comparison(comparison);
    for side in sides {
        for study in &side.studies {
            data.curve(&side.name, &study.subject(), &study.record, &study.view);
        }
    }
    body += &data.element();
    whole(&title, &body, "Made by autobench from the journals of the studies.")
}

/// Returns the columns and numbers of the numeric cells in each benchmark's row.
fn figures(other: &Compared) -> Vec<Vec<(usize, f64)>> {
    let of = |benchmark: &ComparedBenchmark| {
        vec![(2, benchmark.shown().ratio), (4, benchmark.common_sizes as f64)]
    };
    other.benchmarks.iter().map(of).collect()
}

/// Returns the columns and numbers of the numeric cells in each size's row.
fn size_figures(other: &Compared) -> Vec<Vec<(usize, f64)>> {
    let of = |size: &ComparedSize| {
        let (first, second) = size.seconds;
        let all = [(1, size.size as f64), (3, size.shown().ratio), (5, first), (6, second)];
        let shares = [(7, size.shares.0), (8, size.shares.1)];
        let shares = shares.into_iter().filter_map(|(at, share)| Some((at, share?)));
        all.into_iter().chain(shares).collect()
    };
    other.benchmarks.iter().flat_map(|benchmark| &benchmark.sizes).map(of).collect()
}

/// Formats a table. The first row is its head, and `figures` are the numbers of the other rows.
fn table(rows: &[Vec<String>], figures: &[Vec<(usize, f64)>]) -> String {
    let Some((head, body)) = rows.split_first() else { return String::new() };
    let heads = head.iter().enumerate().map(|(at, text)| {
        let class = if at < 2 { "" } else { " class=\"n\"" };
        format!("<th{class}>{}</th>", escape(text))
    });
    let row = |(cells, figures): (&Vec<String>, &Vec<(usize, f64)>)| {
        page_row(cells.iter().enumerate().map(|(at, text)| {
            match figures.iter().find(|(column, _)| *column == at) {
                Some((_, value)) => Cell::quantity(text, Some(*value)),
                None if at < 2 => Cell::text(text),
                None => Cell::figure(text),
            }
        }))
    };
    format!(
        "<div class=\"wide\"><table>\n<tr>{}</tr>\n{}</table></div>\n",
        heads.collect::<String>(),
        body.iter().zip(figures).map(row).collect::<String>()
    )
}

fn list(lines: &[String]) -> String {
    let items = lines.iter().map(|line| format!("<li>{}</li>\n", breakable(line)));
    match lines.is_empty() {
        true => String::new(),
        false => format!("<ul>\n{}</ul>\n", items.collect::<String>()),
    }
}
