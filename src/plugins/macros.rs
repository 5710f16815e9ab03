//! What a configuration is for a compiler: macros, sources, entries and blocks.

use super::{
    Benchmark, FormulaFault,
    formula::{element_of, holds_formats},
};
use crate::records::{Named, macro_text};

/// Everything a compile job needs of a benchmark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompileParts {
    /// The sources, the first compiled and the others includable by name: (name, text).
    pub sources: Vec<(String, String)>,
    /// The macros the configuration stands for, in order.
    pub macros: Vec<(String, String)>,
    /// The function of each launch, in order.
    pub entries: Vec<String>,
    /// Threads per block, x y z, of each launch.
    pub blocks: Vec<[u32; 3]>,
}

impl Benchmark {
    /// The macros of a configuration: every parameter by its name (formats as types, truth
    /// values as 1 and 0, other texts as they stand), and `autobench`, which is 1.
    ///
    /// # Errors
    /// When the configuration lacks a parameter.
    pub fn macros(&self, configuration: &Named) -> Result<Vec<(String, String)>, FormulaFault> {
        let mut macros = vec![("autobench".to_owned(), "1".to_owned())];
        for parameter in &self.parameters {
            let name = &parameter.name;
            let value = configuration
                .get(name)
                .ok_or_else(|| FormulaFault::MissingParameter(name.clone()))?;
            if holds_formats(parameter) {
                element_of(name, value)?;
            }
            macros.push((name.clone(), macro_text(value, &parameter.values)));
        }
        Ok(macros)
    }

    /// What the compiler is given for a configuration at a size.
    ///
    /// # Errors
    /// As [`Self::macros`] and [`Self::geometry`].
    pub fn compile_parts(
        &self,
        size: u64,
        configuration: &Named,
    ) -> Result<CompileParts, FormulaFault> {
        let slots = self.slots(size, configuration)?;
        let blocks = self
            .launches
            .iter()
            .map(|launch| launch.geometry(&slots).map(|g| g.block))
            .collect::<Result<_, _>>()?;
        let pair = |s: &autobench_sdk::document::Source| (s.name.clone(), s.text.clone());
        Ok(CompileParts {
            sources: self.document.sources.iter().map(pair).collect(),
            macros: self.macros(configuration)?,
            entries: self.document.launches.iter().map(|l| l.entry.clone()).collect(),
            blocks,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugins::sample::{configuration, document};

    #[test]
    fn formats_become_types_and_numbers_stay() {
        let benchmark = Benchmark::new(document()).unwrap();
        let parts = benchmark.compile_parts(1000, &configuration(64, 8, "f16")).unwrap();
        let pairs: Vec<String> = parts.macros.iter().map(|(k, v)| format!("{k}={v}")).collect();
        assert_eq!(pairs, ["autobench=1", "block_size_x=64", "items=8", "precision=ab::f16"]);
        assert_eq!((parts.entries, parts.blocks), (vec!["sample".to_owned()], vec![[64, 1, 1]]));
    }

    #[test]
    fn a_configuration_of_another_space_is_a_fault() {
        let benchmark = Benchmark::new(document()).unwrap();
        let fault = benchmark.macros(&Named(vec![])).unwrap_err();
        assert_eq!(fault, FormulaFault::MissingParameter("block_size_x".to_owned()));
    }
}
