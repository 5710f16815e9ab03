// What timing needs on the device: a gate that holds the stream until the host has queued a whole
// sample, so that launching costs nothing between its events, and a reader that empties the caches.
#include "autobench/autobench.h"

typedef unsigned long long word;

// `open` and `late` are memory of the host. Whoever never opens is late after `patience`.
__global__ void ab_gate(volatile unsigned *open, volatile unsigned *late, word patience)
{
  const word start = ab::nanoseconds();
  while (*open == 0)
    if (ab::nanoseconds() - start > patience) {
      *late = 1;
      __threadfence_system();
      return;
    }
}

// Reads everything, so that the lines left behind are clean: writing them back would be charged
// to the kernel. `words` holds zeros, so nothing is ever written. Blocks read what lies together,
// one after the other, and a thread has several loads under way.
__global__ void ab_flush(const word *words, word count, word *sink)
{
  enum { TOGETHER = 8 };
  const word piece = (word)TOGETHER * blockDim.x;
  word sum = 0;
  for (word start = blockIdx.x * piece; start < count; start += gridDim.x * piece) {
    const word first = start + threadIdx.x;
    word read[TOGETHER];
    for (int k = 0; k < TOGETHER; ++k) {
      const word at = first + (word)k * blockDim.x;
      read[k] = at < count ? words[at] : 0;
    }
    for (int k = 0; k < TOGETHER; ++k) sum |= read[k];
  }
  if (sum) *sink = sum;
}
