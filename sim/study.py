"""The face for Python: simulate, exact values, and a study of both."""

from collections.abc import Iterable
from pathlib import Path
from typing import Self

import pandas as pd

from sim import estimate, game, run, stopping
from sim import plan as plans
from sim.cluster import engine_named
from sim.errors import InputError, whole_number
from sim.game import Game
from sim.policy import Policies, load_tables
from sim.progress import bar
from sim.scenario import Plan, Precision, Scenario, grid
from sim.store import Store, checksum
from sim.tally import Tally

STATUS: dict[str, str] = {
    "scenario": "hash of the rules, the table size and the policy",
    "game": "the game, with the options that differ from its page",
    "players": "players at the table",
    "policy": "how they play",
    "seed": "seed of the cards",
    "pots": "pots in the store",
    "target": "pots that the latest run asked for, at most",
    "precision": "what the latest run asked to know, and how sharply",
    "half_width": "half of the 95 % interval of that, from all pots",
    "wanted": "the half-width that is asked for",
    "max_seconds": "seconds that the latest run allowed",
    "seconds": "seconds of play so far, over all runs",
    "stop": "why it stopped: precision, pots, seconds (this machine decided), interrupted, failed",
    "checksum": "SHA-256 of the total's numbers as little-endian 64-bit integers, in order",
}
"""The columns of a status."""

Games = str | Path | Game | Iterable[str | Path | Game]


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

    def frame(self, *, anytime: bool = False) -> pd.DataFrame:
        """Return estimates, intervals and exact values, one row a metric and level.

        Columns: game, players, policy, metric, level, estimate, se, low, high (95 %), pots, exact
        (NaN where there is none), z. ``sim.estimate.METRICS`` defines the metrics. Low and high
        hold 95 % of the time for a number of pots that what was seen did not decide; with
        ``anytime`` they hold for all numbers of pots at once, so that one may watch a study grow
        and stop it when one likes. They are then about 1.7 times as wide at a million pots.
        """
        return estimate.frame(self.totals(), anytime=anytime)


def status(store: Store) -> pd.DataFrame:
    """Return how far each scenario of a store is under each seed, a row each.

    Columns as ``STATUS`` defines them.
    """
    rows = []
    parts = store.parts()
    names = estimate.labels(scenario for scenario, _ in parts)
    policies = estimate.policy_labels(scenario for scenario, _ in parts)
    for scenario, seed in parts:
        total, note = store.total(scenario, seed), store.note(scenario, seed)
        target = dict(note.target) if note else {}
        words = {name: target.pop(name, None) for name in ("pots", "max_seconds")}
        precision = Precision(**target) if target else None
        known = stopping.standing(precision, scenario, total) if precision else None
        rows.append(
            (
                scenario.key, names[scenario.key], scenario.players, policies[scenario.key], seed,
                total.pots, words["pots"], str(precision or ""),
                known.half_width if known else None, known.wanted if known else None,
                words["max_seconds"], note.seconds if note else None, note.stop if note else None,
                checksum(total),
            )
        )  # fmt: skip
    frame = pd.DataFrame(rows, columns=list(STATUS))
    numbers = ("target", "half_width", "wanted", "max_seconds", "seconds")
    return frame.astype(dict.fromkeys(numbers, float))


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
    progress: bool | run.Progress = False,
    engine: str = "threads",
    scheduler: str | None = None,
) -> Study:
    """Play ``pots`` pots of each game at each table size and return the study.

    ``games`` are names of shipped games, paths of TOML pages, ``Game`` objects, or several of
    them. ``options`` are settings such as ``"kill.treatment=player-out"``. ``policies`` say how the
    players act: a name (``sim.policy.shipped()``), ``"fold:0.1"``, the path of a TOML page or a
    ``Policy`` for all seats, one for each seat in one string (``"tight,loose,loose"``), or a list
    of such tables, each of which is played; in it a tuple seats ``Policy`` objects as well:
    ``[(mine, "loose", "loose")]``. With a ``store`` (a
    path) results are kept there, and what it already holds is not played again; without a seed one
    is drawn, or the store's own goes on. Totals depend on seed and rules, never on ``threads`` or
    ``engine``: ``"threads"``, or ``"dask"`` with the address of a ``scheduler`` or workers of its
    own. ``progress=True`` shows a bar. Raises ``InputError`` for what a user can mend.
    """
    pots = whole_number(pots, "pots")
    plan = grid(load_games(games, options), _sizes(players), pots, seed, load_tables(policies))
    return run_plan(
        plan, store, threads=threads, progress=progress, engine=engine, scheduler=scheduler
    )


def run_plan(
    plan: Plan | str | Path,
    store: str | Path | None = None,
    *,
    threads: int | None = None,
    progress: bool | run.Progress = False,
    engine: str = "threads",
    scheduler: str | None = None,
) -> Study:
    """Bring a store (a path) up to a plan, or to a plan file, and return the plan's study.

    The other words are those of ``simulate``. Running it again goes on, or has nothing to do.
    """
    asked = plan if isinstance(plan, Plan) else plans.with_warnings(plans.load(plan))
    run.check_threads(threads)
    opened = Store(None if store is None else Path(store))
    try:
        with engine_named(engine, scheduler, threads) as player:
            return play(asked, opened, threads, progress, player)
    except BaseException:
        opened.close()
        raise


def play(
    plan: Plan,
    store: Store,
    threads: int | None,
    progress: bool | run.Progress = False,
    engine: run.Engine | None = None,
) -> Study:
    """Bring an open store up to a plan and return the study of the plan's scenarios."""
    with store.writing():
        todo = run.jobs(plan, store)
        with bar(todo, quiet=progress is not True) as shown:
            run.execute(todo, store, threads, progress if callable(progress) else shown, engine)
    return Study(store, [(job.scenario, job.seed) for job in todo])


def open_study(path: str | Path) -> Study:
    """Open what a store holds, all seeds of a scenario together; a run may be writing to it."""
    store = Store(Path(path), write=False)
    return Study(store, [(scenario, None) for scenario in store.scenarios()])


def exact(
    games: Games,
    players: int | Iterable[int] = range(game.MIN_PLAYERS, game.MAX_PLAYERS + 1),
    *,
    options: Iterable[str] = (),
    policies: Policies = "stay",
) -> pd.DataFrame:
    """Return exact values of each game at each table size, in the columns of ``Study.frame``.

    Raises ``InputError`` for policies that look at cards, which have none.
    """
    tables = load_tables(policies)
    plan = grid(load_games(games, options), _sizes(players), pots=1, policies=tables)
    for scenario in plan.scenarios:
        if scenario.bets:
            raise InputError(
                f"there are no exact values for {scenario.policy}, which looks at cards: play it, "
                "or ask for stay or fold:0.1"
            )
    return estimate.exact_frame(plan.scenarios)


def load_games(games: Games, options: Iterable[str] = ()) -> list[Game]:
    """Read pages, however they are named, and set options on each."""
    several = [games] if isinstance(games, (str, Path, Game)) else list(games)
    settings = list(options)
    if not several:
        raise InputError(f"no game is asked for: there are {', '.join(game.shipped())}")
    pages = [page if isinstance(page, Game) else game.load(page) for page in several]
    return [page.with_options(settings) for page in pages]


def _sizes(players: int | Iterable[int]) -> list[int]:
    several = players if isinstance(players, Iterable) else [players]
    sizes = [whole_number(size, "players") for size in several]
    if not sizes:
        raise InputError("no table size is asked for: 2 to 8 players can play")
    return sizes
