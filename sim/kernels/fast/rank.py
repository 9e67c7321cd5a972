"""Ranking arrays of hands: sevens side by side, all else one by one."""

import numpy as np

from sim.cards import DECK
from sim.kernels.compile import kernel, piece
from sim.kernels.evaluate import add_up, rank_hand
from sim.kernels.fast.byte_planes import (
    FIELDS,
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
from sim.kernels.rows import BATCH as LANES

WORKSPACE = np.dtype(
    [
        ("cards", np.uint8, (MAX_CARDS, LANES)),
        ("slots", np.uint64, (1, MAX_CARDS)),
        ("toll_cards", np.uint16, (1, LANES)),
        *FIELDS,
    ],
    align=True,
)
"""Where hands lie while they are ranked."""
IN_ORDER = np.arange(DECK)


@kernel
def rank_array(tables, cards, hands, out, workspace):
    """Rank ``hands``, (n, k) uint8 with k = 1..7, into ``out``, (n,) uint16.

    ``hands`` is contiguous, and ``workspace`` one record of ``WORKSPACE`` with nothing in it.
    Return the number of the first hand with a repeated or unknown card, or -1.
    """
    done = (
        rank_sevens(tables, cards, hands, out, workspace[0]) if hands.shape[1] == MAX_CARDS else 0
    )
    start = tables.starts[hands.shape[1]]
    for hand in range(done, hands.shape[0]):
        good, total, suits = add_up(start, cards, hands, hand)
        if not good:
            return hand
        out[hand] = rank_hand(tables, cards.flushes, total, suits)
    return -1


@piece
def rank_sevens(tables, cards, hands, out, workspace):
    """Rank hands of seven while there are enough of them and none is bad; return how many."""
    whole = hands.shape[0] // LANES * LANES
    if whole == 0:
        return 0
    wild = wild_of(cards.suits)
    fill_faces(workspace.faces, IN_ORDER, wild, np.uint64(0))
    for card in range(MAX_CARDS):
        workspace.slots[0, card] = card
    for first in range(0, whole, LANES):
        if split_hands(hands, np.uint64(first), workspace.cards):
            return first
        if wild:
            locate_hands(
                workspace.cards, workspace.slots, np.uint64(0), workspace.faces, workspace.indices,
                workspace.toll_cards,
            )  # fmt: skip
            look_up_hands(tables, np.uint64(cards.flushes), workspace)
        else:
            locate_natural_hands(workspace.cards, workspace.indices)
            look_up_natural_hands(tables, np.uint64(cards.flushes), workspace)
        for lane in range(LANES):
            out[first + lane] = best_made(workspace, lane)
    return whole
