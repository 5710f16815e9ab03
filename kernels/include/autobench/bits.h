// Numbers and their bits, and rounding to odd: by truncation, with the last bit set where anything
// was lost. What is rounded to odd with two bits to spare can be rounded again as if for the first
// time.
#pragma once

#ifdef AUTOBENCH_GPU
#define AUTOBENCH_INLINE __device__ __forceinline__
typedef unsigned short ab_u16;
typedef unsigned int ab_u32;
typedef unsigned char ab_u8;
typedef unsigned long long ab_u64;
typedef long long ab_i64;
#else
#define AUTOBENCH_INLINE inline __attribute__((__always_inline__))
#endif

// A function of the device's mathematical library.
#ifdef AUTOBENCH_GPU
#define AUTOBENCH_LIBRARY(f) ::f
#else
#define AUTOBENCH_LIBRARY(f) __builtin_##f
#endif

namespace ab {

AUTOBENCH_INLINE float float_of_bits(ab_u32 bits) {
#ifdef AUTOBENCH_GPU
  return __uint_as_float(bits);
#else
  float x;
  __builtin_memcpy(&x, &bits, sizeof x);
  return x;
#endif
}

AUTOBENCH_INLINE ab_u32 bits_of_float(float x) {
#ifdef AUTOBENCH_GPU
  return __float_as_uint(x);
#else
  ab_u32 bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
#endif
}

AUTOBENCH_INLINE float to_odd(float x) { return x; }

// Infinite where the nearest float is: larger than all that smaller formats hold.
AUTOBENCH_INLINE float to_odd(double x) {
  const float nearest = (float)x;
  const double back = nearest, rest = back - x;
  const double size = back < 0 ? -back : back, whole = x < 0 ? -x : x;
  const ab_u32 towards_zero = bits_of_float(nearest) - (size > whole ? 1u : 0u);
  // NaN and infinities: the rest is NaN or infinite.
  const bool lost = rest != 0 && rest - rest == 0;
  return float_of_bits(lost ? towards_zero | 1u : bits_of_float(nearest));
}

// The bits below the 24 that a float holds become its last one.
AUTOBENCH_INLINE float to_odd(unsigned x) {
  const unsigned upper = (x & ~0x1ffu) | (x & 0x1ffu ? 0x100u : 0u);
  return (float)(x >> 24 ? upper : x);
}

AUTOBENCH_INLINE float to_odd(int x) {
  const float size = to_odd(x < 0 ? 0u - (unsigned)x : (unsigned)x);
  return x < 0 ? -size : size;
}

AUTOBENCH_INLINE float to_odd(unsigned long long x) {
  const ab_u64 upper = (x & ~0xfffull) | (x & 0xfffull ? 0x800ull : 0ull);
  return to_odd((double)(x >> 53 ? upper : x));
}

AUTOBENCH_INLINE float to_odd(long long x) {
  const float size = to_odd(x < 0 ? 0ull - (ab_u64)x : (ab_u64)x);
  return x < 0 ? -size : size;
}

AUTOBENCH_INLINE float to_odd(unsigned long x) { return to_odd((unsigned long long)x); }
AUTOBENCH_INLINE float to_odd(long x) { return to_odd((long long)x); }

}  // namespace ab
