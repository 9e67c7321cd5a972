"""From sums by bucket to a policy: a bucket's own replays, and its neighbours' if it has few."""

from collections.abc import Sequence
from functools import partial
from math import prod

import numpy as np
from numpy.typing import NDArray

from sim.game import MAX_PLAYERS, STREETS, UP_STREETS, Game
from sim.kernels.learning import CALLING, FOLDING, VISITS
from sim.policy import LAST, Policy
from sim.solving.training import (
    FOLD,
    RAISE,
    Sums,
    best_actions,
    shrunk_means,
    widened,
)

WINDOWS = (
    (0, 0, 0, 0), (0, 0, 1, 1), (0, 0, 2, 1), (1, 0, 3, 2), (2, 1, 6, 4), (6, 2, 12, 8),
)  # fmt: skip
"""How far windows reach to each side: in players still in, bets so far, value, and price."""
SIZE, BETS, _STREET, VALUE, PRICE, _BEATEN = range(6)
"""Axes of buckets."""
FREE = 0
"""The price of what is free: nothing else is like it."""
WEIGHTS = (100, 300, 1000)
"""Visits that the window around a bucket may count as: which of them, is chosen by play."""


def window(reach: tuple[int, int, int, int], sums: Sums) -> tuple[Sums, int]:
    """Return sums over the buckets around each, and how often the middle one counts."""
    *others, prices = reach
    around = sums
    for axis, far in zip((SIZE, BETS, VALUE), others, strict=True):
        around = widened(around, axis, far)
    wide = widened(around[:, :, :, :, FREE + 1 :], PRICE, prices)
    around[:, :, :, :, FREE] *= prices + 1
    around[:, :, :, :, FREE + 1 :] = wide
    return around, prod(far + 1 for far in reach)


def policy_of(name: str, actions: NDArray[np.int8], summary: str = "") -> Policy:
    """Return the policy that takes these actions, of the shape of buckets."""
    return Policy.of_tables(name, actions == FOLD, actions == RAISE, summary)


def can_fall_due(game: Game, players: int) -> list[bool]:
    """Return by street whether a player who need not call may yet have to pay if he stays in.

    A toll is due for an up card, and so is what a redeal costs, if one of them kills the deal.
    """
    redeal = game.kill.cards and game.kill.treatment == "redeal"
    again = game.kill.ante_again or game.kill.everyone
    costs = bool(redeal) and bool(again or game.betting.bring_in or any(game.toll.prices))
    up_cards = [street < UP_STREETS - 1 for street in range(len(STREETS))]
    community = players == MAX_PLAYERS
    return [
        (up and any(game.toll.prices)) or (costs and (up or (community and street < LAST)))
        for street, up in enumerate(up_cards)
    ]


def without_free_folds(due: Sequence[bool], sums: Sums) -> Sums:
    """Return sums in which a fold wins less than a call where it is free, and nothing is due later.

    There it can win nothing: who checks may still fold when he is asked for something.
    """
    left = sums.copy()
    for street in np.flatnonzero(np.logical_not(due)):
        free = left[:, :, street, :, FREE]
        free[..., FOLDING] = free[..., CALLING] - free[..., VISITS]
    return left


def answer_of(name: str, weight: int, sums: Sums) -> Policy:
    """Return the policy that takes in each bucket what wins most there, as far as is known.

    Among more players than were ever seen it acts as among the most that were.
    """
    most = max(np.flatnonzero(sums[..., VISITS].any(axis=(1, 2, 3, 4, 5))), default=0)
    windows = [partial(window, reach) for reach in WINDOWS]
    actions = best_actions(shrunk_means(windows, sums[: most + 1], weight))
    return policy_of(name, actions[np.minimum(np.arange(len(sums)), most)])


def standing_in(sums: Sums, fewest: int) -> NDArray[np.int64]:
    """Return the number of the first window around each bucket that has so many visits.

    Their number is ``len(WINDOWS)`` if none has.
    """
    visits = sums[..., [VISITS]]
    enough = [
        (around >= fewest * middle)[..., 0]
        for around, middle in (window(r, visits) for r in WINDOWS)
    ]
    return np.where(np.any(enough, axis=0), np.argmax(enough, axis=0), len(WINDOWS))
