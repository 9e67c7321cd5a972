"""Who plays the blocks: threads of this process."""

from collections.abc import Callable, Generator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim import hands
from sim.errors import InputError
from sim.kernels import counting, rules
from sim.kernels.betting import DecisionTables, decision_tables_of
from sim.kernels.fast import play_all_call
from sim.kernels.log import Log, new_log
from sim.kernels.play import new_table, play_pots
from sim.kernels.rows import new_deals, new_rows
from sim.kernels.strength import NO_STRENGTH_TABLE
from sim.scenario import Scenario
from sim.strength import strength_table
from sim.tally import LARGEST_POT, Tally


class Block(NamedTuple):
    """A run of pots of one scenario under one seed."""

    scenario: Scenario
    seed: int
    first: int
    pots: int


Source = Callable[[int], list[Block]]
"""Gives at most so many blocks to begin now: none while what is next depends on what is playing."""
Results = Generator[tuple[Block, Tally]]
"""Blocks with their tallies, as they are finished."""


def play_block(block: Block) -> Tally:
    """Play a block; its tally depends on nothing but the block."""
    tally = Tally(block.scenario.shapes)
    play_into(tally, new_log(), block)
    return tally


def play_into(tally: Tally, log: Log, block: Block) -> None:
    """Play a block, adding to a tally and writing events into a log, if that has room."""
    too_large = _play(tally, log, block, new_rows(), new_deals())
    if too_large:
        raise InputError(
            f"a pot of {block.scenario} holds {too_large:,} chips, and sums of squares have room "
            f"for {LARGEST_POT:,}: count the chips of the page in larger units"
        )


def _play(
    tally: Tally, log: Log, block: Block, batches: NDArray[np.void], deals: NDArray[np.void]
) -> int:
    scenario = block.scenario
    logged = log.rows.shape[0] > 0
    tables, page = hands.tables(), rules_of(scenario)
    rows = batches, deals, counting.new_workspace(tables.categories), tally.filled
    pots = hands.check_seed(block.seed), block.first, block.pots
    if scenario.stays and not logged and page[0]["court_tells"]:
        return play_all_call(tables, page, *rows, *pots)
    thinking = decision_tables(scenario) if logged or not scenario.stays else None
    batches, deals, workspace, filled = rows
    return int(
        play_pots(
            tables, thinking, page, new_table(), batches, deals, workspace, filled, log, *pots
        )
    )


@lru_cache(maxsize=64)
def rules_of(scenario: Scenario) -> NDArray[np.void]:
    """Return a scenario's page as the kernels read it; nothing writes into it."""
    return rules.rules_of(scenario.game, scenario.seats)


@lru_cache(maxsize=16)
def decision_tables(scenario: Scenario) -> DecisionTables:
    """Return what the players of a scenario decide by."""
    game = scenario.game
    strength = (
        strength_table(game.wild, game.flush_repeats) if scenario.bets else NO_STRENGTH_TABLE
    )
    return decision_tables_of(game, scenario.seats, strength)


def on_threads(source: Source, threads: int) -> Results:
    """Play what a source gives on threads of this process; a few blocks wait at any time, not all.

    When the caller stops early (an interrupt, say), blocks that have not begun are dropped.
    """
    pool = ThreadPoolExecutor(threads, thread_name_prefix="spadework")
    playing: dict[Future[Tally], Block] = {}
    try:
        while True:
            for block in source(2 * threads - len(playing)):
                playing[pool.submit(play_block, block)] = block
            if not playing:
                return
            done, _ = wait(playing, return_when=FIRST_COMPLETED)
            for future in done:
                yield playing.pop(future), future.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
