"""The first and the largest size, and the bytes of each."""

import numpy as np
import pytest

from autobench._sizes import PROBED_BYTES, Unsized, find

X = np.ones(100_000, np.float32)


def test_the_end_of_finished_arrays_is_the_largest_size():
    sizes = find(lambda n: (X[:n], X[:n]), None)
    assert sizes.largest == len(X)
    assert sizes.start == 2048
    assert [sizes.bytes(n) for n in (16, 3000, len(X))] == [128, 24_000, 800_000]


def test_the_end_is_found_too_where_slices_are_copied_or_cannot_be_reshaped():
    assert find(lambda n: (X[:n] + 1,), None).largest == len(X)
    squares = find(lambda n: (X[: n * n].reshape(n, n),), None)
    assert squares.largest == 316
    assert squares.bytes(100) == 40_000


def test_an_array_that_is_longer_does_not_count():
    sizes = find(lambda n: (X[:n], np.empty(2 * n)), None)
    assert sizes.largest == len(X)


def test_arrays_that_are_made_have_no_largest_size_and_grow_by_powers():
    sizes = find(lambda n: (np.empty((n, n), np.float32), np.empty(7)), None)
    assert sizes.largest is None
    made = max(n for n, _ in sizes.points)
    assert 4 * made**2 < 2 * 4 * PROBED_BYTES
    assert sizes.bytes(64 * made) == pytest.approx(4 * (64 * made) ** 2, rel=0.01)


def test_halves_of_an_array_that_was_made_are_no_parts_of_a_finished_one():
    asked = []

    def make(n):
        asked.append(n)
        both = np.empty((2, n))
        return both[0], both[1]

    assert find(make, None).largest is None
    assert 16 * max(asked) <= 2 * PROBED_BYTES


def test_sizes_that_are_given_count():
    sizes = find(lambda n: (X[:n],), (100, 5000))
    assert (sizes.start, sizes.largest) == (100, 5000)
    assert sizes.bytes(300) == 1200


@pytest.mark.parametrize(
    ("make", "given", "why"),
    [
        (lambda n: (X[:n],), (100, 200_000), "end at size 100000, but sizes go to 200000"),
        (lambda n: (X,), None, "gives as many bytes as"),
        (lambda n: (n,), None, "gives no arrays"),
    ],
)
def test_what_has_no_sizes_is_refused(make, given, why):
    with pytest.raises(Unsized, match=why):
        find(make, given)


def test_the_only_size_must_have_arrays_that_are_long_enough():
    assert find(lambda n: (X[:n], X), (len(X), len(X))).bytes(len(X)) == 800_000
    assert find(lambda n: (X[: 128 * -(-n // 128)],), (1001, 1001)).bytes(1001) == 4096
    for size in (len(X) + 20_000, 3 * len(X), 100 * len(X)):
        with pytest.raises(Unsized, match=f"end below size {size}"):
            find(lambda n: (X[:n],), (size, size))


def test_arguments_without_arrays_need_given_sizes():
    sizes = find(lambda n: (n,), (1, 10))
    assert (sizes.start, sizes.largest, sizes.bytes(5)) == (1, 10, 0)
