// The portability layer of autobench's kernels: one source for the CPU, NVRTC and hiprtc.
// autobench includes it before every kernel; including it by name as well does no harm.
#pragma once

#if defined(__CUDACC_RTC__) || defined(__HIPCC_RTC__) || defined(__CUDACC__) || defined(__HIPCC__)
#define AUTOBENCH_GPU 1
#else
#define AUTOBENCH_CPU 1
#endif

// Before a loop: repeat its body instead of counting. On the CPU four times: a loop of vectors
// gains nothing from more, and compilers take six times as long over it.
#if defined(AUTOBENCH_GPU)
#define AUTOBENCH_UNROLL _Pragma("unroll")
#elif defined(__clang__)
#define AUTOBENCH_UNROLL _Pragma("unroll 4")
#else
#define AUTOBENCH_UNROLL _Pragma("GCC unroll 4")
#endif
// The same before arithmetic in a format. On the CPU, where formats of two bytes are computed in
// software, a body in them is large already: compilers take minutes over four of it.
#define AUTOBENCH_PRAGMA(text) _Pragma(#text)
#if defined(AUTOBENCH_GPU)
#define AUTOBENCH_UNROLL_IN(format) AUTOBENCH_UNROLL
#elif defined(__clang__)
#define AUTOBENCH_UNROLL_IN(format) AUTOBENCH_PRAGMA(unroll (sizeof(format) < 4 ? 1 : 4))
#else
#define AUTOBENCH_UNROLL_IN(format) AUTOBENCH_PRAGMA(GCC unroll (sizeof(format) < 4 ? 1 : 4))
#endif

#ifdef AUTOBENCH_CPU
#include "autobench/cpu/index.h"
#include "autobench/cpu/fibers.h"
#include "autobench/cpu/atomics.h"
#include "autobench/cpu/math.h"
#include "autobench/cpu/lacking.h"
#include "autobench/cpu/launch.h"
#endif
#include "autobench/phases.h"
#include "autobench/bits.h"
#include "autobench/rounding.h"
#include "autobench/formats.h"
#include "autobench/vendor.h"
#include "autobench/native.h"
#include "autobench/arithmetic.h"
#include "autobench/vec.h"
#include "autobench/library.h"
#include "autobench/hardware.h"
#include "autobench/polynomials.h"
#include "autobench/elementary.h"
#include "autobench/trigonometry.h"
#include "autobench/math.h"
