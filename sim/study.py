"""The face for Python: simulate, exact values, and a study of both."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Self

import pandas as pd

from sim import advice, arguments, game
from sim import plan as plans
from sim.advice import Limits, Pace, Recommendation
from sim.errors import InputError, Interrupted, NoData, brief
from sim.game import Game, Games
from sim.plan import grid
from sim.policy import Policies, Policy, label, load_seats
from sim.runs import cells
from sim.runs.collection import Collected, collect
from sim.runs.dask import ENGINES
from sim.runs.progress import check_progress
from sim.runs.run import OnProgress, check_threads
from sim.runs.store import Store, checksum
from sim.scenario import Plan, Precision, Scenario
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


class Study:
    """An open store, and the scenarios of it that are asked about."""

    def __init__(self, store: Store, parts: list[tuple[Scenario, int | None]]) -> None:
        arguments.instance(store, Store, "a study's store")
        self.store = store
        self.parts = parts
        """Scenarios, each with its seed (None: all seeds together)."""

    @classmethod
    def of(cls, collected: Collected) -> Self:
        """Return the study of what a plan asked for."""
        return cls(collected.store, collected.parts)

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
            target = " ".join(filter(None, (metric, level))) or "a metric"
            raise InputError(
                f"no pots of this study tell of {brief(target)}: ask for what its frame has"
            )
        scenarios = [scenario for scenario, _ in self.parts]
        games, policies = frames.labels(scenarios), frames.policy_labels(scenarios)
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
        judged = frame[["game", "policy"]].drop_duplicates()
        return pd.concat(
            [
                advice.recommend(frame, games[game], policy).frame()
                for game, policy in judged.itertuples(index=False)
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
        candidates = (metric,) if metric else headlines()
        metric = next((name for name in candidates if stopping.levels(name, scenario)), None)
        if metric is None:
            return
        level = level or stopping.usual_level(metric, scenario)
        for total in self.store.totals(scenario, seed, stopping.next_look):
            frame = frames.tidy_frame([(scenario, total)])
            rows = frame[(frame.metric == metric) & (frame.level == level)]
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
        limits = {name: target.pop(name, None) for name in ("pots", "max_seconds")}
        precision = Precision(**target) if target else None
        known = stopping.precision_status(precision, scenario, total) if precision else None
        rows.append(
            (
                scenario.key, names[scenario.key], scenario.players, policies[scenario.key], seed,
                total.pots, limits["pots"], str(precision or ""),
                known.half_width if known else None, known.wanted if known else None,
                limits["max_seconds"], note.seconds if note else None, note.stop if note else None,
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
    progress: bool | OnProgress = False,
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
    plan = grid(games, players, pots, seed, policies, options)
    return run_plan(
        plan, store, threads=threads, progress=progress, engine=engine, scheduler=scheduler
    )


def run_plan(
    plan: Plan | str | Path,
    store: str | Path | None = None,
    *,
    threads: int | None = None,
    progress: bool | OnProgress = False,
    engine: str = "threads",
    scheduler: str | None = None,
) -> Study:
    """Bring a store (a path) up to a plan, or to a plan file, and return the plan's study.

    The other arguments are those of ``simulate``. Running it again goes on, or has nothing to do.
    """
    check_threads(threads)
    path, progress = _store_path(store), check_progress(progress)
    arguments.one_of(engine, ENGINES, "engine")
    if not isinstance(plan, Plan):
        plan = plans.with_warnings(plans.load(arguments.path(plan, "a plan")))
    return play(plan, path, threads, progress, engine, scheduler)


def play(
    plan: Plan,
    store: Store | Path | None,
    threads: int | None = None,
    progress: bool | OnProgress = False,
    engine: str = "threads",
    scheduler: str | None = None,
    *,
    only_missing: bool = False,
) -> Study:
    """Bring a store, open or by its path, up to a plan; return the study of its scenarios.

    Arguments are those of ``collect``; an interrupt is Python's own, with what it keeps in words.
    """
    try:
        return Study.of(
            collect(plan, store, threads, progress, engine, scheduler, only_missing=only_missing)
        )
    except Interrupted as stop:
        raise KeyboardInterrupt(str(stop)) from None


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

    The other arguments are those of ``simulate``; ``pots`` and ``seed`` are for playing. A store is
    read and never written to, all seeds of a scenario together, and table sizes and policies that
    it does not hold are left out. Raises ``NoData`` if nothing is left, and ``InputError`` for what
    else a user can mend.
    """
    plan, path = grid(games, players, pots, seed, policies, options), _store_path(store)
    if path is None:
        with run_plan(plan) as study:
            return study.frame()
    with open_study(path) as study:
        held = {scenario.key for scenario, _ in study.parts}
        study.parts = [(scenario, None) for scenario in plan.scenarios if scenario.key in held]
        if study.parts:
            return study.frame()
    names = dict.fromkeys(f"{missing.game.label} ({missing.policy})" for missing in plan.scenarios)
    raise NoData(f"{path} holds no pots of {', '.join(names)}: play some into it first")


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
    plan = grid(games, players, pots=1, policies=policies, options=options)
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
    progress: bool | OnProgress = False,
) -> Recommendation:
    """Say which table sizes of a game work for a host, and why; play what that needs.

    ``limits`` are what the host will have, as in ``{"deals": 6}``, and ``pace`` how many seconds a
    card, a shuffle and a decision take: ``sim.advice`` has their names, and what they are
    if nobody says. With a ``store`` that holds enough pots nothing is played. Raises ``InputError``
    for what a user can mend.
    """
    wanted, speed = Limits.of(limits), Pace.of(pace)
    seats = load_seats(policy)
    plan = grid([page], players, pots, seed, [seats], options)
    rules = plan.scenarios[0].game
    path, progress = _store_path(store), check_progress(progress)
    with play(plan, path, threads, progress, only_missing=True) as study:
        return advice.recommend(study.frame(), rules, label(seats), wanted, speed)


def _store_path(store: str | Path | None) -> Path | None:
    return None if store is None else arguments.path(store, "a store")
