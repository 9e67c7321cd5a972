"""Shuffling as far as a deal needs it, and where each seat's cards lie in the shuffled deck.

The shuffle is a Fisher-Yates from the front, seven positions a word: a word is multiplied by 52,
51, …, each high half being a roll and each low half the word for the next. The rare words that
would favour some outcomes are drawn again (Brackett-Rozinsky & Lemire, arXiv 2408.06213), so every
order of the cards is exactly as likely as any other.

Positions are filled up cards first, because a killed deal never looks at its hole cards:
third-street up cards by seat, fourth, fifth, sixth, then two hole cards a seat, then the seventh
street. Cards of a shuffled deck are exchangeable, so the joint law is that of dealing round the
table. A seat's positions do not depend on who else is still in.
"""

import math

import numpy as np

from sim.kernels.compile import kernel, part, piece
from sim.kernels.stream import CARDS, RETRY, WORDS_PER_DEAL, multiply_wide, pot_stream, root, word

ROLLS = 7
"""Positions rolled with one word: 52·51·…·46 is about 2^39, so one word in 2^25 is drawn again."""
OUTCOMES = np.array(
    [math.prod(range(52 - first, max(52 - first - ROLLS, 0), -1)) for first in range(0, 52, ROLLS)],
    dtype=np.uint64,
)
"""In how many ways each word settles its positions."""


@piece
def holds(mask, card):
    """Whether a set of cards, as a mask, holds this card."""
    return (mask >> np.uint64(card)) & np.uint64(1) != 0


@piece
def fresh(deck):
    """Put the cards back in order."""
    for card in range(52):
        deck[card] = card


@piece
def first_hole(players, seat):
    """Return where a seat's first hole card lies; the second follows. Seats count from 0."""
    return 4 * players + 2 * seat


@piece
def roll(deck, first, count, low):
    """Settle ``count`` positions from ``first`` on with one word; return what is left of the word.

    Positions are uint64: a signed index would cost a wrap-around test for each access.
    """
    position = np.uint64(first)
    choices = np.uint64(52) - position
    for _ in range(count):
        ahead, low = multiply_wide(low, choices)
        other = position + ahead
        deck[position], deck[other] = deck[other], deck[position]
        position += np.uint64(1)
        choices -= np.uint64(1)
    return low


@piece
def fill(deck, filled, needed, stream, deal):
    """Shuffle on from ``filled`` settled positions until ``needed`` are; return how many."""
    while filled < needed:
        group = np.uint64(filled // ROLLS)
        index = np.uint64(deal) * np.uint64(WORDS_PER_DEAL) + group
        whole = filled + ROLLS <= 52
        count = ROLLS if whole else 52 - filled
        low = word(stream, index)
        # A constant count lets the compiler unroll: 2.3 ns a card against 3.6 ns.
        low = roll(deck, filled, ROLLS, low) if whole else roll(deck, filled, count, low)
        if low < OUTCOMES[group]:
            redraw(deck, filled, count, stream, index, low)
        filled += count
    return filled


@part
def redraw(deck, first, count, stream, index, low):
    """While the word that left ``low`` favours some outcomes, take it back and draw another."""
    outcomes = OUTCOMES[first // ROLLS]
    threshold = (np.uint64(0) - outcomes) % outcomes
    while low < threshold:
        unroll(deck, first, count, word(stream, index))
        index += RETRY
        low = roll(deck, first, count, word(stream, index))


@piece
def unroll(deck, first, count, rolls):
    """Take back what ``roll`` did with this word, last swap first."""
    for step in range(count - 1, -1, -1):
        low = rolls
        for earlier in range(step + 1):
            ahead, low = multiply_wide(low, np.uint64(52 - first - earlier))
        position = np.uint64(first + step)
        other = position + ahead
        deck[position], deck[other] = deck[other], deck[position]


@kernel
def shuffle(deck, seed, players, pot, deal):
    """Put the whole deck of one deal of one pot into ``deck``, (52,) uint8, in positions' order."""
    fresh(deck)
    fill(deck, 0, 52, pot_stream(root(seed, players, CARDS), pot), deal)


@kernel
def deal_tables(out, deck, players, seed, first):
    """Fill ``out``, (tables, players, 7) uint8 by street, with the first deals of pots ``first``, …

    ``deck`` is room for a deck, (52,) uint8.
    """
    shared = root(seed, players, CARDS)
    for table in range(out.shape[0]):
        fresh(deck)
        fill(deck, 0, 7 * players, pot_stream(shared, first + table), 0)
        for seat in range(players):
            hole = first_hole(players, seat)
            out[table, seat, 0] = deck[hole]
            out[table, seat, 1] = deck[hole + 1]
            for street in range(4):
                out[table, seat, 2 + street] = deck[street * players + seat]
            out[table, seat, 6] = deck[6 * players + seat]
