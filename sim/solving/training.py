"""Training: from sums of what actions were worth to the better action, round after round.

Nothing here knows a game: whoever learns says how pots are replayed and how sums become an answer.
All is whole numbers, so that a tie is a tie on every machine.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sim.kernels.learning import CALLING, FOLDING, RAISING, VISITS

Answer = TypeVar("Answer")
Sums = NDArray[np.int64]
"""Of each bucket what ``sim.kernels.learning`` adds up, on the last axis."""
Replay = Callable[[Answer, int, int], Sums]
"""Plays the pots from a number on, so many of them, with who learns acting by an answer."""

CALL, FOLD, RAISE = range(3)
"""Actions, in the order in which they go before each other when they win the same."""
KEPT, OF = 9, 10
"""Sums of earlier rounds count so much less with each round, since they were made of worse play."""
PARTS = 256
"""Of a chip, in which means are told."""
MOST_BITS = 34
"""Of a sum of chips, so that what is made of it fits into 64."""


def train(
    replay: Replay[Answer],
    decide: Callable[[Sums], Answer],
    start: Answer,
    rounds: Iterable[int],
    first: int = 0,
    after_round: Callable[[Answer, int], None] = lambda _answer, _pots: None,
) -> tuple[Answer, Sums]:
    """Return the last round's answer and its sums; ``rounds`` are numbers of pots.

    ``after_round`` is told each answer and how many pots it took.
    """
    answer, sums, played = start, np.zeros(1, np.int64), 0
    for pots in rounds:
        sums = sums * KEPT // OF + replay(answer, first + played, pots)
        answer, played = decide(sums), played + pots
        after_round(answer, played)
    return answer, sums


def best_actions(worths: NDArray[np.int64]) -> NDArray[np.int8]:
    """Return the action that is worth most: ties go to calling, then folding, then raising.

    ``worths`` are of folding, calling and raising, on the last axis: sums, or means, for each
    decision of a bucket says what all three of its actions win.
    """
    fold, call, more = np.moveaxis(worths, -1, 0)
    best = np.where(fold > call, FOLD, CALL)
    return np.where(more > np.maximum(fold, call), RAISE, best).astype(np.int8)


def worths_of(sums: Sums) -> NDArray[np.int64]:
    """Return the sums of what folding, calling and raising win, on the last axis."""
    return sums[..., [FOLDING, CALLING, RAISING]]


def widened(sums: Sums, axis: int, reach: int) -> Sums:
    """Add to each bucket its neighbours along an axis, with weights that fall to 1 at the last."""
    total, size = (reach + 1) * sums, sums.shape[axis]
    here, there = np.moveaxis(total, axis, 0), np.moveaxis(sums, axis, 0)
    for away in range(1, min(reach, size - 1) + 1):
        weighted = (reach + 1 - away) * there
        here[away:] += weighted[:-away]
        here[:-away] += weighted[away:]
    return total


def shrunk_means(
    windows: Sequence[Callable[[Sums], tuple[Sums, int]]], sums: Sums, weight: int
) -> NDArray[np.int64]:
    """Return what the actions win on average in ``PARTS`` of 2^n chips, the same n everywhere.

    A bucket's own mean counts by its visits, and that of the window around it as ``weight`` visits;
    the window's own mean is taken in the same way from the next larger one. A window gives its sums
    and how often it counts what lies in its middle.
    """
    bits = int(np.abs(sums[..., VISITS : RAISING + 1]).max()).bit_length()
    chips = worths_of(sums) >> max(0, bits - MOST_BITS)
    kept = np.concatenate([sums[..., [VISITS]], chips], axis=-1)
    means = np.zeros(chips.shape, np.int64)
    for window in reversed(windows):
        around, middle = window(kept)
        visits = around[..., :1]
        prior = weight * middle
        means = (around[..., 1:] * PARTS + prior * means) // (visits + prior)
    return means
