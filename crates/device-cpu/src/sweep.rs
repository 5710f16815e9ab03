//! Parallel work over whole buffers at memory speed: filling, poisoning, scanning.
#![expect(unsafe_code, reason = "threads work on disjoint parts of mapped memory")]

use std::sync::Mutex;

use autobench_sdk::{
    document::Fill,
    inputs::{self, Permutation, bits},
};
use device::{
    FillPlan, Scan,
    arguments::formats::{ForFormat, Stored},
};

use super::{
    parts::{Address, share},
    pool::ThreadPool,
    slot::Slot,
};

/// Elements that are tested as a group. Only suspicious groups are inspected element by element.
const STRIDE: usize = 4096;

pub(super) struct Filling<'a> {
    pub(super) region: Slot<'a>,
    pub(super) pool: &'a ThreadPool,
    pub(super) plan: &'a FillPlan,
}

impl ForFormat for Filling<'_> {
    type Output = ();

    fn with<T: Stored>(self) {
        let FillPlan { ref fill, seed, argument, count, .. } = *self.plan;
        match *fill {
            Fill::Zero => self.each::<T>(|_| 0.0),
            Fill::Constant(value) => self.each::<T>(|_| value),
            Fill::Uniform { low, high } => {
                self.each::<T>(|i| inputs::uniform(bits(seed, argument, i), low, high));
            }
            Fill::Integer { low, high } => {
                self.each::<T>(|i| inputs::integer(bits(seed, argument, i), low, high) as f64);
            }
            Fill::Bell { scale } => {
                self.each::<T>(|i| inputs::bell(bits(seed, argument, i), scale));
            }
            Fill::Permutation => {
                let permutation = Permutation::new(seed, argument, count);
                self.each::<T>(|i| permutation.at(i) as f64);
            }
            Fill::Ramp { .. } | Fill::Plugin | Fill::File(_) => {
                self.each::<T>(|i| inputs::element(fill, seed, argument, i, count));
            }
        }
    }
}

impl Filling<'_> {
    fn each<T: Stored>(&self, element: impl Fn(u64) -> f64 + Sync) {
        let count = usize::try_from(self.plan.count).unwrap_or(usize::MAX);
        let (start, threads) = (Address(self.region.start()), self.pool.size());
        self.pool.each(|index| {
            let part = share(count, index, threads);
            let first = part.start as u64;
            // SAFETY: the device checked that `count` elements fit; parts are disjoint, and any
            // bits are a value of a `Stored` type.
            let part = unsafe { elements::<T>(start, part.start, part.len()) };
            for (at, slot) in part.iter_mut().enumerate() {
                *slot = T::round(element(first + at as u64));
            }
        });
    }
}

pub(super) struct Poisoning<'a> {
    pub(super) region: Slot<'a>,
    pub(super) pool: &'a ThreadPool,
    pub(super) count: usize,
}

impl ForFormat for Poisoning<'_> {
    type Output = ();

    fn with<T: Stored>(self) {
        let (start, threads) = (Address(self.region.start()), self.pool.size());
        self.pool.each(|index| {
            let part = share(self.count, index, threads);
            // SAFETY: as in `Filling::each`.
            unsafe { elements::<T::Bits>(start, part.start, part.len()) }.fill(T::POISON);
        });
    }
}

pub(super) struct Scanning<'a> {
    pub(super) region: Slot<'a>,
    pub(super) pool: &'a ThreadPool,
    pub(super) count: usize,
}

impl ForFormat for Scanning<'_> {
    type Output = Scan;

    fn with<T: Stored>(self) -> Scan {
        let (start, threads) = (Address(self.region.start()), self.pool.size());
        let found = Mutex::new(vec![Scan::default(); threads]);
        self.pool.each(|index| {
            let part = share(self.count, index, threads);
            let first = part.start;
            // SAFETY: as in `Filling::each`; nobody writes while scanning.
            let part = unsafe { elements::<T::Bits>(start, part.start, part.len()) };
            let scan = look::<T>(part, first as u64);
            if let Ok(mut all) = found.lock() {
                all[index] = scan;
            }
        });
        let all = found.into_inner().unwrap_or_default();
        all.into_iter().fold(Scan::default(), join)
    }
}

fn look<T: Stored>(part: &[T::Bits], first: u64) -> Scan {
    let mut scan = Scan::default();
    for (stride, chunk) in part.chunks(STRIDE).enumerate() {
        let suspicious =
            chunk.iter().fold(false, |seen, &bits| seen | (bits == T::POISON) | T::holds_nan(bits));
        if !suspicious {
            continue;
        }
        for (at, &bits) in chunk.iter().enumerate() {
            let index = first + (stride * STRIDE + at) as u64;
            let one = if bits == T::POISON {
                Scan { poisoned: 1, first_poisoned: index, ..Scan::default() }
            } else if T::holds_nan(bits) {
                Scan { nans: 1, first_nan: index, ..Scan::default() }
            } else {
                continue;
            };
            scan = join(scan, one);
        }
    }
    scan
}

/// Joins the scans of two parts, `a` before `b`.
fn join(a: Scan, b: Scan) -> Scan {
    Scan {
        poisoned: a.poisoned + b.poisoned,
        first_poisoned: if a.poisoned > 0 { a.first_poisoned } else { b.first_poisoned },
        nans: a.nans + b.nans,
        first_nan: if a.nans > 0 { a.first_nan } else { b.first_nan },
    }
}

pub(super) struct Gathering<'a> {
    pub(super) region: Slot<'a>,
    pub(super) indices: &'a [u64],
}

impl ForFormat for Gathering<'_> {
    type Output = Option<Vec<f64>>;

    fn with<T: Stored>(self) -> Option<Vec<f64>> {
        let count = self.region.bytes() / size_of::<T>();
        // SAFETY: the whole region, which no kernel writes now.
        let all = unsafe { elements::<T>(Address(self.region.start()), 0, count) };
        self.indices
            .iter()
            .map(|&index| all.get(usize::try_from(index).ok()?).map(|value| value.widen()))
            .collect()
    }
}

/// # Safety
/// The elements lie in a live region, and no other reference to any of them is in use.
unsafe fn elements<'a, T: Copy>(start: Address, first: usize, count: usize) -> &'a mut [T] {
    // SAFETY: by the contract above; regions are aligned to a page.
    unsafe { std::slice::from_raw_parts_mut(start.get().cast::<T>().add(first), count) }
}
