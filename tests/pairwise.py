"""Samples of grids: few of many cases, which hold every pair of what meets in all of them.

Most faults come of one thing or of two that meet (Kuhn, Wallace and Gallo 2004): the sample runs
always, the whole grid with the mark ``slow``.
"""

import random
from collections.abc import Callable, Hashable, Iterable
from heapq import heapify, heappop, heappush
from itertools import combinations_with_replacement
from typing import Any

import pytest

Case = tuple[Any, ...]
SEED = 20_240_613


def pairs_of(*values: Hashable) -> set[Hashable]:
    """Return all pairs of values with their columns; each with itself, too."""
    return set(combinations_with_replacement(enumerate(values), 2))


def sampled(cases: Iterable[Case], parts: Callable[..., set[Hashable]] = pairs_of) -> list[Case]:
    """Return some of the cases, with every part that any case has: all pairs, if not told else.

    Greedily: next comes who adds the most parts. A case's gain only ever falls, so that who is
    still best with its gain counted anew is best of all.
    """
    shuffled = list(cases)
    random.Random(SEED).shuffle(shuffled)  # noqa: S311 - which of equal ones comes first
    parts_of = [parts(*case) for case in shuffled]
    missing = set().union(*parts_of)
    best_first = [(-len(own), number) for number, own in enumerate(parts_of)]
    heapify(best_first)
    sample = []
    while missing:
        _, number = heappop(best_first)
        gain = len(parts_of[number] & missing)
        if best_first and gain < -best_first[0][0]:
            heappush(best_first, (-gain, number))
            continue
        sample.append(shuffled[number])
        missing -= parts_of[number]
    return sample


def grid(cases: Iterable[Case], parts: Callable[..., set[Hashable]] = pairs_of) -> list[Any]:
    """Return cases for ``parametrize``: a sample as it is, and the others marked ``slow``."""
    every = list(dict.fromkeys(cases))
    always = set(sampled(every, parts))
    return [pytest.param(*case, marks=() if case in always else pytest.mark.slow) for case in every]
