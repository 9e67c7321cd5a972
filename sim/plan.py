"""Plans: a grid of games, table sizes and policies with a seed and a target, from TOML or Python.

    games = ["faces-of-death", "own.toml"]
    options = ["kill.ante_again=true"]
    players = "2-8"
    policies = ["stay"]
    seed = 7
    pots = "100M"
    half_width = 0.0005
    metric = "kill_rate"
    level = "all"

A game may also be a table, {page = "faces-of-death", options = ["kill.treatment=player-out"]}.
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import product
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from sim import arguments, parsing, paths
from sim import game as pages
from sim.errors import InputError, brief, shown
from sim.game import Game, Games, Options, load_games
from sim.parsing import Count, Sizes
from sim.policy import Policies, Policy, load_seats, load_tables
from sim.scenario import MOST_POTS, Plan, Precision, Scenario
from sim.stats import stopping
from sim.stderr import warn

GAME_WORDS = 'write names, paths of pages, or {page = "spades", options = ["ante.amount=2"]}'


def _several(value: Any) -> Any:
    if isinstance(value, Path):
        return [str(value)]
    if isinstance(value, Iterable) and not isinstance(value, (str, Mapping, BaseModel)):
        return [_plain(item) for item in arguments.several(value, "a plan")]
    return [value] if isinstance(value, (str, int, Game, Policy, dict)) else value


def _plain(item: Any) -> Any:
    """Return an int of NumPy, and a path, as Python and TOML have them."""
    if isinstance(item, np.integer) and not isinstance(item, np.timedelta64):
        return int(item)
    return str(item) if isinstance(item, Path) else item


def _count(value: Any) -> int | None:
    return None if value is None else parsing.count(value, most=MOST_POTS)


class _Strict(BaseModel):
    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, arbitrary_types_allowed=True
    )


class GameOptions(_Strict):
    """A game of a plan with options of its own."""

    page: str
    """A shipped game, or the path of a page."""
    options: Annotated[list[str], BeforeValidator(pages.settings)] = []
    """Settings of this game alone."""


class Table(_Strict):
    """What a plan file says, word for word."""

    games: Annotated[list[str | Game | GameOptions], BeforeValidator(_several), Field(min_length=1)]
    """Shipped games, paths of pages, or both with options of their own:
    ``{page = "spades", options = ["ante.amount=2"]}``."""
    players: Annotated[list[int], BeforeValidator(parsing.table_sizes)] = list(
        range(pages.MIN_PLAYERS, pages.MAX_PLAYERS + 1)
    )
    """Table sizes: ``"2-8"``, ``"3,6"`` or ``[3, 6]``."""
    policies: Annotated[
        list[str | Policy | tuple[str | Policy, ...]],
        BeforeValidator(_several),
        Field(min_length=1),
    ] = ["stay"]
    """Each is one for the table, or one for each seat."""
    options: Annotated[list[str], BeforeValidator(pages.settings)] = []
    """Settings of every game: ``["ante.amount=2"]`` or ``{"ante.amount" = 2}``."""
    seed: int | None = None
    """Of the cards; without one a store goes on with its own, or draws one."""
    pots: Annotated[int | None, BeforeValidator(_count)] = None
    """Pots of each scenario, in all: ``"5M"`` or 5e6; with a precision or seconds, the most."""
    half_width: float | None = None
    """How sharply to know the metric: half of its 95 % interval, in its own unit."""
    relative: float | None = None
    """The same as a part of the estimate."""
    metric: str | None = None
    """What the precision is about."""
    level: str | None = None
    """Which part of the metric; if not named all, or the mean of an amount."""
    max_seconds: float | None = None
    """A scenario stops after so many seconds of play, over all runs."""


class LoadedPlan(NamedTuple):
    """A plan, and what was left out of it."""

    plan: Plan
    notices: list[str]


def load(path: str | Path) -> LoadedPlan:
    """Read a plan file (``-``: standard input); its paths of pages are seen from where it lies."""
    text, where = paths.read_text(path, "the plan"), f"the plan {brief(path)}"
    return _build(paths.parse_toml(text, where), where=where, folder=Path(path).parent)


@arguments.one_name
def make_plan(games: Any, **target: Any) -> Plan:
    """Return a plan made in Python, of the same keys as a plan file; warns of duplicates."""
    return with_notices(_build({"games": games, **target}, where="the plan", folder=Path()))


def with_notices(loaded: LoadedPlan, tell: Callable[[str], None] = warn) -> Plan:
    """Return a plan, and tell of what was left out of it."""
    for notice in loaded.notices:
        tell(notice)
    return loaded.plan


def grid(
    games: Games,
    players: Sizes,
    pots: Count,
    seed: int | None = None,
    policies: Policies = "stay",
    options: Options = (),
) -> Plan:
    """Return the plan of every game at every table size under every policy; the same counts once.

    Arguments are those of ``sim.simulate``.
    """
    pages, tables = load_games(games, options), load_tables(policies)
    alike = _scenarios(pages, parsing.table_sizes(players), tables)
    return Plan(tuple(same[0] for same in alike), parsing.count(pots, most=MOST_POTS), seed)


def _scenarios(
    pages: Iterable[Game], sizes: Iterable[int], tables: Iterable[tuple[Policy, ...]]
) -> list[list[Scenario]]:
    """Return every game at every table size under every policy; those that play alike together."""
    alike: dict[str, list[Scenario]] = {}
    for page, players, seats in product(pages, sizes, tables):
        scenario = Scenario(page, players, seats)
        alike.setdefault(scenario.key, []).append(scenario)
    return list(alike.values())


def _build(data: dict[str, Any], where: str, folder: Path) -> LoadedPlan:
    """Turn what a plan says into scenarios and a target; ``where`` names it in errors."""
    try:
        table = Table.model_validate(arguments.renamed(data, Table.model_fields))
    except (ValidationError, InputError) as error:
        raise InputError(f"{where}: {_sentence(error)}") from None
    try:
        tables = [load_seats(policies, folder) for policies in table.policies]
        alike = _scenarios(_pages(table, folder), table.players, tables)
        plan = _target(table, tuple(same[0] for same in alike))
        stopping.check(plan)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    return LoadedPlan(plan, _notices([same for same in alike if len(same) > 1]))


def _target(table: Table, scenarios: tuple[Scenario, ...]) -> Plan:
    precision = None
    if table.half_width is not None or table.relative is not None:
        if table.metric is None:
            raise InputError("half_width and relative need a metric, as in metric = 'kill_rate'")
        level = table.level or stopping.usual_level(table.metric, scenarios[0])
        precision = Precision(table.metric, level, table.half_width, table.relative)
    elif table.metric is not None or table.level is not None:
        raise InputError("a metric and level need half_width or relative to say how sharp")
    if table.pots is None and table.max_seconds is None:
        raise InputError("it never ends: give it a largest number of pots, or max_seconds")
    pots = MOST_POTS if table.pots is None else table.pots
    return Plan(scenarios, pots, table.seed, precision, table.max_seconds)


def _notices(repeated: list[list[Scenario]]) -> list[str]:
    """Say in one sentence which scenarios are there more than once."""
    if not repeated:
        return []
    first, *others = dict.fromkeys(map(str, repeated[0]))
    times = f"{len(repeated[0])} times"
    times += f", also as {' and '.join(others)}" if others else ""
    if len(repeated) == 1:
        return [f"{first} is there {times}: it is played once"]
    some = f"{len(repeated)} scenarios are there more than once"
    return [f"{some}, {first} {times}: each is played once"]


def _pages(table: Table, folder: Path) -> Iterable[Game]:
    for item in table.games:
        page, own = (item.page, item.options) if isinstance(item, GameOptions) else (item, [])
        yield pages.load(page, [*table.options, *own], folder)


def _sentence(error: ValidationError | InputError) -> str:
    if isinstance(error, InputError):
        return str(error)
    first = error.errors()[0]
    name = brief(".".join(str(part) for part in first["loc"][:1]))
    if first["type"] == "extra_forbidden":
        return f"{name} is not a word of a plan; known: {', '.join(Table.model_fields)}"
    if first["type"] == "missing":
        return f"{name} is missing"
    if first["type"] == "value_error":
        return first["msg"].removeprefix("Value error, ")
    if name == "games":
        return f"{shown(first['input'])} is no game: {GAME_WORDS}"
    reason = f"{first['msg'][0].lower()}{first['msg'][1:]}"
    return f"{name} = {shown(first['input'])} will not do: {reason}"
