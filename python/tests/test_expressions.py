"""Functions become the texts of expressions."""

import math
import sys

import pytest

from autobench._expressions import quantity, restriction

NAMES = ["BLOCK", "warps"]
MOST = 1024


def small(p):
    """At most `MOST` threads."""
    return p["BLOCK"] * p["warps"] <= MOST and p["warps"] in (1, 2)


def loop(BLOCK):
    for _ in range(3):
        BLOCK += 1
    return BLOCK if BLOCK > 3 else 1


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (lambda BLOCK, warps: BLOCK * warps <= 1024, "((BLOCK * warps) <= 1024)"),
        (lambda p: p["BLOCK"] % p["warps"] == 0, "((BLOCK % warps) == 0)"),
        (lambda warps: 2**warps < 8, "((2 ** warps) < 8)"),
        (lambda warps: -warps < abs(warps), "((-warps) < abs(warps))"),
        (lambda warps, size: size % warps == 0, "((size % warps) == 0)"),
        (lambda BLOCK: 32 <= BLOCK < MOST, "32 <= BLOCK < 1024"),
        (lambda BLOCK, warps: BLOCK == 1 or not warps > 2, "BLOCK == 1 or not warps > 2"),
        (lambda BLOCK: BLOCK in {32, 64}, "BLOCK in [32, 64]"),
        (lambda BLOCK, warps: max(BLOCK, warps) < math.sqrt(16), "max(BLOCK, warps) < sqrt(16)"),
        (
            lambda warps: warps if warps > 1 else math.pi,
            "warps if warps > 1 else 3.141592653589793",
        ),
        (small, "BLOCK * warps <= 1024 and warps in [1, 2]"),
        ("any text", "any text"),
    ],
)
def test_a_restriction_becomes_a_text(function, text):
    assert restriction(function, NAMES) == text


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (lambda n: 12 * n, "(12 * size)"),
        (lambda n, BLOCK: n // BLOCK, "(size // BLOCK)"),
        (lambda n, p: n * p["warps"], "(size * warps)"),
        (lambda n: n if n < MOST else 2 * n, "size if size < 1024 else 2 * size"),
        (lambda n: 64, "64"),
        (4096, "4096"),
        ("8 * size", "8 * size"),
    ],
)
def test_bytes_become_a_text(given, text):
    assert quantity("bytes", given, NAMES) == text


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (loop, "it is more than one `return`"),
        (lambda BLOCK: str(BLOCK).startswith("1") and True, "`str"),
        (lambda BLOCK: [one for one in (BLOCK,) if one] != [], "expressions have no"),
        (lambda p: p > 1 and p, "without a parameter's name"),
        (lambda p: p["BLOCK"] * len(p) > 4, "without a parameter's name"),
    ],
)
def test_what_is_no_expression_asks_for_a_text(function, why):
    with pytest.raises(TypeError, match="write it as a string") as refused:
        restriction(function, NAMES)
    assert why in str(refused.value)


def test_an_unknown_parameter_is_named():
    with pytest.raises(TypeError, match=r"`threads`, which is no parameter.*BLOCK, warps"):
        restriction(lambda threads, BLOCK: threads < BLOCK, NAMES)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python does not say which is which")
def test_two_lambdas_in_a_line_are_told_apart():
    both = [lambda warps: warps in (1, 2), lambda warps: warps in (3, 4)]
    assert [restriction(one, NAMES) for one in both] == ["warps in [1, 2]", "warps in [3, 4]"]


def test_a_function_without_source_is_refused():
    made = eval("lambda BLOCK: BLOCK in (1, 2)")
    with pytest.raises(TypeError, match="its source is unknown; write it as a string"):
        restriction(made, NAMES)
