"""Control-variate estimates from the same pots.

What a table does with its cards moves with what the same cards do where all stay, and of that exact
values tell the mean. A *centred control* is how much more of it some pots saw than that; what this
did is found by regression over groups of pots and taken away (Lavenberg and Welch, Management
Science 1981). Estimates stay unbiased and intervals honest:

- **Each group is corrected with what the others say.** Its coefficient then has nothing to do with
  its own cards, and the correction has the mean 0 (Avramidis and Wilson, Operations Research 1993).
  One formed from all groups would be biased, by little more the more of them there are.
- **Nothing is chosen by what was seen.** What is controlled, and by what, depends on the rules and
  the table size: who takes the smaller of two errors finds intervals too narrow.
- **What was hardly seen is left alone.** Where few pots tell what a control leaves unexplained, a
  regression would take it for nothing.

The corrected mean weighs the groups by their controls alone. A share or ratio is one of two means
with the same weights, as survey statisticians calibrate (Deville and Särndal, JASA 1992); of bias
it has what every ratio has, of the order of one over the pots.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import special

from sim.kernels.ranks import CATEGORIES
from sim.odds import exact_values
from sim.scenario import Scenario
from sim.stats import frame
from sim.stats.intervals import MISSES, Estimate
from sim.stats.metrics import METRICS, USUAL, Key, is_amount, quotients
from sim.tally import Tally

Floats = NDArray[np.float64]

GAIN = "gain"
COLUMNS = (*frame.COLUMNS, GAIN)
"""The columns of a controlled frame. ``gain``: how many times the variance is smaller than that of
the plain estimate from all pots; NaN where the estimate is the plain one."""
MOST_BETTER = 1.5
"""Where more better hands than this are to be expected at a table, they hide how often a hand would
win: so many double its variance."""
FEWEST_SEEN = 50
"""How often what a control explains, and what it leaves, has to be seen, as a variance says."""


class Control(NamedTuple):
    """Something of which the exact mean is known: levels of a metric where all stay, added up."""

    metric: str
    levels: tuple[str, ...]


class Ratio(NamedTuple):
    """A level of a metric as a ratio of sums, from each group of pots."""

    top: Floats
    """(groups,)"""
    bottom: Floats
    """(groups,)"""


class Controlled(NamedTuple):
    """What is controlled of a scenario."""

    estimates: Mapping[Key, Estimate]
    pots: int
    """Pots that it is taken from."""
    basis: str
    """By what, or why it is not, in words."""


class ControlledFrame(NamedTuple):
    """A controlled frame, and what each scenario is controlled by, in words."""

    frame: pd.DataFrame
    basis: list[str]


def controlled_frame(
    plain: pd.DataFrame, scenarios: Iterable[tuple[Scenario, Controlled]]
) -> ControlledFrame:
    """Return a plain frame with what is controlled of its scenarios; columns as ``COLUMNS``.

    What is not controlled stays as it is.
    """
    parts = list(scenarios)
    named = frame.names(scenario for scenario, _ in parts)
    known = {named.of[scenario.key]: part for scenario, part in parts}
    width = len(named.columns)
    rows = [
        (*row[:width], *_row(row[width:], known[row[:width]]))
        for row in plain.itertuples(index=False, name=None)
    ]
    games = frame.labels(scenario for scenario, _ in parts)
    basis = [
        f"{games[scenario.key]}, {scenario.players} players, "
        f"{named.of[scenario.key][-1]}: {part.basis}"
        for scenario, part in parts
    ]
    table = pd.DataFrame(rows, columns=[*plain.columns, GAIN])
    return ControlledFrame(frame.in_level_order(table), basis)


def _row(row: tuple[Any, ...], controlled: Controlled) -> tuple[Any, ...]:
    """Return a plain row from the metric on with its controlled estimate, if it has one."""
    plain = Estimate(*row[2:6])
    value = controlled.estimates.get(row[:2])
    if value is None:
        return (*row, np.nan)
    exact = row[7]
    z = frame.z_score(value, exact)
    return (*row[:2], *value[:4], controlled.pots, exact, z, (plain.se / value.se) ** 2)


def controls(scenario: Scenario) -> dict[Key, list[Control]]:
    """Return what is controlled of a scenario, and by what, whatever was seen.

    Where players act it is what killers do, by the same in all-call play. In all-call play it is
    the category of the winning hand, by how often such a hand, or a better one, is shown.
    """
    exact = _exact(scenario)
    if not scenario.stays:
        kill = scenario.game.kill
        treatment = kill.treatment if kill.cards else None
        return {
            key: [Control(key[0], (key[1],))]
            for key in exact
            if treatment in METRICS[key[0]].controlled
        }
    by_hands = {}
    for index, category in enumerate(CATEGORIES):
        same, better = (Control("hand", CATEGORIES[start:]) for start in (index, index + 1))
        chance, others = (_mean(part, exact) for part in (same, better))
        if chance > others and scenario.players * others < MOST_BETTER:
            by_hands["winning_hand", category] = [same, better] if others else [same]
    usual = Control("hand", CATEGORIES[CATEGORIES.index("straight flush") :])
    return by_hands | {("winning_hand", USUAL): [usual]} if _mean(usual, exact) else by_hands


def _exact(scenario: Scenario) -> dict[Key, float]:
    """Return the exact values of all-call play."""
    values = exact_values(scenario.game, scenario.players)
    return {key: float(value) for key, value in values.items()}


def _mean(control: Control, exact: Mapping[Key, float]) -> float:
    """Return the exact mean of a control."""
    return float(sum(exact.get((control.metric, level), 0) for level in control.levels))


def controlled_estimates(
    scenario: Scenario, own: Sequence[Tally], all_call: Sequence[Tally]
) -> dict[Key, Estimate]:
    """Return what is controlled of a scenario, from groups of equally many pots of its own and of
    the same cards in all-call play, and was seen often enough."""
    lacks = frozenset[str]().union(*(tally.lacks for tally in (*own, *all_call)))
    by = {
        key: parts
        for key, parts in controls(scenario).items()
        if lacks.isdisjoint(_counts(key[0], *(part.metric for part in parts)))
    }
    exact = _exact(scenario)
    ratios = group_ratios(scenario, own, {metric for metric, _ in by})
    metrics = {control.metric for parts in by.values() for control in parts}
    known = group_ratios(Scenario(scenario.game, scenario.players), all_call, metrics)
    estimates = {}
    for key, parts in by.items():
        centred = np.column_stack([_centred(part, known, exact) for part in parts])
        value = control_variate_estimate(ratios[key], centred, amount=is_amount(*key))
        if value is not None:
            estimates[key] = value
    return estimates


def _counts(*metrics: str) -> set[str]:
    return {count for name in metrics for count in METRICS[name].counts}


def _centred(control: Control, known: Mapping[Key, Ratio], exact: Mapping[Key, float]) -> Floats:
    """Return how much more of a control each group saw than is to be expected of it: (groups,).

    Its mean is 0 exactly, for it is no ratio.
    """
    mean = _mean(control, exact)
    parts = [known[control.metric, level] for level in control.levels]
    seen = np.array([part.top for part in parts]).sum(axis=0)
    return np.asarray((seen - mean * parts[0].bottom) / max(mean, 1))


def control_variate_estimate(
    ratio: Ratio, centred: Floats, *, amount: bool = False
) -> Estimate | None:
    """Estimate a ratio by the centred controls of its groups, (groups, controls).

    None if too little was seen. Of an ``amount``, and in ``centred``, a unit is what it is on
    average.
    """
    groups, freedom = len(centred), len(centred) - 1 - centred.shape[1]
    if (groups * centred.var(axis=0) < FEWEST_SEEN).any():
        return None
    weights = calibrated_weights(centred)
    value = float(weights @ ratio.top / (weights @ ratio.bottom))
    errors = ratio.top - value * ratio.bottom
    design = np.column_stack([np.ones(groups), centred])
    left = errors - design @ np.linalg.lstsq(design, errors, rcond=None)[0]
    variance = float(left @ left) / freedom
    if groups * variance < FEWEST_SEEN * (max(abs(value), 1) ** 2 if amount else 1):
        return None
    se = float(np.sqrt(variance * (weights @ weights)) / (weights @ ratio.bottom))
    half = float(special.stdtrit(freedom, 1 - MISSES / 2)) * se
    trials = np.nan if amount else float(ratio.bottom.sum())
    return Estimate(value, se, value - half, value + half, trials=trials)


def calibrated_weights(centred: Floats) -> Floats:
    """Return the weights of groups, (groups,), with which their mean is the corrected one.

    They add up to 1, and the weighted controls to 0. Each group is corrected with coefficients from
    all others: those from all groups less what its own residual and leverage did to them.
    """
    groups = len(centred)
    design = np.column_stack([np.ones(groups), centred])
    solve = np.linalg.pinv(design)
    leverage = np.einsum("gk,kg->g", design, solve)
    own = np.einsum("gk,kg->g", centred, solve[1:]) / (1 - leverage)
    of_others = own - design @ (solve @ own)
    return np.asarray((1 - centred.sum(axis=0) @ solve[1:] + of_others) / groups)


def group_ratios(
    scenario: Scenario, tallies: Sequence[Tally], metrics: Iterable[str]
) -> dict[Key, Ratio]:
    """Return every level of some metrics as a ratio of sums, from each group's tally."""
    ratios: dict[Key, Ratio] = {}
    for metric in metrics:
        sums = [quotients(metric, scenario, tally.counts) for tally in tallies]
        tops = np.array([top for _, top, _ in sums], float).T
        bottoms = np.array([bottom for _, _, bottom in sums], float).T.copy()
        for level, top, bottom in zip(sums[0][0], tops, bottoms, strict=True):
            ratios[metric, level] = Ratio(top, bottom)
    return ratios
