//! The precision header: exact conversions and operators, and the errors of its functions, which
//! `docs/guide/kernels.md` states.
#![expect(clippy::print_stderr, reason = "figures are said aloud")]

mod conversions;
mod functions;
mod operators;
mod references;
mod table;

use device::{ArgumentValue, Buffer, CompileJob, Kernel};

use crate::contract::{Bench, job, step};

/// Threads per block of every kernel here.
const BLOCK: u32 = 256;

/// A source with several entries; each is a kernel with one thread per element.
fn several(text: &str, entries: &[String]) -> CompileJob {
    CompileJob {
        entries: entries.to_vec(),
        blocks: vec![[BLOCK, 1, 1]; entries.len()],
        ..job(text, "", [BLOCK, 1, 1])
    }
}

fn put(bench: &mut Bench, bytes: &[u8]) -> Buffer {
    let buffer = bench.device.allocate(bytes.len() as u64).expect("memory");
    bench.device.write(buffer, 0, bytes).expect("write");
    buffer
}

/// Runs an entry over `count` elements, a multiple of the block. Returns its outputs, whose lengths
/// are given.
fn run(
    bench: &mut Bench,
    kernel: Kernel,
    entry: usize,
    count: usize,
    inputs: &[&[u8]],
    outputs: &[usize],
) -> Vec<Vec<u8>> {
    assert_eq!(count % BLOCK as usize, 0);
    let mut buffers: Vec<Buffer> = inputs.iter().map(|bytes| put(bench, bytes)).collect();
    buffers.extend(outputs.iter().map(|&n| bench.device.allocate(n as u64).expect("memory")));
    let arguments = buffers.iter().copied().map(ArgumentValue::Buffer).collect();
    let blocks = u32::try_from(count).expect("few elements") / BLOCK;
    let mut launch = step([blocks, 1, 1], [BLOCK, 1, 1], arguments);
    launch.entry = entry;
    bench.device.run(kernel, &[launch]).expect("runs");
    let results = outputs.iter().zip(&buffers[inputs.len()..]).map(|(&n, &buffer)| {
        let mut bytes = vec![0; n];
        bench.device.read(buffer, 0, &mut bytes).expect("read");
        bytes
    });
    let results = results.collect();
    buffers.into_iter().for_each(|buffer| bench.device.free(buffer));
    results
}

fn bytes_of<const N: usize, T: Copy>(values: &[T], bytes: impl Fn(T) -> [u8; N]) -> Vec<u8> {
    values.iter().flat_map(|&value| bytes(value)).collect()
}

fn halves(bytes: &[u8]) -> impl Iterator<Item = u16> + '_ {
    bytes.chunks_exact(2).map(|two| u16::from_le_bytes([two[0], two[1]]))
}
