"""What is done side by side, in vector registers: playing, ranking and dealing.

This is the door; nobody outside comes in elsewhere. Pots are those of ``kernels.play``, hands those
of ``kernels.evaluate``, decks those of ``kernels.deck``, which do the same one by one.
"""

import threading
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.game import STREETS
from sim.kernels.evaluate import CardWords
from sim.kernels.fast import all_call, lanes, rank
from sim.kernels.ranks import RankTables
from sim.kernels.rows import FINISHED, NEVER, NOBODY, new_rows
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
    batches[:] = _alike(int(rules[0]["players"]), bool(rules[0]["bring_in"]))
    if not hasattr(_workspaces, "mine"):
        _workspaces.mine = np.zeros(1, all_call.WORKSPACE)
    return int(
        all_call.play_pots_all_call(
            tables, rules, _workspaces.mine, batches, deals, counting, filled, seed, first, pots
        )
    )


@cache
def _alike(players: int, brings_in: bool) -> NDArray[np.void]:
    """Return a batch, (1,), with what is the same of all pots, and what is if no deal is killed."""
    rows = new_rows()
    rows["exit_street"], rows["rounds"], rows["deals"] = NEVER, 1, 1
    rows["opener"], rows["ending"] = NOBODY, FINISHED
    rows["turns"] = len(STREETS) * players - brings_in
    rows["cards"], rows["dealt_in"] = all_call.cards_of.py_func(players), players
    return rows


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
