"""What people would use instead: PyPI's evaluators and dealers, each through its fastest call.

None takes arrays of cards, so each gets its own kind of cards beforehand, untimed. A peer that is
not installed is left out (``pip install -e '.[bench]'``), one that ranks otherwise is refused.
"""

import importlib
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sim
from benchmarks.measure import Contestant
from sim.cards import format_card

DEALS = {"poker-equity": 20_000, "pokerkit": 5}
"""Deals of a turn."""

Ranker = Callable[[], list[int]]
"""Ranks all hands of a sample."""


def _installed(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def _names(sample: NDArray[np.uint8]) -> list[list[str]]:
    return [[format_card(int(card)) for card in hand] for hand in sample]


def _eval7(library: Any, sample: NDArray[np.uint8]) -> Ranker:
    hands = [[library.Card(name) for name in hand] for hand in _names(sample)]
    return lambda: [library.evaluate(hand) for hand in hands]


def _phevaluator(library: Any, sample: NDArray[np.uint8]) -> Ranker:
    hands = sample.tolist()  # its cards count as ours do
    return lambda: [library.evaluate_7cards(*hand) for hand in hands]


def _pkrbot(library: Any, sample: NDArray[np.uint8]) -> Ranker:
    hands = [(bytes(hand // 4), bytes(hand % 4)) for hand in sample]
    return lambda: [library.evaluate_raw(ranks, suits, 7) for ranks, suits in hands]


def _poker_equity(library: Any, sample: NDArray[np.uint8]) -> Ranker:
    hands = ["".join(hand) for hand in _names(sample)]
    return lambda: library.score_batch("high", hands)


def _treys(library: Any, sample: NDArray[np.uint8]) -> Ranker:
    evaluator = library.Evaluator()
    hands = [[library.Card.new(name) for name in hand] for hand in _names(sample)]
    split = [(hand[:2], hand[2:]) for hand in hands]
    return lambda: [evaluator.evaluate(own, board) for own, board in split]


RANKERS = {
    "pkrbot": ("pkrbot", _pkrbot, 1),
    "eval7": ("eval7", _eval7, 1),
    "poker-equity": ("poker_equity", _poker_equity, -1),
    "phevaluator": ("phevaluator.evaluator", _phevaluator, -1),
    "treys": ("treys", _treys, -1),
}
"""By name on PyPI: module, adapter, and whether larger (1) or smaller (-1) is better."""


def rankers(sample: NDArray[np.uint8]) -> dict[str, Contestant]:
    """Return the evaluators installed, each ranking all of an (n, 7) sample."""
    ours = sim.evaluate(sample).astype(np.int64)
    peers = {}
    for name, (module, adapter, sign) in RANKERS.items():
        if library := _installed(module):
            rank = adapter(library, sample)
            if not same_order(ours, sign * np.array(rank(), np.int64)):
                raise SystemExit(f"{name} ranks hands otherwise: it is no peer of this sample")
            peers[name] = Contestant(len(sample), rank)
    return peers


def same_order(ours: NDArray[np.int64], theirs: NDArray[np.int64]) -> bool:
    """Whether two scales put all hands into the same order, ties alike."""
    orders = [np.unique(scale, return_inverse=True)[1] for scale in (ours, theirs)]
    return bool(np.array_equal(*orders))


def dealers(players: int) -> dict[str, Contestant]:
    """Return the libraries installed that deal and decide a table of seven-card stud."""
    peers = {}
    equity, pokerkit = _installed("poker_equity"), _installed("pokerkit")
    if equity:
        anything = [[[equity.full_deck()] * 7]] * players
        deals = DEALS["poker-equity"]
        peers["poker-equity, stud dealt and won"] = Contestant(
            deals, lambda: equity.chunk("stud", anything, [], 0, deals, 1, 1)
        )
    if pokerkit:
        peers["pokerkit, stud called down"] = Contestant(
            DEALS["pokerkit"], lambda: _call_down(pokerkit, players)
        )
    return peers


def _call_down(library: Any, players: int) -> None:
    """Play seven-card stud with ante and bring-in, checked and called to the end."""
    for _ in range(DEALS["pokerkit"]):
        table = library.FixedLimitSevenCardStud.create_state(
            tuple(library.Automation), True, 1, 1, 2, 4, 1000, players
        )  # fmt: skip
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # at seven it deals what was burnt
            while table.status:
                if table.can_post_bring_in():
                    table.post_bring_in()
                else:
                    table.check_or_call()
