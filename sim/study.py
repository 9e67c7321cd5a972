"""The face for Python: simulate, exact values, and a study of both."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from html import escape
from pathlib import Path
from typing import Any, NamedTuple, Self

import pandas as pd

from sim import advice, arguments, paths
from sim import plan as plans
from sim import scenario as scenarios
from sim.advice import Limits, Pace, Recommendation
from sim.errors import InputError, Interrupted, NoData, brief
from sim.evenings import for_host
from sim.game import MAX_PLAYERS, MIN_PLAYERS, Game, Games, Options
from sim.parsing import Count, Sizes
from sim.plan import grid
from sim.policy import Policies, Seats, label, load_seats
from sim.runs import cells
from sim.runs.collection import Collected, collect
from sim.runs.dask import ENGINES
from sim.runs.forecast import plan_forecast
from sim.runs.progress import check_progress
from sim.runs.run import OnProgress, check_threads
from sim.runs.store import Store, checksum
from sim.scenario import Precision, Scenario
from sim.stats import frame as frames
from sim.stats import stopping
from sim.stats.control_variates import ControlledFrame
from sim.stats.differences import Comparison
from sim.stats.metrics import METRICS, headlines
from sim.tally import Tally

MOST_SHOWN = 20
"""Rows of a study in a notebook."""
ALL_SIZES = range(MIN_PLAYERS, MAX_PLAYERS + 1)
STATUS: dict[str, str] = {
    "scenario": "hash of the rules, the table size and the policy",
    "game": "the game; an option in which a page or a game of the same name differs is a column",
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
    """An open store, and the scenarios of it that are asked about.

    >>> study = sim.simulate("spades", players="2-3", pots="1k", seed=7)
    >>> study
    <Study of 2 scenarios in memory; .frame() tells what they say>
    """

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

        >>> study = sim.simulate("spades", players=[2, 4], pots="10k", seed=7)
        >>> means = study.frame().query("metric == 'toll_pot' and level == 'mean'")
        >>> means[["players", "estimate", "exact"]].round(2).to_dict("records")
        [{'players': 2, 'estimate': 6.37, 'exact': 6.34}, {'players': 4, 'estimate': 12.74,
         'exact': 12.68}]
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

        >>> study = sim.simulate("spades", players=2, pots="200k", seed=7)
        >>> study.convergence("toll_pot").pots.tolist()
        [65536, 131072, 196608, 200000]
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
        named = frames.names(scenario for scenario, _ in self.parts)
        return frames.in_level_order(
            pd.DataFrame(
                [(*named.of[key], *row) for key, row in rows],
                columns=[*named.columns, *frames.MEASURED],
            )
        )

    def recommendations(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return which table sizes keep to a host's usual limits, of each game and policy.

        ``frame`` is the study's. Columns as in ``Recommendation.frame``.
        """
        frames.check_frame(frame)
        named = frames.names(scenario for scenario, _ in self.parts)
        options = [path for path in named.columns if path in frames.OPTIONS]
        judged = []
        for page in {scenario.game.digest: scenario.game for scenario, _ in self.parts}.values():
            told = {path: page.options()[path] for path in options}
            for policy in frames.of_game(frame, page).policy.unique():
                answer = advice.recommend(frame, page, policy).frame()
                judged.append(answer.assign(**told))
        columns = [*frames.JUDGED[:1], *options, *frames.JUDGED[1:]]
        if not judged:
            return pd.DataFrame(columns=columns)
        return pd.concat(judged, ignore_index=True)[columns]

    def status(self) -> pd.DataFrame:
        """Return how far each scenario is under each seed, a row each; columns as in ``STATUS``.

        >>> study = sim.simulate("spades", players="2-3", pots="1k", seed=7)
        >>> study.status()[["game", "players", "seed", "pots", "stop"]].to_dict("records")[0]
        {'game': 'spades', 'players': 2, 'seed': 7, 'pots': 1000, 'stop': 'pots'}
        """
        parts = [
            (scenario, own)
            for scenario, seed in self.parts
            for own in (self.store.seeds(scenario) if seed is None else [seed])
        ]
        return _status(self.store, parts)

    def diff(
        self, a: str | Scenario, *others: str | Scenario, metrics: str | Iterable[str] = ()
    ) -> Comparison:
        """Return how a scenario of the store differs from others: a frame, and its basis in words.

        Each is named by the start of its hash, as in ``status``, or as GAME:PLAYERS[:POLICY].
        Differences a - b are taken on the same cards where they share them. Columns: versus (what
        a is compared with), metric, level, a, b, difference, se, low, high (95 %), paired.
        ``metrics`` leaves out all others. Raises ``InputError`` for what is not there.

        >>> study = sim.simulate("spades", players="2-3", pots="10k", seed=7)
        >>> difference = study.diff("spades:3", "spades:2", metrics="split_pots")
        >>> difference.frame.difference.round(4).tolist()
        [0.0028]
        """
        if not others:
            raise InputError("a scenario is compared with another, or several: name them behind it")
        wanted = [metrics] if isinstance(metrics, str) else arguments.several(metrics, "a metric")
        base, *against = (self.scenario(name) for name in (a, *others))
        return cells.compare_all(self.store, base, dict.fromkeys(against), wanted)

    def scenario(self, name: str | Scenario) -> Scenario:
        """Return the scenario of the store that a name means, as ``diff`` takes it."""
        if isinstance(name, Scenario):
            return name
        return cells.find(self.store, arguments.instance(name, str, "a scenario"))

    def _repr_html_(self) -> str:
        """Show in a notebook what the study holds."""
        shown = self.status()[["players", "policy", "seed", "pots"]]
        names = frames.flat(self.status()).game
        table = shown.assign(game=names)[["game", *shown.columns]]
        return f"<p>{escape(repr(self))}</p>{table.to_html(index=False, max_rows=MOST_SHOWN)}"

    def other_frames(self, frame: pd.DataFrame) -> dict[str, pd.DataFrame]:
        """Return the frames of the charts that are not drawn from the study's own, by chart."""
        return {"convergence": self.convergence(), "recommendation": self.recommendations(frame)}

    def _settling(
        self, scenario: Scenario, seed: int | None, metric: str | None, level: str | None
    ) -> Iterator[tuple[str, tuple[Any, ...]]]:
        """Yield a scenario's key and a row of what its first cells say, more and more of them."""
        candidates = (metric,) if metric else headlines()
        metric = next((name for name in candidates if stopping.levels(name, scenario)), None)
        if metric is None:
            return
        level = level or stopping.usual_level(metric, scenario)
        for total in self.store.totals(scenario, seed, stopping.next_look):
            frame = frames.tidy_frame([(scenario, total)])
            rows = frame[(frame.metric == metric) & (frame.level == level)]
            for row in rows[list(frames.MEASURED)].itertuples(index=False, name=None):
                yield scenario.key, row


def _status(store: Store, parts: list[tuple[Scenario, int]]) -> pd.DataFrame:
    rows = []
    named = frames.names(scenario for scenario, _ in parts)
    for scenario, seed in parts:
        total, note = store.total(scenario, seed), store.note(scenario, seed)
        target = dict(note.target) if note else {}
        limits = {name: target.pop(name, None) for name in ("pots", "max_seconds")}
        precision = Precision(**target) if target else None
        known = stopping.precision_status(precision, scenario, total) if precision else None
        rows.append(
            (
                scenario.key, *named.of[scenario.key], seed,
                total.pots, limits["pots"], str(precision or ""),
                known.half_width if known else None, known.wanted if known else None,
                limits["max_seconds"], note.seconds if note else None, note.stop if note else None,
                checksum(total),
            )
        )  # fmt: skip
    columns = ["scenario", *named.columns, *list(STATUS)[4:]]
    frame = pd.DataFrame(rows, columns=columns)
    numbers = ("target", "half_width", "wanted", "max_seconds", "seconds")
    return frame.astype(dict.fromkeys(numbers, float))


@arguments.one_name
def simulate(
    games: Games,
    players: Sizes = ALL_SIZES,
    pots: Count = 1_000_000,
    *,
    seed: int | None = None,
    threads: int | None = None,
    store: str | Path | None = None,
    options: Options = (),
    policies: Policies = "stay",
    progress: bool | OnProgress = False,
    engine: str = "threads",
    scheduler: str | None = None,
) -> Study:
    """Play ``pots`` pots of each game at each table size and return the study.

    ``games`` are names or titles of shipped games, paths of TOML pages, ``Game`` objects, or
    several of them; ``players`` are 4, ``"2-8"`` or ``[3, 6]``, and ``pots`` 1000, ``1e6`` or
    ``"1M"``. ``options`` are settings such as ``"kill.treatment=player-out"``, or a dictionary.
    ``policies`` say how the players act: a name (``sim.policy.shipped()``), ``"fold:0.1"``, the
    path of a TOML page or a ``Policy`` for all seats, one for each seat in one string
    (``"tight,loose,loose"``), or a list of such tables, each of which is played; in it a tuple
    seats ``Policy`` objects as well: ``[(mine, "loose", "loose")]``. With a ``store`` (a path)
    results are kept there, and what it already holds is not played again; without a seed one is
    drawn, or the store's own goes on. Totals depend on seed and rules, never on ``threads`` or
    ``engine``: ``"threads"``, or ``"dask"`` with the address of a ``scheduler`` or workers of its
    own. ``progress=True`` shows a bar. Raises ``InputError`` for what a user can mend.

    >>> study = sim.simulate("faces-of-death", players="2-4", pots="1k", seed=7, policies="tight")
    >>> frame = study.frame()  # a row a metric and level
    >>> frame.players.unique().tolist()
    [2, 3, 4]
    """
    plan = grid(games, players, pots, seed, policies, options)
    return run_plan(
        plan, store, threads=threads, progress=progress, engine=engine, scheduler=scheduler
    )


def run_plan(
    plan: scenarios.Plan | str | Path,
    store: str | Path | None = None,
    *,
    threads: int | None = None,
    progress: bool | OnProgress = False,
    engine: str = "threads",
    scheduler: str | None = None,
) -> Study:
    """Bring a store (a path) up to a plan, or to a plan file, and return the plan's study.

    The other arguments are those of ``simulate``. Running it again goes on, or has nothing to do.

    >>> plan = sim.make_plan("spades", players=2, pots="1k", seed=7)
    >>> with sim.run_plan(plan, store="study.db") as study:
    ...     study.status().pots.tolist()
    [1000]
    """
    check_threads(threads)
    path, progress = _store_path(store), check_progress(progress)
    arguments.one_of(engine, ENGINES, "engine")
    if not isinstance(plan, scenarios.Plan):
        plan = plans.with_notices(plans.load(arguments.path(plan, "a plan")))
    with _interrupt_of_python():
        return Study.of(collect(plan, path, threads, progress, engine, scheduler))


@contextmanager
def _interrupt_of_python() -> Iterator[None]:
    """Let an interrupt be Python's own, with what is kept in words."""
    try:
        yield
    except Interrupted as stop:
        raise KeyboardInterrupt(str(stop)) from None


class Plan(scenarios.Plan):
    """What to play and how sharply to know it: scenarios, pots, a seed, and a precision.

    >>> sim.make_plan("Spades", players="2-3", pots="1k", seed=7).pots
    1000
    """

    @classmethod
    def of(cls, plan: scenarios.Plan) -> Self:
        """Return a plan that can forecast."""
        return cls(plan.scenarios, plan.pots, plan.seed, plan.precision, plan.max_seconds)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a plan file; warns of scenarios that are there more than once."""
        return cls.of(plans.with_notices(plans.load(arguments.path(path, "a plan"))))

    def forecast(
        self, store: str | Path | None = None, *, threads: int | None = None
    ) -> pd.DataFrame:
        """Return what this will play beyond a store (a path), and about how long it takes.

        A row for each scenario, with ``pots`` that are there, ``target``, ``to_play`` and
        ``seconds``: what a precision will take, by what the store knows or by exact values, or
        else the most (``at_most``). Seeds are empty where one will be drawn. Nothing is played or
        written.

        >>> plan = sim.make_plan("spades", players="2-3", pots="1k", seed=7)
        >>> plan.forecast()[["players", "pots", "to_play"]].to_dict("records")
        [{'players': 2, 'pots': 0, 'to_play': 1000}, {'players': 3, 'pots': 0, 'to_play': 1000}]
        """
        path, threads = _store_path(store), check_threads(threads)
        there = path is not None and paths.status(path)
        with Store(path, write=False) if there else Store(None) as opened:
            return plan_forecast(self, opened, threads)


@arguments.one_name
def make_plan(games: Any, **target: Any) -> Plan:
    """Return a plan made in Python, of the same keys as a plan file; warns of duplicates.

    >>> plan = sim.make_plan("spades", players=2, pots="1M", seed=7, policies=["stay", "tight"])
    >>> [str(scenario) for scenario in plan.scenarios]
    ['spades, 2 players', 'spades, 2 players, tight']
    """
    return Plan.of(plans.make_plan(games, **target))


class Merged(NamedTuple):
    """What a store holds after others were brought into it."""

    pots: int
    new: int
    """Of these, what it did not hold before."""


def merge(stores: str | Path | Iterable[str | Path], into: str | Path) -> Merged:
    """Bring stores (paths) together: seeds add, and what is the same is there once.

    ``into`` takes them in, and is made if it is not there. Raises ``InputError`` for stores that
    disagree, and then leaves all as it was.

    >>> for seed in (1, 2):
    ...     sim.simulate("spades", players=2, pots=100, seed=seed, store=f"{seed}.db").store.close()
    >>> sim.merge(["1.db", "2.db"], into="both.db")
    Merged(pots=200, new=200)
    """
    given = [stores] if isinstance(stores, (str, Path)) else arguments.several(stores, "a store")
    target = arguments.path(into, "a store")
    others = dict.fromkeys(arguments.path(store, "a store") for store in given)
    with ExitStack() as stack:
        sources = [path for path in others if not paths.are_same(path, target)]
        return take_in([stack.enter_context(Store(path, write=False)) for path in sources], target)


def take_in(others: Sequence[Store], into: Path) -> Merged:
    """Bring open stores into that of a path, made if it is not there; all of them or none."""
    fresh, made = paths.status(into) is None, False
    try:
        for other in others:
            other.scenarios()  # what cannot be read is refused before anything is made
        with Store(into) as target, target.writing():
            before = target.all_pots()
            made = fresh and not before
            target.take_in(others)
            after = target.all_pots()
    except InputError:
        if made:  # what could not be brought together is no store
            into.unlink(missing_ok=True)
        raise
    return Merged(after, after - before)


def open_study(path: str | Path) -> Study:
    """Open what a store holds, all seeds of a scenario together; a run may be writing to it.

    >>> sim.simulate("spades", players=2, pots=100, seed=7, store="study.db").store.close()
    >>> with sim.open_study("study.db") as study:
    ...     study.frame().players.unique().tolist()
    [2]
    """
    store = Store(arguments.path(path, "a store"), write=False)
    try:
        return Study(store, [(scenario, None) for scenario in store.scenarios()])
    except BaseException:
        store.close()  # or SQLite's files would stay beside it
        raise


@arguments.one_name
def read_or_simulate(
    store: str | Path | None,
    games: Games,
    players: Sizes = ALL_SIZES,
    pots: Count = 1_000_000,
    *,
    seed: int | None = None,
    options: Options = (),
    policies: Policies = "stay",
) -> pd.DataFrame:
    """Return what a store (a path) holds of these games as a frame; without a store, play it.

    The other arguments are those of ``simulate``; ``pots`` and ``seed`` are for playing. A store is
    read and never written to, all seeds of a scenario together, and table sizes and policies that
    it does not hold are left out. Raises ``NoData`` if nothing is left, and ``InputError`` for what
    else a user can mend.

    >>> frame = sim.read_or_simulate(None, "spades", players=2, pots="1k", seed=7)
    >>> frame.pots.unique().tolist()
    [1000]
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


@arguments.one_name
def exact(
    games: Games,
    players: Sizes = ALL_SIZES,
    *,
    options: Options = (),
    policies: Policies = "stay",
) -> pd.DataFrame:
    """Return exact values of each game at each table size, in the columns of ``Study.frame``.

    Raises ``InputError`` for policies that look at cards, which have none.

    >>> frame = sim.exact("faces-of-death", players="2-3")
    >>> killed = frame.query("metric == 'kill_rate' and level == 'all'")
    >>> killed[["players", "exact"]].round(4).to_dict("records")
    [{'players': 2, 'exact': 0.4007}, {'players': 3, 'exact': 0.5529}]
    """
    plan = grid(games, players, pots=1, policies=policies, options=options)
    for scenario in plan.scenarios:
        if scenario.bets:
            raise InputError(
                f"there are no exact values for {scenario.policy}, which looks at cards: play it, "
                "or ask for stay or fold:0.1"
            )
    return frames.exact_frame(plan.scenarios)


@arguments.one_name
def recommend(
    game: str | Path | Game,
    players: Sizes = ALL_SIZES,
    pots: Count = 100_000,
    *,
    policies: Seats = "stay",
    limits: Limits | advice.Numbers | None = None,
    pace: Pace | advice.Numbers | None = None,
    seed: int | None = None,
    threads: int | None = None,
    store: str | Path | None = None,
    options: Options = (),
    progress: bool | OnProgress = False,
) -> Recommendation:
    """Say which table sizes of a game work for a host, and why; play what that needs.

    ``limits`` are what the host will have, as in ``{"deals": 6}`` or ``"deals=6"``, and ``pace``
    how many seconds a card, a shuffle and a decision take: ``sim.advice`` has their names, and what
    they are if nobody says. With a ``store`` that holds enough pots nothing is played but evenings
    of four hours, one for every 200 pots, at each table size. Raises ``InputError`` for what a user
    can mend.

    >>> answer = sim.recommend("faces-of-death", pots="2k", seed=7, limits={"deals": 4})
    >>> answer.works
    [2, 3, 4]
    """
    wanted, speed = Limits.of(limits), Pace.of(pace)
    seats = load_seats(policies)
    plan = grid([game], players, pots, seed, [seats], options)
    rules = plan.scenarios[0].game
    path, progress = _store_path(store), check_progress(progress)
    with _interrupt_of_python():
        played = Study.of(collect(plan, path, threads, progress, only_missing=True))
    with played as study:
        frame, own = study.frame(), study.parts[0][1] or 0
    whole = for_host(frame, plan.scenarios, speed, plan.pots, own, threads)
    return advice.recommend(frame, rules, label(seats), wanted, speed, whole)


def _store_path(store: str | Path | None) -> Path | None:
    return None if store is None else arguments.path(store, "a store")
