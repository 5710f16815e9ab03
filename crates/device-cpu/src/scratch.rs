//! Memory of each thread while a kernel runs: dynamic shared memory, and stacks of fibers.

use device::DeviceFault;

use super::{
    launch::{BLOCK_LIMIT, Seats},
    mapping::SpareMappings,
    memory::Region,
    pool::ThreadPool,
};

/// Bytes of a fiber's stack.
const STACK_BYTES: u64 = 64 << 10;

/// Regions of each thread. They only grow.
#[derive(Default)]
pub(super) struct Scratch {
    shared: Vec<Region>,
    stacks: Vec<Region>,
}

impl Scratch {
    /// Gives every thread this much shared memory, and stacks if the kernel uses fibers.
    pub(super) fn provide(
        &mut self,
        shared: u64,
        fibers: bool,
        pool: &ThreadPool,
    ) -> Result<(), DeviceFault> {
        grow(&mut self.shared, shared, pool)?;
        let stacks = if fibers { STACK_BYTES * u64::from(BLOCK_LIMIT) } else { 0 };
        grow(&mut self.stacks, stacks, pool)
    }

    pub(super) fn seats(&self, pool: &ThreadPool) -> Seats {
        let start = |regions: &[Region], index: usize| {
            regions.get(index).map_or(std::ptr::null_mut(), Region::start)
        };
        let places = (0..pool.size()).map(|i| (start(&self.shared, i), start(&self.stacks, i)));
        Seats::new(places, STACK_BYTES)
    }
}

/// Gives every thread at least this many bytes.
fn grow(regions: &mut Vec<Region>, bytes: u64, pool: &ThreadPool) -> Result<(), DeviceFault> {
    if bytes > 0 && regions.first().is_none_or(|region| (region.bytes() as u64) < bytes) {
        regions.clear();
        for _ in 0..pool.size() {
            regions.push(Region::new(bytes, 1, (pool, &mut SpareMappings::default()))?);
        }
    }
    Ok(())
}
