"""What a best answer rests on, as a frame: each bucket of decisions, and what actions won there."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sim.game import STREETS
from sim.kernels.learning import (
    CALL_SQUARES,
    CALLING,
    FOLDING,
    RAISE_SQUARES,
    RAISING,
    VISITS,
)
from sim.policy import ONE, STEP, Policy
from sim.solving.smoothing import WINDOWS, standing_in
from sim.solving.table import BUCKETS
from sim.solving.training import Sums

FEWEST_VISITS = 100
"""Fewer are too few to judge a bucket by itself."""
COLUMNS: dict[str, str] = {
    "players_in": "players still in, who decides included",
    "bets": "bets and raises of the round so far; 2 for more, too",
    "street": "third to seventh",
    "value": "of the hand, in fair shares: the bucket's lower end",
    "price": "in fair shares: the bucket's lower end; NaN where staying is free",
    "beaten": "whether another's board by itself beats the hand",
    "visits": "decisions replayed there",
    "fold": "chips that folding wins on average, from there on",
    "call": "the same of calling, or checking",
    "raise": "the same of raising, or betting; what calling wins beyond the cap",
    "call_se": "standard error of what calling wins more than folding",
    "raise_se": "standard error of what raising wins more than calling",
    "action": "what the answer does",
    "window": "what decides with it: the bucket alone, if it has visits enough, or those around it",
}
"""The columns of ``buckets``, and what they mean."""


def buckets(sums: Sums, trained: Sums, policy: Policy) -> pd.DataFrame:
    """Return a row for each bucket that was visited, by ``COLUMNS``.

    Standard errors take visits as independent. ``trained`` are the sums that the policy is of.
    """
    where = np.nonzero(sums[..., VISITS])
    size, bets, street, value, price, beaten = where
    found = sums[where].astype(float)
    visits = found[:, VISITS]
    means = {
        "fold": found[:, FOLDING] / visits,
        "call": found[:, CALLING] / visits,
        "raise": found[:, RAISING] / visits,
    }
    errors = {
        "call_se": _error(means["call"] - means["fold"], found[:, CALL_SQUARES], visits),
        "raise_se": _error(means["raise"] - means["call"], found[:, RAISE_SQUARES], visits),
    }
    names = np.array([*map(_window_name, WINDOWS), "hardly anything"])
    columns = {
        "players_in": size + 2,
        "bets": bets,
        "street": np.array(STREETS)[street],
        "value": value / STEP,
        "price": np.where(price > 0, (price - 1) / STEP, np.nan),
        "beaten": beaten.astype(bool),
        "visits": sums[where][:, VISITS],
        **means,
        **errors,
        "action": _actions(policy)[where],
        "window": names[standing_in(trained, FEWEST_VISITS)[where]],
    }
    return pd.DataFrame(columns)[list(COLUMNS)]


def _error(
    mean: NDArray[np.float64], squares: NDArray[np.float64], visits: NDArray[np.float64]
) -> Any:
    """Return the standard error of a mean; NaN of one visit."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.sqrt(np.maximum(squares / visits - mean**2, 0) / (visits - 1))


def _actions(policy: Policy) -> NDArray[np.str_]:
    """Return what a policy of certainties does in each bucket."""
    if policy.tables is None:
        return np.full(BUCKETS, "call")
    fold, more = (np.broadcast_to(table, BUCKETS) for table in policy.tables)
    return np.select([fold == ONE, more == ONE], ["fold", "raise"], "call")


def _window_name(reach: tuple[int, int, int, int]) -> str:
    """Say how far a window reaches."""
    words = zip(reach, ("players", "bets", "value", "price"), (1, 1, STEP, STEP), strict=True)
    said = [f"{word} ±{far if unit == 1 else f'{far}/{unit}'}" for far, word, unit in words if far]
    return ", ".join(said) or "alone"
