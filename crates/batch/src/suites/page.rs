//! Writes `suite.html`: all studies on one page, and the cost of precision for kernels that vary
//! it.

use std::path::Path;

use records::{
    JOURNAL_FILE, ScoreRecord, StudyFolder, StudyRecord, StudyState, StudyView, command_line,
    read_journal,
};
use report::exporters::{
    Cell, ExportError, FigureError, PageData, Scales, Table, TableRow, configuration, escape,
    precision, row as page_row, saturation, threshold_rows, threshold_table, whole,
};

use super::{
    figure, map,
    row::{SuiteRow, SuiteView},
    scores, words,
};

struct FinishedStudy {
    label: String,
    record: StudyRecord,
    view: StudyView,
}

/// The page. If a study has thresholds, also a table of the best configuration under each
/// threshold.
pub(super) fn files(view: &SuiteView, path: &Path) -> Result<Vec<(String, Vec<u8>)>, ExportError> {
    let studies: Vec<FinishedStudy> =
        view.rows.iter().filter_map(|row| finished(row, path)).collect();
    let mut files = vec![("suite.html".to_owned(), page(view, path, &studies)?.into_bytes())];
    let rows: Vec<TableRow> = studies.iter().flat_map(under_thresholds).collect();
    if !rows.is_empty() {
        let mut table = Table::default();
        rows.into_iter().for_each(|row| table.push(row));
        files.push(("thresholds.csv".to_owned(), table.csv()?));
    }
    Ok(files)
}

/// Reads the study of a row if the study has finished.
fn finished(row: &SuiteRow, path: &Path) -> Option<FinishedStudy> {
    let folder = row.folder.as_ref().filter(|_| row.state == StudyState::Finished)?;
    let folder = StudyFolder::open(&path.join(folder)).ok()?;
    let record = folder.read_study().ok()?;
    let view = StudyView::from_events(&read_journal(&folder.file(JOURNAL_FILE)).ok()?.entries);
    Some(FinishedStudy { label: row.label.clone(), record, view })
}

fn under_thresholds(study: &FinishedStudy) -> Vec<TableRow> {
    let bests = study.view.thresholds.as_ref();
    let rows = bests.map(|bests| threshold_rows(&study.record, bests)).unwrap_or_default();
    rows.into_iter()
        .map(|columns| {
            let mut row = TableRow::default();
            row.text("label", &study.label)
                .text("benchmark", &study.record.benchmark.name)
                .text("device", &study.record.device.name)
                .append(columns);
            row
        })
        .collect()
}

fn page(view: &SuiteView, path: &Path, studies: &[FinishedStudy]) -> Result<String, ExportError> {
    let title = escape(&view.record.suite);
    let mut body = format!("<h1>{title}</h1>\n");
    body += &format!("<p class=\"about\">{}</p>\n", escape(&view.record.about));
    body += &format!("<p>{}.</p>\n", escape(&words::count(view)));
    body += &answers(view);
    body += &repeats(view);
    for (name, bytes) in figure::files(view)?.into_iter().chain(map::files(view, path)?) {
        if let (true, Ok(svg)) = (name.ends_with(".svg"), String::from_utf8(bytes)) {
            body += &format!("<figure>\n{svg}</figure>\n");
        }
    }
    body += &charts(studies);
    for label in view.record.curves.iter().flatten().map(|number| view.record.label(*number)) {
        for FinishedStudy { record, view, .. } in studies.iter().filter(|one| one.label == label) {
            let drawn = saturation(record, view, Scales::LINEAR_TIME);
            body += &titled(label, drawn)?;
        }
    }
    body += &strategies(view);
    for study in studies {
        body += &of_study(study)?;
    }
    body += &format!(
        "<h2>Conditions</h2>\n<p>Medians with half their 95 % interval; gain over the default \
         configuration (≈: its interval holds 1). What else holds of a study is on its own page.</p>\n\
         <p>The command:</p>\n<pre><code>{}</code></pre>\n",
        escape(&command_line(&view.record.argv))
    );
    let mut data = PageData::new();
    studies.iter().for_each(|study| data.study(&study.label, &study.record, &study.view));
    body += &data.element();
    let footer =
        format!("Made by autobench {} from the journals of the studies.", view.record.autobench);
    Ok(whole(&title, &body, &escape(&footer)))
}

/// Empty elements that the page's script fills with charts. Without scripts, the table shows the
/// answers, and each study's own page has pictures.
fn charts(studies: &[FinishedStudy]) -> String {
    if studies.is_empty() {
        return String::new();
    }
    "<div data-chart=\"curves\" data-title=\"Curves\"></div>\n\
     <div data-chart=\"trials\" data-title=\"Searches\"></div>\n\
     <div data-chart=\"front\" data-title=\"Trade-offs\"></div>\n"
        .to_owned()
}

/// A table under a title. The columns `texts` hold no numbers.
fn table(title: &str, heads: &[&str], texts: &[&str], rows: &str) -> String {
    let heads = heads.iter().map(|head| {
        let class = if texts.contains(head) { "" } else { " class=\"n\"" };
        format!("<th{class}>{}</th>", escape(head))
    });
    let heads: String = heads.collect();
    format!(
        "<h2>{title}</h2>\n<div class=\"wide\"><table>\n<tr>{heads}</tr>\n{rows}</table></div>\n"
    )
}

/// All studies. Labels and answers are texts, which may wrap.
fn answers(view: &SuiteView) -> String {
    let rows: String = view.rows.iter().map(row).collect();
    table("Studies", &words::HEAD, &["label", "answer"], &rows)
}

/// The knees of repeats.
fn repeats(view: &SuiteView) -> String {
    let rows = words::knees_of_repeats(view);
    let rows: String = rows.map(|cells| page_row(cells.map(|cell| Cell::text(&cell)))).collect();
    match rows.is_empty() {
        true => rows,
        false => table("Repeats", &words::REPEATS_HEAD, &words::REPEATS_HEAD, &rows),
    }
}

/// Values of strategies, and the published results.
fn strategies(view: &SuiteView) -> String {
    let of = |study: &SuiteRow| {
        let rows = words::score_cells(study).into_iter().zip(scores::shown(study));
        let rows = rows.map(|([number, label, strategy, figure, here, published], one)| {
            let here = Cell::quantity(&here, one.row.value);
            let [label, strategy, figure] = [label, strategy, figure].map(|text| Cell::text(&text));
            let number = Cell::quantity(&number, Some(study.study as f64));
            page_row([number, label, strategy, figure, here, Cell::text(&published)])
        });
        rows.collect::<String>()
    };
    let rows: String = view.rows.iter().map(of).collect();
    let mut section = String::new();
    if !rows.is_empty() {
        let texts = ["label", "strategy", "figure", "published"];
        section = table("Strategies", &words::SCORE_HEAD, &texts, &rows)
            + "<p>Means over the spaces ± their standard deviation (95 % interval from resampled \
               runs).</p>\n";
    }
    for (head, sentences) in words::published(view) {
        let items = sentences.iter().map(|sentence| format!("<li>{}</li>\n", escape(sentence)));
        section +=
            &format!("<h2>{}</h2>\n<ul>\n{}</ul>\n", escape(&head), items.collect::<String>());
    }
    section
}

fn row(study: &SuiteRow) -> String {
    let [number, label, size, time, metric, error, gain, evaluations, last] = words::cells(study);
    let answer = study.begun.as_ref().and_then(|begun| begun.answer.as_ref());
    let best = study.score.as_ref().and_then(ScoreRecord::best);
    let tried = study.begun.as_ref().map(|begun| begun.evaluations);
    let tried = tried.or_else(|| best?.evaluations);
    let reached = answer.and_then(|answer| Some(answer.metric_figure.as_ref()?.value));
    let has_page = study.state == StudyState::Finished && study.score.is_none();
    let (label, last) = match study.folder.as_ref().filter(|_| has_page) {
        Some(folder) => {
            let link = format!("<a href=\"{}/report.html\">{}</a>", escape(folder), escape(&label));
            (Cell::html(link), Cell::html(configuration(&last)))
        }
        None => (Cell::text(&label), Cell::text(&last)),
    };
    page_row([
        Cell::quantity(&number, Some(study.study as f64)),
        label,
        Cell::phrase(&size, answer.and_then(|answer| Some(answer.size? as f64))),
        Cell::quantity(&time, answer.map(|answer| answer.seconds)),
        Cell::quantity(&metric, reached.or_else(|| best?.value)),
        Cell::quantity(&error, answer.and_then(|answer| answer.error)),
        Cell::quantity(&gain, answer.and_then(|answer| answer.gain)),
        Cell::quantity(&evaluations, tried.map(|tried| tried as f64)),
        last,
    ])
}

/// Speed, footprint and energy of a study over the error, and the best under each threshold.
fn of_study(study: &FinishedStudy) -> Result<String, ExportError> {
    let FinishedStudy { label, record, view } = study;
    let Some(gains) = view.precision_gains(record) else { return Ok(String::new()) };
    let figure = titled(label, precision(record, &gains))?;
    let table = view.thresholds.as_ref().filter(|_| !figure.is_empty()).map(threshold_table);
    Ok(figure + &table.unwrap_or_default())
}

/// A picture under a title; nothing if there is nothing to draw.
fn titled(title: &str, drawn: Result<String, FigureError>) -> Result<String, ExportError> {
    match drawn {
        Ok(svg) => Ok(format!("<h2>{}</h2>\n<figure>\n{svg}</figure>\n", escape(title))),
        Err(FigureError::Empty(_)) => Ok(String::new()),
        Err(fault) => Err(fault.into()),
    }
}
