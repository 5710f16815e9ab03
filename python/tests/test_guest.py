"""What a guest answers about a kernel."""

import gc
import json

import numpy as np
import pytest

from autobench._clock import ProcessorClock
from autobench._description import describe
from autobench._guest import Guest

X = np.arange(1, 100_001, dtype=np.float32)


def add(x, y, out, BLOCK):
    if BLOCK == 13:
        raise ValueError("13 is unlucky\nand more")
    if BLOCK == 14:
        raise RuntimeError("nothing works")
    np.add(x, y, out=out)
    if BLOCK == 15:
        out[5] = np.nan
    if BLOCK == 16:
        out[:2] = 0


def product(x, BLOCK):
    return (x if BLOCK > 1 else x[1:]) * 2, x.sum()


def increase(x, BLOCK):
    """Changes its input."""
    x += 1


def split(x, out, BLOCK):
    """Writes its output, or adds to what is there."""
    if BLOCK == 1:
        out[:] = x
    else:
        out += x


def nothing(x, out, BLOCK):
    """Neither returns nor changes anything."""


def guest(kernel=add, arguments=lambda n: (X[:n], X[:n], np.empty(n, np.float32)), **given):
    given = {"reference": lambda x, y, out: x + y, **given}
    space = {"BLOCK": [1, 2, 13, 14, 15, 16]}
    return Guest(describe(kernel, space=space, arguments=arguments, **given))


def ask(one, request, **fields):
    return json.loads(one.answer(json.dumps({"request": request, **fields}).encode()))


def opened(one, block=2, size=100, cold=False):
    assert "bytes" in ask(one, "open", size=size, cold=cold)
    return ask(one, "compile", kernel=1, size=size, configuration={"BLOCK": block})


def checked(one, thorough=False):
    return ask(one, "check", kernel=1, seed=1, thorough=thorough)


def test_sizes_may_be_numbers_of_numpy():
    said = ask(guest(sizes=(np.int64(64), np.int32(128))), "describe", protocol=1)
    assert said["benchmark"]["size"] == {"start": 64, "meaning": "n", "largest": 128}


def test_a_description_has_what_the_protocol_asks_for():
    said = ask(guest(bytes=lambda n: 12 * n, max_error=1e-5), "describe", protocol=1)
    benchmark, device = said["benchmark"], said["device"]
    assert said["protocol"] == 1
    assert benchmark["name"] == "add"
    assert benchmark["size"] == {"start": 2048, "meaning": "n", "largest": 100_000}
    assert benchmark["bytes"] == "(12 * size)"
    assert benchmark["metrics"][0]["unit"] == "GB/s"
    assert benchmark["error"] == {"metric": "nrmse", "bound": 1e-5}
    assert benchmark["parameters"][0]["default"] == 1
    assert "def add" in benchmark["sources"][0]["text"]
    assert device["backend"] == "cpu"
    total, free = device["memory"]
    assert 0 < free <= total
    assert all(seconds >= 0 for seconds in device["timer"])


def test_a_kernel_that_changes_an_argument_is_checked_run_and_timed():
    one = guest()
    assert opened(one) == {}
    (output,) = checked(one)["outputs"]
    assert output["name"] == "out"
    assert output["found"] == output["expected"] == [2.0 * (i + 1) for i in range(100)]
    assert ask(one, "sample", kernel=1, runs=3)["seconds"] > 0
    assert ask(one, "close", kernel=1) == {}
    assert ask(one, "close", size=100) == {}
    assert one.kernels == one.sizes == {}


def test_large_outputs_are_checked_in_part_and_thoroughly_whole():
    one = guest()
    opened(one, size=50_000)
    (output,) = checked(one)["outputs"]
    assert len(output["found"]) == len(output["indices"]) <= 4096
    assert output["expected"] == [2.0 * (i + 1) for i in output["indices"]]
    (output,) = checked(one, thorough=True)["outputs"]
    assert len(output["found"]) == 50_000
    assert "indices" not in output


def test_what_is_returned_is_an_output():
    one = guest(product, lambda n: (X[:n],), reference=lambda x: (x * 2, x.sum()))
    opened(one)
    first, second = checked(one)["outputs"]
    assert (first["name"], second["name"]) == ("result_0", "result_1")
    assert second["found"] == [5050.0]


def test_an_output_of_another_length_is_wrong():
    one = guest(product, lambda n: (X[:n],), reference=lambda x: (x * 2, x.sum()))
    opened(one)
    checked(one)
    opened(one, block=1)
    assert checked(one) == {
        "fault": "wrong",
        "reason": "`result_0` has 99 elements, and that of `reference` 100",
    }


def test_an_input_that_is_changed_begins_each_check_as_it_was():
    whole = np.ones(1000)
    one = guest(increase, lambda n: (whole[:n],), reference=lambda x: x + 1)
    opened(one)
    for _ in range(3):
        (output,) = checked(one)["outputs"]
        assert output["found"] == output["expected"] == [2.0] * 100
        ask(one, "sample", kernel=1, runs=2)
    assert whole.max() == 1


def test_what_an_output_held_before_counts_for_nothing():
    right = np.empty(1000, np.float32)
    add(X[:1000], X[:1000], right, 1)
    one = guest(arguments=lambda n: (X[:n], X[:n], right[:n]))
    opened(one)
    (output,) = checked(one)["outputs"]
    assert output["name"] == "out"
    one.description.__dict__["kernel"] = lambda x, y, out, BLOCK: None
    (output,) = checked(one)["outputs"]
    assert output["found"] == [None] * 100


def test_a_configuration_may_add_to_an_output_that_others_write():
    one = guest(split, lambda n: (X[:n], np.zeros(n, np.float32)), reference=lambda x, out: x)
    for block in (1, 2):
        opened(one, block)
        (output,) = checked(one)["outputs"]
        assert output["found"] == output["expected"]


def test_a_kernel_without_outputs_is_told_to_return_them():
    one = guest(nothing, lambda n: (X[:n], np.zeros(n)), reference=lambda x, out: x)
    assert opened(one) == {}
    said = checked(one)
    assert said["fault"] == "wrong"
    assert "changed none of its arguments" in said["reason"]
    assert "return the outputs" in said["reason"]


def test_exceptions_are_faults_with_the_last_line_and_the_place():
    one = guest()
    assert opened(one, block=13) == {}
    said = checked(one)
    assert said["fault"] == "invalid"
    assert said["reason"].startswith("ValueError: 13 is unlucky (test_guest.py, line ")
    assert opened(one, block=14) == {}
    said = checked(one)
    assert said["fault"] == "run"
    assert said["reason"].startswith("RuntimeError: nothing works")
    assert ask(one, "sample", kernel=1, runs=1) == said


def test_where_kernels_compile_when_called_the_first_call_is_the_compiler_s(monkeypatch):
    monkeypatch.setattr("autobench._device.compiles_when_called", lambda: True)
    one = guest()
    said = opened(one, block=13)
    assert said["fault"] == "invalid"
    assert said["reason"].startswith("ValueError: 13 is unlucky (test_guest.py, line ")
    assert opened(one, block=14) == {}
    said = checked(one)
    assert said["fault"] == "run"
    assert said["reason"].startswith("RuntimeError: nothing works")


def test_numbers_that_are_not_finite_are_null():
    one = guest()
    opened(one, block=15)
    assert checked(one)["outputs"][0]["found"][5] is None


def test_an_error_of_the_user_s_own_is_given_as_it_is():
    one = guest(error=lambda found, expected: np.abs(found - expected).max())
    opened(one, block=16)
    assert checked(one) == {"outputs": [], "errors": {"error": 4.0}}


def test_an_error_of_the_user_s_own_has_its_function_s_name():
    def Worst_Case(found, expected):
        return 0.0

    said = ask(guest(error=Worst_Case), "describe", protocol=1)
    assert said["benchmark"]["error"]["metric"] == "own_worst_case"


def test_long_samples_are_timed_in_parts():
    timed = []

    class Clock(ProcessorClock):
        def launching(self, function):
            return 0.02

        def seconds(self, function, launching=0.0):
            timed.append(launching)
            return 1.0

    one = guest()
    one.clock = Clock()
    opened(one)
    assert ask(one, "sample", kernel=1, runs=5)["seconds"] == 3
    assert timed == [0.04, 0.04, 0.02]


def test_without_a_reference_nothing_is_compared():
    one = guest(reference=None)
    opened(one)
    assert checked(one) == {"outputs": []}


def test_cold_data_are_copies_and_hot_data_one():
    one = guest()
    one.wanted = 10_000
    assert ask(one, "open", size=100, cold=True) == {"bytes": 1200 * (9 + 1)}
    assert ask(one, "open", size=200, cold=False) == {"bytes": 2400 * 2}
    assert ask(one, "footprint", size=100, configuration={}, cold=True) == {"bytes": 1200 * (9 + 3)}


def test_a_size_whose_arrays_are_too_short_is_refused():
    sizes = []
    one = guest(arguments=lambda n: sizes.append(n) or (X[:n], X[:n], np.empty(min(n, 64))))
    one.description.sizes.__dict__["points"] = ((16, 192), (32, 384))
    said = ask(one, "open", size=100_000 * 4, cold=False)
    assert said["fault"] == "run"
    assert "give sizes=(start, largest)" in said["reason"]


def test_what_is_no_request_is_a_fault_and_the_guest_goes_on():
    one = guest()
    assert "fault" in json.loads(one.answer(b"not JSON\n"))
    assert "fault" in ask(one, "dance")
    assert "fault" in ask(one, "sample", kernel=9, runs=1)
    assert opened(one) == {}


def test_garbage_is_collected_again_after_a_sample():
    one = guest()
    opened(one)
    ask(one, "sample", kernel=1, runs=1)
    assert gc.isenabled()


def test_the_user_s_own_values_reach_the_kernel():
    seen = []

    def kernel(x, DTYPE, N):
        seen.append((DTYPE, N))
        return x

    space = {"DTYPE": ["f4"], "N": np.array([3, 4])}
    one = Guest(describe(kernel, space=space, arguments=lambda n: (X[:n],)))
    ask(one, "open", size=10, cold=False)
    ask(one, "compile", kernel=1, size=10, configuration={"DTYPE": "f4", "N": 4})
    ask(one, "sample", kernel=1, runs=1)
    assert seen == [("f4", 4)]
    assert isinstance(seen[0][1], np.integer)


@pytest.mark.parametrize(
    ("given", "error", "why"),
    [
        ({"space": {"BLOCK": []}}, ValueError, "`BLOCK` has no values"),
        ({"space": {"BLOCK": "abc"}}, TypeError, "needs a list of values"),
        ({"space": {"BLOCK": [None]}}, TypeError, "give a name"),
        ({"space": {"WARPS": [1]}}, TypeError, "and by name WARPS of `space`"),
        ({"space": {}}, TypeError, "and nothing of `space`"),
        ({"space": ["BLOCK"]}, TypeError, "`space` is a dict"),
        ({"restrict": 5}, TypeError, "a list of these, not 5"),
        ({"sizes": 4096}, TypeError, "the first and the largest size, not 4096"),
        ({"sizes": (0, 4096)}, ValueError, "at least 1, not 0"),
        ({"sizes": (4096, 64)}, ValueError, "the largest size, 64, is below the first"),
        ({"sizes": ("1k", "1k")}, TypeError, "a whole number, not '1k'"),
        ({"default": {"BLOCK": 7}}, ValueError, "none of its values"),
        ({"default": {"BLOK": 1}}, ValueError, "there are: BLOCK"),
        ({"max_error": "small"}, ValueError, "above 0, not 'small'"),
        ({"max_error": float("inf")}, ValueError, "a finite number above 0"),
        ({"space": {"BLOCK": [float("nan")]}}, ValueError, "is not finite"),
        ({"error": 5}, TypeError, "a metric's name or a function"),
        ({"arguments": (X, X, X)}, TypeError, "must be a function of the size"),
        ({"reference": X}, TypeError, "must be a function of the kernel's arguments"),
        ({"arguments": lambda n: ([X[:n]], X, X)}, TypeError, "list of arrays"),
        ({"reference": lambda x, y, out: None}, TypeError, "must return an array"),
        ({"reference": lambda x, y, out: 1 / 0}, ZeroDivisionError, "division"),
        ({"kernel": 3}, TypeError, "the kernel must be a function"),
        ({"bytes": True}, TypeError, "`bytes` is a text"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_runs(given, error, why):
    right = {
        "kernel": add,
        "space": {"BLOCK": [1, 2]},
        "arguments": lambda n: (X[:n], X[:n], np.empty(n, np.float32)),
    }
    with pytest.raises(error, match=why):
        describe(**{**right, **given})
