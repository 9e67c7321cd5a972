"""Pots at a table at which one seat answers the others: played on threads, added up."""

import math
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim import hands
from sim.errors import InputError
from sim.kernels.betting import DecisionTables, decision_tables_of
from sim.kernels.learning import SUMS, play_and_replay
from sim.kernels.log import new_log
from sim.kernels.play import new_table
from sim.kernels.rows import new_deals, new_rows
from sim.kernels.rules import distinct, rules_of
from sim.policy import SHAPE, SITUATIONS, Policy
from sim.scenario import Scenario
from sim.strength import strength_table
from sim.tally import LARGEST_POT

BUCKETS = (*SITUATIONS, *SHAPE)
"""Players in, bets so far, street, value, price, beaten or not: where decisions are alike."""
BLOCK = 1024
"""Pots that a thread plays at a time."""


class Played(NamedTuple):
    """What became of pots: of the answering seat's, pot by pot, and by bucket."""

    nets: NDArray[np.int64]
    """Chips, (pots,)."""
    sums: NDArray[np.int64]
    """What decisions were worth, (*``BUCKETS``, ``SUMS``)."""
    plays: int
    """Pots and replays."""


class Seating:
    """A game and a table of opponents, of whom each in turn makes room for who answers them."""

    def __init__(self, scenario: Scenario, threads: int) -> None:
        self.scenario, self.threads = scenario, threads
        self.game, self.seats = scenario.game, scenario.seats
        self.strength = strength_table(self.game.wild, self.game.flush_repeats)

    def play(
        self, answer: Policy | None, seed: int, first: int, pots: int, most: int, explored: int = 0
    ) -> Played:
        """Play pots with each seat in turn answering, or (None) as they are; replay up to ``most``.

        The same for any number of threads. Raises ``InputError`` for a pot of too many chips.
        """
        pages, thinking = self._pages(answer)
        nets = np.zeros(pots, np.int64)
        blocks = iter(range(0, pots, BLOCK))
        key = hands.check_seed(seed)

        def work() -> tuple[NDArray[np.int64], int]:
            sums, plays = np.zeros((math.prod(BUCKETS), SUMS), np.int64), 0
            space = new_table(), new_rows(), new_deals(), new_log()
            for start in blocks:
                end = min(start + BLOCK, pots)
                more, too_large = play_and_replay(
                    hands.tables(), thinking, pages, *space, sums, nets[start:end],
                    key, first + start, end - start, most, explored,
                )  # fmt: skip
                plays += more
                if too_large:
                    raise self._too_large(too_large)
            return sums, plays

        with ThreadPoolExecutor(self.threads, thread_name_prefix="spadework") as pool:
            working = [pool.submit(work) for _ in range(self.threads)]
            try:
                parts = [future.result() for future in working]
            finally:
                for _ in blocks:  # whoever still plays finds nothing more to do
                    pass
        sums = sum(part[0] for part in parts)
        return Played(nets, np.reshape(sums, (*BUCKETS, SUMS)), sum(part[1] for part in parts))

    def _pages(self, answer: Policy | None) -> tuple[NDArray[np.void], DecisionTables]:
        """Return (players,) rules with each seat in turn answering, and what they decide by."""
        policies = self.seats if answer is None else (*self.seats, answer)
        pages = np.concatenate([rules_of(self.game, self.seats)] * len(self.seats))
        if answer is not None:
            pages["any_looks"] = True  # or nobody would see what else could have been done
            for seat, page in enumerate(pages):
                page["policies"][seat] = distinct(policies).index(answer)
                page["looks"][seat], page["blind"][seat] = True, answer.blind
        return pages, decision_tables_of(self.game, policies, self.strength)

    def _too_large(self, chips: int) -> InputError:
        return InputError(
            f"a pot of {self.scenario} holds {chips:,} chips, and there is room for "
            f"{LARGEST_POT:,}: count the chips of the page in larger units"
        )
