// Levels of a breadth-first search over a directed graph of n vertices with 16 edges each. A round is
// two launches: `visit` goes along the edges of all vertices that the round before reached, and
// `advance` counts the round.
//
// level_type           the format of the levels
// block_size_x         threads per block
// threads_per_vertex   neighbouring threads that share the edges of a vertex
// vertices_per_thread  vertices per thread, one after the other
// edges_at_once        neighbouring edges read by one access
#include "autobench/autobench.h"

constexpr int degree = 16;
constexpr int unreached = 255;
constexpr int at_a_time = block_size_x / threads_per_vertex;

__global__ void visit(level_type *levels, const int *__restrict__ edges,
                      const int *__restrict__ rounds, int n)
{
  const int now = *rounds, first = blockIdx.x * (at_a_time * vertices_per_thread);
  const int own = threadIdx.x / threads_per_vertex, lane = threadIdx.x % threads_per_vertex;
  edges += (long long)first * degree;
  for (int step = 0; step < vertices_per_thread; ++step) {
    const int vertex = step * at_a_time + own;
    if (first + vertex < n && levels[first + vertex] == (level_type)now)
      for (int edge = lane * edges_at_once; edge < degree;
           edge += threads_per_vertex * edges_at_once) {
        const ab::vec<int, edges_at_once> to =
            ab::load<edges_at_once>(edges + vertex * degree + edge);
        // Several threads may reach a vertex: they write the same.
        for (int i = 0; i < edges_at_once; ++i)
          if (levels[to[i]] == (level_type)unreached) levels[to[i]] = (level_type)(now + 1);
      }
  }
}

__global__ void advance(int *rounds)
{
  *rounds += 1;
}
