"""Counts that a store lacks, made of its own pots: they are played again, and must be the same."""

from collections.abc import Iterator
from contextlib import closing
from itertools import islice

from sim.errors import InputError, Interrupted
from sim.runs.run import CELL, Clock, OnProgress, Progress, check_threads
from sim.runs.store import Cell, Store, differing
from sim.runs.threads import Block, on_threads
from sim.scenario import Scenario
from sim.tally import Tally


def lacking_cells(store: Store) -> list[Block]:
    """Return the cells of a store that lack counts, each as one block."""
    return [block for scenario, seed in store.parts() for block in _lacking(store, scenario, seed)]


def _lacking(store: Store, scenario: Scenario, seed: int) -> Iterator[Block]:
    if store.lacking(scenario, seed):
        whole = store.pots(scenario, seed, scenario.shapes)
        for number, pots in sorted(store.pots(scenario, seed).items()):
            if number not in whole:
                yield Block(scenario, seed, number * CELL, pots)


def recount(
    store: Store,
    cells: list[Block],
    threads: int | None = None,
    on_progress: OnProgress | None = None,
) -> None:
    """Play cells that lack counts again and add what they lack, a transaction a cell.

    Who begins again goes on. The caller holds the store's writer lock. Raises ``InputError`` where
    a cell played again does not have the counts that it has.
    """
    waiting, clock, done = iter(cells), Clock(), 0
    playing = on_threads(lambda most: list(islice(waiting, max(most, 0))), check_threads(threads))
    try:
        with closing(playing) as results:
            for block, tally in results:
                _add(store, block, tally)
                clock.lap()
                clock.count(block.pots)
                done += 1
                if on_progress:
                    on_progress(_progress(clock, block.scenario, cells))
    except KeyboardInterrupt:
        raise Interrupted(
            f"{done:,} of {len(cells):,} cells are counted again and kept in {store.path}; the "
            "same command goes on from there."
        ) from None


def _progress(clock: Clock, scenario: Scenario, cells: list[Block]) -> Progress:
    pots, rate = sum(block.pots for block in cells), clock.rate()
    left = pots - clock.pots
    seconds_left = left / rate if rate else None if left else 0
    return Progress(clock.pots, pots, scenario, None, rate, seconds_left)


def _add(store: Store, block: Block, tally: Tally) -> None:
    """Add what a cell lacks, if all that it has is the same."""
    scenario, seed, number = block.scenario, block.seed, block.first // CELL
    held = next(store.cells(scenario, seed, [number])).tally
    wrong = differing(held, tally)
    if wrong:
        raise InputError(
            f"cell {number} of {scenario}, seed {seed}, has another {wrong[0]} when it is played "
            f"again: a faulty machine made it, or another version played it, and {store.path} "
            "stays as it is from there on; play those pots into a new store"
        )
    store.add([Cell(scenario, seed, number, tally)])
