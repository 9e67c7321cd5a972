"""The deck: the same shuffle as the reference, and every order of cards as likely as another."""

import math
from collections.abc import Iterable
from typing import Any

import naive
import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sim.kernels import deck, stream
from sim.kernels.fast import deal_tables

MILLION = 1_000_000
UNLIKELY = 1e-6


def shuffled(seed: int, players: int, pot: int, deal: int) -> list[int]:
    cards, rest = np.zeros((2, 52), np.uint8)
    deck.shuffle(cards, rest, np.uint64(seed), players, pot, deal)
    return cards.tolist()


@given(
    seed=st.integers(0, 2**63 - 1),
    players=st.integers(2, 8),
    pot=st.integers(0, 2**48),
    deal=st.integers(0, 9999),
)
def test_decks_are_those_of_the_reference(seed: int, players: int, pot: int, deal: int) -> None:
    assert shuffled(seed, players, pot, deal) == naive.deck_of(seed, players, pot, deal)


def test_every_part_of_the_key_matters() -> None:
    keys = [(1, 4, 0, 0), (2, 4, 0, 0), (1, 5, 0, 0), (1, 4, 1, 0), (1, 4, 0, 1)]
    decks = [shuffled(*key) for key in keys]
    assert decks == [shuffled(*key) for key in keys]
    assert len(set(map(tuple, decks))) == len(keys)
    assert all(sorted(cards) == list(range(52)) for cards in decks)


def test_a_partial_shuffle_is_the_front_of_the_whole() -> None:
    pot_stream = stream.Stream(*map(np.uint64, naive.pot_stream(naive.root(3, 6, naive.CARDS), 8)))
    whole = shuffled(3, 6, 8, 2)
    cards, rest = np.zeros((2, 52), np.uint8)
    deck.fresh(rest)
    filled = 0
    for needed in (5, 7, 8, 30, 31, 49, 50, 52):
        filled = deck.fill(cards, rest, filled, needed, pot_stream, 2)
        assert needed <= filled <= 52
        assert cards[:filled].tolist() == whole[:filled]


def test_tables_are_dealt_from_the_same_decks() -> None:
    tables = np.zeros((5, 7, 7), np.uint8)
    deal_tables(tables, 7, np.uint64(2), 10)
    for pot, table in enumerate(tables, start=10):
        cards = naive.deck_of(2, 7, pot, 0)
        for seat, hand in enumerate(table.tolist()):
            ups = [cards[7 * street + seat] for street in range(4)]
            holes = [cards[28 + 2 * seat], cards[29 + 2 * seat]]
            assert hand == [*holes, *ups, cards[42 + seat]]


# --- The words that would favour some outcomes ------------------------------------------------


def unmix(values: Any) -> Any:
    """Return what ``mix`` turns into these uint64: a word can then be put where it is wanted."""
    for shift, factor in ((31, 0x94D049BB133111EB), (27, 0xBF58476D1CE4E5B9), (30, 1)):
        values = values ^ values >> np.uint64(shift) ^ values >> np.uint64(2 * shift)
        values = values * np.uint64(pow(factor, -1, 2**64))
    return values


def narrow_words(outcomes: int, numbers: Iterable[int]) -> tuple[list[int], list[int]]:
    """Return the lowest words that roll these of so many outcomes: the unfair, the fair."""
    threshold = 2**64 % outcomes
    words: tuple[list[int], list[int]] = ([], [])
    for number in numbers:
        word = -(-(number << 64) // outcomes)
        words[word * outcomes % 2**64 >= threshold].append(word)
    return words


def stream_through(words: dict[int, int]) -> stream.Stream:
    """Return a stream that has these one or two words, by index."""
    (index, word), *others = words.items()
    inner = int(unmix(np.array([word], np.uint64))[0])
    step = 0x9E3779B97F4A7C15
    for other, later in others:
        ahead = int(unmix(np.array([later], np.uint64))[0]) - inner
        assert ahead % (other - index) == 0
        step = ahead // (other - index) % 2**64
    return stream.Stream(np.uint64((inner - (index + 1) * step) % 2**64), np.uint64(step))


def check_forced(pot_stream: stream.Stream, forced: dict[int, int], deal: int) -> None:
    cards, rest = np.zeros((2, 52), np.uint8)
    deck.fresh(rest)
    reference = (int(pot_stream.start), int(pot_stream.step))
    assert {index: naive.word(reference, index) for index in forced} == forced
    deck.fill(cards, rest, 0, 52, pot_stream, deal)
    assert cards.tolist() == naive.shuffle(reference, deal)


def outcomes_of(group: int) -> int:
    """Return in how many ways a word of a deal falls: that of the court, then seven of seven."""
    return 50 * 51 * 52 if group == 0 else math.prod(range(56 - 7 * group, 49 - 7 * group, -1))


@pytest.mark.parametrize("group", range(8))
def test_an_unfair_word_is_drawn_again_and_a_fair_one_is_kept(group: int) -> None:
    outcomes = outcomes_of(group)
    unfair, fair = narrow_words(
        outcomes, range(0, outcomes, outcomes // 300 if outcomes > 6_000 else 1)
    )
    assert min(len(unfair), len(fair)) > 5
    for word in unfair + fair:
        forced = {16 * 3 + group: word}
        check_forced(stream_through(forced), forced, deal=3)


def test_the_slots_of_the_court_are_those_of_the_deck() -> None:
    for deal in range(2_000):
        pot_stream = stream.Stream(
            *map(np.uint64, naive.pot_stream(naive.root(9, 2, naive.CARDS), 1))
        )
        where = [
            naive.shuffle((int(pot_stream.start), int(pot_stream.step)), deal).index(card)
            for card in deck.COURT
        ]
        assert list(deck.court_slots(pot_stream, deal)) == where


def test_unfair_words_in_a_row_are_drawn_again_and_again() -> None:
    """The replacement lies 2^40 words on, so two words can be forced if 40 bits of them agree."""
    words = np.array(narrow_words(outcomes_of(1), range(4 * MILLION))[0], np.uint64)
    inner = unmix(words)
    low = inner % np.uint64(2**40)
    order = np.argsort(low, kind="stable")
    (pairs,) = np.nonzero(np.diff(low[order]) == 0)
    assert len(pairs)
    for pair in pairs[:4]:
        first, second = words[order[pair : pair + 2]].tolist()
        forced = {1: first, 1 + 2**40: second}
        check_forced(stream_through(forced), forced, deal=0)


# --- Uniformity -------------------------------------------------------------------------------


@numba.njit(nogil=True, error_model="numpy")
def count_cards(cards, rest, singles, neighbours, seed, players, first, pots):
    """Count (position, card), and (card, next card) by position, over first deals of pots."""
    shared = stream.root(seed, players, stream.CARDS)
    for pot in range(first, first + pots):
        deck.fresh(rest)
        deck.fill(cards, rest, 0, 52, stream.pot_stream(shared, pot), 0)
        for slot in range(52):
            singles[slot, cards[slot]] += 1
        for slot in range(51):
            neighbours[slot, cards[slot], cards[slot + 1]] += 1


@numba.njit(nogil=True, error_model="numpy")
def count_pairs(cards, rest, pairs, seed, players, deals):
    """Count (position, later position, card, card) over deals of pot 0."""
    pot_stream = stream.pot_stream(stream.root(seed, players, stream.CARDS), 0)
    for deal in range(deals):
        deck.fresh(rest)
        deck.fill(cards, rest, 0, 52, pot_stream, deal)
        for first in range(51):
            for second in range(first + 1, 52):
                pairs[first, second, cards[first], cards[second]] += 1


def p_of_permutations(counts: Any) -> float:
    """Return the p-value of (position, card) counts of uniform permutations.

    A permutation's counts are tied in rows and columns, so 51/52 of the usual sum is χ² with 51²
    degrees of freedom.
    """
    expected = counts.sum() / counts.size
    return float(stats.chi2.sf(51 / 52 * ((counts - expected) ** 2 / expected).sum(), 51**2))


def p_of_pairs(counts: Any) -> Any:
    """Return p-values of (..., card, card) counts of two positions: 52·51 outcomes."""
    expected = counts.sum((-2, -1), keepdims=True) / (52 * 51)
    terms = (counts - expected) ** 2 / expected * (1 - np.eye(52))  # no card follows itself
    return stats.chi2.sf(terms.sum((-2, -1)), 52 * 51 - 1)


@pytest.mark.slow
def test_every_card_and_every_pair_of_neighbours_is_as_likely_in_every_position() -> None:
    singles = np.zeros((52, 52), np.int64)
    neighbours = np.zeros((51, 52, 52), np.int64)
    count_cards(*np.zeros((2, 52), np.uint8), singles, neighbours, np.uint64(1), 7, 0, 20 * MILLION)
    assert (singles.sum(0) == 20 * MILLION).all()
    assert p_of_permutations(singles) > UNLIKELY
    assert not neighbours[:, range(52), range(52)].any()
    by_position = p_of_pairs(neighbours)
    assert by_position.min() > UNLIKELY
    assert stats.kstest(by_position, "uniform").pvalue > UNLIKELY


@pytest.mark.slow
def test_every_two_positions_hold_every_two_cards_as_often() -> None:
    """Deals of one pot, so that deals are as independent as pots are."""
    pairs = np.zeros((52, 52, 52, 52), np.int32)
    count_pairs(*np.zeros((2, 52), np.uint8), pairs, np.uint64(2), 5, 200_000)
    by_pair = p_of_pairs(pairs[np.triu_indices(52, 1)])
    assert by_pair.shape == (1326,)
    assert by_pair.min() > UNLIKELY
    assert stats.kstest(by_pair, "uniform").pvalue > UNLIKELY


def test_an_unfair_deck_is_found_out() -> None:
    """The swap with any of all 52 positions, which beginners write, fails the same statistics."""
    generator = np.random.default_rng(5)
    counts = np.zeros((52, 52), np.int64)
    decks = np.tile(np.arange(52), (20_000, 1))
    every = np.arange(len(decks))
    for slot in range(52):
        other = generator.integers(0, 52, len(decks))
        decks[every, slot], decks[every, other] = decks[every, other], decks[every, slot].copy()
    np.add.at(counts, (np.arange(52), decks), 1)
    assert p_of_permutations(counts) < UNLIKELY
    fair = np.zeros((52, 52), np.int64)
    np.add.at(fair, (np.arange(52), generator.permuted(decks, axis=1)), 1)
    assert p_of_permutations(fair) > UNLIKELY
