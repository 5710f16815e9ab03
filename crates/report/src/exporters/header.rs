//! `header`: the best parameters as C macros, by device and size.
//!
//! Each macro has the benchmark's name in front, `AUTOBENCH_VECADD_block_size_x`, so that the file can
//! be included anywhere. Define `AUTOBENCH_PLAIN_NAMES` and include it right before a kernel's
//! source, even if it was included before, to get the names that the kernel reads, too. If `AUTOBENCH_SIZE` is defined, the values
//! are those of the smallest measured size that is not below it, or of the largest size. Otherwise
//! they are those of the size that the study answers with. To include the headers of several
//! devices, define `AUTOBENCH_CHOOSE_DEVICE` and one `AUTOBENCH_DEVICE_…`.

use std::fmt::Write as _;

use records::{
    Figure, SizePoint, StudyRecord, StudyView,
    sinks::{self, c_comment},
    slug,
};

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
    let prefix = format!("AUTOBENCH_{benchmark}_");
    let is_chosen =
        format!("!defined(AUTOBENCH_CHOOSE_DEVICE) || defined(AUTOBENCH_DEVICE_{device})");
    let mut out = format!(
        "/* The best parameters of {} on {}.\n   Made by autobench {} from the study of {}. */\n\
         #ifndef {guard}\n#define {guard}\n\n\
         #if {is_chosen}\n\n",
        c_comment(&record.benchmark.name),
        c_comment(&record.device.name),
        c_comment(&record.autobench),
        record.started.format("%Y-%m-%d %H:%M UTC"),
    );
    out += "#if !defined(AUTOBENCH_SIZE)\n";
    out += &macros(record, &prefix, winner);
    let measured: Vec<_> = view.held().collect();
    for (at, (point, figure)) in measured.iter().enumerate() {
        if at + 1 == measured.len() {
            out += "#else\n";
        } else {
            let _ = writeln!(out, "#elif AUTOBENCH_SIZE <= {}", point.size);
        }
        out += &macros(record, &prefix, (point, figure));
    }
    let _ = write!(
        out,
        "#endif\n\n#endif /* AUTOBENCH_DEVICE_{device} */\n#endif /* {guard} */\n\n\
         #if defined(AUTOBENCH_PLAIN_NAMES) && ({is_chosen})\n"
    );
    out + &plain_names(record, &prefix, winner.1)
}

fn macros(record: &StudyRecord, prefix: &str, (point, figure): (&SizePoint, &Figure)) -> String {
    let mut out = format!("/* size {}: {}", point.size, seconds(figure.seconds.median));
    if let Some(metric) = &figure.metric {
        let unit = c_comment(&record.benchmark.secondary.unit);
        let _ = write!(out, ", {} {unit}", significant(metric.value, 4));
    }
    out += " */\n";
    for (name, value) in &figure.configuration.0 {
        let text = record.benchmark.macro_text(name, value);
        let (shown, value) = (c_comment(name), c_comment(&text));
        let _ = match (is_identifier(name), is_macro_text(&text)) {
            (true, true) => writeln!(out, "#define {prefix}{name} {text}"),
            (true, false) => writeln!(out, "/* `{value}` cannot be the macro `{shown}` */"),
            (false, _) => writeln!(out, "/* `{shown}` cannot name a macro */"),
        };
    }
    out
}

/// The names without a prefix, for those who ask for them, up to the end of the file.
fn plain_names(record: &StudyRecord, prefix: &str, figure: &Figure) -> String {
    let mut out = String::new();
    for (name, value) in figure.configuration.0.iter().filter(|(name, _)| is_identifier(name)) {
        let _ = match is_macro_text(&record.benchmark.macro_text(name, value)) {
            true => writeln!(out, "#define {name} {prefix}{name}"),
            false => writeln!(out, "/* `{name}` has no macro */"),
        };
    }
    out + "#endif\n"
}

fn is_identifier(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && letters.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Whether every compiler takes the text as a macro's: one line whose quotes and comments end.
fn is_macro_text(text: &str) -> bool {
    let mut quote = None;
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => drop(letters.next()),
            '"' | '\'' if quote.is_none() => quote = Some(letter),
            letter if quote == Some(letter) => quote = None,
            _ => {}
        }
    }
    let joins = text.trim().starts_with("##") || text.trim().ends_with("##");
    let whole = quote.is_none() && !text.contains("/*") && !text.trim_end().ends_with('\\');
    whole && !joins && !text.contains("__VA_") && sinks::line(text) == text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_macros_text_is_one_line_whose_quotes_and_comments_end() {
        for text in ["256", "float", "-1", "\"a b\"", "'x'", ""] {
            assert!(is_macro_text(text), "{text}");
        }
        for text in ["a\nb", "\"a", "it's", "a\\", "/* a", "## a", "a ##", "\u{1b}[2J", "a\u{202e}"]
        {
            assert!(!is_macro_text(text), "{text}");
        }
    }
}
