"""Shuffling as far as a deal needs it, and where each seat's cards lie in the shuffled deck.

The first word of a deal says where the jack, queen and king of spades lie, since most kills are
theirs and a killed deal needs no other card. The other 49 cards are shuffled by Fisher-Yates from
the front, seven positions a word; then each of the three trades places with whatever lies where it
goes, as in a shuffle that takes its cards one by one. A word is multiplied by 49, 48, …, each high
half being a roll and each low half the word for the next. The rare words that would favour some
outcomes are drawn again (Brackett-Rozinsky & Lemire, arXiv 2408.06213), so every order of the 52
cards is exactly as likely as any other.

Positions are filled up cards first, because a killed deal never looks at its hole cards:
third-street up cards by seat, fourth, fifth, sixth, then two hole cards a seat, then the seventh
street. Cards of a shuffled deck are exchangeable, so the joint law is that of dealing round the
table. A seat's positions do not depend on who else is still in.
"""

import math

import numpy as np

from sim.cards import DECK, parse_cards
from sim.kernels.compile import kernel, part, piece
from sim.kernels.stream import CARDS, RETRY, WORDS_PER_DEAL, multiply_wide, pot_stream, root, word

COURT = np.array(parse_cards("Js Qs Ks"))
"""The cards whose slots one word settles."""
OTHERS = DECK - len(COURT)
ORDER = np.array([*(card for card in range(DECK) if card not in COURT), *COURT], np.uint8)
"""A deck before it is shuffled."""
ROLLS = 7
"""Positions rolled with one word: 49·48·…·43 is about 2^39, so one word in 2^25 is drawn again."""
OUTCOMES = np.array(
    [math.prod(range(OTHERS - first, OTHERS - first - ROLLS, -1)) for first in range(0, 49, ROLLS)],
    dtype=np.uint64,
)
"""In how many ways each word settles its positions."""
COURT_OUTCOMES = np.uint64(math.prod(range(OTHERS + 1, DECK + 1)))
"""In how many ways the first word places the three."""


@piece
def holds(mask, card):
    """Whether a set of cards, as a mask, holds this card."""
    return (mask >> np.uint64(card)) & np.uint64(1) != 0


@piece
def fresh(rest):
    """Put the cards back in order."""
    for slot in range(DECK):
        rest[slot] = ORDER[slot]


@piece
def first_hole(players, seat):
    """Return where a seat's first hole card lies; the second follows. Seats count from 0."""
    return 4 * players + 2 * seat


@piece
def roll_court(low):
    """Return what a word rolls for jack, queen and king, and what is left of the word."""
    jack, low = multiply_wide(low, np.uint64(50))
    queen, low = multiply_wide(low, np.uint64(51))
    king, low = multiply_wide(low, np.uint64(52))
    return jack, queen, king, low


@piece
def court_rolls(stream, deal):
    """Return where jack, queen and king trade places: among 50, 51 and 52 positions."""
    index = np.uint64(deal) * np.uint64(WORDS_PER_DEAL)
    jack, queen, king, low = roll_court(word(stream, index))
    if low < COURT_OUTCOMES:
        threshold = (np.uint64(0) - COURT_OUTCOMES) % COURT_OUTCOMES
        while low < threshold:
            index += RETRY
            jack, queen, king, low = roll_court(word(stream, index))
    return jack, queen, king


@piece
def court_slots(stream, deal):
    """Return where jack, queen and king of spades lie in the shuffled deck."""
    jack, queen, king = court_rolls(stream, deal)
    if queen == jack:
        jack = np.uint64(50)
    if king == jack:
        jack = np.uint64(51)
    elif king == queen:
        queen = np.uint64(51)
    return jack, queen, king


@piece
def lay_court(deck, stream, deal):
    """Let jack, queen and king of spades trade places, as far as the deck is settled."""
    jack, queen, king = court_rolls(stream, deal)
    deck[49], deck[jack] = deck[jack], deck[49]
    deck[50], deck[queen] = deck[queen], deck[50]
    deck[51], deck[king] = deck[king], deck[51]


@piece
def roll(rest, first, low):
    """Settle ``ROLLS`` positions from ``first`` on with one word; return what is left of the word.

    Positions are uint64: a signed index would cost a wrap-around test for each access.
    """
    position = np.uint64(first)
    choices = np.uint64(OTHERS) - position
    for _ in range(ROLLS):
        offset, low = multiply_wide(low, choices)
        other = position + offset
        rest[position], rest[other] = rest[other], rest[position]
        position += np.uint64(1)
        choices -= np.uint64(1)
    return low


@piece
def shuffle_on(rest, filled, needed, stream, deal):
    """Settle positions of the other cards on from ``filled`` until ``needed`` are; return how many.

    There are 49, in groups of seven: the constant count lets the compiler unroll.
    """
    needed = min(needed, OTHERS)
    while filled < needed:
        group = np.uint64(filled // ROLLS)
        index = np.uint64(deal) * np.uint64(WORDS_PER_DEAL) + group + np.uint64(1)
        low = roll(rest, filled, word(stream, index))
        if low < OUTCOMES[group]:
            redraw(rest, filled, stream, index, low)
        filled += ROLLS
    return filled


@piece
def fill(deck, rest, filled, needed, stream, deal):
    """Shuffle on from ``filled`` settled positions until ``needed`` are; return how many.

    ``rest`` holds the deck before the three of ``COURT`` trade places, and goes on from there.
    """
    if filled < needed:
        filled = shuffle_on(rest, filled, needed, stream, deal)
        for slot in range(DECK):
            deck[slot] = rest[slot]
        lay_court(deck, stream, deal)
        filled = DECK if filled == OTHERS else filled
    return filled


@part
def redraw(rest, first, stream, index, low):
    """While the word that left ``low`` favours some outcomes, take it back and draw another."""
    outcomes = OUTCOMES[first // ROLLS]
    threshold = (np.uint64(0) - outcomes) % outcomes
    while low < threshold:
        unroll(rest, first, word(stream, index))
        index += RETRY
        low = roll(rest, first, word(stream, index))


@piece
def unroll(rest, first, rolls):
    """Take back what ``roll`` did with this word, last swap first."""
    for step in range(ROLLS - 1, -1, -1):
        low = rolls
        for earlier in range(step + 1):
            offset, low = multiply_wide(low, np.uint64(OTHERS - first - earlier))
        position = np.uint64(first + step)
        other = position + offset
        rest[position], rest[other] = rest[other], rest[position]


@kernel
def shuffle(deck, rest, seed, players, pot, deal):
    """Put the whole deck of one deal of one pot into ``deck``, (52,) uint8, in positions' order.

    ``rest`` is a workspace of the same size.
    """
    fresh(rest)
    fill(deck, rest, 0, 52, pot_stream(root(seed, players, CARDS), pot), deal)
