"""Samples of grids: every pair is there, in few cases, and the same ones each time."""

from itertools import product

import pytest
from pairwise import grid, pairs_of, sampled


def covered(cases):
    return set().union(*(pairs_of(*case) for case in cases))


@pytest.mark.parametrize(
    "axes",
    [
        [range(3), range(3), range(3)],
        [range(7), "abcdef", [True, False], range(3)],
        [range(23), range(7)],
        [[1], [2], range(4)],
        [range(5)],
    ],
)
def test_every_pair_is_covered(axes):
    cases = list(product(*axes))
    sample = sampled(cases)
    assert covered(sample) == covered(cases)
    assert set(sample) <= set(cases)
    assert len(sample) == len(set(sample))


def test_a_sample_is_hardly_larger_than_the_two_longest_axes():
    assert 70 <= len(sampled(product(range(10), range(7), range(6), range(5)))) <= 90


def test_cases_may_say_what_they_cover():
    cases = list(product(range(100), range(100)))
    sample = sampled(cases, lambda one, other: {("tens", one // 10), ("ones", other % 10)})
    assert len(sample) == 10
    assert {one // 10 for one, _ in sample} == {other % 10 for _, other in sample} == set(range(10))


def test_what_is_not_in_the_sample_is_slow():
    cases = list(product(range(4), repeat=3))
    params = grid(cases + cases)
    always = [param.values for param in params if not param.marks]
    assert [param.values for param in params] == cases
    assert sorted(always) == sorted(sampled(cases))
    assert len(always) < len(cases) / 2
