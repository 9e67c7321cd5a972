"""The face for Python: simulate, exact values, and a study of both."""

from collections.abc import Iterable
from pathlib import Path
from typing import Self

import pandas as pd

from sim import estimate, game, policy, run
from sim.errors import InputError, whole_number
from sim.game import Game
from sim.policy import Policy
from sim.scenario import Plan, Scenario, grid
from sim.store import Store
from sim.tally import Tally

Games = str | Path | Game | Iterable[str | Path | Game]
Policies = str | Policy | Iterable[str | Policy]


class Study:
    """An open store, and the scenarios of it that are asked about."""

    def __init__(self, store: Store, parts: list[tuple[Scenario, int | None]]) -> None:
        self.store = store
        self.parts = parts
        """Scenarios, each with its seed (None: all seeds together)."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.store.close()

    def __repr__(self) -> str:
        where = self.store.path or "memory"
        return f"<Study of {len(self.parts)} scenarios in {where}; .frame() tells what they say>"

    def totals(self) -> list[tuple[Scenario, Tally]]:
        """Return each scenario with all that is known of it."""
        return [(scenario, self.store.total(scenario, seed)) for scenario, seed in self.parts]

    def frame(self) -> pd.DataFrame:
        """Return estimates, intervals and exact values, one row a metric and level.

        Columns: game, players, policy, metric, level, estimate, se, low, high (95 %), pots, exact
        (NaN where there is none), z. ``sim.estimate.METRICS`` defines the metrics.
        """
        return estimate.frame(self.totals())


def simulate(
    games: Games,
    players: int | Iterable[int] = range(game.MIN_PLAYERS, game.MAX_PLAYERS + 1),
    pots: int = 1_000_000,
    *,
    seed: int | None = None,
    threads: int | None = None,
    store: str | Path | None = None,
    options: Iterable[str] = (),
    policies: Policies = "stay",
    progress: run.Progress | None = None,
) -> Study:
    """Play ``pots`` pots of each game at each table size and return the study.

    ``games`` are names of shipped games, paths of TOML pages, ``Game`` objects, or several of
    them. ``options`` are settings such as ``"kill.treatment=player-out"``. ``policies`` say how the
    players act: a name (``sim.policy.shipped()``), ``"fold:0.1"``, the path of a TOML page or a
    ``Policy`` for all seats, one for each seat in one string (``"tight,loose,loose"``), or a list
    of such tables, each of which is played. With a ``store`` (a
    path) results are kept there, and what it already holds is not played again; without a seed one
    is drawn, or the store's own goes on. Totals depend on seed and rules, never on ``threads``.
    Raises ``InputError`` for what a user can mend.
    """
    pots = whole_number(pots, "pots")
    plan = grid(load_games(games, options), _sizes(players), pots, seed, load_tables(policies))
    run.check_threads(threads)
    opened = Store(None if store is None else Path(store))
    return play(plan, opened, threads, progress)


def play(
    plan: Plan, store: Store, threads: int | None, progress: run.Progress | None = None
) -> Study:
    """Bring a store up to a plan and return the study of the plan's scenarios."""
    todo = run.jobs(plan, store)
    run.execute(todo, store, threads, progress)
    return Study(store, [(job.scenario, job.seed) for job in todo])


def open_study(path: str | Path) -> Study:
    """Open what a store holds, all seeds of a scenario together."""
    store = Store(Path(path), create=False)
    return Study(store, [(scenario, None) for scenario in store.scenarios()])


def exact(
    games: Games,
    players: int | Iterable[int] = range(game.MIN_PLAYERS, game.MAX_PLAYERS + 1),
    *,
    options: Iterable[str] = (),
    policies: Policies = "stay",
) -> pd.DataFrame:
    """Return exact values of each game at each table size, in the columns of ``Study.frame``.

    There are none for policies that look at cards.
    """
    tables = load_tables(policies)
    plan = grid(load_games(games, options), _sizes(players), pots=1, policies=tables)
    return estimate.exact_frame(plan.scenarios)


def load_games(games: Games, options: Iterable[str] = ()) -> list[Game]:
    """Read pages, however they are named, and set options on each."""
    several = [games] if isinstance(games, (str, Path, Game)) else list(games)
    settings = list(options)
    if not several:
        raise InputError(f"no game is asked for: there are {', '.join(game.shipped())}")
    pages = [page if isinstance(page, Game) else game.load(page) for page in several]
    return [page.with_options(settings) for page in pages]


def load_tables(policies: Policies) -> list[tuple[Policy, ...]]:
    """Read the policies of one table or of several, however they are named."""
    several = [policies] if isinstance(policies, (str, Policy)) else list(policies)
    if not several:
        raise InputError(f"no policy is asked for: there are {', '.join(policy.shipped())}")
    return [policy.load_seats(table) for table in several]


def _sizes(players: int | Iterable[int]) -> list[int]:
    several = players if isinstance(players, Iterable) else [players]
    sizes = [whole_number(size, "players") for size in several]
    if not sizes:
        raise InputError("no table size is asked for: 2 to 8 players can play")
    return sizes
