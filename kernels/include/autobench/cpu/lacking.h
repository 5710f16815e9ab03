// What CUDA has and the cpu device lacks: using it is one clear error instead of a wrong result.
#pragma once

#define AUTOBENCH_LACKS(function, what)                                                     \
  template <class... A>                                                                     \
  __attribute__((error("autobench: the cpu device has no " what))) int function(A...);

AUTOBENCH_LACKS(__shfl_sync, "warp shuffles")
AUTOBENCH_LACKS(__shfl_up_sync, "warp shuffles")
AUTOBENCH_LACKS(__shfl_down_sync, "warp shuffles")
AUTOBENCH_LACKS(__shfl_xor_sync, "warp shuffles")
AUTOBENCH_LACKS(__shfl, "warp shuffles")
AUTOBENCH_LACKS(__shfl_up, "warp shuffles")
AUTOBENCH_LACKS(__shfl_down, "warp shuffles")
AUTOBENCH_LACKS(__shfl_xor, "warp shuffles")
AUTOBENCH_LACKS(__ballot_sync, "warp votes")
AUTOBENCH_LACKS(__all_sync, "warp votes")
AUTOBENCH_LACKS(__any_sync, "warp votes")
AUTOBENCH_LACKS(__activemask, "warp votes")
AUTOBENCH_LACKS(__syncwarp, "warps")
AUTOBENCH_LACKS(__reduce_add_sync, "warp reductions")
AUTOBENCH_LACKS(__syncthreads_count, "counting barriers")
AUTOBENCH_LACKS(__syncthreads_and, "counting barriers")
AUTOBENCH_LACKS(__syncthreads_or, "counting barriers")
