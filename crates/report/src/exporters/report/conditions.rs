//! Conditions of a study: device, host, settings, time and hashes.

use records::{Progress, Stages, StudyRecord, StudyView, command_line};

use crate::exporters::{
    page::html::escape,
    words::{
        self,
        quantities::{grouped, percent, seconds},
        trade_offs,
    },
};

pub(super) fn conditions(record: &StudyRecord, view: &StudyView) -> String {
    let settings = &record.settings;
    let mut rows = String::new();
    let mut row = |name: &str, value: String| {
        if !value.is_empty() {
            rows += &format!("<tr><th>{}</th><td>{}</td></tr>\n", escape(name), escape(&value));
        }
    };
    row("device", record.device.name.clone());
    row("replayed", words::conditions::replayed(record).unwrap_or_default());
    row("memory", words::conditions::memory(record));
    row("compiler", record.device.compiler.clone());
    for (name, value) in &record.device.facts {
        row(name, value.clone());
    }
    let host = &record.host;
    let parts = [&host.name, &host.processor, &host.system, &host.architecture];
    let parts: Vec<&str> =
        parts.into_iter().map(String::as_str).filter(|p| !p.is_empty()).collect();
    row("host", parts.join(", "));
    if let Some(largest) = view.started.largest {
        row("largest size", format!("{} ({})", grouped(largest), view.started.why));
    }
    row("growth ended", view.growth_ended.clone().unwrap_or_default());
    row("caches", words::conditions::caches(record, view));
    let proofs = view.started.caches.as_ref().map(words::conditions::proofs);
    row("cold reads", proofs.unwrap_or_default().join("; "));
    if let Some(noise) = &view.started.noise {
        let (difference, spread) = (percent(noise.difference), percent(noise.spread));
        row(
            "noise",
            format!(
                "the same configuration against itself: medians {difference} apart, spread {spread}"
            ),
        );
    }
    row("strategy", settings.strategy.clone());
    let learnt: Vec<String> = record.learnt_from.iter().map(words::conditions::learnt).collect();
    row("learnt from", learnt.join("; "));
    row("objective", trade_offs::objectives(record));
    row("seed", settings.seed.to_string());
    row("started", record.started.format("%Y-%m-%d %H:%M:%S UTC").to_string());
    row("took", words::stages::total(&Stages::of(record, view)));
    if let Progress::Finished(charged) = view.progress {
        row("charged to the budget", seconds(charged));
    }
    if view.resumed > 0 {
        row("resumed", format!("{} times", view.resumed));
    }
    row("autobench", record.autobench.clone());
    for (name, hash) in &record.hashes {
        row(&format!("SHA-256 of the {name}"), hash.clone());
    }
    format!(
        "<h2>Conditions</h2>\n<div class=\"wide\"><table>\n{rows}</table></div>\n\
         <p>The command:</p>\n<pre><code>{}</code></pre>\n",
        escape(&command_line(&record.argv))
    )
}
