"""The one road from a plan to a store; everybody who has pots played goes down it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from sim import paths
from sim.errors import Interrupted
from sim.runs.dask import engine_named
from sim.runs.progress import bar
from sim.runs.run import Engine, Job, OnProgress, check_threads, execute, jobs
from sim.runs.store import Store
from sim.scenario import Plan, Scenario
from sim.stderr import say


class Collected(NamedTuple):
    """An open store, and what became of each scenario of a plan."""

    store: Store
    jobs: list[Job]

    @property
    def parts(self) -> list[tuple[Scenario, int | None]]:
        """The plan's scenarios, each with its seed."""
        return [(job.scenario, job.seed) for job in self.jobs]


def collect(
    plan: Plan,
    store: Store | Path | None = None,
    threads: int | None = None,
    progress: bool | OnProgress = False,
    engine: str = "threads",
    scheduler: str | None = None,
    *,
    only_missing: bool = False,
) -> Collected:
    """Bring a store up to a plan: an open one, that of a path, or (None) one in memory.

    With ``only_missing`` a store that lacks nothing is only read, and what it says of finished
    scenarios stays. ``progress`` is called, or True to show a bar. Raises ``Interrupted``, which
    says what is kept.
    """
    check_threads(threads)
    if only_missing and isinstance(store, Path) and (complete := _complete(plan, store)):
        return complete
    with (
        engine_named(engine, scheduler, threads) as play,  # first, or a store is made for nothing
        _opened(store) as opened,
        opened.writing(),
    ):
        planned = jobs(plan, opened)
        to_play = [job for job in planned if not (only_missing and job.stop)]
        _play(to_play, opened, threads, progress, play)
    return Collected(opened, planned)


def _complete(plan: Plan, path: Path) -> Collected | None:
    """Return the store of a path, open for reading, if it lacks nothing of a plan."""
    if not paths.status(path):
        return None
    store, complete = Store(path, write=False), None
    try:
        planned = jobs(plan, store)
        complete = Collected(store, planned) if all(job.stop for job in planned) else None
    finally:
        if not complete:
            store.close()
    return complete


@contextmanager
def _opened(store: Store | Path | None) -> Iterator[Store]:
    """Yield an open store; one that is opened here is closed again if something fails."""
    opened = store if isinstance(store, Store) else Store(store)
    try:
        yield opened
    except BaseException:
        if opened is not store:
            opened.close()
        raise


def _play(
    todo: list[Job],
    store: Store,
    threads: int | None,
    progress: bool | OnProgress,
    engine: Engine | None,
) -> None:
    """Play jobs; say how far they are, and if the user stops them what is kept."""
    if store.notice and progress is True:
        say(store.notice)
    try:
        nothing = all(job.stop for job in todo)
        with bar(quiet=nothing or progress is not True) as shown:
            execute(todo, store, threads, progress if callable(progress) else shown, engine)
    except KeyboardInterrupt:
        if store.path is None:
            raise
        pots = sum(sum(store.pots(job.scenario, job.seed).values()) for job in todo)
        raise Interrupted(
            f"{pots:,} pots are kept in {store.path}; the same command goes on from there."
        ) from None
