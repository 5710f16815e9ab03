//! Compares the cpu device with hand-written loops (`by_hand.cpp`), alternating, with the same
//! compiler, threads, sizes and formats: `cargo bench --bench cpu_device`, or `scripts/bench-cpu`.
#![expect(clippy::print_stdout, reason = "a report for people")]

use std::{error::Error, path::Path, process::Command};

use autobench_sdk::document::Fill;
use device::{
    ArgumentValue, BACKENDS, BoundLaunch, Caches, CompileJob, Device, FillPlan, Kernel, SampleRuns,
};
use space::accuracy::Element;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Turns of each side, and samples per turn.
const TURNS: usize = 5;
const SAMPLES: usize = 15;

fn main() -> Outcome<()> {
    let backend = BACKENDS.find("cpu").ok_or("no cpu backend")?;
    let mut device = (backend.open)(0)?;
    let info = device.info();
    let threads: usize = info.facts.get("cores").ok_or("no cores")?.parse()?;
    println!("{}, {threads} threads, {}", info.name, info.compiler);
    for (name, value) in &info.facts {
        println!("  {name}: {value}");
    }
    info.warnings.iter().for_each(|warning| println!("  warning: {warning}"));
    let folder = tempfile::tempdir()?;
    let by_hand = folder.path().join("by_hand");
    let compiler = std::env::var("CXX").unwrap_or_else(|_| {
        if info.compiler.contains("clang") { "clang++".into() } else { "g++".into() }
    });
    let native = if cfg!(target_arch = "x86_64") { "-march=native" } else { "-mcpu=native" };
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/by_hand.cpp");
    let built = Command::new(compiler)
        .args(["-std=gnu++17", "-O3", native, "-fno-math-errno", "-pthread", "-o"])
        .args([&by_hand, &source])
        .status()?;
    if !built.success() {
        return Err("by_hand.cpp does not compile".into());
    }
    compiling(device.as_mut())?;
    overhead(device.as_mut())?;
    if std::env::args().any(|argument| argument == "--overhead") {
        return Ok(());
    }
    vecadd(device.as_mut(), &by_hand, threads)?;
    gemm(device.as_mut(), &by_hand, threads)
}

/// Measures compile times: one configuration, eight configurations, and the same eight cached.
fn compiling(device: &mut dyn Device) -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    device.set_cache(Some(folder.path().to_owned()))?;
    let job = |items: u64| CompileJob {
        sources: vec![("vecadd.cu".to_owned(), include_str!("../kernels/vecadd.cu").to_owned())],
        macros: [("precision", "f32".to_owned()), ("block_size_x", "256".to_owned())]
            .into_iter()
            .chain([("items_per_thread", items.to_string()), ("vector_width", "1".to_owned())])
            .map(|(name, value)| (name.to_owned(), value))
            .collect(),
        options: vec![],
        entries: vec!["vecadd".to_owned()],
        blocks: vec![[256, 1, 1]],
    };
    let eight: Vec<CompileJob> = (2..10).map(job).collect();
    device.compile(&[job(100)]).remove(0)?;
    for (name, jobs) in
        [("one", &[job(1)][..]), ("eight", &eight), ("eight from the cache", &eight)]
    {
        let start = std::time::Instant::now();
        device.compile(jobs).into_iter().collect::<Result<Vec<_>, _>>()?;
        println!("compiling {name}: {:.1} ms", start.elapsed().as_secs_f64() * 1e3);
    }
    Ok(device.set_cache(None)?)
}

/// Measures the cost of a sample apart from the kernel, with an empty kernel.
fn overhead(device: &mut dyn Device) -> Outcome<()> {
    let text = "__global__ void nothing() {}";
    let kernel = compile(device, text, "nothing", &[], [64, 1, 1])?;
    for (name, caches) in [("as they are", Caches::Kept), ("flushed", Caches::Flushed)] {
        let steps = [launch([64, 1, 1], [64, 1, 1], vec![])];
        let mut wall = Vec::new();
        let mut inside = Vec::new();
        for _ in 0..if caches == Caches::Kept { 1000 } else { 50 } {
            let start = std::time::Instant::now();
            inside.push(device.time(kernel, &steps, SampleRuns::of(1), caches)?.seconds);
            wall.push(start.elapsed().as_secs_f64());
        }
        wall.sort_by(f64::total_cmp);
        inside.sort_by(f64::total_cmp);
        println!(
            "an empty kernel, {name}: {:.2} us measured, {:.1} us per sample in all (medians)",
            inside[inside.len() / 2] * 1e6,
            wall[wall.len() / 2] * 1e6
        );
    }
    Ok(())
}

fn vecadd(device: &mut dyn Device, by_hand: &Path, threads: usize) -> Outcome<()> {
    println!("\nc = a + b in f32, GB/s (median; the best of both in brackets), hot");
    let plain = "__global__ void vecadd(float *__restrict__ c, const float *__restrict__ a, \
                 const float *__restrict__ b, long long n) {\n\
                 int i = blockIdx.x * blockDim.x + threadIdx.x;\nif (i < n) c[i] = a[i] + b[i];\n}";
    let ours = include_str!("../kernels/vecadd.cu");
    let shapes: [(&str, &str, [u64; 3]); 4] = [
        ("plain kernel, 256 threads", plain, [256, 1, 1]),
        ("vecadd.cu, 256 x 1 x 1", ours, [256, 1, 1]),
        ("vecadd.cu, 256 x 4 x 1", ours, [256, 4, 1]),
        ("vecadd.cu, 256 x 2 x 4", ours, [256, 2, 4]),
    ];
    for power in [12, 16, 20, 24, 26] {
        let n = 1_u64 << power;
        let buffers = [0, 1, 2].map(|argument| filled(device, n, argument));
        let [c, a, b] = buffers;
        let (c, a, b) = (c?, a?, b?);
        let mut arguments: Vec<_> = [c, a, b].map(ArgumentValue::Buffer).to_vec();
        arguments.push(ArgumentValue::Scalar(n.to_le_bytes().to_vec()));
        for (name, text, [block, items, width]) in shapes {
            let macros =
                [("block_size_x", block), ("items_per_thread", items), ("vector_width", width)];
            let kernel = compile(device, text, "vecadd", &macros, [block as u32, 1, 1])?;
            let grid = [u32::try_from(n.div_ceil(block * items * width))?, 1, 1];
            let steps = [launch(grid, [block as u32, 1, 1], arguments.clone())];
            let (device_s, hand_s) = in_turn(device, kernel, &steps, by_hand, "add", threads, n)?;
            report(&format!("n = 2^{power}, {name}"), 12e-9 * n as f64, device_s, hand_s);
        }
        [a, b, c].into_iter().for_each(|buffer| device.free(buffer));
    }
    Ok(())
}

fn gemm(device: &mut dyn Device, by_hand: &Path, threads: usize) -> Outcome<()> {
    println!("\nC = A B in f32, inner extent 256, GFLOP/s, hot");
    let text = include_str!("../kernels/gemm.cu");
    for n in [512_u64, 1024] {
        let (c, a, b) =
            (filled(device, n * n, 0)?, filled(device, n * 256, 1)?, filled(device, n * 256, 2)?);
        let mut arguments: Vec<_> = [c, a, b].map(ArgumentValue::Buffer).to_vec();
        arguments.push(ArgumentValue::Scalar((n as u32).to_le_bytes().to_vec()));
        for [x, y, work_x, work_y, tile_k] in [
            [16, 16, 1, 1, 16],
            [32, 8, 1, 4, 16],
            [32, 4, 2, 8, 16],
            [64, 4, 1, 8, 16],
            [64, 4, 1, 16, 32],
            [16, 16, 4, 4, 16],
        ] {
            let macros = [
                ("block_size_x", x),
                ("block_size_y", y),
                ("work_x", work_x),
                ("work_y", work_y),
                ("tile_k", tile_k),
            ];
            let block = [x as u32, y as u32, 1];
            let kernel = compile(device, text, "gemm", &macros, block)?;
            let grid = [n.div_ceil(x * work_x) as u32, n.div_ceil(y * work_y) as u32, 1];
            let steps = [launch(grid, block, arguments.clone())];
            let (device_s, hand_s) = in_turn(device, kernel, &steps, by_hand, "gemm", threads, n)?;
            let name = format!("n = {n}, {x} x {y} threads, {work_x} x {work_y} each, k {tile_k}");
            report(&name, 2e-9 * (n * n * 256) as f64, device_s, hand_s);
        }
        [a, b, c].into_iter().for_each(|buffer| device.free(buffer));
    }
    Ok(())
}

fn filled(device: &mut dyn Device, count: u64, argument: u32) -> Outcome<device::Buffer> {
    let buffer = device.allocate(count * 4)?;
    let fill = Fill::Uniform { low: -1.0, high: 1.0 };
    device.fill(buffer, &FillPlan { fill, seed: 1, argument, element: Element::F32, count })?;
    Ok(buffer)
}

fn compile(
    device: &mut dyn Device,
    text: &str,
    entry: &str,
    macros: &[(&str, u64)],
    block: [u32; 3],
) -> Outcome<Kernel> {
    let mut all = vec![("precision".to_owned(), "f32".to_owned())];
    all.extend(macros.iter().map(|(name, value)| ((*name).to_owned(), value.to_string())));
    let job = CompileJob {
        sources: vec![(format!("{entry}.cu"), text.to_owned())],
        macros: all,
        options: vec![],
        entries: vec![entry.to_owned()],
        blocks: vec![block],
    };
    Ok(device.compile(&[job]).remove(0)?)
}

fn launch(grid: [u32; 3], block: [u32; 3], arguments: Vec<ArgumentValue>) -> BoundLaunch {
    BoundLaunch { entry: 0, grid, block, shared_bytes: 0, arguments }
}

/// Times the device and the hand-written loops, alternating. Returns the seconds of each, sorted.
fn in_turn(
    device: &mut dyn Device,
    kernel: Kernel,
    steps: &[BoundLaunch],
    by_hand: &Path,
    what: &str,
    threads: usize,
    n: u64,
) -> Outcome<(Vec<f64>, Vec<f64>)> {
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..TURNS {
        let arguments =
            [what.to_owned(), threads.to_string(), n.to_string(), (SAMPLES + 2).to_string()];
        let output = Command::new(by_hand).args(arguments).output()?;
        let text = String::from_utf8(output.stdout)?;
        theirs.extend(text.lines().skip(2).map(str::parse::<f64>).collect::<Result<Vec<_>, _>>()?);
        for sample in 0..SAMPLES + 2 {
            let seconds = device.time(kernel, steps, SampleRuns::of(1), Caches::Kept)?.seconds;
            if sample >= 2 {
                ours.push(seconds);
            }
        }
    }
    ours.sort_by(f64::total_cmp);
    theirs.sort_by(f64::total_cmp);
    Ok((ours, theirs))
}

fn report(name: &str, work: f64, ours: Vec<f64>, theirs: Vec<f64>) {
    let median = |sorted: &[f64]| work / sorted[sorted.len() / 2];
    println!(
        "  {name:<46} device {:7.1} ({:7.1})  by hand {:7.1} ({:7.1})  ratio {:.2} ({:.2})",
        median(&ours),
        work / ours[0],
        median(&theirs),
        work / theirs[0],
        median(&ours) / median(&theirs),
        theirs[0] / ours[0],
    );
}
