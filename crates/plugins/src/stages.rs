//! Stages of a benchmark as benchmarks of their own.

use registry::nearest;

use super::Benchmark;

/// The benchmark has no stage with this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{benchmark}` has no stage named `{name}` ({known})")]
pub struct UnknownStage {
    benchmark: String,
    name: String,
    known: String,
}

impl Benchmark {
    /// A stage as a benchmark of its own.
    ///
    /// # Errors
    /// If there is no stage with this name; the error names the nearest.
    pub fn of_stage(&self, name: &str) -> Result<Self, UnknownStage> {
        let stages = || self.document.stages.iter().map(|stage| stage.name.as_str());
        let unknown = || UnknownStage {
            benchmark: self.name().to_owned(),
            name: name.to_owned(),
            known: match (stages().next(), nearest(name, stages())) {
                (None, _) => "it has no stages; leave --stage out".to_owned(),
                (Some(_), None) => format!("stages: {}", stages().collect::<Vec<_>>().join(", ")),
                (Some(_), Some(meant)) => format!("did you mean `{meant}`?"),
            },
        };
        let stage = self.document.stage_named(name).ok_or_else(unknown)?;
        // The stage was checked together with the benchmark.
        let own = Self::new(stage.document(&self.document)).map_err(|_| unknown())?;
        Ok(own.made_as(self))
    }

    /// Narrowings `NAME=VALUES` that keep every parameter outside the stage at its default.
    /// Parameters that `narrowed` already names are left out.
    #[must_use]
    pub fn kept_at_defaults(&self, stage: &str, narrowed: &[String]) -> Vec<String> {
        let Some(stage) = self.document.stage_named(stage) else { return Vec::new() };
        let is_narrowed = |name: &str| {
            narrowed.iter().any(|text| text.split('=').next().is_some_and(|own| own.trim() == name))
        };
        self.defaults()
            .0
            .into_iter()
            .filter(|(name, _)| !stage.parameters.contains(name) && !is_narrowed(name))
            .map(|(name, value)| format!("{name}={value}"))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use autobench_sdk::{
        document::Document,
        prelude::{Fill, Launch},
        stage::{LaunchName, Stage},
    };

    use super::*;
    use crate::sample;

    fn staged() -> Document {
        sample::document()
            .launch(Launch::new("second", ["size"]).arguments(["c", "state"]))
            .iterations("items + 1")
            .stage(
                Stage::new("first", ["sample"])
                    .parameters(["items"])
                    .outputs(["c"])
                    .filled("c", Fill::Constant(1.0)),
            )
            .stage(
                Stage::new("second", ["second"])
                    .parameters(["block_size_x"])
                    .outputs(["state"])
                    .filled("c", Fill::Constant(1.0)),
            )
    }

    fn refused(change: impl FnOnce(&mut Document)) -> String {
        let mut document = staged();
        change(&mut document);
        Benchmark::new(document).expect_err("a fault").to_string()
    }

    #[test]
    fn all_launches_are_performed_as_often_as_the_document_says() {
        let benchmark = Benchmark::new(staged()).expect("a benchmark");
        let workload = benchmark.workload(1000, &sample::configuration(64, 2, "f32"));
        let workload = workload.expect("a workload");
        let entries: Vec<usize> = workload.launches.iter().map(|launch| launch.entry).collect();
        assert_eq!(entries, [0, 1, 0, 1, 0, 1]);
        assert_eq!(workload.job.entries, ["sample", "second"]);
        for (text, why) in [("0", "0 iterations"), ("size * size", "1 to 50000")] {
            let mut document = staged();
            document.iterations = Some(text.to_owned());
            let benchmark = Benchmark::new(document).expect("a benchmark");
            let fault = benchmark.workload(1000, &sample::configuration(64, 2, "f32"));
            let fault = fault.expect_err("a fault").to_string();
            assert!(fault.contains(why), "{fault}");
        }
    }

    #[test]
    fn a_stage_has_its_launches_once_and_keeps_other_parameters_at_their_defaults() {
        let whole = Benchmark::new(staged()).expect("a benchmark");
        let stage = whole.of_stage("second").expect("a stage");
        let workload = stage.workload(1000, &sample::configuration(64, 2, "f32"));
        let workload = workload.expect("a workload");
        assert_eq!((workload.launches.len(), workload.job.entries), (1, vec!["second".to_owned()]));
        assert_eq!(workload.arguments.iter().filter(|a| a.is_checked()).count(), 1);
        let kept = whole.kept_at_defaults("second", &["items=8".to_owned()]);
        assert_eq!(kept, ["precision=f32"]);
        assert_eq!(whole.kept_at_defaults("first", &[]), ["block_size_x=128", "precision=f32"]);
    }

    #[test]
    fn unknown_stages_are_answered_with_the_nearest() {
        let whole = Benchmark::new(staged()).expect("a benchmark");
        let why = whole.of_stage("secnd").expect_err("unknown").to_string();
        assert_eq!(why, "`sample` has no stage named `secnd` (did you mean `second`?)");
        let plain = Benchmark::new(sample::document()).expect("a benchmark");
        let why = plain.of_stage("second").expect_err("unknown").to_string();
        assert!(why.contains("has no stages"), "{why}");
    }

    #[test]
    fn faults_of_stages_say_where_they_are() {
        for (fault, start) in [
            (refused(|d| d.iterations = Some("itens".into())), "iterations: "),
            (refused(|d| d.stages[1].name = "first".into()), "stages[1].name: "),
            (refused(|d| d.stages[1].name = "A b".into()), "stages[1].name: "),
            (refused(|d| d.stages[1].launches.clear()), "stages[1].launches: the stage `second`"),
            (
                refused(|d| d.stages[1].launches = vec![LaunchName::Entry("secnd".into())]),
                "stages[1].launches[0]: there is no launch named `secnd`; did you mean `second`?",
            ),
            (
                refused(|d| d.stages[1].launches = vec![LaunchName::Position(2)]),
                "stages[1].launches[0]: there is no launch 2",
            ),
            (refused(|d| d.stages[0].parameters.push("itmes".into())), "stages[0].parameters[1]: "),
            (refused(|d| d.stages[0].outputs.clear()), "stages[0].outputs: "),
            (refused(|d| d.stages[0].outputs.push("x".into())), "stages[0].outputs[1]: "),
            (
                refused(|d| d.stages[1].scratch = vec!["a".into()]),
                "stages[1].scratch[0]: no launch of the stage `second` takes `a`",
            ),
            (
                refused(|d| d.stages[1].fills.clear()),
                "stages[1]: the stage `second` takes `c`, which other launches write",
            ),
            (
                refused(|d| {
                    d.stages[1].fills.insert("e".into(), Fill::Zero);
                }),
                "stages[1].fills.e: ",
            ),
            (refused(|d| d.stages[1].flops = Some("sise".into())), "stages[1].flops: "),
        ] {
            assert!(fault.starts_with(start), "{fault} / {start}");
        }
    }
}
