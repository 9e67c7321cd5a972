"""A plan minus what the store already holds, played block by block and kept cell by cell."""

import os
import platform
import secrets
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from sim.engines import Block, play_blocks
from sim.errors import InputError, whole_number
from sim.scenario import ENGINE, Plan, Scenario
from sim.store import Cell, Store
from sim.tally import Tally

BLOCK = 1 << 13
"""Pots in a block: some milliseconds of work for one thread."""
CELL = 8 * BLOCK
"""Pots in a cell of the store: the fixed grid in which results are kept."""
COMMIT_SECONDS = 1.0
"""Finished cells are written together, at least this far apart."""
MAX_THREADS = 1024

Progress = Callable[[int, int], None]
"""Called with (pots played, pots to play) of a run."""


@dataclass
class Job:
    """What is to be played of one scenario: pots it has, and cells that are missing or short."""

    scenario: Scenario
    seed: int
    had: int
    missing: dict[int, int]
    """Pots wanted in each cell that has fewer."""

    @property
    def pots(self) -> int:
        """How many pots will be played; a short cell is played again from its start."""
        return sum(self.missing.values())

    def blocks(self) -> Iterator[Block]:
        """Yield the blocks of the missing cells, in order."""
        for cell, pots in sorted(self.missing.items()):
            for start in range(0, pots, BLOCK):
                yield Block(self.scenario, self.seed, cell * CELL + start, min(BLOCK, pots - start))


def jobs(plan: Plan, store: Store) -> list[Job]:
    """Compare a plan with a store: a scenario goes on with its own seed unless the plan has one."""
    drawn = secrets.randbits(32) if plan.seed is None else int(plan.seed)
    found = []
    for scenario in plan.scenarios:
        own = store.seed_of(scenario) if plan.seed is None else None
        seed = drawn if own is None else own
        have = store.pots(scenario, seed)
        cells = range(-(-plan.pots // CELL))
        wanted = {cell: min(CELL, plan.pots - cell * CELL) for cell in cells}
        missing = {cell: pots for cell, pots in wanted.items() if have.get(cell, 0) < pots}
        found.append(Job(scenario, seed, sum(have.values()), missing))
    return found


def execute(
    todo: list[Job], store: Store, threads: int | None = None, progress: Progress | None = None
) -> None:
    """Play what is missing and write it to the store; an interrupt keeps every finished cell."""
    threads = check_threads(threads)
    total = sum(job.pots for job in todo)
    if not total:
        return
    began = time.monotonic()
    run = store.begin_run(datetime.now(UTC).isoformat(timespec="seconds"), provenance(threads))
    cells = _Cells(store, {(job.scenario.key, job.seed): job for job in todo})
    played = 0
    blocks = (block for job in todo for block in job.blocks())
    try:
        for block, tally in play_blocks(blocks, threads):
            cells.add(block, tally)
            played += block.pots
            if progress:
                progress(played, total)
    finally:
        cells.commit()
        store.end_run(run, time.monotonic() - began)


class _Cells:
    """Cells that are being put together from blocks, and finished ones that wait for a commit."""

    def __init__(self, store: Store, by_key: dict[tuple[str, int], Job]) -> None:
        self._store = store
        self._jobs = by_key
        self._parts: dict[tuple[str, int, int], Tally] = {}
        self._finished: list[Cell] = []
        self._committed = time.monotonic()

    def add(self, block: Block, tally: Tally) -> None:
        number = block.first // CELL
        key = (block.scenario.key, block.seed, number)
        part = self._parts.setdefault(key, Tally(block.scenario.shapes))
        part += tally
        if part.pots == self._jobs[key[:2]].missing[number]:
            self._finished.append(Cell(block.scenario, block.seed, number, self._parts.pop(key)))
        if time.monotonic() - self._committed > COMMIT_SECONDS:
            self.commit()

    def commit(self) -> None:
        if self._finished:
            self._store.add(self._finished)
            self._finished = []
        self._committed = time.monotonic()


def check_threads(threads: int | None) -> int:
    """Return how many threads to play with: those asked for, or one for each processor."""
    if threads is None:
        usable = getattr(os, "sched_getaffinity", None)
        return len(usable(0)) if usable else os.cpu_count() or 1
    threads = whole_number(threads, "threads")
    if not 1 <= threads <= MAX_THREADS:
        raise InputError(f"{threads} threads will not do: ask for 1 to {MAX_THREADS}")
    return threads


def provenance(threads: int) -> dict[str, Any]:
    """Say what a run was made with."""
    packages = ("spadework", "numpy", "numba", "pandas", "scipy")
    return {
        "engine": ENGINE,
        "python": platform.python_version(),
        **{name: version(name) for name in packages},
        "machine": platform.machine(),
        "system": platform.system(),
        "threads": threads,
    }
