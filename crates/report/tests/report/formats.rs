//! Each format of the same study, word for word. Numbers are compared to five digits, since
//! machines may differ in the last bit of a logarithm.

use records::{Event, StudyFolder, StudyView};
use report::exporters::{EXPORTERS, ExportError, Options, write};

use crate::study::{events, growing, record, view};

/// Returns a file of a format as text.
fn file(format: &str, name: &str, view: &StudyView) -> String {
    let exporter = EXPORTERS.find(format).expect("a known format");
    let files = (exporter.export)(&record(), view, &Options::default()).expect("exported");
    let (_, bytes) = files.into_iter().find(|(n, _)| n == name).expect("the file");
    String::from_utf8(bytes).expect("text")
}

/// Rounds the long numbers of a text.
fn rounded(text: &str) -> String {
    let mut out = String::new();
    let mut number = String::new();
    for c in text.chars().chain(['\0']) {
        if c.is_ascii_digit() || (c == '.' && !number.is_empty()) {
            number.push(c);
            continue;
        }
        match number.parse::<f64>() {
            Ok(value) if number.contains('.') && number.len() > 7 => {
                let magnitude = value.abs().max(1e-300).log10().floor();
                let decimals = (4.0 - magnitude).max(0.0) as usize;
                out += &format!("{value:.decimals$}");
            }
            _ => out += &number,
        }
        number.clear();
        if c != '\0' {
            out.push(c);
        }
    }
    out
}

fn study() -> StudyView {
    view(events(&growing(4096, 8.0, 5)))
}

#[test]
fn sizes_are_a_table() {
    insta::assert_snapshot!(rounded(&file("csv", "sizes.csv", &study())));
}

#[test]
fn trials_are_a_table() {
    let text = file("csv", "trials.csv", &study());
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 61, "a header and all trials");
    insta::assert_snapshot!(rounded(&lines[..14].join("\n")));
}

#[test]
fn tables_are_read_again_with_the_same_numbers() {
    let view = study();
    let text = file("csv", "sizes.csv", &view);
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let column = reader
        .headers()
        .expect("a header")
        .iter()
        .position(|name| name == "seconds_median")
        .expect("the column");
    for (row, (_, figure)) in reader.records().zip(view.measured()) {
        let value: f64 = row.expect("a row")[column].parse().expect("a number");
        assert_eq!(value.to_bits(), figure.seconds.median.to_bits());
    }
}

#[test]
fn a_readme_gets_a_table() {
    insta::assert_snapshot!(file("markdown", "study.md", &study()));
}

#[test]
fn a_kernel_gets_a_header() {
    insta::assert_snapshot!(file("header", "best.h", &study()));
}

#[test]
fn a_program_gets_a_document() {
    let document: serde_json::Value =
        serde_json::from_str(&file("json", "export.json", &study())).expect("JSON");
    assert_eq!(document["format"], "autobench-export");
    assert_eq!(document["accepted"]["detector"], "kneedle");
    assert_eq!(document["sizes"].as_array().map(Vec::len), Some(5));
    assert_eq!(document["trials"].as_array().map(Vec::len), Some(60));
    assert_eq!(document["winner"]["best"]["configuration"]["block_size_x"], 256);
    let keys: Vec<&String> = document.as_object().expect("an object").keys().collect();
    insta::assert_debug_snapshot!(keys);
}

/// Returns a page as it is read without scripts. The page's own scripts are inline and load
/// nothing, which a test in a browser checks.
pub(crate) fn without_scripts(page: &str) -> String {
    let mut words = String::new();
    let mut rest = page;
    while let Some(at) = rest.find("<script") {
        assert!(!rest[at..at + rest[at..].find('>').expect("its end")].contains("src="));
        words += &rest[..at];
        rest = &rest[at + rest[at..].find("</script>").expect("its end") + "</script>".len()..];
    }
    words + rest
}

#[test]
fn a_page_holds_everything_and_loads_nothing() {
    let page = file("report", "report.html", &study());
    std::fs::write(concat!(env!("CARGO_TARGET_TMPDIR"), "/report.html"), &page).expect("kept");
    let page = without_scripts(&page);
    // Saturation over both scales, the samples and the search.
    assert_eq!(page.matches("<svg").count(), 4);
    for outside in ["src=", "<link", "@import", "url("] {
        assert!(!page.contains(outside), "the page loads something: {outside}");
    }
    let mut words = String::new();
    let mut rest = page.as_str();
    while let Some(at) = rest.find("<svg") {
        words += &rest[..at];
        words += "[figure]";
        rest = &rest[at + rest[at..].find("</svg>").expect("its end") + "</svg>".len()..];
    }
    words += rest;
    let body = words.find("<body>").expect("a body");
    insta::assert_snapshot!(&words[body..]);
}

#[test]
fn what_the_device_knows_of_the_winner_stands_next_to_the_default() {
    let mut view = study();
    for point in &mut view.sizes {
        let Some(closed) = &mut point.closed else { continue };
        for (figure, registers) in [(&mut closed.best, 40.0), (&mut closed.default, 32.0)] {
            let Some(figure) = figure else { continue };
            figure.metrics.insert("kernel_registers".to_owned(), registers);
            figure.metrics.insert("kernel_shared_bytes".to_owned(), 100.0 * registers);
            figure.metrics.insert("kernel_fibers".to_owned(), 0.0);
        }
    }
    let page = file("report", "report.html", &view);
    assert!(page.contains("<tr><td>registers</td><td>40</td><td>32</td></tr>"));
    assert!(page.contains("<tr><td>shared bytes</td><td>4000</td><td>3200</td></tr>"));
    assert!(!page.contains("<td>fibers</td>"), "nothing to say");
}

/// The study with every second trial in f64. A single format has no trade-off to show.
fn mixed() -> StudyView {
    let mut view = study();
    for row in view.trials.iter_mut().step_by(2) {
        let named = &mut row.event.trial.configuration.0;
        for (_, value) in named.iter_mut().filter(|(name, _)| name == "format") {
            *value = "f64".into();
        }
    }
    view
}

#[test]
fn names_that_look_like_markup_stay_text() {
    let mut record = record();
    record.device.name = "<script>alert('x')</script> */ | \"GPU\"\n#error".to_owned();
    record.argv.push("</pre><img src=x>".to_owned());
    let view = mixed();
    for exporter in EXPORTERS.iter() {
        for (name, bytes) in
            (exporter.export)(&record, &view, &Options::default()).expect("exported")
        {
            let text = String::from_utf8_lossy(&bytes);
            if name.ends_with("html") || name.ends_with("svg") {
                assert!(!text.contains("<script>alert") && !text.contains("<img"), "{name}");
            }
            if name.ends_with(".h") {
                assert!(!text.lines().any(|line| line.starts_with("#error")), "{text}");
                assert!(!text.contains("</script> */"), "{text}");
            }
        }
    }
}

#[test]
fn every_exporter_makes_the_files_it_names() {
    for exporter in EXPORTERS.iter() {
        let files = (exporter.export)(&record(), &mixed(), &Options::default()).expect("exported");
        let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
        // This study has one objective and neither thresholds nor ceilings. `front.rs` tests
        // several objectives, and `roofline.rs` tests ceilings.
        let named = exporter.file_names.iter().copied();
        let unasked = |name: &&str| {
            ["front.", "roofline."].iter().any(|start| name.starts_with(start))
                || *name == "thresholds.csv"
        };
        let expected: Vec<&str> = named.filter(|name| !unasked(name)).collect();
        assert_eq!(names, expected, "`{}`", exporter.name);
    }
}

#[test]
fn every_exporter_bears_a_study_that_was_cut_anywhere() {
    let all = events(&growing(4096, 8.0, 3));
    for end in 0..=all.len() {
        let view = view(all[..end].to_vec());
        for exporter in EXPORTERS.iter() {
            match (exporter.export)(&record(), &view, &Options::default()) {
                Ok(_) | Err(ExportError::Figure(_)) => {}
                Err(error) => assert!(view.winner().is_none(), "{}: {error}", exporter.name),
            }
        }
        if end > 20 {
            break;
        }
    }
    let failed: Vec<Event> = all.into_iter().filter(|e| !matches!(e, Event::Trial(_))).collect();
    let plot = EXPORTERS.find("plot").expect("known");
    assert!((plot.export)(&record(), &view(failed), &Options::default()).is_ok());
}

#[test]
fn a_folder_gets_its_files_and_unknown_formats_say_what_exists() {
    let out = tempfile::tempdir().expect("a folder");
    let folder = StudyFolder::create(out.path(), record().started, "a", "b", "c").expect("made");
    write("csv", &folder, &record(), &study()).expect("written");
    assert!(folder.file("sizes.csv").is_file() && folder.file("trials.csv").is_file());
    write("plot", &folder, &record(), &StudyView::default()).expect("nothing to draw is no fault");
    let error = write("xlsx", &folder, &record(), &study()).expect_err("unknown").to_string();
    assert!(
        error.contains("csv, header, json, kernel-tuner, markdown, plot, precision, report, t4"),
        "{error}"
    );
}
