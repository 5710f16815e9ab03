"""What is read from a kernel's source, and what becomes of functions and sizes."""

from math import ceil  # used by the expressions that are evaluated

import numpy as np
import pytest

from autobench._kernel import Kernel
from autobench._kernel_asked import block_names
from autobench._kernel_document import _launch, _restrictions
from autobench._kernel_source import read_source
from autobench._kernel_text import sources
from autobench._tables import condition, table

SPACE = {"block_size_x": [32, 64, 128], "tile": [1, 2, 3], "kind": ["a", "b"]}


def kernel(**given):
    usual = {
        "name": "k",
        "source": "__global__ void k(float *c) { c[0] = 1; }",
        "problem_size": 1000,
        "arguments": [np.zeros(8, np.float32)],
        "parameters": SPACE,
        "device": "cpu",
    }
    whole = usual | given
    return Kernel(**whole, block_names=block_names(None, whole["parameters"]))


def text_of(asked):
    return sources(asked)[0]["text"]


def evaluated(expression, configuration):
    return eval(expression, {"ceil": ceil}, configuration)


@pytest.mark.parametrize(
    ("body", "written", "unknown"),
    [
        ("c[i] = a[i] + b[i];", "c", ""),
        ("c[i] += a[i]; b[i]++;", "bc", ""),
        ("c[i] = a[b[i]] == 2;", "c", ""),
        ("float *p = a; p[i] = b[i]; c[i] = 0;", "c", "a"),
        ("atomicAdd(&c[0], a[i] && b[i]);", "", "c"),
        ("c[i].x = a[i].x <= b[i].y;", "c", ""),
        ("// b[i] = 1\n c[i] = a[i] * b[i]; /* a[i] = 1 */", "c", ""),
        ("f(a, i); *c = b[i];", "", "ac"),
        ("c[i] >>= t.a + b[i] - a[i];", "c", ""),
    ],
)
def test_what_a_kernel_does_with_arrays_is_found(body, written, unknown):
    text = f"__global__ void k(float *c, float *a, float *b, int n) {{ int i = 0; {body} }}"
    found = read_source(text).arguments("k", 4)
    assert [one.name for one in found] == ["c", "a", "b", "n"]
    assert {one.name for one in found[:3] if one.use == "written"} == set(written)
    assert {one.name for one in found[:3] if one.use == "unknown"} == set(unknown)


def test_constant_pointers_are_inputs_and_unread_signatures_are_not():
    head = "k(const float *const __restrict__ a, float *const b)"
    text = f"template<int n> __global__ void {head} {{ f(a, b); }}"
    found = read_source(text).arguments("k<4>", 2)
    assert [(one.name, one.use) for one in found] == [("a", "read"), ("b", "unknown")]
    assert [one.use for one in read_source(text).arguments("k", 3)] == ["unknown"] * 3


def test_files_and_what_they_include_are_read(tmp_path):
    (tmp_path / "k.cu").write_text('#include "k.h"\n#include <stdio.h>\n')
    (tmp_path / "k.h").write_text('#include "other.h"\n#include "absent.h"\n')
    (tmp_path / "other.h").write_text("// nothing\n")
    found = read_source(tmp_path / "k.cu")
    assert sorted(found.files) == ["k.h", "other.h"]
    with pytest.raises(FileNotFoundError, match=r"`absent\.cu` is not here"):
        read_source("absent.cu")


@pytest.mark.parametrize(
    ("problem_size", "divisors"),
    [
        (1000, (None, None, None)),
        ((1000, 77), (["block_size_x", "tile"], ["tile"], None)),
        ("block_size_x * 10", ([], None, None)),
        (("tile", 5), (["block_size_x / 3"], [2, "tile"], None)),
        (lambda p: (p["tile"] * 100, 3), (lambda p: p["block_size_x"] / 3, None, None)),
        (lambda p: 100 if p["kind"] == "a" else 1, (["tile", lambda p: p["tile"]], None, None)),
        (np.int64(1000), (7, None, None)),
    ],
)
def test_grids_are_those_of_kernel_tuner(problem_size, divisors):
    """Its rule: texts are evaluated and cut to whole numbers, the product divides, as floats."""
    asked = kernel(problem_size=problem_size, grid_divisors=divisors)

    def number(of, p):
        return of(p) if callable(of) else int(eval(of, {}, p)) if isinstance(of, str) else of

    for x in SPACE["block_size_x"]:
        for tile in SPACE["tile"]:
            p = {"block_size_x": x, "tile": tile, "kind": "b"}
            sizes = problem_size(p) if callable(problem_size) else problem_size
            sizes = sizes if isinstance(sizes, tuple) else (sizes,)
            for axis in range(3):
                extent = number(sizes[axis], p) if axis < len(sizes) else 1
                by = divisors[axis]
                if by is None:
                    by = ["block_size_x"] if axis == 0 else []
                product = 1
                for one in by if isinstance(by, list) else [by]:
                    product *= number(one, p)
                expected = int(np.ceil(float(extent) / float(product)))
                assert evaluated(asked.grid(axis), p) == expected, (axis, p)


def test_functions_become_expressions_or_tables():
    def odd(p):
        names = [p["kind"]] * p["tile"]
        return len("".join(names)) % 2 == 1

    assert condition(odd, SPACE) == "[tile, kind] not in [[2, 'a'], [2, 'b']]"
    assert condition(lambda block_size_x, tile: any([block_size_x > 1, tile]), SPACE) == "True"
    expression = table(lambda p: f"{p['kind']}{p['tile']}", SPACE)
    for tile in SPACE["tile"]:
        for kind in SPACE["kind"]:
            assert evaluated(expression, {"tile": tile, "kind": kind}) == f"{kind}{tile}"


def test_functions_of_too_much_say_what_to_do():
    many = {f"p{at}": list(range(10)) for at in range(6)}
    with pytest.raises(NotImplementedError, match="write it as a text"):
        condition(lambda p: sum(list(p.values())) > 3, many)
    with pytest.raises(NotImplementedError, match="write it as a text"):
        table(lambda p: p["long"], {"long": list(range(200))})


def test_macros_are_those_of_kernel_tuner():
    source = "__global__ void k(float *c) { c[grid_size_x] = block_size_y * kernel_tuner; }"
    text = text_of(kernel(source=source))
    assert "#define kernel_tuner 1\n" in text
    assert "#define grid_size_x {{ ceil((1000) / (block_size_x)) }}\n" in text
    assert "#define block_size_y 1\n" in text


def test_words_of_expressions_may_be_parameters():
    asked = kernel(parameters={"block_size_x": [32], "size": [1, 2]}, restrictions=["size < 2"])
    assert "#define size {{ tuned_size }}\n" in text_of(asked)
    assert _restrictions(asked)[0] == "tuned_size < 2"
    assert asked.named({"block_size_x": 32, "tuned_size": 1}) == {"block_size_x": 32, "size": 1}


def test_with_defines_nothing_else_is_a_macro():
    defines = {"width": "tile * 2", "type": lambda p: "float" if p["tile"] > 1 else "double"}
    asked = kernel(name="k<block_size_x>", defines=defines)
    text = text_of(asked)
    assert text.startswith("#define width {{ tuned_tile }} * 2\n#define type {{ ")
    assert "kernel_tuner" not in text
    assert _launch(asked)["entry"] == "k<tuned_block_size_x>"
    assert _launch(asked)["block"] == ["tuned_block_size_x", "1", "1"]


def test_a_factor_of_unrolling_is_a_number_and_0_is_none():
    source = "#pragma unroll loop_unroll_factor_n\nfor (;;) {}\n"
    asked = kernel(source=source, parameters={"loop_unroll_factor_n": [0, 2]})
    text = text_of(asked)
    assert "{{ ['', '#pragma unroll 2'][(loop_unroll_factor_n == 2) * 1] }}\nfor" in text


def test_block_names_are_found_in_any_case():
    assert block_names(None, {"BLOCK_SIZE_X": []}) == [
        "BLOCK_SIZE_X",
        "block_size_y",
        "block_size_z",
    ]
    assert block_names(["n"], {"n": []}) == ["n", "block_size_y", "block_size_z"]
