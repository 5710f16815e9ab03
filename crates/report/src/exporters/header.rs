//! `header`: the best parameters as C macros, by device and size.
//!
//! Include the file before a kernel's source: it defines the macros that the kernel reads. If
//! `AUTOBENCH_SIZE` is defined, they are those of the smallest measured size that is not below it,
//! or of the largest size. Otherwise they are those of the size that the study answers with. To
//! include the headers of several devices, define `AUTOBENCH_CHOOSE_DEVICE` and one
//! `AUTOBENCH_DEVICE_…`.

use std::fmt::Write as _;

use records::{Figure, SizePoint, StudyRecord, StudyView, slug};

use super::{
    Delivery, ExportError, Exporter, NamedFile, Options,
    words::quantities::{seconds, significant},
};

inventory::submit!(Exporter {
    name: "header",
    about: "the best parameters per device and size as C macros",
    file_names: &["best.h"],
    delivery: Delivery::Stream,
    export,
    recorded: None,
});

fn export(
    record: &StudyRecord,
    view: &StudyView,
    _options: &Options,
) -> Result<Vec<NamedFile>, ExportError> {
    let Some(winner) = view.winner() else {
        let why = "no size has a best configuration".to_owned();
        return Err(ExportError::Format { format: "header", why });
    };
    Ok(vec![("best.h".to_owned(), text(record, view, winner).into_bytes())])
}

pub(super) fn text(
    record: &StudyRecord,
    view: &StudyView,
    winner: (&SizePoint, &Figure),
) -> String {
    let word = |text: &str| slug(text).replace('-', "_").to_ascii_uppercase();
    let (benchmark, device) = (word(&record.benchmark.name), word(&record.device.name));
    let guard = format!("AUTOBENCH_BEST_{benchmark}_{device}_H");
    let mut out = format!(
        "/* The best parameters of {} on {}.\n   Made by autobench {} from the study of {}. */\n\
         #ifndef {guard}\n#define {guard}\n\n\
         #if !defined(AUTOBENCH_CHOOSE_DEVICE) || defined(AUTOBENCH_DEVICE_{device})\n\n",
        comment(&record.benchmark.name),
        comment(&record.device.name),
        record.autobench,
        record.started.format("%Y-%m-%d %H:%M UTC"),
    );
    out += "#if !defined(AUTOBENCH_SIZE)\n";
    out += &macros(record, winner.0, winner.1);
    let measured: Vec<_> = view.held().collect();
    for (at, (point, figure)) in measured.iter().enumerate() {
        if at + 1 == measured.len() {
            out += "#else\n";
        } else {
            let _ = writeln!(out, "#elif AUTOBENCH_SIZE <= {}", point.size);
        }
        out += &macros(record, point, figure);
    }
    let _ = write!(out, "#endif\n\n#endif /* AUTOBENCH_DEVICE_{device} */\n#endif /* {guard} */\n");
    out
}

fn macros(record: &StudyRecord, point: &SizePoint, figure: &Figure) -> String {
    let mut out = format!("/* size {}: {}", point.size, seconds(figure.seconds.median));
    if let Some(metric) = &figure.metric {
        let unit = comment(&record.benchmark.secondary.unit);
        let _ = write!(out, ", {} {unit}", significant(metric.value, 4));
    }
    out += " */\n";
    for (name, value) in &figure.configuration.0 {
        if is_identifier(name) {
            let text = comment(&record.benchmark.macro_text(name, value));
            let _ = writeln!(out, "#define {name} {text}");
        } else {
            let _ = writeln!(out, "/* `{}` cannot name a macro */", comment(name));
        }
    }
    out
}

fn is_identifier(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && letters.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Replaces what would end a comment or a line.
fn comment(text: &str) -> String {
    text.replace("*/", "* /").replace("/*", "/ *").replace(['\n', '\r', '\\'], " ")
}
