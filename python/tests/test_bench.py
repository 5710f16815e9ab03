"""`do_bench` and `knee`: the signatures, units and values of the functions that they replace."""

import inspect
import math
import time

import pytest

import autobench as ab
from autobench._bench import _interval, _quantile


def work():
    time.sleep(0.001)


def test_the_signature_is_that_of_triton():
    found = inspect.signature(ab.do_bench).parameters
    defaults = {name: parameter.default for name, parameter in found.items()}
    assert defaults == {
        "fn": inspect.Parameter.empty,
        "warmup": 25,
        "rep": 100,
        "grad_to_none": None,
        "quantiles": None,
        "return_mode": "mean",
    }


@pytest.mark.parametrize("mode", ["mean", "median", "min", "max"])
def test_a_summary_is_milliseconds(mode):
    assert 1 <= ab.do_bench(work, warmup=1, rep=5, return_mode=mode) < 1000


def test_quantiles_are_a_list_and_one_is_a_number():
    found = ab.do_bench(work, warmup=1, rep=5, quantiles=(0.5, 0.2, 0.8))
    assert found[1] <= found[0] <= found[2]
    assert isinstance(ab.do_bench(work, warmup=1, rep=5, quantiles=[0.5]), float)


def test_all_times_and_an_interval_of_their_median():
    assert all(each >= 1 for each in ab.do_bench(work, warmup=1, rep=5, return_mode="all"))
    found = ab.do_bench(work, warmup=1, rep=5, return_mode="interval")
    assert found.low <= found.median <= found.high


def test_gradients_are_dropped_before_each_run():
    class Tensor:
        grad = 1

    tensor = Tensor()
    ab.do_bench(work, warmup=1, rep=1, grad_to_none=iter([tensor]))
    assert tensor.grad is None


def test_an_unknown_mode_is_refused():
    with pytest.raises(ValueError, match="no return mode named `medium`"):
        ab.do_bench(work, return_mode="medium")


@pytest.mark.parametrize(
    ("count", "first"), [(1, 1), (5, 1), (6, 1), (20, 6), (100, 40), (2000, 956)]
)
def test_the_interval_is_of_the_ranks_that_enclose_the_median(count, first):
    """Ranks after the binomial distribution; those of 20 and 100 stand in textbooks."""
    found = _interval([float(rank) for rank in range(1, count + 1)])
    assert (found.low, found.high) == (first, count + 1 - first)
    if count >= 6:
        below = sum(math.comb(count, k) for k in range(first)) / 2**count
        assert below <= 0.025 < below + math.comb(count, first) / 2**count


def test_quantiles_are_interpolated():
    assert _quantile([1.0, 2.0, 4.0], 0.25) == 1.5
    assert _quantile([1.0, 2.0, 4.0], 1) == 4.0
    with pytest.raises(ValueError, match="from 0 to 1"):
        _quantile([1.0], 1.5)


def test_callables_in_turn_have_a_median_each():
    order = []
    found = ab.do_bench_in_turn(
        [lambda: order.append("a"), lambda: order.append("b")], repeat=3, desc="two"
    )
    assert order == ["a", "b"] * 4
    assert len(found) == 2
    assert all(each > 0 for each in found)


def test_a_knee_is_that_of_the_program():
    sizes = [2**power for power in range(4, 26)]
    found = ab.knee(sizes, [100 * n / (n + 5e4) for n in sizes])
    assert (found.x, found.confidence, found.detector) == (524288, "settled", "kneedle")
    low, high = found.interval
    assert low < found.x < high
    assert 0.9 < found.share < 0.92


def test_a_curve_without_a_knee_says_why():
    found = ab.knee([1, 2], [1, 1])
    assert (found.x, found.interval, found.confidence) == (None, None, "none")
    assert "three" in found.why


def test_a_wrong_curve_or_detector_is_refused():
    with pytest.raises(ValueError, match="one y for each x"):
        ab.knee([1, 2, 3], [1])
    with pytest.raises(ValueError, match=r"point 1 is \(2.0, nan\)"):
        ab.knee([1, 2, 3], [1, float("nan"), 3])
    with pytest.raises(ValueError, match="no detector named `foo`"):
        ab.knee([1, 2, 3], [1, 2, 3], detector="foo")
