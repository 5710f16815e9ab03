"""Copies, comparison and elements of arrays."""

import os
import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pytest

from autobench import _arrays, _outputs
from autobench._data import Data, copies


class Foreign:
    """An array of an unknown package."""

    def __init__(self, values):
        self.values = np.array(values)
        self.nbytes = self.values.nbytes
        self.__array_interface__ = self.values.__array_interface__


def test_a_copy_has_the_same_strides_and_content():
    whole = np.arange(24.0).reshape(4, 6)
    for part in (whole, whole.T, whole[::2, 1:], whole[::-1], whole[:, 2], np.array(3.0)):
        (copy,) = _arrays.deep_copy([part])
        assert copy.strides == part.strides
        assert np.array_equal(copy, part)
        assert not np.shares_memory(copy, part)


ON_A_GPU = """
import numpy as np
from numba import cuda
from autobench import _arrays, _gpu_clocks, _outputs

@cuda.jit
def add(x, out):
    at = cuda.grid(1)
    if at < x.size:
        out[at] = x[at] + 1

given = (cuda.to_device(np.arange(8.0)), cuda.to_device(np.zeros(8)))
ring = _arrays.deep_copy(given)
outputs = _outputs.find(lambda arguments: add[1, 8](*arguments), ring, given, add, 1)
assert outputs.changed == outputs.written == (1,), outputs
assert _arrays.elements(ring[1], None).tolist() == [1, 2, 3, 4, 5, 6, 7, 8]
assert _arrays.elements(given[1], None).tolist() == [0] * 8
assert _gpu_clocks.clock_for(ring).seconds(lambda: add[1, 8](*ring)) >= 0
"""


def test_arrays_of_numba_are_copied_on_its_simulated_gpu():
    if find_spec("numba") is None:  # Imported here, it would change what other tests see.
        pytest.skip("there is no numba")
    environment = {
        **os.environ,
        "NUMBA_ENABLE_CUDASIM": "1",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    subprocess.run([sys.executable, "-W", "ignore", "-c", ON_A_GPU], env=environment, check=True)


def test_an_array_that_is_given_twice_stays_one():
    array = np.ones(3)
    first, second, number = _arrays.deep_copy([array, array, 7])
    assert first is second
    assert number == 7


def test_parts_of_an_array_have_its_owner():
    of = _arrays.known(np.ones(1))
    whole = np.ones(8)
    assert of.owner(whole[:3]) == of.owner(whole[4:][1:].reshape(1, 3)) == of.owner(whole)
    assert of.owner(whole.copy()) != of.owner(whole)


def test_poison_is_not_a_number_or_the_first_element():
    floats, indices = np.ones(3, np.float32), np.array([5, 1, 2])
    _arrays.poison(floats)
    _arrays.poison(indices)
    assert np.isnan(floats).all()
    assert indices.tolist() == [5, 5, 5]


def test_not_a_number_does_not_differ_from_itself():
    array = np.array([1.0, np.nan])
    assert not _arrays.differs(array, array.copy())
    assert _arrays.differs(array, np.array([1.0, 2.0]))


def test_elements_are_taken_by_flat_index():
    array = np.arange(6, dtype=np.int8).reshape(2, 3)
    assert _arrays.elements(array, np.array([0, 5])).tolist() == [0.0, 5.0]
    assert _arrays.elements(np.array([1 + 2j]), None).tolist() == [1.0, 2.0]
    assert _arrays.elements(2.5, None).tolist() == [2.5]


def test_arrays_of_unknown_packages_are_used_as_they_are():
    array = Foreign([1.0, 2.0])
    assert _arrays.family(array) is _arrays.FOREIGN
    assert not _arrays.can_be_copied([array, np.ones(1)])
    assert _arrays.deep_copy([array])[0] is array
    assert _arrays.elements(array, None).tolist() == [1.0, 2.0]
    assert _arrays.total_bytes([array, 3]) == 16


def test_numbers_and_texts_are_no_arrays():
    assert [_arrays.family(one) for one in (1, 2.0, np.float32(3), "x", None)] == [None] * 5


@pytest.mark.parametrize(
    ("one", "wanted", "count"), [(10, 0, 1), (10, 10, 1), (10, 25, 3), (0, 10, 1), (50, 25, 1)]
)
def test_copies_are_together_as_large_as_is_wanted(one, wanted, count):
    assert copies(one, wanted) == count


def test_runs_go_round_over_copies():
    data = Data([np.zeros(2), 1], wanted=48)

    def kernel(array, step):
        array += step

    data.runner(kernel, {}, 2)()
    data.runner(kernel, {}, 2)()
    assert [arguments[0][0] for arguments in data.ring] == [2, 1, 1]
    assert data.first()[0].tolist() == [0, 0]
    assert data.footprint == 4 * 16


def test_few_elements_are_compared_whole_and_many_at_both_ends_and_between():
    assert _outputs.spread(4096, thorough=False) is None
    indices = _outputs.spread(10**6, thorough=False)
    assert indices is not None
    assert len(indices) <= _outputs.FEW
    assert {0, 63, 10**6 - 1} <= set(indices.tolist())
    assert np.array_equal(indices, _outputs.spread(10**6, thorough=False))
