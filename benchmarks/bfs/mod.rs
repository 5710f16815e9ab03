//! Levels of a breadth-first search, in rounds, over a random graph whose levels are known.

mod graph;

use std::cell::OnceCell;

use autobench_sdk::prelude::*;

use graph::{CHILDREN, DEGREE, Graph};

/// The level of a vertex that no round has reached; the kernel uses the same value.
const UNREACHED: f64 = 255.0;

/// Levels of the vertices of a graph with `size` vertices and 16 edges from each.
#[derive(Debug, Default)]
pub struct Bfs {
    graph: OnceCell<Graph>,
}

impl Bfs {
    fn graph(&self, problem: &Problem) -> Graph {
        *self.graph.get_or_init(|| Graph::new(problem.size, problem.seed))
    }
}

/// Expression: the rounds until every vertex is reached, which is the number of levels that begin
/// below the size.
fn rounds() -> String {
    let first = format!("({CHILDREN}**level - 1) // {}", CHILDREN - 1);
    format!("max(1, len([level for level in range(1, 12) if {first} < size]))")
}

impl BenchmarkConfig for Bfs {
    fn describe(&self) -> Document {
        Document::new("bfs", "levels of a breadth-first search over a graph of degree 16")
            .source("bfs.cu", include_str!("../../kernels/bfs.cu"))
            .launch(
                Launch::new("visit", ["size"])
                    .divided_by(["block_size_x // threads_per_vertex", "vertices_per_thread"])
                    .arguments(["levels", "edges", "rounds", "n"]),
            )
            .launch(
                Launch::new("advance", ["1"]).block(["1"]).divided_by(["1"]).arguments(["rounds"]),
            )
            .iterations(rounds())
            .argument(
                Argument::buffer("levels", Role::Inout, "level_type", ["size"])
                    .filled(Fill::Plugin),
            )
            .argument(Argument::buffer("rounds", Role::Inout, "i32", ["1"]))
            .argument(
                Argument::buffer("edges", Role::In, "i32", ["size", "16"]).filled(Fill::Plugin),
            )
            .argument(Argument::scalar("n", "i32", "size"))
            .parameter(Parameter::new("level_type", ["i32", "u8"]).about("format of the levels"))
            .parameter(
                Parameter::new("block_size_x", [64, 128, 256, 512, 1024])
                    .default(256)
                    .about("threads per block"),
            )
            .parameter(
                Parameter::new("threads_per_vertex", [1, 2, 4, 8, 16])
                    .about("neighbouring threads that share the edges of a vertex"),
            )
            .parameter(
                Parameter::new("vertices_per_thread", [1, 2, 4, 8])
                    .about("vertices per thread, one after the other"),
            )
            .parameter(
                Parameter::new("edges_at_once", [1, 2, 4])
                    .about("neighbouring edges read by one access"),
            )
            .restriction("threads_per_vertex * edges_at_once <= 16")
            .size(SizeRule::starting(1 << 10, "vertices").largest(1 << 26))
            // Reads every edge once, and the levels once in each round.
            .bytes(format!("size * ({DEGREE} * 4 + level_type_bytes * {})", rounds()))
            .metric("edges", "G/s", format!("{DEGREE} * size / seconds / 1e9"))
            .secondary("edges")
            // Levels are whole numbers: each is right or wrong.
            .error("max", 0.25)
            .wrong_above(0.5)
            .reference(Reference::Plugin)
    }

    fn fill(
        &self,
        problem: &Problem,
        argument: &str,
        first: u64,
        out: &mut [f64],
    ) -> Result<(), Fault> {
        let graph = self.graph(problem);
        if argument == "levels" {
            for (level, vertex) in out.iter_mut().zip(first..) {
                *level = if vertex == 0 { 0.0 } else { UNREACHED };
            }
        } else {
            let edges = graph.edges(first / DEGREE).skip((first % DEGREE) as usize);
            for (edge, to) in out.iter_mut().zip(edges) {
                *edge = to as f64;
            }
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
        let graph = self.graph(problem);
        if output == "rounds" {
            // A graph without edges to follow still needs one round to find that out.
            out.fill(f64::from(graph.last_level().max(1)));
            return Ok(());
        }
        for (level, &vertex) in out.iter_mut().zip(indices) {
            *level = f64::from(graph.level(vertex));
        }
        Ok(())
    }
}

export_benchmark!(Bfs, "bfs");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_the_same_in_any_pieces_and_the_root_begins_reached() {
        let problem = Problem::new(Bfs::default().describe(), 500, 6);
        let (benchmark, mut whole) = (Bfs::default(), vec![0.0; 8000]);
        benchmark.fill(&problem, "edges", 0, &mut whole).unwrap();
        for first in [1, 16, 4000, 7999] {
            let mut piece = vec![0.0; 8000 - first];
            benchmark.fill(&problem, "edges", first as u64, &mut piece).unwrap();
            assert_eq!(piece, whole[first..], "{first}");
        }
        let mut levels = vec![0.0; 500];
        benchmark.fill(&problem, "levels", 0, &mut levels).unwrap();
        assert!((0..).zip(levels).all(|(vertex, level)| (level < 1.0) == (vertex == 0)));
    }

    #[test]
    fn the_last_level_is_reached_in_as_many_rounds_as_there_are_levels() {
        for (size, rounds) in [(1, 1), (2, 1), (9, 1), (10, 2), (73, 2), (74, 3), (100_000, 6)] {
            let problem = Problem::new(Bfs::default().describe(), size, 6);
            let mut out = [0.0];
            Bfs::default().reference(&problem, "rounds", &[0], &mut out).unwrap();
            assert_eq!(out[0] as u32, rounds, "{size}");
        }
    }
}
