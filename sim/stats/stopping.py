"""When a scenario is known sharply enough, decided the same way on every machine.

A precision is tested on the contiguous prefix of cells alone, at a fixed geometric schedule of
looks; so neither threads nor interruptions nor what else a store holds can move the stopping point.
"""

import math
from typing import NamedTuple

import numpy as np

from sim.arguments import one_of, shown
from sim.errors import InputError
from sim.odds import exact_values
from sim.scenario import Plan, Precision, Scenario
from sim.stats.estimate import METRICS, Estimate, estimates, of_share
from sim.tally import Tally

FEWEST_HITS = 100
"""A relative precision is not believed of a rarer thing than this."""
WITHOUT_ERROR = ("sd", "p50", "p95", "p99", "max")
"""Levels that are no share and no mean."""


RATES = {
    "kill_rate_dealt", "folds_by_price", "net_by_tolls", "net_by_policy", "toll_by_policy", "bets",
}  # fmt: skip
"""Metrics that have no value where the thing they are taken of never came."""
NUMBERED = {
    "toll_pot", "toll_player", "deals_per_pot", "survivors", "kill_rate_dealt", "players_out",
}  # fmt: skip
"""Metrics of which exact values, where there are any, list all numbers that can come."""


class PrecisionStatus(NamedTuple):
    """How sharply a metric is known after some pots."""

    pots: int
    estimate: float
    half_width: float
    wanted: float
    """The half-width that is asked for; NaN while a relative one has nothing to relate to."""
    reached: bool


def next_look(cells: int) -> int:
    """Return at how many cells to look after having looked at so many: a quarter more."""
    return cells + max(1, cells // 4)


def precision_status(precision: Precision, scenario: Scenario, tally: Tally) -> PrecisionStatus:
    """Return how sharply a scenario's tally knows what a precision asks for."""
    return judged(precision, scenario, _estimate(precision, scenario, tally), tally.pots)


def judged(precision: Precision, scenario: Scenario, found: Estimate, pots: int) -> PrecisionStatus:
    """Return how sharply an estimate from so many pots knows what a precision asks for."""
    half_width = (found.high - found.low) / 2
    enough = _has_varied(precision, scenario, found)
    if precision.half_width is not None:
        wanted = precision.half_width
    else:
        wanted = abs((precision.relative or 0) * found.estimate) or math.nan
        enough = enough and _hits(found, pots) >= FEWEST_HITS
    return PrecisionStatus(
        pots, found.estimate, half_width, wanted, bool(enough and half_width <= wanted)
    )


def _estimate(precision: Precision, scenario: Scenario, tally: Tally) -> Estimate:
    name = (precision.metric, precision.level)
    for metric, level, found in estimates(scenario, tally):
        if (metric, level) == name:
            return found
    # A level that never came up is a share of 0, but for a rate of what never came.
    return Estimate(math.nan) if precision.metric in RATES else of_share(0, tally.pots)


def _has_varied(precision: Precision, scenario: Scenario, found: Estimate) -> bool:
    """Whether an interval means something: a mean that never moved has none, unless it is fixed."""
    if not math.isnan(found.trials) or found.se > 0:
        return True
    exact = exact_values(scenario.game, scenario.players, scenario.seats).get(
        (precision.metric, precision.level)
    )
    return exact is not None and math.isclose(float(exact), found.estimate)


def _hits(found: Estimate, pots: int) -> float:
    """Return how often the thing was seen; of a mean, at least in how many pots it was not nought.

    (sum of x)² ≤ (pots with x ≠ 0) × (sum of x²), by Cauchy and Schwarz.
    """
    if not math.isnan(found.trials):
        return found.estimate * found.trials
    squares = found.se**2 * (pots - 1) + found.estimate**2
    return pots * found.estimate**2 / squares if squares > 0 else 0.0


def check(plan: Plan) -> None:
    """Refuse a precision on what a scenario does not have, or what is nought by its rules."""
    if plan.precision is None:
        return
    metric, level = plan.precision.metric, plan.precision.level
    one_of(metric, METRICS, "metric")
    if level in WITHOUT_ERROR:
        raise InputError(f"{metric} {level} cannot be a target: shares and means can")
    for scenario in plan.scenarios:
        _check_level(metric, level, scenario)


def usual_level(metric: str, scenario: Scenario) -> str:
    """Return the level of a metric that is meant if none is named: all, or the mean."""
    known = levels(metric, scenario)
    return "mean" if "all" not in known and "mean" in known else "all"


def _check_level(metric: str, level: str, scenario: Scenario) -> None:
    known = levels(metric, scenario)
    if not known:
        raise InputError(f"{scenario} has no {metric}: its rules leave nothing to measure")
    if level not in known:
        some = [name for name in known if name not in WITHOUT_ERROR][:8]
        raise InputError(
            f"{scenario} has no level {shown(level)} of {metric}: there are {', '.join(some)}"
            + (" …" if len(known) > len(some) else "")
        )
    if _is_nought(metric, level, scenario):
        raise InputError(
            f"{metric} {level} of {scenario} is nought by the rules, so that no number of pots "
            "would show it: choose another target"
        )


def levels(metric: str, scenario: Scenario) -> list[str]:
    """Return all levels that a scenario's tallies have room for."""
    tally = Tally(scenario.shapes)
    tally.data[:] = 1
    with np.errstate(all="ignore"):
        return [level for name, level, _ in estimates(scenario, tally) if name == metric]


def _is_nought(metric: str, level: str, scenario: Scenario) -> bool:
    exact = exact_values(scenario.game, scenario.players, scenario.seats)
    if metric == "winning_hand":
        metric = "hand"  # what nobody can hold cannot win
    amounts = {name for kind, name in exact if kind == metric and name.isdigit()}
    if metric in NUMBERED and amounts and level.isdigit():
        return level not in amounts
    return (metric, level) in exact and exact[metric, level] == 0
