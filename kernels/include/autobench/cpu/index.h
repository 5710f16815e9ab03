// The index variables and qualifiers of CUDA C++ on the CPU. All threads of a block run on one
// thread of the host, so a block's variables are thread-local. Indices are signed: overflow is
// then undefined and the loops over threads vectorise.
#pragma once

typedef unsigned char ab_u8;
typedef unsigned short ab_u16;
typedef unsigned int ab_u32;
typedef unsigned long long ab_u64;
typedef long long ab_i64;

#define __global__ inline __attribute__((__always_inline__))
#define __device__ __attribute__((__unused__))
#define __host__
#define __forceinline__ __attribute__((__always_inline__))
#define __noinline__ __attribute__((__noinline__))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((__aligned__(n)))
#define __shared__ static thread_local
#define __managed__
#define __constant__ __attribute__((__visibility__("default"), __used__))
#ifndef __restrict__
#define __restrict__ __restrict
#endif
#define __grid_constant__

struct uint3 {
  unsigned x, y, z;
};

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};

namespace ab {

// Three signed coordinates.
struct index3 {
  int x, y, z;
  operator dim3() const { return dim3((unsigned)x, (unsigned)y, (unsigned)z); }
};

// What a thread of the host needs to run blocks; laid out by the program, too.
struct worker {
  int grid[3];
  int block[3];
  void *shared;       // dynamic shared memory of one block
  char *stacks;       // stacks of fibers, one after the other
  ab_u64 stack_bytes; // of one
  ab_u64 fibers;      // set when a barrier was met outside of phases
};

struct fibers;

}  // namespace ab

// Never addressable, so that no pointer of a kernel can alias them.
static thread_local ab::index3 threadIdx, blockIdx, blockDim, gridDim;
static thread_local int ab_whole_block;
static thread_local void *ab_shared;
static const int warpSize = 32;
