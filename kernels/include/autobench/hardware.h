// Single operations that devices have instructions for: on the CPU exact ones that vectorise, on
// GPUs approximations good to about 2^-22.
#pragma once

namespace ab {

struct hardware {
#if defined(AUTOBENCH_CPU)
  AUTOBENCH_INLINE static float sqrt(float x) { return __builtin_sqrtf(x); }
  AUTOBENCH_INLINE static float rsqrt(float x) { return 1.0f / __builtin_sqrtf(x); }
  AUTOBENCH_INLINE static float reciprocal(float x) { return 1.0f / x; }
  AUTOBENCH_INLINE static float divide(float x, float y) { return x / y; }
#elif defined(__CUDA_ARCH__)
#define AUTOBENCH_PTX(name, text)                       \
  AUTOBENCH_INLINE static float name(float x) {         \
    float r;                                            \
    asm(text ".approx.f32 %0, %1;" : "=f"(r) : "f"(x)); \
    return r;                                           \
  }
  AUTOBENCH_PTX(sqrt, "sqrt")
  AUTOBENCH_PTX(rsqrt, "rsqrt")
  AUTOBENCH_PTX(reciprocal, "rcp")
  AUTOBENCH_PTX(exp2, "ex2")
  AUTOBENCH_PTX(log2, "lg2")
#if __CUDA_ARCH__ >= 750
  AUTOBENCH_PTX(short_tanh, "tanh")
#endif
#undef AUTOBENCH_PTX
  AUTOBENCH_INLINE static float divide(float x, float y) { return __fdividef(x, y); }
#else
  AUTOBENCH_INLINE static float sqrt(float x) { return __builtin_amdgcn_sqrtf(x); }
  AUTOBENCH_INLINE static float rsqrt(float x) { return __builtin_amdgcn_rsqf(x); }
  AUTOBENCH_INLINE static float reciprocal(float x) { return __builtin_amdgcn_rcpf(x); }
  AUTOBENCH_INLINE static float divide(float x, float y) { return x * __builtin_amdgcn_rcpf(y); }
  AUTOBENCH_INLINE static float exp2(float x) { return ::exp2f(x); }
  AUTOBENCH_INLINE static float log2(float x) { return __log2f(x); }
#endif
#if defined(AUTOBENCH_GPU)
  AUTOBENCH_INLINE static float exp(float x) { return __expf(x); }
  AUTOBENCH_INLINE static float log(float x) { return __logf(x); }
  AUTOBENCH_INLINE static float log10(float x) { return __log10f(x); }
  AUTOBENCH_INLINE static float sin(float x) { return __sinf(x); }
  AUTOBENCH_INLINE static float cos(float x) { return __cosf(x); }
  AUTOBENCH_INLINE static float tan(float x) { return __tanf(x); }
  AUTOBENCH_INLINE static float pow(float x, float y) {
    const float r = __powf(x, y);
    return y == 0 ? 1.0f : r;
  }
  AUTOBENCH_INLINE static void sincos(float x, float &s, float &c) { s = __sinf(x), c = __cosf(x); }
#endif
};

}  // namespace ab
