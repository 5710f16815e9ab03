"""torch on the processor: the best number of parts for the products of two stacks of matrices.

Run it with `python torch_cpu.py`; a number behind it is the seconds that the study may take.
"""

import sys

import torch

import autobench as ab

torch.manual_seed(1)


def products(a, b, out, PARTS):
    """Multiplies two stacks, in so many parts."""
    step = -(-len(a) // PARTS)
    for at in range(0, len(a), step):
        torch.bmm(a[at : at + step], b[at : at + step], out=out[at : at + step])


def arguments(n):
    """Two stacks of n matrices, and a third for their products."""
    a, b = torch.rand(2, n, 32, 32)
    return a, b, torch.empty_like(a)


study = ab.tune(
    products,
    1000,
    space={"PARTS": [1, 2, 4, 8]},
    arguments=arguments,
    reference=lambda a, b, out: torch.einsum("nij,njk->nik", a.double(), b.double()),
    max_error=1e-5,
    flops=lambda n: 2 * 32**3 * n,
    time=float(sys.argv[1]) if len(sys.argv) > 1 else 30,
)
print("best:", study.best(1000))
print(study.table())
