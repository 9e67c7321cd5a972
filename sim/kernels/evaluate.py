"""Ranking hands: add up one word a card, look up one strength."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.kernels.bits import leading_zeros, trailing_zeros
from sim.kernels.compile import piece
from sim.kernels.ranks import (
    BOARD,
    FLUSH_SIZE,
    RANK_KEYS,
    SHORT,
    SPREAD,
    STEP,
    SUIT_SHIFT,
    WILD,
    WILD_SHIFT,
    board_cell,
    seven_cell,
    short_cell,
)

RANKS_OF_A_SUIT = np.uint64(0x1FFF)
FIVE_OF_A_SUIT = np.uint64(0x8888) << SUIT_SHIFT
"""The bits of a hand's sum that say which suits hold five cards.

Four times the index of such a bit, modulo 64, is where the suit's ranks begin among the suit masks.
"""
ONE_OF_EACH_SUIT = np.uint64(0x1111) << SUIT_SHIFT
"""What a wild card adds to the suit counters."""


class CardWords(NamedTuple):
    """What each card adds to a hand, given which cards are wild."""

    words: NDArray[np.uint64]
    """(52,): rank key, suit counters and wild counter. Sums are modulo 2^64."""
    suits: NDArray[np.uint64]
    """(52,): the natural card's bit among four 16-bit rank masks; 0 for a wild card."""
    flushes: int
    """Where in ``RankTables.flushes`` the table for this page's flushes begins."""


def card_words(wild: int, *, flush_repeats: bool = False) -> CardWords:
    """Return what each card adds when the cards of the mask ``wild`` are wild."""
    card = np.arange(52)
    is_wild = (wild >> card.astype(object) & 1).astype(bool)
    rank, suit = card // 4, (card % 4).astype(np.uint64)
    keys = RANK_KEYS.astype(np.uint64) * SPREAD
    words = np.where(
        is_wild,
        keys[WILD] + ONE_OF_EACH_SUIT + (np.uint64(1) << WILD_SHIFT),
        keys[rank] + (np.uint64(1) << SUIT_SHIFT + np.uint64(4) * suit),
    )
    bits = np.uint64(1) << np.uint64(16) * suit + rank.astype(np.uint64)
    suits = np.where(is_wild, np.uint64(0), bits)
    return CardWords(words, suits, FLUSH_SIZE if flush_repeats else 0)


@piece
def rank_hand(tables, flushes, total, suits):
    """Return the strength of a hand from its sum of words, start included, and suit masks."""
    best = rank_without_flush(tables, total)
    if total & FIVE_OF_A_SUIT:
        best = max(best, best_flush(tables, flushes, total, suits))
    return best


@piece
def rank_without_flush(tables, total):
    """Return the strength of a hand if its suits do not help."""
    if total & BOARD:
        return strength_at(tables, *board_cell(total))
    if total & SHORT:
        return strength_at(tables, *short_cell(total))
    return strength_at(tables, *seven_cell(total))


@piece
def strength_at(tables, row, cell):
    """Return the strength at a cell of a row."""
    return tables.strengths[np.uint64(STEP) * np.uint64(tables.offsets[row]) + cell]


@piece
def ranks_of_suit(total, suits, bit):
    """Return the suit mask that a bit of ``FIVE_OF_A_SUIT`` stands for; 0 if no suit holds five."""
    ranks = RANKS_OF_A_SUIT if total & FIVE_OF_A_SUIT else np.uint64(0)
    return suits >> (np.uint64(4) * bit & np.uint64(63)) & ranks


@piece
def best_flush(tables, flushes, total, suits):
    """Return the strength of a hand's best flush, or 0: two look-ups and no branch.

    The lowest and the highest suit of five cards will do: three suits have five only with four or
    more wild cards, and then the hand is five of a kind anyway.
    """
    five = total & FIVE_OF_A_SUIT
    wild = total >> WILD_SHIFT & np.uint64(7)
    flush = np.uint64(flushes) + wild * np.uint64(8192)
    low = tables.flushes[flush + ranks_of_suit(total, suits, trailing_zeros(five))]
    high = tables.flushes[flush + ranks_of_suit(total, suits, ~leading_zeros(five))]
    return max(low, high)


@piece
def add_up(start, cards, hands, hand):
    """Return a hand's (cards known and all different or not, sum of words, suit masks)."""
    total, suits, seen = start, np.uint64(0), np.uint64(0)
    for index in range(hands.shape[1]):
        card = hands[hand, index]
        bit = np.uint64(1) << np.uint64(card)
        if card >= 52 or seen & bit:
            return False, total, suits
        seen |= bit
        total += cards.words[card]
        suits |= cards.suits[card]
    return True, total, suits
