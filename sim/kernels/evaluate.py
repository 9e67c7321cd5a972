"""Ranking hands: add up one word a card, look up one strength."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.kernels.compile import kernel, piece
from sim.kernels.ranks import FLUSH_SIZE, RANK_KEYS, ROW_BITS, WILD

ROW_SHIFT = np.uint64(ROW_BITS)
ROW_MASK = np.uint64((1 << ROW_BITS) - 1)
RANKS_OF_A_SUIT = np.uint64(0x1FFF)
FIVE_OF_A_SUIT = np.uint64(0x8888 << 32)
"""The bits of a hand's sum that say which suits hold five cards."""


class CardWords(NamedTuple):
    """What each card adds to a hand, given which cards are wild."""

    words: NDArray[np.uint64]
    """(52,): rank key, suit counters and wild counter."""
    suits: NDArray[np.uint64]
    """(52,): the natural card's bit among four 16-bit rank masks; 0 for a wild card."""
    flushes: int
    """Where in ``RankTables.flushes`` the table for this page's flushes begins."""


def card_words(wild: int, *, flush_repeats: bool = False) -> CardWords:
    """Return what each card adds when the cards of the mask ``wild`` are wild."""
    card = np.arange(52)
    is_wild = (wild >> card.astype(object) & 1).astype(bool)
    rank, suit = card // 4, card % 4
    words = np.where(
        is_wild,
        RANK_KEYS[WILD] + (0x1111 << 32) + (1 << 48),
        RANK_KEYS[rank] + (1 << (32 + 4 * suit)),
    )
    suits = np.where(is_wild, 0, 1 << (16 * suit + rank))
    flushes = FLUSH_SIZE if flush_repeats else 0
    return CardWords(words.astype(np.uint64), suits.astype(np.uint64), flushes)


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
    key = total & np.uint64(0xFFFFFFFF)
    place = np.int64(tables.offsets[key >> ROW_SHIFT]) + np.int64(key & ROW_MASK)
    return tables.strengths[np.uint64(place)]


@piece
def best_flush(tables, flushes, total, suits):
    """Return the strength of a hand's best flush, or 0: four look-ups and no branch."""
    flush = np.uint64(flushes) + (total >> np.uint64(48)) * np.uint64(8192)
    best = tables.flushes[flush + (suits & RANKS_OF_A_SUIT)]
    for suit in range(1, 4):
        mask = suits >> np.uint64(16 * suit) & RANKS_OF_A_SUIT
        best = max(best, tables.flushes[flush + mask])
    return best


@piece
def add_up(start, cards, hands, hand):
    """Return a hand's (cards known and all different or not, sum of words, suit masks)."""
    total, suits, seen = start, np.uint64(0), np.uint64(0)
    for place in range(hands.shape[1]):
        card = hands[hand, place]
        bit = np.uint64(1) << np.uint64(card)
        if card >= 52 or seen & bit:
            return False, total, suits
        seen |= bit
        total += cards.words[card]
        suits |= cards.suits[card]
    return True, total, suits


@kernel
def evaluate(tables, cards, hands, out):
    """Rank ``hands``, (n, k) uint8 with k = 1..7, into ``out``, (n,) uint16.

    Return the number of the first hand with a repeated or unknown card, or -1.
    """
    start = tables.starts[hands.shape[1]]
    for hand in range(hands.shape[0]):
        good, total, suits = add_up(start, cards, hands, hand)
        if not good:
            return hand
        out[hand] = rank_hand(tables, cards.flushes, total, suits)
    return -1
