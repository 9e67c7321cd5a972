"""Census: every hand of so many cards, ranked and counted."""

import numpy as np

from sim.kernels.compile import kernel
from sim.kernels.evaluate import rank_hand

KILLER_SHIFT = np.uint64(61)
"""Where killers are counted: three bits of the suit masks that no rank needs."""


@kernel
def count_hands(tables, cards, start, size, places, totals, suits, counts):
    """Rank all hands of ``size`` of these cards on top of ``start``, the sum of what all hold.

    ``cards.words`` and ``cards.suits`` list the cards to choose from, a killer with 1 added at
    ``KILLER_SHIFT``. ``counts``, (11, 8) int64, is by category and killers chosen; ``places``
    (int64), ``totals`` and ``suits`` (uint64) are room for one value a chosen card.
    """
    if size == 0:
        counts[tables.categories[rank_hand(tables, cards.flushes, start, np.uint64(0))], 0] += 1
        return
    available, last = len(cards.words), size - 1
    places[0], totals[0], suits[0] = -1, start, np.uint64(0)
    level = 0
    while level >= 0:
        following = places[level] + 1
        if level == last:
            for card in range(following, available):
                total = totals[level] + cards.words[card]
                masks = suits[level] + cards.suits[card]
                category = tables.categories[rank_hand(tables, cards.flushes, total, masks)]
                counts[category, masks >> KILLER_SHIFT] += 1
            level -= 1
        elif following + last - level < available:
            places[level] = places[level + 1] = following
            totals[level + 1] = totals[level] + cards.words[following]
            suits[level + 1] = suits[level] + cards.suits[following]
            level += 1
        else:
            level -= 1
