"""Rows: what became of every pot and of each of its deals. Playing writes, counting reads them.

A batch is columns, not records: of each quantity the values of ``BATCH`` pots side by side, a row
of them for each seat, street or band of prices, so that counting goes over many pots at once. With
eight seats it takes 16 kB, half of a first-level cache. A pot has one row for each deal, those of
a batch one after another.

Widths are those of the largest page: a pot of more than ``LARGEST_POT`` chips is not written; of
10,000 deals all but the last are killed, before which six of eight players may fold at most.
"""

import numpy as np
from numpy.typing import NDArray

from sim.game import MAX_PLAYERS, STREETS, UP_STREETS
from sim.tally import PRICE_BORDERS

BATCH = 64
"""Pots of a batch."""
NEVER = NOBODY = 255
"""No street, and no seat."""
FINISHED, KILLED, LAST_LEFT = 0, 1, 2
"""How a deal ends: at the showdown, by a killer, or because one player is left."""
BANDS = len(PRICE_BORDERS) + 1
SEATS, STREET, BAND = (MAX_PLAYERS, BATCH), (len(STREETS), BATCH), (BANDS, BATCH)

ROWS = np.dtype(
    [
        ("paid", np.int32, SEATS),  # chips put in: antes, bring-in, tolls, bets
        ("won", np.int32, SEATS),  # chips
        ("tolls", np.int32, SEATS),  # chips
        ("toll_cards", np.uint16, SEATS),  # paid for, in all deals
        ("strength", np.int16, SEATS),  # of the hand shown; 0: none
        ("exit_street", np.uint8, SEATS),  # on which the seat left the pot, or ``NEVER``
        ("out_card", np.uint8, SEATS),  # number of the up card that put it out; 0: none did
        ("bets", np.int32, STREET),  # and raises
        ("rounds", np.uint16, STREET),  # of betting
        ("folds", np.uint16, STREET),
        ("asked", np.int32, BAND),  # turns of who looks, by price
        ("price_folds", np.uint16, BAND),  # and folds among them
        ("turns", np.int32, BATCH),
        ("cards", np.int32, BATCH),  # dealt
        ("dealt_in", np.int32, BATCH),  # players, over all deals
        ("carried", np.int32, BATCH),  # chips there before the antes of the last deal
        ("deals", np.uint16, BATCH),
        ("best", np.int16, BATCH),  # strength of the best hand shown; 0: none
        ("holders", np.int16, BATCH),  # how many show it
        ("ending", np.uint8, BATCH),  # of the last deal; ``KILLED``: the pot was abandoned
        ("opener", np.uint8, BATCH),  # of the last deal's third street, or ``NOBODY``
        ("weight", np.int32, BATCH),  # how many pots the row stands for
        ("count", np.int64),  # pots in this batch
    ],
    align=True,
)
"""A batch of pots."""
SEAT_COLUMNS = [name for name in ROWS.names or () if ROWS[name].shape == SEATS]
"""Those that have a row for each seat."""

DEAL = np.dtype(
    [
        ("tolls", np.int32),  # chips
        ("players", np.uint8),  # dealt in
        ("cards", np.uint8),
        ("ending", np.uint8),
        ("killer_card", np.uint8),  # number of the up card that killed the deal; 0: none did
        ("killer_street", np.uint8),  # third … sixth, 4 for the community card
        ("killer_seat", np.uint8),  # 8 for the community card
        ("toll_payers", np.uint8, UP_STREETS + 1),  # players by number of tolls paid
    ],
    align=True,
)
"""A deal."""
DEALS = 1 << 14
"""Capacity of a batch in deals: one pot may take ten thousand."""


def new_rows(batches: int = 1) -> NDArray[np.void]:
    """Return batches, (n,) of ``ROWS``, each row of which stands for one pot."""
    rows = np.zeros(batches, ROWS)
    rows["weight"] = 1
    return rows


def new_deals(deals: int = DEALS) -> NDArray[np.void]:
    """Return rows for deals, (n,) of ``DEAL``."""
    return np.zeros(deals, DEAL)
