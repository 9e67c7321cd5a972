"""Ranking arrays of hands: sevens side by side, all else one by one."""

import numpy as np

from sim.cards import DECK
from sim.kernels.compile import kernel, piece
from sim.kernels.evaluate import add_up, rank_hand
from sim.kernels.fast.byte_planes import (
    FIELDS,
    LANES,
    best_made,
    fill_faces,
    locate_hands,
    locate_natural_hands,
    look_up_hands,
    look_up_natural_hands,
    split_hands,
    wild_of,
)
from sim.kernels.ranks import MAX_CARDS

ROOM = np.dtype(
    [
        ("cards", np.uint8, (MAX_CARDS, LANES)),
        ("places", np.uint64, (1, MAX_CARDS)),
        ("levels", np.uint8, (1, LANES)),
        *FIELDS,
    ],
    align=True,
)
"""Where hands lie while they are ranked."""
IN_ORDER = np.arange(DECK)


@kernel
def evaluate(tables, cards, hands, out, room):
    """Rank ``hands``, (n, k) uint8 with k = 1..7, into ``out``, (n,) uint16.

    ``hands`` is contiguous, and ``room`` one record of ``ROOM`` with nothing in it. Return the
    number of the first hand with a repeated or unknown card, or -1.
    """
    done = evaluate_sevens(tables, cards, hands, out, room[0]) if hands.shape[1] == MAX_CARDS else 0
    start = tables.starts[hands.shape[1]]
    for hand in range(done, hands.shape[0]):
        good, total, suits = add_up(start, cards, hands, hand)
        if not good:
            return hand
        out[hand] = rank_hand(tables, cards.flushes, total, suits)
    return -1


@piece
def evaluate_sevens(tables, cards, hands, out, room):
    """Rank hands of seven while there are enough of them and none is bad; return how many."""
    whole = hands.shape[0] // LANES * LANES
    if whole == 0:
        return 0
    wild = wild_of(cards.suits)
    fill_faces(room.faces, IN_ORDER, wild, np.uint64(0))
    for card in range(MAX_CARDS):
        room.places[0, card] = card
    for first in range(0, whole, LANES):
        if split_hands(hands, np.uint64(first), room.cards):
            return first
        if wild:
            locate_hands(room.cards, room.places, np.uint64(0), room.faces, room.found, room.levels)
            look_up_hands(tables, np.uint64(cards.flushes), room)
        else:
            locate_natural_hands(room.cards, room.found)
            look_up_natural_hands(tables, np.uint64(cards.flushes), room)
        for lane in range(LANES):
            out[first + lane] = best_made(room, lane)
    return whole
