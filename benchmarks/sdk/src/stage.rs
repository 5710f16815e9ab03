//! Stages: parts of a pipeline of kernels that can be tuned separately. A stage and its document
//! give an ordinary document; the rest of the program sees only that.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::document::{Argument, Document, ErrorBound, Fill, Launch, Metric, Reference, Role};

/// A part of a run that can be tuned separately: some of the run's launches, performed once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// The stage's name: lower-case letters, digits, `-` and `_`.
    pub name: String,
    /// One sentence on what the stage computes.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// The stage's launches, by entry or by position in the document from 0.
    pub launches: Vec<LaunchName>,
    /// The parameters that are tuned with the stage; all others stay at their defaults.
    pub parameters: Vec<String>,
    /// The arguments that the stage computes, which are checked. An argument that is also filled is
    /// `inout`.
    pub outputs: Vec<String>,
    /// Further arguments that the stage writes and that are not checked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scratch: Vec<String>,
    /// Contents of arguments that other stages write, and fills that replace the document's.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fills: BTreeMap<String, Fill>,
    /// Expression: arithmetic operations of the stage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flops: Option<String>,
    /// Expression: bytes that the stage must move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<String>,
    /// The bound on the error of the stage's outputs; the document's bound if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorBound>,
    /// How reference results are computed. If left out, by the plugin's `reference` if the document
    /// uses it, else by the stage's own most precise configuration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<Reference>,
}

/// A launch of the document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum LaunchName {
    /// The launch at a position, from 0.
    Position(usize),
    /// All launches of an entry.
    Entry(String),
}

impl LaunchName {
    /// Whether this name means the launch at a position.
    #[must_use]
    pub fn means(&self, at: usize, launch: &Launch) -> bool {
        match self {
            Self::Position(position) => *position == at,
            Self::Entry(entry) => *entry == launch.entry,
        }
    }
}

impl Document {
    /// The stage with a name.
    #[must_use]
    pub fn stage_named(&self, name: &str) -> Option<&Stage> {
        self.stages.iter().find(|stage| stage.name == name)
    }
}

impl Stage {
    /// A stage of these launches, by their entries.
    #[must_use]
    pub fn new<E: Into<String>>(
        name: impl Into<String>,
        launches: impl IntoIterator<Item = E>,
    ) -> Self {
        Self {
            name: name.into(),
            about: String::new(),
            launches: launches.into_iter().map(|entry| LaunchName::Entry(entry.into())).collect(),
            parameters: Vec::new(),
            outputs: Vec::new(),
            scratch: Vec::new(),
            fills: BTreeMap::new(),
            flops: None,
            bytes: None,
            error: None,
            reference: None,
        }
    }

    /// Describes the stage in one sentence.
    #[must_use]
    pub fn about(mut self, about: impl Into<String>) -> Self {
        self.about = about.into();
        self
    }

    /// Names the parameters that are tuned with the stage.
    #[must_use]
    pub fn parameters<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.parameters.extend(names.into_iter().map(Into::into));
        self
    }

    /// Names the arguments that the stage computes.
    #[must_use]
    pub fn outputs<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.outputs.extend(names.into_iter().map(Into::into));
        self
    }

    /// Names arguments that the stage writes and that are not checked.
    #[must_use]
    pub fn scratch<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.scratch.extend(names.into_iter().map(Into::into));
        self
    }

    /// Sets the content of an argument that another stage writes.
    #[must_use]
    pub fn filled(mut self, argument: impl Into<String>, fill: Fill) -> Self {
        self.fills.insert(argument.into(), fill);
        self
    }

    /// Sets the arithmetic operations of the stage.
    #[must_use]
    pub fn flops(mut self, expression: impl Into<String>) -> Self {
        self.flops = Some(expression.into());
        self
    }

    /// Sets the bytes that the stage must move.
    #[must_use]
    pub fn bytes(mut self, expression: impl Into<String>) -> Self {
        self.bytes = Some(expression.into());
        self
    }

    /// Sets the bound on the error of the stage's outputs.
    #[must_use]
    pub fn error(mut self, error: ErrorBound) -> Self {
        self.error = Some(error);
        self
    }

    /// Sets how reference results are computed.
    #[must_use]
    pub fn reference(mut self, reference: Reference) -> Self {
        self.reference = Some(reference);
        self
    }

    /// The launches of the stage, in the document's order.
    #[must_use]
    pub fn launches_of<'a>(&self, whole: &'a Document) -> Vec<&'a Launch> {
        let mine = |&(at, launch): &(usize, &Launch)| {
            self.launches.iter().any(|name| name.means(at, launch))
        };
        whole.launches.iter().enumerate().filter(mine).map(|(_, launch)| launch).collect()
    }

    /// Whether a launch of the stage takes an argument.
    #[must_use]
    pub fn takes(&self, whole: &Document, argument: &str) -> bool {
        self.launches_of(whole).iter().any(|launch| {
            launch.arguments.is_empty() || launch.arguments.iter().any(|name| name == argument)
        })
    }

    /// The stage as a document of its own, named `BENCHMARK-STAGE`. It has the stage's launches
    /// once, its outputs, and as inputs what other stages write. Parameters stay the same. So do
    /// the positions of arguments, since generated elements depend on them: an argument that the
    /// stage does not take becomes a scalar.
    #[must_use]
    pub fn document(&self, whole: &Document) -> Document {
        let all: Vec<String> = whole.arguments.iter().map(|a| a.name.clone()).collect();
        let launches = self.launches_of(whole).into_iter().cloned().map(|mut launch| {
            if launch.arguments.is_empty() {
                launch.arguments.clone_from(&all);
            }
            launch
        });
        let arguments = whole.arguments.iter();
        let (metrics, dropped) = self.metrics(whole);
        let kept = |metric: &String| !dropped.contains(&metric.as_str());
        let reference = match (&self.reference, &whole.reference) {
            (Some(own), _) => own.clone(),
            (None, Reference::Plugin) => Reference::Plugin,
            (None, _) => Reference::Itself,
        };
        Document {
            name: format!("{}-{}", whole.name, self.name),
            about: if self.about.is_empty() { whole.about.clone() } else { self.about.clone() },
            sources: whole.sources.clone(),
            options: whole.options.clone(),
            size_macro: whole.size_macro.clone(),
            launches: launches.collect(),
            iterations: None,
            stages: Vec::new(),
            arguments: arguments.map(|argument| self.argument(whole, argument)).collect(),
            parameters: whole.parameters.clone(),
            restrictions: whole.restrictions.clone(),
            size: whole.size.clone(),
            flops: self.flops.clone(),
            bytes: self.bytes.clone(),
            metrics,
            primary: Some(whole.primary.clone()).filter(kept).unwrap_or("seconds".to_owned()),
            secondary: Some(whole.secondary.clone()).filter(kept).unwrap_or_default(),
            error: self.error.clone().unwrap_or_else(|| whole.error.clone()),
            errors: Vec::new(),
            reference,
            answer_depends_on: whole.answer_depends_on.clone(),
        }
    }

    fn argument(&self, whole: &Document, argument: &Argument) -> Argument {
        let is_in = |names: &[String]| names.contains(&argument.name);
        let is_output = is_in(&self.outputs);
        if !is_output && !is_in(&self.scratch) && !self.takes(whole, &argument.name) {
            return Argument::scalar(argument.name.clone(), "i64", "0");
        }
        let fill = self.fills.get(&argument.name);
        let role = match (is_output, fill) {
            (true, Some(_)) => Role::Inout,
            (true, None) => Role::Out,
            (false, _) if is_in(&self.scratch) => Role::Scratch,
            (false, None) if argument.role == Role::Scratch => Role::Scratch,
            (false, _) if argument.role == Role::Constant => Role::Constant,
            (false, _) => Role::In,
        };
        let fill = match role {
            Role::Out | Role::Scratch => Fill::Zero,
            _ => fill.unwrap_or(&argument.fill).clone(),
        };
        Argument { role, fill, ..argument.clone() }
    }

    /// The document's metrics that have a value for the stage, and the names of the other metrics.
    /// Those need operations or bytes that the stage does not state.
    fn metrics<'a>(&self, whole: &'a Document) -> (Vec<Metric>, Vec<&'a str>) {
        let given = [("flops", self.flops.is_some()), ("bytes", self.bytes.is_some())];
        let mut lacking: Vec<&str> =
            given.iter().filter(|(_, given)| !given).map(|(name, _)| *name).collect();
        let mut kept = Vec::new();
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        for metric in &whole.metrics {
            let mut words = metric.expression.split(|c| !is_word(c));
            if words.any(|word| lacking.contains(&word)) {
                lacking.push(&metric.name);
            } else {
                kept.push(metric.clone());
            }
        }
        (kept, lacking)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Parameter, SizeRule};

    fn whole() -> Document {
        Document::new("pipe", "two kernels")
            .source("pipe.cu", "…")
            .launch(Launch::new("sums", ["size"]).arguments(["x", "sums"]))
            .launch(Launch::new("scale", ["size"]).arguments(["sums", "x", "y"]))
            .iterations("3")
            .argument(Argument::buffer("y", Role::Inout, "f32", ["size"]))
            .argument(Argument::buffer("sums", Role::Scratch, "f32", ["8"]))
            .argument(Argument::buffer("x", Role::In, "f32", ["size"]))
            .parameter(Parameter::new("block_size_x", [64, 128]))
            .size(SizeRule::starting(64, "elements"))
            .flops("9 * size")
            .metric("performance", "GFLOP/s", "flops / seconds")
            .metric("more", "", "performance * 2")
            .metric("rate", "1/s", "size / seconds")
            .secondary("performance")
            .stage(Stage::new("sums", ["sums"]).outputs(["sums"]).parameters(["block_size_x"]))
            .stage(
                Stage::new("scale", ["scale"])
                    .outputs(["y"])
                    .filled("sums", Fill::Constant(2.0))
                    .flops("size"),
            )
    }

    fn roles(document: &Document) -> Vec<(Role, bool)> {
        document.arguments.iter().map(|a| (a.role, a.shape.is_empty())).collect()
    }

    #[test]
    fn a_stage_is_a_document_with_its_own_launches_outputs_and_inputs() {
        let whole = whole();
        let sums = whole.stages[0].document(&whole);
        assert_eq!((sums.name.as_str(), sums.launches.len()), ("pipe-sums", 1));
        assert_eq!((&sums.iterations, sums.stages.len()), (&None, 0));
        // An argument that the stage does not take is a scalar, and every argument keeps its
        // position.
        assert_eq!(roles(&sums), [(Role::In, true), (Role::Out, false), (Role::In, false)]);
        let scale = whole.stages[1].document(&whole);
        assert_eq!(roles(&scale), [(Role::Out, false), (Role::In, false), (Role::In, false)]);
        assert_eq!(scale.arguments[1].fill, Fill::Constant(2.0));
        let mut updated = whole.clone();
        updated.stages[1].fills.insert("y".to_owned(), Fill::Constant(1.0));
        assert_eq!(updated.stages[1].document(&updated).arguments[0].role, Role::Inout);
    }

    #[test]
    fn metrics_that_need_what_a_stage_does_not_give_are_left_out() {
        let whole = whole();
        let sums = whole.stages[0].document(&whole);
        let names: Vec<&str> = sums.metrics.iter().map(|m| m.name.as_str()).collect();
        assert_eq!((names, sums.secondary.as_str()), (vec!["rate"], ""));
        let scale = whole.stages[1].document(&whole);
        assert_eq!((scale.metrics.len(), scale.secondary.as_str()), (3, "performance"));
    }

    #[test]
    fn launches_are_named_by_entry_or_position_and_keep_their_order() {
        let mut whole = whole();
        let launches = |whole: &Document| -> Vec<String> {
            whole.stages[0].launches_of(whole).iter().map(|l| l.entry.clone()).collect()
        };
        whole.stages[0].launches = vec![LaunchName::Position(1), LaunchName::Entry("sums".into())];
        assert_eq!(launches(&whole), ["sums", "scale"]);
        let text = serde_json::json!({ "name": "a", "launches": [0, "scale"], "parameters": [], "outputs": [] });
        let read: Stage = serde_json::from_value(text).expect("a stage");
        assert_eq!(read.launches, [LaunchName::Position(0), LaunchName::Entry("scale".into())]);
    }
}
