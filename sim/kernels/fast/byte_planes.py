"""Hands read 32 at a time: the sums of ``evaluate``, a byte of each to a lane.

Of every card a register holds one byte a lane, its face: rank, suit, whether it is wild and whether
it costs. Tables of 16 bytes, which a register looks up in itself, turn that into what a card adds
to a hand. A rank key is added up five bits at a time, for seven times 31 fits into a byte; suit
counters lie two to a byte. What comes out is where to look a hand up: row and cell of its rank key,
and indices of its flushes.
"""

from collections.abc import Iterable, Sequence
from functools import reduce
from operator import add, or_
from typing import Any

import numpy as np
from numba.core import cgutils, types
from numba.core.extending import intrinsic

from sim.cards import DECK
from sim.game import UP_STREETS
from sim.kernels.compile import piece
from sim.kernels.evaluate import strength_at
from sim.kernels.ranks import (
    KEY_BITS,
    KEY_SHIFT,
    MAX_CARDS,
    NO_SUITS,
    RANK_KEYS,
    ROW_BITS,
    SPREAD,
    SUIT_SHIFT,
    WILD,
    starts,
)
from sim.kernels.rows import BATCH as LANES
from sim.kernels.rows import NOBODY
from sim.kernels.simd import BIT, BYTES, SIZE, TABLE, Rows, Variable, Vector, rows_of

SUIT, IS_WILD, COSTS = 4, 6, 7
"""Bits of a face above the rank, which is 13 if the card is wild."""
DIGIT_BITS = 5
"""Bits of a rank key that are added up at a time."""
ROW, CELL, LOW, HIGH = range(4)
"""Indices of a hand: row and cell of its key; lowest and highest suit of five cards."""
NO_SUIT = 127

FIELDS: list[Any] = [
    ("faces", np.uint8, (4, BYTES)),  # as ``locate_hands`` takes them
    ("indices", np.uint16, (4, LANES)),  # of a seat's hands: where to look them up,
    ("made", np.uint16, (3, LANES)),  # and what they make without and with a flush
]
"""What a workspace needs to rank hands side by side."""


@piece
def wild_of(suits):
    """Return which cards are wild, as a mask, given what ``CardWords`` says of suits."""
    wild = np.uint64(0)
    for card in range(DECK):
        wild |= np.uint64(suits[card] == 0) << np.uint64(card)
    return wild


@piece
def fill_faces(faces, order, wild, toll):
    """Fill in the faces of cards in this order, given as masks which of them are wild and cost.

    ``faces`` is (4, 32) uint8: 16 slots to a row, and the same 16 again.
    """
    for slot in range(DECK):
        card = order[slot]
        is_wild = wild >> np.uint64(card) & np.uint64(1)
        costs = toll >> np.uint64(card) & np.uint64(1)
        rank = WILD if is_wild else card >> 2
        face = np.uint64(rank) | np.uint64(card & 3) << np.uint64(SUIT)
        face |= is_wild << np.uint64(IS_WILD) | costs << np.uint64(COSTS)
        for half in range(BYTES // TABLE):
            faces[slot // TABLE, half * TABLE + slot % TABLE] = face


def _keys() -> list[int]:
    mask = (1 << KEY_BITS) - 1
    return [int(key) * (int(SPREAD) >> int(KEY_SHIFT)) & mask for key in RANK_KEYS]


def _table(entries: Sequence[int]) -> list[int]:
    return [*entries, *[0] * (TABLE - len(entries))]


@intrinsic
def split_hands(_context, hands, first, cards):  # noqa: ARG001 - Numba reads the names
    """Put as many hands as ``cards`` has lanes into it, a card to a row; tell whether any is bad.

    ``hands`` is (n, 7) uint8, contiguous, ``cards`` (7, lanes) uint8, lanes a multiple of 32. A
    hand with a card twice, or with a number above 51, is bad.
    """
    signature = types.boolean(hands, types.uint64, cards)

    def codegen(context, builder, signature, args):
        hands, cards = rows_of(context, builder, signature, args)
        bad = cgutils.alloca_once_value(builder, BIT(0))
        with cards.pieces(BYTES) as lane:
            planes = _planes(hands, builder.add(args[1], lane))
            wrong = planes[0].above(DECK - 1)
            for card, plane in enumerate(planes):
                cards.store(SIZE(card), lane, plane)
                wrong = wrong | plane.above(DECK - 1)
                for other in planes[:card]:
                    wrong = wrong | plane.same(other)
            builder.store(builder.or_(builder.load(bad), wrong.any()), bad)
        return builder.load(bad)

    return signature, codegen


def _planes(hands: Rows, first: Any) -> list[Vector]:
    """Return the first, second, … cards of 32 hands: each half of a register takes 16 hands."""
    half = BYTES // 2
    later = hands.builder.add(first, SIZE(half))
    pieces = []
    for start in range(0, half * MAX_CARDS, half):
        low, high = (hands.load(hand, SIZE(start), half) for hand in (first, later))
        pieces.append(low.joined(high))
    planes = []
    for card in range(MAX_CARDS):
        parts = []
        for number, piece_of_hands in enumerate(pieces):
            offsets = [MAX_CARDS * hand + card - half * number for hand in range(half)]
            here = [offset if 0 <= offset < half else None for offset in offsets]
            there = [None if offset is None else half + offset for offset in here]
            parts.append(piece_of_hands.picked(here + there))
        planes.append(reduce(or_, parts))
    return planes


@intrinsic
def locate_hands(_context, cards, slots, seat, faces, indices, toll_cards):  # noqa: ARG001
    """Find where to look up a seat's hands, and how many of its cards face up cost.

    ``cards``, (positions, lanes) uint8, has a row a position, and ``faces``, (4, 32) uint8, what
    its numbers stand for: 16 to a row, and again. ``slots``, (seats, 7) uint64, has each seat's
    positions, up cards first. These indices go into ``indices``, (4, lanes) uint16, and the seat's
    row of ``toll_cards``, (seats, lanes) uint16. Lanes are a multiple of 32.
    """
    signature = types.void(cards, slots, types.uint64, faces, indices, toll_cards)

    def codegen(context, builder, signature, args):
        cards, slots, faces, indices, toll_cards = rows_of(context, builder, signature, args)
        seat = args[2]
        with cards.pieces(BYTES) as first:
            table = [faces.load(SIZE(row), SIZE(0), BYTES) for row in range(4)]
            hand = [
                cards.load(slots.item(seat, SIZE(card)), first, BYTES).look_up_in(table)
                for card in range(MAX_CARDS)
            ]
            ranks = [face & 15 for face in hand]
            suits = [face >> SUIT & 7 for face in hand]
            _store_key(indices, first, ranks)
            wild = _sum(suit.look_up(_table([0] * 4 + [1] * 4)) for suit in suits)
            low, high = _suits_of_five(suits)
            indices.store(SIZE(LOW), first, _flush_index(ranks, suits, low, wild))
            indices.store(SIZE(HIGH), first, _flush_index(ranks, suits, high, wild))
            costly = _sum(face >> COSTS for face in hand[:UP_STREETS])
            toll_cards.store(seat, first, costly.wide(16))
        return context.get_dummy_value()

    return signature, codegen


@intrinsic
def locate_natural_hands(_context, cards, indices):
    """Do what ``locate_hands`` does for the seven rows of ``cards`` if nothing is wild or costs.

    There is one flush at most, so that none is stored for the highest suit of five cards.
    """
    signature = types.void(cards, indices)

    def codegen(context, builder, signature, args):
        cards, indices = rows_of(context, builder, signature, args)
        with cards.pieces(BYTES) as first:
            hand = [cards.load(SIZE(card), first, BYTES) for card in range(MAX_CARDS)]
            ranks, suits = [card >> 2 for card in hand], [card & 3 for card in hand]
            _store_key(indices, first, ranks)
            low, _ = _suits_of_five(suits)
            indices.store(SIZE(LOW), first, _flush_index(ranks, suits, low, low.like(0)))
        return context.get_dummy_value()

    return signature, codegen


def _store_key(indices: Rows, first: Any, ranks: Sequence[Vector]) -> None:
    """Store the row and the cell of the rank keys together."""
    key = _key(ranks)
    indices.store(SIZE(ROW), first, (key >> KEY_BITS - ROW_BITS).narrow(16))
    indices.store(SIZE(CELL), first, (key & (1 << KEY_BITS - ROW_BITS) - 1).narrow(16))


def _sum(parts: Iterable[Vector]) -> Vector:
    return reduce(add, parts)


def _key(ranks: Sequence[Vector]) -> Vector:
    """Return the sum of the rank keys, of which 28 bits count."""
    start = int(starts()[MAX_CARDS]) >> int(KEY_SHIFT)
    digits = []
    for shift in range(0, KEY_BITS, DIGIT_BITS):
        table = _table([key >> shift & (1 << DIGIT_BITS) - 1 for key in _keys()])
        digits.append(_sum(rank.look_up(table) for rank in ranks).wide(16))
    pairs = [
        (low + (high << DIGIT_BITS)).wide(32)
        for low, high in zip(digits[::2], digits[1::2], strict=True)
    ]
    total = _sum(pair << 2 * DIGIT_BITS * number for number, pair in enumerate(pairs))
    return total + start & (1 << KEY_BITS) - 1


def _suits_of_five(suits: Sequence[Vector]) -> tuple[Vector, Vector]:
    """Return the lowest and the highest suit of five cards; a wild card is of suits 4 to 7."""
    counters = int(NO_SUITS) >> int(SUIT_SHIFT) & 255
    tests = []
    for low in (0, 2):
        adds = [0, 0, 0, 0] + [0x11] * 4
        adds[low], adds[low + 1] = 0x01, 0x10
        total = _sum(suit.look_up(_table(adds)) for suit in suits) + counters
        tests += [total.holds(0x08), total.holds(0x80)]
    lowest = highest = suits[0].like(NO_SUIT)
    for suit in range(4):
        highest = suits[0].like(suit).where(tests[suit], highest)
        lowest = suits[0].like(3 - suit).where(tests[3 - suit], lowest)
    return lowest, highest


def _flush_index(
    ranks: Sequence[Vector], suits: Sequence[Vector], suit: Vector, wild: Vector
) -> Vector:
    """Return the index of a suit's flush: wild cards, then the ranks held, 13 bits."""
    halves = []
    for shift in (0, 8):
        table = _table([1 << rank >> shift & 255 for rank in range(WILD)])
        held = [
            rank.look_up(table).where(suits[card].same(suit), 0) for card, rank in enumerate(ranks)
        ]
        halves.append(_sum(held))
    return halves[0].wide(16) | (halves[1] | wild << 5).wide(16) << 8


@intrinsic
def compare_hands(_context, strengths, players, shown, best, holders):  # noqa: ARG001
    """Find the best hand of each lane, and how many hold it.

    ``strengths`` is (seats, lanes) int16, and all else (lanes,) int16. ``shown`` has all bits set,
    or none, and then nobody holds it.
    """
    signature = types.void(strengths, types.uint64, shown, best, holders)

    def codegen(context, builder, signature, args):
        strengths, shown, best, holders = rows_of(context, builder, signature, args)
        with strengths.pieces(BYTES) as first:
            none = Vector.of(builder, 16, 0, BYTES)
            most, number = Variable(none), Variable(none)
            with cgutils.for_range(builder, args[1]) as seat:
                strength = strengths.load(seat.index, first, BYTES)
                better, same = strength.above(most.get(), signed=True), strength.same(most.get())
                number.set(none.like(1).where(better, number.get() + same.wide(16)))
                most.set(strength.where(better, most.get()))
            best.store(SIZE(0), first, most.get())
            holders.store(SIZE(0), first, number.get() & shown.load(SIZE(0), first, BYTES))
        return context.get_dummy_value()

    return signature, codegen


@intrinsic
def find_openers(_context, cards, players, opening, opened, openers):  # noqa: ARG001
    """Find who opens the third street of each lane, if anybody does.

    ``cards`` is as in ``locate_hands``, a seat's first up card in its row, and ``opening``, (4, 32)
    uint8, has the ranks of its numbers, 1 to 52: the highest opens where ``opened``, (lanes,)
    uint8, is not 0. ``openers``, (lanes,) uint8, takes the seats.
    """
    signature = types.void(cards, types.uint64, opening, opened, openers)

    def codegen(context, builder, signature, args):
        cards, opening, opened, openers = rows_of(context, builder, signature, args)
        with cards.pieces(BYTES) as first:
            table = [opening.load(SIZE(row), SIZE(0), BYTES) for row in range(4)]
            nobody = Vector.of(builder, 8, NOBODY, BYTES)
            highest, opener = Variable(nobody.like(0)), Variable(nobody)
            with cgutils.for_range(builder, args[1]) as seat:
                rank = cards.load(seat.index, first, BYTES).look_up_in(table)
                higher = rank.above(highest.get(), signed=True)
                highest.set(rank.where(higher, highest.get()))
                opener.set(nobody.like(seat.index).where(higher, opener.get()))
            closed = opened.load(SIZE(0), first, BYTES).same(0)
            openers.store(SIZE(0), first, nobody.where(closed, opener.get()))
        return context.get_dummy_value()

    return signature, codegen


@piece
def look_up_hands(tables, flushes, workspace):
    """Look up what the located hands make without a flush, and with one or the other.

    One row of results after the other: stores that go round three rows take twice as long.
    """
    look_up_natural_hands(tables, flushes, workspace)
    for lane in range(np.uint64(LANES)):
        workspace.made[2, lane] = tables.flushes[flushes + np.uint64(workspace.indices[HIGH, lane])]


@piece
def look_up_natural_hands(tables, flushes, workspace):
    """Do the same where nothing is wild, and there is one flush at most."""
    for lane in range(np.uint64(LANES)):
        row = np.uint64(workspace.indices[ROW, lane])
        cell = np.uint64(workspace.indices[CELL, lane])
        workspace.made[0, lane] = strength_at(tables, row, cell)
    for lane in range(np.uint64(LANES)):
        workspace.made[1, lane] = tables.flushes[flushes + np.uint64(workspace.indices[LOW, lane])]


@piece
def best_made(workspace, lane):
    """Return the strength of what a hand makes at best."""
    return max(workspace.made[0, lane], max(workspace.made[1, lane], workspace.made[2, lane]))
