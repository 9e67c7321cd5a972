"""Another commit beside this one: ``python -m benchmarks --against COMMIT``.

Both are taken out of git into folders of their own, with caches of their own, and asked through the
public face alone. What is timed in Python is asked of one process a commit, which lives on, so that
kernels are compiled and loaded before a turn counts. Seconds are a process's own (CPU time), which
other work on the machine disturbs least; those of two threads are the clock's. ``times`` is how
many times as long as the other commit this one takes.
"""

import io
import json
import resource
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd

from benchmarks import memory
from benchmarks.measure import Contestant, alternate, compare
from benchmarks.process import Source, python
from benchmarks.startup import COMMANDS, RUN
from sim.errors import InputError

WORKER = """
import json, sys, time, timeit
answers, sys.stdout = sys.stdout, sys.stderr
for line in sys.stdin:
    try:
        arguments = json.loads(line)
        answer = timeit.timeit(**arguments | {"timer": getattr(time, arguments["timer"])})
    except Exception as error:
        answer = f"{type(error).__name__}: {error}"
    print(json.dumps(answer), file=answers, flush=True)
"""
"""Answers each line, the arguments of ``timeit``, with seconds or with what was wrong."""
CLOCK, PROCESSOR = "perf_counter", "process_time"
GAMES = ("spades", "faces-of-death")
SIZES = (2, 4, 7)
TABLES, REPEATS = 100_000, 20
"""Tables of seven whose hands are ranked, and how often in a turn."""
PROCESS_ROUNDS, COMPILE_ROUNDS = 5, 3
"""At most, of what takes a process a turn."""


class Refused(Exception):  # noqa: N818 - it may be no error
    """A commit does not do what it was asked for."""


class Build:
    """A commit in a folder of its own, and the process that answers for it."""

    def __init__(self, commit: str, home: Path) -> None:
        self.commit = _git("rev-parse", "--short", commit).decode().strip()
        self.source = Source(home / "source", home / "cache")
        with tarfile.open(fileobj=io.BytesIO(_git("archive", commit))) as files:
            files.extractall(self.source.folder, filter="data")
        self.worker = subprocess.Popen(
            [sys.executable, "-c", WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            **self.source.popen(),
        )  # fmt: skip

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.worker.kill()
        self.worker.communicate()

    def seconds(self, **timed: Any) -> float:
        """Return the seconds of a turn by the worker's clock, from the arguments of ``timeit``."""
        self.worker.stdin.write(json.dumps(timed) + "\n")
        self.worker.stdin.flush()
        line = self.worker.stdout.readline()
        answer = json.loads(line) if line else "its process has ended"
        if isinstance(answer, str):
            raise Refused(answer)
        return answer


Measure = Callable[[Build], float]
"""Takes a commit's turn; returns its seconds, or MB."""


class Case(NamedTuple):
    """Something that is measured of both commits."""

    name: str
    work: int
    """Pots, tables or hands of a turn."""
    measure: Measure


def _timed(
    name: str, work: int, stmt: str, setup: str = "", number: int = 1, timer: str = PROCESSOR
) -> Case:
    timed = {"stmt": stmt, "setup": f"import sim\n{setup}", "number": number, "timer": timer}
    return Case(name, work, lambda build: build.seconds(**timed))


def _simulate(game: str, players: int, policy: str, pots: int, threads: int = 1) -> Case:
    arguments = f"{game!r}, {players}, {pots}, seed=1, {threads=}, policies={policy!r}"
    name, timer = f"{game}, {players} players, {policy}", PROCESSOR if threads == 1 else CLOCK
    return _timed(name, pots, f"sim.simulate({arguments})", timer=timer)


def _evaluate(cards: int, wild: str) -> Case:
    hands = f"hands = sim.deal(7, {TABLES}, seed=1).reshape(-1, 7)[:, :{cards}].copy()"
    name = f"hands of {cards} cards, wild: {wild}"
    return _timed(name, 7 * TABLES * REPEATS, f"sim.evaluate(hands, {wild=})", hands, REPEATS)


def _deal(players: int, tables: int) -> Case:
    return _timed(f"{players} players", tables, f"sim.deal({players}, {tables}, seed=1)")


def _command(arguments: Sequence[str], *, first: bool = False) -> Measure:
    """Return what tells the CPU seconds of a command; a ``first`` one finds its caches empty."""

    def run(build: Build) -> float:
        with tempfile.TemporaryDirectory() as empty:
            before = _cpu_seconds()
            python(
                *arguments,
                source=build.source._replace(cache=Path(empty)) if first else build.source,
            )
            return _cpu_seconds() - before

    return run


def _cpu_seconds() -> float:
    """Return those of all processes that were started here and have ended."""
    return sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])


TIMED = {
    "stay": [
        *(_simulate("spades", players, "stay", 2_000_000) for players in SIZES),
        *(_simulate("faces-of-death", players, "stay", 500_000) for players in (4, 7)),
    ],
    "typical": [
        _simulate(game, players, "typical", 50_000) for game, players in product(GAMES, SIZES)
    ],
    "policies": [
        _simulate(game, 7, policy, 50_000)
        for game, policy in product(GAMES, ("loose", "tight", "fold:0.1"))
    ],
    "evaluate": [_evaluate(cards, wild) for cards, wild in product((5, 7), ("none", "spades"))],
    "deal": [_deal(2, 2_000_000), _deal(7, 500_000)],
    "threads": [
        _simulate("spades", 7, "stay", 4_000_000, threads=2),
        _simulate("spades", 7, "typical", 100_000, threads=2),
    ],
}
"""What the processes that live on are asked for, by part; a turn takes tenths of a second."""
STARTUP = [Case(name, 1, _command(arguments)) for name, arguments in COMMANDS.items()]
FIRST_RUNS = [
    Case("run --pots 1k", 1, _command(RUN, first=True)),
    Case("run --pots 1k --policy typical", 1, _command((*RUN, "--policy", "typical"), first=True)),
]


@contextmanager
def builds(commit: str) -> Iterator[tuple[Build, Build]]:
    """Build this commit and another, for as long as this is open.

    Raises ``InputError`` if git knows no such commit, or if ``sim/`` is not as committed.
    """
    other = _git("rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}", revision=commit)
    if _git("status", "--porcelain", "--", "sim"):
        raise InputError("sim/ has changes that are in no commit: commit or stash them first")
    with tempfile.TemporaryDirectory(prefix="spadework-") as home, ExitStack() as stack:
        this, that = (
            stack.enter_context(Build(which, Path(home) / name))
            for name, which in (("this", "HEAD"), ("other", other.decode().strip()))
        )
        yield this, that


def _git(*arguments: str, revision: str = "HEAD") -> bytes:
    try:
        return subprocess.run(["git", *arguments], check=True, capture_output=True).stdout  # noqa: S607
    except (OSError, subprocess.CalledProcessError):
        raise InputError(
            f"git finds no commit {revision!r} here: run this in a clone, with a commit of its log"
        ) from None


def tables(
    this: Build, other: Build, rounds: int, pots: str
) -> dict[str, Callable[[], pd.DataFrame]]:
    """Return all tables by name, each with what makes it; memory is that of so many ``pots``."""
    table = partial(_table, this, other)
    run = Case(f"a run of {pots} pots", 1, lambda build: memory.measure(pots, build.source)[1])
    few, fewer = min(rounds, PROCESS_ROUNDS), min(rounds, COMPILE_ROUNDS)
    return {part: partial(table, cases, rounds) for part, cases in TIMED.items()} | {
        "startup": lambda: table(STARTUP, few),
        "compile": lambda: table(FIRST_RUNS, fewer, warm_up=False),
        "memory": lambda: (
            table([run], few).drop(columns="a second").rename(columns={"seconds": "MB"})
        ),
    }


def _table(
    this: Build, other: Build, cases: Sequence[Case], rounds: int, *, warm_up: bool = True
) -> pd.DataFrame:
    """Compare both commits, a row a case; a case that one of them refuses is blank, and said."""
    rows = []
    for name, work, measure in cases:
        turns = {
            label: Contestant(work, partial(_turn, measure, build))
            for label, build in ((name, this), (other.commit, other))
        }
        try:
            seconds = alternate(turns, rounds, warm_up=warm_up)
        except Refused as error:
            print(f"Left out: {name}: {error}", file=sys.stderr)
            seconds = pd.DataFrame({label: [np.nan] for label in turns})
        rows.append(compare(seconds, {name: other.commit}))
    return pd.concat(rows)


def _turn(measure: Measure, build: Build) -> float:
    """Take a turn; raise ``Refused`` with the commit and its own last words if it fails."""
    try:
        return measure(build)
    except Refused as error:
        raise Refused(f"{build.commit} says {error}") from None
    except subprocess.CalledProcessError as error:
        lines = error.stderr.strip().splitlines() or [f"exit code {error.returncode}"]
        raise Refused(f"{build.commit} says {lines[-1]}") from None
