"""Rules that a person can remember: three bands of price, and two thresholds of value a street."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.game import STREETS
from sim.kernels.learning import CALLING, FOLDING, RAISING
from sim.policy import LAST, PRICES, STEP, VALUES, Policy
from sim.solving.smoothing import PRICE, policy_of
from sim.solving.table import BUCKETS
from sim.solving.training import CALL, FOLD, RAISE, Sums

BANDS = ("free", "cheap", "dear")
DEAR_FROM = (5, 7, 10)
"""Sixteenths of what breaks even at a fair share from which on a price may be dear."""
NEVER = VALUES
"""A threshold that no value reaches."""


class Thresholds(NamedTuple):
    """In sixteenths of a fair share: fold below the one, raise from the other, else call."""

    fold_below: NDArray[np.int64]
    """(streets, bands)"""
    raise_from: NDArray[np.int64]
    """(streets, bands); never below the former; ``NEVER`` if no hand is raised."""
    dear: int
    """Sixteenths of what breaks even at a fair share from which on a price is dear."""


def _starts(dear: int) -> tuple[int, int, int]:
    """Return the bucket of price with which each band begins."""
    return 0, 1, 1 + dear


def thresholds_of(sums: Sums, dear: int) -> Thresholds:
    """Return the thresholds under which the actions taken win most, of hands not beaten."""
    by_band = np.add.reduceat(sums[..., 0, :].sum(axis=(0, 1)), _starts(dear), axis=PRICE - 2)
    worths = by_band.swapaxes(1, 2)  # street, band, value, what
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
    band = np.searchsorted(_starts(thresholds.dear), np.arange(PRICES), side="right") - 1
    fold_below, raise_from = (part[:, np.newaxis, band] for part in thresholds[:2])
    value = np.arange(VALUES)[:, np.newaxis]
    actions = np.where(value < fold_below, FOLD, np.where(value >= raise_from, RAISE, CALL))
    beaten = np.where(actions == RAISE, CALL, actions)
    beaten[LAST, :, 1:] = FOLD
    every_size = np.broadcast_to(np.stack([actions, beaten], axis=-1), BUCKETS)
    return policy_of(name, every_size.astype(np.int8))


def in_words(thresholds: Thresholds) -> list[str]:
    """Say thresholds street by street, values in fair shares."""
    lines = [
        "A hand's value and what staying costs are counted in fair shares; a price is dear from "
        f"{thresholds.dear / STEP:g} on.",
    ]
    for street, name in enumerate(STREETS):
        parts = []
        for band, price in enumerate(BANDS):
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
