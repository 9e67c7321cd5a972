"""Who plays the blocks: threads of this process."""

from collections.abc import Callable, Generator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim import hands
from sim.errors import InputError
from sim.kernels import play
from sim.kernels.betting import Minds, minds_of
from sim.kernels.log import Log, new_log
from sim.kernels.prospects import NO_PROSPECTS
from sim.kernels.staying import play_staying
from sim.prospects import prospects
from sim.scenario import Scenario
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
    scenario = block.scenario
    logged = log.rows.shape[0] > 0
    tables, rules = hands.tables(), rules_of(scenario)
    pots = hands.check_seed(block.seed), block.first, block.pots
    if scenario.stays and not logged and rules[0]["court_tells"]:
        largest = play_staying(tables, rules, tally.filled, *pots)
    else:
        thinking = minds(scenario) if logged or not scenario.stays else None
        largest = play.play_pots(
            tables, thinking, rules, play.new_table(), tally.filled, log, *pots
        )
    if largest > LARGEST_POT:
        raise InputError(
            f"a pot of {scenario} holds {largest:,} chips, and sums of squares have room for "
            f"{LARGEST_POT:,}: count the chips of the page in larger units"
        )


@lru_cache(maxsize=64)
def rules_of(scenario: Scenario) -> NDArray[np.void]:
    """Return a scenario's page as the kernels read it; nothing writes into it."""
    return play.rules_of(scenario.game, scenario.seats)


@lru_cache(maxsize=16)
def minds(scenario: Scenario) -> Minds:
    """Return what the players of a scenario think with."""
    game = scenario.game
    ahead = prospects(game.wild, game.flush_repeats) if scenario.bets else NO_PROSPECTS
    return minds_of(game, scenario.seats, ahead)


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
