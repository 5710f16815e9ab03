// What a C++ programmer would write without autobench, for comparison with the cpu device:
//   by_hand add THREADS N ROUNDS     c[i] = a[i] + b[i], each thread its part
//   by_hand gemm THREADS N ROUNDS    C (N x N) = A (N x 256) B (256 x N) in 64 x 64 tiles, the
//                                    loops of a tiled GPU kernel fissioned by hand
// Prints the seconds of every round, one a line.
#include "team.hpp"
#include <cstring>

static const int depth = 256, tile = 64, tile_k = 16;

static void add(const float *__restrict a, const float *__restrict b, float *__restrict c, long n) {
  for (long i = 0; i < n; ++i) c[i] = a[i] + b[i];
}

// One tile of C.
static void product(const float *__restrict a, const float *__restrict b, float *__restrict c,
                    long n) {
  float ta[tile_k][tile], tb[tile_k][tile], sums[tile][tile];
  memset(sums, 0, sizeof sums);
  for (int k0 = 0; k0 < depth; k0 += tile_k) {
    for (int k = 0; k < tile_k; ++k)
      for (int y = 0; y < tile; ++y) ta[k][y] = a[(long)y * depth + k0 + k];
    for (int k = 0; k < tile_k; ++k)
      for (int x = 0; x < tile; ++x) tb[k][x] = b[(long)(k0 + k) * n + x];
    for (int y = 0; y < tile; ++y)
      for (int k = 0; k < tile_k; ++k)
        for (int x = 0; x < tile; ++x) sums[y][x] += ta[k][y] * tb[k][x];
  }
  for (int y = 0; y < tile; ++y)
    for (int x = 0; x < tile; ++x) c[(long)y * n + x] = sums[y][x];
}

int main(int count, char **args) {
  if (count != 5) return 2;
  const bool is_add = !strcmp(args[1], "add");
  const int threads = atoi(args[2]), rounds = atoi(args[4]);
  const long n = atol(args[3]);
  const long in = is_add ? n : n * depth, out = is_add ? n : n * n;
  float *a = buffer(in), *b = buffer(in), *c = buffer(out);
  auto touch = [&](float *p, long n, int i) {
    for (long j = part(n, i, threads); j < part(n, i + 1, threads); ++j) p[j] = (float)(j % 17);
  };
  auto work = [&](int i) {
    if (is_add) {
      const long first = part(n, i, threads), last = part(n, i + 1, threads);
      add(a + first, b + first, c + first, last - first);
    } else {
      const long tiles = n / tile, all = tiles * tiles;
      for (long t = part(all, i, threads); t < part(all, i + 1, threads); ++t)
        product(a + t / tiles * tile * depth, b + t % tiles * tile,
                c + t / tiles * tile * n + t % tiles * tile, n);
    }
  };
  auto touch_all = [&](int i) { touch(a, in, i), touch(b, in, i), touch(c, out, i); };
  print_rounds(threads, rounds, touch_all, work);
}
