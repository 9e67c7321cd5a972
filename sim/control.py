"""Sharper estimates from the same pots, by control variates.

What a table does with its cards moves with what the same cards do where all stay, and of that exact
values tell the mean. So it is known how lucky the cards were; what that did is found by regression
over groups of cells and taken away (Lavenberg and Welch, Management Science 1981). Estimates stay
unbiased and intervals honest:

- **Each group is corrected with what the others say.** Its coefficient then has nothing to do with
  its luck, and the correction has the mean 0 (Avramidis and Wilson, Operations Research 1993). One
  formed from all groups would be biased, by little more the more of them there are.
- **Nothing is chosen by what was seen.** What is controlled, and by what, depends on the rules and
  the table size: who takes the smaller of two errors finds intervals too narrow.
- **What was hardly seen is left alone.** Where few pots tell what a control leaves unexplained, a
  regression would take it for nothing.

The corrected mean weighs the groups by their controls alone. A share or ratio is one of two means
with the same weights, as survey statisticians calibrate (Deville and Särndal, JASA 1992); of bias
it has what every ratio has, of the order of one over the pots.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import special

from sim.game import MAX_PLAYERS, STREETS, UP_STREETS
from sim.kernels.ranks import CATEGORIES
from sim.odds import exact_values
from sim.pairs import FEWEST_GROUPS, groups
from sim.runs.run import CELL
from sim.runs.store import Store
from sim.scenario import Scenario
from sim.stats import estimate
from sim.stats.estimate import MISSES, USUAL, Estimate, is_amount
from sim.tally import Counts, Tally

Floats = NDArray[np.float64]
Key = tuple[str, str]
"""A metric and a level."""
Row = tuple[str, Sequence[str], Sequence[Any] | NDArray[np.int64], Any]
"""A metric, its levels, the sum of each, and what they are divided by."""
SEATS = [*map(str, range(1, MAX_PLAYERS + 1)), "community"]

COLUMNS = (*estimate.COLUMNS, "gain")
"""The columns of a controlled frame. ``gain``: how many times the variance is smaller than that of
the plain estimate from all pots; NaN where the estimate is the plain one."""
CONTROLLED = {
    "redeal": {
        "kill_rate", "survival", "killed_seat", "killed_pots", "deals_per_pot", "cards_per_pot",
        "decisions",
    },
    "player-out": {"killed_seat", "killed_pots", "players_out"},
}  # fmt: skip
"""By the treatment of a kill, what is controlled, where players act, by the same where all stay:
what saves half of the seconds (``python -m benchmarks --only variance``)."""
ENOUGH = 0.5
"""The part of a scenario's pots whose cards the other has to have: what is built in saves half."""
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
    """A level of a metric as a ratio of sums, from each group of cells."""

    top: Floats
    """(groups,)"""
    bottom: Floats
    """(groups,)"""


class Sharper(NamedTuple):
    """What is controlled of a scenario."""

    estimates: dict[Key, Estimate]
    pots: int
    """Pots that it is taken from."""
    basis: str
    """By what, or why it is not, in words."""


class Controlled(NamedTuple):
    """A controlled frame, and what each scenario is controlled by, in words."""

    frame: pd.DataFrame
    basis: list[str]


def frame(store: Store, parts: Iterable[tuple[Scenario, int | None]]) -> Controlled:
    """Return the frame of a store's scenarios, each with its seed (None: all), with ``COLUMNS``.

    What is not controlled stays as it is.
    """
    several = list(parts)
    scenarios = [scenario for scenario, _ in several]
    games, policies = estimate.labels(scenarios), estimate.policy_labels(scenarios)
    found = {
        (games[one.key], one.players, policies[one.key]): sharper(store, one, seed)
        for one, seed in several
    }
    plain = estimate.frame((scenario, store.total(scenario, seed)) for scenario, seed in several)
    rows = [_row(row, found[row[:3]]) for row in plain.itertuples(index=False, name=None)]
    basis = [
        f"{game}, {players} players, {policy}: {one.basis}"
        for (game, players, policy), one in found.items()
    ]
    return Controlled(pd.DataFrame(rows, columns=list(COLUMNS)), basis)


def _row(row: tuple[Any, ...], found: Sharper) -> tuple[Any, ...]:
    """Return a row of a plain frame with its controlled estimate, if it has one."""
    plain = estimate.Estimate(*row[5:9])
    value = found.estimates.get(row[3:5])
    if value is None:
        return (*row, np.nan)
    exact = row[10]
    z = estimate.z_score(value, exact)
    return (*row[:5], *value[:4], found.pots, exact, z, (plain.se / value.se) ** 2)


def sharper(store: Store, scenario: Scenario, seed: int | None = None) -> Sharper:
    """Return what can be controlled of a scenario in a store, under one seed or (None) all."""
    wanted, staying = controls(scenario), Scenario(scenario.game, scenario.players)
    if not wanted:
        return Sharper({}, 0, "plain, for no control would tell much of it")
    if not store.seeds(staying):
        return Sharper({}, 0, "plain, for the store does not hold the same with all staying")
    played = groups(store, list({one.key: one for one in (scenario, staying)}.values()), seed)
    fewest = FEWEST_GROUPS + max(len(parts) for parts in wanted.values())
    if len(played) < fewest:
        both = "" if scenario.stays else " that both have"
        return Sharper(
            {}, 0, f"plain, for control takes {fewest} full cells of {CELL:,} pots{both}"
        )
    pots = sum(tallies[0].pots for tallies in played)
    if pots < ENOUGH * _all_pots(store, scenario, seed):
        return Sharper({}, 0, f"plain, for all stayed in {pots:,} pots of the same cards alone")
    by = "the hands shown" if scenario.stays else "the same cards with all staying"
    basis = f"controlled by {by}, {pots:,} pots in {len(played)} groups of cells"
    own, same = ([tallies[place] for tallies in played] for place in (0, -1))
    return Sharper(of_groups(scenario, own, same), pots, basis)


def _all_pots(store: Store, scenario: Scenario, seed: int | None) -> int:
    seeds = store.seeds(scenario) if seed is None else [seed]
    return sum(sum(store.pots(scenario, one).values()) for one in seeds)


def _exact(scenario: Scenario) -> dict[Key, float]:
    """Return the exact values where all stay."""
    values = exact_values(scenario.game, scenario.players)
    return {key: float(value) for key, value in values.items()}


def controls(scenario: Scenario) -> dict[Key, list[Control]]:
    """Return what is controlled of a scenario, and by what, whatever was seen.

    Where players act it is what killers do, by the same with all staying. Where all stay it is the
    category of the winning hand, by how often such a hand, or a better one, is shown.
    """
    exact = _exact(scenario)
    if not scenario.stays:
        kill = scenario.game.kill
        metrics = CONTROLLED[kill.treatment] if kill.cards else ()
        return {key: [Control(key[0], (key[1],))] for key in exact if key[0] in metrics}
    found = {}
    for place, category in enumerate(CATEGORIES):
        same, better = (Control("hand", CATEGORIES[start:]) for start in (place, place + 1))
        chance, others = (_known(part, exact) for part in (same, better))
        if chance > others and scenario.players * others < MOST_BETTER:
            found["winning_hand", category] = [same, better] if others else [same]
    usual = Control("hand", CATEGORIES[CATEGORIES.index("straight flush") :])
    return found | {("winning_hand", USUAL): [usual]} if _known(usual, exact) else found


def _known(control: Control, exact: dict[Key, float]) -> float:
    """Return the exact mean of a control."""
    return float(sum(exact.get((control.metric, level), 0) for level in control.levels))


def of_groups(
    scenario: Scenario, own: Sequence[Tally], staying: Sequence[Tally]
) -> dict[Key, Estimate]:
    """Return what is controlled of a scenario, from groups of equally many pots of its own and of
    the same cards with all staying, and was seen often enough."""
    exact, ratios = _exact(scenario), taken(scenario, own)
    known = taken(Scenario(scenario.game, scenario.players), staying)
    found = {}
    for key, parts in controls(scenario).items():
        luck = np.column_stack([_luck(part, known, exact) for part in parts])
        value = controlled(ratios[key], luck, amount=is_amount(*key))
        if value is not None:
            found[key] = value
    return found


def _luck(control: Control, known: dict[Key, Ratio], exact: dict[Key, float]) -> Floats:
    """Return how much more of a control each group saw than is to be expected of it: (groups,).

    Its mean is 0 exactly, for it is no ratio.
    """
    mean = _known(control, exact)
    parts = [known[control.metric, level] for level in control.levels]
    seen = np.array([part.top for part in parts]).sum(axis=0)
    return np.asarray((seen - mean * parts[0].bottom) / max(mean, 1))


def controlled(ratio: Ratio, luck: Floats, *, amount: bool = False) -> Estimate | None:
    """Estimate a ratio, controlled by the luck of its groups, (groups, controls), of mean 0.

    None if too little was seen. Of an ``amount``, and in ``luck``, a unit is what it is on average.
    """
    groups, freedom = len(luck), len(luck) - 1 - luck.shape[1]
    if (groups * luck.var(axis=0) < FEWEST_SEEN).any():
        return None
    weights = calibrated(luck)
    value = float(weights @ ratio.top / (weights @ ratio.bottom))
    errors = ratio.top - value * ratio.bottom
    design = np.column_stack([np.ones(groups), luck])
    left = errors - design @ np.linalg.lstsq(design, errors, rcond=None)[0]
    variance = float(left @ left) / freedom
    if groups * variance < FEWEST_SEEN * (max(abs(value), 1) ** 2 if amount else 1):
        return None
    se = float(np.sqrt(variance * (weights @ weights)) / (weights @ ratio.bottom))
    half = float(special.stdtrit(freedom, 1 - MISSES / 2)) * se
    trials = np.nan if amount else float(ratio.bottom.sum())
    return Estimate(value, se, value - half, value + half, trials=trials)


def calibrated(luck: Floats) -> Floats:
    """Return the weights of groups, (groups,), with which their mean is the corrected one.

    They add up to 1, and the weighted luck to 0. Each group is corrected with coefficients from all
    others: those from all groups less what its own residual and leverage did to them.
    """
    groups = len(luck)
    design = np.column_stack([np.ones(groups), luck])
    solve = np.linalg.pinv(design)
    leverage = np.einsum("gk,kg->g", design, solve)
    own = np.einsum("gk,kg->g", luck, solve[1:]) / (1 - leverage)
    of_others = own - design @ (solve @ own)
    return np.asarray((1 - luck.sum(axis=0) @ solve[1:] + of_others) / groups)


def taken(scenario: Scenario, tallies: Sequence[Tally]) -> dict[Key, Ratio]:
    """Return from each group's tally all that is controlled, or controls, by metric and level."""
    rows = [list(_ratios(scenario, tally.counts)) for tally in tallies]
    found: dict[Key, Ratio] = {}
    for place, (metric, levels, _, _) in enumerate(rows[0]):
        tops = np.array([row[place][2] for row in rows], float)
        bottom = np.array([row[place][3] for row in rows], float)
        found |= {
            (metric, level): Ratio(top, bottom) for level, top in zip(levels, tops.T, strict=True)
        }
    return found


def _ratios(scenario: Scenario, counts: Counts) -> Iterator[Row]:
    """Yield metric, levels, the sum of each and what it is divided by, as ``estimates`` does."""
    pots, number = counts.pots[0], np.arange(len(counts.deals))
    deals = counts.deals @ number
    if scenario.game.kill.cards:
        redeals = scenario.game.kill.treatment == "redeal"
        yield from (_redeals if redeals else _players_out)(counts, deals if redeals else pots)
        yield "killed_pots", ["all"], counts.killed_pots, pots
    yield "deals_per_pot", ["mean", *map(str, number)], [deals, *counts.deals], pots
    yield "cards_per_pot", ["mean"], counts.cards[:1], pots
    yield "decisions", ["mean"], counts.decisions[:1], pots
    yield "hand", CATEGORIES, counts.hands[0], counts.hands_shown[0]
    won, first = counts.winning_hands, CATEGORIES.index("straight flush")
    yield "winning_hand", [*CATEGORIES, USUAL], [*won, won[first:].sum()], won.sum()


def _redeals(counts: Counts, deals: Any) -> Iterator[Row]:
    """Yield what killers do that kill a deal."""
    yield "kill_rate", [*STREETS[:UP_STREETS], "community", "all"], counts.kills_by_street[0], deals
    alive = deals - np.cumsum(counts.kills_by_card[0])
    yield "survival", [str(up_card) for up_card in range(len(alive))], alive, deals
    yield "killed_seat", SEATS, counts.kills_by_seat[0], deals


def _players_out(counts: Counts, pots: Any) -> Iterator[Row]:
    """Yield what killers do that put a player out."""
    number = np.arange(len(counts.players_out))
    mean, streets = counts.players_out @ number, counts.kills_by_street[0, :UP_STREETS]
    levels = ["mean", *map(str, number), *STREETS[:UP_STREETS]]
    yield "players_out", levels, [mean, *counts.players_out, *streets], pots
    yield "killed_seat", SEATS, counts.kills_by_seat[0], pots
