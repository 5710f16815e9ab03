//! The files and lines of repeats, word for word.

use records::{Event, Repeat, RepeatsRecord, RepeatsView, StudyState};
use report::exporters::repeats::{files, words};

use crate::{
    formats::without_scripts,
    study::{events, growing, record, view},
};

/// Three studies with an answer, whose knees lie apart, one study that failed and one that never
/// began.
fn repeats() -> RepeatsView {
    let record = RepeatsRecord::new(5, record());
    let mut repeats = Vec::new();
    for (number, sizes) in [(1, 8), (2, 8), (3, 11)] {
        let mut happened = events(&growing(4096, 4.0, sizes));
        if number == 2 {
            for event in &mut happened {
                if let Event::SizeClosed(closed) = event
                    && let Some(best) = &mut closed.best
                    && let Some(metric) = &mut best.metric
                {
                    metric.value *= 0.9;
                }
            }
        }
        let study = view(happened);
        repeats.push(Repeat::of(number, record.seed(number), StudyState::Finished, &study));
    }
    let why = "no configuration is <right>, \"c[0]\" is 1".to_owned();
    for (number, state) in
        [(4, StudyState::Failed(why)), (5, StudyState::Unfinished("not begun".to_owned()))]
    {
        repeats.push(Repeat::of(number, record.seed(number), state, &view(Vec::new())));
    }
    RepeatsView::new(record, repeats)
}

fn file(name: &str) -> String {
    let files = files(&repeats()).expect("written");
    let (_, bytes) = files.into_iter().find(|(n, _)| n == name).expect("the file");
    String::from_utf8(bytes).expect("text")
}

#[test]
fn repeats_are_a_table() {
    let table = file("repeats.csv");
    let header = table.lines().next().expect("a header");
    insta::assert_snapshot!(header);
    let rows: Vec<csv::StringRecord> = csv::Reader::from_reader(table.as_bytes())
        .records()
        .map(|row| row.expect("a row"))
        .collect();
    assert_eq!(rows.len(), 10, "one row per study and detector");
    assert_eq!(&rows[6][3], "no configuration is <right>, \"c[0]\" is 1");
    assert_eq!((&rows[0][4], &rows[1][4]), ("kneedle", "hockney"));
    assert!(rows.iter().all(|row| row.len() == header.split(',').count()));
}

#[test]
fn repeats_are_told_on_the_terminal() {
    insta::assert_snapshot!(words::lines(&repeats()).join("\n"));
}

#[test]
fn the_page_of_repeats_links_to_each_study_and_loads_nothing() {
    let page = file("report.html");
    for number in 1..=3 {
        assert!(page.contains(&format!("<a href=\"{number}/report.html\">{number}</a>")));
    }
    assert!(!page.contains("4/report.html") && !page.contains("5/report.html"));
    assert!(page.contains("study 4 failed: no configuration is &lt;right&gt;"), "{page}");
    let page = without_scripts(&page);
    assert_eq!(page.matches("<svg").count(), 1);
    for outside in ["src=", "<link", "@import", "url("] {
        assert!(!page.contains(outside), "the page loads something: {outside}");
    }
    std::fs::write(concat!(env!("CARGO_TARGET_TMPDIR"), "/repeats.html"), &page).expect("kept");
}

#[test]
fn the_plot_shows_every_curve_their_median_and_the_band() {
    let svg = file("repeats.svg");
    for words in ["median of the studies", "each study", "each knee", "median knee", "band: from"] {
        assert!(svg.contains(words), "{words}");
    }
    assert!(svg.contains("polygon"), "the band");
}

#[test]
fn one_study_alone_has_no_plot_and_agrees_with_nobody() {
    let mut view = repeats();
    view.repeats.truncate(1);
    let view = RepeatsView::new(view.record, view.repeats);
    let names: Vec<String> = files(&view).expect("written").into_iter().map(|(n, _)| n).collect();
    assert_eq!(names, ["repeats.csv", "report.html"]);
    let together = words::together(&view);
    assert!(together[0].1.contains("it takes two finished studies"), "{together:?}");
}
