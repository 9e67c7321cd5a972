"""Tidy frames: a row a metric and level, with its interval and exact value, and what it is of."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from sim.errors import InputError, shown
from sim.game import Game, load, shipped, written
from sim.odds import exact_values
from sim.scenario import Scenario
from sim.stats.intervals import Estimate
from sim.stats.kinds import is_number
from sim.stats.metrics import METRICS, estimates, in_order, unseen
from sim.tally import Tally

COLUMNS = (
    "game", "players", "policy", "metric", "level",
    "estimate", "se", "low", "high", "pots", "exact", "z",
)  # fmt: skip
MEASURED = COLUMNS[3:]
JUDGED = (
    "game", "players", "policy", "constraint", "unit",
    "estimate", "low", "high", "limit", "verdict", "left_out",
)  # fmt: skip
"""The columns of a recommendation's frame."""
OPTIONS = tuple(load(shipped()[0]).options())
"""Every option of a page, each of which may be a column behind ``game``."""
FEWEST_HITS = 25
"""A z-score is given only where this many hits, and misses, are expected."""


class Names(NamedTuple):
    """What scenarios are called in a frame: game, the options that differ, players and policy."""

    columns: tuple[str, ...]
    of: dict[str, tuple[Any, ...]]
    """Of each scenario, by key."""


def names(scenarios: Iterable[Scenario]) -> Names:
    """Return what a frame's first columns say of each scenario.

    An option has a column where a game differs in it from its page, or from another of its name;
    then it stands there for every game.
    """
    listed = list(scenarios)
    options, policies = differing([each.game for each in listed]), policy_labels(listed)
    values = {
        each.key: (
            each.game.name,
            *(each.game.options()[path] for path in options),
            each.players,
            policies[each.key],
        )
        for each in listed
    }
    return Names(("game", *options, "players", "policy"), values)


def differing(games: Iterable[Game]) -> list[str]:
    """Return the options in which games differ from their pages, or from others of their name."""
    unique = {(game.name, game.changed, game.digest): game for game in games}
    changed = {setting.partition("=")[0] for _, settings, _ in unique for setting in settings}
    by_name: dict[str, list[dict[str, Any]]] = {}
    for game in unique.values():
        by_name.setdefault(game.name, []).append(game.options())
    return [
        path
        for path in OPTIONS
        if path in changed
        or any(len({same[path] for same in alike}) > 1 for alike in by_name.values())
    ]


def option_columns(frame: pd.DataFrame) -> list[str]:
    """Return the columns of a frame that are options of a page."""
    return [name for name in frame.columns if name in OPTIONS]


def flat(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame in which ``game`` says the options that differ, and levels are plain text.

    So charts, tables and files call games: ``spades wild=none``. What stands as a shipped page has
    it is left unsaid.
    """
    options = option_columns(frame)
    if not options:
        return _in_text(frame)
    told = [_label(row, options) for row in frame[["game", *options]].to_dict("records")]
    return _in_text(frame.drop(columns=options).assign(game=told))


def of_game(frame: pd.DataFrame, game: Game) -> pd.DataFrame:
    """Return the rows of a game, as ``flat`` has them and under its own label.

    An option is blank where frames were put together that differ in it: then it is the page's.
    """
    options = option_columns(frame)
    changed = {setting.partition("=")[0] for setting in game.changed}
    wanted = frame.game == (game.name if options else game.label)
    for path in options:
        same = frame[path].map(_text) == game.option(path)
        wanted &= same | (frame[path].isna() & (path not in changed))
    return _in_text(frame[wanted].drop(columns=options).assign(game=game.label))


def _in_text(frame: pd.DataFrame) -> pd.DataFrame:
    ordered = "level" in frame and isinstance(frame.level.dtype, pd.CategoricalDtype)
    return frame.assign(level=frame.level.astype(str)) if ordered else frame


def _label(row: dict[Any, Any], options: Iterable[str]) -> str:
    """Return a game with its options, but for what a shipped page says itself."""
    settings = {path: _text(row[path]) for path in options if pd.notna(row[path])}
    page = _page_options(row["game"])
    return " ".join([row["game"], *(f"{path}={value}" for path, value in settings.items()
                                    if page.get(path) != value)])  # fmt: skip


def _text(value: Any) -> str:
    """Write an option's value; beside a blank pandas makes floats of whole numbers."""
    return written(int(value) if isinstance(value, float) and value == value // 1 else value)


@cache
def _page_options(name: str) -> dict[str, str]:
    """Return what a shipped page says; nothing of another's."""
    options = load(name).options() if name in shipped() else {}
    return {path: written(value) for path, value in options.items()}


def in_level_order(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame whose levels are ordered categories: words as metrics list them, then numbers.

    So they sort and pivot as a reader would; also what was read from a CSV file.
    """
    levels_of: dict[str, list[str]] = {}
    for metric, level in in_order(zip(frame.metric, frame.level.astype(str), strict=True)):
        levels_of.setdefault(metric, []).append(level)
    words: list[str] = []
    for levels in levels_of.values():
        _merge(words, [level for level in levels if not is_number(level)])
    numbers = {level for levels in levels_of.values() for level in levels if is_number(level)}
    ordered = sorted(numbers, key=lambda level: (int(level.removesuffix("+")), level))
    dtype = pd.CategoricalDtype([*words, *ordered], ordered=True)
    return frame.assign(level=frame.level.astype(str).astype(dtype))


def _merge(words: list[str], levels: list[str]) -> None:
    """Put levels that are new among the others, each behind the one that it follows."""
    known = [words.index(level) for level in levels if level in words]
    index = min(known, default=len(words))
    for level in levels:
        if level in words:
            index = words.index(level) + 1
        else:
            words.insert(index, level)
            index += 1


def tidy_frame(results: Iterable[tuple[Scenario, Tally]], *, anytime: bool = False) -> pd.DataFrame:
    """Return the tidy frame of scenarios with their tallies; columns as ``COLUMNS``, and options.

    With ``anytime`` low and high are confidence sequences: 95 % at every number of pots.
    """
    played = list(results)
    named = names(scenario for scenario, _ in played)
    rows = [
        (*named.of[scenario.key], *row)
        for scenario, tally in played
        for row in _rows(scenario, tally, anytime=anytime)
    ]
    return in_level_order(pd.DataFrame(rows, columns=[*named.columns, *MEASURED]))


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
    named = names(listed)
    for scenario in listed:
        exact = exact_values(scenario.game, scenario.players, scenario.seats)
        for key in in_order(exact):
            known = (*key, *[np.nan] * 4, 0, exact[key], np.nan)
            rows.append((*named.of[scenario.key], *known))
    frame = pd.DataFrame(rows, columns=[*named.columns, *MEASURED]).astype({"exact": float})
    return in_level_order(frame)


def _rows(scenario: Scenario, tally: Tally, *, anytime: bool) -> Iterator[tuple[object, ...]]:
    """Yield a scenario's rows from the metric on: what was estimated, or known and never seen."""
    exact = exact_values(scenario.game, scenario.players, scenario.seats)
    rows = estimates(scenario, tally, anytime=anytime)
    values = {(metric, level): value for metric, level, value in rows}
    pots = {name: metric.pots_with(tally).pots for name, metric in METRICS.items()}
    for key, known in exact.items():
        if known >= 1e-6 and key not in values:
            values[key] = unseen(*key, pots[key[0]], anytime=anytime)
    for key in in_order(values):
        value, known = values[key], float(exact.get(key, np.nan))
        low, high = (np.nan, np.nan) if _is_stuck(value, known) else (value.low, value.high)
        yield *key, *value[:2], low, high, pots[key[0]], known, z_score(value, known)


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
