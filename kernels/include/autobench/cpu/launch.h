// How a kernel runs: a loop over blocks, and in it a loop over threads into which the kernel is
// inlined, so that the compiler vectorises across threads.
#pragma once

namespace ab {

// One block. X, Y, Z: threads per block when known at compile time, else 0.
template <auto Kernel, int X, int Y, int Z, class... A>
static inline __attribute__((always_inline)) void block(A... a) {
  const int nx = X ? X : blockDim.x, ny = Y ? Y : blockDim.y, nz = Z ? Z : blockDim.z;
  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x) {
        threadIdx.x = x, threadIdx.y = y, threadIdx.z = z;
        Kernel(a...);
        if (ab_whole_block) {
          if (ab_whole_block == 2) end_fibers();
          return;
        }
      }
}

template <auto Kernel, int X, int Y, int Z, class... A>
static __attribute__((flatten, noinline)) void blocks(const worker *w, ab_u64 first, ab_u64 last,
                                                      A... a) {
  gridDim.x = w->grid[0], gridDim.y = w->grid[1], gridDim.z = w->grid[2];
  blockDim.x = X ? X : w->block[0];
  blockDim.y = Y ? Y : w->block[1];
  blockDim.z = Z ? Z : w->block[2];
  const ab_u64 plane = (ab_u64)gridDim.x * gridDim.y;
  for (ab_u64 b = first; b < last; ++b) {
    blockIdx.x = (int)(b % plane % gridDim.x);
    blockIdx.y = (int)(b % plane / gridDim.x);
    blockIdx.z = (int)(b / plane);
    ab_whole_block = 0;
    block<Kernel, X, Y, Z>(a...);
  }
}

template <int... I>
struct positions {};

template <int N, int... I>
struct count_to : count_to<N - 1, N - 1, I...> {};

template <int... I>
struct count_to<0, I...> {
  typedef positions<I...> type;
};

template <class... A>
static constexpr int arity(void (*)(A...)) {
  return (int)sizeof...(A);
}

template <auto Kernel, class... A, int... I>
static __attribute__((flatten)) void single(void (*)(A...), positions<I...>, void **args) {
  Kernel(*(A *)args[I]...);
}

// One thread, for fibers.
template <auto Kernel>
static void one(void **args) {
  single<Kernel>(Kernel, typename count_to<arity(Kernel)>::type(), args);
}

template <auto Kernel, int X, int Y, int Z, class... A, int... I>
static inline void unpack(void (*)(A...), positions<I...>, const worker *w, ab_u64 first,
                          ab_u64 last, void **args) {
  blocks<Kernel, X, Y, Z, A...>(w, first, last, *(A *)args[I]...);
}

// What the program calls: blocks `first` to `last` of a grid, by one thread of the host.
template <auto Kernel, int X, int Y, int Z>
static void launch(worker *w, ab_u64 first, ab_u64 last, void **args) {
  ab_worker = w;
  ab_single = &one<Kernel>;
  ab_arguments = args;
  ab_shared = w->shared;
  unpack<Kernel, X, Y, Z>(Kernel, typename count_to<arity(Kernel)>::type(), w, first, last, args);
}

template <class... A>
struct sizes_of {
  static constexpr unsigned all[] = {sizeof(A)..., 0};
};

template <class... A>
static constexpr const unsigned *sizes(void (*)(A...)) {
  return sizes_of<A...>::all;
}

}  // namespace ab

// A launchable function, as the program reads it. This and what follows is written behind a
// kernel whose parameters are macros, which cannot begin with `ab_`.
struct ab_entry {
  void (*launch)(ab::worker *, ab_u64, ab_u64, void **);
  const unsigned *sizes; // of the parameters
  int parameters;
  int block[3]; // 0 where any will do
};

template <auto Kernel, int X, int Y, int Z>
static constexpr ab_entry ab_describe() {
  return {&ab::launch<Kernel, X, Y, Z>, ab::sizes(Kernel), ab::arity(Kernel), {X, Y, Z}};
}

// A compiled configuration.
struct ab_variant {
  const ab_entry *entries;
  unsigned count;
  unsigned number;
};

// All that a library holds.
struct ab_table {
  ab_u64 version;
  const ab_variant *variants;
  ab_u64 count;
  const ab_u8 *barriers, *barriers_end; // one byte, the variant's number, per barrier
};

extern "C" __attribute__((visibility("hidden"))) const ab_u8 __start_ab_barriers[];
extern "C" __attribute__((visibility("hidden"))) const ab_u8 __stop_ab_barriers[];
#ifdef __aarch64__
asm(".pushsection ab_barriers,\"a\",%progbits\n.byte 255\n.popsection");
#else
asm(".pushsection ab_barriers,\"a\",@progbits\n.byte 255\n.popsection");
#endif

#define AUTOBENCH_TABLE(variants)                                                      \
  extern "C" {                                                                         \
  __attribute__((__visibility__("default"))) extern const ab_table autobench_table;    \
  const ab_table autobench_table = {1, variants,                                       \
                                    sizeof(variants) / sizeof(variants[0]),            \
                                    __start_ab_barriers, __stop_ab_barriers};          \
  }
