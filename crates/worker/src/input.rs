//! Fills inputs: generated in device memory, or written there in chunks by a plugin or from a file.

use std::{fs::File, io::Read};

use autobench_sdk::document::Fill;
use device::{
    Buffer, Device, FillPlan,
    workload::{Argument, Content},
};
use records::FileFault;

use super::{benchmark_code::BenchmarkCode, trial_failure::TrialFailure};

const CHUNK: u64 = 1 << 20;

pub(super) fn fill(
    device: &mut dyn Device,
    buffer: Buffer,
    argument: &Argument,
    position: usize,
    seed: u64,
    code: &mut dyn BenchmarkCode,
) -> Result<(), TrialFailure> {
    let Content::Buffer { fill, .. } = &argument.content else { return Ok(()) };
    let count = argument.count().unwrap_or(0);
    let failure = |why: String| {
        TrialFailure::run(format!("argument `{}` was not filled: {why}", argument.name))
    };
    match fill {
        Fill::Plugin => {
            let (mut elements, mut bytes) = (Vec::new(), Vec::new());
            let mut first = 0;
            while first < count {
                let chunk = CHUNK.min(count - first);
                elements.clear();
                elements.resize(chunk as usize, 0.0);
                code.fill(position, first, &mut elements).map_err(failure)?;
                bytes.clear();
                argument.element.encode(&elements, &mut bytes);
                device
                    .write(buffer, first * argument.element.bytes(), &bytes)
                    .map_err(|fault| failure(fault.to_string()))?;
                first += chunk;
            }
            Ok(())
        }
        Fill::File(path) => {
            let length = count * argument.element.bytes();
            let fault = FileFault::reading(path.as_ref());
            let unreadable = |error: std::io::Error| failure(fault(error).to_string());
            let mut file = File::open(path).map_err(unreadable)?;
            let found = file.metadata().map_err(unreadable)?.len();
            if found < length {
                return Err(failure(format!(
                    "`{path}` has {found} bytes, and {length} are needed"
                )));
            }
            let mut offset = 0;
            while offset < length {
                let mut bytes = vec![0; (CHUNK * 8).min(length - offset) as usize];
                file.read_exact(&mut bytes).map_err(unreadable)?;
                device.write(buffer, offset, &bytes).map_err(|fault| failure(fault.to_string()))?;
                offset += bytes.len() as u64;
            }
            Ok(())
        }
        generated => {
            let plan = FillPlan {
                fill: generated.clone(),
                seed,
                argument: u32::try_from(position).unwrap_or(u32::MAX),
                element: argument.element,
                count,
            };
            device.fill(buffer, &plan).map_err(|fault| failure(fault.to_string()))
        }
    }
}
