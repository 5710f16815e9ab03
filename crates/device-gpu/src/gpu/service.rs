//! The device's service kernels (`kernels/support`): filling, poisoning, scanning and gathering
//! over whole buffers, the gate before a sample, and the reader that flushes caches.

use autobench_sdk::{document::Fill, inputs::Permutation};
use device::{
    CompileJob, DeviceFault, FillPlan, Scan,
    arguments::{
        formats::{ForFormat, Stored, dispatch},
        parameters::LaunchParameter,
    },
};
use space::accuracy::Element;

use super::{
    calls::Address,
    context::Stream,
    fault::DriverFault,
    launch::PreparedLaunch,
    loaded::Loaded,
    memory::{Mailbox, Memory, Slot, Zones},
};

/// Threads of a block, and blocks for each multiprocessor.
const THREADS: u32 = 256;
const BLOCKS: u64 = 16;
/// Blocks of the reader for each multiprocessor. With `BLOCKS` blocks, an H100 read alternating
/// buffers at two thirds of the rate.
const READING_BLOCKS: u64 = 4;
/// Words that a thread of the reader has in flight, as in its source.
const READ_TOGETHER: u64 = 8;
/// Most elements gathered at once. The scratch memory holds their indices and bits.
const GATHERED: usize = 1 << 18;
/// Positions of the entries in their jobs.
const FILL: usize = 0;
const POISON: usize = 1;
const SCAN: usize = 2;
const GATHER: usize = 3;
const ZONES: usize = 4;
const SUM: usize = 5;
const GATE: usize = 0;
const FLUSH: usize = 1;

pub(crate) fn jobs() -> [CompileJob; 2] {
    let job = |name: &str, text: &str, entries: &[&str]| CompileJob {
        sources: vec![(name.to_owned(), text.to_owned())],
        macros: Vec::new(),
        options: vec![],
        entries: entries.iter().map(|&entry| entry.to_owned()).collect(),
        blocks: vec![[0; 3]; entries.len()],
    };
    [
        job(
            "buffers.cu",
            include_str!("../../../../kernels/support/buffers.cu"),
            &["ab_fill", "ab_poison", "ab_scan", "ab_gather", "ab_zones", "ab_sum"],
        ),
        job(
            "timing.cu",
            include_str!("../../../../kernels/support/timing.cu"),
            &["ab_gate", "ab_flush"],
        ),
    ]
}

pub(crate) struct Service {
    buffers: Loaded,
    timing: Loaded,
    /// Indices and bits being gathered, or the result of a scan.
    scratch: Memory,
    most_blocks: u64,
}

impl Service {
    pub(crate) fn new(
        [buffers, timing]: [Loaded; 2],
        stream: &Stream,
        multiprocessors: u32,
    ) -> Result<Self, DriverFault> {
        let scratch = Memory::new(&stream.context, GATHERED as u64 * 16)?;
        let most_blocks = BLOCKS * u64::from(multiprocessors.max(1));
        Ok(Self { buffers, timing, scratch, most_blocks })
    }

    fn over(
        &self,
        loaded: &Loaded,
        entry: usize,
        count: u64,
        values: &[Vec<u8>],
    ) -> PreparedLaunch {
        let blocks = count.div_ceil(u64::from(THREADS)).clamp(1, self.most_blocks);
        let values: Vec<LaunchParameter> =
            values.iter().cloned().map(LaunchParameter::Bytes).collect();
        let grid = [u32::try_from(blocks).unwrap_or(u32::MAX), 1, 1];
        PreparedLaunch::unchecked(loaded.functions[entry].handle, grid, [THREADS, 1, 1], 0, &values)
    }

    pub(crate) fn fill(
        &self,
        stream: &Stream,
        region: Slot<'_>,
        plan: &FillPlan,
    ) -> Result<(), DeviceFault> {
        let FillGenerator { number, base, extent, low, high } = FillGenerator::of(plan)?;
        let values = [
            bytes(region.address()),
            position(plan.element).to_ne_bytes().to_vec(),
            number.to_ne_bytes().to_vec(),
            bytes(plan.count),
            bytes(plan.seed),
            plan.argument.to_ne_bytes().to_vec(),
            base.to_ne_bytes().to_vec(),
            extent.to_ne_bytes().to_vec(),
            low.to_ne_bytes().to_vec(),
            high.to_ne_bytes().to_vec(),
        ];
        self.over(&self.buffers, FILL, plan.count, &values).queue(stream)?;
        Ok(stream.wait()?)
    }

    pub(crate) fn poison(
        &self,
        stream: &Stream,
        region: Slot<'_>,
        element: Element,
        count: u64,
    ) -> Result<(), DriverFault> {
        let values = [
            bytes(region.address()),
            size(element),
            bytes(dispatch(element, Patterns).0),
            bytes(count),
        ];
        self.over(&self.buffers, POISON, count, &values).queue(stream)?;
        stream.wait()
    }

    pub(crate) fn scan(
        &self,
        stream: &Stream,
        region: Slot<'_>,
        element: Element,
        count: u64,
    ) -> Result<Scan, DriverFault> {
        let (poison, infinity) = dispatch(element, Patterns);
        let nothing = [0, u64::MAX, 0, u64::MAX];
        self.scratch.write(stream, 0, &nothing.map(u64::to_ne_bytes).concat())?;
        let values = [
            bytes(region.address()),
            size(element),
            bytes(poison),
            bytes(infinity),
            bytes(count),
            bytes(self.scratch.address()),
        ];
        self.over(&self.buffers, SCAN, count, &values).queue(stream)?;
        let mut found = [0; 32];
        self.scratch.read(stream, 0, &mut found)?;
        let [poisoned, first_poisoned, nans, first_nan] = words(&found);
        Ok(Scan {
            poisoned,
            first_poisoned: if poisoned > 0 { first_poisoned } else { 0 },
            nans,
            first_nan: if nans > 0 { first_nan } else { 0 },
        })
    }

    pub(crate) fn gather(
        &self,
        stream: &Stream,
        region: Slot<'_>,
        element: Element,
        indices: &[u64],
    ) -> Result<Vec<f64>, DriverFault> {
        let mut values = Vec::with_capacity(indices.len());
        let mut found = vec![0; GATHERED.min(indices.len()) * 8];
        for part in indices.chunks(GATHERED) {
            let packed: Vec<u8> = part.iter().flat_map(|index| index.to_ne_bytes()).collect();
            self.scratch.write(stream, 0, &packed)?;
            let count = part.len() as u64;
            let behind = GATHERED as u64 * 8;
            let arguments = [
                bytes(region.address()),
                size(element),
                bytes(self.scratch.address()),
                bytes(count),
                bytes(self.scratch.address() + behind),
            ];
            self.over(&self.buffers, GATHER, count, &arguments).queue(stream)?;
            let found = &mut found[..packed.len()];
            self.scratch.read(stream, behind, found)?;
            values.extend(dispatch(element, Widening(found)));
        }
        Ok(values)
    }

    /// The first slot of a ring whose guard zones were written.
    pub(crate) fn broken_zone(
        &self,
        stream: &Stream,
        zones: &Zones,
    ) -> Result<Option<u32>, DriverFault> {
        self.scratch.write(stream, 0, &u64::MAX.to_ne_bytes())?;
        let values = [
            bytes(zones.start),
            bytes(zones.bytes),
            bytes(zones.slot),
            bytes(zones.stride),
            bytes(u64::from(zones.slots)),
            i32::from(zones.pattern).to_ne_bytes().to_vec(),
            bytes(self.scratch.address()),
        ];
        let count = zones.bytes * 2 * u64::from(zones.slots);
        self.over(&self.buffers, ZONES, count, &values).queue(stream)?;
        let mut found = [0; 8];
        self.scratch.read(stream, 0, &mut found)?;
        let [slot] = words(&found);
        Ok(u32::try_from(slot).ok())
    }

    /// Sums a whole ring, guard zones included. A different sum means that the ring changed.
    pub(crate) fn sum(&self, stream: &Stream, ring: &Memory) -> Result<u64, DriverFault> {
        self.scratch.write(stream, 0, &0_u64.to_ne_bytes())?;
        let count = ring.bytes() / 8;
        let values = [bytes(ring.address()), bytes(count), bytes(self.scratch.address())];
        self.over(&self.buffers, SUM, count, &values).queue(stream)?;
        let mut found = [0; 8];
        self.scratch.read(stream, 0, &mut found)?;
        let [sum] = words(&found);
        Ok(sum)
    }

    /// Queues the gate: work behind it waits until word 0 of the mailbox is not zero. After
    /// `patience` nanoseconds the gate sets word 1 and opens by itself.
    pub(crate) fn gate(
        &self,
        stream: &Stream,
        mailbox: &Mailbox,
        patience: u64,
    ) -> Result<(), DriverFault> {
        let values = [mailbox.address(0), mailbox.address(1), patience];
        let values = values.map(|value| LaunchParameter::Bytes(bytes(value)));
        let gate = self.timing.functions[GATE].handle;
        PreparedLaunch::unchecked(gate, [1; 3], [1; 3], 0, &values).queue(stream)
    }

    /// Queues a read of memory that holds zeros. With length 0 the kernel does nothing.
    pub(crate) fn flush(
        &self,
        stream: &Stream,
        zeros: &Memory,
        length: u64,
    ) -> Result<(), DriverFault> {
        self.read(stream, zeros.address(), length)
    }

    pub(crate) fn read(
        &self,
        stream: &Stream,
        from: Address,
        length: u64,
    ) -> Result<(), DriverFault> {
        let count = length / 8;
        let values = [bytes(from), bytes(count), bytes(self.scratch.address())];
        let most = self.most_blocks / BLOCKS * READING_BLOCKS * u64::from(THREADS);
        let readers = count.div_ceil(READ_TOGETHER).min(most);
        self.over(&self.timing, FLUSH, readers, &values).queue(stream)
    }
}

struct FillGenerator {
    number: i32,
    base: f64,
    extent: f64,
    low: i64,
    high: i64,
}

impl FillGenerator {
    fn of(plan: &FillPlan) -> Result<Self, DeviceFault> {
        let plain = |number, base, extent| Ok(Self { number, base, extent, low: 0, high: 0 });
        match plan.fill {
            Fill::Zero => plain(0, 0.0, 0.0),
            Fill::Constant(value) => plain(0, value, 0.0),
            Fill::Uniform { low, high } => plain(1, low, high - low),
            Fill::Integer { low, high } => {
                Ok(Self { number: 2, base: 0.0, extent: 0.0, low, high })
            }
            Fill::Bell { scale } => plain(3, scale, 0.0),
            // A permutation of one element or none is constant.
            Fill::Permutation if plan.count < 2 => plain(0, 0.0, 0.0),
            Fill::Permutation => {
                let Permutation { factor, offset, .. } =
                    Permutation::new(plan.seed, plan.argument, plan.count);
                let (low, high) = (factor.cast_signed(), offset.cast_signed());
                Ok(Self { number: 4, base: 0.0, extent: 0.0, low, high })
            }
            Fill::Ramp { start, step } => plain(5, start, step),
            Fill::Plugin | Fill::File(_) => {
                Err(DeviceFault("a fill of the host cannot be done by the device".to_owned()))
            }
        }
    }
}

/// Poison, and the magnitude of infinity, as 64 bits. For integers the second is the largest
/// number, so that no value is above it.
struct Patterns;

impl ForFormat for Patterns {
    type Output = (u64, u64);

    fn with<T: Stored>(self) -> (u64, u64) {
        (T::POISON.into(), T::INFINITY.map_or(u64::MAX, Into::into))
    }
}

/// Widens values whose bits each occupy a 64-bit word.
struct Widening<'a>(&'a [u8]);

impl ForFormat for Widening<'_> {
    type Output = Vec<f64>;

    fn with<T: Stored>(self) -> Vec<f64> {
        let word = |chunk: &[u8]| words::<1>(chunk)[0];
        self.0.chunks_exact(8).map(|chunk| T::of_bits(word(chunk)).widen()).collect()
    }
}

fn bytes(value: u64) -> Vec<u8> {
    value.to_ne_bytes().to_vec()
}

fn size(element: Element) -> Vec<u8> {
    (element.bytes() as i32).to_ne_bytes().to_vec()
}

/// The format's number in `kernels/support/buffers.cu`.
fn position(element: Element) -> i32 {
    Element::ALL.iter().position(|other| *other == element).map_or(0, |at| at as i32)
}

fn words<const N: usize>(bytes: &[u8]) -> [u64; N] {
    let mut words = [0; N];
    for (word, chunk) in words.iter_mut().zip(bytes.chunks_exact(8)) {
        let mut eight = [0; 8];
        eight.copy_from_slice(chunk);
        *word = u64::from_ne_bytes(eight);
    }
    words
}
