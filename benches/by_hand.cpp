// What a C++ programmer would write without autobench, for comparison with the cpu device:
//   by_hand add THREADS N ROUNDS     c[i] = a[i] + b[i], each thread its part
//   by_hand gemm THREADS N ROUNDS    C (N x N) = A (N x 256) B (256 x N) in 64 x 64 tiles, the
//                                    loops of a tiled GPU kernel fissioned by hand
// Prints the seconds of every round, one a line. Buffers are mapped as the device maps them and
// touched by the threads that use them.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <thread>
#include <vector>

static const int depth = 256, tile = 64, tile_k = 16;

static double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

static void relax() {
#ifdef __x86_64__
  __builtin_ia32_pause();
#endif
}

static float *buffer(long n) {
  const long huge = 2l << 20, bytes = n * (long)sizeof(float) + huge;
  char *p = (char *)mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) exit(1);
  madvise(p, bytes, MADV_HUGEPAGE);
  return (float *)(((unsigned long)p + huge - 1) / huge * huge);
}

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
  std::atomic<int> round{-1}, done{0};
  auto part = [](long n, int i, int threads) { return n / threads * i + (i * (n % threads)) / threads; };
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
  auto pin = [](int i) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(i, &set);
    pthread_setaffinity_np(pthread_self(), sizeof set, &set);
  };
  auto run = [&](int i) {
    pin(i);
    touch(a, in, i), touch(b, in, i), touch(c, out, i);
    ++done;
    for (int r = 0; r < rounds; ++r) {
      while (round.load(std::memory_order_acquire) < r) relax();
      work(i);
      done.fetch_add(1, std::memory_order_release);
    }
  };
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back(run, i);
  pin(0);
  touch(a, in, 0), touch(b, in, 0), touch(c, out, 0);
  while (done < threads - 1) {}
  for (int r = 0; r < rounds; ++r) {
    done = 0;
    const double start = now();
    round.store(r, std::memory_order_release);
    work(0);
    while (done.load(std::memory_order_acquire) < threads - 1) relax();
    printf("%.9f\n", now() - start);
  }
  for (auto &other : others) other.join();
}
