// Threads, memory and rounds of the loops by hand: a thread for each processor that this process may
// use, pinned, each touching what it will use, all starting a round together.
#pragma once
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <thread>
#include <vector>

static inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

static inline void relax() {
#ifdef __x86_64__
  __builtin_ia32_pause();
#endif
}

// Floats mapped as the cpu device maps them.
static inline float *buffer(long n) {
  const long huge = 2l << 20, bytes = n * (long)sizeof(float) + huge;
  char *p = (char *)mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) exit(1);
  madvise(p, bytes, MADV_HUGEPAGE);
  return (float *)(((unsigned long)p + huge - 1) / huge * huge);
}

// Where the part of thread i of n things begins.
static inline long part(long n, int i, int threads) {
  return n / threads * i + (i * (n % threads)) / threads;
}

// Pins this thread to the i-th processor that it may use, or ends the program.
static inline void pin(int i) {
  static const cpu_set_t all = [] {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set)) exit(1);
    return set;
  }();
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &all) || i-- > 0) continue;
    cpu_set_t own;
    CPU_ZERO(&own);
    CPU_SET(cpu, &own);
    if (pthread_setaffinity_np(pthread_self(), sizeof own, &own)) exit(1);
    return;
  }
  fprintf(stderr, "there are more threads than processors that may be used\n");
  exit(1);
}

// Prints the seconds of every round, one a line. touch(i) and work(i) are thread i's.
template <class Touch, class Work>
static void print_rounds(int threads, int rounds, Touch touch, Work work) {
  std::atomic<int> round{-1}, done{0};
  auto begin = [&](int i) {
    pin(i);
    touch(i);
  };
  begin(0);
  auto run = [&](int i) {
    begin(i);
    ++done;
    for (int r = 0; r < rounds; ++r) {
      while (round.load(std::memory_order_acquire) < r) relax();
      work(i);
      done.fetch_add(1, std::memory_order_release);
    }
  };
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back(run, i);
  while (done < threads - 1) relax();
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
