"""Decks side by side: the deals of ``deck``, many at a time.

Words are made for all lanes in one loop, which vectorises; rolls and swaps are those of
``fisher_yates``. Only the 49 positions that a deal can need are settled.
"""

from typing import Any

import numpy as np

from sim.cards import DECK
from sim.game import MAX_PLAYERS, UP_STREETS
from sim.kernels.compile import kernel, part, piece
from sim.kernels.deck import (
    COURT,
    COURT_OUTCOMES,
    ORDER,
    OTHERS,
    OUTCOMES,
    ROLLS,
    first_hole,
    roll_court,
)
from sim.kernels.fast.fisher_yates import follow_swaps, roll_court_lanes, roll_group_lanes
from sim.kernels.ranks import MAX_CARDS
from sim.kernels.rows import BATCH as LANES
from sim.kernels.stream import CARDS, RETRY, mix, multiply_wide, pot_stream, root

GROUPS = OTHERS // ROLLS
TOP = np.uint64(63)

FIELDS: list[Any] = [
    ("starts", np.uint64, LANES),
    ("steps", np.uint64, LANES),
    ("bases", np.uint64, LANES),  # where the words of the deal begin
    ("counters", np.uint64, LANES),  # of which the word is a mix
    ("words", np.uint64, LANES),  # and what is left of it when its rolls are taken
    ("court", np.uint8, (len(COURT), LANES)),  # where jack, queen, king go
    ("cards", np.uint8, (DECK, LANES)),  # by slot: where they lay in the fresh deck
    ("slots", np.uint64, (MAX_PLAYERS, MAX_CARDS)),  # of each seat's cards, up cards first
]


def workspace_of(more: list[Any]) -> np.dtype[np.void]:
    """Return a record for decks side by side, with ``more`` fields.

    They come first: Numba warns where one record begins like another, and would take it for that.
    """
    return np.dtype([*more, *FIELDS], align=True)


WORKSPACE = workspace_of([])
"""Where decks lie while they are dealt."""


@piece
def begin_lanes(workspace, shared, first):
    """Begin the streams of the pots from number ``first`` on."""
    for lane in range(LANES):
        stream = pot_stream(shared, first + lane)
        workspace.starts[lane], workspace.steps[lane] = stream.start, stream.step


@piece
def any_unfair(workspace, outcomes):
    """Whether a lane's word may favour some of so many outcomes; hardly ever one does."""
    seen = np.uint64(0)
    for lane in range(LANES):
        seen |= ~workspace.words[lane] & (
            workspace.words[lane] - outcomes
        )  # the top bit, if it is less
    return seen >> TOP != 0


@piece
def next_word(workspace):
    """Go on to each lane's next word."""
    for lane in range(LANES):
        workspace.counters[lane] += workspace.steps[lane]
        workspace.words[lane] = mix(workspace.counters[lane])


@part
def roll_again(workspace, lane, group):
    """While a lane's word favours some outcomes, draw another; group -1 is the court."""
    outcomes = COURT_OUTCOMES if group < 0 else OUTCOMES[group]
    threshold = (np.uint64(0) - outcomes) % outcomes
    index, left = workspace.bases[lane] + np.uint64(group + 1), workspace.words[lane]
    while left < threshold:
        index += RETRY
        left = mix(workspace.starts[lane] + (index + np.uint64(1)) * workspace.steps[lane])
        if group < 0:
            jack, queen, king, left = roll_court(left)
            workspace.court[0, lane], workspace.court[1, lane], workspace.court[2, lane] = (
                jack,
                queen,
                king,
            )
        else:
            for position in range(group * ROLLS, (group + 1) * ROLLS):
                offset, left = multiply_wide(left, np.uint64(OTHERS - position))
                workspace.cards[position, lane] = np.uint8(position) + offset


@piece
def roll_lanes(workspace, groups):
    """Roll for each lane where the three of the court go, and the swaps of so many groups."""
    for lane in range(LANES):
        workspace.counters[lane] = (
            workspace.starts[lane] + workspace.bases[lane] * workspace.steps[lane]
        )
    next_word(workspace)
    roll_court_lanes(workspace.court, workspace.words)
    if any_unfair(workspace, COURT_OUTCOMES):
        for lane in range(LANES):
            roll_again(workspace, lane, -1)
    for group in range(np.uint64(groups)):
        next_word(workspace)
        roll_group_lanes(workspace.cards, workspace.words, group)
        if any_unfair(workspace, OUTCOMES[group]):
            for lane in range(LANES):
                roll_again(workspace, lane, np.int64(group))


@piece
def deal_lanes(workspace, groups):
    """Deal all lanes so many groups of seven cards; the court last, over what it trades with.

    What is dealt is an index of the fresh deck, ``ORDER``.
    """
    follow_swaps(workspace.cards, np.uint64(groups))
    for lane in range(np.uint64(LANES)):
        for number in range(np.uint64(len(COURT))):
            slot = np.uint64(workspace.court[number, lane])
            workspace.cards[slot, lane] = np.uint64(OTHERS) + number


@piece
def find_slots(workspace, players):
    """Say where each seat's cards lie: four up cards, two hole cards, and the seventh street's.

    The eighth player's seventh card, and so everybody's, is the community card.
    """
    for seat in range(players):
        for street in range(UP_STREETS):
            workspace.slots[seat, street] = street * players + seat
        hole = np.uint64(first_hole(players, seat))
        workspace.slots[seat, UP_STREETS] = hole
        workspace.slots[seat, UP_STREETS + 1] = hole + np.uint64(1)
        last = 6 * players + (seat if MAX_CARDS * players <= DECK else 0)
        workspace.slots[seat, UP_STREETS + 2] = last


@kernel
def deal_tables(out, workspace, players, seed, first):
    """Fill ``out``, (tables, players, 7) uint8 by street, with the first deals of pots ``first``, …

    ``workspace`` is one record of ``WORKSPACE`` with nothing in it.
    """
    work = workspace[0]
    shared = root(seed, players, CARDS)
    find_slots(work, players)
    for start in range(0, out.shape[0], LANES):
        begin_lanes(work, shared, first + start)
        roll_lanes(work, players)
        deal_lanes(work, players)
        for lane in range(min(LANES, out.shape[0] - start)):
            for seat in range(players):
                for street in range(MAX_CARDS):
                    number = (street + UP_STREETS) % 6 if street < 6 else street
                    card = work.cards[work.slots[seat, number], lane]
                    out[start + lane, seat, street] = ORDER[card]
