"""Rank tables: every class of hands has its own key, and the value that the rule book gives it."""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations
from typing import Any

import naive
import numba
import numpy as np
import pytest
from naive import Category

from sim.kernels import ranks
from sim.kernels.ranks import (
    CLASS_SHIFT,
    LIMITS,
    RANK_KEYS,
    SPREAD,
    STEP,
    WILD,
    RankTables,
    cells_in_rows,
)

SIZES = range(1, 8)
CLASSES_OF_SEVEN = 76_155
"""Multisets of ranks and wild cards, as the design's third law names them."""


@cache
def classes(size: int) -> Any:
    """Return every class of hands of this size, as (n, 14) counts of ranks and wild cards."""
    counts = np.zeros((1, 14), np.int64)
    for symbol, limit in enumerate(LIMITS):
        more = np.repeat(counts, limit + 1, axis=0)
        more[:, symbol] = np.tile(np.arange(limit + 1), len(counts))
        counts = more[more.sum(1) <= size]
    return counts[counts.sum(1) == size]


def keys_of(size: int) -> Any:
    return classes(size) @ RANK_KEYS


def totals_of(size: int, tables: RankTables) -> Any:
    """Return a sum of words of every class, with no suit counted."""
    totals: Any = tables.starts[size] + keys_of(size).astype(np.uint64) * SPREAD
    return totals


def slots_of(size: int, tables: RankTables) -> Any:
    """Return where the strength of every class lies, found as the kernels find it."""
    rows, cells = cells_in_rows(totals_of(size, tables))
    return STEP * tables.offsets[rows].astype(np.int64) + cells


@pytest.mark.parametrize("size", SIZES)
def test_keys_tell_all_classes_apart(size: int) -> None:
    keys = keys_of(size)
    assert len(np.unique(keys)) == len(keys)
    assert size != 7 or len(keys) == CLASSES_OF_SEVEN


def test_hands_of_different_sizes_do_not_meet(tables: RankTables) -> None:
    slots = np.concatenate([slots_of(size, tables) for size in SIZES])
    assert len(np.unique(slots)) == len(slots)
    assert slots.min() >= 0
    assert slots.max() < len(tables.strengths)


def test_sums_tell_classes_of_all_sizes_apart(tables: RankTables) -> None:
    """By what lies above the suit counters, as expected strength needs it."""
    classes = np.concatenate([totals_of(size, tables) >> CLASS_SHIFT for size in SIZES])
    assert len(np.unique(classes)) == len(classes)


def test_hands_of_seven_lie_close_together(tables: RankTables) -> None:
    """What a simulation looks up most should leave room in a second-level cache for all else."""
    slots = slots_of(7, tables)
    assert np.quantile(slots, 0.99) < 1.05 * CLASSES_OF_SEVEN
    assert len(tables.strengths) < 1.15 * sum(len(classes(size)) for size in SIZES)


@numba.njit
def strike_out(struck: Any, smaller: Any, larger: Any, times: int) -> None:
    """Strike out each key of which ``times`` bridge a smaller sum and a larger one, both sorted."""
    for small in smaller:
        for large in larger[np.searchsorted(larger, small) :]:
            bridge = large - small
            if bridge >= times * len(struck):
                break
            if times == 1 or bridge % times == 0:
                struck[bridge // times] = True


def sums_of(symbols: int, size: int) -> Any:
    """Return the sums of ``size`` cards of the first ``symbols`` ranks."""
    counts = classes(size)
    return np.unique(counts[(counts[:, symbols:] == 0).all(1)][:, :symbols] @ RANK_KEYS[:symbols])


@pytest.mark.parametrize("symbol", range(1, 14))
def test_each_key_is_the_smallest_that_does(symbol: int) -> None:
    """A key fails when hands of seven that differ by some cards of it add up to the same."""
    struck = np.zeros(RANK_KEYS[symbol] + 1, np.bool_)
    struck[: RANK_KEYS[symbol - 1] + 1] = True
    sums = [sums_of(symbol, size) for size in range(8)]
    for few in range(LIMITS[symbol] + 1):
        for many in range(few + 1, LIMITS[symbol] + 1):
            strike_out(struck, sums[7 - many], sums[7 - few], many - few)
    assert np.flatnonzero(~struck)[0] == RANK_KEYS[symbol]


def packed(value: naive.Value) -> int:
    """Return a value as the tables keep it."""
    total = value[0]
    for rank in value[1:]:
        total = total * 16 + rank + 1
    return total


def smaller_hands(counts: Sequence[int]) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield (natural ranks, wild cards) of every choice of five cards, or of all if fewer."""
    naturals = [rank for rank in range(13) for _ in range(counts[rank])]
    size = min(5, len(naturals) + counts[WILD])
    for wild in range(min(size, counts[WILD]) + 1):
        if size - wild <= len(naturals):
            for chosen in set(combinations(naturals, size - wild)):
                yield chosen, wild


@pytest.mark.parametrize("size", SIZES)
def test_every_class_has_the_value_of_the_rule_book(size: int, tables: RankTables) -> None:
    """All classes of one to seven cards, when suits do not help: a proof, not a sample."""
    values = tables.values[tables.strengths[slots_of(size, tables)]]
    for counts, value in zip(classes(size).tolist(), values.tolist(), strict=True):
        best = max(naive.best_named(*hand, False, False) for hand in smaller_hands(counts))
        assert value == packed(best), counts


@pytest.mark.parametrize("repeats", [False, True])
@pytest.mark.parametrize("wild", range(8))
def test_every_flush_has_the_value_of_the_rule_book(
    wild: int, repeats: bool, tables: RankTables
) -> None:
    """All sets of natural cards of one suit with so many wild cards: five to seven in all."""
    for held in range(max(0, 5 - wild), 8 - wild):
        for naturals in combinations(range(13), held):
            slot = (repeats * 8 + wild) * 8192 + sum(1 << rank for rank in naturals)
            best = max(
                naive.best_named(chosen, used, True, repeats)
                for used in range(min(5, wild) + 1)
                for chosen in combinations(naturals, 5 - used)
            )
            value = tables.values[tables.flushes[slot]]
            # Better hands than a flush of these cards need no suit: the ranks alone say so.
            suited = best[0] in (Category.FLUSH, Category.STRAIGHT_FLUSH, Category.ROYAL_FLUSH)
            assert value == packed(best) if suited else value < packed(best), naturals


def test_strengths_are_in_the_order_of_values(tables: RankTables) -> None:
    assert (np.diff(tables.values) > 0).all()
    assert tables.values[0] == 0
    assert (tables.categories == tables.values >> 20).all()
    assert tables.categories.max() == Category.FIVE_OF_A_KIND
    assert len(tables.values) < 2**16


def test_categories_are_named_in_order() -> None:
    names = [kind.name.lower().replace("_", " ") for kind in Category]
    named = {"trips": "three of a kind", "quads": "four of a kind"}
    assert [named.get(name, name) for name in names] == list(ranks.CATEGORIES)


@pytest.mark.slow
def test_shipped_tables_are_those_that_are_built(tables: RankTables) -> None:
    built = ranks.build()
    for field in RankTables._fields:
        shipped, made = getattr(tables, field), getattr(built, field)
        assert shipped.dtype == made.dtype, field
        np.testing.assert_array_equal(shipped, made, err_msg=field)


def test_the_value_scale_is_readable(tables: RankTables) -> None:
    """Packed values say what they are: category, then five ranks from deuce = 1, 0 for none."""
    for value in tables.values[1:].tolist():
        nibbles = [value >> shift & 15 for shift in (16, 12, 8, 4, 0)]
        assert 0 <= value >> 20 <= 10
        assert all(nibble <= 13 for nibble in nibbles)
