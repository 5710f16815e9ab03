//! The C table that crosses the library boundary. `include/autobench.h` is generated from this
//! file. Later versions only append fields.

use std::ffi::{c_char, c_void};

/// The version of the table. A host refuses a plugin whose version it does not know.
pub const ABI_VERSION: u32 = 1;

/// The symbol that a plugin exports: a [`Table`]. A library with several benchmarks exports one
/// symbol for each: this name, `_` and the benchmark's name.
pub const SYMBOL: &str = "autobench_benchmark";

/// What a function of the table returns: one of the constants below. It is a number and not an
/// enum, so that an unknown number is not undefined behaviour in the host.
#[repr(transparent)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Status(pub i32);

impl Status {
    /// The function succeeded.
    pub const OK: Self = Self(0);
    /// The function failed; the text written to the message sink says why.
    pub const FAILED: Self = Self(1);
    /// The plugin does not offer this; the host uses its own way.
    pub const UNSUPPORTED: Self = Self(2);
}

/// Receives bytes that a plugin gives to the host. Call `write` as often as needed.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Sink {
    /// The host's own state.
    pub context: *mut c_void,
    /// Appends `count` bytes.
    pub write: Option<unsafe extern "C" fn(context: *mut c_void, bytes: *const u8, count: usize)>,
}

/// What a plugin exports under [`SYMBOL`]. Every function except `describe` may be null.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Table {
    /// [`ABI_VERSION`].
    pub abi_version: u32,
    /// `sizeof` of this struct in the plugin's version.
    pub struct_size: u32,
    /// Writes the benchmark's document as UTF-8 JSON.
    pub describe: Option<unsafe extern "C" fn(document: Sink, message: Sink) -> Status>,
    /// Bytes of device memory for a size; `configuration` is a JSON object of parameter values. If
    /// null, the host adds up the shapes of the document.
    pub footprint: Option<
        unsafe extern "C" fn(
            size: u64,
            configuration: *const c_char,
            bytes: *mut u64,
            message: Sink,
        ) -> Status,
    >,
    /// Makes the state that the plugin keeps for one size and seed.
    pub build: Option<
        unsafe extern "C" fn(
            size: u64,
            seed: u64,
            instance: *mut *mut c_void,
            message: Sink,
        ) -> Status,
    >,
    /// Writes the exact elements `indices[0 .. count]` of an output, from the unrounded inputs.
    /// `output` is its position among all arguments.
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
    /// Writes the elements `first .. first + count` of an argument whose fill is `plugin`.
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
    /// Writes the primary and the secondary metric of a measurement, which is a JSON object.
    pub analyze: Option<
        unsafe extern "C" fn(
            instance: *mut c_void,
            measurement: *const c_char,
            primary: *mut f64,
            secondary: *mut f64,
            message: Sink,
        ) -> Status,
    >,
    /// Frees what `build` or `build_stage` made.
    pub free: Option<unsafe extern "C" fn(instance: *mut c_void)>,
    /// Like `build`, for a study of one stage: `reference` and `fill` then mean the stage's outputs
    /// and fills. If null, the host calls `build`. Tables may end before this field.
    pub build_stage: Option<
        unsafe extern "C" fn(
            size: u64,
            seed: u64,
            stage: *const c_char,
            instance: *mut *mut c_void,
            message: Sink,
        ) -> Status,
    >,
    /// Writes the source `name` for a size, if the document says that the plugin makes it.
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
    /// Like `reference`, if the document says that reference results depend on parameters: `answer`
    /// is a JSON object of their values. Tables may end before this field.
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
    /// Bytes of the shortest table that hosts accept: up to the first appended field.
    pub const SHORTEST: usize = std::mem::offset_of!(Self, build_stage);
}
