"""Triton: a vector sum with its block and its warps, and Triton's own tuning timed by autobench.

Run it with `python triton_gpu.py`; a number behind it is the seconds that the study may take. It
needs a GPU, and says so where there is none.
"""

import sys

try:
    import torch
    import triton
    import triton.language as tl
except ImportError as missing:
    sys.exit(f"skipped: {missing}")
if not torch.cuda.is_available():
    sys.exit("skipped: there is no GPU")

import autobench as ab


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    """Adds a block of two vectors."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, at < n) + tl.load(y + at, at < n), at < n)


def add(x, y, out, BLOCK, num_warps):
    """Launches the kernel; the parameters come by name."""
    n = x.numel()
    add_kernel[(triton.cdiv(n, BLOCK),)](x, y, out, n, BLOCK=BLOCK, num_warps=num_warps)


def arguments(n):
    """Two vectors, and a third for their sum."""
    x, y = torch.rand(2, n, device="cuda")
    return x, y, torch.empty_like(x)


study = ab.saturate(
    add,
    space={"BLOCK": [256, 512, 1024, 2048], "num_warps": [1, 2, 4, 8]},
    restrict=["BLOCK >= 32 * num_warps"],
    arguments=arguments,
    reference=lambda x, y, out: x + y,
    max_error=1e-6,
    bytes=lambda n: 12 * n,
    time=float(sys.argv[1]) if len(sys.argv) > 1 else 60,
)
print("knee:", study.knee)
print(study.table())

# Triton's own tuning, with times that are taken by autobench.
tuned = triton.autotune(
    configs=[triton.Config({"BLOCK": block}) for block in (256, 1024)],
    key=["n"],
    do_bench=ab.do_bench,
)(add_kernel)
x, y, out = arguments(1 << 20)
tuned[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, y, out, x.numel())
print("Triton chose", tuned.best_config)
