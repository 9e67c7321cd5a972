"""Differences of two scenarios, more precise where both were dealt the same cards.

Scenarios of one table size and seed see the same cards, so that differences are taken group by
group of pots; the error is that of a jackknife which leaves out a group at a time (Efron and Stein,
Annals of Statistics 1981), with Student's t. Elsewhere two separate estimates are compared.
"""

import math
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import special

from sim.arguments import one_of
from sim.errors import InputError
from sim.scenario import Scenario
from sim.stats.intervals import MISSES, SCORE, Estimate
from sim.stats.metrics import METRICS, Key, estimates, in_order, kind_of
from sim.tally import Tally

FEWEST_GROUPS = 8
"""From fewer the spread between groups is not known."""
COLUMNS = ("metric", "level", "a", "b", "difference", "se", "low", "high", "paired")
"""The columns of a comparison."""
Values = dict[Key, Estimate]


class Comparison(NamedTuple):
    """The differences of two scenarios, and what they are taken from, in words."""

    frame: pd.DataFrame
    basis: str


def paired(a: Scenario, b: Scenario, groups: Sequence[Sequence[Tally]]) -> Comparison:
    """Return the difference a - b of every share and mean, from groups of the same cards.

    A group is a tally of a and one of b, of equally many pots in each; at least ``FEWEST_GROUPS``.
    """
    totals = Tally(a.shapes), Tally(b.shapes)
    for group in groups:
        for total, tally in zip(totals, group, strict=True):
            total += tally
    left_out = [
        (_without(a, totals[0], of_a), _without(b, totals[1], of_b)) for of_a, of_b in groups
    ]
    rows = []
    for key, of_a, of_b in _shared(_values(a, totals[0]), _values(b, totals[1])):
        # What only one group has seen is missing without it: then none is left.
        parts = np.array([_value(less_a, key) - _value(less_b, key) for less_a, less_b in left_out])
        se, score = jackknife(parts)
        known = not np.isnan(of_a.se + of_b.se)  # or a ratio of too few things
        rows.append(_row(key, of_a, of_b, se if known else np.nan, score, paired=True))
    basis = (
        f"paired by cards: {totals[0].pots:,} pots that both have, in {len(groups)} groups of cells"
    )
    return Comparison(pd.DataFrame(rows, columns=list(COLUMNS)), basis)


def unpaired(a: Scenario, total_a: Tally, b: Scenario, total_b: Tally, why: str) -> Comparison:
    """Return the differences of two separate estimates, whose errors add, and why they are."""
    rows = [
        _row(key, of_a, of_b, math.hypot(of_a.se, of_b.se), SCORE, paired=False)
        for key, of_a, of_b in _shared(_values(a, total_a), _values(b, total_b))
    ]
    return Comparison(pd.DataFrame(rows, columns=list(COLUMNS)), f"not paired: {why}")


def only(comparison: Comparison, metrics: Collection[str], of: str) -> Comparison:
    """Leave out all other metrics, if any are named; refuse one that is not there."""
    if not metrics:
        return comparison
    for metric in metrics:
        one_of(metric, METRICS, "metric")
        if metric not in set(comparison.frame.metric):
            raise InputError(f"{of} have no {metric} in common that could be compared")
    rows = comparison.frame[comparison.frame.metric.isin(list(metrics))]
    return comparison._replace(frame=rows.reset_index(drop=True))


def jackknife(left_out: NDArray[np.float64]) -> tuple[float, float]:
    """Return the standard error, and Student's score, of what was taken without each group."""
    groups = len(left_out)
    spread = float(((left_out - left_out.mean()) ** 2).sum())
    score = float(special.stdtrit(groups - 1, 1 - MISSES / 2))
    return math.sqrt((groups - 1) / groups * spread), score


def _row(
    key: Key, a: Estimate, b: Estimate, se: float, score: float, *, paired: bool
) -> tuple[object, ...]:
    difference = a.estimate - b.estimate
    low, high = difference - score * se, difference + score * se
    return (*key, a.estimate, b.estimate, difference, se, low, high, paired)


def _without(scenario: Scenario, total: Tally, part: Tally) -> Values:
    return _values(scenario, Tally(scenario.shapes, total.data - part.data, total.lacks))


def _values(scenario: Scenario, tally: Tally) -> Values:
    values = {(metric, level): value for metric, level, value in estimates(scenario, tally)}
    return {key: value for key, value in values.items() if kind_of(*key).comparable}


def _value(values: Values, key: Key) -> float:
    return values[key].estimate if key in values else 0.0


def _shared(a: Values, b: Values) -> Iterator[tuple[Key, Estimate, Estimate]]:
    """Yield what both tell, by metric; an amount seen in one alone is 0 in the other."""
    metrics = {name for name, _ in a} & {name for name, _ in b}
    keys = [*(key for key in a if key not in b), *b]
    for key in in_order(key for key in keys if key[0] in metrics):
        if not any(_value(values, key) for values in (a, b)):
            continue  # what neither has seen tells nothing of a difference
        if key in a and key in b:
            yield key, a[key], b[key]
        elif METRICS[key[0]].part(key[1]).distribution:
            yield key, a.get(key, Estimate(0.0, 0.0)), b.get(key, Estimate(0.0, 0.0))
