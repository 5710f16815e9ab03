"""Numba: a vector sum on the processor, with the number of elements that a thread takes at a time.

Run it with `python numba_add.py`; a number behind it is the seconds that the study may take.
"""

import sys

import numba
import numpy as np

import autobench as ab


@numba.njit(parallel=True, fastmath=True)
def add_in_blocks(x, y, out, block):
    """Adds block by block, and the blocks in parallel."""
    for part in numba.prange((len(x) + block - 1) // block):
        for i in range(part * block, min(len(x), (part + 1) * block)):
            out[i] = x[i] + y[i]


def add(x, y, out, BLOCK):
    """The kernel: its parameter comes by name."""
    add_in_blocks(x, y, out, BLOCK)


def arguments(n):
    """Two vectors, and a third for their sum."""
    x, y = np.random.default_rng(1).random((2, n), np.float32)
    return x, y, np.empty_like(x)


study = ab.saturate(
    add,
    space={"BLOCK": [1024, 4096, 16384, 65536]},
    arguments=arguments,
    reference=lambda x, y, out: x + y,
    max_error=1e-6,
    bytes=lambda n: 12 * n,
    time=float(sys.argv[1]) if len(sys.argv) > 1 else 60,
)
print("knee:", study.knee)
print(study.table())
