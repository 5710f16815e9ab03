//! Blocks and grids of a launch, with grid divisors as in Kernel Tuner: the grid is the problem
//! divided by the product of the axis' divisors, rounded up.

use autobench_sdk::document::{self, Document};
use device::workload::Launch;
use space::{BLOCK_SIZES, Parameter, Value};

use super::{
    fault::DocumentFault,
    formula::{Formula, FormulaFault},
};

const AXES: [&str; 3] = ["x", "y", "z"];

#[derive(Debug, Clone)]
enum Divisor {
    Block,
    Product(Vec<Formula>),
}

#[derive(Debug, Clone)]
pub(super) struct LaunchFormulas {
    entry: String,
    problem: Vec<Formula>,
    block: [Option<Formula>; 3],
    divisors: [Divisor; 3],
    shared_bytes: Option<Formula>,
    /// Positions of the launch's arguments in the document.
    arguments: Vec<usize>,
}

impl LaunchFormulas {
    pub(super) fn compile(
        place: &str,
        launch: &document::Launch,
        document: &Document,
        parameters: &[Parameter],
        names: &[&str],
    ) -> Result<Self, DocumentFault> {
        let compile = |field: String, text: &str| Formula::compile(field, text, names);
        let problem = launch
            .problem
            .iter()
            .enumerate()
            .map(|(axis, text)| compile(format!("{place}.problem[{axis}]"), text))
            .collect::<Result<Vec<_>, _>>()?;
        let mut block = [None, None, None];
        let mut divisors = [Divisor::Block, Divisor::Block, Divisor::Block];
        for axis in 0..3 {
            let conventional = BLOCK_SIZES[axis];
            block[axis] = if let Some(text) = launch.block.get(axis) {
                Some(compile(format!("{place}.block[{axis}]"), text)?)
            } else if launch.block.is_empty() && parameters.iter().any(|p| p.name == conventional) {
                Some(compile(format!("{place}.block"), conventional)?)
            } else {
                None
            };
            if let Some(texts) = launch.grid_divisors.get(axis) {
                divisors[axis] = Divisor::Product(
                    texts
                        .iter()
                        .enumerate()
                        .map(|(at, text)| {
                            compile(format!("{place}.grid_divisors[{axis}][{at}]"), text)
                        })
                        .collect::<Result<_, _>>()?,
                );
            }
        }
        if block.iter().all(Option::is_none) {
            return Err(DocumentFault::new(
                format!("{place}.block"),
                "the launch has no block: give `block`, or a parameter `block_size_x`",
            ));
        }
        let shared_bytes = launch
            .shared_bytes
            .as_ref()
            .map(|text| compile(format!("{place}.shared_bytes"), text))
            .transpose()?;
        let position = |name: &String| document.arguments.iter().position(|a| a.name == *name);
        let arguments = if launch.arguments.is_empty() {
            (0..document.arguments.len()).collect()
        } else {
            launch.arguments.iter().filter_map(position).collect()
        };
        let entry = launch.entry.clone();
        Ok(Self { entry, problem, block, divisors, shared_bytes, arguments })
    }

    /// The launch for these values of the names; `entry` is the kernel's position in the job.
    pub(super) fn launch(&self, entry: usize, slots: &[Value]) -> Result<Launch, FormulaFault> {
        let wrong = |what: String| FormulaFault::Launch { entry: self.entry.clone(), what };
        let (mut grid, mut block) = ([1; 3], [1; 3]);
        for axis in 0..3 {
            let threads = match &self.block[axis] {
                Some(formula) => formula.count(slots)?,
                None => 1,
            };
            block[axis] = u32::try_from(threads)
                .ok()
                .filter(|&threads| threads > 0)
                .ok_or_else(|| wrong(format!("blocks of {threads} threads in {}", AXES[axis])))?;
            let problem = match self.problem.get(axis) {
                Some(formula) => formula.count(slots)?,
                None => 1,
            };
            let divisor = match (&self.divisors[axis], self.problem.get(axis)) {
                (Divisor::Product(formulas), _) => formulas.iter().try_fold(1_u64, |all, f| {
                    f.count(slots)?
                        .checked_mul(all)
                        .ok_or_else(|| wrong(format!("a divisor of {} beyond 2^64", AXES[axis])))
                })?,
                (Divisor::Block, Some(_)) => threads,
                // An axis that the problem lacks is one block, with any number of threads.
                (Divisor::Block, None) => 1,
            };
            if divisor == 0 {
                return Err(wrong(format!("a grid divisor of 0 in {}", AXES[axis])));
            }
            let blocks = problem.div_ceil(divisor);
            grid[axis] = u32::try_from(blocks)
                .ok()
                .filter(|&blocks| blocks > 0)
                .ok_or_else(|| wrong(format!("a grid of {blocks} blocks in {}", AXES[axis])))?;
        }
        let shared = match &self.shared_bytes {
            Some(formula) => formula.count(slots)?,
            None => 0,
        };
        let shared_bytes =
            u32::try_from(shared).map_err(|_| wrong(format!("{shared} bytes of shared memory")))?;
        let arguments = self.arguments.clone();
        Ok(Launch { entry, grid, block, shared_bytes, arguments })
    }
}

#[cfg(test)]
mod tests {
    use autobench_sdk::document::Launch;

    use crate::{
        Benchmark,
        sample::{configuration, document},
    };

    #[test]
    fn grids_are_divided_by_the_product_and_rounded_up() {
        let benchmark = Benchmark::new(document()).unwrap();
        let launch = &benchmark.launches(1000, &configuration(64, 8, "f32")).unwrap()[0];
        // 1000 / (64 * 8) = 1.95, rounded up. The empty list of y divides by 1.
        assert_eq!((launch.grid, launch.block), ([2, 3, 1], [64, 1, 1]));
    }

    #[test]
    fn a_missing_divisor_is_the_block_and_blocks_can_be_expressions() {
        let mut document = document();
        document.launches = vec![Launch::new("sample", ["size"]).block(["2 * items", "4"])];
        let benchmark = Benchmark::new(document).unwrap();
        let launch = &benchmark.launches(1000, &configuration(64, 8, "f32")).unwrap()[0];
        assert_eq!((launch.grid, launch.block), ([63, 1, 1], [16, 4, 1]));
    }

    #[test]
    fn grids_of_nothing_and_divisions_by_nothing_are_faults() {
        let mut document = document();
        document.launches = vec![Launch::new("sample", ["size - 1000"])];
        let benchmark = Benchmark::new(document.clone()).unwrap();
        let fault = benchmark.launches(1000, &configuration(64, 8, "f32")).unwrap_err();
        assert_eq!(fault.to_string(), "launch `sample` has a grid of 0 blocks in x");
        document.launches = vec![Launch::new("sample", ["size"]).divided_by(["items - 8"])];
        let benchmark = Benchmark::new(document).unwrap();
        let fault = benchmark.launches(1000, &configuration(64, 8, "f32")).unwrap_err();
        assert_eq!(fault.to_string(), "launch `sample` has a grid divisor of 0 in x");
    }

    #[test]
    fn a_launch_names_its_arguments_or_takes_all_in_order() {
        let mut document = document();
        document.launches.push(Launch::new("sample", ["size"]).arguments(["n", "c"]));
        let benchmark = Benchmark::new(document).unwrap();
        let launches = benchmark.launches(1000, &configuration(64, 8, "f32")).unwrap();
        assert_eq!((launches[0].entry, &launches[0].arguments), (0, &vec![0, 1, 2, 3]));
        assert_eq!((launches[1].entry, &launches[1].arguments), (1, &vec![3, 0]));
    }
}
