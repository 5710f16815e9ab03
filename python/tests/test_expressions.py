"""Functions become the texts of expressions."""

import numpy as np
import pytest

from autobench._expressions import quantity
from autobench._tables import condition

SPACE = {"BLOCK": [16, 32, 64], "warps": [1, 2, 4]}
MOST = 64


def small(p):
    """At most `MOST` threads."""
    return p["BLOCK"] * p["warps"] <= MOST and p["warps"] in (1, 2)


def grown(BLOCK):
    for _ in range(3):
        BLOCK += 1
    return BLOCK if BLOCK > 19 else False


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (lambda BLOCK, warps: BLOCK * warps <= 1024, "((BLOCK * warps) <= 1024)"),
        (lambda p: p["BLOCK"] % p["warps"] == 0, "((BLOCK % warps) == 0)"),
        (lambda warps: 2**warps < 8, "((2 ** warps) < 8)"),
        (lambda warps: -warps < abs(warps), "((-warps) < abs(warps))"),
        (lambda warps, size: size % warps == 0, "((size % warps) == 0)"),
        (lambda BLOCK, few=16: few < BLOCK, "(BLOCK > 16)"),
        (lambda BLOCK: 32 <= BLOCK < MOST, "BLOCK in [32]"),
        (
            lambda BLOCK, warps: BLOCK == 16 or not warps > 2,
            "[BLOCK, warps] not in [[32, 4], [64, 4]]",
        ),
        (lambda BLOCK: str(BLOCK).startswith("1"), "BLOCK in [16]"),
        (lambda p: len(p) > 1, "True"),
        (lambda p, few=1: p["warps"] > few and True, "warps not in [1]"),
        (lambda warps: warps < np.float64(2.5), "(warps < 2.5)"),
        (lambda warps: 1 / (warps - 1) < 0.5 and True, "warps not in [2]"),
        (grown, "BLOCK not in [16]"),
        (small, "[BLOCK, warps] not in [[16, 4], [32, 4], [64, 2], [64, 4]]"),
        (eval("lambda BLOCK: BLOCK in (16, 32)"), "BLOCK not in [64]"),
    ],
)
def test_a_restriction_becomes_a_text(function, text):
    assert condition(function, SPACE) == text


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (lambda n: 12 * n, "(12 * size)"),
        (lambda n, BLOCK: n // BLOCK, "(size // BLOCK)"),
        (lambda n, p: n * p["warps"], "(size * warps)"),
        (lambda n: 64, "64"),
        (lambda n: np.float64(1.5) * n * np.int64(2), "((1.5 * size) * 2)"),
        (lambda n: np.prod((3, 4)), "12"),
        (np.int64(5), "5"),
        (4096, "4096"),
        ("8 * size", "8 * size"),
    ],
)
def test_bytes_become_a_text(given, text):
    assert quantity("bytes", given, list(SPACE)) == text


def test_a_function_that_needs_the_value_of_the_size_asks_for_a_text():
    with pytest.raises(TypeError, match="write it as a text"):
        quantity("bytes", lambda n: n if n < MOST else 2 * n, list(SPACE))
    with pytest.raises(TypeError, match="write the restriction as a text"):
        condition(lambda size, warps: size > MOST and warps > 1, SPACE)


def test_an_unknown_parameter_is_named():
    with pytest.raises(TypeError, match=r"`threads`, which is no parameter.*BLOCK, warps"):
        condition(lambda threads, BLOCK: threads < BLOCK, SPACE)
