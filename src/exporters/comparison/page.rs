//! A comparison as a page: speeds with their intervals, the curves over each other, and all sizes.

use super::words::{about, apart, foot, rows, size_rows};
use crate::{
    comparison::{Comparison, Side},
    exporters::{
        page::PageData,
        page::html::{escape, whole},
    },
};

/// The page of a comparison of these sides.
#[must_use]
pub fn page(comparison: &Comparison, sides: &[Side]) -> String {
    let names: Vec<&str> = comparison.others.iter().map(|other| other.name.as_str()).collect();
    let title = escape(&format!("{} compared with {}", names.join(", "), comparison.first));
    let mut body = format!(
        "<h1>{title}</h1>\n<p class=\"about\">{}</p>\n\
         <div data-chart=\"ratios\" data-title=\"Speed\"></div>\n\
         <div data-chart=\"sides\" data-title=\"Curves\"></div>\n",
        escape(foot(comparison).trim_start_matches("note").trim_start())
    );
    for other in &comparison.others {
        body += &format!("<h2>{} over {}</h2>\n", escape(&other.name), escape(&comparison.first));
        body += &table(&rows(other));
        body += &list(&apart(other));
        body += &list(&about(other));
        body += &format!("<h2>Every size of {}</h2>\n", escape(&other.name));
        body += &table(&size_rows(other));
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

/// Cells as a table, the first row being its head.
fn table(rows: &[Vec<String>]) -> String {
    let row = |cell: &str, row: &Vec<String>| {
        let cells = row.iter().enumerate().map(|(at, text)| {
            let class = if at < 2 { "" } else { " class=\"n\"" };
            format!("<{cell}{class}>{}</{cell}>", escape(text))
        });
        format!("<tr>{}</tr>\n", cells.collect::<String>())
    };
    let Some((head, body)) = rows.split_first() else { return String::new() };
    format!(
        "<div class=\"wide\"><table>\n{}{}</table></div>\n",
        row("th", head),
        body.iter().map(|cells| row("td", cells)).collect::<String>()
    )
}

fn list(lines: &[String]) -> String {
    let items = lines.iter().map(|line| format!("<li>{}</li>\n", escape(line)));
    match lines.is_empty() {
        true => String::new(),
        false => format!("<ul>\n{}</ul>\n", items.collect::<String>()),
    }
}
