// C = A B of n by n matrices, column after column, with the parameters of CLBlast's kernel. A block
// has a part of C of MWG rows and NWG columns; KWG columns of A and rows of B at a time go into it.
//
// PRECISION     the format of the elements; sums are kept in f32 or wider
// MWG, NWG      rows and columns of C per block; n is a multiple of both
// KWG           columns of A and rows of B per round
// MDIMC, NDIMC  threads of a block along the rows and the columns of C
// MDIMA         threads along the rows when a block reads A into shared memory
// NDIMB         threads along the columns when it reads B
// KWI           steps along the columns of A that are written out
// VWM, VWN      neighbouring rows of A and C, and columns of B, that a thread takes at once
// STRM, STRN    1: these lie a block's width apart, 0: all of a thread's are neighbours
// SA, SB        1: a block holds its part of A, of B in shared memory
#include "autobench/autobench.h"

typedef ab::compute<PRECISION>::type wide;
typedef ab::vec<PRECISION, VWM> row_vector;
typedef ab::vec<PRECISION, VWN> column_vector;

constexpr int threads = MDIMC * NDIMC;
// Rows, columns of a thread, and of them the vectors.
constexpr int MWI = MWG / MDIMC, NWI = NWG / NDIMC;
constexpr int row_vectors = MWI / VWM, column_vectors = NWI / VWN;
// Threads along the inner extent when a block reads A, and B.
constexpr int KDIMA = threads / MDIMA, KDIMB = threads / NDIMB;
// The rows of B's part in shared memory are so much longer than its columns are many that the
// neighbours of a column, which are written together, lie in different banks.
constexpr int pitch = NWG + VWN;

// Short loops whole, so that arrays become registers.
#if defined(AUTOBENCH_CPU) && !defined(__clang__)
#define WRITTEN_OUT _Pragma("GCC unroll 16")
#else
#define WRITTEN_OUT _Pragma("unroll")
#endif

// The first row of a thread's vector, and the first column.
AUTOBENCH_INLINE int row_of(int vector)
{
  return (STRM ? vector * MDIMC + (int)threadIdx.x : (int)threadIdx.x * row_vectors + vector) * VWM;
}
AUTOBENCH_INLINE int column_of(int vector)
{
  return (STRN ? vector * NDIMC + (int)threadIdx.y : (int)threadIdx.y * column_vectors + vector) *
         VWN;
}

// The part of A that a block needs, from its first element on.
AUTOBENCH_INLINE void read_a(PRECISION (&held)[SA ? KWG : 1][SA ? MWG : 1], const PRECISION *a,
                             int n)
{
  // The part of a thread's number that neighbours in x share is divided apart from threadIdx.x: so
  // compilers see that they touch neighbours.
  const int line = threadIdx.y * MDIMC;
  const int row = (MDIMA < MDIMC ? (int)threadIdx.x % MDIMA : line % MDIMA + (int)threadIdx.x) * VWM;
  const int column = line / MDIMA + (MDIMA < MDIMC ? (int)threadIdx.x / MDIMA : 0);
  WRITTEN_OUT
  for (int k = 0; k < KWG; k += KDIMA)
    WRITTEN_OUT
    for (int m = 0; m < MWG; m += MDIMA * VWM)
      ab::store(&held[k + column][m + row],
                ab::load<VWM>(a + (long long)(k + column) * n + m + row));
}

// The part of B that a block needs. Threads along the inner extent are neighbours, since that is
// how B lies in memory.
AUTOBENCH_INLINE void read_b(PRECISION (&held)[SB ? KWG : 1][SB ? pitch : 1], const PRECISION *b,
                             int n)
{
  const int line = threadIdx.y * MDIMC;
  const int row = KDIMB < MDIMC ? (int)threadIdx.x % KDIMB : line % KDIMB + (int)threadIdx.x;
  const int column = (line / KDIMB + (KDIMB < MDIMC ? (int)threadIdx.x / KDIMB : 0)) * VWN;
  WRITTEN_OUT
  for (int x = 0; x < NWG; x += NDIMB * VWN)
    WRITTEN_OUT
    for (int k = 0; k < KWG; k += KDIMB)
      WRITTEN_OUT
      for (int i = 0; i < VWN; ++i)
        held[k + row][x + column + i] = b[(long long)(x + column + i) * n + k + row];
}

// The sums of a thread from round to round. On the CPU those of all threads, neighbours in x
// together.
struct kept_sums {
#ifdef AUTOBENCH_GPU
  wide own[NWI][MWI];
  AUTOBENCH_INLINE wide &at(int x, int m) { return own[x][m]; }
#else
  wide all[NWI][MWI][NDIMC][MDIMC];
  wide &at(int x, int m) { return all[x][m][threadIdx.y][threadIdx.x]; }
#endif
};
#ifdef AUTOBENCH_GPU
#define OF_THREADS
#else
#define OF_THREADS __shared__
#endif

// Adds the products of `steps` columns of A and rows of B. A part that is not held in shared memory
// is read where it lies.
AUTOBENCH_INLINE void add_products(wide (&sums)[NWI][MWI], int steps,
                                   const PRECISION (&held_a)[SA ? KWG : 1][SA ? MWG : 1],
                                   const PRECISION (&held_b)[SB ? KWG : 1][SB ? pitch : 1],
                                   const PRECISION *a, const PRECISION *b, int n)
{
  for (int some = 0; some < steps; some += KWI)
    WRITTEN_OUT
    for (int next = 0; next < KWI; ++next) {
      const int k = some + next;
      wide rows[MWI], columns[NWI];
      WRITTEN_OUT
      for (int v = 0; v < row_vectors; ++v) {
        const int m = row_of(v);
        const row_vector read =
            ab::load<VWM>(SA ? &held_a[SA ? k : 0][SA ? m : 0] : a + (long long)k * n + m);
        WRITTEN_OUT
        for (int i = 0; i < VWM; ++i) rows[v * VWM + i] = ab::convert<wide>(read[i]);
      }
      WRITTEN_OUT
      for (int v = 0; v < column_vectors; ++v) {
        const int x = column_of(v);
        column_vector read;
        if (SB) {
          read = ab::load<VWN>(&held_b[SB ? k : 0][SB ? x : 0]);
        } else {
          WRITTEN_OUT
          for (int i = 0; i < VWN; ++i) read[i] = b[(long long)(x + i) * n + k];
        }
        WRITTEN_OUT
        for (int i = 0; i < VWN; ++i) columns[v * VWN + i] = ab::convert<wide>(read[i]);
      }
      WRITTEN_OUT
      for (int x = 0; x < NWI; ++x)
        WRITTEN_OUT
        for (int m = 0; m < MWI; ++m) sums[x][m] = ab::fma(rows[m], columns[x], sums[x][m]);
    }
}

AUTOBENCH_INLINE void write_sums(PRECISION *c, const wide (&sums)[NWI][MWI], int n)
{
  WRITTEN_OUT
  for (int x = 0; x < NWI; ++x)
    WRITTEN_OUT
    for (int v = 0; v < row_vectors; ++v) {
      row_vector written;
      WRITTEN_OUT
      for (int i = 0; i < VWM; ++i) written[i] = ab::convert<PRECISION>(sums[x][v * VWM + i]);
      ab::store(c + (long long)(column_of(x / VWN) + x % VWN) * n + row_of(v), written);
    }
}

__global__ void __launch_bounds__(threads)
    xgemm(PRECISION *__restrict__ c, const PRECISION *__restrict__ a,
          const PRECISION *__restrict__ b, int n)
{
  __shared__ __align__(16) PRECISION held_a[SA ? KWG : 1][SA ? MWG : 1];
  __shared__ __align__(16) PRECISION held_b[SB ? KWG : 1][SB ? pitch : 1];
  const int first_row = blockIdx.x * MWG, first_column = blockIdx.y * NWG;
  a += first_row;
  b += (long long)first_column * n;
  c += (long long)first_column * n + first_row;
  if constexpr (SA == 0 && SB == 0) {
    // Nothing is shared, so threads need not wait for each other.
    AUTOBENCH_PHASE {
      wide sums[NWI][MWI];
      WRITTEN_OUT
      for (int x = 0; x < NWI; ++x)
        WRITTEN_OUT
        for (int m = 0; m < MWI; ++m) sums[x][m] = wide(0);
      add_products(sums, n, held_a, held_b, a, b, n);
      write_sums(c, sums, n);
    }
  } else {
    OF_THREADS kept_sums kept;
    AUTOBENCH_PHASE {
      WRITTEN_OUT
      for (int x = 0; x < NWI; ++x)
        WRITTEN_OUT
        for (int m = 0; m < MWI; ++m) kept.at(x, m) = wide(0);
    }
    for (int round = 0; round < n; round += KWG) {
      const PRECISION *const next_a = a + (long long)round * n, *const next_b = b + round;
      AUTOBENCH_PHASE {
        if constexpr (SA == 1) read_a(held_a, next_a, n);
        if constexpr (SB == 1) read_b(held_b, next_b, n);
      }
      AUTOBENCH_PHASE {
        wide sums[NWI][MWI];
        WRITTEN_OUT
        for (int x = 0; x < NWI; ++x)
          WRITTEN_OUT
          for (int m = 0; m < MWI; ++m) sums[x][m] = kept.at(x, m);
        add_products(sums, KWG, held_a, held_b, next_a, next_b, n);
        WRITTEN_OUT
        for (int x = 0; x < NWI; ++x)
          WRITTEN_OUT
          for (int m = 0; m < MWI; ++m) kept.at(x, m) = sums[x][m];
      }
    }
    AUTOBENCH_PHASE {
      wide sums[NWI][MWI];
      WRITTEN_OUT
      for (int x = 0; x < NWI; ++x)
        WRITTEN_OUT
        for (int m = 0; m < MWI; ++m) sums[x][m] = kept.at(x, m);
      write_sums(c, sums, n);
    }
  }
}
