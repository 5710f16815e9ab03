// Images of the simulated compilers are libraries of the host.
#pragma once
#include <stdint.h>

namespace {

// `ab::worker`, `ab_entry`, `ab_variant` and `ab_table` of kernels/include/autobench/cpu.
struct worker {
  int grid[3], block[3];
  void *shared;
  char *stacks;
  uint64_t stack_bytes, fibers;
};
struct entry {
  void (*launch)(worker *, uint64_t, uint64_t, void **);
  const unsigned *sizes;
  int parameters;
  int block[3];
};
struct variant {
  const entry *entries;
  unsigned count, number;
};
struct table {
  uint64_t version;
  const variant *variants;
};

}  // namespace
