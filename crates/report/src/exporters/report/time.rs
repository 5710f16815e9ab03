//! Stages of the study's time, as a bar.

use records::{Stages, StudyRecord, StudyView};

use crate::exporters::{
    page::html::escape,
    words::{self, quantities::seconds},
};

/// Colours of the stages, in order. Colour-blind people can distinguish them.
const COLOURS: [(&str, &str); 8] = [
    ("kernels", "#0072b2"),
    ("rest of measuring", "#56b4e9"),
    ("measuring", "#56b4e9"),
    ("compile", "#e69f00"),
    ("fill", "#f0e442"),
    ("verify", "#009e73"),
    ("strategy", "#cc79a7"),
    ("own", "#9aa3ad"),
];

pub(super) fn time(record: &StudyRecord, view: &StudyView) -> String {
    let stages = Stages::of(record, view);
    let whole = stages.whole();
    if whole <= 0.0 {
        return String::new();
    }
    let (mut bar, mut legend) = (String::new(), String::new());
    for (word, took) in stages.parts() {
        let colour = COLOURS.iter().find(|(known, _)| *known == word).map_or("#9aa3ad", |c| c.1);
        let (word, share) = (escape(word), took / whole);
        bar += &format!(
            "<span style=\"width:{:.2}%;background:{colour}\" title=\"{word}\"></span>",
            100.0 * share
        );
        legend += &format!(
            "<li><i style=\"background:{colour}\"></i>{word} {} ({})</li>\n",
            words::stages::share(share),
            escape(&seconds(took))
        );
    }
    let inside = stages.share_in_kernels().map_or_else(String::new, |inside| {
        format!("; {} of measuring was spent inside kernels", words::stages::share(inside))
    });
    format!(
        "<h2>Time</h2>\n<p>{}{inside}.</p>\n<div class=\"bar\">{bar}</div>\n\
         <ul class=\"legend\">\n{legend}</ul>\n",
        escape(&words::stages::total(&stages))
    )
}
