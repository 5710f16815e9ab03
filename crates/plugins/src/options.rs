//! Compiler options of a benchmark: reads them, checks them against the allowed options, and
//! selects those of a configuration.

use autobench_sdk::{document::Document, options::ALL};
use space::{Parameter, Value};

use super::{
    fault::DocumentFault,
    flags::refused_flag,
    formula::{Formula, FormulaFault, TextFormula},
};

/// Kinds of devices whose compilers take options.
pub(super) const DEVICES: [&str; 3] = ["cpu", "cuda", "hip"];

/// Upper limit of the value combinations that an option is checked with when a document is read. An
/// option with more combinations is only checked when it is compiled.
const TRIED: usize = 10_000;

#[derive(Debug, Clone)]
struct OptionFormula {
    device: String,
    place: String,
    flag: TextFormula,
    when: Option<Formula>,
}

/// The options of a document.
#[derive(Debug, Clone)]
pub(super) struct OptionFormulas(Vec<OptionFormula>);

impl OptionFormulas {
    /// Reads the options. Refuses an option that [`refused_flag`] refuses for some values of its
    /// parameters.
    pub(super) fn compile(
        document: &Document,
        parameters: &[Parameter],
        names: &[&str],
    ) -> Result<Self, DocumentFault> {
        let mut all = Vec::new();
        for (device, options) in &document.options.0 {
            if device != ALL && !DEVICES.contains(&device.as_str()) {
                let known = DEVICES.join("`, `");
                return Err(DocumentFault::new(
                    format!("options.{device}"),
                    format!("no device is a `{device}`: options are given to `{ALL}`, `{known}`"),
                ));
            }
            for (at, option) in options.iter().enumerate() {
                let place = place(document, device, at, option.when.is_some());
                let flag = TextFormula::compile(place.clone(), &option.flag, names)?;
                let when = option.when.as_ref().map(|when| {
                    let place = place.strip_suffix(".flag").unwrap_or(&place);
                    Formula::compile(format!("{place}.when"), when, names)
                });
                let when = when.transpose()?;
                let option = OptionFormula { device: device.clone(), place, flag, when };
                option.try_out(parameters)?;
                all.push(option);
            }
        }
        // Options for all devices come first, so that a device's own options can undo them.
        all.sort_by_key(|option| option.device != ALL);
        Ok(Self(all))
    }

    /// The options for these values, on a kind of device.
    pub(super) fn options(
        &self,
        device: Option<&str>,
        slots: &[Value],
        parameters: &[Parameter],
    ) -> Result<Vec<String>, FormulaFault> {
        let mut given = Vec::new();
        for option in &self.0 {
            if option.device == ALL || device == Some(&option.device) {
                given.extend(option.words(slots, parameters)?);
            }
        }
        Ok(given)
    }
}

/// The place of an option in the document, whose options may be a plain list.
fn place(document: &Document, device: &str, at: usize, is_map: bool) -> String {
    let list = if document.options.0.len() == 1 && device == ALL {
        "options".to_owned()
    } else {
        format!("options.{device}")
    };
    format!("{list}[{at}]{}", if is_map { ".flag" } else { "" })
}

impl OptionFormula {
    fn words(
        &self,
        slots: &[Value],
        parameters: &[Parameter],
    ) -> Result<Vec<String>, FormulaFault> {
        if let Some(when) = &self.when
            && !when.truth(slots)?
        {
            return Ok(Vec::new());
        }
        let text = self.flag.text(slots, parameters)?;
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        match words.iter().find_map(|word| refused_flag(word)) {
            Some(why) => Err(FormulaFault::Option { place: self.place.clone(), why }),
            None => Ok(words),
        }
    }

    /// Checks the option with all values of the parameters that it names.
    fn try_out(&self, parameters: &[Parameter]) -> Result<(), DocumentFault> {
        let mut used = self.flag.slots_used();
        used.extend(self.when.iter().flat_map(|when| when.slots_used().to_vec()));
        used.sort_unstable();
        used.dedup();
        // Slot 0 is `size`, and slots after the parameters are sizes of formats. Neither has a list
        // of values.
        let listed = used.iter().map(|&slot| Some(&parameters.get(slot.checked_sub(1)?)?.values));
        let Some(listed) = listed.collect::<Option<Vec<_>>>() else { return Ok(()) };
        let combinations =
            listed.iter().try_fold(1_usize, |all, values| all.checked_mul(values.len()));
        let Some(combinations) = combinations.filter(|&all| all <= TRIED) else { return Ok(()) };
        let mut slots = vec![Value::Int(0); parameters.len() + 1];
        for combination in 0..combinations {
            let mut rest = combination;
            for (&slot, values) in used.iter().zip(&listed) {
                slots[slot] = values[rest % values.len()].clone();
                rest /= values.len();
            }
            // If an expression has no value, the restrictions must exclude the configuration.
            if let Err(FormulaFault::Option { place, why }) = self.words(&slots, parameters) {
                return Err(DocumentFault::new(place, why));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use autobench_sdk::{document::Document, prelude::Parameter};

    use crate::{
        Benchmark,
        sample::{configuration, document},
    };

    fn options(document: Document, device: &str) -> Vec<String> {
        let benchmark = Benchmark::new(document).expect("a benchmark").for_device(device);
        let configuration = configuration(64, 8, "f16");
        benchmark.workload(1000, &configuration).expect("a workload").job.options
    }

    #[test]
    fn those_of_all_devices_come_before_those_of_one() {
        let document = document()
            .option("cpu", "-O2 -fno-unroll-loops")
            .option("cuda", "--maxrregcount={{ 32 * items }}")
            .option_when("cpu", "-ffast-math", "items > 8")
            .option_when("all", "-DSMALL={{ precision }}", "size < 2000");
        assert_eq!(
            options(document.clone(), "cpu"),
            ["-DSMALL=ab::f16", "-O2", "-fno-unroll-loops"]
        );
        assert_eq!(options(document.clone(), "cuda"), ["-DSMALL=ab::f16", "--maxrregcount=256"]);
        assert_eq!(options(document, "hip"), ["-DSMALL=ab::f16"]);
    }

    #[test]
    fn values_of_a_parameter_may_be_flags_and_none_is_no_option() {
        let mut document = document().option("cpu", "{{ flags }}");
        document.parameters.push(Parameter::new("flags", ["", "-O2 -fno-unroll-loops"]));
        let benchmark = Benchmark::new(document).expect("a benchmark").for_device("cpu");
        for (value, expected) in
            [("", vec![]), ("-O2 -fno-unroll-loops", vec!["-O2", "-fno-unroll-loops"])]
        {
            let mut configuration = configuration(64, 8, "f16");
            configuration.0.push(("flags".to_owned(), value.into()));
            let job = benchmark.workload(1000, &configuration).expect("a workload").job;
            assert_eq!(job.options, expected);
        }
    }

    #[test]
    fn values_that_are_flags_can_be_named_as_they_are_written() {
        let values = ["", "-O2", "-O3 -fno-unroll-loops"];
        let named = |text: &str| {
            let mut parameters = [space::Parameter::new("flags", values)];
            let kept = space::keep_values(&mut parameters, text);
            kept.map(|()| parameters[0].values.iter().map(ToString::to_string).collect::<Vec<_>>())
        };
        for (text, kept) in [
            ("flags=", vec![""]),
            ("flags=-O2", vec!["-O2"]),
            ("flags=-O3 -fno-unroll-loops", vec!["-O3 -fno-unroll-loops"]),
            ("flags=-O2, ", vec!["", "-O2"]),
            ("flags=['-O2']", vec!["-O2"]),
        ] {
            assert_eq!(named(text).expect(text), kept, "{text}");
        }
        assert!(named("flags=-O1").is_err());
    }

    #[test]
    fn what_is_refused_for_any_value_is_refused_at_once_and_says_where() {
        let refused =
            |document: Document| Benchmark::new(document).expect_err("a fault").to_string();
        for (document, expected) in [
            (document().option("gpu", "-O2"), "options.gpu: no device is a `gpu`"),
            (document().option("all", "-o x"), "options[0]: the compiler is not given `-o`"),
            (
                document().option("cpu", "-O2").option("cpu", "@{{ items }}"),
                "options.cpu[1]: the compiler is not given `@1`",
            ),
            (
                document().option_when("cpu", "{{ '-lm' if items == 8 else '' }}", "items > 2"),
                "options.cpu[0].flag: the compiler is not given `-lm`",
            ),
            (document().option("cpu", "-D{{ itms }}"), "options.cpu[0]: line 1, column 3: "),
            (document().option_when("cpu", "-O2", "itms"), "options.cpu[0].when: "),
        ] {
            let fault = refused(document);
            assert!(fault.starts_with(expected), "{fault}");
        }
        // This option depends on the size, so it is checked when it is compiled.
        let late = document().option("cpu", "{{ '-lm' if size > 500 else '' }}");
        let benchmark = Benchmark::new(late).expect("a benchmark").for_device("cpu");
        let fault = benchmark.workload(1000, &configuration(64, 8, "f16")).unwrap_err();
        assert!(fault.to_string().starts_with("options.cpu[0]: the compiler is not given `-lm`"));
    }
}
