"""What a metric is made of: levels of one kind, taken from named arrays of a tally.

A *part* of a metric is some of its levels that are estimated alike. ``share``, ``mean``, ``ratio``,
``rate``, ``quotient`` and ``distribution`` make a part of columns of an array, a level each;
``summary`` those that tell of a distribution as a whole.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from sim.scenario import Scenario
from sim.stats.intervals import (
    Estimate,
    Ranks,
    each_of,
    of_mean,
    of_quantile,
    of_quotient,
    of_rate,
    of_ratio,
    of_share,
    of_spread,
)
from sim.tally import Counts, Vector

QUANTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
"""Levels that are quantiles of an amount, with the share up to them."""
Number = Callable[[Scenario], int]


class Kind(NamedTuple):
    """What sort of number a level is."""

    name: str
    amount: bool = True
    """Chips, deals, cards, …; else a share of something, from 0 to 1."""
    comparable: bool = True
    """Whether it can be a target, and the difference of two be told."""
    whole: bool = False
    """Whether it is an amount that was counted, and no average."""


SHARE, RATIO = Kind("share", amount=False), Kind("ratio", amount=False)
MEAN, RATE, QUOTIENT = Kind("mean"), Kind("rate"), Kind("quotient")
SPREAD = Kind("spread", comparable=False)
QUANTILE, LARGEST = (Kind(name, comparable=False, whole=True) for name in ("quantile", "largest"))


class Levels(NamedTuple):
    """Levels of a metric: those that a scenario has, and whether a word may be one."""

    columns: Callable[[Scenario], Mapping[str, int]]
    """Each level's column in the arrays, in order."""
    holds: Callable[[str], bool]


def named(names: Iterable[str], when: Callable[[Scenario, str], bool] | None = None) -> Levels:
    """Return levels with names of their own, a column each, as far as a scenario has them."""
    columns = {name: column for column, name in enumerate(names)}
    if when is None:
        return Levels(lambda _: columns, columns.__contains__)
    return Levels(
        lambda scenario: {name: at for name, at in columns.items() if when(scenario, name)},
        columns.__contains__,
    )


def numbered(size: Number, unit: Number = lambda _: 1, first: int = 0) -> Levels:
    """Return levels that are numbers, ``first`` to below ``size``, times a unit."""
    return Levels(lambda scenario: _numbers(first, size(scenario), unit(scenario)), is_number)


@lru_cache(maxsize=256)
def _numbers(first: int, size: int, unit: int) -> Mapping[str, int]:
    return {str(number * unit): number for number in range(first, size)}


def is_number(level: str) -> bool:
    """Whether a level is a number, or one and all beyond: ``5+``."""
    return level.removesuffix("+").isdigit()


def _policies(scenario: Scenario) -> dict[str, int]:
    return {policy.name: column for column, policy in enumerate(dict.fromkeys(scenario.seats))}


ALL, MEANS = named(["all"]), named(["mean"])
POLICIES = Levels(_policies, lambda _: True)
"""The policies at a table, each once, in the order of the seats."""


class Sums(NamedTuple):
    """Numbers added up over pots."""

    counts: tuple[str, ...]
    """The arrays of a tally that they are made of."""
    take: Callable[[Scenario, Counts], Vector]
    """(rows, columns), or (rows,) where all columns have the same."""
    always: bool = True
    """Whether every pot has some of what they count."""


def array(name: str, rows: slice = slice(None), *, always: bool = True) -> Sums:
    """Return rows of an array as they are."""
    return Sums((name,), lambda _, counts: getattr(counts, name)[rows], always)


def total(name: str, columns: slice = slice(None), *, always: bool = True) -> Sums:
    """Return the sum of some columns of an array, (1,)."""
    return Sums(
        (name,), lambda _, counts: getattr(counts, name)[columns].sum(keepdims=True), always
    )


def moments(name: str) -> Sums:
    """Return the sums of n and n² over pots, from an array of pots by number n."""

    def take(_: Scenario, counts: Counts) -> Vector:
        pots = getattr(counts, name)
        number = np.arange(len(pots))
        return np.array([pots @ number, pots @ number**2])

    return Sums((name,), take)


def _hits(name: str) -> Sums:
    """Return the counts c alone of an array that may have sums of squares, too."""
    return Sums((name,), lambda _, counts: np.atleast_2d(getattr(counts, name))[:1])


def _of_players(name: str) -> Sums:
    """Return the sums of c, c² and c·players, from those of c and c² of the players of a pot."""

    def take(scenario: Scenario, counts: Counts) -> Vector:
        hits, squares = getattr(counts, name)
        return np.array([hits, squares, scenario.players * hits])

    return Sums((name,), take)


POTS = array("pots")
PLAYERS = Sums(
    ("pots",), lambda scenario, counts: counts.pots[0] * scenario.players ** np.array([1, 2])
)
"""The players of all pots, summed, and squares."""


@dataclass(frozen=True, kw_only=True)
class Part(ABC):
    """Some levels of a metric."""

    kind: Kind
    levels: Levels
    counts: tuple[str, ...]
    """The arrays of a tally that they are made of."""
    where: Callable[[Scenario], bool] = lambda _: True
    """Which scenarios have it."""
    distribution: bool = False
    """Whether levels are amounts, each the share of pots or players with just so much."""
    never: float = np.nan
    """What a level is that was never seen: 0, or unknown where that may be for want of things."""

    @property
    def always(self) -> bool:
        """Whether every pot has some of what the levels are taken of."""
        return True

    @abstractmethod
    def estimates(
        self, scenario: Scenario, counts: Counts, ranks: Ranks
    ) -> Iterator[tuple[str, Estimate]]:
        """Yield levels with their estimates."""


@dataclass(frozen=True, kw_only=True)
class Columns(Part):
    """Levels that are columns of an array, each estimated for itself."""

    hits: Sums
    """What is counted: c, and what the kind needs besides (c², c·things)."""
    things: Sums
    """What it is taken of."""
    estimate: Callable[[Vector, Vector, int], Estimate]
    """From a level's hits and things, and the pots."""
    own_things: bool = False
    """Whether each level has things of its own, of which there may be none."""
    seen_only: bool = False
    """Whether a level that was never seen is left out."""
    each: Callable[[Scenario, str], int] | None = None
    """Of how many players together a mean is taken, where one of them is meant."""

    @property
    def always(self) -> bool:
        return self.things.always

    def estimates(
        self, scenario: Scenario, counts: Counts, _: Ranks
    ) -> Iterator[tuple[str, Estimate]]:
        pots, (hits, things) = int(counts.pots[0]), self._taken(scenario, counts)
        seen = set(np.flatnonzero((things if self.own_things else hits)[0]))
        for level, column in self.levels.columns(scenario).items():
            if column in seen or not self.seen_only:
                of = things[:, column] if self.own_things else things
                value = self.estimate(hits[:, column], of, pots)
                yield level, each_of(value, self.each(scenario, level)) if self.each else value

    def quotients(self, scenario: Scenario, counts: Counts) -> tuple[list[str], Vector, Vector]:
        """Return levels with the two sums of which an estimate is the quotient: (levels,) each."""
        hits, things = self._taken(scenario, counts)
        columns = self.levels.columns(scenario)
        at = list(columns.values())
        of = things[0, at] if self.own_things else np.full(len(at), things[0])
        each = [self.each(scenario, level) if self.each else 1 for level in columns]
        return list(columns), hits[0, at], of * np.array(each)

    def _taken(self, scenario: Scenario, counts: Counts) -> tuple[Vector, Vector]:
        """Return hits, (rows, columns), and things, (rows,) or the same."""
        hits, things = self.hits.take(scenario, counts), self.things.take(scenario, counts)
        if self.own_things:
            things = things.reshape(len(things), -1)
        return hits.reshape(len(hits), -1), things


@dataclass(frozen=True, kw_only=True)
class Statistic(Part):
    """A level that tells of a whole distribution."""

    estimate: Callable[[Scenario, Counts, Ranks], Estimate]

    def estimates(
        self, scenario: Scenario, counts: Counts, ranks: Ranks
    ) -> Iterator[tuple[str, Estimate]]:
        for level in self.levels.columns(scenario):
            yield level, self.estimate(scenario, counts, ranks)


def share(name: str | Sums, of: Sums = POTS, levels: Levels = ALL, **rest: Any) -> Columns:
    """Return shares of independent things, as pots are: of an array of hits."""
    hits = _hits(name) if isinstance(name, str) else name
    return _columns(
        SHARE, hits, of, levels, lambda hits, of, _: of_share(hits[0], int(of[0])), **rest
    )


def mean(name: str | Sums, levels: Levels = MEANS, **rest: Any) -> Columns:
    """Return means over pots: of an array of sums, and sums of squares."""
    sums = array(name) if isinstance(name, str) else name
    return _columns(MEAN, sums, POTS, levels, lambda sums, _, pots: of_mean(sums[:2], pots), **rest)


def ratio(name: str | Sums, of: Sums, levels: Levels = ALL, **rest: Any) -> Columns:
    """Return shares of things of which a pot has several: of an array of the sums of c, c² and
    c·things."""
    kinds = array(name) if isinstance(name, str) else name
    return _columns(RATIO, kinds, of, levels, of_ratio, **rest)


def own_ratio(name: str, levels: Levels = ALL, **rest: Any) -> Columns:
    """Return the same where the array goes on with the things of each level, and their squares."""
    return _own(RATIO, name, levels, of_ratio, **rest)


def rate(name: str, levels: Levels = MEANS, **rest: Any) -> Columns:
    """Return events that may be rare per thing: of an array as ``own_ratio`` takes."""
    return _own(RATE, name, levels, of_rate, **rest)


def quotient(name: str, levels: Levels = MEANS, **rest: Any) -> Columns:
    """Return amounts per thing: of an array as ``own_ratio`` takes."""
    return _own(QUOTIENT, name, levels, of_quotient, **rest)


def distribution(name: str, unit: Number | None = None) -> Columns:
    """Return the share of pots with each number, of an array of pots by number.

    With a ``unit`` the numbers are amounts, and the last bin holds all beyond.
    """
    return share(name, POTS, _bins(name, unit), seen_only=True, distribution=True)


def player_distribution(name: str, unit: Number) -> Columns:
    """Return the share of players with each amount, of an array of players by amount: c, c²."""
    return ratio(_of_players(name), PLAYERS, _bins(name, unit), seen_only=True, distribution=True)


def summary(histogram: str, sums: str, unit: Number) -> tuple[Part, ...]:
    """Return mean, spread, quantiles and the largest of an amount in a pot.

    ``sums`` are those of amounts and their squares.
    """

    def spread(scenario: Scenario, counts: Counts, _: Ranks) -> Estimate:
        chips, squares = getattr(counts, sums)[:2]
        bins = getattr(counts, histogram)
        return of_spread(bins, unit(scenario), float(chips), float(squares))

    def largest(scenario: Scenario, counts: Counts, _: Ranks) -> Estimate:
        bins = getattr(counts, histogram)
        used = np.flatnonzero(bins)
        known = used.size and used[-1] < len(bins) - 1
        return Estimate(float(used[-1] * unit(scenario)) if known else np.nan)

    return (
        mean(sums),
        Statistic(kind=SPREAD, levels=named(["sd"]), counts=(histogram, sums), estimate=spread),
        *quantiles(histogram, unit),
        Statistic(kind=LARGEST, levels=named(["max"]), counts=(histogram,), estimate=largest),
    )


def quantiles(histogram: str, unit: Number) -> list[Part]:
    """Return the quantiles of an amount, from an array of pots by amount, or of players: c, c².

    Pots alone are independent.
    """

    def quantile(below: float) -> Callable[[Scenario, Counts, Ranks], Estimate]:
        def estimate(scenario: Scenario, counts: Counts, ranks: Ranks) -> Estimate:
            bins = np.atleast_2d(getattr(counts, histogram))[0]
            return of_quantile(bins, unit(scenario), below, int(counts.pots[0]), ranks)

        return estimate

    return [
        Statistic(
            kind=QUANTILE,
            levels=named([level]),
            counts=(histogram, "pots"),
            estimate=quantile(below),
        )
        for level, below in QUANTILES.items()
    ]


def _columns(
    kind: Kind, hits: Sums, things: Sums, levels: Levels,
    estimate: Callable[[Vector, Vector, int], Estimate], **rest: Any,
) -> Columns:  # fmt: skip
    known = {"never": np.nan if kind.amount else 0.0} | rest
    return Columns(
        kind=kind, hits=hits, things=things, levels=levels, estimate=estimate,
        counts=tuple(dict.fromkeys((*hits.counts, *things.counts))), **known,
    )  # fmt: skip


def _own(
    kind: Kind, name: str, levels: Levels,
    estimate: Callable[[Vector, Vector, int], Estimate], **rest: Any,
) -> Columns:  # fmt: skip
    hits, things = array(name, slice(3)), array(name, slice(3, None), always=False)
    return _columns(kind, hits, things, levels, estimate, own_things=True, never=np.nan, **rest)


def _bins(name: str, unit: Number | None) -> Levels:
    def size(scenario: Scenario) -> int:
        return scenario.shapes[name][-1] - (unit is not None)

    return numbered(size, unit or (lambda _: 1))
