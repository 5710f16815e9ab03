//! The page of a family of strategies.

use records::{CandidateRecord, Difference, FamilyView, TestRow, TestTable};
use report::exporters::family::files;
use serde_json::json;

use crate::{browser::Browser, pages::Page};

/// A hostile name that a model might give its strategy.
const HARM: &str = "<b id=harm></pre></script><script>window.harmed = true</script>";

/// Twelve candidates; the third failed, and the last is the best.
pub(crate) fn of_a_family() -> Page {
    let space = |name: &str| json!({ "name": name, "configurations": 900, "hash": name });
    let record = serde_json::from_value(json!({
        "format": "autobench-family", "version": 1, "autobench": "0.1.0",
        "started": "2026-11-21T12:00:00Z", "argv": ["autobench", "evolve"], "candidates": 12,
        "generator": { "name": "llm", "described": HARM },
        "rules": { "seed": 1, "parents": 4, "offspring": 4, "repeats": 10, "final_repeats": 0,
                   "candidate_seconds": 300.0 },
        "spaces": [space("convolution_A100"), space("gemm_A100")],
        "test": { "spaces": [space("unseen")], "repeats": 100, "against": ["random"] },
    }));
    let candidate = |number: u64| {
        let failed = number == 3;
        let score = (!failed).then_some(0.3 + 0.05 * number as f64);
        CandidateRecord {
            number,
            generation: number.div_ceil(4),
            mutation: if number <= 4 { "begin" } else { "refine" }.to_owned(),
            parent: number.checked_sub(4).filter(|parent| *parent > 0),
            name: if number == 12 { HARM.to_owned() } else { format!("candidate_{number}") },
            about: "climbs".to_owned(),
            code: format!("-- {HARM}\nreturn {{ search = function(problem) end }}"),
            score,
            standard_error: score.map(|_| 0.02),
            spaces: score.map_or_else(Vec::new, |score| vec![score - 0.1, score + 0.1]),
            fault: failed.then(|| format!("003.luau:3: {HARM}")),
            seconds: number as f64,
            calls: 1,
            ..CandidateRecord::default()
        }
    };
    let row = |strategy: &str, score, difference| TestRow {
        strategy: strategy.to_owned(),
        score,
        standard_error: Some(0.02),
        spaces: vec![(score, Some(0.02))],
        difference,
    };
    let ahead = Difference {
        score: 0.4,
        interval: Some((0.34, 0.46)),
        over_spaces: None,
        better_on: 1,
        wins: 0.9,
    };
    let view = FamilyView {
        record: record.expect("a record"),
        candidates: (1..=12).map(candidate).collect(),
        finals: None,
        test: Some(TestTable {
            best: 12,
            repeats: 100,
            seed: 1,
            spaces: vec!["unseen".to_owned()],
            rows: vec![row(HARM, 0.5, None), row("random", 0.1, Some(ahead))],
            seconds: 60.0,
        }),
    };
    let files = files(&view).expect("files");
    let page = files.iter().find(|(name, _)| name == "report.html").expect("a page");
    Page::with("report.html", &page.1)
}

#[test]
fn a_family_shows_its_tree_its_table_and_its_best_and_a_model_gets_nothing_in() {
    let page = of_a_family();
    let Some(mut browser) = Browser::open(&page.path(), 1280) else { return };
    assert_eq!(
        browser.text("String(window.harmed) + document.querySelectorAll('#harm').length"),
        "undefined0"
    );
    let heads =
        browser.text("[...document.querySelectorAll('h2')].map(h => h.textContent).join('|')");
    assert!(heads.contains("Family tree") && heads.contains("Over the calls"), "{heads}");
    let shown = browser.text("document.body.textContent");
    assert!(shown.contains("003.luau:3: <b id=harm>") && shown.contains("unseen"), "{shown}");
    // Sorted by score, the failed candidate comes last in both directions.
    let table = "[...document.querySelectorAll('table')].find(t => t.rows.length === 13)";
    let column =
        format!("[...{table}.rows[0].cells].findIndex(c => c.textContent.startsWith('score'))");
    for _ in 0..2 {
        browser.click(&format!("{table}.rows[0].cells[{column}].querySelector('button')"));
        let last = browser.text(&format!("{table}.rows[12].textContent"));
        assert!(last.contains("003.luau"), "{last}");
    }
    browser.picture("family-1280");
    browser.width(360);
    let wide = browser.number("document.documentElement.scrollWidth");
    assert!(wide <= 360.0, "{wide} pixels");
    browser.picture("family-360");
    browser.is_calm();
}
