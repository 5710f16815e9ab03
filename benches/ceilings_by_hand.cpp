// What a C++ programmer would write to reach a processor's ceilings, for `scripts/bench-ceilings`:
//   ceilings_by_hand triad THREADS N ROUNDS         z[i] = x[i] + a y[i] in f32, a plain loop
//   ceilings_by_hand triad_nt THREADS N ROUNDS      the same with stores that pass the caches by
//   ceilings_by_hand fma THREADS N ROUNDS           1024 steps x = a x + b[i] for N floats, intrinsics
// Prints the seconds of every round, one a line. fma computes whole groups of chains: of N down to a
// multiple of 192 THREADS.
#include "team.hpp"
#include <cstring>
#ifdef __x86_64__
#include <immintrin.h>
#endif

static void triad(float *__restrict z, const float *__restrict x, const float *__restrict y,
                  float a, long n) {
  for (long i = 0; i < n; ++i) z[i] = x[i] + a * y[i];
}

#if defined(__AVX512F__)
typedef __m512 wide;
static const int lanes = 16;
static wide all(float a) { return _mm512_set1_ps(a); }
static wide load(const float *p) { return _mm512_loadu_ps(p); }
static void store(float *p, wide v) { _mm512_storeu_ps(p, v); }
static void stream(float *p, wide v) { _mm512_stream_ps(p, v); }
static wide fma(wide a, wide b, wide c) { return _mm512_fmadd_ps(a, b, c); }
#elif defined(__AVX2__) && defined(__FMA__)
typedef __m256 wide;
static const int lanes = 8;
static wide all(float a) { return _mm256_set1_ps(a); }
static wide load(const float *p) { return _mm256_loadu_ps(p); }
static void store(float *p, wide v) { _mm256_storeu_ps(p, v); }
static void stream(float *p, wide v) { _mm256_stream_ps(p, v); }
static wide fma(wide a, wide b, wide c) { return _mm256_fmadd_ps(a, b, c); }
#else
#error "the intrinsics are those of x86 with AVX2 and FMA, or AVX-512"
#endif

static void triad_nt(float *__restrict z, const float *__restrict x, const float *__restrict y,
                     float a, long n) {
  long i = 0;
  for (; i < n && (unsigned long)(z + i) % sizeof(wide); ++i) z[i] = x[i] + a * y[i];
  for (; i + lanes <= n; i += lanes) stream(z + i, fma(all(a), load(y + i), load(x + i)));
  for (; i < n; ++i) z[i] = x[i] + a * y[i];
  _mm_sfence();
}

// Twelve chains hide the latency of four cycles at two a cycle, with some to spare.
static void chains(float *__restrict z, const float *__restrict b, float a, long n) {
  const int side = 12;
  const wide factor = all(a);
  for (long i = 0; i + side * lanes <= n; i += side * lanes) {
    wide x[side], s[side];
    for (int c = 0; c < side; ++c) x[c] = s[c] = load(b + i + c * lanes);
    for (int step = 0; step < 1024; ++step)
      for (int c = 0; c < side; ++c) x[c] = fma(factor, x[c], s[c]);
    for (int c = 0; c < side; ++c) store(z + i + c * lanes, x[c]);
  }
}

int main(int count, char **args) {
  if (count != 5) return 2;
  const bool is_fma = !strcmp(args[1], "fma"), is_nt = !strcmp(args[1], "triad_nt");
  const int threads = atoi(args[2]), rounds = atoi(args[4]);
  // Whole groups of chains for every thread.
  const long n = is_fma ? atol(args[3]) / (192l * threads) * 192 * threads : atol(args[3]);
  float *x = buffer(n), *y = buffer(n), *z = buffer(n);
  auto touch = [&](int i) {
    for (long j = part(n, i, threads); j < part(n, i + 1, threads); ++j)
      x[j] = y[j] = 1.0f + (float)(j % 17) / 17, z[j] = 0;
  };
  auto work = [&](int i) {
    const long first = part(n, i, threads), here = part(n, i + 1, threads) - first;
    if (is_fma) chains(z + first, x + first, -0.75f, here);
    else if (is_nt) triad_nt(z + first, x + first, y + first, 0.7f, here);
    else triad(z + first, x + first, y + first, 0.7f, here);
  };
  print_rounds(threads, rounds, touch, work);
}
