//! Runs kernels. Steps are prepared once, and their blocks are shared among the pool's threads.
#![expect(unsafe_code, reason = "calls compiled kernels")]

use std::{
    cell::UnsafeCell,
    ffi::c_void,
    sync::atomic::{AtomicU64, Ordering},
};

use device::{
    BoundLaunch, RunFault,
    arguments::parameters::{LaunchParameter, LaunchParameters},
};

use super::{
    floating::FloatingPointControl,
    library::{EntryFunction, EntryPoint, WorkerContext},
    parts::share,
    pool::Team,
};

/// Most threads in a block, as many as `per_thread` and the fibers' ring have places.
pub(super) const BLOCK_LIMIT: u32 = 1024;
/// Most dynamic shared memory of a block, in bytes.
pub(super) const SHARED_LIMIT: u32 = 1 << 20;
/// Number of pieces in which a thread takes its share of blocks, so that other threads can help.
const PIECES: usize = 8;

pub(super) struct PreparedLaunch {
    launch: EntryFunction,
    grid: [i32; 3],
    block: [i32; 3],
    blocks: usize,
    parameters: LaunchParameters,
    pointers: Vec<*const c_void>,
}

// SAFETY: the pointers point into `parameters`, which change only while no kernel runs.
unsafe impl Sync for PreparedLaunch {}
// SAFETY: as above.
unsafe impl Send for PreparedLaunch {}

impl PreparedLaunch {
    pub(super) fn new(
        step: &BoundLaunch,
        entry: &EntryPoint,
        parameters: &[LaunchParameter],
    ) -> Result<Self, RunFault> {
        let threads: u64 = step.block.iter().map(|&n| u64::from(n)).product();
        if threads == 0 || threads > u64::from(BLOCK_LIMIT) {
            return Err(RunFault::Invalid(format!(
                "a block of {:?} threads; the cpu device takes 1 to {BLOCK_LIMIT} of them",
                step.block
            )));
        }
        if entry.block.iter().any(|&n| n != 0) && entry.block != step.block {
            return Err(RunFault::Invalid(format!(
                "compiled for blocks of {:?} threads, launched with {:?}",
                entry.block, step.block
            )));
        }
        let grid = step.grid.map(|n| i32::try_from(n).ok().filter(|&n| n > 0));
        let [Some(x), Some(y), Some(z)] = grid else {
            return Err(RunFault::Invalid(format!("a grid of {:?} blocks", step.grid)));
        };
        let blocks = [x, y, z]
            .iter()
            .try_fold(1_usize, |product, &n| product.checked_mul(usize::try_from(n).ok()?));
        let blocks =
            blocks.ok_or_else(|| RunFault::Invalid(format!("a grid of {:?} blocks", step.grid)))?;
        let parameters = LaunchParameters::new(parameters);
        let given = parameters.sizes();
        if !given.iter().copied().eq(entry.sizes.iter().map(|&n| n as usize)) {
            return Err(RunFault::Invalid(format!(
                "the kernel takes parameters of {:?} bytes and was given {given:?}",
                entry.sizes
            )));
        }
        Ok(Self {
            launch: entry.launch,
            grid: [x, y, z],
            block: step.block.map(|n| n.cast_signed()),
            blocks,
            pointers: parameters.addresses().map(<*const u64>::cast).collect(),
            parameters,
        })
    }

    /// Points every ring at this slot, modulo the ring's number of slots.
    pub(super) fn turn_to(&mut self, slot: u32) {
        self.parameters.turn_to(slot);
    }

    /// Points every ring at its next slot.
    #[inline]
    pub(super) fn turn(&mut self) {
        self.parameters.turn();
    }
}

/// Aligned so that each seat has its own cache lines.
#[repr(align(128))]
struct Seat {
    context: UnsafeCell<WorkerContext>,
    taken: AtomicU64,
}

/// Contexts of the pool's threads, used while kernels run.
pub(super) struct Seats(Vec<Seat>);

// SAFETY: each context is used by one thread of the pool, and between dispatches only by the
// leader.
unsafe impl Sync for Seats {}
// SAFETY: the pointers in a context point to device memory, which outlives the use of the seats.
unsafe impl Send for Seats {}

impl Seats {
    /// Makes one seat per thread from the thread's shared memory and its fibers' stacks.
    pub(super) fn new(of: impl Iterator<Item = (*mut u8, *mut u8)>, stack_bytes: u64) -> Self {
        let seat = |(shared, stacks)| Seat {
            context: UnsafeCell::new(WorkerContext {
                grid: [1; 3],
                block: [1; 3],
                shared,
                stacks,
                stack_bytes,
                fibers: 0,
            }),
            taken: AtomicU64::new(0),
        };
        Self(of.map(seat).collect())
    }

    #[inline]
    pub(super) fn run(&self, step: &PreparedLaunch, team: &Team<'_>) {
        for seat in &self.0 {
            seat.taken.store(0, Ordering::Relaxed);
        }
        if step.blocks == 1 {
            self.work(step, 0, 1);
        } else {
            team.each(|index| self.work(step, index, self.0.len()));
        }
    }

    /// A thread's work: first its own share of blocks, then what is left of other threads' shares.
    fn work(&self, step: &PreparedLaunch, index: usize, threads: usize) {
        FloatingPointControl::kept(|| self.take(step, index, threads));
    }

    fn take(&self, step: &PreparedLaunch, index: usize, threads: usize) {
        let context = self.0[index].context.get();
        // SAFETY: this thread alone uses this context during a dispatch.
        unsafe {
            (*context).grid = step.grid;
            (*context).block = step.block;
        }
        for offset in 0..threads {
            let owner = (index + offset) % threads;
            let part = share(step.blocks, owner, threads);
            let piece = part.len().div_ceil(PIECES).max(1);
            loop {
                let taken = self.0[owner].taken.fetch_add(piece as u64, Ordering::Relaxed);
                let first = part.start + usize::try_from(taken).unwrap_or(usize::MAX >> 1);
                if first >= part.end {
                    break;
                }
                let last = part.end.min(first + piece);
                // SAFETY: the entry has this signature, the parameters have its sizes, and the
                // context has the memory that it uses.
                unsafe {
                    (step.launch)(context, first as u64, last as u64, step.pointers.as_ptr());
                }
            }
        }
    }
}

/// A kernel that does nothing, to measure the cost of a launch.
pub(super) fn nothing(threads: usize) -> PreparedLaunch {
    unsafe extern "C" fn empty(_: *mut WorkerContext, _: u64, _: u64, _: *const *const c_void) {}
    PreparedLaunch {
        launch: empty,
        grid: [threads.cast_signed() as i32, 1, 1],
        block: [1; 3],
        blocks: threads,
        parameters: LaunchParameters::default(),
        pointers: Vec::new(),
    }
}
