"""The rank tables: from a sum of card words to a hand's strength in one look-up.

A hand is scored by adding one 64-bit word a card to a start for the number of cards. From the high
end:

- bits 36-63, the rank key, spread: sums of up to seven ``RANK_KEYS`` are distinct for distinct
  multisets of ranks (at most four of a rank, up to seven wild cards), so the sum says which ranks
  are held. The start moves hands of different sizes to different sums. Multiplied by an odd number
  modulo 2^28, as by adding words that are products already, all stay distinct, and lie evenly.
- bit 29: five or six cards; bit 30: fewer.
- bits 13-28, four counters of four bits, one a suit, that start at 3: bit 3 is set once five cards
  of the suit (or wild) are there.
- bits 10-12, how many cards are wild. A wild card is a fourteenth rank and adds one to every suit.

The rank key's high bits choose a row, whose offset is such that no two classes share a slot
(row displacement; Tarjan and Yao, "Storing a sparse table", 1979). Hands of seven, which matter
most, have rows of their own, and are placed first: 99 of 100 classes lie in 160 kB, where sums that
are not spread take 390. A flush is looked up by (wild cards, 13-bit mask of the suit's natural
ranks).

Strengths are the ranks of all reachable hand values in one order, the same for one to seven cards
and for any wild cards; a missing card counts below a deuce, so another card never weakens a hand.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.kernels.compile import builder, piece

RANK_KEYS = np.array(
    [0, 1, 5, 22, 98, 453, 2031, 8698, 22854, 83661, 262349, 636345, 1479181, 3369610]
)
"""Deuce … ace, then wild: each the smallest integer that keeps all seven-card sums distinct.
``python -m benchmarks.rank_keys`` finds them again (SpecialKEval's, and the wild)."""
LIMITS = np.array([4] * 13 + [7])
"""How many cards of each rank, and how many wild cards, a hand may hold."""
WILD = 13
MAX_CARDS = 7
BOARD_CARDS = 4
"""As many cards as a player shows at most."""
KEY_BITS, ROW_BITS = 28, 14
"""Of the rank key, and of a row's number."""
KEY_SHIFT, ROW_SHIFT = np.uint64(64 - KEY_BITS), np.uint64(64 - ROW_BITS)
CELL_MASK = np.uint64((1 << KEY_BITS - ROW_BITS) - 1)
SHORT_ROWS, SHORT_ROW_MASK = np.uint64(1 << ROW_BITS), np.uint64((1 << 12) - 1)
"""Rows for five and six cards: where they begin, and how much of the number counts."""
BOARD_ROWS, BOARD_ROW_MASK = SHORT_ROWS + SHORT_ROW_MASK + np.uint64(1), np.uint64((1 << 10) - 1)
"""The same for fewer."""
BOARD_CELL_MASK = np.uint64((1 << 11) - 1)
SPREAD = np.uint64(0x9E3779B) << KEY_SHIFT
"""What a rank key is multiplied by: 2^28 over the golden ratio (Knuth, "Sorting and Searching")."""
SHORT, BOARD = np.uint64(1 << 29), np.uint64(1 << 30)
CLASS_SHIFT = np.uint64(29)
"""What lies above is the same for all hands of a class, and for no other hand of any size."""
SUIT_SHIFT, WILD_SHIFT = np.uint64(13), np.uint64(10)
NO_SUITS = np.uint64(0x3333) << SUIT_SHIFT
"""The suit counters before the first card."""
STEP = 2
"""All offsets are multiples of it, so that 16 bits hold them."""
FLUSH_SIZE = 8 * 8192

(
    HIGH_CARD, ONE_PAIR, TWO_PAIR, TRIPS, STRAIGHT, FLUSH,
    FULL_HOUSE, QUADS, STRAIGHT_FLUSH, ROYAL_FLUSH, FIVE_OF_A_KIND,
) = range(11)  # fmt: skip
CATEGORIES = (
    "high card", "one pair", "two pair", "three of a kind", "straight", "flush",
    "full house", "four of a kind", "straight flush", "royal flush", "five of a kind",
)  # fmt: skip


class RankTables(NamedTuple):
    """What ``rank_hand`` looks up."""

    starts: NDArray[np.uint64]
    """(8,): the word to start from, by number of cards."""
    offsets: NDArray[np.uint16]
    """By row of the rank key: what to add, times ``STEP``, to the key's low bits."""
    strengths: NDArray[np.uint16]
    """By slot: strength without a flush."""
    flushes: NDArray[np.uint16]
    """(2 * 8 * 8192,): strength of the best flush, by (repeats allowed, wild cards, suit mask)."""
    categories: NDArray[np.uint8]
    """By strength: index into ``CATEGORIES``; strength 0 is no hand."""
    values: NDArray[np.int32]
    """By strength: ``category << 20`` and five ranks (deuce = 1) of four bits each."""


def as_record(tables: RankTables) -> Any:
    """Return the tables as one record, which crosses into kernels as a single pointer."""
    kinds = [(name, array.dtype, array.shape) for name, array in tables._asdict().items()]
    record = np.rec.array(np.zeros(1, kinds))[0]
    for name, array in tables._asdict().items():
        record[name][...] = array
    return record


@piece
def seven_cell(total):
    """Return (row, cell of the row) of the rank key in a sum of seven words, start included."""
    return total >> ROW_SHIFT, total >> KEY_SHIFT & CELL_MASK


@piece
def short_cell(total):
    """Return the same for five or six words."""
    return total >> ROW_SHIFT & SHORT_ROW_MASK | SHORT_ROWS, total >> KEY_SHIFT & CELL_MASK


@piece
def board_cell(total):
    """Return the same for one to four words: few rows and close by, for they compete for caches."""
    row = total >> ROW_SHIFT & BOARD_ROW_MASK | BOARD_ROWS
    return row, total >> KEY_SHIFT & BOARD_CELL_MASK


@builder
def encode(category, first=-1, second=-1, third=-1, fourth=-1, fifth=-1):
    """Pack a category and up to five ranks into one comparable int; -1 is a missing card."""
    value = category
    for rank in (first, second, third, fourth, fifth):
        value = value * 16 + rank + 1
    return value


@builder
def kickers(counts, size, used, other):
    """Return the ``size`` highest natural ranks apart from two used ones, -1 if missing."""
    best = np.full(5, -1)
    taken = 0
    for rank in range(12, -1, -1):
        if rank not in (used, other):
            for _ in range(counts[rank]):
                if taken < size:
                    best[taken] = rank
                    taken += 1
    return best


@builder
def straight_high(mask, wild):
    """Return the high rank of the best straight these ranks and wild cards make, or -1."""
    for high in range(12, 2, -1):
        missing = 0
        for step in range(5):
            rank = high - step if high >= step else 12
            missing += 1 - (mask >> rank & 1)
        if missing <= wild:
            return high
    return -1


@builder
def best_of_ranks(counts):
    """Return the value of the best hand of these counts (13 ranks, wild) when suits do not help."""
    wild = counts[WILD]
    mask, second_pair = 0, -1
    for rank in range(13):
        mask |= (counts[rank] > 0) << rank
    most = 0  # as many of a rank as wild cards can make, and the highest such rank
    best = 12
    for rank in range(13):
        alike = min(counts[rank] + wild, 5)  # five aces beat six queens
        if alike >= most and alike:
            most, best = alike, rank
    if most >= 5:
        return encode(FIVE_OF_A_KIND, best)
    if most == 4:
        return encode(QUADS, best, kickers(counts, 1, best, -1)[0])
    for rank in range(13):
        second_pair = rank if rank != best and counts[rank] >= 2 else second_pair
    if most == 3 and second_pair >= 0:
        return encode(FULL_HOUSE, best, second_pair)
    high = straight_high(mask, wild)
    if high >= 0:
        return encode(STRAIGHT, high)
    rest = kickers(counts, 5, best, -1)
    if most == 3:
        return encode(TRIPS, best, rest[0], rest[1])
    if most == 2 and second_pair >= 0:
        return encode(TWO_PAIR, best, second_pair, kickers(counts, 1, best, second_pair)[0])
    if most == 2:
        return encode(ONE_PAIR, best, rest[0], rest[1], rest[2])
    return encode(HIGH_CARD, best, rest[0], rest[1], rest[2], rest[3])


@builder
def best_flush(mask, wild, repeats):
    """Return the value of the best flush of these natural ranks and wild cards, or 0."""
    held = 0
    for rank in range(13):
        held += mask >> rank & 1
    if held + wild < 5:
        return 0
    high = straight_high(mask, wild)
    if high >= 0:
        return encode(ROYAL_FLUSH if high == 12 else STRAIGHT_FLUSH, high)
    ranks = np.full(5, -1)
    taken = 0
    while repeats and taken < wild:
        ranks[taken] = 12
        taken += 1
    left = 0 if repeats else wild
    for rank in range(12, -1, -1):
        natural = mask >> rank & 1
        if taken < 5 and (natural or left):
            left -= 1 - natural
            ranks[taken] = rank
            taken += 1
    return encode(FLUSH, ranks[0], ranks[1], ranks[2], ranks[3], ranks[4])


@builder
def all_classes(keys, sizes, values):
    """Fill sum of keys, number of cards and value of every class; return how many there are."""
    counts = np.zeros(14, np.int64)
    classes = held = 0
    symbol = 0
    while symbol < 14:
        if held < MAX_CARDS and counts[symbol] < LIMITS[symbol]:
            counts[symbol] += 1
            held += 1
            keys[classes] = np.sum(counts * RANK_KEYS)
            sizes[classes] = held
            values[classes] = best_of_ranks(counts)
            classes += 1
            symbol = 0
        else:
            held -= counts[symbol]
            counts[symbol] = 0
            symbol += 1
    return classes


@builder
def all_flushes(values):
    """Fill the value of every flush, in the order of ``RankTables.flushes``."""
    for repeats in range(2):
        for wild in range(8):
            for mask in range(8192):
                slot = (repeats * 8 + wild) * 8192 + mask
                values[slot] = best_flush(mask, wild, repeats == 1)


@builder
def window(used, slot):
    """Return the 64 bits from bit ``slot`` on of a bitmap of uint64."""
    whole, part = slot >> 6, np.uint64(slot & 63)
    bits = used[whole] >> part
    return bits | used[whole + 1] << np.uint64(64) - part if part else bits


@builder
def first_fit(used, cells, start):
    """Return the lowest multiple of ``STEP`` from ``start`` on at which a row's cells are all free.

    64 offsets are tried at a time; one by one this takes ten seconds for the whole table.
    """
    full = ~np.uint64(0)
    others = full // np.uint64((1 << STEP) - 1) << np.uint64(1)
    while True:
        taken = others
        for cell in cells:
            taken |= window(used, start + cell)
            if taken == full:
                break
        if taken != full:
            while taken & np.uint64(1):
                taken >>= np.uint64(1)
                start += 1
            return start
        start += 64


@builder
def displace(rows, cells, borders, offsets, used):
    """Give every row, in the order given, the lowest offset at which its slots are free.

    ``rows`` and ``cells`` hold one class each, ``borders`` where a new row starts; ``used`` is a
    bitmap of slots.
    """
    lowest = 0
    for row in range(len(borders) - 1):
        row_cells = cells[borders[row] : borders[row + 1]]
        while window(used, lowest) & np.uint64(1):
            lowest += 1
        start = max(lowest - row_cells[0], 0) // STEP * STEP
        offset = first_fit(used, row_cells, start)
        for cell in row_cells:
            used[(offset + cell) >> 6] |= np.uint64(1) << np.uint64((offset + cell) & 63)
        offsets[rows[borders[row]]] = offset // STEP


def build() -> RankTables:
    """Make the tables, in well under a second once compiled."""
    keys, values = np.empty(200_000, np.int64), np.empty(200_000, np.int64)
    sizes = np.empty(200_000, np.int64)
    classes = all_classes(keys, sizes, values)
    keys, sizes, values = keys[:classes], sizes[:classes], values[:classes]
    flushes = np.zeros(2 * FLUSH_SIZE, np.int64)
    all_flushes(flushes)
    scale, indices = np.unique(np.concatenate([[0], values, flushes]), return_inverse=True)

    totals = starts()[sizes] + keys.astype(np.uint64) * SPREAD
    rows, cells = cells_in_rows(totals)
    held = np.bincount(rows)
    first = np.select([sizes == MAX_CARDS, sizes <= BOARD_CARDS], [0, 1], 2)
    order = np.lexsort((cells, rows, -held[rows], first))
    rows, cells = rows[order], cells[order]
    borders = np.flatnonzero(np.diff(rows, prepend=-1, append=-1))
    offsets, used = np.zeros(len(held), np.int64), np.zeros(1 << 12, np.uint64)
    displace(rows, cells, borders, offsets, used)

    where = STEP * offsets[rows] + cells
    strengths = np.zeros(where.max() + 1, np.uint16)
    strengths[where] = indices[1 : classes + 1][order]
    return RankTables(
        starts(),
        offsets.astype(np.uint16),
        strengths,
        indices[classes + 1 :].astype(np.uint16),
        (scale >> 20).astype(np.uint8),
        scale.astype(np.int32),
    )


def cells_in_rows(totals: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return (rows, cells of their rows) of the rank keys in these sums of words."""
    kinds = [totals & SHORT != 0, totals & BOARD != 0]
    ways = [way.py_func(totals) for way in (short_cell, board_cell, seven_cell)]
    rows, cells = (
        np.select(kinds, [short, board], seven).astype(np.int64)
        for short, board, seven in zip(*ways, strict=True)
    )
    return rows, cells


def starts() -> NDArray[np.uint64]:
    """Return the word to start from, by number of cards.

    Keys of hands of five begin behind the largest of six, keys of three behind those of four, and
    so on; from the first slot behind, two classes of fewer than five cards would meet in a row.
    """
    wild = int(RANK_KEYS[WILD])
    firsts = [(BOARD_CARDS - size) * (BOARD_CARDS * wild + 2) for size in range(BOARD_CARDS + 1)]
    kinds = [BOARD] * len(firsts) + [SHORT, SHORT, np.uint64(0)]
    keys = np.array([*firsts, 6 * wild + 1, 0, 0], np.uint64)
    return keys * SPREAD + np.array(kinds) + NO_SUITS
