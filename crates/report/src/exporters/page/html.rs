//! Pieces of HTML pages.

use std::sync::LazyLock;

use base64::{Engine as _, engine::general_purpose::STANDARD};
pub use records::sinks::html as escape;
use sha2::{Digest as _, Sha256};

/// Parts of the style, in order.
const STYLE: &str = concat!(
    include_str!("style/page.css"),
    include_str!("style/charts.css"),
    include_str!("style/dark.css"),
    include_str!("style/print.css"),
);

/// Parts of the script, in order. Each part may use those before it.
const SCRIPT: &str = concat!(
    "\n\"use strict\";\n(() => {\n",
    include_str!("script/values.js"),
    include_str!("script/columns.js"),
    include_str!("script/axis.js"),
    include_str!("script/painters.js"),
    include_str!("script/elements.js"),
    include_str!("script/saving.js"),
    include_str!("script/chart.js"),
    include_str!("script/pointing.js"),
    include_str!("script/curves.js"),
    include_str!("script/filters.js"),
    include_str!("script/trials.js"),
    include_str!("script/front.js"),
    include_str!("script/ratios.js"),
    include_str!("script/tables.js"),
    include_str!("script/start.js"),
    "})();\n",
);

/// What a page may load: only itself. It runs its own script, known by its hash, and no other.
static POLICY: LazyLock<String> = LazyLock::new(|| {
    let hash = STANDARD.encode(Sha256::digest(SCRIPT));
    format!(
        "default-src 'none'; script-src 'sha256-{hash}'; style-src 'unsafe-inline'; \
         img-src data: blob:"
    )
});

/// Returns a self-contained page. Title, body and footer must be HTML.
#[must_use]
pub fn whole(title: &str, body: &str, footer: &str) -> String {
    let policy = POLICY.as_str();
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n{body}\
         <footer>{footer}</footer>\n</main>\n\
         <script>{SCRIPT}</script>\n</body>\n</html>\n",
    )
}

/// Formats a card: its subject, its value and the details.
pub(in crate::exporters) fn card(what: &str, figure: &str, more: &str) -> String {
    let (figure, more) = (escape(&whole_quantities(figure)), breakable(&whole_quantities(more)));
    format!(
        "<div class=\"card\"><span class=\"what\">{what}</span><b>{figure}</b>\
         <span>{more}</span></div>\n"
    )
}

/// Keeps a number on one line with the sign next to it.
fn whole_quantities(text: &str) -> String {
    text.replace(" %", "\u{a0}%").replace("± ", "±\u{a0}")
}

/// Formats a configuration as code that breaks only between parameters.
#[must_use]
pub fn configuration(text: &str) -> String {
    format!("<code class=\"configuration\">{}</code>", escape(text).replace(',', ",<wbr>"))
}

/// Escapes a sentence, and lets its configurations break between parameters.
pub(in crate::exporters) fn breakable(text: &str) -> String {
    escape(text).replace(',', ",<wbr>").replace(",<wbr> ", ", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_permits_exactly_the_script_that_it_holds() {
        let page = whole("title", "<p>a body</p>", "a footer");
        let between = |from: &str, to: &str| {
            let rest = page.split_once(from).expect("there").1;
            rest.split_once(to).expect("it ends").0
        };
        let hash = STANDARD.encode(Sha256::digest(between("<script>", "</script>")));
        assert_eq!(between("script-src '", "'"), format!("sha256-{hash}"));
        assert_eq!(page.matches("<script>").count(), 1);
    }
}
