"""NumPy: a sum of squares in blocks. How long must the vector be, and how large each block?

Run it with `python numpy_blocks.py`; a number behind it is the seconds that the study may take.
"""

import sys

import numpy as np

import autobench as ab


def squares(x, total, BLOCK):
    """Sums the squares of x, BLOCK elements at a time."""
    total[0] = 0.0
    for at in range(0, len(x), BLOCK):
        part = x[at : at + BLOCK]
        total[0] += part @ part


def arguments(n):
    """A vector of n elements, and a place for its sum."""
    return np.random.default_rng(1).random(n), np.zeros(1)


study = ab.saturate(
    squares,
    space={"BLOCK": [1024, 8192, 65536, 524288]},
    arguments=arguments,
    reference=lambda x, total: np.array([np.sum(x * x)]),
    max_error=1e-9,
    bytes=lambda n: 8 * n,
    time=float(sys.argv[1]) if len(sys.argv) > 1 else 60,
)
print("knee:", study.knee)
print(study.table())
