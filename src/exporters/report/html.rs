//! Pieces of HTML pages.

const STYLE: &str = include_str!("style.css");

/// A self-contained page; title, body and footer are HTML already.
#[must_use]
pub fn whole(title: &str, body: &str, footer: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n{body}\
         <footer>{footer}</footer>\n</main>\n</body>\n</html>\n",
    )
}

/// A card: what it is about, its figure, and more about it.
pub(in crate::exporters) fn card(what: &str, figure: &str, more: &str) -> String {
    let (figure, more) = (escape(figure), escape(more));
    format!(
        "<div class=\"card\"><span class=\"what\">{what}</span><b>{figure}</b>\
         <span>{more}</span></div>\n"
    )
}

/// Escapes a text for HTML, including attributes.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out
}
