"""Evaluation: the kernel ranks every hand as the rule book does."""

import json
from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from typing import Any

import naive
import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import Category

from sim import cards
from sim.kernels.evaluate import card_words, rank_hand
from sim.kernels.fast import rank_array
from sim.kernels.ranks import RankTables

SPADES, DEUCES = cards.parse_set("spades"), cards.parse_set("deuces")
CENSUS = json.loads(Path(__file__).with_name("facts").joinpath("census.json").read_text("utf-8"))


@st.composite
def holdings(
    draw: st.DrawFn, sizes: range = range(1, 8), most_wild: int = 7
) -> tuple[list[int], int]:
    """Draw a hand, and a set of wild cards of which it may hold any number."""
    size = draw(st.sampled_from(sizes))
    deck = draw(
        st.sampled_from([range(52), range(0, 52, 4), range(3, 52, 4), range(20), range(36, 52)])
    )
    if len(deck) < size:
        deck = range(52)
    hand = draw(st.permutations(deck))[:size]
    wild = draw(
        st.one_of(
            st.sampled_from([0, SPADES, DEUCES, SPADES | DEUCES]),
            st.integers(0, size).map(lambda held: cards.mask_of(hand[:held])),
        )
    )
    held = [card for card in hand if wild >> card & 1]
    return hand, wild & ~cards.mask_of(held[most_wild:])


Pair = tuple[list[int], int]


@given(holding=holdings(), repeats=st.booleans())
@settings(max_examples=1000)
def test_kernel_ranks_as_the_rule_book_says(
    holding: Pair, repeats: bool, strengths: Callable, value_of_strength: Callable
) -> None:
    hand, wild = holding
    (strength,) = strengths([hand], wild, repeats)
    assert value_of_strength(int(strength)) == naive.best_hand(hand, wild, repeats)


@given(first=holdings(), second=holdings(), repeats=st.booleans())
@settings(max_examples=500)
def test_stronger_is_stronger(
    first: Pair, second: Pair, repeats: bool, strengths: Callable
) -> None:
    """One scale for all sizes and wild cards: numbers compare as the rule book's values do."""
    one, two = (int(strengths([hand], wild, repeats)[0]) for hand, wild in (first, second))
    here, there = (naive.best_hand(hand, wild, repeats) for hand, wild in (first, second))
    assert (one > two) == (here > there)
    assert (one == two) == (here == there)


@given(holding=holdings(range(1, 7), most_wild=2), repeats=st.booleans())
@settings(max_examples=60)
def test_the_reference_names_wild_cards_as_well_as_any_card(holding: Pair, repeats: bool) -> None:
    hand, wild = holding
    by_card = naive.best_hand_card_by_card(hand, wild, repeats)
    assert naive.best_hand(hand, wild, repeats) == by_card


@given(holding=holdings(range(3, 6)), repeats=st.booleans())
@settings(max_examples=8)
def test_the_reference_names_three_wild_cards_as_well(holding: Pair, repeats: bool) -> None:
    hand, _ = holding
    wild = cards.mask_of(hand[:3])
    by_card = naive.best_hand_card_by_card(hand, wild, repeats)
    assert naive.best_hand(hand, wild, repeats) == by_card


@given(holding=holdings(range(2, 8)), repeats=st.booleans())
def test_another_card_never_weakens_a_hand(
    holding: Pair, repeats: bool, strengths: Callable
) -> None:
    hand, wild = holding
    row = [int(strengths([hand[:size]], wild, repeats)[0]) for size in range(1, len(hand) + 1)]
    assert row == sorted(row)


@given(holding=holdings(), repeats=st.booleans(), data=st.data())
def test_order_and_names_of_suits_do_not_matter(
    holding: Pair, repeats: bool, data: st.DataObject, strengths: Callable
) -> None:
    """Suits of natural cards are exchanged; a wild card is the same wherever it comes from."""
    hand, wild = holding
    naturals = [card for card in hand if not wild >> card & 1]
    suits = data.draw(st.permutations(range(4)))
    renamed = [card - card % 4 + suits[card % 4] for card in naturals]
    others = [card for card in range(52) if card not in renamed]
    jokers = data.draw(st.permutations(others))[: len(hand) - len(naturals)]
    again = data.draw(st.permutations(renamed + jokers))
    assert strengths([hand], wild, repeats) == strengths([again], cards.mask_of(jokers), repeats)


EXAMPLES = [
    ("As 9d 9h 7s 9c 2s Qd", "spades", Category.FIVE_OF_A_KIND, "9"),
    ("As Ks 9s 2s Ah 2d 2c", "spades", Category.FIVE_OF_A_KIND, "A"),
    ("2s 3s 4s 5s 6s 7s 8s", "spades", Category.FIVE_OF_A_KIND, "A"),
    ("2s 3s 4s 5s 2d 2c Ah", "spades", Category.FIVE_OF_A_KIND, "A"),
    ("2s 3s 4s 5s 9h 2d 2c", "spades", Category.FIVE_OF_A_KIND, "9"),
    ("Ah Kh Qh Jh Th 9h 8h", "none", Category.ROYAL_FLUSH, "A"),
    ("2s 3s Qh Jh Th 2c 3d", "spades", Category.ROYAL_FLUSH, "A"),
    ("Ah 2h 3h 4h 5h Kh Qh", "none", Category.STRAIGHT_FLUSH, "5"),
    ("9h 2s 3s 6h 5h Kd Qc", "spades", Category.STRAIGHT_FLUSH, "9"),
    ("9h 9d 9c 2s Kd Qc 4c", "spades", Category.QUADS, "9K"),
    ("9h 9d 9c 9s Ad Ac As", "none", Category.QUADS, "9A"),
    ("9h 9d 9c Kd Kc Qd Qc", "none", Category.FULL_HOUSE, "9K"),
    ("9h 9d 2s Kd Kc Qd Qc", "spades", Category.FULL_HOUSE, "KQ"),
    ("Kh 9h 7h 5h 2s 2c 3d", "spades", Category.FLUSH, "AK975"),
    ("Ah Kh 7h 5h 2s 2c 3d", "spades", Category.FLUSH, "AKQ75"),
    ("Ah Qh 7h 5h 3h 2h Kd", "none", Category.FLUSH, "AQ753"),
    ("Ah 2d 3h 4c 5h Kd Kc", "none", Category.STRAIGHT, "5"),
    ("Ah 2d 3h 4c 6h 5d Kc", "none", Category.STRAIGHT, "6"),
    ("Kh 2d 3h 4c Ah Qd 9c", "none", Category.HIGH_CARD, "AKQ94"),
    ("Ah 2s 3h 4c 5h Kd 9c", "spades", Category.STRAIGHT, "5"),
    ("Ah 2s 3h 4c 5h 6d 9c", "spades", Category.STRAIGHT, "7"),
    ("9h 2s Td Jc Kd 3d 4c", "spades", Category.STRAIGHT, "K"),
    ("9h 9d 2s Kd Qc 4c 3h", "spades", Category.TRIPS, "9KQ"),
    ("9h 9d Kd Kc Qd Qc 2h", "none", Category.TWO_PAIR, "KQ9"),
    ("9h 2s Kd Qc 4c 3d 6h", "spades", Category.ONE_PAIR, "KQ96"),
    ("9h Jd Kd Qc 4c 3d 6h", "none", Category.HIGH_CARD, "KQJ96"),
    # Hands that are not complete: a missing card counts lowest.
    ("2s", "spades", Category.HIGH_CARD, "A"),
    ("2h 3h 4h 5h", "none", Category.HIGH_CARD, "5432"),
    ("2s 3s 4s 5s", "spades", Category.QUADS, "A"),
    ("9h 9d 2s", "spades", Category.TRIPS, "9"),
    ("9h 9d Kh Kd", "none", Category.TWO_PAIR, "K9"),
    ("2h 9d", "none", Category.HIGH_CARD, "92"),
]


@pytest.mark.parametrize(("hand", "wild", "category", "ranks"), EXAMPLES)
def test_examples(
    hand: str,
    wild: str,
    category: Category,
    ranks: str,
    strengths: Callable,
    value_of_strength: Callable,
) -> None:
    held, mask = cards.parse_cards(hand), cards.parse_set(wild)
    telling = [cards.RANKS.index(rank) for rank in ranks]
    value = (int(category), *telling, *[-1] * (5 - len(telling)))
    assert naive.best_hand(held, mask) == value
    assert value_of_strength(int(strengths([held], mask)[0])) == value


def test_the_double_ace_flush_only_where_the_house_allows_it(
    strengths: Callable, value_of_strength: Callable
) -> None:
    hand = cards.parse_cards("Ah Kh 7h 5h 2s 2c 3d")
    for repeats, ranks in ((False, "AKQ75"), (True, "AAK75")):
        value = (Category.FLUSH, *(cards.RANKS.index(rank) for rank in ranks))
        assert naive.best_hand(hand, SPADES, repeats) == value
        assert value_of_strength(int(strengths([hand], SPADES, repeats)[0])) == value


def test_suits_never_break_ties(strengths: Callable) -> None:
    hands = [cards.parse_cards(f"A{a} K{a} 9{b} 5{c} 2{d}") for a, b, c, d in permutations("cdhs")]
    assert len(set(strengths(hands).tolist())) == 1


def test_natural_and_wild_hands_of_the_same_value_tie(strengths: Callable) -> None:
    natural, wild = (cards.parse_cards(hand) for hand in ("9c 9d 9h Ac Kc", "9c 9d 2s Ac Kc"))
    assert strengths([natural], SPADES) == strengths([wild], SPADES)


@pytest.mark.parametrize(
    ("rows", "bad"),
    [
        ([[0, 1, 2], [3, 4, 3]], 1),
        ([[0, 1, 52], [3, 4, 5]], 0),
        ([[255] * 3], 0),
        ([[0, 4, 8]], -1),
    ],
)
def test_repeated_and_unknown_cards_are_found(
    rows: list[list[int]], bad: int, tables: RankTables
) -> None:
    hands = np.array(rows, np.uint8)
    out = np.zeros(len(rows), np.uint16)
    assert rank_array(tables, card_words(0), hands, out) == bad


# --- Every hand there is ----------------------------------------------------------------------


@numba.njit(nogil=True, error_model="numpy", _nrt=False)
def count_hands(tables, words, size, picks, totals, suits, hits):
    """Count every hand of ``size`` cards by strength."""
    totals[0], suits[0] = tables.starts[size], np.uint64(0)
    depth, picks[0] = 0, -1
    while depth >= 0:
        picks[depth] += 1
        card = picks[depth]
        if card > 52 - size + depth:
            depth -= 1
            continue
        totals[depth + 1] = totals[depth] + words.words[card]
        suits[depth + 1] = suits[depth] | words.suits[card]
        if depth == size - 1:
            hits[rank_hand(tables, words.flushes, totals[size], suits[size])] += 1
        else:
            depth += 1
            picks[depth] = card


def hits_of(tables: RankTables, size: int, wild: int) -> Any:
    """Return how many hands of ``size`` cards have each strength."""
    hits = np.zeros(len(tables.values), np.int64)
    totals, suits = np.zeros(size + 1, np.uint64), np.zeros(size + 1, np.uint64)
    count_hands(tables, card_words(wild), size, np.zeros(size, np.int64), totals, suits, hits)
    return hits


@pytest.mark.parametrize(
    ("size", "wild", "row"),
    [
        (5, 0, "five cards, nothing wild"),
        (7, 0, "seven cards, nothing wild"),
        (5, DEUCES, "five cards, four deuces wild"),
    ],
)
def test_the_census_is_the_published_one(
    size: int, wild: int, row: str, tables: RankTables
) -> None:
    """Counts of all hands by category, and of distinct values (facts/census.json)."""
    published = CENSUS[row]
    hits = hits_of(tables, size, wild)
    by_category = np.bincount(tables.categories, weights=hits, minlength=11).astype(np.int64)
    assert by_category[::-1].tolist() == published["counts"]
    assert hits.sum() == published["total"]
    assert np.count_nonzero(hits) == published.get("distinct values", np.count_nonzero(hits))


@pytest.mark.parametrize(("size", "plain", "with_wild"), [(5, 7462, 7475), (7, 4824, 4837)])
def test_wild_cards_add_only_the_fives_of_a_kind(
    size: int, plain: int, with_wild: int, tables: RankTables
) -> None:
    """Spades wild give any number of wild cards; deuces wild leave four natural suits."""
    reached = hits_of(tables, size, 0) > 0
    assert np.count_nonzero(reached) == plain
    for wild in (SPADES, DEUCES):
        reached |= hits_of(tables, size, wild) > 0
    assert np.count_nonzero(reached) == with_wild
    assert np.count_nonzero(tables.categories[reached] == Category.FIVE_OF_A_KIND) == 13
