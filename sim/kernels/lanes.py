"""Decks side by side: the deals of ``deck``, many at a time.

Words and rolls are made for a whole round of lanes in one loop, which vectorises; then come the
swaps, lane by lane. Only the 49 positions that a deal can need are settled.
"""

from typing import Any

import numpy as np

from sim.cards import DECK
from sim.game import MAX_PLAYERS, UP_STREETS
from sim.kernels.compile import kernel, part, piece
from sim.kernels.deck import COURT, COURT_OUTCOMES, OTHERS, OUTCOMES, ROLLS, first_hole, fresh
from sim.kernels.ranks import MAX_CARDS
from sim.kernels.stream import CARDS, RETRY, mix, pot_stream, root

LANES = 64
"""Decks dealt side by side."""
GROUPS = OTHERS // ROLLS
LOW = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)
TOP = np.uint64(63)
BYTE = np.uint64(255)
BYTES = np.uint64(0x01010101010101)
COUNTING = np.uint64(0x06050403020100)
JACK, QUEEN, KING = COURT

FIELDS: list[Any] = [
    ("starts", np.uint64, LANES),
    ("steps", np.uint64, LANES),
    ("bases", np.uint64, LANES),  # where the words of the deal begin
    ("left", np.uint64, LANES),  # of a word, when all its rolls are taken
    ("court", np.uint64, LANES),  # places of jack, queen, king, a byte each
    ("rolls", np.uint64, (GROUPS, LANES)),  # seven places to swap with, a byte each
    ("groups", np.uint64, (LANES, GROUPS + 1)),  # cards, seven to a word
    ("deck", np.uint8, 64),
    ("places", np.uint64, (MAX_CARDS, MAX_PLAYERS)),  # of each seat's cards, up cards first
]


def room_of(more: list[Any]) -> np.dtype[np.void]:
    """Return a record for decks side by side, with ``more`` fields.

    It has ``cards``, too, (LANES, 64) uint8: the bytes of ``groups``.
    """
    plain: Any = np.dtype([*FIELDS, *more], align=True)
    offsets = {name: plain.fields[name][1] for name in plain.names}
    return np.dtype(
        {
            "names": [*offsets, "cards"],
            "formats": [*(plain[name] for name in offsets), (np.uint8, (LANES, 8 * (GROUPS + 1)))],
            "offsets": [*offsets.values(), offsets["groups"]],
            "itemsize": plain.itemsize,
            "aligned": True,
        }
    )


ROOM = room_of([])
"""Where decks lie while they are dealt."""


@piece
def begin_lanes(room, shared, first):
    """Begin the streams of the pots from number ``first`` on."""
    for lane in range(LANES):
        stream = pot_stream(shared, first + lane)
        room.starts[lane], room.steps[lane] = stream.start, stream.step


@piece
def take(low, high, choices):
    """Roll with a word in two halves, of each of which the low 32 bits count; return what is left.

    A product of 64 by 64 bits would not vectorise.
    """
    first = (low & LOW) * choices
    second = (high & LOW) * choices + (first >> HALF)
    return second >> HALF, first, second


@piece
def roll_court(word):
    """Return what a word rolls for jack, queen and king, a byte each, and what is left of it."""
    low, high = word, word >> HALF
    jack, low, high = take(low, high, np.uint64(OTHERS + 1))
    queen, low, high = take(low, high, np.uint64(OTHERS + 2))
    king, low, high = take(low, high, np.uint64(OTHERS + 3))
    return jack | queen << np.uint64(8) | king << np.uint64(16), high << HALF | (low & LOW)


@piece
def roll_group(word, group):
    """Return the seven places that a word rolls to swap with, a byte each, and what is left."""
    position = np.uint64(group) * np.uint64(ROLLS)
    choices = np.uint64(OTHERS) - position
    low, high = word, word >> HALF
    places = position * BYTES + COUNTING
    for swap in range(np.uint64(ROLLS)):
        ahead, low, high = take(low, high, choices - swap)
        places += ahead << np.uint64(8) * swap
    return places, high << HALF | (low & LOW)


@piece
def any_unfair(room, outcomes):
    """Whether a lane's word may favour some of so many outcomes; hardly ever one does."""
    seen = np.uint64(0)
    for lane in range(LANES):
        seen |= ~room.left[lane] & (room.left[lane] - outcomes)  # the top bit, if it is less
    return seen >> TOP != 0


@part
def roll_again(room, lane, group):
    """While a lane's word favours some outcomes, draw another; group -1 is the court."""
    outcomes = COURT_OUTCOMES if group < 0 else OUTCOMES[group]
    threshold = (np.uint64(0) - outcomes) % outcomes
    index = room.bases[lane] + np.uint64(group + 1)
    while room.left[lane] < threshold:
        index += RETRY
        again = mix(room.starts[lane] + (index + np.uint64(1)) * room.steps[lane])
        if group < 0:
            room.court[lane], room.left[lane] = roll_court(again)
        else:
            room.rolls[group, lane], room.left[lane] = roll_group(again, group)


@piece
def roll_lanes(room, groups):
    """Roll for each lane where the three of the court go, and the swaps of so many groups."""
    for lane in range(LANES):  # words apart from rolls, or neither is vectorised
        index = room.bases[lane] + np.uint64(1)
        room.left[lane] = mix(room.starts[lane] + index * room.steps[lane])
    for lane in range(LANES):
        room.court[lane], room.left[lane] = roll_court(room.left[lane])
    if any_unfair(room, COURT_OUTCOMES):
        for lane in range(LANES):
            roll_again(room, lane, -1)
    for group in range(GROUPS):  # a constant number, so that the choices are constants, too
        if group < groups:
            for lane in range(LANES):
                index = room.bases[lane] + np.uint64(group + 2)
                room.left[lane] = mix(room.starts[lane] + index * room.steps[lane])
            for lane in range(LANES):
                room.rolls[group, lane], room.left[lane] = roll_group(room.left[lane], group)
            if any_unfair(room, OUTCOMES[group]):
                for lane in range(LANES):
                    roll_again(room, lane, group)


@piece
def place_of(position):
    """Return where a position's card lies among groups of seven, each in eight bytes."""
    return position + (position * np.uint64(37) >> np.uint64(8))


@piece
def deal_lane(room, lane, groups):
    """Take a lane's cards from a fresh deck: a card that leaves need not be written back.

    Where the court goes beyond what is dealt, it need not be seen.
    """
    fresh(room.deck)
    for group in range(np.uint64(groups)):
        places = room.rolls[group, lane]
        position = group * np.uint64(ROLLS)
        cards = np.uint64(0)
        for swap in range(np.uint64(ROLLS)):
            shift = np.uint64(8) * swap
            place = places >> shift & BYTE
            cards |= np.uint64(room.deck[place]) << shift
            room.deck[place] = room.deck[position + swap]
        room.groups[lane, group] = cards
    court = room.court[lane]
    room.cards[lane, place_of(court & BYTE)] = JACK
    room.cards[lane, place_of(court >> np.uint64(8) & BYTE)] = QUEEN
    room.cards[lane, place_of(court >> np.uint64(16))] = KING


@piece
def find_places(room, players):
    """Say where each seat's cards lie: four up cards, two hole cards, and the seventh street's.

    The eighth player's seventh card, and so everybody's, is the community card.
    """
    for seat in range(players):
        for street in range(UP_STREETS):
            room.places[street, seat] = place_of(np.uint64(street * players + seat))
        hole = np.uint64(first_hole(players, seat))
        room.places[UP_STREETS, seat] = place_of(hole)
        room.places[UP_STREETS + 1, seat] = place_of(hole + np.uint64(1))
        last = 6 * players + (seat if MAX_CARDS * players <= DECK else 0)
        room.places[UP_STREETS + 2, seat] = place_of(np.uint64(last))


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
        for lane in range(min(LANES, out.shape[0] - start)):
            deal_lane(place, np.uint64(lane), players)
            for seat in range(players):
                for street in range(MAX_CARDS):
                    number = (street + UP_STREETS) % 6 if street < 6 else street
                    out[start + lane, seat, street] = place.cards[lane, place.places[number, seat]]
