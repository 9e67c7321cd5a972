"""Rules that a person can remember: two thresholds of value a street and band, of three bands."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.game import STREETS
from sim.kernels.learning import CALLING, FOLDING, RAISING
from sim.policy import LAST, PRICES, SITUATIONS, STEP, VALUES, Policy
from sim.solving.smoothing import policy_of
from sim.solving.table import BUCKETS
from sim.solving.training import CALL, FOLD, RAISE, Sums

PRICE_BANDS = ("free", "cheap", "dear")
BET_BANDS = ("no bet yet", "after a bet", "after a raise")
DEAR_FROM = (5, 7, 10)
"""Sixteenths of what breaks even at a fair share from which on a price may be dear."""
BY_BETS = 0
"""In place of these: bands are told by the bets of the round, whatever the price."""
NEVER = VALUES
"""A threshold that no value reaches."""


class Thresholds(NamedTuple):
    """In sixteenths of a fair share: fold below the one, raise from the other, else call."""

    fold_below: NDArray[np.int64]
    """(streets, bands)"""
    raise_from: NDArray[np.int64]
    """(streets, bands); never below the former; ``NEVER`` if no hand is raised."""
    dear: int
    """Sixteenths of what breaks even at a fair share from which on a price is dear; or
    ``BY_BETS``."""


def bands(dear: int) -> NDArray[np.int64]:
    """Return the band of each number of bets and bucket of price, (bets, prices)."""
    shape = SITUATIONS[1], PRICES
    if dear == BY_BETS:
        return np.broadcast_to(np.arange(shape[0])[:, np.newaxis], shape)
    by_price = np.searchsorted((0, 1, 1 + dear), np.arange(PRICES), side="right") - 1
    return np.broadcast_to(by_price, shape)


def thresholds_of(sums: Sums, dear: int) -> Thresholds:
    """Return the thresholds under which the actions taken win most, of hands not beaten."""
    each = sums[..., 0, :].sum(axis=0)  # bets, street, value, price, what
    each = np.moveaxis(each, 3, 1)
    band = bands(dear)
    worths = np.stack([each[band == number].sum(axis=0) for number in range(3)], axis=1)
    before = np.zeros((*worths.shape[:2], VALUES + 1, worths.shape[-1]), np.int64)
    before[:, :, 1:] = worths.cumsum(axis=2)
    below = before[..., FOLDING] - before[..., CALLING]  # folding so many rather than calling
    above = before[..., CALLING] - before[..., RAISING]  # calling so many rather than raising
    both = np.maximum.accumulate(below, axis=-1) + above
    raise_from = NEVER - np.argmax(both[..., ::-1], axis=-1)  # the last, so that ties go to calling
    allowed = np.arange(VALUES + 1) <= raise_from[..., np.newaxis]
    least = np.iinfo(np.int64).min
    fold_below = np.argmax(np.where(allowed, below, least), axis=-1)
    return Thresholds(fold_below, raise_from, dear)


def policy_by(name: str, thresholds: Thresholds) -> Policy:
    """Return the policy of thresholds; who is beaten never raises, and on seventh street folds."""
    band = bands(thresholds.dear)
    fold_below, raise_from = (  # bets, street, value, price
        np.moveaxis(part[:, band], 0, 1)[:, :, np.newaxis] for part in thresholds[:2]
    )
    value = np.arange(VALUES)[:, np.newaxis]
    actions = np.where(value < fold_below, FOLD, np.where(value >= raise_from, RAISE, CALL))
    beaten = np.where(actions == RAISE, CALL, actions)
    beaten[:, LAST, :, 1:] = FOLD
    every_size = np.broadcast_to(np.stack([actions, beaten], axis=-1), BUCKETS)
    return policy_of(name, every_size.astype(np.int8))


def in_words(thresholds: Thresholds) -> list[str]:
    """Say thresholds street by street, values in fair shares."""
    by_bets = thresholds.dear == BY_BETS
    dear = "" if by_bets else f"; a price is dear from {thresholds.dear / STEP:g} on"
    lines = [f"A hand's value and what staying costs are counted in fair shares{dear}."]
    for street, name in enumerate(STREETS):
        parts = []
        for band, price in enumerate(BET_BANDS if by_bets else PRICE_BANDS):
            fold_below, raise_from = (int(part[street, band]) for part in thresholds[:2])
            parts.append(f"{price}: {_said(fold_below, raise_from)}")
        lines.append(f"{name} street: {'; '.join(parts)}")
    beaten = "A hand that another's board beats never raises, and on seventh street folds to a bet."
    return [*lines, beaten]


def _said(fold_below: int, raise_from: int) -> str:
    """Say what is folded and what is raised."""
    said = [f"fold below {fold_below / STEP:g}"] * (fold_below > 0)
    said += [f"raise from {raise_from / STEP:g}"] * (raise_from < NEVER)
    return ", ".join(said) or "call"
