//! Turns jobs into the text that is compiled at run time: our header, then every configuration with
//! its macros before its source.

use device::{CompileJob, compilation::variants};

/// The text of jobs. There may be several only if [`may_share`] allows each. Line numbers are those
/// of the sources.
pub(crate) fn text(jobs: &[&CompileJob]) -> String {
    let mut text = String::from("#include \"autobench/autobench.h\"\n");
    for (number, job) in jobs.iter().enumerate() {
        variants::add(&mut text, among(jobs, number), job, str::to_owned);
    }
    text
}

pub(crate) fn entries(jobs: &[&CompileJob]) -> Vec<String> {
    let of_job = |(number, job): (usize, &&CompileJob)| {
        let named = |entry: &String| variants::entry(among(jobs, number), entry);
        job.entries.iter().map(named).collect::<Vec<_>>()
    };
    jobs.iter().enumerate().flat_map(of_job).collect()
}

/// Whether a job may be compiled together with others. A job with constants may not: the driver
/// finds constants by their plain names, which a namespace would change.
pub(crate) fn may_share(job: &CompileJob) -> bool {
    variants::may_share(job) && !job.sources.iter().any(|(_, text)| text.contains("__constant__"))
}

fn among(jobs: &[&CompileJob], number: usize) -> Option<usize> {
    (jobs.len() > 1).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(source: &str, value: &str, entries: &[&str]) -> CompileJob {
        CompileJob {
            sources: vec![("a\"b.cu".to_owned(), source.to_owned())],
            macros: vec![("N".to_owned(), value.to_owned())],
            options: vec![],
            entries: entries.iter().map(|&entry| entry.to_owned()).collect(),
            blocks: vec![],
        }
    }

    #[test]
    fn macros_stand_before_the_source_and_lines_are_its_own() {
        let text = text(&[&job("int x = N;", "3", &[])]);
        assert_eq!(
            text,
            "#include \"autobench/autobench.h\"\n#define N 3\n#line 1 \"a_b.cu\"\nint x = N;\n\
             #line 1 \"autobench-unit\"\n"
        );
    }

    #[test]
    fn of_several_jobs_every_one_has_its_own_macros_and_names() {
        let jobs = ["3", "4"].map(|value| job("#define M N\nint k[M];", value, &["k", "t<float>"]));
        let jobs: Vec<&CompileJob> = jobs.iter().collect();
        assert_eq!(
            entries(&jobs),
            ["ab_v0::ab_v0_k", "ab_v0::t<float>", "ab_v1::ab_v1_k", "ab_v1::t<float>"]
        );
        let second = "#define N 4\n#define k ab_v1_k\nnamespace ab_v1 {\n#line 1 \"a_b.cu\"\n\
                      #define M N\nint k[M];\n#line 1 \"autobench-unit\"\n}\n#undef M\n#undef N\n\
                      #undef k\n";
        let text = text(&jobs);
        assert!(text.ends_with(second), "{text}");
        assert!(may_share(jobs[0]) && !may_share(&job("__constant__ int c[1];", "1", &["k"])));
    }
}
