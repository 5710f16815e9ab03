#!/usr/bin/env python3
"""A benchmark for `autobench run examples/guest/copy.py`: copies bytes in pieces of BLOCK KiB.

What autobench asks and what a guest answers is in docs/guide/workers.md.
"""

import json
import os
import platform
import random
import sys
import time

COPIES = 32 << 20  # bytes: runs go round over copies of at least so much memory together


class Size:
    """The data of one size: copies of a source, each with its target."""

    def __init__(self, size: int, cold: bool) -> None:
        copies = 1 + (COPIES // size if cold else 0)
        self.pairs = [(bytearray(os.urandom(size)), bytearray(size)) for _ in range(copies)]
        self.next = 0

    def run(self, block: int) -> tuple[bytearray, bytearray]:
        source, target = self.pairs[self.next]
        self.next = (self.next + 1) % len(self.pairs)
        view = memoryview(source)
        for at in range(0, len(source), block):
            target[at : at + block] = view[at : at + block]
        return source, target


sizes: dict[int, Size] = {}
kernels: dict[int, tuple[Size, int]] = {}


def describe(ask: dict) -> dict:
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    clock = time.get_clock_info("perf_counter")
    benchmark = {
        "name": "copy",
        "about": "copies bytes in pieces",
        "size": {"start": 1024, "meaning": "bytes", "binary_digits": 2, "largest": 64 << 20},
        "parameters": [{"name": "BLOCK", "values": [1, 4, 16, 64, 256, 1024], "default": 4}],
        "restrictions": ["BLOCK * 1024 <= size"],
        "bytes": "2 * size",
        "error": {"metric": "max", "bound": 0.5},
        "sources": [{"name": "copy.py", "text": open(__file__).read()}],
    }
    device = {
        "name": platform.processor() or platform.machine(),
        "backend": "cpu",
        "compiler": f"{platform.python_implementation()} {platform.python_version()}",
        "memory": [total, total // 2],
        "timer": [clock.resolution, 2e-7],
    }
    return {"protocol": 1, "benchmark": benchmark, "device": device}


def footprint(ask: dict) -> dict:
    return {"bytes": 2 * ask["size"] + 2 * COPIES}


def open_size(ask: dict) -> dict:
    sizes[ask["size"]] = Size(ask["size"], ask["cold"])
    return footprint(ask)


def compile_kernel(ask: dict) -> dict:
    kernels[ask["kernel"]] = (sizes[ask["size"]], 1024 * ask["configuration"]["BLOCK"])
    return {}


def check(ask: dict) -> dict:
    size, block = kernels[ask["kernel"]]
    source, target = size.run(block)
    at = random.Random(ask["seed"]).sample(range(len(source)), min(len(source), 4096))
    found, expected = [target[i] for i in at], [source[i] for i in at]
    return {"outputs": [{"name": "target", "indices": at, "found": found, "expected": expected}]}


def sample(ask: dict) -> dict:
    size, block = kernels[ask["kernel"]]
    begin = time.perf_counter()
    for _ in range(ask["runs"]):
        size.run(block)
    return {"seconds": time.perf_counter() - begin}


def close(ask: dict) -> dict:
    if "kernel" in ask:
        del kernels[ask["kernel"]]
    else:
        size = sizes.pop(ask["size"])
        for number in [number for number, (of, _) in kernels.items() if of is size]:
            del kernels[number]
    return {}


answers = {"describe": describe, "footprint": footprint, "open": open_size, "compile": compile_kernel,
           "check": check, "sample": sample, "close": close}

for line in sys.stdin:
    ask = json.loads(line)
    try:
        reply = answers[ask["request"]](ask)
    except Exception as error:
        reply = {"fault": "run", "reason": f"{type(error).__name__}: {error}"}
    print(json.dumps(reply), flush=True)
