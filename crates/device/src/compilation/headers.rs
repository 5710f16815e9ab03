//! Headers of kernels, embedded in the executable.

macro_rules! headers {
    ($($name:literal),* $(,)?) => {
        /// Path (as sources include it) and text of each header.
        pub const HEADERS: &[(&str, &str)] = &[
            $(($name, include_str!(concat!("../../../../kernels/include/", $name)))),*
        ];
    };
}

headers!(
    "autobench/arithmetic.h",
    "autobench/autobench.h",
    "autobench/bits.h",
    "autobench/cpu/atomics.h",
    "autobench/cpu/fibers.h",
    "autobench/cpu/index.h",
    "autobench/cpu/lacking.h",
    "autobench/cpu/lacking/cooperative_groups.h",
    "autobench/cpu/lacking/cuda_bf16.h",
    "autobench/cpu/lacking/cuda_fp16.h",
    "autobench/cpu/lacking/mma.h",
    "autobench/cpu/launch.h",
    "autobench/cpu/math.h",
    "autobench/elementary.h",
    "autobench/formats.h",
    "autobench/hardware.h",
    "autobench/library.h",
    "autobench/math.h",
    "autobench/native.h",
    "autobench/phases.h",
    "autobench/polynomials.h",
    "autobench/rounding.h",
    "autobench/trigonometry.h",
    "autobench/vec.h",
    "autobench/vendor.h",
);
