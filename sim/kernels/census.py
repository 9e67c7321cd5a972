"""Census: every hand of so many cards, ranked and counted; suits that look alike trade places.

A hand is a choice of cards from each of four suits. Suits with the same ranks to choose from, and
the same killers among them, may trade their cards without changing what a hand is worth. So of the
hands that differ by such trades only one is ranked, whose choices rise, and counts for all.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.kernels.compile import kernel, piece
from sim.kernels.evaluate import rank_hand

KILLER_SHIFT = np.uint64(61)
"""Where killers are counted: three bits of the suit masks that no rank needs."""


class Choices(NamedTuple):
    """All choices of cards from each of four suits, fewest cards first, alike suits in one order.

    A suit comes right behind those alike, if there are any.
    """

    totals: NDArray[np.uint64]
    """(4, choices): sum of the cards' words."""
    masks: NDArray[np.uint64]
    """(4, choices): the cards' suit masks, a killer with 1 added at ``KILLER_SHIFT``."""
    sizes: NDArray[np.int64]
    """(4, choices): how many cards."""
    ends: NDArray[np.int64]
    """(4, 9): how many choices have fewer than 0, 1, … 8 cards."""
    alike: NDArray[np.int64]
    """(4,): how many suits before it are alike."""


@piece
def trades(ways, alike, choice, before, same):
    """Return in how many ways suits so far may trade, and how many of them chose the same.

    Of k suits alike k! ways, over the factorials of how many chose the same.
    """
    same = same + 1 if alike and choice == before else 1
    return ways * (alike + 1) // same, same


@kernel
def count_hands(tables, flushes, choices, start, size, counts):
    """Rank all hands of ``size`` of these cards on top of ``start``, the sum of what all hold.

    ``flushes`` is that of ``CardWords``. ``counts``, (categories, 8) int64, is by killers chosen.
    """
    totals, masks, sizes, ends, alike = choices
    for index_1 in range(ends[0, size + 1]):
        left_1 = size - sizes[0, index_1]
        total_1, masks_1 = start + totals[0, index_1], masks[0, index_1]
        for index_2 in range(index_1 if alike[1] else 0, ends[1, left_1 + 1]):
            left_2 = left_1 - sizes[1, index_2]
            total_2, masks_2 = total_1 + totals[1, index_2], masks_1 + masks[1, index_2]
            ways_2, same_2 = trades(1, alike[1], index_2, index_1, 1)
            # A last suit that has no fewer cards than the third leaves it at most half of them.
            most = left_2 // 2 if alike[3] else left_2
            for index_3 in range(index_2 if alike[2] else 0, ends[2, most + 1]):
                left_3 = left_2 - sizes[2, index_3]
                total_3, masks_3 = total_2 + totals[2, index_3], masks_2 + masks[2, index_3]
                ways_3, same_3 = trades(ways_2, alike[2], index_3, index_2, same_2)
                equal, _ = trades(ways_3, alike[3], index_3, index_3, same_3)
                other, _ = trades(ways_3, alike[3], 0, 1, same_3)
                first = ends[3, left_3]
                if alike[3] and index_3 > first:
                    first = index_3
                for index_4 in range(first, ends[3, left_3 + 1]):
                    total, all_masks = total_3 + totals[3, index_4], masks_3 + masks[3, index_4]
                    category = tables.categories[rank_hand(tables, flushes, total, all_masks)]
                    ways = equal if index_4 == index_3 else other
                    counts[category, all_masks >> KILLER_SHIFT] += ways
