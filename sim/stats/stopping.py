"""When a scenario is known sharply enough, decided the same way on every machine.

A precision is tested on the contiguous prefix of cells alone, at a fixed geometric schedule of
looks; so neither threads nor interruptions nor what else a store holds can move the stopping point.
"""

import math
from typing import NamedTuple

from sim.arguments import one_of
from sim.errors import InputError, shown
from sim.odds import exact_values
from sim.scenario import Plan, Precision, Scenario
from sim.stats.intervals import Estimate
from sim.stats.metrics import METRICS, estimates, kind_of, unseen
from sim.tally import Tally

FEWEST_HITS = 100
"""A relative precision is not believed of a rarer thing than this."""


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
    own = METRICS[precision.metric].pots_with(tally)
    return judged(precision, scenario, _estimate(precision, scenario, own), own.pots)


def judged(precision: Precision, scenario: Scenario, value: Estimate, pots: int) -> PrecisionStatus:
    """Return how sharply an estimate from so many pots knows what a precision asks for."""
    half_width = (value.high - value.low) / 2
    enough = _has_varied(precision, scenario, value)
    if precision.half_width is not None:
        wanted = precision.half_width
    else:
        wanted = abs((precision.relative or 0) * value.estimate) or math.nan
        enough = enough and _hits(value, pots) >= FEWEST_HITS
    return PrecisionStatus(
        pots, value.estimate, half_width, wanted, bool(enough and half_width <= wanted)
    )


def _estimate(precision: Precision, scenario: Scenario, tally: Tally) -> Estimate:
    name = (precision.metric, precision.level)
    for metric, level, value in estimates(scenario, tally):
        if (metric, level) == name:
            return value
    return unseen(*name, tally.pots)


def _has_varied(precision: Precision, scenario: Scenario, value: Estimate) -> bool:
    """Whether an interval means something: a mean that never moved has none, unless it is fixed."""
    if not math.isnan(value.trials) or value.se > 0:
        return True
    exact = exact_values(scenario.game, scenario.players, scenario.seats).get(
        (precision.metric, precision.level)
    )
    return exact is not None and math.isclose(float(exact), value.estimate)


def _hits(value: Estimate, pots: int) -> float:
    """Return how often the thing was seen; of a mean, at least in how many pots it was not nought.

    (sum of x)² ≤ (pots with x ≠ 0) × (sum of x²), by Cauchy and Schwarz.
    """
    if not math.isnan(value.trials):
        return value.estimate * value.trials
    squares = value.se**2 * (pots - 1) + value.estimate**2
    return pots * value.estimate**2 / squares if squares > 0 else 0.0


def check(plan: Plan) -> None:
    """Refuse a precision on what a scenario does not have, or what is nought by its rules."""
    if plan.precision is None:
        return
    metric, level = plan.precision.metric, plan.precision.level
    one_of(metric, METRICS, "metric")
    if not kind_of(metric, level).comparable:
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
        some = [name for name in known if kind_of(metric, name).comparable][:8]
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
    """Return all levels that a scenario's tallies hold; none of what is no metric."""
    return METRICS[metric].levels(scenario) if metric in METRICS else []


def _is_nought(metric: str, level: str, scenario: Scenario) -> bool:
    """Whether the rules leave a level out: exact values list all numbers that can come."""
    exact = exact_values(scenario.game, scenario.players, scenario.seats)
    key = (METRICS[metric].within or metric, level)
    numbers = any(name == key[0] and other.isdigit() for name, other in exact)
    return exact[key] == 0 if key in exact else level.isdigit() and numbers
