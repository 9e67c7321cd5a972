"""What is calculated of an evening beside playing it: a sum of nets, and a Markov chain of stacks.

With a fixed number of pots, and all buying in again, play ignores stacks: what a player wins in a
pot depends on nothing but where he sits from the dealer. So his result is a sum of independent
nets, whose law is a convolution, and his stack is a Markov chain. The laws of nets are those of
other pots, whose error the values carry. Nothing is said of several players together, whose nets
depend on each other.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import fft

from sim.evenings.play import Terms
from sim.rows import in_order
from sim.runs import threads as runner
from sim.runs.run import BLOCK
from sim.scenario import Scenario

Chances = NDArray[np.float64]
Counts = NDArray[np.int64]
Chips = NDArray[np.int32]
OTHER_POTS = 1 << 16
"""Pots that the laws of nets, and the threshold, are taken from."""
SHORT = 0.95
"""Who could not pay for this share of what players put into a pot has run short."""
FAR = 8
"""Standard deviations of a result; from further above nobody falls below the threshold."""
MOST_POTS = 100
"""Pots of an evening that is calculated."""


class Others(NamedTuple):
    """What players put in and won in pots of no evening: (tables, pots, seats), chips."""

    paid: Chips
    won: Chips


class Laws(NamedTuple):
    """Chances of nets."""

    chances: Chances
    """(laws, amounts)"""
    least: int
    """Chips of the first amount, 0 at the most; each further one is a chip more."""


def seatings(terms: Terms) -> list[Scenario]:
    """Return the table with each player as the dealer; one table, if all play alike."""
    if len(terms.kinds) == 1:
        return [Scenario(terms.game, terms.players, terms.policies[:1])]
    turned = (np.roll(np.arange(terms.players), -dealer - 1) for dealer in range(terms.players))
    return [
        Scenario(terms.game, terms.players, tuple(terms.policies[player] for player in seats))
        for seats in turned
    ]


def play_others(terms: Terms, seed: int, threads: int) -> Others:
    """Play the pots from which laws and threshold are taken: the first that a run plays."""
    tables = seatings(terms)
    pots = OTHER_POTS // len(tables)

    blocks = [(first, min(BLOCK, pots - first)) for first in range(0, pots, BLOCK)]
    calls = (partial(_chips, table, seed, *block) for table in tables for block in blocks)
    parts = list(in_order(calls, threads))
    return Others(
        *(
            np.concatenate(column).reshape(len(tables), pots, -1)
            for column in zip(*parts, strict=True)
        )
    )


def _chips(scenario: Scenario, seed: int, first: int, pots: int) -> tuple[Chips, Chips]:
    rows = runner.rows(scenario, seed, first, pots)
    return rows["paid"], rows["won"]


def threshold(others: Others) -> int:
    """Return the chips that cover what a player puts into a pot, 95 times in a hundred."""
    paid = np.sort(others.paid, axis=None)
    return int(paid[int(np.ceil(SHORT * len(paid))) - 1])


def laws_of(others: Others) -> Laws:
    """Return the law of what each seat wins in a pot, table after table."""
    nets = (others.won - others.paid).swapaxes(1, 2).reshape(-1, others.won.shape[1])
    least, most = min(int(nets.min()), 0), int(nets.max())
    counts = [np.bincount(net - least, minlength=most - least + 1) for net in nets]
    return Laws(np.array(counts) / nets.shape[1], least)


def courses(terms: Terms) -> tuple[Counts, Counts]:
    """Return which law a player's net of each pot has, (courses, pots), and his number, (courses,).

    There is a course for each player and each first dealer who may be drawn.
    """
    players, pots = terms.players, np.arange(terms.limit)
    dealers = range(players) if terms.dealer is None else [terms.dealer]
    player, first = (each.ravel() for each in np.meshgrid(range(players), dealers, indexing="ij"))
    dealer = (first[:, np.newaxis] + pots) % players
    seat = (player[:, np.newaxis] - dealer - 1) % players
    return (seat if len(terms.kinds) == 1 else dealer * players + seat), player


class Calculation:
    """The values of players whose nets have these laws, each along a course."""

    def __init__(self, laws: Laws, course: Counts) -> None:
        self.laws, self.course = laws, course
        """(courses, pots): the number of the law of each net."""
        amounts = laws.least + np.arange(laws.chances.shape[1])
        means, squares = laws.chances @ amounts, laws.chances @ amounts**2
        spread = float((squares - means**2)[self.course].sum(axis=1).max()) ** 0.5
        drop = float(np.maximum(-means[self.course], 0).sum(axis=1).max())
        fallen = -min(laws.least, 0) * self.course.shape[1]
        self.far = int(min(FAR * spread + drop, fallen)) + 1
        self.survival = lru_cache(maxsize=None)(self._survival)

    def results(self) -> tuple[Chances, int]:
        """Return the law of the sum of nets, (courses, amounts), and its first amount."""
        pots = self.course.shape[1]
        width = pots * (self.laws.chances.shape[1] - 1) + 1
        size = fft.next_fast_len(width, real=True)
        spectra = fft.rfft(self.laws.chances, size)
        often = np.array([np.bincount(row, minlength=len(spectra)) for row in self.course])
        sums = [np.prod(spectra ** number[:, np.newaxis], axis=0) for number in often]
        chances = fft.irfft(np.array(sums), size)[:, :width]
        return chances.clip(0), pots * self.laws.least

    def _survival(self, chips: int) -> float:
        """Return the chance that a player is never down by more than so many chips."""
        return float(self.never_below(chips).mean())

    def never_below(self, chips: int) -> Chances:
        """Return the chance of that, (courses,): a chain on what he has left of them."""
        alive = np.zeros((len(self.course), chips + self.far + 1))
        alive[:, chips] = 1
        for step in self._steps(alive.shape[1]):
            alive = self._capped(step(alive), alive.shape[1])
        return np.asarray(alive.sum(axis=1))

    def bought(self, buy_in: int, below: int) -> Chances:
        """Return how many buy-ins a player needs on average, (courses,): a chain on his stack."""
        stacks = np.zeros((len(self.course), buy_in + self.far + 1))
        stacks[:, buy_in - below] = 1  # chips above the threshold
        bought = np.ones(len(self.course))
        for step in self._steps(stacks.shape[1]):
            moved = step(stacks)
            stacks = self._capped(moved, stacks.shape[1])
            for lack in range(1, min(-self.laws.least, moved.shape[1]) + 1):
                short, needed = moved[:, -self.laws.least - lack], -(-lack // buy_in)
                bought += needed * short
                stacks[:, needed * buy_in - lack] += short
        return bought

    def _steps(self, size: int) -> Iterator[Callable[[Chances], Chances]]:
        """Yield for each pot what adds its net to so many states: from ``least`` on."""
        width = size + self.laws.chances.shape[1] - 1
        length = fft.next_fast_len(width, real=True)
        spectra = fft.rfft(self.laws.chances, length)

        def add(law: Chances, states: Chances) -> Chances:
            moved: Chances = fft.irfft(fft.rfft(states, length) * law, length)[:, :width]
            return moved.clip(0)

        for pot in range(self.course.shape[1]):
            yield partial(add, spectra[self.course[:, pot]])

    def _capped(self, moved: Chances, size: int) -> Chances:
        """Leave out what fell below 0, and keep at the top what rose beyond it."""
        kept: Chances = moved[:, -self.laws.least :][:, :size].copy()
        kept[:, -1] += moved[:, size - self.laws.least :].sum(axis=1)
        return kept

    def chips_lasting(self, share: float) -> int:
        """Return the least chips by which so many players are never down by more."""
        low, high = -1, self.far
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.survival(middle) >= share else (middle, high)
        return high
