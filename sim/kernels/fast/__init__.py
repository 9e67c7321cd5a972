"""What is done side by side, in vector registers: playing, ranking and dealing.

This is the door; nobody outside comes in elsewhere. Pots are those of ``kernels.play``, hands those
of ``kernels.evaluate``, decks those of ``kernels.deck``, which do the same one by one.
"""

import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.kernels.evaluate import CardWords
from sim.kernels.fast import all_call, lanes, rank
from sim.kernels.ranks import RankTables
from sim.tally import Filled


def play_all_call(
    tables: Any,
    rules: NDArray[np.void],
    batches: NDArray[np.void],
    deals: NDArray[np.void],
    counting: NDArray[np.void],
    filled: Filled,
    seed: np.uint64,
    first: int,
    pots: int,
) -> int:
    """Do what ``play_pots`` does where everybody stays.

    ``rules``, (1,) of ``RULES``, must have ``court_tells``.
    """
    if not hasattr(_workspaces, "mine"):
        _workspaces.mine = np.zeros(1, all_call.WORKSPACE)
    return int(
        all_call.play_pots_all_call(
            tables, rules, _workspaces.mine, batches, deals, counting, filled, seed, first, pots
        )
    )


_workspaces = threading.local()
"""A thread keeps its workspace: it has 300 kB, of which a call leaves clear what counts pots."""


def rank_array(
    tables: RankTables, cards: CardWords, hands: NDArray[np.uint8], out: NDArray[np.uint16]
) -> int:
    """Rank ``hands``, (n, k) with k = 1..7, contiguous, into ``out``, (n,).

    Return the number of the first hand with a repeated or unknown card, or -1.
    """
    return int(rank.rank_array(tables, cards, hands, out, np.zeros(1, rank.WORKSPACE)))


def deal_tables(out: NDArray[np.uint8], players: int, seed: np.uint64, first: int) -> None:
    """Fill ``out``, (tables, players, 7) by street, with the first deals of pots ``first``, …"""
    lanes.deal_tables(out, np.zeros(1, lanes.WORKSPACE), players, seed, first)
