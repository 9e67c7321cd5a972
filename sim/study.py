"""The face for Python: simulate, exact values, and a study of both."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Self

import pandas as pd

from sim import advice, arguments, game, paths
from sim import plan as plans
from sim.advice import Limits, Pace, Recommendation
from sim.arguments import brief, whole_number
from sim.errors import InputError, NoData
from sim.game import Game
from sim.policy import Policies, Policy, label, load_seats, load_tables
from sim.runs import cells, run
from sim.runs.dask import ENGINES, engine_named
from sim.runs.progress import bar
from sim.runs.store import Store, checksum
from sim.scenario import Plan, Precision, Scenario, grid
from sim.stats import frame as frames
from sim.stats import stopping
from sim.stats.control_variates import ControlledFrame
from sim.stats.metrics import METRICS, headlines
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
        arguments.instance(store, Store, "a study's store")
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

    def frame(self, *, anytime: bool = False, controlled: bool = False) -> pd.DataFrame:
        """Return estimates, intervals and exact values, one row a metric and level.

        Columns: game, players, policy, metric, level, estimate, se, low, high (95 %), pots, exact
        (NaN where there is none), z; ``sim.stats.metrics.METRICS`` defines the metrics. Low and
        high hold 95 % of the time for a number of pots that what was seen did not decide; with
        ``anytime`` they hold for all numbers of pots at once, so that one may watch a study grow
        and stop it when one likes. They are then about 1.7 times as wide at a million pots.

        With ``controlled`` what killers do where players act is corrected by what the same cards do
        where all stay, if the store has that too, and where all stay the winning hands by the hands
        shown. A column more, gain, says how many times smaller the variance is (NaN: the estimate
        is the plain one); pots are then those of whole cells.
        """
        if arguments.flag(controlled, "controlled"):
            return self.controlled(anytime=anytime).frame
        return frames.tidy_frame(self.totals(), anytime=arguments.flag(anytime, "anytime"))

    def controlled(self, *, anytime: bool = False) -> ControlledFrame:
        """Return the controlled frame, and what each scenario is controlled by, in words."""
        if arguments.flag(anytime, "anytime"):
            raise InputError(
                "controlled estimates have intervals for a number of pots fixed beforehand alone: "
                "ask for anytime or for controlled"
            )
        return cells.controlled(self.store, self.parts)

    def convergence(self, metric: str | None = None, level: str | None = None) -> pd.DataFrame:
        """Return how an estimate settled: a row for each scenario and growing number of pots.

        Columns as in ``frame``. The pots are those of a scenario's first cells in the store, a
        quarter more at each look, and at last all. Without a metric it is the first of
        ``headlines()`` that a scenario has, without a level all or the mean. Raises ``InputError``
        if no scenario has it.
        """
        if metric is not None:
            arguments.one_of(metric, METRICS, "metric")
        if level is not None:
            arguments.instance(level, str, "level")
        rows = [row for part in self.parts for row in self._settling(*part, metric, level)]
        if not rows:
            wanted = " ".join(filter(None, (metric, level))) or "a metric"
            raise InputError(
                f"no pots of this study tell of {brief(wanted)}: ask for what its frame has"
            )
        several = [scenario for scenario, _ in self.parts]
        games, policies = frames.labels(several), frames.policy_labels(several)
        return pd.concat(
            [rows.assign(game=games[key], policy=policies[key]) for key, rows in rows],
            ignore_index=True,
        )

    def recommendations(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return which table sizes keep to a host's usual limits, of each game and policy.

        ``frame`` is the study's. Columns as in ``Recommendation.frame``.
        """
        frames.check_frame(frame)
        games = {scenario.game.label: scenario.game for scenario, _ in self.parts}
        asked = frame[["game", "policy"]].drop_duplicates()
        return pd.concat(
            [
                advice.recommend(frame, games[game], policy).frame()
                for game, policy in asked.itertuples(index=False)
                if game in games  # different rules under one name are told apart by a #
            ]
            or [pd.DataFrame(columns=["game"])],
            ignore_index=True,
        )

    def other_frames(self, frame: pd.DataFrame) -> dict[str, pd.DataFrame]:
        """Return the frames of the charts that are not drawn from the study's own, by chart."""
        return {"convergence": self.convergence(), "recommendation": self.recommendations(frame)}

    def _settling(
        self, scenario: Scenario, seed: int | None, metric: str | None, level: str | None
    ) -> Iterator[tuple[str, pd.DataFrame]]:
        """Yield a scenario's key and what its first cells say, more and more of them."""
        asked = (metric,) if metric else headlines()
        found = next((name for name in asked if stopping.levels(name, scenario)), None)
        if found is None:
            return
        wanted = level or stopping.usual_level(found, scenario)
        for total in self.store.totals(scenario, seed, stopping.next_look):
            frame = frames.tidy_frame([(scenario, total)])
            rows = frame[(frame.metric == found) & (frame.level == wanted)]
            if len(rows):
                yield scenario.key, rows


def status(store: Store) -> pd.DataFrame:
    """Return how far each scenario of a store is under each seed, a row each.

    Columns as ``STATUS`` defines them.
    """
    rows = []
    parts = store.parts()
    names = frames.labels(scenario for scenario, _ in parts)
    policies = frames.policy_labels(scenario for scenario, _ in parts)
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
    where = _place(store)
    run.check_threads(threads)
    _check_progress(progress)
    arguments.one_of(engine, ENGINES, "engine")
    if not isinstance(plan, Plan):
        plan = plans.with_warnings(plans.load(arguments.path(plan, "a plan")))
    with engine_named(engine, scheduler, threads) as player:  # or a store would be made for nothing
        opened = Store(where)
        try:
            return play(plan, opened, threads, progress, player)
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
        _carry_out(todo, store, threads, progress, engine)
    return _study_of(todo, store)


def _carry_out(
    jobs: list[run.Job],
    store: Store,
    threads: int | None,
    progress: bool | run.Progress,
    engine: run.Engine | None = None,
) -> None:
    """Play jobs, with the caller's progress, a bar or nothing."""
    with bar(jobs, quiet=progress is not True) as shown:
        run.execute(jobs, store, threads, progress if callable(progress) else shown, engine)


def _study_of(jobs: list[run.Job], store: Store) -> Study:
    return Study(store, [(job.scenario, job.seed) for job in jobs])


def open_study(path: str | Path) -> Study:
    """Open what a store holds, all seeds of a scenario together; a run may be writing to it."""
    store = Store(arguments.path(path, "a store"), write=False)
    try:
        return Study(store, [(scenario, None) for scenario in store.scenarios()])
    except BaseException:
        store.close()  # or SQLite's files would stay beside it
        raise


def read_or_simulate(
    store: str | Path | None,
    games: Games,
    players: int | Iterable[int] = range(game.MIN_PLAYERS, game.MAX_PLAYERS + 1),
    pots: int = 1_000_000,
    *,
    seed: int | None = None,
    options: Iterable[str] = (),
    policies: Policies = "stay",
) -> pd.DataFrame:
    """Return what a store (a path) holds of these games as a frame; without a store, play it.

    The other words are those of ``simulate``; ``pots`` and ``seed`` are for playing. A store is
    read and never written to, all seeds of a scenario together, and table sizes and policies that
    it does not hold are left out. Raises ``NoData`` if nothing is left, and ``InputError`` for what
    else a user can mend.
    """
    pages, where = load_games(games, options), _place(store)
    if where is None:
        with simulate(pages, players, pots, seed=seed, policies=policies) as study:
            return study.frame()
    asked = grid(pages, _sizes(players), pots, seed, load_tables(policies)).scenarios
    with open_study(where) as study:
        held = {scenario.key for scenario, _ in study.parts}
        study.parts = [(scenario, None) for scenario in asked if scenario.key in held]
        if study.parts:
            return study.frame()
    words = dict.fromkeys(f"{one.game.label} ({one.policy})" for one in asked)
    raise NoData(f"{where} holds no pots of {', '.join(words)}: play some into it first")


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
    return frames.exact_frame(plan.scenarios)


def recommend(
    page: str | Path | Game,
    players: int | Iterable[int] = range(game.MIN_PLAYERS, game.MAX_PLAYERS + 1),
    pots: int = 100_000,
    *,
    policy: str | Path | Policy | Iterable[str | Path | Policy] = "stay",
    limits: Limits | Mapping[str, float] | None = None,
    pace: Pace | Mapping[str, float] | None = None,
    seed: int | None = None,
    threads: int | None = None,
    store: str | Path | None = None,
    options: Iterable[str] = (),
    progress: bool | run.Progress = False,
) -> Recommendation:
    """Say which table sizes of a game work for a host, and why; play what that needs.

    ``limits`` are what the host will have, as in ``{"deals": 6}``, and ``pace`` how many seconds a
    card, a shuffle and a decision take: ``sim.advice`` has their names, and what they are
    if nobody says. With a ``store`` that holds enough pots nothing is played. Raises ``InputError``
    for what a user can mend.
    """
    wanted, speed = Limits.of(limits), Pace.of(pace)
    (rules,) = load_games([page], options)
    seats = load_seats(policy)
    plan = grid([rules], _sizes(players), pots, seed, [seats])
    frame, _ = read_or_play(plan, store, threads, _check_progress(progress))
    return advice.recommend(frame, rules, label(seats), wanted, speed)


def read_or_play(
    plan: Plan,
    path: str | Path | None = None,
    threads: int | None = None,
    progress: bool | run.Progress = False,
) -> tuple[pd.DataFrame, list[run.Job]]:
    """Return a plan's frame, and its jobs; play only what a store (a path) lacks.

    A store that lacks nothing is only read.
    """
    run.check_threads(threads)
    where = _place(path)
    if where is not None and paths.status(where):
        with Store(where, write=False) as store:
            todo = run.jobs(plan, store)
            if all(job.stop for job in todo):
                return _study_of(todo, store).frame(), todo
    with Store(where) as store, store.writing():
        todo = run.jobs(plan, store)
        _carry_out([job for job in todo if not job.stop], store, threads, progress)
        return _study_of(todo, store).frame(), todo


def load_games(games: Games, options: Iterable[str] = ()) -> list[Game]:
    """Read pages, however they are named, and set options on each."""
    named = [games] if isinstance(games, (str, Path, Game)) else arguments.several(games, "a game")
    settings = [options] if isinstance(options, str) else arguments.several(options, "an option")
    if not named:
        raise InputError(f"no game is asked for: there are {', '.join(game.shipped())}")
    pages = [page if isinstance(page, Game) else game.load(page) for page in named]
    return [page.with_options(settings) for page in pages]


def _sizes(players: int | Iterable[int]) -> list[int]:
    asked = arguments.several(players, "players") if isinstance(players, Iterable) else [players]
    sizes = [whole_number(size, "players") for size in asked]
    if not sizes:
        raise InputError("no table size is asked for: 2 to 8 players can play")
    return sizes


def _place(store: str | Path | None) -> Path | None:
    return None if store is None else arguments.path(store, "a store")


def _check_progress(progress: bool | run.Progress) -> bool | run.Progress:
    if callable(progress) and not isinstance(progress, type):
        return progress
    return arguments.flag(progress, "progress")
