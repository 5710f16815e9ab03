//! Rings of copies for every kind of argument: a kernel that is wrong only in a later copy is
//! caught, for each kind of damage.

use std::path::Path;

use records::{Outcome, Status};
use worker::MeasurePlan;

use super::support::{PATIENT, configuration, exhaustive, ready};

/// A kernel with every kind of argument. `does` selects its fault, in all runs but the first.
const KERNEL: &str = r#"
static unsigned long long entered = 0;

__constant__ float k[4];

__global__ void copies(const float *a, float *s, float *c, float *d, float *e, int n)
{
  const unsigned long long before = __atomic_fetch_add(&entered, 1ull, __ATOMIC_RELAXED);
  const bool later = before >= (unsigned long long)gridDim.x * blockDim.x;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  s[i] = a[i];
  c[i] = does == 2 && later && i == 0 ? 5.0f : s[i] + k[1];
  if (!(does == 6 && later && i == n - 1)) d[i] = does == 5 && later ? 7.0f : 2.0f * a[i];
  e[i] += does == 4 && later ? 3.0f : 1.0f;
  if (!later || i != n - 1) return;
  if (does == 1) ((float *)a)[0] = -9.0f;
  if (does == 3) s[n] = 1.0f;
  if (does == 7) c[n] = 1.0f;
  if (does == 8) e[n] = 1.0f;
}
"#;

const DOCUMENT: &str = r#"
name: copies
about: an argument of every kind
sources:
  - name: kernel.cu
launches:
  - {entry: copies, problem: [size]}
arguments:
  - {name: a, role: in, format: f32, shape: [size], fill: {uniform: {low: 1, high: 2}}}
  - {name: k, role: constant, format: f32, shape: [4], fill: {constant: 2}}
  - {name: s, role: scratch, format: f32, shape: [size]}
  - {name: c, role: out, format: f32, shape: [size]}
  - {name: d, role: out, format: f32, shape: [size]}
  - {name: e, role: inout, format: f32, shape: [size], fill: {constant: 1}}
  - {name: n, role: in, format: i32, value: size}
parameters:
  - {name: block_size_x, values: [64]}
  - {name: does, values: [0, 1, 2, 3, 4, 5, 6, 7, 8]}
size: {start: 1000, meaning: elements}
bytes: 24 * size
metrics:
  - {name: bandwidth, unit: GB/s, expression: bytes / seconds / 1e9}
secondary: bandwidth
error: {metric: max, bound: 1e-6}
reference:
  expressions: {c: "a[i] + 2", d: "2 * a[i]", e: "2"}
"#;

fn outcome(folder: &Path, does: i64, size: u64, cold: bool) -> Outcome {
    let mut client = ready(folder, DOCUMENT, KERNEL, cold);
    let plan = MeasurePlan { max_samples: 20, ..MeasurePlan::default() };
    client.measure(size, &configuration(does), &plan, PATIENT)
}

#[test]
fn what_spoils_a_later_copy_of_any_argument_is_caught_and_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let sizes = [1000, 20_011];
    for size in sizes.into_iter().take(if exhaustive() { 2 } else { 1 }) {
        let right = outcome(folder.path(), 0, size, true);
        assert_eq!(right.status, Status::Measured, "{right:?}");
        assert_eq!(right.measurement.expect("measured").cold, Some(true));
        for (does, status, reason) in [
            (1, Status::RunFailed, "changed argument `a`"),
            (2, Status::WrongResult, "`c[0]`"),
            (3, Status::RunFailed, "argument `s` was written"),
            (4, Status::WrongResult, "`e["),
            (5, Status::WrongResult, "`d["),
            (6, Status::WrongResult, "of `d` were never written"),
            (7, Status::RunFailed, "argument `c` was written"),
            (8, Status::RunFailed, "argument `e` was written"),
        ] {
            let found = outcome(folder.path(), does, size, true);
            assert_eq!(found.status, status, "{does} at {size}: {found:?}");
            assert!(found.reason.contains(reason), "{does} at {size}: {}", found.reason);
            assert!(found.measurement.is_none());
        }
    }
}

#[test]
fn hot_runs_of_one_copy_restore_what_they_change() {
    let folder = tempfile::tempdir().expect("a folder");
    let right = outcome(folder.path(), 0, 5003, false);
    assert_eq!(right.status, Status::Measured, "{right:?}");
    assert_eq!(right.measurement.expect("measured").cold, Some(false));
}
