// Nothing, by many blocks: one thread of the whole grid writes how many blocks there are.
//
// block_size_x  threads per block
#include "autobench/autobench.h"

__global__ void launch(unsigned *__restrict__ blocks)
{
  if (blockIdx.x == 0 && threadIdx.x == 0) blocks[0] = gridDim.x;
}
