// Bregman block average co-clustering with I-divergence of a matrix of 40 rows and n columns: in
// turn, the average of every block of a row and a column cluster, the nearest cluster of every row,
// and that of every column. A row i is as far from a row cluster r as the mean over the columns j of
// a[r][c(j)] - z[i][j] ln a[r][c(j)], with c(j) the cluster of column j; columns alike.
//
// input_type                     the format of the matrix
// sums_type, averages_type       sums of blocks, and their averages
// row_sums_type                  distances of rows while they grow
// row_distances_type             … as they are compared
// column_sums_type               distances of columns while they grow, and as they are compared
// column_distances_type          … of the nearest clusters, as they are kept
// row_policy, column_policy      logarithms of averages
// statistics_block, statistics_columns   threads of a block, columns of a thread
// rows_block, rows_columns       likewise for the distances of rows
// columns_block, columns_columns likewise for columns
#include "autobench/autobench.h"

constexpr int rows = 40;
constexpr int row_clusters = 5;
constexpr int column_clusters = 8;
constexpr int averages_count = row_clusters * column_clusters;
// Threads of the kernels that add up what blocks have left.
constexpr int gathering = 128;

typedef unsigned char label;

// Short loops whole, so that arrays become registers.
#if defined(AUTOBENCH_CPU) && !defined(__clang__)
#define WRITTEN_OUT _Pragma("GCC unroll 8")
#else
#define WRITTEN_OUT _Pragma("unroll")
#endif

// Sums of the elements of every block of clusters, and the columns of every cluster, over a tile of
// columns. Every sum has one order, so results repeat.
__global__ void statistics(sums_type *__restrict__ partial_sums, int *__restrict__ partial_counts,
                           const input_type *__restrict__ z, const label *__restrict__ row_labels,
                           const label *__restrict__ column_labels, long long n)
{
  constexpr int block = statistics_block;
  // A tile's sums are added by several threads, each a segment of its columns.
  constexpr int segments = block / averages_count;
  constexpr int length = (block + segments - 1) / segments;
  __shared__ label own_labels[rows];
  __shared__ int order[rows], begins[row_clusters + 1];
  __shared__ sums_type column_sums[row_clusters][block];
  __shared__ label labels[block];
  __shared__ sums_type sums[averages_count * segments];
  __shared__ int counts[column_clusters];
  const long long first = (long long)blockIdx.x * (block * statistics_columns);

  AUTOBENCH_PHASE {
    const int t = threadIdx.x;
    if (t < rows) own_labels[t] = row_labels[t];
    if (t < averages_count * segments) sums[t] = sums_type(0.0f);
    if (t < column_clusters) counts[t] = 0;
  }
  // Rows in the order of their clusters.
  AUTOBENCH_PHASE {
    const int t = threadIdx.x;
    if (t <= row_clusters) {
      int before = 0;
      for (int i = 0; i < rows; ++i) before += own_labels[i] < t ? 1 : 0;
      begins[t] = before;
    }
    if (t < rows) {
      const int own = own_labels[t];
      int before = 0;
      for (int i = 0; i < rows; ++i)
        before += own_labels[i] < own || (own_labels[i] == own && i < t) ? 1 : 0;
      order[before] = t;
    }
  }
  for (int step = 0; step < statistics_columns; ++step) {
    AUTOBENCH_PHASE {
      const int t = threadIdx.x;
      const long long j = first + step * block + t;
      labels[t] = label(column_clusters);
      if (j < n) {
        labels[t] = column_labels[j];
        for (int r = 0; r < row_clusters; ++r) {
          sums_type sum = sums_type(0.0f);
          for (int k = begins[r]; k < begins[r + 1]; ++k)
            sum += ab::convert<sums_type>(z[order[k] * n + j]);
          column_sums[r][t] = sum;
        }
      }
    }
    AUTOBENCH_PHASE {
      const int t = threadIdx.x;
      if (t < averages_count * segments) {
        const int pair = t % averages_count, from = t / averages_count * length;
        const int r = pair / column_clusters, c = pair % column_clusters;
        const int to = from + length < block ? from + length : block;
        sums_type sum = sums[t];
        for (int x = from; x < to; ++x)
          if (labels[x] == c) sum += column_sums[r][x];
        sums[t] = sum;
      }
      if (t < column_clusters)
        for (int x = 0; x < block; ++x) counts[t] += labels[x] == t ? 1 : 0;
    }
  }
  AUTOBENCH_PHASE {
    const int t = threadIdx.x;
    if (t < averages_count) {
      sums_type sum = sums[t];
      for (int s = 1; s < segments; ++s) sum += sums[s * averages_count + t];
      partial_sums[(long long)t * gridDim.x + blockIdx.x] = sum;
    }
    if (t < column_clusters) partial_counts[(long long)t * gridDim.x + blockIdx.x] = counts[t];
  }
}

// The average of a block of clusters, one block of threads for each; 0 where it has no elements.
__global__ void average(averages_type *__restrict__ averages,
                        const sums_type *__restrict__ partial_sums,
                        const int *__restrict__ partial_counts,
                        const label *__restrict__ row_labels, long long tiles)
{
  typedef typename ab::compute<sums_type>::type wide;
  __shared__ wide sums[gathering];
  __shared__ int counts[gathering];
  const int r = blockIdx.x / column_clusters, c = blockIdx.x % column_clusters;
  AUTOBENCH_PHASE {
    wide sum = wide(0);
    int count = 0;
    for (long long tile = threadIdx.x; tile < tiles; tile += gathering) {
      sum += ab::convert<wide>(partial_sums[blockIdx.x * tiles + tile]);
      count += partial_counts[c * tiles + tile];
    }
    sums[threadIdx.x] = sum;
    counts[threadIdx.x] = count;
  }
  for (int half = gathering / 2; half > 0; half /= 2) {
    AUTOBENCH_PHASE {
      const int t = threadIdx.x;
      if (t < half) {
        sums[t] += sums[t + half];
        counts[t] += counts[t + half];
      }
    }
  }
  AUTOBENCH_PHASE {
    if (threadIdx.x == 0) {
      int own = 0;
      for (int i = 0; i < rows; ++i) own += row_labels[i] == r ? 1 : 0;
      const wide elements = wide(own) * wide(counts[0]);
      averages[blockIdx.x] =
          ab::convert<averages_type>(elements > wide(0) ? wide(sums[0] / elements) : wide(0));
    }
  }
}

// Distances of a row to all row clusters over a tile of columns.
__global__ void row_distance(row_sums_type *__restrict__ partial_distances,
                             const input_type *__restrict__ z,
                             const averages_type *__restrict__ averages,
                             const label *__restrict__ column_labels, long long n)
{
  constexpr int block = rows_block;
  __shared__ row_sums_type means[row_clusters][column_clusters];
  __shared__ row_sums_type minus_logs[row_clusters][column_clusters];
  __shared__ row_sums_type sums[row_clusters][block];
  const long long first = (long long)blockIdx.x * (block * rows_columns);
  const int i = blockIdx.y;
  z += i * n;
  AUTOBENCH_PHASE {
    const int t = threadIdx.x;
    if (t < averages_count) {
      const row_sums_type mean = ab::convert<row_sums_type>(averages[t]);
      means[t / column_clusters][t % column_clusters] = mean;
      minus_logs[t / column_clusters][t % column_clusters] =
          row_sums_type(0.0f) - ab::log<ab::row_policy>(mean);
    }
  }
  AUTOBENCH_PHASE {
    const int t = threadIdx.x;
    row_sums_type own[row_clusters];
    WRITTEN_OUT
    for (int r = 0; r < row_clusters; ++r) own[r] = row_sums_type(0.0f);
    for (int step = 0; step < rows_columns; ++step) {
      const long long j = first + step * block + t;
      if (j < n) {
        const int c = column_labels[j];
        const row_sums_type x = ab::convert<row_sums_type>(z[j]);
        WRITTEN_OUT
        for (int r = 0; r < row_clusters; ++r)
          own[r] += ab::fma(x, minus_logs[r][c], means[r][c]);
      }
    }
    WRITTEN_OUT
    for (int r = 0; r < row_clusters; ++r) sums[r][t] = own[r];
  }
  for (int half = block / 2; half > 0; half /= 2) {
    AUTOBENCH_PHASE {
      const int t = threadIdx.x;
      if (t < half)
        for (int r = 0; r < row_clusters; ++r) sums[r][t] += sums[r][t + half];
    }
  }
  AUTOBENCH_PHASE {
    const int t = threadIdx.x;
    if (t < row_clusters)
      partial_distances[(long long)(i * row_clusters + t) * gridDim.x + blockIdx.x] = sums[t][0];
  }
}

// The mean distances of a row, a block of threads for each row, and its nearest cluster.
__global__ void nearest_of_row(row_distances_type *__restrict__ row_distances,
                               label *__restrict__ row_labels,
                               const row_sums_type *__restrict__ partial_distances,
                               long long tiles, long long n)
{
  typedef typename ab::compute<row_sums_type>::type wide;
  __shared__ wide sums[row_clusters][gathering];
  const int i = blockIdx.x;
  AUTOBENCH_PHASE {
    for (int r = 0; r < row_clusters; ++r) {
      wide sum = wide(0);
      const row_sums_type *own = partial_distances + (i * row_clusters + r) * tiles;
      for (long long tile = threadIdx.x; tile < tiles; tile += gathering)
        sum += ab::convert<wide>(own[tile]);
      sums[r][threadIdx.x] = sum;
    }
  }
  for (int half = gathering / 2; half > 0; half /= 2) {
    AUTOBENCH_PHASE {
      const int t = threadIdx.x;
      if (t < half)
        for (int r = 0; r < row_clusters; ++r) sums[r][t] += sums[r][t + half];
    }
  }
  AUTOBENCH_PHASE {
    if (threadIdx.x == 0) {
      int nearest = 0;
      row_distances_type least = ab::convert<row_distances_type>(wide(sums[0][0] / wide(n)));
      row_distances[i * row_clusters] = least;
      for (int r = 1; r < row_clusters; ++r) {
        const row_distances_type distance =
            ab::convert<row_distances_type>(wide(sums[r][0] / wide(n)));
        row_distances[i * row_clusters + r] = distance;
        if (distance < least) {
          least = distance;
          nearest = r;
        }
      }
      row_labels[i] = label(nearest);
    }
  }
}

// The nearest cluster of every column, and how far it is, as a mean over the rows.
__global__ void nearest_of_column(column_distances_type *__restrict__ column_distances,
                                  label *__restrict__ column_labels,
                                  const input_type *__restrict__ z,
                                  const averages_type *__restrict__ averages,
                                  const label *__restrict__ row_labels, long long n)
{
  constexpr int block = columns_block;
  // Per row of the matrix, since every column meets all of them in the same order.
  __shared__ column_sums_type minus_logs[rows][column_clusters];
  __shared__ column_sums_type base[column_clusters];
  const long long first = (long long)blockIdx.x * (block * columns_columns);
  AUTOBENCH_PHASE {
    for (int at = threadIdx.x; at < rows * column_clusters; at += block) {
      const int i = at / column_clusters, c = at % column_clusters;
      const column_sums_type mean =
          ab::convert<column_sums_type>(averages[row_labels[i] * column_clusters + c]);
      minus_logs[i][c] = column_sums_type(0.0f) - ab::log<ab::column_policy>(mean);
    }
    if (threadIdx.x < column_clusters) {
      const int c = threadIdx.x;
      column_sums_type sum = column_sums_type(0.0f);
      for (int i = 0; i < rows; ++i)
        sum += ab::convert<column_sums_type>(averages[row_labels[i] * column_clusters + c]);
      base[c] = sum;
    }
  }
  AUTOBENCH_PHASE {
    for (int step = 0; step < columns_columns; ++step) {
      const long long j = first + step * block + threadIdx.x;
      if (j < n) {
        column_sums_type sums[column_clusters];
        WRITTEN_OUT
        for (int c = 0; c < column_clusters; ++c) sums[c] = base[c];
        for (int i = 0; i < rows; ++i) {
          const column_sums_type x = ab::convert<column_sums_type>(z[i * n + j]);
          WRITTEN_OUT
          for (int c = 0; c < column_clusters; ++c)
            sums[c] = ab::fma(x, minus_logs[i][c], sums[c]);
        }
        int nearest = 0;
        column_sums_type least = sums[0];
        WRITTEN_OUT
        for (int c = 1; c < column_clusters; ++c)
          if (sums[c] < least) {
            least = sums[c];
            nearest = c;
          }
        column_labels[j] = label(nearest);
        column_distances[j] = ab::convert<column_distances_type>(
            column_sums_type(least * ab::convert<column_sums_type>(1.0 / rows)));
      }
    }
  }
}
