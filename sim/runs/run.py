"""A plan minus what the store already holds, played block by block and kept cell by cell."""

import os
import secrets
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

from sim.arguments import whole_number
from sim.errors import InputError
from sim.runs.provenance import run_provenance
from sim.runs.store import Cell, Note, Store, checksum
from sim.runs.threads import Block, Results, Source, on_threads
from sim.scenario import Plan, Precision, Scenario
from sim.stats import stopping
from sim.stats.metrics import METRICS
from sim.stats.stopping import PrecisionStatus
from sim.tally import Tally

BLOCK = 1 << 13
"""Pots in a block: some milliseconds of work for one thread."""
CELL = 8 * BLOCK
"""Pots in a cell of the store: the fixed grid in which results are kept."""
COMMIT_SECONDS = 1.0
"""Finished cells are written together, at least this far apart."""
MAX_THREADS = 1024
PROGRESS_SECONDS = 0.1
"""Progress is said at least this far apart."""


class Progress(NamedTuple):
    """How far a run is."""

    played: int
    """Pots played by this run."""
    expected: int | None
    """Pots that it will have played at its end; None before that can be known."""
    scenario: Scenario
    """What is being played."""
    precision_status: PrecisionStatus | None
    """How sharply that was known at its last look, if it has a precision to reach."""
    rate: float | None
    """Pots played a second; None before that can be known."""
    seconds_left: float | None
    """About how long it will still take; None before that can be known."""


OnProgress = Callable[[Progress], None]
"""Called several times a second."""
Engine = Callable[[Source], Results]
"""Who plays the blocks."""


@dataclass
class Job:
    """One scenario of a plan under its seed: what it has, and what it lacks up to the next look."""

    scenario: Scenario
    seed: int
    max_pots: int
    """Pots that it is to have at most."""
    precision: Precision | None
    max_seconds: float | None
    pots_by_cell: dict[int, int]
    """What the store holds, and then what is finished."""
    seconds: float = 0.0
    """Seconds played, over all runs."""
    stop: str | None = None
    """Why it is finished: precision, pots or seconds."""
    look: int = 0
    """Cells up to which it plays before it looks at its precision."""
    missing: dict[int, int] = field(default_factory=dict)
    """Pots wanted in each cell that has fewer, up to the look."""
    prefix: Tally | None = None
    """The sum of all finished cells before the look, if there is a precision to test."""
    precision_status: PrecisionStatus | None = None
    """How sharply it was known at its last look."""
    in_flight: int = 0
    """Pots that have begun and are not finished."""
    had: int = 0
    """Pots that the store had when the job was made."""
    total: int = 0
    """Pots that it has now."""

    def __post_init__(self) -> None:
        self.had = self.total = sum(self.pots_by_cell.values())
        self._blocks: Iterator[Block] = iter(())

    @property
    def pots(self) -> int:
        """How many pots are missing; a short cell is played again from its start."""
        return sum(self.missing.values())

    @property
    def max_cells(self) -> int:
        """How many cells it has at most."""
        return -(-self.max_pots // CELL)

    @property
    def out_of_time(self) -> bool:
        """Whether its seconds are used up."""
        return self.max_seconds is not None and self.seconds >= self.max_seconds

    def advance(self, store: Store) -> None:
        """Go on to the next look that lacks cells, or find that nothing is to be played."""
        while not self.missing and self.stop is None:
            self.stop = self._reason_to_stop() if self.look else None
            if self.stop is None:
                self._begin_look(store)
        if self.missing and self.out_of_time:
            self.end_early()

    def _reason_to_stop(self) -> str | None:
        """Judge the precision at a look whose cells are all there."""
        if self.precision and self.prefix:
            status = stopping.precision_status(self.precision, self.scenario, self.prefix)
            self.precision_status = status
            if status.reached:
                return "precision"
        return "pots" if self.look >= self.max_cells else None

    def _begin_look(self, store: Store) -> None:
        first, self.look = self.look, self.max_cells
        if self.precision or self.max_seconds is not None:
            self.look = min(stopping.next_look(first), self.max_cells)
        wanted = {cell: min(CELL, self.max_pots - cell * CELL) for cell in range(first, self.look)}
        self.missing = {
            cell: pots for cell, pots in wanted.items() if self.pots_by_cell.get(cell, 0) < pots
        }
        self._blocks = self.blocks()
        if self.precision:
            self.prefix = self.prefix or Tally(self.scenario.shapes)
            for cell in store.cells(self.scenario, self.seed, wanted.keys() - self.missing.keys()):
                self.prefix += cell.tally

    def blocks(self) -> Iterator[Block]:
        """Yield the blocks of the missing cells, in order."""
        for cell, pots in sorted(self.missing.items()):
            for start in range(0, pots, BLOCK):
                yield Block(self.scenario, self.seed, cell * CELL + start, min(BLOCK, pots - start))

    def take(self, most: int) -> list[Block]:
        """Return the next blocks up to the look, at most so many, to be played now."""
        blocks = [] if self.out_of_time else list(islice(self._blocks, most))
        self.in_flight += sum(block.pots for block in blocks)
        return blocks

    def finish(self, cell: Cell, store: Store) -> None:
        """Note that a missing cell is played."""
        del self.missing[cell.number]
        self.keep(cell)
        if self.prefix is not None:
            self.prefix += cell.tally
        if not self.missing:
            self.advance(store)

    def keep(self, cell: Cell) -> None:
        """Note how many pots a cell has now."""
        self.total += cell.tally.pots - self.pots_by_cell.get(cell.number, 0)
        self.pots_by_cell[cell.number] = cell.tally.pots

    def end_early(self) -> None:
        """Stop because the seconds are used up."""
        self.missing, self.stop = {}, "seconds"

    def left(self) -> int | None:
        """Return about how many pots are still to be played; None before that can be known."""
        if self.stop:
            return 0
        if not self.precision:
            return max(self.pots, self.max_pots - self.total)
        status = self.precision_status
        if status is None or not status.wanted > 0:
            return None
        needed = min(status.pots * (status.half_width / status.wanted) ** 2, self.max_pots)
        return max(self.pots, round(needed) - self.total)

    def seconds_left(self, rate: float) -> float:
        """Return about how long it will play, at so many pots a second."""
        seconds = (self.left() or 0) / rate
        if self.max_seconds is None:
            return seconds
        return min(seconds, max(self.max_seconds - self.seconds, 0))

    def note(self, stop: str | None = None) -> Note:
        """Return what the store is to keep of how far this is; ``stop`` is why all stop."""
        target: dict[str, Any] = {"pots": self.max_pots, "max_seconds": self.max_seconds}
        target |= asdict(self.precision) if self.precision else {}
        target = {name: value for name, value in target.items() if value is not None}
        reached = self.precision_status if self.stop == "precision" else None
        pots = reached.pots if reached else self.total
        return Note(self.scenario, self.seed, target, self.seconds, self.stop or stop, pots)


def jobs(plan: Plan, store: Store) -> list[Job]:
    """Compare a plan with a store: a scenario goes on with its own seed unless the plan has one."""
    stopping.check(plan)
    drawn = secrets.randbits(32) if plan.seed is None else int(plan.seed)
    return [_job(plan, scenario, store, drawn) for scenario in plan.scenarios]


def _job(plan: Plan, scenario: Scenario, store: Store, drawn: int) -> Job:
    own = store.seed_of(scenario) if plan.seed is None else None
    seed = drawn if own is None else own
    pots_by_cell, note = store.pots(scenario, seed), store.note(scenario, seed)
    if plan.precision:
        _check_counts(store, scenario, seed, plan.precision.metric)
    job = Job(scenario, seed, plan.pots, plan.precision, plan.max_seconds, pots_by_cell)
    job.seconds = note.seconds if note else 0.0
    job.advance(store)
    return job


def _check_counts(store: Store, scenario: Scenario, seed: int, metric: str) -> None:
    """Refuse a target on what was not counted of all pots that a store holds."""
    lacking = store.lacking(scenario, seed)
    lacked = [name for name in METRICS[metric].counts if name in lacking]
    if lacked:
        raise InputError(
            f"{store.path} lacks the count {lacked[0]} of {lacking[lacked[0]]:,} pots of "
            f"{scenario}, so that {metric} cannot be a target: spadework recount {store.path} "
            "adds it"
        )


def execute(
    todo: list[Job],
    store: Store,
    threads: int | None = None,
    on_progress: OnProgress | None = None,
    engine: Engine | None = None,
) -> None:
    """Play what is missing and write it to the store; an interrupt keeps every finished cell.

    The caller holds the store's writer lock (``Store.writing``).
    """
    if all(job.stop for job in todo):
        store.add([], [job.note() for job in todo if job.had])
        return
    threads = check_threads(threads)
    play = engine or partial(on_threads, threads=threads)
    run = _Run(todo, store)
    made_with = run_provenance(todo, "dask" if engine else "threads", threads)
    with run.recorded(made_with), closing(play(run.take)) as results:
        for block, tally in results:
            run.add(block, tally)
            if on_progress and run.is_progress_due():
                on_progress(run.progress(block))


class _Run:
    """A run that goes on: blocks are given out, and cells put together of them and written."""

    def __init__(self, todo: list[Job], store: Store) -> None:
        self._store = store
        self._jobs = {(job.scenario.key, job.seed): job for job in todo}
        self._partial: dict[tuple[str, int, int], _PartialCell] = {}
        """By scenario, seed and number of the cell."""
        self._finished: list[Cell] = []
        """Cells that are to be written."""
        self._clock = Clock()
        self._committed = self._reported = time.monotonic()
        self._write_failed = False

    @contextmanager
    def recorded(self, made_with: dict[str, Any]) -> Iterator[None]:
        """Keep in the store what the run was made with, all that it finishes and how it ends."""
        began, stop = time.monotonic(), "failed"
        name = self._store.begin_run(datetime.now(UTC).isoformat(timespec="seconds"), made_with)
        try:
            yield
            stop = "finished"
        except KeyboardInterrupt:
            stop = "interrupted"
            raise
        finally:
            if not self._write_failed:
                self.commit(None if stop == "finished" else stop)
            totals = _totals(self._jobs.values(), self._store) if stop == "finished" else []
            self._store.end_run(name, time.monotonic() - began, stop, totals)

    def take(self, most: int) -> list[Block]:
        """Return blocks to begin now, of the first scenarios that have some to give."""
        blocks: list[Block] = []
        for job in self._jobs.values():
            blocks += job.take(most - len(blocks))
        return blocks

    def add(self, block: Block, tally: Tally) -> None:
        """Take a block in; write what is finished, if the last time is long enough ago."""
        job = self._jobs[block.scenario.key, block.seed]
        job.seconds += self._clock.lap()
        job.in_flight -= block.pots
        if block.first // CELL in job.missing:
            self._add_to_cell(job, block, tally)
        if job.out_of_time and not job.in_flight and not job.stop:
            self._end_early(job)
        if time.monotonic() - self._committed > COMMIT_SECONDS:
            self.commit()

    def _add_to_cell(self, job: Job, block: Block, tally: Tally) -> None:
        number = block.first // CELL
        key = (job.scenario.key, job.seed, number)
        partial_cell = self._partial.setdefault(key, _PartialCell(Tally(job.scenario.shapes)))
        if not partial_cell.add(block, tally):
            return
        self._clock.count(block.pots)
        if partial_cell.tally.pots == job.missing[number]:
            del self._partial[key]
            cell = Cell(job.scenario, job.seed, number, partial_cell.tally)
            self._finished.append(cell)
            job.finish(cell, self._store)

    def _end_early(self, job: Job) -> None:
        """Keep the started cell of a scenario that ran out of time: its blocks are a prefix."""
        for key in [key for key in self._partial if key[:2] == (job.scenario.key, job.seed)]:
            cell = Cell(job.scenario, job.seed, key[2], self._partial.pop(key).tally)
            if cell.tally.pots > job.pots_by_cell.get(cell.number, 0):
                job.keep(cell)
                self._finished.append(cell)
        job.end_early()

    def commit(self, stop: str | None = None) -> None:
        """Write the finished cells, and how far each scenario is; ``stop`` is why all stop."""
        notes = [job.note(stop) for job in self._jobs.values() if job.pots_by_cell]
        cells, self._finished = self._finished, []
        try:
            self._store.add(cells, notes)
        except BaseException as error:
            self._finished = cells + self._finished  # an interrupt may have come before the commit
            self._write_failed = isinstance(error, InputError)
            raise
        self._committed = time.monotonic()

    def is_progress_due(self) -> bool:
        """Whether it is time to say how far the run is."""
        now = time.monotonic()
        due = now - self._reported >= PROGRESS_SECONDS or all(
            job.stop for job in self._jobs.values()
        )
        self._reported = now if due else self._reported
        return due

    def progress(self, block: Block) -> Progress:
        """Say how far the run is after a block."""
        job = self._jobs[block.scenario.key, block.seed]
        played, rate, left = self._clock.pots, self._clock.rate(), self._pots_left()
        seconds_left = None
        if rate is not None and left is not None:
            seconds_left = sum(job.seconds_left(rate) for job in self._jobs.values())
        expected = None if left is None else played + left
        return Progress(played, expected, job.scenario, job.precision_status, rate, seconds_left)

    def _pots_left(self) -> int | None:
        """Return about how many pots are to be played; None before all scenarios can tell."""
        by_job = [job.left() for job in self._jobs.values()]
        known = [pots for pots in by_job if pots is not None]
        if len(known) < len(by_job):
            return None
        begun = sum(partial_cell.tally.pots for partial_cell in self._partial.values())
        return max(sum(known) - begun, 0)


@dataclass
class _PartialCell:
    """A cell that is being put together: a block that comes twice counts once."""

    tally: Tally
    firsts: set[int] = field(default_factory=set)
    """The first pot of each block that is in it."""

    def add(self, block: Block, tally: Tally) -> bool:
        """Add a block, unless it is there; return whether it was new."""
        if block.first in self.firsts:
            return False
        self.firsts.add(block.first)
        self.tally += tally
        return True


class Clock:
    """How many pots a run has played, and how fast: from its first block on.

    That one may have had to wait for a compiler.
    """

    def __init__(self) -> None:
        self.pots = 0
        self._first: tuple[float, int] | None = None
        """When the first block was finished, and its pots."""
        self._last = time.monotonic()

    def lap(self) -> float:
        """Return the seconds since the block before; nought up to the first block."""
        before, self._last = self._last, time.monotonic()
        return self._last - before if self._first else 0.0

    def count(self, pots: int) -> None:
        """Count the pots of a block."""
        self.pots += pots
        self._first = self._first or (time.monotonic(), pots)

    def rate(self) -> float | None:
        """Return pots played a second, once a second has told."""
        began, pots = self._first or (self._last, 0)
        seconds, later = self._last - began, self.pots - pots
        return later / seconds if seconds >= 1 and later > 0 else None


def _totals(todo: Iterable[Job], store: Store) -> list[dict[str, Any]]:
    """Return the totals that anyone can compute again from the cells, by their checksums."""
    totals = [(job, store.total(job.scenario, job.seed)) for job in todo]
    return [
        {
            "scenario": job.scenario.key, "seed": job.seed,
            "pots": total.pots, "checksum": checksum(total),
        }
        for job, total in totals
    ]  # fmt: skip


def check_threads(threads: int | None) -> int:
    """Return how many threads to play with: those asked for, or one for each processor."""
    if threads is None:
        usable = getattr(os, "sched_getaffinity", None)
        return len(usable(0)) if usable else os.cpu_count() or 1
    return whole_number(threads, "threads", 1, MAX_THREADS)
