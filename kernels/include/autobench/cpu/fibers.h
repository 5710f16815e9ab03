// A raw __syncthreads() on the CPU: every thread of the block gets a stack of its own, and the
// barrier switches to the next one. Found out while running: threads run as a plain loop until
// one of them meets a barrier; only then do the ones after it become fibers.
#pragma once

#if defined(__x86_64__)
asm(R"(
.pushsection .text
.p2align 4
ab_fiber_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  retq
.popsection
)");
#define AUTOBENCH_FIBERS 1
#elif defined(__aarch64__)
asm(R"(
.pushsection .text
.p2align 4
ab_fiber_switch:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
.popsection
)");
#define AUTOBENCH_FIBERS 1
#endif

#ifdef AUTOBENCH_FIBERS
// Saves where it was called in `*from` and goes on where `to` was saved. Local to this file.
extern "C" __attribute__((visibility("hidden"))) void ab_fiber_switch(void **from, void *to);
#endif

namespace ab {

// The threads of the block now running on this thread of the host, as a ring of those alive.
struct ring {
  void *saved[1024];
  short next[1024], previous[1024];
  int current, alive;
};

static thread_local ring ab_ring;
static thread_local worker *ab_worker;
static thread_local void (*ab_single)(void **);
static thread_local void **ab_arguments;

#ifdef AUTOBENCH_FIBERS

static void go_on(int to) {
  const int from = ab_ring.current;
  ab_ring.current = to;
  ab_fiber_switch(&ab_ring.saved[from], ab_ring.saved[to]);
}

static __attribute__((used)) void fiber_start() {
  const int own = ab_ring.current;
  threadIdx.x = own % blockDim.x;
  threadIdx.y = own / blockDim.x % blockDim.y;
  threadIdx.z = own / blockDim.x / blockDim.y;
  ab_single(ab_arguments);
  const int next = ab_ring.next[own], previous = ab_ring.previous[own];
  ab_ring.next[previous] = (short)next;
  ab_ring.previous[next] = (short)previous;
  --ab_ring.alive;
  go_on(next);
  __builtin_unreachable();
}

static __attribute__((noinline)) void start_fibers() {
  const int first = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const int last = blockDim.x * blockDim.y * blockDim.z - 1;
  ab_whole_block = 2;
  ab_worker->fibers = 1;
  for (int i = first; i <= last; ++i) {
    ab_ring.next[i] = (short)(i < last ? i + 1 : first);
    ab_ring.previous[i] = (short)(i > first ? i - 1 : last);
    if (i == first) continue;
    // Tops are staggered, so that the stacks do not all fall into the same lines of the cache.
    char *top = ab_worker->stacks + (i + 1) * ab_worker->stack_bytes - (ab_u64)(i % 13) * 320;
    top = (char *)((ab_u64)top & ~63ull);
#if defined(__x86_64__)
    void **sp = (void **)top - 1;
    *sp = nullptr;                // where fiber_start would return to
    *--sp = (void *)&fiber_start; // popped by ret
    for (int saved = 0; saved < 6; ++saved) *--sp = nullptr;
#else
    void **sp = (void **)(top - 160);
    for (int saved = 0; saved < 20; ++saved) sp[saved] = nullptr;
    sp[11] = (void *)&fiber_start; // x30
#endif
    ab_ring.saved[i] = sp;
  }
  ab_ring.current = first;
  ab_ring.alive = last - first + 1;
}

static __attribute__((noinline)) void meet() {
  if (ab_whole_block == 1) return;
  if (ab_whole_block == 0) start_fibers();
  const index3 own = threadIdx;
  go_on(ab_ring.next[ab_ring.current]);
  threadIdx = own;
}

// The thread that met a barrier first lives on the host's own stack and ends last.
static __attribute__((noinline)) void end_fibers() {
  while (ab_ring.alive > 1) go_on(ab_ring.next[ab_ring.current]);
}

}  // namespace ab

// Leaves a byte in a section of the library for every barrier that was compiled, so that the
// program knows which variants run on fibers.
template <int Variant>
static inline __attribute__((always_inline)) void ab_barrier() {
#if defined(__aarch64__)
  asm volatile(".pushsection ab_barriers,\"a\",%%progbits\n.byte %c0\n.popsection" ::"i"(Variant));
#else
  asm volatile(".pushsection ab_barriers,\"a\",@progbits\n.byte %c0\n.popsection" ::"i"(Variant));
#endif
  ab::meet();
}

#else

static inline void end_fibers() {}

}  // namespace ab

template <int Variant>
__attribute__((error("autobench: barriers outside of phases need x86-64 or AArch64"))) void ab_barrier();

#endif

#define __syncthreads() ab_barrier<AUTOBENCH_VARIANT>()
