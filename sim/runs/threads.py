"""Who plays the blocks: threads of this process."""

from collections.abc import Callable, Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import lru_cache
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim import hands
from sim.errors import InputError
from sim.game import MAX_PLAYERS, Game
from sim.kernels import counting, rules
from sim.kernels.betting import DecisionTables, decision_tables_of
from sim.kernels.fast import play_all_call
from sim.kernels.log import Log, new_log
from sim.kernels.play import new_table, play_pots
from sim.kernels.rows import (
    BATCH,
    DEAL,
    NEVER,
    NOBODY,
    ROWS,
    SEAT_COLUMNS,
    new_deals,
    new_rows,
)
from sim.kernels.strength import NO_STRENGTH_TABLE
from sim.policy import Policy
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
    """Play a block, adding to a tally and writing events into a log, if that has capacity."""
    play = _player(block.scenario, block.seed, tally, log, new_deals())
    play(new_rows(), block.first, block.pots)


Play = Callable[[NDArray[np.void], int, int], None]
"""Plays into batches, from a first pot on so many pots."""


def _player(scenario: Scenario, seed: int, tally: Tally, log: Log, deals: NDArray[np.void]) -> Play:
    """Return what plays pots of a scenario under a seed; it refuses pots of too many chips."""
    play, checked = _kernel(scenario, tally, log, deals), hands.check_seed(seed)

    def play_all(batches: NDArray[np.void], first: int, pots: int) -> None:
        too_large = play(batches, checked, first, pots)
        if too_large:
            raise InputError(
                f"a pot of {scenario} holds {too_large:,} chips, and sums of squares have room "
                f"for {LARGEST_POT:,}: count the chips of the page in larger units"
            )

    return play_all


def _kernel(
    scenario: Scenario, tally: Tally, log: Log, deals: NDArray[np.void]
) -> Callable[..., int]:
    logged = log.rows.shape[0] > 0
    tables, page = hands.tables(), rules_of(scenario)
    workspace, filled = counting.new_workspace(tables.categories), tally.filled
    if scenario.stays and not logged and page[0]["court_tells"]:
        return lambda batches, *pots: play_all_call(
            tables, page, batches, deals, workspace, filled, *pots
        )
    thinking = decision_tables(scenario) if logged or not scenario.stays else None
    table = new_table()
    return lambda batches, *pots: int(
        play_pots(tables, thinking, page, table, batches, deals, workspace, filled, log, *pots)
    )


def rows(
    scenario: Scenario, seed: int, first: int, pots: int, by: Literal["pot", "deal"] = "pot"
) -> dict[str, NDArray[Any]]:
    """Play pots number ``first`` to ``first + pots - 1`` and return what became of each, by name.

    These are the very pots that ``play_into`` counts. Chips are whole numbers; streets are 0, 1, …
    4 for third to seventh, 255 for none; seats are 1, 2, …, the dealer last, 0 for nobody; an up
    card is told by its number among a deal's, from 1 on, 0 for none.

    ``by="pot"``, arrays of (pots,): ``pot`` int64; ``deals`` uint16; ``cards`` dealt, ``dealt_in``
    (players, over all deals), ``turns`` taken and ``carried`` (chips there before the antes of the
    last deal) int32; ``ending`` uint8, 0 at a showdown, 1 abandoned, 2 one left; ``opener`` uint8,
    seat of the last deal's third street; ``best`` int16, strength of the best hand shown, 0 if none
    is; ``holders`` int16, how many show it.

    Of (pots, players): ``paid``, ``won`` and ``tolls`` int32 chips, tolls being a part of what is
    paid; ``toll_cards`` paid for, uint16; ``strength`` int16 of a hand shown, or 0; ``folded`` and
    ``out`` uint8, the street on which a seat folded, or a killer put it out, in the last deal that
    it was in; ``out_card`` uint8, which up card did. Of (pots, 5), by street: ``bets`` and raises
    int32, betting ``rounds`` and ``folds`` uint16. Of (pots, 7), by band of price: ``asked``, turns
    of players who look, int32, and ``price_folds`` uint16.

    ``by="deal"``, arrays of (deals,): ``pot`` int64; ``deal`` int32, its number, from 0; uint8
    ``players`` dealt in, ``cards``, ``ending`` (0 showdown, 1 killed, 2 one left), ``killer_card``,
    ``killer_street`` and ``killer_seat`` of what killed it (4 and 0 for the community card);
    ``tolls`` int32 chips; and (deals, 5) ``toll_payers`` uint8, players by number of tolls paid,
    where the page has tolls.
    Raises ``InputError`` for a pot of too many chips.
    """
    read = {"pot": _pot_rows, "deal": _deal_rows}[by]
    parts: list[dict[str, NDArray[Any]]] = []
    done = 0
    while done < pots or not parts:
        some = min(pots - done, KEPT * BATCH)
        batches, deals = new_rows(KEPT), new_deals(KEPT_DEALS)
        play = _player(scenario, seed, Tally(scenario.shapes), new_log(), deals)
        play(batches, first + done, some)
        parts.append(read(scenario.players, first + done, batches, deals))
        done += int(batches["count"].sum())
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


KEPT, KEPT_DEALS = 256, 1 << 16
"""Batches, and deals, of which rows are kept at a time."""
GAP, ALL_CALL_GAP = 10, 64
"""Pots left out that are played along: a call takes about as long."""


Listed = Callable[[NDArray[np.int64], Iterable[str]], dict[str, NDArray[Any]]]
"""Plays pots of these numbers; returns columns of ``ROWS``, by name."""


def listed(scenario: Scenario, seed: int) -> Listed:
    """Return what plays pots of any numbers, which grow, for one thread.

    The columns are (pots,) or (pots, players), as ``rows`` describes them.
    """
    deals = new_deals(KEPT_DEALS)
    play = _player(scenario, seed, Tally(scenario.shapes), new_log(), deals)
    gap = ALL_CALL_GAP if scenario.stays else GAP

    def play_listed(numbers: NDArray[np.int64], names: Iterable[str]) -> dict[str, NDArray[Any]]:
        batches, starts = _kept(play, numbers, gap)
        batch = np.searchsorted(starts, numbers, side="right") - 1
        lane = numbers - starts[batch]
        return {
            name: batches[name][batch, : scenario.players, lane]
            if name in SEAT_COLUMNS
            else batches[name][batch, lane]
            for name in names
        }

    return play_listed


def _kept(
    play: Play, numbers: NDArray[np.int64], gap: int
) -> tuple[NDArray[np.void], NDArray[np.int64]]:
    """Play pots and some between them; return batches, and the number of each one's first pot."""
    breaks = np.flatnonzero(np.diff(numbers) > gap) + 1
    firsts = numbers[np.append(0, breaks)].tolist()
    ends = (numbers[np.append(breaks, len(numbers)) - 1] + 1).tolist()
    runs = list(zip(firsts, ends, strict=True))
    batches = new_rows(sum(1 - (first - end) // BATCH for first, end in runs))
    starts: list[int] = []
    for first, end in runs:
        while first < end:  # again, where there are too many deals to be kept
            used, most = len(starts), 1 - (first - end) // BATCH  # one more, or none is kept
            if used + most > len(batches):
                batches = np.concatenate([batches, new_rows(most)])
            part = batches[used : used + most]
            play(part, first, end - first)
            for count in filter(None, part["count"].tolist()):
                starts.append(first)
                first += count
    return batches, np.array(starts)


def _by_pot(batches: NDArray[np.void], name: str) -> NDArray[Any]:
    """Return a column, pots first."""
    used = np.arange(BATCH) < batches["count"][:, np.newaxis]
    return np.moveaxis(batches[name], -1, 1)[used]


def _pot_rows(
    players: int, first: int, batches: NDArray[np.void], _deals: NDArray[np.void]
) -> dict[str, NDArray[Any]]:
    """Return columns of pots that were kept."""
    columns = {
        name: _by_pot(batches, name) for name in ROWS.names or () if name not in ("weight", "count")
    }
    for name in SEAT_COLUMNS:
        columns[name] = columns[name][:, :players]
    gone, out = columns.pop("exit_street"), columns["out_card"] > 0
    opener = columns["opener"]
    return columns | {
        "pot": first + np.arange(len(gone)),
        "opener": np.where(opener == NOBODY, 0, opener + 1).astype(np.uint8),
        "folded": np.where(out, NEVER, gone).astype(np.uint8),
        "out": np.where(out, gone, NEVER).astype(np.uint8),
    }


def _deal_rows(
    _players: int, first: int, batches: NDArray[np.void], deals: NDArray[np.void]
) -> dict[str, NDArray[Any]]:
    """Return columns of the deals of pots that were kept."""
    numbers = _by_pot(batches, "deals").astype(np.int64)
    dealt = deals[: numbers.sum()]
    columns = {name: dealt[name].copy() for name in DEAL.names or ()}
    killed, community = dealt["killer_card"] > 0, dealt["killer_seat"] == MAX_PLAYERS
    seat = np.where(killed & ~community, dealt["killer_seat"] + 1, 0)
    begin = np.repeat(np.cumsum(numbers) - numbers, numbers)
    return columns | {
        "pot": first + np.repeat(np.arange(len(numbers)), numbers),
        "deal": (np.arange(len(dealt)) - begin).astype(np.int32),
        "killer_street": np.where(killed, dealt["killer_street"], NEVER).astype(np.uint8),
        "killer_seat": seat.astype(np.uint8),
    }


@lru_cache(maxsize=64)
def rules_of(scenario: Scenario) -> NDArray[np.void]:
    """Return a scenario's page as the kernels read it; nothing writes into it."""
    return rules.rules_of(scenario.game, scenario.seats)


def decision_tables(scenario: Scenario) -> DecisionTables:
    """Return what the players of a scenario decide by."""
    return _decision_tables(scenario.game, tuple(rules.distinct(scenario.seats)))


@lru_cache(maxsize=16)
def _decision_tables(game: Game, policies: tuple[Policy, ...]) -> DecisionTables:
    """Return the same for policies in the order of the seats, each once."""
    looks = any(policy.looks for policy in policies)
    strength = strength_table(game.wild, game.flush_repeats) if looks else NO_STRENGTH_TABLE
    return decision_tables_of(game, policies, strength)


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
