"""Hands and decks in registers: the same as one by one, with and without a look-up by name."""

from itertools import combinations
from typing import Any

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from sim import hands
from sim.cards import DECK, parse_set
from sim.kernels import counting, simd
from sim.kernels.deck import ORDER
from sim.kernels.evaluate import card_words
from sim.kernels.fast import byte_planes, fisher_yates, rank_array
from sim.kernels.rows import BATCH

LANES, SEATS = 128, 7
RULES = [
    ("none", "none"),
    ("spades", "spades"),
    ("2c,2d,2h,2s,Jd,Jh", "hearts"),
    ("clubs,diamonds,hearts,spades", "3c,4c,As"),
]


def decks(seed: int) -> NDArray[np.uint8]:
    """Return shuffled decks, a column each, as places of a fresh one."""
    rng = np.random.default_rng(seed)
    return np.array([rng.permutation(DECK) for _ in range(LANES)], np.uint8).T.copy()


def one_by_one(hand: NDArray[np.uint8], wild: int) -> int:
    """Return the strength of one hand, since fewer than 64 are not ranked side by side."""
    out = np.zeros(1, np.uint16)
    assert rank_array(hands.tables(), card_words(wild), hand[None], out) == -1
    return int(out[0])


def read(cards: NDArray[np.uint8], wild: int, toll: int) -> tuple[Any, Any]:
    """Return what is found of the hands of a seat that holds the cards at every third position."""
    slots = np.zeros((SEATS, 7), np.uint64)
    slots[4] = np.arange(2, 23, 3)
    faces, found = np.zeros((4, 32), np.uint8), np.zeros((4, LANES), np.uint16)
    toll_cards = np.zeros((SEATS, LANES), np.uint16)

    @numba.njit
    def run(cards, slots, faces, found, toll_cards, wild, toll):  # type: ignore[no-untyped-def]
        byte_planes.fill_faces(faces, ORDER, wild, toll)
        byte_planes.locate_hands(cards, slots, np.uint64(4), faces, found, toll_cards)

    run(cards, slots, faces, found, toll_cards, np.uint64(wild), np.uint64(toll))
    return found, toll_cards[4]


@pytest.mark.parametrize(("wild", "toll"), RULES)
def test_hands_are_looked_up_where_their_sums_say(wild: str, toll: str, monkeypatch: Any) -> None:
    cards, tables = decks(1), hands.tables()
    found, toll_cards = read(cards, parse_set(wild), parse_set(toll))
    strengths = tables.strengths[
        2 * tables.offsets[found[byte_planes.ROW]].astype(int) + found[byte_planes.CELL]
    ]
    flushes = tables.flushes[found[[byte_planes.LOW, byte_planes.HIGH]]]
    held = ORDER[cards[2:23:3]].T.copy()
    expected = np.zeros(LANES, np.uint16)
    for hand, own in enumerate(held):
        expected[hand] = one_by_one(own, parse_set(wild))
    assert np.array_equal(np.maximum(strengths, flushes.max(axis=0)), expected)
    costly = [[parse_set(toll) >> int(card) & 1 for card in hand[:4]] for hand in held]
    assert toll_cards.tolist() == [sum(hand) for hand in costly]

    monkeypatch.setattr(simd, "has_avx2", lambda: False)
    plainly, same_toll_cards = read(cards, parse_set(wild), parse_set(toll))
    assert np.array_equal(found, plainly)
    assert np.array_equal(toll_cards, same_toll_cards)


@pytest.mark.parametrize("groups", range(1, 8))
def test_swaps_followed_are_swaps_made(groups: int) -> None:
    rng = np.random.default_rng(groups)
    partners = np.array(
        [rng.integers(at, 49, LANES) for at in range(49)] + [[0] * LANES] * 3, np.uint8
    )
    followed = partners.copy()

    @numba.njit
    def run(cards, groups):  # type: ignore[no-untyped-def]
        fisher_yates.follow_swaps(cards, groups)

    run(followed, np.uint64(groups))
    for lane in range(LANES):
        deck = list(range(49))
        for position in range(7 * groups):
            partner = partners[position, lane]
            deck[position], deck[partner] = deck[partner], deck[position]
        assert followed[: 7 * groups, lane].tolist() == deck[: 7 * groups]


@pytest.mark.parametrize("players", [2, 5, 8])
def test_hands_are_compared_and_counted_as_lane_by_lane(players: int) -> None:
    rng = np.random.default_rng(players)
    lowest = np.array([1, 4, 9, 10, 30, 32_000], np.int16)
    strengths = rng.choice(
        [0, 1, 3, 4, 8, 9, 10, 29, 30, 31_999, 32_000, 32_767], (8, BATCH)
    ).astype(np.int16)
    shown = -(rng.random(BATCH) < 0.8).astype(np.int16)
    strengths &= shown
    best, holders = (np.full(BATCH, 77, np.int16) for _ in range(2))
    number = (strengths[:players] > 0).sum(axis=0).astype(np.int16)
    counted, winning = np.ones((3, 6), np.int64), np.ones(6, np.int64)

    @numba.njit
    def run(strengths, players, shown, best, holders, number, lowest, counted, winning):  # type: ignore[no-untyped-def]
        byte_planes.compare_hands(strengths, players, shown, best, holders)
        counting.count_categories(strengths, players, best, number, lowest, counted, winning)

    run(strengths, np.uint64(players), shown, best, holders, number, lowest, counted, winning)
    at_table = strengths[:players]
    assert np.array_equal(best, at_table.max(axis=0))
    held = at_table == best
    assert np.array_equal(holders, held.sum(axis=0) * (shown != 0))
    categories = np.searchsorted(lowest, at_table, side="right") - 1
    alike = (categories[:, :, None] == np.arange(6)).sum(axis=0)
    sums = [alike.sum(axis=0), (alike**2).sum(axis=0), (alike * number[:, None]).sum(axis=0)]
    assert np.array_equal(counted - 1, sums)
    of_best = np.searchsorted(lowest, best, side="right") - 1
    assert np.array_equal(winning - 1, np.bincount(of_best[of_best >= 0], minlength=6))


@pytest.mark.parametrize("wild", [wild for wild, _ in RULES])
def test_arrays_are_ranked_as_hand_by_hand(wild: str) -> None:
    dealt = np.concatenate([ORDER[decks(seed)[:7].T] for seed in range(3)])[:300]
    expected = [one_by_one(hand, parse_set(wild)) for hand in dealt]
    assert hands.evaluate(dealt, wild).tolist() == expected


@pytest.mark.parametrize("at", [0, 63, 64, 100, 191, 192, 299])
@pytest.mark.parametrize("wrong", ["twice", 52, 63, 64, 127, 128, 255])
def test_the_first_bad_hand_of_an_array_is_found(at: int, wrong: str | int) -> None:
    dealt = np.ascontiguousarray(np.concatenate([ORDER[decks(seed)[:7].T] for seed in range(3)]))
    dealt = dealt[:300]
    for bad in {at, min(at + 70, 299)}:
        dealt[bad, 5] = dealt[bad, 2] if wrong == "twice" else wrong
    out = np.zeros(len(dealt), np.uint16)
    assert rank_array(hands.tables(), card_words(0), dealt, out) == at


def test_each_of_seven_cards_is_compared_with_all_others() -> None:
    for one, other in combinations(range(7), 2):
        dealt = np.ascontiguousarray(ORDER[decks(1)[:7].T])
        dealt[17, one] = dealt[17, other]
        out = np.zeros(len(dealt), np.uint16)
        assert rank_array(hands.tables(), card_words(0), dealt, out) == 17
