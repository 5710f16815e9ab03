//! The C table that crosses the library boundary. `include/autobench.h` is generated from this
//! file; later versions only append fields.

use std::ffi::{c_char, c_void};

/// The version of the table. A host refuses a plugin whose version it does not know.
pub const ABI_VERSION: u32 = 1;

/// The one symbol a plugin exports: a [`Table`]. A library with several benchmarks exports one for
/// each, under this name followed by `_` and the benchmark's.
pub const SYMBOL: &str = "autobench_benchmark";

/// What a function of the table answers: one of the constants below. A number and not an enum,
/// so that a host can meet any other number without undefined behaviour.
#[repr(transparent)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Status(pub i32);

impl Status {
    /// It worked.
    pub const OK: Self = Self(0);
    /// It did not; the text written to the message sink says why.
    pub const FAILED: Self = Self(1);
    /// The plugin does not offer this; the host uses its own way.
    pub const UNSUPPORTED: Self = Self(2);
}

/// Where a plugin writes bytes that the host keeps: call it as often as needed.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Sink {
    /// The host's own state.
    pub context: *mut c_void,
    /// Appends `count` bytes.
    pub write: Option<unsafe extern "C" fn(context: *mut c_void, bytes: *const u8, count: usize)>,
}

/// What a plugin exports under [`SYMBOL`]. Any function may be null but `describe`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Table {
    /// [`ABI_VERSION`].
    pub abi_version: u32,
    /// `sizeof` of this struct as the plugin knows it.
    pub struct_size: u32,
    /// Writes the benchmark's document as UTF-8 JSON.
    pub describe: Option<unsafe extern "C" fn(document: Sink, message: Sink) -> Status>,
    /// Bytes of device memory for a size; `configuration` is a JSON object of parameter values.
    /// Missing: the host adds up the shapes of the document.
    pub footprint: Option<
        unsafe extern "C" fn(
            size: u64,
            configuration: *const c_char,
            bytes: *mut u64,
            message: Sink,
        ) -> Status,
    >,
    /// Makes whatever the plugin wants to keep for one size and seed.
    pub build: Option<
        unsafe extern "C" fn(
            size: u64,
            seed: u64,
            instance: *mut *mut c_void,
            message: Sink,
        ) -> Status,
    >,
    /// The exact elements `indices[0 .. count]` of output number `output` (its position among all
    /// arguments), from the unrounded inputs.
    pub reference: Option<
        unsafe extern "C" fn(
            instance: *mut c_void,
            output: u32,
            indices: *const u64,
            count: u64,
            elements: *mut f64,
            message: Sink,
        ) -> Status,
    >,
    /// The elements `first .. first + count` of an argument whose fill is `plugin`.
    pub fill: Option<
        unsafe extern "C" fn(
            instance: *mut c_void,
            argument: u32,
            first: u64,
            count: u64,
            elements: *mut f64,
            message: Sink,
        ) -> Status,
    >,
    /// The primary and the secondary metric of a measurement, given as a JSON object.
    pub analyze: Option<
        unsafe extern "C" fn(
            instance: *mut c_void,
            measurement: *const c_char,
            primary: *mut f64,
            secondary: *mut f64,
            message: Sink,
        ) -> Status,
    >,
    /// Gives back what `build` or `build_stage` made.
    pub free: Option<unsafe extern "C" fn(instance: *mut c_void)>,
    /// As `build`, for a study of one stage: `reference` and `fill` then mean the stage's outputs
    /// and fills. Missing: the host calls `build`. Tables may end before this field.
    pub build_stage: Option<
        unsafe extern "C" fn(
            size: u64,
            seed: u64,
            stage: *const c_char,
            instance: *mut *mut c_void,
            message: Sink,
        ) -> Status,
    >,
    /// Writes the source `name`, which the document says the plugin makes, for a size;
    /// `configuration` is a JSON object of parameter values. Tables may end before this field.
    pub source: Option<
        unsafe extern "C" fn(
            name: *const c_char,
            size: u64,
            configuration: *const c_char,
            text: Sink,
            message: Sink,
        ) -> Status,
    >,
    /// As `reference`, where the document says that the answer depends on parameters: `answer` is a
    /// JSON object of their values. Tables may end before this field.
    pub reference_for: Option<
        unsafe extern "C" fn(
            instance: *mut c_void,
            answer: *const c_char,
            output: u32,
            indices: *const u64,
            count: u64,
            elements: *mut f64,
            message: Sink,
        ) -> Status,
    >,
}

impl Table {
    /// Bytes of the shortest table that hosts take: up to the first field that was appended.
    pub const SHORTEST: usize = std::mem::offset_of!(Self, build_stage);
}
