"""Counts by toll vector: pots of one deal in which all stay differ in who wins, and in little else.

How such a pot came about, chips and all, is told by how many toll cards each player has. So rows of
the same toll vector are counted together: the vector is laid out in one row, whose weight says how
many pots it stands for. The dealer, whose ante may differ, is told apart; all others are alike.
"""

from typing import Any

import numpy as np

from sim.game import MAX_PLAYERS, UP_STREETS
from sim.kernels.compile import step
from sim.kernels.fast.chips import charge
from sim.kernels.rows import BATCH

COUNT_BITS = 3
"""Of a vector: for how many have one, two, three and four toll cards, and for the dealer's own."""
DEALER = COUNT_BITS * UP_STREETS
VECTORS = 1 << (DEALER + COUNT_BITS)

FIELDS: list[Any] = [
    ("vector", np.uint32, BATCH),  # of a batch's pots
    ("pots", np.int32, VECTORS),  # that have the vector
    ("seen", np.uint32, VECTORS),  # vectors, in the order in which they came,
    ("distinct", np.int64),  # and how many
]
"""What a workspace needs to count by toll vector."""


@step
def count_vectors(rules, rows, workspace):
    """Count a batch's pots by toll vector."""
    dealer = rules.players - 1
    for lane in range(BATCH):
        workspace.vector[lane] = np.uint32(rows.toll_cards[dealer, lane]) << np.uint32(DEALER)
    for seat in range(dealer):
        for lane in range(BATCH):
            shift = np.uint32(COUNT_BITS) * np.uint32(rows.toll_cards[seat, lane] & 7)
            workspace.vector[lane] += np.uint32(1) << shift >> np.uint32(COUNT_BITS)
    for lane in range(rows.count):
        vector = workspace.vector[lane]
        if workspace.pots[vector] == 0:
            workspace.seen[workspace.distinct] = vector
            workspace.distinct += 1
        workspace.pots[vector] += 1


@step
def lay_out(rules, rows, lane, vector):
    """Give the dealer and the others the toll cards that a vector tells of."""
    dealer, seat = rules.players - 1, 0
    for tolls in range(UP_STREETS, 0, -1):
        for _ in range(vector >> COUNT_BITS * (tolls - 1) & MAX_PLAYERS - 1):
            rows.toll_cards[seat, lane] = tolls
            seat += 1
    for other in range(seat, dealer):
        rows.toll_cards[other, lane] = 0
    rows.toll_cards[dealer, lane] = vector >> DEALER


@step
def lay_out_some(rules, rows, workspace):
    """Lay out the vectors that came last, a row each for all their pots, and forget them."""
    start = max(0, workspace.distinct - BATCH)
    rows.count = workspace.distinct - start
    for lane in range(rows.count):
        vector = np.int64(workspace.seen[start + lane])
        lay_out(rules, rows, lane, vector)
        rows.weight[lane] = workspace.pots[vector]
        workspace.pots[vector] = 0
    charge(rules, rows, workspace)
    workspace.distinct = start
