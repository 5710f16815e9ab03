//! Bregman block average co-clustering with I-divergence (Banerjee and others 2007): an application
//! of three stages that can be tuned separately.

mod clustering;
mod data;

use std::cell::OnceCell;

use autobench_sdk::{document::ErrorBound, prelude::*};

use clustering::{Averages, Clustering, nearest};
use data::{COLUMN_CLUSTERS, ROW_CLUSTERS, ROWS};

const ITERATIONS: u32 = 25;

/// Clusters of the rows and the columns of a matrix of 40 × `size`.
#[derive(Debug, Default)]
pub struct CoClustering {
    matrix: OnceCell<Vec<f64>>,
    /// The labels after all iterations.
    last: OnceCell<([usize; ROWS], Vec<u8>)>,
    /// The averages of the clusters that a stage starts with.
    averages: OnceCell<Averages>,
}

impl CoClustering {
    fn matrix(&self, problem: &Problem) -> &[f64] {
        self.matrix.get_or_init(|| {
            let columns = || 0..problem.size;
            (0..ROWS)
                .flat_map(|i| {
                    columns().map(move |j| data::element(problem.seed, i, j, problem.size))
                })
                .collect()
        })
    }

    /// The labels that a run starts with. A stage has no iterations and starts with the planted
    /// clusters.
    fn first(&self, problem: &Problem) -> Clustering<'_> {
        let columns = (0..problem.size).map(|j| first_column(problem, j) as u8).collect();
        let rows = std::array::from_fn(|i| first_row(problem, i));
        Clustering { matrix: self.matrix(problem), rows, columns }
    }

    fn averages(&self, problem: &Problem) -> &Averages {
        self.averages.get_or_init(|| self.first(problem).averages())
    }

    fn last(&self, problem: &Problem) -> &([usize; ROWS], Vec<u8>) {
        self.last.get_or_init(|| {
            let last = self.first(problem).after(ITERATIONS);
            (last.rows, last.columns)
        })
    }
}

fn first_row(problem: &Problem, row: usize) -> usize {
    if problem.stage.is_some() { data::planted_row(row) } else { data::first_row(row) }
}

fn first_column(problem: &Problem, column: u64) -> usize {
    match problem.stage {
        Some(_) => data::planted_column(column, problem.size),
        None => data::first_column(problem.seed, column, problem.size),
    }
}

/// Error bounds of the stages, for their own outputs.
fn bound() -> ErrorBound {
    ErrorBound {
        metric: "nrmse_by_mean".to_owned(),
        bound: 1e-4,
        wrong_above: Some(0.5),
        levels: [("high", 1e-8), ("medium", 1e-4), ("low", 1e-2)]
            .map(|(name, bound)| (name.to_owned(), bound))
            .into(),
    }
}

/// Restriction that allows a policy only where its results differ from the more accurate policies.
fn policy_matters(policy: &str, format: &str) -> String {
    format!(
        "{policy} == 'accurate' or ({policy} == 'fast' and {format} != 'f64') or \
         ({policy} == 'approximate' and {format} in ['f16', 'bf16'])"
    )
}

fn statistics() -> Stage {
    Stage::new("statistics", ["statistics", "average"])
        .about("averages of the blocks of clusters")
        .parameters(["statistics_block", "statistics_columns", "sums_type", "averages_type"])
        .outputs(["averages"])
        .flops("size * 40")
        .bytes("size * (40 * input_type_bytes + 1)")
        .error(bound())
}

fn rows() -> Stage {
    Stage::new("rows", ["row_distance", "nearest_of_row"])
        .about("distances of the rows to the row clusters, and the nearest")
        .parameters(["rows_block", "rows_columns", "row_sums_type", "row_distances_type"])
        .parameters(["row_policy"])
        .outputs(["row_distances"])
        .scratch(["row_labels"])
        .filled("averages", Fill::Plugin)
        .flops("size * 40 * 10")
        .bytes("size * (40 * input_type_bytes + 1)")
        .error(bound())
}

fn columns() -> Stage {
    Stage::new("columns", ["nearest_of_column"])
        .about("the nearest column cluster of every column, and how far it is")
        .parameters(["columns_block", "columns_columns", "column_sums_type"])
        .parameters(["column_distances_type", "column_policy"])
        .outputs(["column_distances"])
        .scratch(["column_labels"])
        .filled("averages", Fill::Plugin)
        .flops("size * 40 * 16")
        .bytes("size * (40 * input_type_bytes + column_distances_type_bytes + 1)")
        .error(bound())
}

fn launches(document: Document) -> Document {
    let by = |block: &str, columns: &str| [block.to_owned(), columns.to_owned()];
    document
        .launch(
            Launch::new("statistics", ["size"])
                .block(["statistics_block"])
                .divided_by(by("statistics_block", "statistics_columns"))
                .arguments(["partial_sums", "partial_counts", "z", "row_labels"])
                .and_arguments(["column_labels", "n"]),
        )
        .launch(
            Launch::new("average", ["40"])
                .block(["128"])
                .divided_by(["1"])
                .arguments(["averages", "partial_sums", "partial_counts", "row_labels"])
                .and_arguments(["statistics_tiles"]),
        )
        .launch(
            Launch::new("row_distance", ["size", "40"])
                .block(["rows_block"])
                .divided_by(by("rows_block", "rows_columns"))
                .divided_by(["1"])
                .arguments(["partial_distances", "z", "averages", "column_labels", "n"]),
        )
        .launch(
            Launch::new("nearest_of_row", ["40"])
                .block(["128"])
                .divided_by(["1"])
                .arguments(["row_distances", "row_labels", "partial_distances"])
                .and_arguments(["rows_tiles", "n"]),
        )
        .launch(
            Launch::new("nearest_of_column", ["size"])
                .block(["columns_block"])
                .divided_by(by("columns_block", "columns_columns"))
                .arguments(["column_distances", "column_labels", "z", "averages"])
                .and_arguments(["row_labels", "n"]),
        )
}

fn arguments(document: Document) -> Document {
    let tiles = |block: &str, columns: &str| {
        format!("(size + {block} * {columns} - 1) // ({block} * {columns})")
    };
    let of_statistics = tiles("statistics_block", "statistics_columns");
    let of_rows = tiles("rows_block", "rows_columns");
    let buffer = |name: &str, role, format: &str, shape: &[&str]| {
        Argument::buffer(name, role, format, shape.iter().copied())
    };
    let planted = |name: &str, shape| buffer(name, Role::In, "u8", &[shape]).filled(Fill::Plugin);
    document
        .argument(buffer("row_labels", Role::Inout, "u8", &["40"]).filled(Fill::Plugin))
        .argument(buffer("column_labels", Role::Inout, "u8", &["size"]).filled(Fill::Plugin))
        .argument(buffer("z", Role::In, "input_type", &["40", "size"]).filled(Fill::Plugin))
        .argument(buffer("averages", Role::Scratch, "averages_type", &["5", "8"]))
        .argument(buffer("row_distances", Role::Scratch, "row_distances_type", &["40", "5"]))
        .argument(buffer("column_distances", Role::Scratch, "column_distances_type", &["size"]))
        .argument(buffer("partial_sums", Role::Scratch, "sums_type", &["40", &of_statistics]))
        .argument(buffer("partial_counts", Role::Scratch, "i32", &["8", &of_statistics]))
        .argument(buffer("partial_distances", Role::Scratch, "row_sums_type", &["200", &of_rows]))
        .argument(Argument::scalar("statistics_tiles", "i64", of_statistics.as_str()))
        .argument(Argument::scalar("rows_tiles", "i64", of_rows.as_str()))
        .argument(Argument::scalar("n", "i64", "size"))
        .argument(planted("planted_rows", "40"))
        .argument(planted("planted_columns", "size"))
}

/// A format with f64 as its default: what one writes without tuning, and within every bound.
fn format(name: &str) -> Parameter {
    Parameter::format(name).default("f64")
}

fn parameters(document: Document) -> Document {
    let mut document = document
        .parameter(format("input_type").about("format of the matrix"))
        .parameter(format("sums_type").about("format of sums of blocks"))
        .parameter(format("averages_type").about("format of the averages of blocks"))
        .parameter(format("row_sums_type").about("format of distances of rows as they grow"))
        .parameter(
            format("row_distances_type").about("format of distances of rows as they are compared"),
        )
        .parameter(format("column_sums_type").about("format of distances of columns"))
        .parameter(
            format("column_distances_type")
                .about("format of the distances to the nearest clusters"),
        )
        .parameter(Parameter::policy_named("row_policy").about("how logarithms for rows are taken"))
        .parameter(
            Parameter::policy_named("column_policy").about("how logarithms for columns are taken"),
        )
        .restriction(policy_matters("row_policy", "row_sums_type"))
        .restriction(policy_matters("column_policy", "column_sums_type"));
    for (stage, most) in [("statistics", 8), ("rows", 16), ("columns", 4)] {
        let columns = [1, 2, 4, 8, 16].into_iter().filter(|columns| *columns <= most);
        document = document
            .parameter(
                Parameter::new(format!("{stage}_block"), [64, 128, 256, 512])
                    .default(256)
                    .about(format!("threads per block, {stage}")),
            )
            .parameter(
                Parameter::new(format!("{stage}_columns"), columns)
                    .about(format!("columns per thread, {stage}")),
            )
            .restriction(format!("{stage}_block * {stage}_columns <= size"));
    }
    document
}

impl BenchmarkConfig for CoClustering {
    fn describe(&self) -> Document {
        let document = Document::new(
            "coclustering",
            "clusters of the rows and columns of a matrix with 40 rows, by I-divergence",
        )
        .source("coclustering.cu", include_str!("../../kernels/coclustering.cu"))
        .iterations(ITERATIONS.to_string())
        .stage(statistics())
        .stage(rows())
        .stage(columns())
        .size(SizeRule::starting(1 << 12, "columns").largest(1 << 22))
        .flops("25 * size * 40 * 27")
        .bytes("25 * size * (3 * 40 * input_type_bytes + column_distances_type_bytes + 3)")
        .metric("performance", "GFLOP/s", "flops / seconds / 1e9")
        .secondary("performance")
        .error("nmi_loss", 0.02)
        .wrong_above(1.0)
        .error_against("nmi_loss", "column_labels", "planted_columns")
        .error_against("nmi_loss", "row_labels", "planted_rows")
        .reference(Reference::Plugin);
        parameters(arguments(launches(document)))
    }

    fn fill(
        &self,
        problem: &Problem,
        argument: &str,
        first: u64,
        out: &mut [f64],
    ) -> Result<(), Fault> {
        for (element, at) in out.iter_mut().zip(first..) {
            let row = || usize::try_from(at).unwrap_or(usize::MAX);
            *element = match argument {
                "z" => {
                    let (i, j) = (at / problem.size, at % problem.size);
                    data::element(problem.seed, usize::try_from(i)?, j, problem.size)
                }
                "row_labels" => first_row(problem, row()) as f64,
                "column_labels" => first_column(problem, at) as f64,
                "planted_rows" => data::planted_row(row()) as f64,
                "planted_columns" => data::planted_column(at, problem.size) as f64,
                "averages" => {
                    self.averages(problem)[row() / COLUMN_CLUSTERS][row() % COLUMN_CLUSTERS]
                }
                _ => return Err(format!("the benchmark has no fill for `{argument}`").into()),
            };
        }
        Ok(())
    }

    fn reference(
        &self,
        problem: &Problem,
        output: &str,
        indices: &[u64],
        out: &mut [f64],
    ) -> Result<(), Fault> {
        let begun = OnceCell::new();
        let begun = || begun.get_or_init(|| self.first(problem));
        let averages = || self.averages(problem);
        for (element, &at) in out.iter_mut().zip(indices) {
            let at = usize::try_from(at)?;
            *element = match output {
                "row_labels" => self.last(problem).0[at] as f64,
                "column_labels" => f64::from(self.last(problem).1[at]),
                "averages" => averages()[at / COLUMN_CLUSTERS][at % COLUMN_CLUSTERS],
                "row_distances" => {
                    begun().row_distances(at / ROW_CLUSTERS, averages())[at % ROW_CLUSTERS]
                }
                "column_distances" => nearest(&begun().column_distances(at, averages())).1,
                _ => return Err(format!("the benchmark has no reference for `{output}`").into()),
            };
        }
        Ok(())
    }
}

export_benchmark!(CoClustering, "coclustering");

#[cfg(test)]
mod tests {
    use super::*;

    /// Distances of all rows and columns to all clusters, by the plain definition.
    fn plainly(begun: &Clustering<'_>, averages: &Averages) -> (Vec<f64>, Vec<f64>) {
        let n = begun.columns.len();
        let one = |i: usize, j: usize, r: usize, c: usize| {
            averages[r][c] - begun.matrix[i * n + j] * averages[r][c].ln()
        };
        let of_row = |i: usize, r: usize| {
            (0..n).map(|j| one(i, j, r, usize::from(begun.columns[j]))).sum::<f64>() / n as f64
        };
        let of_column = |j: usize, c: usize| {
            (0..ROWS).map(|i| one(i, j, begun.rows[i], c)).sum::<f64>() / ROWS as f64
        };
        let rows = (0..ROWS * ROW_CLUSTERS).map(|at| of_row(at / ROW_CLUSTERS, at % ROW_CLUSTERS));
        let columns = (0..n)
            .map(|j| (0..COLUMN_CLUSTERS).map(|c| of_column(j, c)).fold(f64::INFINITY, f64::min));
        (rows.collect(), columns.collect())
    }

    fn close(found: &[f64], expected: &[f64]) {
        for (x, r) in found.iter().zip(expected) {
            assert!((x - r).abs() < 1e-10 * r.abs(), "{x} {r}");
        }
        assert_eq!(found.len(), expected.len());
    }

    #[test]
    fn stages_compute_what_their_definitions_say() {
        let benchmark = CoClustering::default();
        let document = benchmark.describe();
        let of = |stage, output: &str, count: u64| {
            let problem = Problem::of_stage(&document, stage, 300, 5).unwrap();
            let mut out = vec![0.0; count as usize];
            let indices: Vec<u64> = (0..count).collect();
            benchmark.reference(&problem, output, &indices, &mut out).unwrap();
            out
        };
        let averages = of("statistics", "averages", 40);
        let problem = Problem::of_stage(&document, "rows", 300, 5).unwrap();
        let begun = benchmark.first(&problem);
        for (at, average) in averages.iter().enumerate() {
            let (r, c) = (at / COLUMN_CLUSTERS, at % COLUMN_CLUSTERS);
            let within =
                |i: usize, j: usize| begun.rows[i] == r && usize::from(begun.columns[j]) == c;
            let all = (0..ROWS).flat_map(|i| (0..300).map(move |j| (i, j)));
            let elements: Vec<f64> = all
                .filter(|&(i, j)| within(i, j))
                .map(|(i, j)| begun.matrix[i * 300 + j])
                .collect();
            close(&[*average], &[elements.iter().sum::<f64>() / elements.len() as f64]);
        }
        let (rows, columns) = plainly(&begun, benchmark.averages(&problem));
        close(&of("rows", "row_distances", 200), &rows);
        close(&of("columns", "column_distances", 300), &columns);
    }

    #[test]
    fn the_planted_clusters_are_nearly_found_and_iterations_nearly_converge() {
        let benchmark = CoClustering::default();
        let problem = Problem::new(benchmark.describe(), 2000, 42);
        let (rows, columns) = benchmark.last(&problem);
        assert!((0..ROWS).all(|i| rows[i] == data::planted_row(i)), "{rows:?}");
        let right = |columns: &[u8]| {
            let planted = |j: usize| data::planted_column(j as u64, 2000);
            (0..2000).filter(|&j| usize::from(columns[j]) == planted(j)).count()
        };
        let (first, last) = (right(&benchmark.first(&problem).columns), right(columns));
        // The noise leaves nine columns in ten nearest to their own cluster.
        assert!(first < 1600 && (1600..1800).contains(&last), "{first} {last}");
        let moved = |from: u32| {
            let [before, after] = [from, from + 1].map(|i| benchmark.first(&problem).after(i));
            before.columns.iter().zip(&after.columns).filter(|(a, b)| a != b).count()
        };
        assert!(moved(1) > 5 * moved(ITERATIONS), "{} {}", moved(1), moved(ITERATIONS));
    }
}
