"""A kernel in CUDA C++, called as with Kernel Tuner: on a GPU, or else on the processor.

Run it with `python cuda_source.py`.
"""

import numpy as np

import autobench as ab

SOURCE = """
__global__ void add(float *c, const float *a, const float *b, int n) {
  int first = blockIdx.x * block_size_x * elements + threadIdx.x;
  for (int e = 0; e < elements; ++e) {
    int i = first + e * block_size_x;
    if (i < n) c[i] = a[i] + b[i];
  }
}
"""

n = 1_000_000
a, b = np.random.default_rng(1).random((2, n), np.float32)

rows, env = ab.tune_kernel(
    "add",
    SOURCE,
    n,
    [np.zeros_like(a), a, b, np.int32(n)],
    {"block_size_x": [64, 128, 256], "elements": [1, 2, 4]},
    grid_div_x=["block_size_x", "elements"],
    restrictions=["block_size_x * elements <= 512"],
    answer=[a + b, None, None, None],
    metrics={"GB/s": lambda p: 12 * n / 1e6 / p["time"]},
)
print(len(rows), "configurations on", env["device_name"])
print("best:", {name: env["best_config"][name] for name in ("block_size_x", "elements", "GB/s")})
