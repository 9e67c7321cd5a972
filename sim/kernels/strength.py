"""Expected hand strength before the last card: exact, counted over all cards to come.

Two hands have the same future if they have as many cards, the same ranks, as many wild cards, and
the same ranks in every suit that can still reach five. Such hands form a cell, and cells a chain:
one hand of each, dealt every next card, reaches all cells of one card more. There are 163,060 for
the plain deck and 237,933 with spades wild, few enough to keep the value of every one. Forwards the
chain counts how many hands have each strength; backwards it adds up what they are worth. No value
is an estimate: all that is lost is two roundings, of a finished hand's worth and of the mean.

Measured for the plain deck and with spades wild: made in 1 and 2 s, looked up in 10 to 25 ns.

A cell is found by a hash, and a second look-up that keeps cells apart (Belazzougui, Botelho and
Dietzfelbinger, "Hash, displace, and compress", 2009).
"""

from collections.abc import Iterable
from itertools import pairwise
from math import perm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.kernels.compile import kernel, piece
from sim.kernels.evaluate import ONE_OF_EACH_SUIT, CardWords, add_up, card_words, rank_hand
from sim.kernels.ranks import CLASS_SHIFT, MAX_CARDS, SUIT_SHIFT, RankTables

ONE = 1 << 16
"""The scale of shares and their powers: rounded, and at most ``ONE - 1``, to fit 16 bits."""
MAX_OPPONENTS = 7
DECK = 52
CAPACITY = 1 << 20
"""How many cells may be made: one card wild in each of three suits makes most, 807,873."""
MAX_SHIFT = (1 << 16) - 1
RANK_MASK = np.uint64(0x1FFF)
HALF = np.uint64(32)
FIRST_MIX, SECOND_MIX = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD6E8FEB86659FD93)


LAYOUT = np.dtype(
    [
        ("slots", np.int64, MAX_CARDS + 2),  # where hands of 0, 1, … 7 cards begin, and the end
        ("buckets", np.int64, MAX_CARDS + 1),  # the same of buckets, for 0 to 6 cards
        ("groups", np.uint64, 4),  # by suit: the first one alike, as ``suit_groups`` says
        ("flushes", np.int64),  # as in ``CardWords``
    ]
)


class StrengthTable(NamedTuple):
    """What ``expected_strength`` looks up, for one set of wild cards."""

    values: NDArray[np.uint16]
    """(7, slots), by opponents less one and slot of a cell; finished hands' cells are strengths.
    In this order what is looked up with so many cards and opponents lies close together."""
    shifts: NDArray[np.uint16]
    """By bucket of cells: what moves them to slots of their own."""
    layout: NDArray[np.void]
    """(1,) ``LAYOUT``."""


class Cells(NamedTuple):
    """One hand of every cell, fewest cards first."""

    held: NDArray[np.uint64]
    """Its cards, as a mask."""
    totals: NDArray[np.uint64]
    """The sum of its words, start included."""
    suits: NDArray[np.uint64]
    hashes: NDArray[np.uint64]
    ways: NDArray[np.int64]
    """How many deals, card by card in order, end in the cell."""
    numbers: NDArray[np.int32]
    """By hash: which of these cells, or -1."""
    borders: NDArray[np.int64]
    """(8,): where the cells of 0, 1, … cards begin, and the end."""


@piece
def mix(word):
    """Spread a word over 64 bits."""
    word *= FIRST_MIX
    return (word ^ word >> HALF) * SECOND_MIX


@piece
def below(word, size):
    """Return a number below ``size`` from the word's high half, without dividing."""
    return np.int64((word >> HALF) * np.uint64(size) >> HALF)


@piece
def cell_of(groups, total, suits, cards):
    """Return a hash that all hands of a cell share.

    Suits are added up, so that those of a group may change places. Bit 3 of a suit's counter is
    set if cards to come could make it five.
    """
    counters = total + np.uint64(MAX_CARDS - cards) * ONE_OF_EACH_SUIT
    cell = mix(total >> CLASS_SHIFT)
    for suit in range(4):
        live = counters >> SUIT_SHIFT + np.uint64(4 * suit + 3) & np.uint64(1)
        cell += live * mix((suits >> np.uint64(16 * suit)) & RANK_MASK | groups[suit])
    return cell


@piece
def slot_at(cell, shift, slots):
    """Return the slot that a shift gives to a cell."""
    return below((cell ^ np.uint64(shift)) * FIRST_MIX, slots)


@piece
def slot_of(table, total, suits, cards):
    """Return where in ``values`` the expected strength of a hand of 0 to 6 cards lies."""
    layout = table.layout[0]
    first, last = layout.slots[cards], layout.slots[cards + 1]
    cell = cell_of(layout.groups, total, suits, cards)
    bucket = below(cell, layout.buckets[cards + 1] - layout.buckets[cards])
    return first + slot_at(cell, table.shifts[layout.buckets[cards] + bucket], last - first)


@piece
def expected_strength(table, tables, total, suits, cards, opponents):
    """Return the chance, times ``ONE``, that a hand of 0 to 7 cards will beat 1 to 7 random hands.

    With F the share of all seven-card hands that a finished hand beats, ties half, this is the
    mean of F to the power of ``opponents`` over all ways to complete the hand from the rest of the
    deck. ``total``, start included, and ``suits`` are as for ``rank_hand``.
    """
    layout = table.layout[0]
    if cards == MAX_CARDS:
        strength = np.int64(rank_hand(tables, layout.flushes, total, suits))
        slot = layout.slots[MAX_CARDS] + strength
    else:
        slot = slot_of(table, total, suits, cards)
    return table.values[opponents - 1, slot]


@kernel
def look_up(table, tables, cards, hands, opponents, out):
    """Fill ``out``, (n,) float64, with ``expected_strength`` of ``hands``, (n, k) uint8, as shares.

    Return the number of the first hand with a repeated or unknown card, or -1.
    """
    size = hands.shape[1]
    for hand in range(hands.shape[0]):
        good, total, suits = add_up(tables.starts[size], cards, hands, hand)
        if not good:
            return hand
        out[hand] = expected_strength(table, tables, total, suits, size, opponents) / ONE
    return -1


@piece
def seek(cells, cell):
    """Return where among the numbers a hash is, or would be."""
    slot = below(cell, len(cells.numbers))
    while cells.numbers[slot] >= 0 and cells.hashes[cells.numbers[slot]] != cell:
        slot = (slot + 1) % len(cells.numbers)
    return slot


@piece
def holds(cells, number, card):
    """Return whether a cell's hand holds the card."""
    return cells.held[number] >> np.uint64(card) & np.uint64(1) != 0


@piece
def deal(tables, cards, cells, number, size, card):
    """Return the total and suits of a cell's hand of ``size`` cards and one card more."""
    step = tables.starts[size + 1] - tables.starts[size]
    return cells.totals[number] + step + cards.words[card], cells.suits[number] | cards.suits[card]


@kernel
def deal_cells(tables, cards, groups, cells):
    """Fill the cells of 0 to 6 cards, each with the first hand that is dealt into it."""
    cells.totals[0], cells.ways[0] = tables.starts[0], 1
    cells.hashes[0] = cell_of(groups, cells.totals[0], cells.suits[0], 0)
    made = 1
    for size in range(MAX_CARDS - 1):
        cells.borders[size + 1] = made
        for number in range(cells.borders[size], cells.borders[size + 1]):
            for card in range(DECK):
                if holds(cells, number, card):
                    continue
                total, suits = deal(tables, cards, cells, number, size, card)
                cell = cell_of(groups, total, suits, size + 1)
                slot = seek(cells, cell)
                if cells.numbers[slot] < 0:
                    if made == CAPACITY:
                        raise OverflowError("there is no room for so many cells")
                    cells.numbers[slot] = made
                    cells.held[made] = cells.held[number] | np.uint64(1) << np.uint64(card)
                    cells.totals[made], cells.suits[made], cells.hashes[made] = total, suits, cell
                    made += 1
                cells.ways[cells.numbers[slot]] += cells.ways[number]
    cells.borders[MAX_CARDS] = made


@kernel
def count_strengths(tables, cards, cells, counts):
    """Add up, by strength, the deals of seven cards: every hand as often as it has orders."""
    size = MAX_CARDS - 1
    for number in range(cells.borders[size], cells.borders[size + 1]):
        for card in range(DECK):
            if not holds(cells, number, card):
                total, suits = deal(tables, cards, cells, number, size, card)
                counts[rank_hand(tables, cards.flushes, total, suits)] += cells.ways[number]


@kernel
def sum_ahead(tables, cards, groups, finished, cells, sums):
    """Fill ``sums``, (cells, 7) int64: ``finished`` added up over all deals to come."""
    for size in range(MAX_CARDS - 1, -1, -1):
        for number in range(cells.borders[size], cells.borders[size + 1]):
            for card in range(DECK):
                if holds(cells, number, card):
                    continue
                total, suits = deal(tables, cards, cells, number, size, card)
                if size + 1 == MAX_CARDS:
                    strength = rank_hand(tables, cards.flushes, total, suits)
                    for power in range(MAX_OPPONENTS):
                        sums[number, power] += finished[power, strength]
                else:
                    following = cells.numbers[seek(cells, cell_of(groups, total, suits, size + 1))]
                    for power in range(MAX_OPPONENTS):
                        sums[number, power] += sums[following, power]


@kernel
def count_buckets(hashes, sizes):
    """Count the cells in every bucket."""
    for cell in hashes:
        sizes[below(cell, len(sizes))] += 1


@kernel
def displace(hashes, values, borders, order, shifts, taken, filled):
    """Fill ``shifts`` and ``filled``: each bucket gets the first shift that keeps its cells apart.

    ``hashes``, sorted, and ``values`` list the cells, ``borders`` where each bucket begins, and the
    end; ``order`` says which bucket chooses first. ``taken`` marks the slots in use.
    """
    for bucket in order:
        first, last = borders[bucket], borders[bucket + 1]
        shift, cell = 0, first
        while cell < last:
            slot = slot_at(hashes[cell], shift, len(filled))
            if not taken[slot]:
                taken[slot] = True
                cell += 1
                continue
            for earlier in range(first, cell):
                taken[slot_at(hashes[earlier], shift, len(filled))] = False
            shift, cell = shift + 1, first
            if shift > MAX_SHIFT:
                raise OverflowError("no shift keeps the cells of a bucket apart")
        shifts[bucket] = shift
        for cell in range(first, last):
            slot = slot_at(hashes[cell], shift, len(filled))
            for power in range(MAX_OPPONENTS):
                filled[slot, power] = values[cell, power]


def make_cells(tables: RankTables, cards: CardWords, groups: NDArray[np.uint64]) -> Cells:
    """Make all cells of 0 to 6 cards."""
    held, totals, suits, hashes = (np.zeros(CAPACITY, np.uint64) for _ in range(4))
    numbers, borders = np.full(2 * CAPACITY, -1, np.int32), np.zeros(MAX_CARDS + 1, np.int64)
    cells = Cells(held, totals, suits, hashes, np.zeros(CAPACITY, np.int64), numbers, borders)
    deal_cells(tables, cards, groups, cells)
    return cells


def powers(counts: NDArray[np.int64]) -> NDArray[np.uint16]:
    """Return what every strength is worth, (7, strengths), from how many hands have it."""
    both = 2 * int(counts.sum())
    beaten = (2 * np.cumsum(counts) - counts).astype(object)  # ties half; whole numbers have room
    shares = [
        (2 * ONE * beaten**power + both**power) // (2 * both**power)
        for power in range(1, MAX_OPPONENTS + 1)
    ]
    return np.array(np.minimum(np.array(shares), ONE - 1), np.uint16)


def means(sums: NDArray[np.int64], borders: NDArray[np.int64]) -> NDArray[np.uint16]:
    """Divide what ``sum_ahead`` added up by the number of deals that complete a hand."""
    deals = [perm(DECK - count, MAX_CARDS - count) for count in range(MAX_CARDS)]
    each = np.repeat(deals, np.diff(borders))[:, np.newaxis]
    rounded: NDArray[np.uint16] = ((sums + each // 2) // each).astype(np.uint16)
    return rounded


def scatter(
    hashes: NDArray[np.uint64], values: NDArray[np.uint16]
) -> tuple[NDArray[np.uint16], NDArray[np.uint16]]:
    """Return values by slot, (slots, 7), and shifts by bucket, of hands of a size.

    There are four cells a bucket and ten slots for nine cells. Buckets follow the order of
    hashes; large ones choose while there is most room.
    """
    order = np.argsort(hashes)
    hashes, values = hashes[order], values[order]
    shifts = np.zeros(len(hashes) // 4 + 1, np.uint16)
    placed = np.zeros((len(hashes) * 10 // 9 + 1, MAX_OPPONENTS), np.uint16)
    sizes = np.zeros(len(shifts), np.int64)
    count_buckets(hashes, sizes)
    borders, large_first = borders_of(sizes), np.argsort(-sizes, kind="stable")
    displace(hashes, values, borders, large_first, shifts, np.zeros(len(placed), np.bool_), placed)
    return placed, shifts


def borders_of(sizes: Iterable[int]) -> NDArray[np.int64]:
    """Return where each of these begins when they lie side by side, and the end."""
    return np.cumsum([0, *sizes])


def suit_groups(wild: int) -> NDArray[np.uint64]:
    """Return, for every suit, the number times 8192 of the first with the same ranks wild."""
    ranks = [wild >> suit & sum(1 << 4 * rank for rank in range(13)) for suit in range(4)]
    return np.array([ranks.index(own) << 13 for own in ranks], np.uint64)


def build(tables: RankTables, wild: int, flush_repeats: bool) -> StrengthTable:
    """Make the table for a set of wild cards, in a second or two once compiled."""
    cards, groups = card_words(wild, flush_repeats=flush_repeats), suit_groups(wild)
    cells = make_cells(tables, cards, groups)
    counts = np.zeros(len(tables.values), np.int64)
    count_strengths(tables, cards, cells, counts)
    finished = powers(counts)
    sums = np.zeros((cells.borders[MAX_CARDS], MAX_OPPONENTS), np.int64)
    sum_ahead(tables, cards, groups, finished, cells, sums)
    values = means(sums, cells.borders)
    sizes = [slice(*pair) for pair in pairwise(cells.borders)]
    parts = [scatter(cells.hashes[size], values[size]) for size in sizes]
    placed, shifts = [part[0] for part in parts] + [finished.T], [part[1] for part in parts]
    layout = np.zeros(1, LAYOUT)
    layout["slots"], layout["buckets"] = borders_of(map(len, placed)), borders_of(map(len, shifts))
    layout["groups"], layout["flushes"] = groups, cards.flushes
    return StrengthTable(np.concatenate(placed).T.copy(), np.concatenate(shifts), layout)


NO_STRENGTH_TABLE = StrengthTable(
    np.zeros((MAX_OPPONENTS, 0), np.uint16), np.zeros(0, np.uint16), np.zeros(1, LAYOUT)
)
"""For games in which nobody looks at his hand."""
