//! A study's answer, sizes and conditions as text, for `show --all`.

use records::{Progress, Stages, StudyRecord, StudyView, command_line};
use report::exporters::{
    ceilings,
    quantities::{bytes, counted, grouped, percent, seconds, significant},
    trade_offs, words,
};

pub(super) fn lines(record: &StudyRecord, view: &StudyView) -> Vec<String> {
    let mut lines = vec![format!("{} on {}", record.benchmark.name, record.device.name)];
    let mut add =
        |word: &str, text: String| lines.push(format!("{word:<10}{text}").trim_end().to_owned());
    if !record.benchmark.about.is_empty() {
        add("", record.benchmark.about.clone());
    }
    add("progress", progress(record, view));
    let mut word = "knee";
    for line in words::knee::lines(record, view) {
        add(std::mem::take(&mut word), line);
    }
    let mut word = "levels";
    for line in words::levels::lines(record, view) {
        add(std::mem::take(&mut word), line);
    }
    if let Some(why) = &view.growth_ended {
        add("growth", format!("ended: {why}"));
    }
    if let Some((point, best)) = view.winner() {
        let mut word = "best";
        let place = words::at_size(record, point.size);
        let values = best.configuration.0.iter().map(|(name, value)| format!("{name} = {value}"));
        for line in Some(place.trim_start().to_owned()).into_iter().chain(values) {
            if !line.is_empty() {
                add(std::mem::take(&mut word), line);
            }
        }
        add("", words::figure(record, best));
        if let Some(tried) = words::tried::sentence(view, point) {
            add("tried", tried);
        }
        if let Some(closed) = &point.closed {
            add("gain", words::gain::both(closed, view.precise.as_ref()));
        }
        if let Some(precise) = view.precise.as_ref().and_then(|precise| precise.best.as_ref()) {
            add("", format!("in full precision: {}", precise.configuration));
            add("", words::figure(record, precise));
        }
        let mut word = "ceiling";
        for line in ceilings::of_study(record, view) {
            add(std::mem::take(&mut word), line);
        }
        let mut word = "within";
        for line in view.thresholds.iter().flat_map(words::thresholds::lines) {
            add(std::mem::take(&mut word), line);
        }
    }
    for front in view.fronts(record) {
        add(
            "front",
            match words::at_size(record, front.size).trim_start() {
                "" => trade_offs::count(record, &front),
                place => format!("{place}: {}", trade_offs::count(record, &front)),
            },
        );
        for line in trade_offs::table(record, &front) {
            add("", line);
        }
    }
    for source in &record.learnt_from {
        add("learnt", format!("from {}", words::conditions::learnt(source)));
    }
    for line in table(record, view) {
        add("", line);
    }
    add("time", words::stages::time(&Stages::of(record, view)));
    for (word, text) in conditions(record, view) {
        add(word, text);
    }
    let mut said: Vec<String> = Vec::new();
    let seen = record.device.warnings.iter().chain(&view.started.warnings).cloned();
    let seen = seen.chain(words::conditions::faults(view));
    for warning in seen.chain(words::unsettled(view)) {
        if !said.contains(&warning) {
            add("warning", warning.clone());
            said.push(warning);
        }
    }
    lines
}

fn progress(record: &StudyRecord, view: &StudyView) -> String {
    let started = record.started.format("%Y-%m-%d %H:%M:%S UTC");
    let end = match &view.progress {
        Progress::Open => "not finished; `autobench resume` goes on".to_owned(),
        Progress::Interrupted(why) => format!("interrupted: {why}; `autobench resume` goes on"),
        Progress::Finished(_) => {
            format!("finished in {}", words::stages::total(&Stages::of(record, view)))
        }
    };
    let (trials, sizes) = (counted(view.trials.len(), "trial"), counted(view.sizes.len(), "size"));
    format!("started {started}, {end}; {trials} at {sizes}")
}

fn table(record: &StudyRecord, view: &StudyView) -> Vec<String> {
    let unit = &record.benchmark.secondary.unit;
    let mut lines = vec![String::new()];
    lines.push(format!(
        "{:>16} {:>12} {:>12} {:>7}  best configuration",
        "size", "time", unit, "gain"
    ));
    for point in &view.sizes {
        let best = point.best();
        let metric = best.and_then(|f| f.metric.as_ref());
        let configuration = match (best, &point.closed) {
            (Some(figure), _) if figure.unsettled => {
                format!("{} (unsettled)", figure.configuration)
            }
            (Some(figure), _) => figure.configuration.to_string(),
            (None, Some(closed)) => closed.why.clone(),
            (None, None) => "still open".to_owned(),
        };
        lines.push(format!(
            "{:>16} {:>12} {:>12} {:>7}  {configuration}",
            words::size(record, point.size),
            best.map_or("–".to_owned(), |f| seconds(f.seconds.median)),
            metric.map_or("–".to_owned(), |m| significant(m.value, 4)),
            words::gain::cell(point.closed.as_ref()),
        ));
    }
    lines.push(String::new());
    lines
}

fn conditions(record: &StudyRecord, view: &StudyView) -> Vec<(&'static str, String)> {
    let settings = &record.settings;
    let mut all = vec![
        ("caches", words::conditions::caches(record, view)),
        ("search", format!("strategy {}, seed {}", settings.strategy, settings.seed)),
        ("compiler", record.device.compiler.clone()),
    ];
    if let Some(simulated) = words::conditions::replayed(record) {
        all.push(("replayed", simulated));
    }
    if let Some(largest) = view.started.largest {
        let taken = view.started.largest_bytes.map_or_else(String::new, |b| bytes(b as f64) + ", ");
        all.push(("largest", format!("{} ({taken}{})", grouped(largest), view.started.why)));
    }
    if let Some(noise) = &view.started.noise {
        all.push(("noise", format!("spread {}", percent(noise.spread))));
    }
    all.push(("command", command_line(&record.argv)));
    all
}
