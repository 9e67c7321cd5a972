"""A plan minus what the store already holds, played block by block and kept cell by cell."""

import os
import secrets
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Any, NamedTuple

from sim.arguments import whole_number
from sim.errors import InputError
from sim.runs.provenance import provenance
from sim.runs.store import Cell, Note, Store, checksum
from sim.runs.threads import Block, Results, Source, on_threads
from sim.scenario import Plan, Precision, Scenario
from sim.stats import stopping
from sim.stats.stopping import Standing
from sim.tally import Tally

BLOCK = 1 << 13
"""Pots in a block: some milliseconds of work for one thread."""
CELL = 8 * BLOCK
"""Pots in a cell of the store: the fixed grid in which results are kept."""
COMMIT_SECONDS = 1.0
"""Finished cells are written together, at least this far apart."""
MAX_THREADS = 1024
MOMENT_SECONDS = 0.1
"""How far a run is, is said at least this far apart."""


class Moment(NamedTuple):
    """How far a run is."""

    played: int
    """Pots played by this run."""
    expected: int | None
    """Pots that it will have played at its end; None before that can be known."""
    scenario: Scenario
    """What is being played."""
    standing: Standing | None
    """How sharply that was known at its last look, if it has a precision to reach."""
    rate: float | None
    """Pots played a second; None before that can be known."""
    seconds_left: float | None
    """About how long it will still take; None before that can be known."""


Progress = Callable[[Moment], None]
"""Called several times a second."""
Engine = Callable[[Source], Results]
"""Who plays the blocks."""


@dataclass
class Job:
    """One scenario of a plan under its seed: what it has, and what it lacks up to the next look."""

    scenario: Scenario
    seed: int
    most: int
    """Pots it is to have at most."""
    precision: Precision | None
    max_seconds: float | None
    have: dict[int, int]
    """Pots in each cell of the store, when the job was made."""
    seconds: float = 0.0
    """Seconds played, over all runs."""
    missing: dict[int, int] = field(default_factory=dict)
    """Pots wanted in each cell that has fewer, up to the look."""
    look: int = 0
    """Cells up to which it plays before it looks at its precision."""
    prefix: Tally | None = None
    """The sum of all finished cells before the look, if there is a precision to test."""
    standing: Standing | None = None
    stop: str | None = None
    """Why it is finished: precision, pots or seconds."""
    playing: int = 0
    """Pots that have begun and are not finished."""
    had: int = 0
    """Pots that the store had."""
    total: int = 0
    """Pots that it has now."""

    def __post_init__(self) -> None:
        self.had = self.total = sum(self.have.values())

    @property
    def pots(self) -> int:
        """How many pots are missing; a short cell is played again from its start."""
        return sum(self.missing.values())

    @property
    def cells(self) -> int:
        """How many cells it has at most."""
        return -(-self.most // CELL)

    def blocks(self) -> Iterator[Block]:
        """Yield the blocks of the missing cells, in order."""
        for cell, pots in sorted(self.missing.items()):
            for start in range(0, pots, BLOCK):
                yield Block(self.scenario, self.seed, cell * CELL + start, min(BLOCK, pots - start))

    def advance(self, store: Store) -> None:
        """Go on to the next look that lacks cells, or find that nothing is to be played."""
        while not self.missing and self.stop is None:
            if self.look:
                self._judge()
            if self.stop is None:
                self._next_look(store)
        if self.missing and self.out_of_time:
            self.missing, self.stop = {}, "seconds"

    @property
    def out_of_time(self) -> bool:
        """Whether its seconds are used up."""
        return self.max_seconds is not None and self.seconds >= self.max_seconds

    def _judge(self) -> None:
        if self.precision and self.prefix:
            self.standing = stopping.standing(self.precision, self.scenario, self.prefix)
            if self.standing.reached:
                self.stop = "precision"
                return
        if self.look >= self.cells:
            self.stop = "pots"

    def _next_look(self, store: Store) -> None:
        before, self.look = self.look, self.cells
        if self.precision or self.max_seconds is not None:
            self.look = min(stopping.next_look(before), self.cells)
        wanted = {cell: min(CELL, self.most - cell * CELL) for cell in range(before, self.look)}
        self.missing = {
            cell: pots for cell, pots in wanted.items() if self.have.get(cell, 0) < pots
        }
        if self.precision:
            self.prefix = self.prefix or Tally(self.scenario.shapes)
            present = wanted.keys() - self.missing.keys()
            for cell in store.cells(self.scenario, self.seed, present):
                self.prefix += cell.tally

    def finish(self, cell: Cell, store: Store) -> None:
        """Note that a missing cell is played."""
        del self.missing[cell.number]
        self.keep(cell.number, cell.tally.pots)
        if self.prefix is not None:
            self.prefix += cell.tally
        if not self.missing:
            self.advance(store)

    def keep(self, number: int, pots: int) -> None:
        """Note how many pots a cell has now."""
        self.total += pots - self.have.get(number, 0)
        self.have[number] = pots

    def left(self) -> int | None:
        """Return about how many pots are still to be played; None before that can be known."""
        if self.stop:
            return 0
        if not self.precision:
            return max(self.pots, self.most - self.total)
        if self.standing is None or not self.standing.wanted > 0:
            return None
        needed = self.standing.pots * (self.standing.half_width / self.standing.wanted) ** 2
        return max(self.pots, round(min(needed, self.most)) - self.total)

    def note(self, stop: str | None = None) -> Note:
        """Return what the store is to keep of how far this is."""
        target: dict[str, Any] = {"pots": self.most, "max_seconds": self.max_seconds}
        target |= asdict(self.precision) if self.precision else {}
        target = {name: value for name, value in target.items() if value is not None}
        reached = self.standing.pots if self.standing and self.stop == "precision" else None
        stop, pots = self.stop or stop, reached or self.total
        return Note(self.scenario, self.seed, target, self.seconds, stop, pots)


def jobs(plan: Plan, store: Store) -> list[Job]:
    """Compare a plan with a store: a scenario goes on with its own seed unless the plan has one."""
    stopping.check(plan)
    drawn = secrets.randbits(32) if plan.seed is None else int(plan.seed)
    found = []
    for scenario in plan.scenarios:
        own = store.seed_of(scenario) if plan.seed is None else None
        seed = drawn if own is None else own
        have, note = store.pots(scenario, seed), store.note(scenario, seed)
        job = Job(scenario, seed, plan.pots, plan.precision, plan.max_seconds, have)
        job.seconds = note.seconds if note else 0.0
        job.advance(store)
        found.append(job)
    return found


def execute(
    todo: list[Job],
    store: Store,
    threads: int | None = None,
    progress: Progress | None = None,
    engine: Engine | None = None,
) -> None:
    """Play what is missing and write it to the store; an interrupt keeps every finished cell.

    The caller holds the store's turn (``Store.writing``).
    """
    threads = check_threads(threads)
    play = engine or partial(on_threads, threads=threads)
    if all(job.stop for job in todo):
        store.add([], [job.note() for job in todo if job.have])
        return
    began = time.monotonic()
    made_with = provenance(todo, "threads" if engine is None else "dask", threads)
    run = store.begin_run(datetime.now(UTC).isoformat(timespec="seconds"), made_with)
    work = _Work(todo, store)
    stop = "failed"
    try:
        with closing(play(work.take)) as results:
            for block, tally in results:
                work.add(block, tally)
                if progress and work.is_due():
                    progress(work.moment(block))
        stop = "finished"
    except KeyboardInterrupt:
        stop = "interrupted"
        raise
    finally:
        work.close(stop)
        totals = _totals(todo, store) if stop == "finished" else []
        store.end_run(run, time.monotonic() - began, stop, totals)


def _totals(todo: Iterable[Job], store: Store) -> list[dict[str, Any]]:
    """Return the totals that anyone can compute again from the cells, by their checksums."""
    found = []
    for job in todo:
        total = store.total(job.scenario, job.seed)
        name = {"scenario": job.scenario.key, "seed": job.seed}
        found.append(name | {"pots": total.pots, "checksum": checksum(total)})
    return found


@dataclass
class _Part:
    """A cell that is being put together: a block that comes twice counts once."""

    tally: Tally
    blocks: set[int] = field(default_factory=set)


class _Work:
    """The blocks that are still to be given out, and the cells that come of them."""

    def __init__(self, todo: list[Job], store: Store) -> None:
        self._store = store
        self._jobs = {(job.scenario.key, job.seed): job for job in todo}
        self._given = {key: job.blocks() for key, job in self._jobs.items()}
        self._parts: dict[tuple[str, int, int], _Part] = {}
        self._finished: list[Cell] = []
        self._committed = self._last = self._told = time.monotonic()
        self._played = 0
        self._first: tuple[float, int] | None = None
        """When the first block was finished, and its pots."""
        self._broken = False

    def take(self, most: int) -> list[Block]:
        """Return blocks to begin now, of the first scenarios that have some to give."""
        taken: list[Block] = []
        for key, job in self._jobs.items():
            while len(taken) < most and not job.out_of_time:
                block = next(self._given[key], None)
                if block is None:
                    break
                job.playing += block.pots
                taken.append(block)
        return taken

    def add(self, block: Block, tally: Tally) -> None:
        """Take a block in; write what is finished, if the last time is long enough ago."""
        job = self._jobs[block.scenario.key, block.seed]
        self._count_time(job)
        job.playing -= block.pots
        number = block.first // CELL
        if job.missing.get(number, 0) > 0:
            self._put(job, number, block, tally)
        if job.out_of_time and not job.playing and not job.stop:
            self._end_early(job)
        if time.monotonic() - self._committed > COMMIT_SECONDS:
            self.commit()

    def _count_time(self, job: Job) -> None:
        now = time.monotonic()
        if self._first:  # the first block may have had to wait for a compiler
            job.seconds += now - self._last
        self._last = now

    def _put(self, job: Job, number: int, block: Block, tally: Tally) -> None:
        key = (job.scenario.key, job.seed, number)
        part = self._parts.setdefault(key, _Part(Tally(job.scenario.shapes)))
        if block.first in part.blocks:
            return
        part.blocks.add(block.first)
        part.tally += tally
        self._played += block.pots
        self._first = self._first or (time.monotonic(), block.pots)
        if part.tally.pots == job.missing[number]:
            self._finish(job, number)

    def _finish(self, job: Job, number: int) -> None:
        part = self._parts.pop((job.scenario.key, job.seed, number))
        cell = Cell(job.scenario, job.seed, number, part.tally)
        self._finished.append(cell)
        look = job.look
        job.finish(cell, self._store)
        if job.look != look:
            self._given[job.scenario.key, job.seed] = job.blocks()

    def _end_early(self, job: Job) -> None:
        """Keep the started cell of a scenario that ran out of time: its blocks are a prefix."""
        for key in [key for key in self._parts if key[:2] == (job.scenario.key, job.seed)]:
            part = self._parts.pop(key)
            if part.tally.pots > job.have.get(key[2], 0):
                job.keep(key[2], part.tally.pots)
                self._finished.append(Cell(job.scenario, job.seed, key[2], part.tally))
        job.missing, job.stop = {}, "seconds"

    def is_due(self) -> bool:
        """Whether it is time to say how far the run is."""
        now = time.monotonic()
        due = now - self._told >= MOMENT_SECONDS or all(job.stop for job in self._jobs.values())
        self._told = now if due else self._told
        return due

    def moment(self, block: Block) -> Moment:
        """Say how far the run is after a block."""
        known = [pots for job in self._jobs.values() if (pots := job.left()) is not None]
        expected = left = None
        rate = self._rate()
        if len(known) == len(self._jobs):
            begun = sum(part.tally.pots for part in self._parts.values())
            expected = self._played + max(sum(known) - begun, 0)
            left = rate and sum(_seconds_left(job, rate) for job in self._jobs.values())
        job = self._jobs[block.scenario.key, block.seed]
        return Moment(self._played, expected, block.scenario, job.standing, rate, left)

    def _rate(self) -> float | None:
        """Return pots played a second, once a second has told."""
        began, pots = self._first or (self._last, 0)
        seconds = self._last - began
        return (self._played - pots) / seconds if seconds >= 1 and self._played > pots else None

    def commit(self, stop: str | None = None) -> None:
        """Write the finished cells, and how far each scenario is."""
        notes = [job.note(stop) for job in self._jobs.values() if job.have]
        cells, self._finished = self._finished, []
        try:
            self._store.add(cells, notes)
        except BaseException as error:
            self._finished = cells + self._finished  # an interrupt may have come before the commit
            self._broken = isinstance(error, InputError)
            raise
        self._committed = time.monotonic()

    def close(self, stop: str) -> None:
        """Write what is finished at the end, unless writing is what failed."""
        if not self._broken:
            self.commit(None if stop == "finished" else stop)


def _seconds_left(job: Job, rate: float) -> float:
    left = (job.left() or 0) / rate
    return left if job.max_seconds is None else min(left, max(job.max_seconds - job.seconds, 0))


def check_threads(threads: int | None) -> int:
    """Return how many threads to play with: those asked for, or one for each processor."""
    if threads is None:
        usable = getattr(os, "sched_getaffinity", None)
        return len(usable(0)) if usable else os.cpu_count() or 1
    return whole_number(threads, "threads", 1, MAX_THREADS)
