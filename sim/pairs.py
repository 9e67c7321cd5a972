"""Scenarios of one store, compared on the same cards.

Scenarios of one table size and seed see the same cards, so their differences are taken cell by
cell and are sharper than two separate estimates; the error is that of a jackknife which leaves out
a group of cells at a time (Efron and Stein, Annals of Statistics 1981), with Student's t.
"""

import difflib
import math
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import special

from sim.arguments import one_of, shown
from sim.errors import InputError, NoData
from sim.runs.run import CELL
from sim.runs.store import Store
from sim.scenario import Scenario
from sim.stats.estimate import METRICS, MISSES, SCORE, Estimate, estimates, labels, policy_labels
from sim.stats.stopping import WITHOUT_ERROR
from sim.tally import Tally

MOST_GROUPS = 64
"""Cells are put together into at most so many groups."""
FEWEST_GROUPS = 8
"""From fewer the spread between groups is not to be told."""
COLUMNS = ("metric", "level", "a", "b", "difference", "se", "low", "high", "paired")
"""The columns of a comparison."""
SPREADS = {"toll_pot", "toll_player", "chips_in", "deals_per_pot", "players_out", "survivors"}
"""Metrics whose numbered levels are a distribution: what one has not seen is there 0 times."""
Values = dict[tuple[str, str], Estimate]


class Comparison(NamedTuple):
    """The differences of two scenarios, and what they are taken from, in words."""

    frame: pd.DataFrame
    basis: str


def find(store: Store, text: str) -> Scenario:
    """Return the scenario that a user means: the start of its hash, or GAME:PLAYERS[:POLICY].

    Without a policy the one in which all stay is meant, or else the only one.
    """
    scenarios, names = store.scenarios(), _names(store)
    found = [one for one in scenarios if _is_meant(text, one.key, names[one.key])]
    staying = [one for one in found if one.stays]
    if len(found) > 1 and len(staying) == 1:
        found = staying
    if len(found) == 1:
        return found[0]
    if not scenarios:
        raise NoData.in_store(store.path, "compare")
    likely = difflib.get_close_matches(text, names.values(), n=3, cutoff=0.0)
    known = [names[one.key] for one in found] or likely
    what = "means several scenarios" if found else "is no scenario"
    raise InputError(
        f"{shown(text)} {what} of {store.path}: name one as {' or '.join(known)}, or by its hash, "
        "which status tells"
    )


def _names(store: Store) -> dict[str, str]:
    """Return what each scenario of a store is called, by key."""
    scenarios = store.scenarios()
    games, policies = labels(scenarios), policy_labels(scenarios)
    return {one.key: f"{games[one.key]}:{one.players}:{policies[one.key]}" for one in scenarios}


def _is_meant(text: str, key: str, name: str) -> bool:
    starts = re.fullmatch("[0-9a-f]{4,16}", text) and key.startswith(text)
    return bool(starts) or text in (name, name.rpartition(":")[0])


def compare_all(
    store: Store, a: Scenario, others: Iterable[Scenario], metrics: Collection[str] = ()
) -> Comparison:
    """Return the differences of one scenario from each of several.

    The frame has the columns ``versus`` (what a is compared with) and ``COLUMNS``; every interval
    is a 95 % one for itself. ``metrics`` leaves out all others.
    """
    names = _names(store)
    found = {names[other.key]: compare(store, a, other, metrics) for other in others}
    parts = [one.frame.assign(versus=name) for name, one in found.items()]
    frame = pd.concat(parts, ignore_index=True)[["versus", *COLUMNS]]
    return Comparison(frame, "; ".join(f"{name}: {one.basis}" for name, one in found.items()))


def compare(store: Store, a: Scenario, b: Scenario, metrics: Collection[str] = ()) -> Comparison:
    """Return the difference a - b of every share and mean, with a 95 % interval.

    ``metrics`` leaves out all others.
    """
    found = _compare(store, a, b)
    if not metrics:
        return found
    for metric in metrics:
        one_of(metric, METRICS, "metric")
        if metric not in set(found.frame.metric):
            raise InputError(f"{a} and {b} have no {metric} in common that could be compared")
    rows = found.frame[found.frame.metric.isin(list(metrics))]
    return Comparison(rows.reset_index(drop=True), found.basis)


def _compare(store: Store, a: Scenario, b: Scenario) -> Comparison:
    if a.key == b.key:
        raise InputError(f"{a} does not differ from itself: name two scenarios")
    if a.players != b.players:
        return _apart(store, a, b, "different table sizes are dealt different cards")
    if not set(store.seeds(a)) & set(store.seeds(b)):
        return _apart(store, a, b, "they have no seed in common")
    shared = groups(store, (a, b))
    if len(shared) < FEWEST_GROUPS:
        return _apart(
            store, a, b,
            f"they were dealt the same cards, but a paired error takes {FEWEST_GROUPS} full cells "
            f"of {CELL:,} pots that both have; until then intervals are wider than they need be",
        )  # fmt: skip
    return _paired(a, b, shared)


def groups(
    store: Store, scenarios: Sequence[Scenario], seed: int | None = None
) -> list[tuple[Tally, ...]]:
    """Return the tallies of scenarios, in groups of equally many cells that all have in full.

    Cells are those of one seed or (None) of all seeds that they have in common.
    """
    cells = sorted(_common(store, scenarios, seed))
    size = -(-len(cells) // MOST_GROUPS) or 1
    whole = cells[: len(cells) // size * size]
    found: list[tuple[Tally, ...]] = []
    for place, (own_seed, number) in enumerate(whole):
        if place % size == 0:
            found.append(tuple(Tally(scenario.shapes) for scenario in scenarios))
        for scenario, tally in zip(scenarios, found[-1], strict=True):
            for cell in store.cells(scenario, own_seed, [number]):
                tally += cell.tally
    return found


def _common(store: Store, scenarios: Sequence[Scenario], seed: int | None) -> set[tuple[int, int]]:
    """Return seed and number of the cells that all have, of the longest length there is."""
    first, *others = scenarios
    seeds = set.intersection(*(set(store.seeds(scenario)) for scenario in scenarios))
    common = {
        (own_seed, number): pots
        for own_seed in (seeds if seed is None else seeds & {seed})
        for number, pots in store.pots(first, own_seed).items()
        if all(store.pots(other, own_seed).get(number) == pots for other in others)
    }
    full = max(common.values(), default=0)
    return {place for place, pots in common.items() if pots == full}


def _paired(a: Scenario, b: Scenario, shared: list[tuple[Tally, ...]]) -> Comparison:
    totals = Tally(a.shapes), Tally(b.shapes)
    for pair in shared:
        for total, tally in zip(totals, pair, strict=True):
            total += tally
    left_out = [
        (_without(a, totals[0], of_a), _without(b, totals[1], of_b)) for of_a, of_b in shared
    ]
    rows = []
    for key, one, other in _shared(_values(a, totals[0]), _values(b, totals[1])):
        # What only one group has seen is missing without it: then none is left.
        parts = np.array([_of(less_a, key) - _of(less_b, key) for less_a, less_b in left_out])
        se, score = jackknife(parts)
        known = not np.isnan(one.se + other.se)  # or a ratio of too few things
        rows.append(_row(key, one, other, se if known else np.nan, score, paired=True))
    basis = (
        f"paired by cards: {totals[0].pots:,} pots that both have, in {len(shared)} groups of cells"
    )
    return Comparison(pd.DataFrame(rows, columns=list(COLUMNS)), basis)


def jackknife(left_out: NDArray[np.float64]) -> tuple[float, float]:
    """Return the standard error, and Student's score, of what was taken without each group."""
    groups = len(left_out)
    spread = float(((left_out - left_out.mean()) ** 2).sum())
    score = float(special.stdtrit(groups - 1, 1 - MISSES / 2))
    return math.sqrt((groups - 1) / groups * spread), score


def _apart(store: Store, a: Scenario, b: Scenario, why: str) -> Comparison:
    """Compare scenarios as two separate estimates, whose errors add."""
    values = _values(a, store.total(a)), _values(b, store.total(b))
    rows = [
        _row(key, one, other, math.hypot(one.se, other.se), SCORE, paired=False)
        for key, one, other in _shared(*values)
    ]
    return Comparison(pd.DataFrame(rows, columns=list(COLUMNS)), f"not paired: {why}")


def _row(
    key: tuple[str, str], a: Estimate, b: Estimate, se: float, score: float, *, paired: bool
) -> tuple[object, ...]:
    difference = a.estimate - b.estimate
    low, high = difference - score * se, difference + score * se
    return (*key, a.estimate, b.estimate, difference, se, low, high, paired)


def _without(scenario: Scenario, total: Tally, part: Tally) -> Values:
    return _values(scenario, Tally(scenario.shapes, total.data - part.data))


def _values(scenario: Scenario, tally: Tally) -> Values:
    found = {(metric, level): value for metric, level, value in estimates(scenario, tally)}
    return {key: value for key, value in found.items() if key[1] not in WITHOUT_ERROR}


def _of(values: Values, key: tuple[str, str]) -> float:
    return values[key].estimate if key in values else 0.0


def _shared(a: Values, b: Values) -> Iterator[tuple[tuple[str, str], Estimate, Estimate]]:
    """Yield what both tell, by metric; an amount seen in one alone is 0 in the other."""
    metrics = {name for name, _ in a} & {name for name, _ in b}
    places = {key: place for place, key in enumerate([*a, *b])}

    def place(key: tuple[str, str]) -> tuple[int, int, int]:
        number = int(digits) if (digits := key[1].removesuffix("+")).isdigit() else -1
        return list(METRICS).index(key[0]), number, places[key]

    for key in sorted((key for key in places if key[0] in metrics), key=place):
        if not any(_of(values, key) for values in (a, b)):
            continue  # what neither has seen tells nothing of a difference
        if key in a and key in b:
            yield key, a[key], b[key]
        elif key[0] in SPREADS and key[1].isdigit():
            yield key, a.get(key, Estimate(0.0, 0.0)), b.get(key, Estimate(0.0, 0.0))
