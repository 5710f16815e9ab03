//! Requirements for kernels on every backend: geometry, barriers, atomics, constants, faults.

use device::{ArgumentValue, Buffer, Caches, CompileFault, CompileJob, RunFault, SampleRuns};
use space::accuracy::Element;

use super::{Bench, devices, int, job, step};

const VECADD: &str = r"
__global__ void add(const float *a, const float *b, float *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}";

#[test]
fn a_kernel_compiles_runs_and_is_timed() {
    for mut bench in devices() {
        let kernel = bench.compile(job(VECADD, "add", [64, 1, 1]));
        let a: Vec<f32> = (0..1000_u16).map(f32::from).collect();
        let (a, b) = (bench.floats(&a), bench.floats(&[0.5; 1000]));
        let c = bench.floats(&[0.0; 1000]);
        let buffers = [a, b, c].map(ArgumentValue::Buffer);
        let steps = [step([16, 1, 1], [64, 1, 1], [&buffers[..], &[int(999)]].concat())];
        bench.device.run(kernel, &steps).expect("runs");
        let values = bench.values(c, Element::F32, 1000);
        assert!(values[..999].iter().enumerate().all(|(i, &x)| x == i as f64 + 0.5));
        assert_eq!(values[999], 0.0, "the guard holds");
        for caches in [Caches::Flushed, Caches::Kept] {
            let sample =
                bench.device.time(kernel, &steps, SampleRuns::of(4), caches).expect("timed");
            assert!(sample.seconds >= 0.0 && sample.seconds.is_finite());
        }
        assert_eq!(bench.device.guards(), Ok(()));
        let facts = bench.device.kernel_facts(kernel);
        if is_cpu(&bench) {
            assert_eq!(facts.get("fibers"), Some(&0.0));
        } else {
            assert!(facts["occupancy"] > 0.0 && facts["occupancy"] <= 1.0, "{facts:?}");
        }
    }
}

/// Sums over the slots of a ring of integers, each with `count` elements.
fn sums(bench: &mut Bench, ring: Buffer, slots: u32, count: u64) -> Vec<f64> {
    (0..slots).map(|slot| bench.values(ring.at(slot), Element::I32, count).iter().sum()).collect()
}

#[test]
fn runs_of_a_sample_use_slot_after_slot_of_every_ring() {
    let text = r"
    __global__ void copy(int *to, const int *from, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) to[i] += from[i];
    }";
    for mut bench in devices() {
        let kernel = bench.compile(job(text, "copy", [32, 1, 1]));
        let (slots, count) = (7_u32, 50_u64);
        let to = bench.device.allocate_ring(4 * count, slots).expect("memory");
        let from = bench.device.allocate_ring(4 * count, 3).expect("memory");
        for slot in 0..slots {
            let bytes: Vec<u8> = [0_i32; 50].iter().flat_map(|n| n.to_ne_bytes()).collect();
            bench.device.write(to.at(slot), 0, &bytes).expect("write");
        }
        for slot in 0..3 {
            let value = 10_i32.pow(slot);
            let bytes: Vec<u8> = [value; 50].iter().flat_map(|n| n.to_ne_bytes()).collect();
            bench.device.write(from.at(slot), 0, &bytes).expect("write");
        }
        let arguments = vec![ArgumentValue::Buffer(to), ArgumentValue::Buffer(from), int(50)];
        let steps = [step([2, 1, 1], [32, 1, 1], arguments)];
        // The first two samples are the same, because batches are cached; the others differ.
        let mut expected = [0.0; 7];
        for (first, runs) in [(0, 4), (0, 4), (5, 1), (4, 9), (11, 2)] {
            let sample_runs = SampleRuns { runs, first };
            bench.device.time(kernel, &steps, sample_runs, Caches::Kept).expect("timed");
            for run in first..first + runs {
                expected[run as usize % 7] += 50.0 * 10_f64.powi((run % 3) as i32);
            }
            assert_eq!(sums(&mut bench, to, slots, count), expected, "{sample_runs:?}");
        }
        // A run outside of samples uses exactly the copies in its arguments.
        let arguments =
            vec![ArgumentValue::Buffer(to.at(6)), ArgumentValue::Buffer(from.at(2)), int(50)];
        bench.device.run(kernel, &[step([2, 1, 1], [32, 1, 1], arguments)]).expect("runs");
        expected[6] += 5000.0;
        assert_eq!(sums(&mut bench, to, slots, count), expected);
        assert_eq!(bench.device.guards(), Ok(()));
        let sample_runs = SampleRuns { runs: 9, first: 2 };
        let read = bench.device.time_read(to, sample_runs, Caches::Kept).expect("read");
        assert!(read.seconds >= 0.0 && read.seconds.is_finite());
        bench.device.free(to);
        assert!(bench.device.time_read(to, sample_runs, Caches::Kept).is_err());
    }
}

#[test]
fn every_thread_of_a_three_dimensional_grid_runs_once() {
    let text = r"
    __global__ void count(int *hits) {
      int x = blockIdx.x * blockDim.x + threadIdx.x;
      int y = blockIdx.y * blockDim.y + threadIdx.y;
      int z = blockIdx.z * blockDim.z + threadIdx.z;
      int width = gridDim.x * blockDim.x, height = gridDim.y * blockDim.y;
      atomicAdd(&hits[(z * height + y) * width + x], 1 + x + 100 * y + 10000 * z);
    }";
    for mut bench in devices() {
        let (grid, block) = ([3, 5, 7], [4, 2, 3]);
        for compiled_for in [block, [0; 3]] {
            let kernel = bench.compile(job(text, "count", compiled_for));
            let count = 12 * 10 * 21;
            let hits = bench.device.allocate(count * 4).expect("memory");
            let steps = [step(grid, block, vec![ArgumentValue::Buffer(hits)])];
            bench.device.run(kernel, &steps).expect("runs");
            for (i, value) in bench.values(hits, Element::I32, count).into_iter().enumerate() {
                let (x, y, z) = (i % 12, i / 12 % 10, i / 120);
                assert_eq!(value, (1 + x + 100 * y + 10_000 * z) as f64);
            }
        }
    }
}

/// Sums neighbours through shared memory in three ways; `n` is a multiple of the block.
const BARRIERS: &str = r"
__global__ void raw(const float *a, float *c) {
  __shared__ float tile[64];
  int i = blockIdx.x * 64 + threadIdx.x;
  float own = a[i];
  for (int round = 0; round < 3; ++round) {
    tile[threadIdx.x] = own;
    __syncthreads();
    own += tile[(threadIdx.x + 1) % 64];
    __syncthreads();
  }
  c[i] = own;
}
__global__ void phased(const float *a, float *c) {
  __shared__ float tile[64];
  ab::per_thread<float> own;
  AUTOBENCH_PHASE { own() = a[blockIdx.x * 64 + threadIdx.x]; }
  for (int round = 0; round < 3; ++round) {
    AUTOBENCH_PHASE { tile[threadIdx.x] = own(); }
    AUTOBENCH_PHASE { own() += tile[(threadIdx.x + 1) % 64]; }
  }
  AUTOBENCH_PHASE { c[blockIdx.x * 64 + threadIdx.x] = own(); }
}
__global__ void dynamic(const float *a, float *c) {
  extern __shared__ float tile[];
  int i = blockIdx.x * 64 + threadIdx.x;
  float own = a[i];
  for (int round = 0; round < 3; ++round) {
    tile[threadIdx.x] = own;
    __syncthreads();
    own += tile[(threadIdx.x + 1) % 64];
    __syncthreads();
  }
  c[i] = own;
}";

#[test]
fn phases_and_raw_barriers_give_what_the_host_computes() {
    for mut bench in devices() {
        let input: Vec<f32> = (0..64 * 100).map(|i| ((i * 37) % 101) as f32).collect();
        let mut expected = input.clone();
        for block in expected.chunks_mut(64) {
            for _ in 0..3 {
                let old = block.to_vec();
                for (i, x) in block.iter_mut().enumerate() {
                    *x += old[(i + 1) % 64];
                }
            }
        }
        let a = bench.floats(&input);
        for entry in ["raw", "phased", "dynamic"] {
            let kernel = bench.compile(job(BARRIERS, entry, [64, 1, 1]));
            let c = bench.floats(&vec![0.0; input.len()]);
            let arguments = [a, c].map(ArgumentValue::Buffer).to_vec();
            let mut step = step([100, 1, 1], [64, 1, 1], arguments);
            step.shared_bytes = 64 * 4;
            bench.device.run(kernel, &[step]).expect("runs");
            let values = bench.values(c, Element::F32, input.len() as u64);
            let same = values.iter().zip(&expected).all(|(&x, &y)| x == f64::from(y));
            assert!(same, "`{entry}` differs from the host");
        }
    }
}

#[test]
fn threads_that_leave_before_a_barrier_do_not_hold_the_others() {
    let text = r"
    __global__ void some(int *all) {
      int *c = all + 32 * blockIdx.x;
      __shared__ int tile[32];
      if (threadIdx.x % 5 == 0 || threadIdx.x == 31) return;
      tile[threadIdx.x] = threadIdx.x;
      __syncthreads();
      c[threadIdx.x] = tile[threadIdx.x] * 2;
      __syncthreads();
      if (threadIdx.x > 8) return;
      __syncthreads();
      c[threadIdx.x] += 1;
    }";
    for mut bench in devices() {
        let kernel = bench.compile(job(text, "some", [32, 1, 1]));
        let c = bench.device.allocate(5 * 32 * 4).expect("memory");
        let arguments = vec![ArgumentValue::Buffer(c)];
        for _ in 0..3 {
            let steps = [step([5, 1, 1], [32, 1, 1], arguments.clone())];
            bench.device.run(kernel, &steps).expect("runs");
            let values = bench.values(c, Element::I32, 5 * 32);
            for (i, &x) in values.iter().enumerate() {
                let i = i % 32;
                let left = i % 5 == 0 || i == 31;
                let want = if left { 0 } else { 2 * i + usize::from(i <= 8) };
                assert_eq!(x, want as f64, "thread {i}");
            }
        }
    }
}

#[test]
fn raw_barriers_are_told_from_phases_in_the_facts() {
    for mut bench in devices().into_iter().filter(is_cpu) {
        for (entry, fibers) in [("raw", 1.0), ("phased", 0.0)] {
            let start = BARRIERS.find(&format!("__global__ void {entry}")).expect("in the text");
            let end = BARRIERS[start..].find("\n}").expect("an end") + 2;
            let kernel = bench.compile(job(&BARRIERS[start..start + end], entry, [64, 1, 1]));
            bench.device.load(kernel).expect("it loads");
            assert_eq!(bench.device.kernel_facts(kernel).get("fibers"), Some(&fibers), "{entry}");
        }
    }
}

fn is_cpu(bench: &Bench) -> bool {
    // Other backends have hardware barriers.
    bench.backend == "cpu"
}

#[test]
fn atomics_from_all_blocks_add_up() {
    let text = r"
    __global__ void tally(float *sum, int *largest, int *smallest, unsigned *last) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      atomicAdd(sum, 1.0f);
      atomicMax(largest, i);
      atomicMin(smallest, -i);
      unsigned old = *last, seen;
      do { seen = old; old = atomicCAS(last, seen, seen + 2); } while (old != seen);
    }";
    for mut bench in devices() {
        let kernel = bench.compile(job(text, "tally", [32, 1, 1]));
        let buffers: Vec<_> = (0..4).map(|_| bench.device.allocate(4).expect("memory")).collect();
        let arguments = buffers.iter().copied().map(ArgumentValue::Buffer).collect();
        let steps = [step([1000, 1, 1], [32, 1, 1], arguments)];
        bench.device.run(kernel, &steps).expect("runs");
        let n = 32_000.0;
        assert_eq!(bench.values(buffers[0], Element::F32, 1), [n]);
        assert_eq!(bench.values(buffers[1], Element::I32, 1), [n - 1.0]);
        assert_eq!(bench.values(buffers[2], Element::I32, 1), [1.0 - n]);
        assert_eq!(bench.values(buffers[3], Element::U32, 1), [2.0 * n]);
    }
}

#[test]
fn constants_are_bound_by_name_also_in_batches() {
    let text = r"
    __constant__ float weights[4];
    __global__ void weigh(float *c) { c[threadIdx.x] = FACTOR * weights[threadIdx.x]; }";
    for mut bench in devices() {
        let jobs: Vec<CompileJob> = (1..=3)
            .map(|factor| {
                let mut job = job(text, "weigh", [4, 1, 1]);
                job.macros = vec![("FACTOR".to_owned(), format!("{factor}.0f"))];
                job
            })
            .collect();
        let weights = bench.floats(&[1.0, 2.0, 3.0, 4.0]);
        for (i, kernel) in bench.device.compile(&jobs).into_iter().enumerate() {
            let c = bench.floats(&[0.0; 4]);
            let arguments = vec![
                ArgumentValue::Constant("weights".to_owned(), weights),
                ArgumentValue::Buffer(c),
            ];
            let kernel = kernel.expect("compiles");
            bench.device.run(kernel, &[step([1; 3], [4, 1, 1], arguments)]).expect("runs");
            let factor = (i + 1) as f64;
            let expected = [1.0, 2.0, 3.0, 4.0].map(|weight| weight * factor);
            assert_eq!(bench.values(c, Element::F32, 4), expected);
            let arguments = vec![ArgumentValue::Constant("other".to_owned(), weights)];
            let fault = bench.device.run(kernel, &[step([1; 3], [4, 1, 1], arguments)]);
            assert!(matches!(fault, Err(RunFault::Invalid(why)) if why.contains("other")));
        }
    }
}

#[test]
fn printing_from_a_kernel_breaks_nothing() {
    let text = r#"
    __global__ void say(int *c) {
      if (threadIdx.x == 0) printf("block %d of %d\n", blockIdx.x, gridDim.x);
      c[blockIdx.x * 8 + threadIdx.x] = 1;
    }"#;
    for mut bench in devices() {
        let kernel = bench.compile(job(text, "say", [8, 1, 1]));
        let c = bench.device.allocate(16 * 4).expect("memory");
        let steps = [step([2, 1, 1], [8, 1, 1], vec![ArgumentValue::Buffer(c)])];
        bench.device.run(kernel, &steps).expect("runs");
        assert_eq!(bench.values(c, Element::I32, 16), [1.0; 16]);
    }
}

#[test]
fn a_source_that_does_not_compile_gives_its_first_error_with_its_line() {
    for mut bench in devices() {
        let text = "__global__ void broken(float *c) {\n  c[0] = undeclared;\n}\n";
        let fault = bench.device.compile(&[job(text, "broken", [1; 3])]).remove(0);
        let Err(CompileFault::Failed(why)) = fault else { panic!("{fault:?}") };
        assert!(why.starts_with("test.cu:2") && why.contains("undeclared"), "{why}");
        let fault = bench.device.compile(&[job(VECADD, "subtract", [1; 3])]).remove(0);
        let Err(CompileFault::Failed(why)) = fault else { panic!("{fault:?}") };
        assert!(why.contains("subtract"), "{why}");
    }
}

#[test]
fn what_the_cpu_lacks_is_invalid_with_that_reason() {
    for mut bench in devices().into_iter().filter(is_cpu) {
        let text = "__global__ void f(float *c) { c[0] = __shfl_down_sync(~0u, c[0], 1); }";
        let fault = bench.device.compile(&[job(text, "f", [32, 1, 1])]).remove(0);
        let expected = "the cpu device has no warp shuffles".to_owned();
        assert_eq!(fault, Err(CompileFault::Invalid(expected)));
        let text = "#include <cooperative_groups.h>\n__global__ void f(float *c) {}";
        let fault = bench.device.compile(&[job(text, "f", [32, 1, 1])]).remove(0);
        let expected = "the cpu device has no cooperative groups".to_owned();
        assert_eq!(fault, Err(CompileFault::Invalid(expected)));
    }
}

#[test]
fn one_bad_variant_does_not_spoil_its_batch() {
    let text = r#"
    #ifndef TWICE
    #define TWICE (2 * VALUE)
    #endif
    extern "C" __global__ void set(int *c) { c[threadIdx.x] = TWICE; }"#;
    for mut bench in devices() {
        let jobs: Vec<CompileJob> = (0..6)
            .map(|value| {
                let mut job = job(text, "set", [1; 3]);
                let value = if value == 3 { "nothing".to_owned() } else { value.to_string() };
                job.macros = vec![("VALUE".to_owned(), value)];
                job
            })
            .collect();
        for round in 0..2 {
            let kernels = bench.device.compile(&jobs);
            for (value, kernel) in kernels.into_iter().enumerate() {
                if value == 3 {
                    let Err(CompileFault::Failed(why)) = kernel else { panic!("{kernel:?}") };
                    assert!(why.contains("nothing") && !why.contains("ab_v"), "{why}");
                    continue;
                }
                let c = bench.device.allocate(4).expect("memory");
                let steps = [step([1; 3], [1; 3], vec![ArgumentValue::Buffer(c)])];
                let kernel = kernel.expect("compiles");
                bench.device.run(kernel, &steps).expect("runs");
                assert_eq!(bench.values(c, Element::I32, 1), [2.0 * value as f64], "{round}");
                bench.device.unload(kernel);
            }
        }
        assert!(bench.folder.path().exists());
    }
}

#[test]
fn launches_that_cannot_be_are_invalid() {
    for mut bench in devices() {
        let kernel = bench.compile(job(VECADD, "add", [64, 1, 1]));
        let a = bench.floats(&[1.0; 64]);
        let buffers = [a, a, a].map(ArgumentValue::Buffer);
        let all = [&buffers[..], &[int(64)]].concat();
        let mut wrong = vec![
            step([1, 1, 1], [65, 1, 1], all.clone()),
            step([1, 1, 1], [0, 1, 1], all.clone()),
            step([1, 1, 1], [2048, 1, 1], all.clone()),
            step([0, 1, 1], [64, 1, 1], all.clone()),
            step([u32::MAX, 1, 1], [64, 1, 1], all.clone()),
            step([1, 1, 1], [64, 1, 1], buffers.to_vec()),
        ];
        wrong.push(step([1, 1, 1], [64, 1, 1], all.clone()));
        wrong[6].shared_bytes = 1 << 30;
        for step in wrong {
            let fault = bench.device.run(kernel, std::slice::from_ref(&step));
            assert!(matches!(fault, Err(RunFault::Invalid(_))), "{step:?}: {fault:?}");
        }
        bench.device.run(kernel, &[step([1, 1, 1], [64, 1, 1], all)]).expect("still works");
    }
}
