//! From a job to the text that is compiled at run time: our header, the configuration's macros, the source.

use std::fmt::Write;

use crate::backends::CompileJob;

/// The text of a job. Lines of its source are counted as its own.
pub(crate) fn text(job: &CompileJob) -> String {
    let mut text = String::from("#include \"autobench/autobench.h\"\n");
    for (name, value) in &job.macros {
        let _ = writeln!(text, "#define {name} {value}");
    }
    if let Some((name, source)) = job.sources.first() {
        let _ = writeln!(text, "#line 1 \"{}\"", name.replace(['"', '\\', '\n'], "_"));
        text.push_str(source);
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macros_stand_before_the_source_and_lines_are_its_own() {
        let job = CompileJob {
            sources: vec![("a\"b.cu".to_owned(), "int x = N;".to_owned())],
            macros: vec![("N".to_owned(), "3".to_owned())],
            entries: vec![],
            blocks: vec![],
        };
        assert_eq!(
            text(&job),
            "#include \"autobench/autobench.h\"\n#define N 3\n#line 1 \"a_b.cu\"\nint x = N;\n"
        );
    }
}
