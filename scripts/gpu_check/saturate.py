"""Saturates a sum of two vectors with what this Python has, and prints what it found as JSON.

    saturate.py DEVICE SECONDS OUT

On a GPU the arrays are of torch or CuPy, and the kernel is Triton's where it works. On the
processor they are of NumPy.
"""

import json
import statistics
import sys

LARGEST = {"cpu": 1 << 20, "gpu": 1 << 26}
# Pairs of calls of our `do_bench` and Triton's, in turn.
PAIRS = 5


def skip(why):
    print(f"skipped: {why}")
    sys.exit(0)


if sys.version_info < (3, 10):
    skip(f"Python {sys.version.split()[0]} is too old for the package, which needs 3.10")
try:
    import numpy as np
except ImportError:
    skip("NumPy is not installed")
try:
    import torch
except ImportError:
    torch = None
try:
    import cupy
except ImportError:
    cupy = None
try:
    import triton
    import triton.language as tl
except ImportError:
    triton = None

import autobench as ab  # noqa: E402

SOURCE = """
extern "C" __global__ void add(const float *x, const float *y, float *out, long long n) {
  long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + y[i];
}
"""


def of_numpy():
    """Arrays of NumPy, and a kernel that takes a block of elements at a time."""
    x, y, out = np.random.default_rng(1).random((3, LARGEST["cpu"]), np.float32)

    def add(x, y, out, BLOCK):
        for at in range(0, len(x), BLOCK):
            part = slice(at, at + BLOCK)
            np.add(x[part], y[part], out=out[part])

    return f"NumPy {np.__version__}", add, {"BLOCK": [1024, 16384, 262144]}, (x, y, out)


def of_cupy(ordinal):
    """Arrays of CuPy, and a kernel in CUDA C++."""
    cupy.cuda.Device(ordinal).use()
    x, y, out = (cupy.random.rand(LARGEST["gpu"], dtype=cupy.float32) for _ in range(3))
    compiled = cupy.RawKernel(SOURCE, "add")

    def add(x, y, out, BLOCK):
        n = x.size
        compiled((-(-n // BLOCK),), (BLOCK,), (x, y, out, np.int64(n)))

    return f"CuPy {cupy.__version__}", add, {"BLOCK": [64, 128, 256, 512]}, (x, y, out)


def of_torch(device):
    """Arrays of torch, and a kernel that takes a part of the vectors at a time."""
    if device != "cpu":
        torch.cuda.set_device(device)
    x, y, out = torch.rand(3, LARGEST["gpu"], device=device)

    def add(x, y, out, PARTS):
        step = -(-len(x) // PARTS)
        for at in range(0, len(x), step):
            part = slice(at, at + step)
            torch.add(x[part], y[part], out=out[part])

    return f"torch {torch.__version__}", add, {"PARTS": [1, 2, 4]}, (x, y, out)


if triton is not None:

    @triton.jit
    def add_block(x, y, out, n, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + at, tl.load(x + at, at < n) + tl.load(y + at, at < n), at < n)


def by_triton(x, y, out, BLOCK, num_warps):
    n = x.numel()
    add_block[(triton.cdiv(n, BLOCK),)](x, y, out, n, BLOCK=BLOCK, num_warps=num_warps)


def chosen(device):
    """Returns the arrays' package, the kernel, its space, the arrays, and notes."""
    ordinal = int((device.split(":") + ["0"])[1])
    if device.startswith("cpu"):
        return *of_numpy(), []
    if torch is not None and torch.cuda.is_available():
        arrays, kernel, space, given = of_torch(f"cuda:{ordinal}")
        if triton is None:
            return arrays, kernel, space, given, ["Triton is not installed"]
        try:
            by_triton(*given, BLOCK=1024, num_warps=4)
            torch.cuda.synchronize()
        except Exception as why:  # Triton also needs a C compiler, and raises whatever it likes.
            words = str(why).strip().splitlines() or [""]
            note = f"Triton does not work here: {type(why).__name__}: {words[0][:200]}"
            return arrays, kernel, space, given, [note]
        space = {"BLOCK": [256, 512, 1024, 2048], "num_warps": [2, 4, 8]}
        return f"{arrays}, Triton {triton.__version__}", by_triton, space, given, []
    if cupy is not None and cupy.is_available():
        return *of_cupy(ordinal), []
    return skip("neither torch nor CuPy is installed and finds a GPU")


def main():
    device, seconds, out_folder = sys.argv[1:]
    arrays, kernel, space, (x, y, out), notes = chosen(device)
    study = ab.saturate(
        kernel,
        space=space,
        arguments=lambda n: (x[:n], y[:n], out[:n]),
        reference=lambda x, y, out: x + y,
        max_error=1e-6,
        bytes=lambda n: 12 * n,
        name="add",
        time=float(seconds),
        out=out_folder,
        quiet=True,
    )
    last = study.sizes[-1]

    def run():
        n = last.size
        kernel(x[:n], y[:n], out[:n], **last.configuration)

    interval = ab.do_bench(run, return_mode="interval")
    over_tritons = None
    if triton is not None and not device.startswith("cpu"):
        pairs = [(ab.do_bench(run, return_mode="median"),
                  triton.testing.do_bench(run, return_mode="median")) for _ in range(PAIRS)]
        over_tritons = statistics.median(ours / tritons for ours, tritons in pairs)
    print(json.dumps({
        "arrays": arrays,
        "sizes": len(study.sizes),
        "knee": study.knee,
        "confidence": study.confidence,
        "largest": last.size,
        "best": last.configuration,
        "metric": last.metric,
        "do_bench": list(interval),
        "over_tritons": over_tritons,
        "notes": notes,
    }))


if __name__ == "__main__":
    main()
