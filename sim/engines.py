"""Who plays the blocks: threads of this process."""

from collections.abc import Callable, Generator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import NamedTuple

from sim import hands
from sim.kernels import play
from sim.scenario import Scenario
from sim.tally import Tally


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
    play_into(tally, play.new_log(), block)
    return tally


def play_into(tally: Tally, log: play.Log, block: Block) -> None:
    """Play a block, adding to a tally and writing events into a log, if that has room."""
    play.play_pots(
        hands.tables(),
        play.rules_of(block.scenario.game, block.scenario.players),
        play.new_table(),
        tally.filled,
        log,
        hands.check_seed(block.seed),
        block.first,
        block.pots,
    )


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
