"""Rolls and swaps of many decks at once, 32 to a register.

A shuffle from the front gives position i what lies at its partner p(i) by then. Looking back from
i, each earlier swap whose partner that slot was had brought there what lay at its own position: so
for j = i - 1, …, 0, if the slot sought is p(j), it becomes j; what is left is a slot of the fresh
deck. That is one comparison and one choice for each pair of positions, none of which waits for
memory, and no swap is ever made.
"""

from collections.abc import Sequence
from typing import Any

from numba.core import cgutils, types
from numba.core.extending import intrinsic

from sim.kernels.deck import COURT, OTHERS, ROLLS
from sim.kernels.simd import BYTES, SIZE, Rows, Variable, Vector, rows_of

WORDS = 16
"""Words rolled with in one go."""


@intrinsic
def roll_court_lanes(_context, court, words):
    """Roll with each lane's word where jack, queen and king go; leave what is left of the word.

    ``court`` is (3, lanes) uint8, ``words`` (lanes,) uint64; lanes are a multiple of 32.
    """
    signature = types.void(court, words)

    def codegen(context, builder, signature, args):
        rows, held = rows_of(context, builder, signature, args)
        numbers = range(len(COURT))
        choices = [SIZE(OTHERS + 1 + number) for number in numbers]
        _roll(rows, held, [SIZE(number) for number in numbers], choices, [SIZE(0)] * len(COURT))
        return context.get_dummy_value()

    return signature, codegen


@intrinsic
def roll_group_lanes(_context, partners, words, group):  # noqa: ARG001
    """Roll with each lane's word what the seven positions of a group swap with; leave the rest.

    ``partners`` is (52, lanes) uint8, a row a position; ``words`` (lanes,) uint64.
    """
    signature = types.void(partners, words, types.uint64)

    def codegen(context, builder, signature, args):
        rows, held = rows_of(context, builder, signature, args)
        positions = _positions(builder, args[2])
        choices = [builder.sub(SIZE(OTHERS), position) for position in positions]
        _roll(rows, held, positions, choices, positions)
        return context.get_dummy_value()

    return signature, codegen


@intrinsic
def follow_swaps(_context, cards, groups):  # noqa: ARG001
    """Replace by its slot in the fresh deck what each position of so many groups swaps with.

    ``cards`` is (52, lanes) uint8, a row a position; lanes are a multiple of 32.
    """
    signature = types.void(cards, types.uint64)

    def codegen(context, builder, signature, args):
        (rows,) = rows_of(context, builder, signature, args)
        with rows.pieces(BYTES) as first, cgutils.for_range(builder, args[1]) as done:
            last = builder.sub(builder.sub(args[1], done.index), SIZE(1))
            _follow_group(rows, first, _positions(builder, last))
        return context.get_dummy_value()

    return signature, codegen


def _positions(builder: Any, group: Any) -> list[Any]:
    first = builder.mul(group, SIZE(ROLLS))
    return [builder.add(first, SIZE(swap)) for swap in range(ROLLS)]


def _roll(
    rows: Rows, words: Rows, targets: Sequence[Any], choices: Sequence[Any], starts: Sequence[Any]
) -> None:
    """Roll with each word, into so many rows, from a start among so many choices.

    A word is taken in two halves, for a product of 64 by 64 bits takes a vector many instructions.
    """
    builder = rows.builder
    with words.pieces(WORDS) as first:
        word = words.load(SIZE(0), first, WORDS)
        low, high = word & 0xFFFFFFFF, word >> 32
        for target, number, start in zip(targets, choices, starts, strict=True):
            factor = Vector.of(builder, 64, number, WORDS)
            below = low * factor
            above = high * factor + (below >> 32)
            rows.store(target, first, (above >> 32).narrow(8) + start)
            low, high = below & 0xFFFFFFFF, above & 0xFFFFFFFF
        words.store(SIZE(0), first, high << 32 | low)


def _follow_group(rows: Rows, first: Any, positions: Sequence[Any]) -> None:
    """Follow the swaps of seven positions back to the fresh deck: their own, then all earlier."""
    builder = rows.builder
    partners = [rows.load(position, first, BYTES) for position in positions]
    sought = list(partners)
    for own in range(ROLLS):
        for swap in reversed(range(own)):
            sought[own] = _back(sought[own], partners[swap], positions[swap])
    held = [Variable(slot) for slot in sought]
    with cgutils.for_range(builder, positions[0]) as done:
        earlier = builder.sub(builder.sub(positions[0], SIZE(1)), done.index)
        partner = rows.load(earlier, first, BYTES)
        for slot in held:
            slot.set(_back(slot.get(), partner, earlier))
    for position, slot in zip(positions, held, strict=True):
        rows.store(position, first, slot.get())


def _back(slot: Vector, partner: Vector, position: Any) -> Vector:
    """Return where lay, before this swap, what then lies at a slot."""
    return slot.like(position).where(slot.same(partner), slot)
