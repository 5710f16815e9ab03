//! Wrong variants of the kernels that saturate a device, each with a typical mistake: an index off
//! by one, a missing guard, a missing barrier. A worker has to reject every variant, and to accept
//! the original text for the same configuration and size.
//!
//! A variant is the library of our benchmarks with other characters in the kernel's text, so its
//! document, inputs and reference are the real ones.

use std::path::Path;

use plugins::Benchmark;
use records::{Named, Outcome, Status, settings::Verification};
use space::{Parameter, Space, Value};
use worker::{Checking, Locator, MeasurePlan};

use super::support::{PATIENT, setup_of, several, worker};

/// A mistake, with a configuration and a size at which it shows.
struct Variant {
    /// What is wrong, in words.
    wrong: &'static str,
    size: u64,
    /// Values that differ from the defaults.
    with: &'static [(&'static str, &'static str)],
    /// The part of the kernel's text that is replaced.
    right: &'static str,
    /// The replacement, which must not be longer.
    becomes: &'static str,
}

/// A benchmark in a copy of the library, with a part of its kernel's text replaced.
fn altered(name: &str, kernel: &str, variant: &Variant, folder: &Path, number: usize) -> Locator {
    let Variant { wrong, right, becomes, .. } = variant;
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels").join(kernel);
    let source = std::fs::read_to_string(source).expect("a kernel");
    let times = source.matches(right).count();
    assert_eq!(times, 1, "{name}, {wrong}: `{right}` stands {times} times in {kernel}");
    assert!(becomes.len() <= right.len(), "{name}, {wrong}: the replacement is longer");
    // Trailing spaces keep the length, and have no effect in the text.
    let becomes = format!("{becomes:<width$}", width = right.len());
    let mut bytes = std::fs::read(several()).expect("a library");
    let found: Vec<usize> = bytes
        .windows(right.len())
        .enumerate()
        .filter(|(_, part)| *part == right.as_bytes())
        .map(|(at, _)| at)
        .collect();
    assert!(!found.is_empty(), "{name}, {wrong}: the library does not hold `{right}`");
    for at in found {
        bytes[at..at + right.len()].copy_from_slice(becomes.as_bytes());
    }
    let path = folder.join(format!("lib{name}_{number}.so"));
    std::fs::write(&path, bytes).expect("written");
    Locator::OneOf(path, name.to_owned())
}

/// A configuration with these values: the defaults otherwise, or the first valid configuration.
fn configuration(benchmark: &Benchmark, variant: &Variant) -> Named {
    let mut parameters = benchmark.parameters();
    for (name, value) in variant.with {
        let known = parameters.iter_mut().find(|parameter| parameter.name == *name);
        let Parameter { values, default, .. } = known.expect("a parameter of the benchmark");
        values.retain(|known| known.to_string() == *value);
        assert_eq!(values.len(), 1, "`{name}` has the value {value}");
        *default = None;
    }
    let size = [("size".to_owned(), Value::Int(variant.size.cast_signed()))];
    let space = Space::build(parameters, benchmark.restrictions(), &size).expect("a space");
    let id = space.default_id().or_else(|| space.ids().next()).expect("a valid configuration");
    Named::of(&space, id)
}

/// One checked run of a benchmark.
fn checked(folder: &Path, benchmark: &Locator, size: u64, configuration: &Named) -> Outcome {
    let mut client = worker(folder);
    client.set_up(setup_of(folder, benchmark.clone(), true), PATIENT).expect("set up");
    let checking = Checking { verification: Verification::Thorough, seed: None };
    let plan = MeasurePlan {
        min_samples: 1,
        max_samples: 1,
        max_seconds: 0.1,
        checking,
        ..MeasurePlan::default()
    };
    client.measure(size, configuration, &plan, PATIENT)
}

/// Whether a configuration uses a format whose rounding exceeds the bound on the error.
fn loose(configuration: &Named) -> bool {
    configuration.0.iter().any(|(_, value)| value.as_text() == Some("f16"))
}

/// Checks that a worker rejects every variant of a benchmark's kernel, and accepts the original.
fn are_caught(name: &str, kernel: &str, variants: &[Variant]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let locator = Locator::OneOf(several(), name.to_owned());
    let described = worker(folder.path()).describe(&locator, PATIENT).expect("a document");
    let benchmark = Benchmark::new(described).expect("a sound document");
    let mut right: Vec<(u64, Named)> = Vec::new();
    let mut missed = Vec::new();
    for (number, variant) in variants.iter().enumerate() {
        let configuration = configuration(&benchmark, variant);
        let here = (variant.size, configuration.clone());
        if !right.contains(&here) {
            let outcome = checked(folder.path(), &locator, variant.size, &configuration);
            let measured = outcome.status == Status::Measured;
            assert!(measured, "{name} {configuration}: {}", outcome.reason);
            let error = outcome.measurement.and_then(|measured| measured.error);
            let bound = benchmark.document().error.bound;
            let is_right = error.is_some_and(|error| error <= bound || loose(&configuration));
            assert!(is_right, "{name} {configuration}: {error:?}");
            right.push(here);
        }
        let altered = altered(name, kernel, variant, folder.path(), number);
        let outcome = checked(folder.path(), &altered, variant.size, &configuration);
        eprintln!("{name}, {}: {:?}, {}", variant.wrong, outcome.status, outcome.reason);
        // Above the bound is enough: `plugin check` then refuses a default, and no study reports it
        // as best.
        let error = outcome.measurement.as_ref().and_then(|measured| measured.error);
        let is_above = error.is_some_and(|error| error > benchmark.document().error.bound);
        if !is_above && !matches!(outcome.status, Status::WrongResult | Status::RunFailed) {
            missed.push(format!("{} ({:?} {})", variant.wrong, outcome.status, outcome.reason));
        }
    }
    assert!(missed.is_empty(), "{name}, not found wrong: {missed:#?}");
}

/// Variants for a benchmark of `stream.cu`; its kernels differ only in what they compute.
fn streams(name: &str, other: (&'static str, &'static str)) {
    are_caught(
        name,
        "stream.cu",
        &[
            Variant {
                wrong: "reads one element further",
                size: 8192,
                with: &[],
                right: "vector_width>(z + at, x + at, y + at, a)",
                becomes: "vector_width>(z+at, x+at+1, y+at+1, a)",
            },
            Variant {
                wrong: "a block begins one element too early",
                size: 8192,
                with: &[],
                right: "const long long first = (long long)blockIdx.x * tile;",
                becomes: "const long long first = (blockIdx.x*tile + 1)/2*2-1;",
            },
            Variant {
                wrong: "no guard in the last block",
                size: 4099,
                with: &[],
                right: "if (at < rest) access",
                becomes: "access",
            },
            Variant {
                wrong: "a guard that is one off",
                size: 4099,
                with: &[("vector_width", "4")],
                right: "if (at < rest) access",
                becomes: "if (at<rest-1) access",
            },
            Variant {
                wrong: "another operation",
                size: 8192,
                with: &[("precision", "f64")],
                right: other.0,
                becomes: other.1,
            },
        ],
    );
}

#[test]
fn of_copy() {
    streams("copy", ("return x;", "return-x;"));
}

#[test]
fn of_scale() {
    streams("scale", ("return a * x;", "return a + x;"));
}

#[test]
fn of_triad() {
    streams("triad", ("ab::fma(a, y, x)", "ab::fma(a, x, y)"));
}

#[test]
fn of_transpose() {
    are_caught(
        "transpose",
        "transpose.cu",
        &[
            Variant {
                wrong: "the tile is written as it was read",
                size: 64,
                with: &[],
                right: "held[x][y];",
                becomes: "held[y][x];",
            },
            Variant {
                wrong: "reads one column further",
                size: 64,
                with: &[],
                right: "matrix[y * n + x];",
                becomes: "matrix[y*n + x+1];",
            },
            Variant {
                wrong: "no guard where the tile is written",
                size: 97,
                with: &[],
                right: "if (whole || (column + y < n && row + x < n)) transposed",
                becomes: "transposed",
            },
            Variant {
                wrong: "no barrier between reading and writing",
                size: 64,
                with: &[],
                right: "held[y][x] = matrix[y * n + x];\n    }\n  }\n  AUTOBENCH_PHASE {\n    const int x = threadIdx.x;",
                becomes: "held[y][x] = matrix[y * n + x];\n    }",
            },
        ],
    );
}

#[test]
fn of_stencil() {
    are_caught(
        "stencil",
        "stencil.cu",
        &[
            Variant {
                wrong: "the left neighbour is one too far",
                size: 32,
                with: &[],
                right: "from, here - 1, x0",
                becomes: "from, here - 2, x0",
            },
            Variant {
                wrong: "no bound at the end of a row",
                size: 32,
                with: &[],
                right: "here + 1, x0 + x + 1 < n)",
                becomes: "here + 1, true)",
            },
            Variant {
                wrong: "no bound below the first plane",
                size: 32,
                with: &[("keep_planes", "1"), ("planes_per_thread", "2")],
                right: "before() = point<InMemory>(from, here - plane, z0 + z > 0);",
                becomes: "before() = point<InMemory>(from, here - plane, true);",
            },
            Variant {
                wrong: "the plane before is not kept",
                size: 32,
                with: &[("keep_planes", "1"), ("planes_per_thread", "4")],
                right: "before() = centre;",
                becomes: "before() = above;",
            },
            Variant {
                wrong: "the last block is not moved back inside",
                size: 49,
                with: &[],
                right: "min((int)blockIdx.x * block_size_x, n - block_size_x);",
                becomes: "(int)blockIdx.x * block_size_x;",
            },
        ],
    );
}

#[test]
fn of_reduction() {
    are_caught(
        "reduction",
        "reduction.cu",
        &[
            Variant {
                wrong: "adds what lies one before",
                size: 4096,
                with: &[],
                right: "sums[t] += sums[t + half];",
                becomes: "sums[t] += sums[t+half-1];",
            },
            Variant {
                wrong: "one number too many in the last tile",
                size: 4099,
                with: &[],
                right: "at < rest; at",
                becomes: "at<=rest; at",
            },
            Variant {
                wrong: "no guard where partial sums are added",
                size: 4099,
                with: &[("blocks", "0"), ("items_per_thread", "1")],
                right: "if (first + threadIdx.x < count) own()",
                becomes: "own()",
            },
            Variant {
                wrong: "no barrier between halves",
                size: 4096,
                with: &[],
                right: "AUTOBENCH_PHASE {\n      const int t = threadIdx.x;",
                becomes: "{\n      const int t = threadIdx.x;",
            },
        ],
    );
}

#[test]
fn of_fma() {
    are_caught(
        "fma",
        "fma.cu",
        &[
            Variant {
                wrong: "takes the summand of a neighbour",
                size: 4096,
                with: &[],
                right: "= b[chain * block_size_x + thread];",
                becomes: "= b[chain*block_size_x+(thread^1)];",
            },
            Variant {
                wrong: "the last block goes beyond the end",
                size: 4099,
                with: &[],
                right: "first = own < n - tile ? own : n - tile;",
                becomes: "first = own;",
            },
            Variant {
                wrong: "multiplies before it adds one step too few",
                size: 4096,
                with: &[],
                right: "value = ab::fma(factor, value, summand);",
                becomes: "value = value + summand * factor;",
            },
            Variant {
                wrong: "no barrier where halves are put down",
                size: 4096,
                with: &[("precision", "f16")],
                right: "AUTOBENCH_PHASE { x[chain + threadIdx.x] = values[threadIdx.x]; }",
                becomes: "{ x[chain + threadIdx.x] = values[threadIdx.x]; }",
            },
        ],
    );
}

#[test]
fn of_nbody() {
    are_caught(
        "nbody",
        "nbody.cu",
        &[
            Variant {
                wrong: "takes the next body's mass",
                size: 256,
                with: &[],
                right: "masses[begin + at]",
                becomes: "masses[begin+at^1]",
            },
            Variant {
                wrong: "no guard in the last tile",
                size: 385,
                with: &[("tile_bodies", "256")],
                right: "const bool real = begin + at < n;",
                becomes: "const bool real = true;",
            },
            Variant {
                wrong: "no barrier between reading a tile and using it",
                size: 256,
                with: &[],
                right: "}\n    }\n    AUTOBENCH_PHASE {\n      numbers x, y, z;",
                becomes: "}\n      numbers x, y, z;",
            },
            Variant {
                wrong: "the last block goes beyond the end",
                size: 385,
                with: &[],
                right: "min((int)blockIdx.x * tile, n - tile);",
                becomes: "(int)blockIdx.x * tile;",
            },
        ],
    );
}

#[test]
fn of_xgemm() {
    are_caught(
        "xgemm",
        "xgemm.cu",
        &[
            Variant {
                wrong: "rows and columns of blocks changed places",
                size: 128,
                with: &[("MWG", "64"), ("NWG", "32")],
                right: "first_row = blockIdx.x * MWG, first_column = blockIdx.y * NWG;",
                becomes: "first_row = blockIdx.y * MWG, first_column = blockIdx.x * NWG;",
            },
            Variant {
                wrong: "reads A one column further",
                size: 128,
                with: &[],
                right: "ab::load<VWM>(a + (long long)(k + column) * n + m + row));",
                becomes: "ab::load<VWM>(a + (long long)(k+column+1)*n + m + row));",
            },
            Variant {
                wrong: "reads B one column further where it lies",
                size: 128,
                with: &[("SB", "0")],
                right: "read[i] = b[(long long)(x + i) * n + k];",
                becomes: "read[i] = b[(long long)(x+i+1)*n + k];",
            },
            Variant {
                wrong: "no barrier between reading parts and using them",
                size: 128,
                with: &[],
                right: "      }\n      AUTOBENCH_PHASE {\n        wide sums[NWI][MWI];\n        WRITTEN_OUT\n        for (int x = 0; x < NWI; ++x)\n          WRITTEN_OUT\n          for (int m = 0; m < MWI; ++m) sums[x][m] = kept.at(x, m);\n        add_products(sums, KWG,",
                becomes: "        wide sums[NWI][MWI];\n        WRITTEN_OUT\n        for (int x = 0; x < NWI; ++x)\n          WRITTEN_OUT\n          for (int m = 0; m < MWI; ++m) sums[x][m] = kept.at(x, m);\n        add_products(sums, KWG,",
            },
        ],
    );
}

#[test]
fn of_chase() {
    are_caught(
        "chase",
        "chase.cu",
        &[
            Variant {
                wrong: "tells the place of the line before",
                size: 4096,
                with: &[],
                right: " last[0] = lines[at + places];",
                becomes: " last[0] =lines[at+places+1];",
            },
            Variant {
                wrong: "one load too few",
                size: 4096,
                with: &[],
                right: "for (; left > 0; --left)",
                becomes: "for (; left > 1; --left)",
            },
            Variant {
                wrong: "goes along another cycle",
                size: 4096,
                with: &[("stride", "128")],
                right: "unsigned at = cycle;",
                becomes: "unsigned at = 0;",
            },
            Variant {
                wrong: "writes beyond what was seen",
                size: 4096,
                with: &[],
                right: "seen[threadIdx.x] = all();",
                becomes: "seen[threadIdx.x+1]=all();",
            },
        ],
    );
}

#[test]
fn of_launch() {
    are_caught(
        "launch",
        "launch.cu",
        &[
            Variant {
                wrong: "counts blocks along another axis",
                size: 1000,
                with: &[],
                right: "blocks[0] = gridDim.x;",
                becomes: "blocks[0] = gridDim.y;",
            },
            Variant {
                wrong: "asks for a block that a single one is not",
                size: 1,
                with: &[],
                right: "blockIdx.x == 0 &&",
                becomes: "blockIdx.x == 1 &&",
            },
            Variant {
                wrong: "writes one element further",
                size: 1000,
                with: &[],
                right: "blocks[0] = gridDim.x;",
                becomes: "blocks[1] = gridDim.x;",
            },
        ],
    );
}

#[test]
fn of_histogram() {
    are_caught(
        "histogram",
        "histogram.cu",
        &[
            Variant {
                wrong: "takes one digit more for the bin",
                size: 4096,
                with: &[("private_bins", "0")],
                right: "key >> (32 - digits(bins))",
                becomes: "key >> (33 - digits(bins))",
            },
            Variant {
                wrong: "no guard in the last block",
                size: 6145,
                with: &[],
                right: "if (at >= here) continue;",
                becomes: "",
            },
            Variant {
                wrong: "a guard that is one off",
                size: 6145,
                with: &[("private_bins", "0")],
                right: "if (at >= here) continue;",
                becomes: "if (at+1>=here) continue;",
            },
            Variant {
                wrong: "no barrier behind setting bins to 0",
                size: 100_000,
                with: &[],
                right: "AUTOBENCH_PHASE {\n      for (int at = threadIdx.x; at < own_bins;",
                becomes: "{\n      for (int at = threadIdx.x; at < own_bins;",
            },
            Variant {
                wrong: "leaves a copy of the bins out",
                size: 4096,
                with: &[("private_bins", "4")],
                right: "copy < private_bins; ++copy",
                becomes: "copy<private_bins-1;++copy",
            },
        ],
    );
}

#[test]
fn of_barriers() {
    are_caught(
        "barriers",
        "barriers.cu",
        &[
            Variant {
                wrong: "takes the value of the thread after the next",
                size: 4096,
                with: &[],
                right: "from[item][thread + 1];",
                becomes: "from[item][thread + 2];",
            },
            Variant {
                wrong: "hands values back one thread off",
                size: 4096,
                with: &[],
                right: "[thread + block_size_x - travelled]",
                becomes: "[thread+block_size_x-travelled+1]",
            },
            Variant {
                wrong: "the last block goes beyond the end",
                size: 4099,
                with: &[],
                right: "first = own < n - tile ? own : n - tile;",
                becomes: "first = own;",
            },
            Variant {
                wrong: "no second row, so that a barrier is missing",
                size: 4096,
                with: &[],
                right: "(done % 2 == 0)\n      exchange(odd, even, a, b);",
                becomes: "(done >= 0)\n      exchange(even, even, a, b);",
            },
            Variant {
                wrong: "no barrier behind the first row",
                size: 4096,
                with: &[("steps_per_barrier", "256")],
                right: "AUTOBENCH_PHASE {\n    numbers value;",
                becomes: "{\n    numbers value;",
            },
        ],
    );
}

#[test]
fn of_gather() {
    are_caught(
        "gather",
        "gather.cu",
        &[
            Variant {
                wrong: "takes the neighbour of an element",
                size: 4,
                with: &[],
                right: "elements[i] = in[from[i]];",
                becomes: "elements[i]=in[from[i]^1];",
            },
            Variant {
                wrong: "the last element lies beyond the end",
                size: 4,
                with: &[("vector_width", "2")],
                right: "ab::store(out + at, elements);",
                becomes: "ab::store(out+at+1,elements);",
            },
        ],
    );
}

#[test]
fn of_scatter() {
    are_caught(
        "scatter",
        "gather.cu",
        &[
            Variant {
                wrong: "puts elements one place further",
                size: 4,
                with: &[],
                right: "out[to[i]] = elements[i];",
                becomes: "out[to[i]+1]=elements[i];",
            },
            Variant {
                wrong: "puts elements where they come from",
                size: 4,
                with: &[("vector_width", "4")],
                right: "out[to[i]] = elements[i];",
                becomes: "out[at+i] = elements[i];",
            },
        ],
    );
}

#[test]
fn of_spmv() {
    are_caught(
        "spmv",
        "spmv.cu",
        &[
            Variant {
                wrong: "leaves the first element of a row out",
                size: 1024,
                with: &[("threads_per_row", "1")],
                right: "part_of_row(values, columns, x, starts[row], starts[row + 1]);",
                becomes: "part_of_row(values,columns,x,starts[row]+1, starts[row+1]);",
            },
            Variant {
                wrong: "no guard behind the last row",
                size: 1537,
                with: &[("threads_per_row", "1")],
                right: "if (row < n) y[row]",
                becomes: "y[row]",
            },
            Variant {
                wrong: "no guard where sums are written",
                size: 1537,
                with: &[],
                right: "if (t < rows && first + t < n) y",
                becomes: "if (t < rows) y",
            },
            Variant {
                wrong: "no barrier between halves",
                size: 1024,
                with: &[("threads_per_row", "8")],
                right: "AUTOBENCH_PHASE {\n        const int t = threadIdx.x;\n        if",
                becomes: "{\n        const int t = threadIdx.x;\n        if",
            },
        ],
    );
}

#[test]
fn of_bfs() {
    are_caught(
        "bfs",
        "bfs.cu",
        &[
            Variant {
                wrong: "leaves the last edge out",
                size: 1024,
                with: &[],
                right: "edge < degree;",
                becomes: "edge<degree-1;",
            },
            Variant {
                wrong: "does not ask whether a vertex was reached before",
                size: 1024,
                with: &[],
                right: "if (levels[to[i]] == (level_type)unreached) levels",
                becomes: "levels",
            },
            Variant {
                wrong: "the last block leaves vertices out",
                size: 1537,
                with: &[],
                right: "first + vertex < n &&",
                becomes: "first+vertex+99<n &&",
            },
            Variant {
                wrong: "rounds are not counted one by one",
                size: 1024,
                with: &[],
                right: "*rounds += 1;",
                becomes: "*rounds += 2;",
            },
        ],
    );
}
