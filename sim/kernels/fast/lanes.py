"""Decks side by side: the deals of ``deck``, many at a time.

Words are made for all lanes in one loop, which vectorises; rolls and swaps are those of ``swaps``.
Only the 49 positions that a deal can need are settled.
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
from sim.kernels.fast.byte_planes import LANES
from sim.kernels.ranks import MAX_CARDS
from sim.kernels.stream import CARDS, RETRY, mix, multiply_wide, pot_stream, root
from sim.kernels.fast.fisher_yates import follow_swaps, roll_court_lanes, roll_group_lanes

GROUPS = OTHERS // ROLLS
TOP = np.uint64(63)

FIELDS: list[Any] = [
    ("starts", np.uint64, LANES),
    ("steps", np.uint64, LANES),
    ("bases", np.uint64, LANES),  # where the words of the deal begin
    ("counters", np.uint64, LANES),  # of which the word is a mix
    ("words", np.uint64, LANES),  # and what is left of it when its rolls are taken
    ("court", np.uint8, (len(COURT), LANES)),  # where jack, queen, king go
    ("cards", np.uint8, (DECK, LANES)),  # by position: places of a fresh deck
    ("places", np.uint64, (MAX_PLAYERS, MAX_CARDS)),  # of each seat's cards, up cards first
]


def room_of(more: list[Any]) -> np.dtype[np.void]:
    """Return a record for decks side by side, with ``more`` fields.

    They come first: Numba warns where one record begins like another, and would take it for that.
    """
    return np.dtype([*more, *FIELDS], align=True)


ROOM = room_of([])
"""Where decks lie while they are dealt."""


@piece
def begin_lanes(room, shared, first):
    """Begin the streams of the pots from number ``first`` on."""
    for lane in range(LANES):
        stream = pot_stream(shared, first + lane)
        room.starts[lane], room.steps[lane] = stream.start, stream.step


@piece
def any_unfair(room, outcomes):
    """Whether a lane's word may favour some of so many outcomes; hardly ever one does."""
    seen = np.uint64(0)
    for lane in range(LANES):
        seen |= ~room.words[lane] & (room.words[lane] - outcomes)  # the top bit, if it is less
    return seen >> TOP != 0


@piece
def next_word(room):
    """Go on to each lane's next word."""
    for lane in range(LANES):
        room.counters[lane] += room.steps[lane]
        room.words[lane] = mix(room.counters[lane])


@part
def roll_again(room, lane, group):
    """While a lane's word favours some outcomes, draw another; group -1 is the court."""
    outcomes = COURT_OUTCOMES if group < 0 else OUTCOMES[group]
    threshold = (np.uint64(0) - outcomes) % outcomes
    index, left = room.bases[lane] + np.uint64(group + 1), room.words[lane]
    while left < threshold:
        index += RETRY
        left = mix(room.starts[lane] + (index + np.uint64(1)) * room.steps[lane])
        if group < 0:
            jack, queen, king, left = roll_court(left)
            room.court[0, lane], room.court[1, lane], room.court[2, lane] = jack, queen, king
        else:
            for position in range(group * ROLLS, (group + 1) * ROLLS):
                ahead, left = multiply_wide(left, np.uint64(OTHERS - position))
                room.cards[position, lane] = np.uint8(position) + ahead


@piece
def roll_lanes(room, groups):
    """Roll for each lane where the three of the court go, and the swaps of so many groups."""
    for lane in range(LANES):
        room.counters[lane] = room.starts[lane] + room.bases[lane] * room.steps[lane]
    next_word(room)
    roll_court_lanes(room.court, room.words)
    if any_unfair(room, COURT_OUTCOMES):
        for lane in range(LANES):
            roll_again(room, lane, -1)
    for group in range(np.uint64(groups)):
        next_word(room)
        roll_group_lanes(room.cards, room.words, group)
        if any_unfair(room, OUTCOMES[group]):
            for lane in range(LANES):
                roll_again(room, lane, np.int64(group))


@piece
def deal_lanes(room, groups):
    """Deal all lanes so many groups of seven cards; the court last, over what it trades with.

    What is dealt is a place of the fresh deck, ``ORDER``.
    """
    follow_swaps(room.cards, np.uint64(groups))
    for lane in range(np.uint64(LANES)):
        for number in range(np.uint64(len(COURT))):
            place = np.uint64(room.court[number, lane])
            room.cards[place, lane] = np.uint64(OTHERS) + number


@piece
def find_places(room, players):
    """Say where each seat's cards lie: four up cards, two hole cards, and the seventh street's.

    The eighth player's seventh card, and so everybody's, is the community card.
    """
    for seat in range(players):
        for street in range(UP_STREETS):
            room.places[seat, street] = street * players + seat
        hole = np.uint64(first_hole(players, seat))
        room.places[seat, UP_STREETS] = hole
        room.places[seat, UP_STREETS + 1] = hole + np.uint64(1)
        last = 6 * players + (seat if MAX_CARDS * players <= DECK else 0)
        room.places[seat, UP_STREETS + 2] = last


@kernel
def deal_tables(out, room, players, seed, first):
    """Fill ``out``, (tables, players, 7) uint8 by street, with the first deals of pots ``first``, …

    ``room`` is one record of ``ROOM`` with nothing in it.
    """
    place = room[0]
    shared = root(seed, players, CARDS)
    find_places(place, players)
    for start in range(0, out.shape[0], LANES):
        begin_lanes(place, shared, first + start)
        roll_lanes(place, players)
        deal_lanes(place, players)
        for lane in range(min(LANES, out.shape[0] - start)):
            for seat in range(players):
                for street in range(MAX_CARDS):
                    number = (street + UP_STREETS) % 6 if street < 6 else street
                    card = place.cards[place.places[seat, number], lane]
                    out[start + lane, seat, street] = ORDER[card]
