//! The product of square matrices, with the parameter space of CLBlast's kernel.

mod products;

use autobench_sdk::prelude::*;

/// `C = A B`, all `size` × `size`, column after column.
#[derive(Debug, Default)]
pub struct Xgemm;

impl BenchmarkConfig for Xgemm {
    fn describe(&self) -> Document {
        let input = Fill::Uniform { low: -1.0, high: 1.0 };
        let document = Document::new("xgemm", "matrix product C = A B with CLBlast's parameters")
            .source("xgemm.cu", include_str!("../../kernels/xgemm.cu"))
            .launch(
                Launch::new("xgemm", ["size", "size"])
                    .block(["MDIMC", "NDIMC"])
                    .divided_by(["MWG"])
                    .divided_by(["NWG"]),
            )
            .argument(Argument::buffer("c", Role::Out, "PRECISION", ["size", "size"]))
            .argument(
                Argument::buffer("a", Role::In, "PRECISION", ["size", "size"])
                    .filled(input.clone()),
            )
            .argument(Argument::buffer("b", Role::In, "PRECISION", ["size", "size"]).filled(input))
            .argument(Argument::scalar("n", "i32", "size"))
            // A multiple of the largest tile of C, so that kernels need no bounds checks.
            .size(SizeRule::starting(128, "rows and columns").multiple_of(128).largest(1 << 16))
            .flops("2 * size * size * size")
            .bytes("3 * size * size * PRECISION_bytes")
            .metric("performance", "GFLOP/s", "flops / seconds / 1e9")
            .secondary("performance")
            .error("nrmse", 1e-5)
            .wrong_above(0.02)
            .level("high", 1e-8)
            .level("medium", 1e-5)
            .level("low", 1e-2)
            .reference(Reference::Plugin);
        restrictions(parameters(document))
    }

    fn reference(
        &self,
        problem: &Problem,
        _output: &str,
        indices: &[u64],
        out: &mut [f64],
    ) -> Result<(), Fault> {
        let inputs = (problem.generator("a"), problem.generator("b"));
        products::products(inputs, problem.size, indices, out);
        Ok(())
    }
}

/// The parameters of CLBlast's tuner.
fn parameters(document: Document) -> Document {
    let threads =
        |name: &str, about: &str| Parameter::new(name, [8, 16, 32]).default(16).about(about);
    let part =
        |name: &str, about: &str| Parameter::new(name, [16, 32, 64, 128]).default(64).about(about);
    let width = |name: &str, about: &str| Parameter::new(name, [1, 2, 4, 8]).about(about);
    document
        .parameter(Parameter::format("PRECISION").about("format of the elements"))
        .parameter(part("MWG", "rows of C per block"))
        .parameter(part("NWG", "columns of C per block"))
        .parameter(
            Parameter::new("KWG", [16, 32])
                .default(32)
                .about("columns of A and rows of B per round"),
        )
        .parameter(threads("MDIMC", "threads of a block along the rows of C"))
        .parameter(threads("NDIMC", "threads of a block along the columns of C"))
        .parameter(threads("MDIMA", "threads along the rows when a block reads A"))
        .parameter(threads("NDIMB", "threads along the columns when a block reads B"))
        .parameter(Parameter::new("KWI", [2]).about("columns of A that are written out"))
        .parameter(width("VWM", "neighbouring rows of A and C that a thread takes at once"))
        .parameter(width("VWN", "neighbouring columns of B that a thread takes at once"))
        .parameter(
            Parameter::new("STRM", [0, 1])
                .default(1)
                .about("1: a thread's rows lie a block's width apart"),
        )
        .parameter(
            Parameter::new("STRN", [0, 1])
                .default(1)
                .about("1: a thread's columns lie a block's width apart"),
        )
        .parameter(Parameter::new("SA", [0, 1]).default(1).about("1: a block holds its part of A"))
        .parameter(Parameter::new("SB", [0, 1]).default(1).about("1: a block holds its part of B"))
}

/// CLBlast's restrictions, and those that problem sizes and memories require.
fn restrictions(document: Document) -> Document {
    document
        .restriction("KWG % KWI == 0")
        .restriction("MWG % (MDIMC * VWM) == 0")
        .restriction("NWG % (NDIMC * VWN) == 0")
        .restriction("MWG % (MDIMA * VWM) == 0")
        .restriction("NWG % (NDIMB * VWN) == 0")
        .restriction("KWG % ((MDIMC * NDIMC) / MDIMA) == 0")
        .restriction("KWG % ((MDIMC * NDIMC) / NDIMB) == 0")
        .restriction("size % MWG == 0 and size % NWG == 0 and size % KWG == 0")
        // Shared memory that every device has.
        .restriction(
            "KWG * (SA * MWG + SB * (NWG + VWN)) \
             * (8 if PRECISION == 'f64' else 4 if PRECISION == 'f32' else 2) <= 49152",
        )
}

export_benchmark!(Xgemm, "xgemm");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_is_the_plain_triple_loop() {
        let n = 27;
        let problem = Problem::new(Xgemm.describe(), n, 5);
        let indices: Vec<u64> = (0..n * n).collect();
        let mut out = vec![0.0; indices.len()];
        Xgemm.reference(&problem, "c", &indices, &mut out).unwrap();
        for (&index, &found) in indices.iter().zip(&out) {
            let (i, j) = (index % n, index / n);
            let expected: f64 =
                (0..n).map(|k| problem.input("a", i + k * n) * problem.input("b", k + j * n)).sum();
            assert!((found - expected).abs() < 1e-13, "{index}: {found} {expected}");
        }
    }

    #[test]
    fn rows_that_do_not_fit_at_once_are_taken_in_parts() {
        let n = 8192;
        let problem = Problem::new(Xgemm.describe(), n, 5);
        let indices = [1, 8000, n + 1, 5 * n + 3000];
        let mut out = [0.0; 4];
        Xgemm.reference(&problem, "c", &indices, &mut out).unwrap();
        for (index, found) in indices.into_iter().zip(out) {
            let (i, j) = (index % n, index / n);
            let expected: f64 =
                (0..n).map(|k| problem.input("a", i + k * n) * problem.input("b", k + j * n)).sum();
            assert!((found - expected).abs() < 1e-10, "{index}: {found} {expected}");
        }
    }
}
