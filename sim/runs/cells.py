"""A store's scenarios by their names, and the cells that they share: what is told from both.

Scenarios of one table size and seed were dealt the same cards, cell by cell.
"""

import difflib
import re
from collections.abc import Collection, Iterable, Sequence

import pandas as pd

from sim.errors import InputError, NoData, shown
from sim.runs.run import CELL
from sim.runs.store import Store
from sim.scenario import Scenario
from sim.stats.control_variates import (
    Controlled,
    ControlledFrame,
    controlled_estimates,
    controlled_frame,
    controls,
)
from sim.stats.differences import COLUMNS, FEWEST_GROUPS, Comparison, only, paired, unpaired
from sim.stats.frame import labels, policy_labels, tidy_frame
from sim.stats.metrics import METRICS
from sim.tally import Tally

MOST_GROUPS = 64
"""Cells are put together into at most so many groups."""
ENOUGH = 0.5
"""The part of a scenario's pots whose cards the other has to have: what is built in saves half."""


def find(store: Store, text: str) -> Scenario:
    """Return the scenario that a user means: the start of its hash, or GAME:PLAYERS[:POLICY].

    Without a policy the one in which all stay is meant, or else the only one.
    """
    scenarios, names = store.scenarios(), _names(store)
    text = _by_name(text, scenarios)
    meant = [
        scenario for scenario in scenarios if _is_meant(text, scenario.key, names[scenario.key])
    ]
    all_call = [scenario for scenario in meant if scenario.stays]
    if len(meant) > 1 and len(all_call) == 1:
        meant = all_call
    if len(meant) == 1:
        return meant[0]
    if not scenarios:
        raise NoData.in_store(store.path, "compare")
    likely = difflib.get_close_matches(text, names.values(), n=3, cutoff=0.0)
    known = [names[scenario.key] for scenario in meant] or likely
    what = "means several scenarios" if meant else "is no scenario"
    raise InputError(
        f"{shown(text)} {what} of {store.path or 'this study'}: name one as "
        f"{' or '.join(known)}, or by its hash, which status tells"
    )


def _by_name(text: str, scenarios: Iterable[Scenario]) -> str:
    """Return what a user typed with a game's name in the place of its title."""
    for game in {scenario.game.name: scenario.game for scenario in scenarios}.values():
        if text.lower().startswith(game.title.lower()):
            return f"{game.name}{text[len(game.title) :]}"
    return text


def _names(store: Store) -> dict[str, str]:
    """Return what each scenario of a store is called, by key."""
    scenarios = store.scenarios()
    games, policies = labels(scenarios), policy_labels(scenarios)
    return {
        scenario.key: f"{games[scenario.key]}:{scenario.players}:{policies[scenario.key]}"
        for scenario in scenarios
    }


def _is_meant(text: str, key: str, name: str) -> bool:
    starts = re.fullmatch("[0-9a-f]{4,16}", text) and key.startswith(text)
    return bool(starts) or text in (name, name.rpartition(":")[0])


def groups(
    store: Store,
    scenarios: Sequence[Scenario],
    seed: int | None = None,
    counts: Collection[str] = (),
) -> list[tuple[Tally, ...]]:
    """Return the tallies of scenarios, in groups of equally many cells that all have in full.

    Cells are those of one seed or (None) of all seeds that they have in common, and have these
    counts.
    """
    cells = sorted(_common(store, scenarios, seed, counts))
    size = -(-len(cells) // MOST_GROUPS) or 1
    whole = cells[: len(cells) // size * size]
    tallies: list[tuple[Tally, ...]] = []
    for index, (own_seed, number) in enumerate(whole):
        if index % size == 0:
            tallies.append(tuple(Tally(scenario.shapes) for scenario in scenarios))
        for scenario, tally in zip(scenarios, tallies[-1], strict=True):
            for cell in store.cells(scenario, own_seed, [number]):
                tally += cell.tally
    return tallies


def _common(
    store: Store, scenarios: Sequence[Scenario], seed: int | None, counts: Collection[str]
) -> set[tuple[int, int]]:
    """Return seed and number of the cells that all have, of the longest length there is."""
    first, *others = scenarios
    seeds = set.intersection(*(set(store.seeds(scenario)) for scenario in scenarios))
    theirs = [{own: store.pots(other, own, counts) for own in seeds} for other in others]
    common = {
        (own_seed, number): pots
        for own_seed in (seeds if seed is None else seeds & {seed})
        for number, pots in store.pots(first, own_seed, counts).items()
        if all(held[own_seed].get(number) == pots for held in theirs)
    }
    full = max(common.values(), default=0)
    return {cell for cell, pots in common.items() if pots == full}


def compare_all(
    store: Store, a: Scenario, others: Iterable[Scenario], metrics: Collection[str] = ()
) -> Comparison:
    """Return the differences of one scenario from each of several.

    The frame has the columns ``versus`` (what a is compared with) and those of a comparison; every
    interval is a 95 % one for itself. ``metrics`` leaves out all others.
    """
    names = _names(store)
    parts = {names[other.key]: compare(store, a, other, metrics) for other in others}
    frames = [part.frame.assign(versus=name) for name, part in parts.items()]
    frame = pd.concat(frames, ignore_index=True)[["versus", *COLUMNS]]
    return Comparison(frame, "; ".join(f"{name}: {part.basis}" for name, part in parts.items()))


def compare(store: Store, a: Scenario, b: Scenario, metrics: Collection[str] = ()) -> Comparison:
    """Return the difference a - b of every share and mean, with a 95 % interval.

    ``metrics`` leaves out all others. What some cells lack counts for is taken from those that have
    them.
    """
    if a.key == b.key:
        raise InputError(f"{a} does not differ from itself: name two scenarios")
    lacking = store.lacking(a).keys() | store.lacking(b).keys()
    apart = {
        name: metric.counts
        for name, metric in METRICS.items()
        if not lacking.isdisjoint(metric.counts)
    }
    comparison = _compare(store, a, b)
    if apart:
        parts = [comparison.frame[~comparison.frame.metric.isin(list(apart))]]
        for name, counts in apart.items():
            frame = _compare(store, a, b, counts).frame
            parts.append(frame[frame.metric == name])
        comparison = comparison._replace(frame=_by_metric(pd.concat(parts)))
    return only(comparison, metrics, f"{a} and {b}")


def _by_metric(frame: pd.DataFrame) -> pd.DataFrame:
    order = list(METRICS).index
    return frame.sort_values(
        "metric", key=lambda names: names.map(order), kind="stable", ignore_index=True
    )


def _compare(store: Store, a: Scenario, b: Scenario, counts: Collection[str] = ()) -> Comparison:
    """Compare scenarios over their cells that have some counts."""
    shared, why = [], ""
    if a.players != b.players:
        why = "different table sizes are dealt different cards"
    elif not set(store.seeds(a)) & set(store.seeds(b)):
        why = "they have no seed in common"
    elif len(shared := groups(store, (a, b), counts=counts)) < FEWEST_GROUPS:
        why = (
            f"they were dealt the same cards, but a paired error takes {FEWEST_GROUPS} full cells "
            f"of {CELL:,} pots that both have; until then intervals are wider than they need be"
        )
    if why:
        return unpaired(a, store.total(a), b, store.total(b), why)
    return paired(a, b, shared)


def controlled(store: Store, parts: Iterable[tuple[Scenario, int | None]]) -> ControlledFrame:
    """Return the controlled frame of a store's scenarios, each with its seed (None: all)."""
    pairs = list(parts)
    plain = tidy_frame((scenario, store.total(scenario, seed)) for scenario, seed in pairs)
    return controlled_frame(
        plain, [(scenario, control(store, scenario, seed)) for scenario, seed in pairs]
    )


def control(store: Store, scenario: Scenario, seed: int | None = None) -> Controlled:
    """Return what can be controlled of a scenario in a store, under one seed or (None) all."""
    by, all_call = controls(scenario), Scenario(scenario.game, scenario.players)
    if not by:
        return Controlled({}, 0, "plain, for no control would tell much of it")
    if not store.seeds(all_call):
        return Controlled({}, 0, "plain, for the store does not hold the same with all staying")
    shared = groups(store, list({each.key: each for each in (scenario, all_call)}.values()), seed)
    fewest = FEWEST_GROUPS + max(len(parts) for parts in by.values())
    if len(shared) < fewest:
        both = "" if scenario.stays else " that both have"
        return Controlled(
            {}, 0, f"plain, for control takes {fewest} full cells of {CELL:,} pots{both}"
        )
    pots = sum(tallies[0].pots for tallies in shared)
    if pots < ENOUGH * _all_pots(store, scenario, seed):
        return Controlled({}, 0, f"plain, for all stayed in {pots:,} pots of the same cards alone")
    how = "the hands shown" if scenario.stays else "the same cards with all staying"
    basis = f"controlled by {how}, {pots:,} pots in {len(shared)} groups of cells"
    own, same = ([tallies[index] for tallies in shared] for index in (0, -1))
    return Controlled(controlled_estimates(scenario, own, same), pots, basis)


def _all_pots(store: Store, scenario: Scenario, seed: int | None) -> int:
    seeds = store.seeds(scenario) if seed is None else [seed]
    return sum(sum(store.pots(scenario, number).values()) for number in seeds)
