//! Page of a family: its tree, scores and cost over calls, candidates, the best script, and the
//! final table.

use records::{CandidateRecord, FamilySpace, FamilyView, TestTable, command_line};

use super::{pictures::Pictures, words};
use crate::exporters::{
    page::{
        Cell,
        html::{card as card_of, escape, whole},
        row as page_row,
    },
    words::quantities::{counted, grouped, percent, rough_time},
};

pub(super) fn page(view: &FamilyView, pictures: &Pictures) -> String {
    let title = escape(&format!("A family of strategies by {}", view.record.generator.name));
    let mut body = format!("<h1>{title}</h1>\n");
    body += &format!("<p class=\"about\">{}</p>\n", escape(&about(view)));
    body += &cards(view);
    let figure = |svg: &Option<String>| {
        svg.as_ref().map_or_else(String::new, |svg| format!("<figure>\n{svg}</figure>\n"))
    };
    body += "<h2>Family tree</h2>\n";
    body += &figure(&pictures.tree);
    body += &view.test.as_ref().map_or_else(String::new, test);
    body += "<h2>Over the calls</h2>\n";
    for picture in [&pictures.scores, &pictures.failures, &pictures.tokens] {
        body += &figure(picture);
    }
    body += &finals(view);
    body += &candidates(view);
    body += &best(view);
    body += &conditions(view);
    let footer = format!("Made by autobench {} from the journal.", env!("CARGO_PKG_VERSION"));
    whole(&title, &body, &escape(&footer))
}

fn about(view: &FamilyView) -> String {
    let rules = &view.record.rules;
    let spaces = counted(view.record.spaces.len(), "recorded space");
    let target = match rules.target.as_str() {
        "" => String::new(),
        kernel => format!(" for the kernel {kernel}"),
    };
    format!(
        "Strategies{target} that {} wrote, scored on {spaces} with {} runs each, and selected: {} \
         survive of each generation and its {} children.",
        view.record.generator.words(),
        rules.repeats,
        rules.parents,
        rules.offspring
    )
}

fn cards(view: &FamilyView) -> String {
    let mut cards = String::new();
    let mut card = |what: &str, figure: &str, more: &str| cards += &card_of(what, figure, more);
    if let Some(best) = view.best() {
        let score = best.score.map_or_else(String::new, |score| format!("{score:.3}"));
        let error = best.standard_error.map_or_else(String::new, |e| format!("± {e:.3}, "));
        let finals = view.in_finals(best.number).and_then(|row| row.score);
        let finals = finals.map_or_else(String::new, |score| format!("; {score:.3} in the finals"));
        let more = format!("{error}candidate {}: {}{finals}", best.number, best.name);
        card("best score", &score, &more);
    }
    let failed = view.failed().count();
    let share = percent(failed as f64 / view.candidates.len().max(1) as f64);
    let (made, wanted) = (view.candidates.len() as u64, view.record.candidates);
    let more = format!("of {}; {failed} failed ({share})", grouped(wanted));
    card("candidates", &grouped(made), &more);
    let asked: f64 = view.candidates.iter().map(|one| one.answer_seconds).sum();
    let ran: f64 = view.candidates.iter().map(|one| one.seconds).sum();
    let tokens = view.tokens().map(|tokens| format!("{} tokens, ", grouped(tokens)));
    let more = format!(
        "{}{} for answers, {} for runs",
        tokens.unwrap_or_default(),
        rough_time(asked),
        rough_time(ran)
    );
    card("calls", &grouped(view.calls()), &more);
    if let Some(test) = &view.test
        && let Some(own) = test.rows.first()
    {
        let more =
            format!("{}, {} runs", counted(test.spaces.len(), "held-out space"), test.repeats);
        card("final score", &format!("{:.3}", own.score), &more);
    }
    format!("<div class=\"cards\">\n{cards}</div>\n")
}

/// Formats the final table, of the held-out spaces.
fn test(test: &TestTable) -> String {
    let heads = words::TEST_HEAD.iter().enumerate().map(|(at, head)| match at {
        0 => format!("<th>{head}</th>"),
        _ => format!("<th class=\"n\">{head}</th>"),
    });
    let spaces = test.spaces.iter().map(|space| format!("<th class=\"n\">{}</th>", escape(space)));
    let heads: String = heads.chain(spaces).collect();
    let rows = test.rows.iter().map(|row| {
        let [strategy, score, ahead, over, better, wins] = words::test_cells(row);
        let difference = row.difference.as_ref();
        let fixed = [
            Cell::text(&strategy),
            Cell::quantity(&score, Some(row.score)),
            Cell::quantity(&ahead, difference.map(|one| one.score)),
            Cell::figure(&over),
            Cell::quantity(&better, difference.map(|one| one.better_on as f64)),
            Cell::quantity(&wins, difference.map(|one| one.wins)),
        ];
        let spaces = row.spaces.iter();
        let spaces =
            spaces.map(|(score, e)| Cell::quantity(&words::error(Some(*score), *e), Some(*score)));
        page_row(fixed.into_iter().chain(spaces))
    });
    let sentence = format!("The best candidate and others {}.", words::about_test(test));
    format!(
        "<h2>Held-out spaces</h2>\n<p>{}</p>\n<div class=\"wide\"><table>\n<tr>{heads}</tr>\n{}\
         </table></div>\n<p class=\"about\">{}.</p>\n",
        escape(&sentence),
        rows.collect::<String>(),
        escape(words::TEST_LEGEND)
    )
}

/// Formats the best script and those of its ancestors.
fn best(view: &FamilyView) -> String {
    let Some(best) = view.best() else { return String::new() };
    let mut text =
        format!("<h2>The best</h2>\n<p>{}</p>\n{}", escape(&described(best)), code(&best.code));
    let ancestry = view.ancestry(best);
    if ancestry.len() > 1 {
        text += "<p>What it came from, the latest first:</p>\n";
    }
    for one in &ancestry[1..] {
        text += &format!(
            "<details><summary>{}</summary>\n{}</details>\n",
            escape(&described(one)),
            code(&one.code)
        );
    }
    text
}

fn described(one: &CandidateRecord) -> String {
    let what = match one.score {
        Some(_) => words::error(one.score, one.standard_error),
        None => words::fate(one),
    };
    let about = if one.about.is_empty() { String::new() } else { format!(": {}", one.about) };
    format!("Candidate {} ({}), {}{about} ({what})", one.number, words::lineage(one), one.name)
}

fn code(code: &str) -> String {
    format!("<pre><code>{}</code></pre>\n", escape(code))
}

/// Formats the finals, in which the last survivors were scored again.
fn finals(view: &FamilyView) -> String {
    let Some(finals) = &view.finals else { return String::new() };
    let rows = finals.rows.iter().filter_map(|row| {
        let one = view.numbered(row.number)?;
        let fault = row.fault.as_deref().unwrap_or_default();
        Some(page_row([
            Cell::count(one.number),
            Cell::text(&one.name),
            Cell::quantity(&words::error(one.score, one.standard_error), one.score),
            Cell::quantity(&words::error(row.score, row.standard_error), row.score),
            Cell::text(fault),
        ]))
    });
    format!(
        "<h2>Finals</h2>\n<p>{}</p>\n<div class=\"wide\"><table>\n<tr><th class=\"n\">number</th>\
         <th>name</th><th class=\"n\">score in the loop</th><th class=\"n\">in the finals</th>\
         <th></th></tr>\n{}</table></div>\n",
        escape(&format!(
            "Those that survived last, {} runs each on every training space from seed {}.",
            finals.repeats, finals.seed
        )),
        rows.collect::<String>()
    )
}

fn candidates(view: &FamilyView) -> String {
    let counts_tokens = view.tokens().is_some();
    let tokens = if counts_tokens { "<th class=\"n\">tokens</th>" } else { "" };
    let rows = view.candidates.iter().map(|one| {
        let parent = one.parent;
        let mut cells = vec![
            Cell::count(one.number),
            Cell::text(&one.name),
            Cell::quantity(&words::error(one.score, one.standard_error), one.score),
            Cell::text(&words::lineage(one)),
            Cell::count(one.generation),
            Cell::quantity(&format!("{:.1}", one.seconds), Some(one.seconds)),
            Cell::count(one.calls),
        ];
        if counts_tokens {
            cells.push(Cell::count(one.tokens.map_or(0, |tokens| tokens.all())));
        }
        let fate = words::fate(one);
        cells.push(Cell::text(if fate.is_empty() { &one.about } else { &fate }));
        let row = page_row(cells);
        let is_best = view.best().is_some_and(|best| best.number == one.number);
        match (is_best, parent) {
            (true, _) => row.replacen("<tr>", "<tr class=\"knee\">", 1),
            _ => row,
        }
    });
    format!(
        "<h2>Candidates</h2>\n<div class=\"wide\"><table>\n<tr><th class=\"n\">number</th>\
         <th>name</th><th class=\"n\">score</th><th>made by</th><th class=\"n\">generation</th>\
         <th class=\"n\">seconds</th><th class=\"n\">calls</th>{tokens}\
         <th>what it is, or why it failed</th></tr>\n{}</table></div>\n",
        rows.collect::<String>()
    )
}

fn conditions(view: &FamilyView) -> String {
    let record = &view.record;
    let table = |title: &str, spaces: &[FamilySpace]| {
        let rows = spaces.iter().map(|space| {
            page_row([
                Cell::text(&space.name),
                Cell::text(&space.kernel),
                Cell::text(&space.device),
                Cell::count(space.configurations),
            ])
        });
        format!(
            "<h2>{title}</h2>\n<div class=\"wide\"><table>\n<tr><th>space</th><th>kernel</th>\
             <th>device</th><th class=\"n\">configurations</th></tr>\n{}</table></div>\n",
            rows.collect::<String>()
        )
    };
    let mut text = table("Training spaces", &record.spaces);
    if let Some(plan) = record.test.as_ref().filter(|_| view.test.is_none()) {
        text += &table("Spaces that are held out", &plan.spaces);
    }
    let rules = &record.rules;
    let seconds = rough_time(rules.candidate_seconds);
    let remark = record.generator.remark.as_ref();
    let remark = remark.map_or_else(String::new, |text| format!("<p>{}.</p>\n", escape(text)));
    text += &format!(
        "<h2>Conditions</h2>\n<p>{}</p>\n{remark}<p>The command:</p>\n<pre><code>{}</code></pre>\n",
        escape(&format!(
            "Seed {}. A candidate has {seconds} on the clock for all its runs. Begun {} UTC.",
            rules.seed,
            record.started.format("%Y-%m-%d %H:%M")
        )),
        escape(&command_line(&record.argv))
    );
    text
}
