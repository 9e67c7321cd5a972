"""Tidy frames: a row a metric and level, with its interval and exact value, and what it is of."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np
import pandas as pd

from sim.errors import InputError, shown
from sim.odds import exact_values
from sim.scenario import Scenario
from sim.stats.intervals import Estimate
from sim.stats.metrics import estimates, in_order, unseen
from sim.tally import Tally

COLUMNS = (
    "game", "players", "policy", "metric", "level",
    "estimate", "se", "low", "high", "pots", "exact", "z",
)  # fmt: skip
JUDGED = (
    "game", "players", "policy", "constraint", "unit",
    "estimate", "low", "high", "limit", "verdict", "left_out",
)  # fmt: skip
"""The columns of a recommendation's frame."""
FEWEST_HITS = 25
"""A z-score is given only where this many hits, and misses, are expected."""


def tidy_frame(results: Iterable[tuple[Scenario, Tally]], *, anytime: bool = False) -> pd.DataFrame:
    """Return the tidy frame of scenarios with their tallies; columns as ``COLUMNS``.

    With ``anytime`` low and high are confidence sequences: 95 % at every number of pots.
    """
    played = list(results)
    names = labels(scenario for scenario, _ in played)
    policies = policy_labels(scenario for scenario, _ in played)
    rows = [
        (names[scenario.key], scenario.players, policies[scenario.key], *row)
        for scenario, tally in played
        for row in _rows(scenario, tally, anytime=anytime)
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def check_frame(frame: object, columns: Iterable[str] = COLUMNS) -> None:
    """Refuse what is no frame with these columns."""
    held = list(frame.columns) if isinstance(frame, pd.DataFrame) else []
    lacking = [name for name in columns if name not in held]
    if lacking:
        raise InputError(
            f"{shown(frame)} is no frame of a study: it lacks the columns {', '.join(lacking)}"
        )


def played(part: pd.DataFrame) -> str:
    """Say how many pots a frame's figures come from, at each table size."""
    fewest, most = part.pots.min(), part.pots.max()
    if fewest == most:
        return f"{most:,} pots at each table size"
    return f"{fewest:,} to {most:,} pots at a table size"


def titled(title: str, label: str) -> str:
    """Return a game's title with the options that its label names."""
    _, _, options = label.partition(" ")
    return f"{title} ({options})" if options else title


def labels(scenarios: Iterable[Scenario]) -> dict[str, str]:
    """Return each scenario's game by key, told apart by a # where different rules share a name."""
    listed = list(scenarios)
    rules = {(scenario.game.label, scenario.game.digest) for scenario in listed}
    shared = Counter(label for label, _ in rules)
    return {
        scenario.key: scenario.game.label
        + (f" #{scenario.game.digest[:6]}" if shared[scenario.game.label] > 1 else "")
        for scenario in listed
    }


def policy_labels(scenarios: Iterable[Scenario]) -> dict[str, str]:
    """Return each scenario's policy by key, told apart by a # where what differs shares a name."""
    listed = list(scenarios)
    # Policies of a table size: a name for all seats is the same one at every size.
    acts = {(scenario.players, scenario.policy, scenario.acts) for scenario in listed}
    shared = Counter((players, label) for players, label, _ in acts)
    return {
        scenario.key: scenario.policy
        + (f" #{scenario.acts[:6]}" if shared[scenario.players, scenario.policy] > 1 else "")
        for scenario in listed
    }


def exact_frame(scenarios: Iterable[Scenario]) -> pd.DataFrame:
    """Return the same columns with exact values alone; estimates are empty and pots are 0."""
    rows = []
    listed = list(scenarios)
    names, policies = labels(listed), policy_labels(listed)
    for scenario in listed:
        exact = exact_values(scenario.game, scenario.players, scenario.seats)
        leading = (names[scenario.key], scenario.players, policies[scenario.key])
        for key in in_order(exact):
            rows.append((*leading, *key, *[np.nan] * 4, 0, exact[key], np.nan))
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype({"exact": float})


def _rows(scenario: Scenario, tally: Tally, *, anytime: bool) -> Iterator[tuple[object, ...]]:
    """Yield a scenario's rows from the metric on: what was estimated, or known and never seen."""
    exact = exact_values(scenario.game, scenario.players, scenario.seats)
    rows = estimates(scenario, tally, anytime=anytime)
    values = {(metric, level): value for metric, level, value in rows}
    for key, known in exact.items():
        if known >= 1e-6 and key not in values:
            values[key] = unseen(*key, tally.pots, anytime=anytime)
    for key in in_order(values):
        value, known = values[key], float(exact.get(key, np.nan))
        low, high = (np.nan, np.nan) if _is_stuck(value, known) else (value.low, value.high)
        yield *key, *value[:2], low, high, tally.pots, known, z_score(value, known)


def _is_stuck(value: Estimate, exact: float) -> bool:
    """Whether a mean has never moved, which is no interval unless the rules fix it."""
    return np.isnan(value.trials) and value.se == 0 and not math.isclose(value.estimate, exact)


def z_score(value: Estimate, exact: float) -> float:
    """Return (estimate - exact) / se where that is close to normal, or else NaN."""
    if not value.se > 0 or np.isnan(exact):
        return np.nan
    if not np.isnan(value.trials):
        rarer = min(exact, 1 - exact) * value.trials
        if rarer < FEWEST_HITS:
            return np.nan
    return (value.estimate - exact) / value.se
