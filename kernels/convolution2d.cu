// An image weighted with a filter of 17 x 17: output[y][x] = sum over j and i of
// filter[j][i] input[y + j][x + i]. The input has 16 rows and columns more than the output.
//
// block_size_x, block_size_y  threads per block
// tile_x, tile_y              elements of the output per thread
// vector_width                neighbours that are read and written at once
// use_shared                  1: a block holds its part of the input in shared memory
// min_blocks                  blocks that a multiprocessor shall have room for
// input_type                  the format of the input
// filter_type                 the format of the filter
// accumulator_type            what is computed and summed in
// output_type                 the format of the output
#include "autobench/autobench.h"

constexpr int taps = 17;
constexpr int border = taps - 1;
constexpr int vectors = tile_x / vector_width;
// What a block writes and reads.
constexpr int width = block_size_x * tile_x, height = block_size_y * tile_y;
constexpr int read_width = width + border, read_height = height + border;

// Short loops whole, so that arrays become registers.
#if defined(AUTOBENCH_CPU) && !defined(__clang__)
#define WRITTEN_OUT _Pragma("GCC unroll 16")
#else
#define WRITTEN_OUT _Pragma("unroll")
#endif

__constant__ filter_type filter[taps * taps];

typedef accumulator_type number;
typedef ab::vec<number, vector_width> numbers;

#ifdef AUTOBENCH_GPU
// Adds the terms of one row of the filter; `row` is the first input. Every input is read once.
AUTOBENCH_INLINE void add_row(numbers &sum, const number (&weights)[taps], const input_type *row)
{
  number window[border + vector_width];
  WRITTEN_OUT
  for (int at = 0; at < border + vector_width; at += vector_width) {
    const ab::vec<input_type, vector_width> read = ab::load<vector_width>(row + at);
    WRITTEN_OUT
    for (int i = 0; i < vector_width; ++i) window[at + i] = ab::convert<number>(read[i]);
  }
  WRITTEN_OUT
  for (int tap = 0; tap < taps; ++tap) {
    numbers inputs;
    WRITTEN_OUT
    for (int i = 0; i < vector_width; ++i) inputs[i] = window[tap + i];
    sum = ab::fma(numbers::all(weights[tap]), inputs, sum);
  }
}
#endif

__global__ void __launch_bounds__(block_size_x *block_size_y, min_blocks)
    convolution2d(output_type *__restrict__ output, const input_type *__restrict__ input, int n)
{
  // The last blocks of a row or column are moved back to lie inside: what two blocks write is the
  // same, and nobody asks whether an element exists.
  const int column = min((int)blockIdx.x * width, n - width);
  const int first_row = min((int)blockIdx.y * height, n - height);
  const int pitch = n + border;
  input += (long long)first_row * pitch + column;
  output += (long long)first_row * n + column;

  __shared__ __align__(16) input_type held[use_shared ? read_height * read_width : 1];
  if (use_shared) {
    AUTOBENCH_PHASE {
      for (int y = threadIdx.y; y < read_height; y += block_size_y)
        for (int x = threadIdx.x; x < read_width; x += block_size_x)
          held[y * read_width + x] = input[y * pitch + x];
    }
  }
  const input_type *const from = use_shared ? held : input;
  const int step = use_shared ? read_width : pitch;
  AUTOBENCH_PHASE {
    const int thread = threadIdx.x * vector_width, row = threadIdx.y;
    numbers sums[tile_y][vectors];
    WRITTEN_OUT
    for (int y = 0; y < tile_y; ++y)
      WRITTEN_OUT
      for (int x = 0; x < vectors; ++x) sums[y][x] = numbers::all(number(0.0f));
#ifdef AUTOBENCH_GPU
    for (int j = 0; j < taps; ++j) {
      number weights[taps];
      WRITTEN_OUT
      for (int i = 0; i < taps; ++i) weights[i] = ab::convert<number>(filter[j * taps + i]);
      WRITTEN_OUT
      for (int y = 0; y < tile_y; ++y)
        WRITTEN_OUT
        for (int x = 0; x < vectors; ++x)
          add_row(sums[y][x], weights, from + (y * block_size_y + row + j) * step +
                                           x * block_size_x * vector_width + thread);
    }
#else
    // One short loop inside the loop over threads, so that this one is vectorised.
    for (int at = 0; at < taps * taps; ++at) {
      const input_type *const first = from + (row + at / taps) * step + at % taps + thread;
      const number weight = ab::convert<number>(filter[at]);
      WRITTEN_OUT
      for (int y = 0; y < tile_y; ++y)
        WRITTEN_OUT
        for (int x = 0; x < vectors; ++x)
          WRITTEN_OUT
          for (int i = 0; i < vector_width; ++i) {
            const int to = y * block_size_y * step + x * block_size_x * vector_width + i;
            sums[y][x][i] = ab::fma(weight, ab::convert<number>(first[to]), sums[y][x][i]);
          }
    }
#endif
    WRITTEN_OUT
    for (int y = 0; y < tile_y; ++y)
      WRITTEN_OUT
      for (int x = 0; x < vectors; ++x)
        ab::store(output + (y * block_size_y + row) * n + x * block_size_x * vector_width + thread,
                  ab::convert<output_type>(sums[y][x]));
  }
}
