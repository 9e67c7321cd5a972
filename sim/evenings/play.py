"""Evenings, played pot by pot: what the players of each win, how deep they fall, what they buy.

Many evenings advance together, so that kernels get many pots at once.
Pot j of the i-th evening with a first dealer has a number of its own beyond those of runs, so that
nothing depends on which evenings are played together, or on how many threads.

The state of an evening at a mark, so many hours or pots, is that after all pots begun before it: an
evening of so many hours ends in it. While all buy in again, play ignores stacks, and the lowest
points of one simulation serve every buy-in.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim import hands
from sim.errors import InputError
from sim.game import MAX_PLAYERS, Game
from sim.policy import Policy
from sim.rows import in_order
from sim.runs.threads import Listed, listed
from sim.scenario import MOST_POTS, Scenario

Numbers = NDArray[np.int64]
TOGETHER, APART = 1024, 128
"""Evenings that advance together at most, and at least where that keeps threads busy."""
MOST_PLAYED = 5_000
"""Pots of an evening."""
SURE = 100
"""Pots after which an evening that would take twice as many is given up."""
MARKS = 12
"""Moments of an evening at which its state is kept, at most; the last is its end."""
NEVER = -1
"""When nobody ran short."""
A_DEALER = 1 << 32
"""From the pots of evenings with one first dealer to those with the next, by number."""
A_POT = MAX_PLAYERS * A_DEALER
"""From one pot of an evening to the next."""
MARKED = ("result", "lowest", "bought")
"""What is kept at marks."""
COLUMNS = ("paid", "won", "deals", "cards", "turns")
"""What is read of a pot."""


@dataclass(frozen=True)
class Terms:
    """What an evening is: who plays what, until when, and for what money."""

    game: Game
    policies: tuple[Policy, ...]
    """Of each player, round the circle to the left."""
    limit: int
    """Pots, or milliseconds."""
    timed: bool
    """Whether the limit is one of time."""
    pace: tuple[int, int, int]
    """Milliseconds of a shuffle, a card and a turn."""
    buy_in: int
    rebuy_below: int
    """Chips below which a player has run short."""
    buy_ins: int | None = None
    """That a player may buy, the first one too; None: as many as he needs."""
    dealer: int | None = None
    """The player who deals first, from 0; None: he is drawn."""

    @property
    def players(self) -> int:
        """How many sit down."""
        return len(self.policies)

    @cached_property
    def marks(self) -> Numbers:
        """The moments at which the state is kept: pots, or milliseconds; the last is the limit."""
        number = min(MARKS, self.limit)
        return -(-self.limit * np.arange(1, number + 1) // number)

    @cached_property
    def kinds(self) -> list[Policy]:
        """The policies, each once."""
        return list(dict.fromkeys(self.policies))

    def bought(self, lowest: Numbers, buy_in: int | None = None) -> Numbers:
        """Return the buy-ins of players whose lowest point was so far below their start.

        They buy in again until they have no less than the threshold.
        """
        chips = buy_in or self.buy_in
        return np.maximum(-((lowest - self.rebuy_below) // chips), 1)


class Played(NamedTuple):
    """What became of evenings, whole chips; a mark is a moment of ``Terms.marks``."""

    result: Numbers
    """(marks, evenings, players): chips won less chips put in, so far."""
    lowest: Numbers
    """(marks, evenings, players): the least of that after any pot so far, 0 at the most."""
    bought: Numbers
    """(marks, evenings, players): buy-ins so far, the first one too."""
    there: NDArray[np.bool_]
    """(evenings, players): who is there at the end."""
    short: NDArray[np.bool_]
    """(evenings, players): who was ever below the threshold."""
    pots: Numbers
    """(evenings,)"""
    time: Numbers
    """(evenings,): milliseconds."""
    first_short: Numbers
    """(evenings,): milliseconds until somebody was below the threshold, or ``NEVER``."""
    shortfalls: Numbers
    """(evenings,): how often a player put more into a pot than he had."""
    credit: Numbers
    """(evenings,): chips of the largest of these."""


def play_evenings(terms: Terms, evenings: int, seed: int, threads: int) -> Played:
    """Play evenings; the same for any number of threads, and the first of more are the same."""
    dealers = _first_dealers(terms, evenings, seed)
    order = np.argsort(dealers, kind="stable")  # neighbours play pots of neighbouring numbers
    dealers = dealers[order]
    index = np.arange(evenings) - np.searchsorted(dealers, dealers)
    parts = max(-(-evenings // TOGETHER), min(threads, evenings // APART), 1)
    calls = (
        partial(_play_group, terms, seed, dealers[some], number_of(dealers[some], index[some], 0))
        for some in np.array_split(np.arange(evenings), parts)
    )
    return _in_turn(list(in_order(calls, threads)), np.argsort(order))


def _in_turn(groups: list[Played], order: Numbers) -> Played:
    """Return the evenings of groups in an order."""
    axis = {name: 1 if name in MARKED else 0 for name in Played._fields}
    columns = {
        name: np.concatenate([getattr(group, name) for group in groups], axis=at)
        for name, at in axis.items()
    }
    return Played(**{name: column.take(order, axis[name]) for name, column in columns.items()})


def _first_dealers(terms: Terms, evenings: int, seed: int) -> Numbers:
    """Return who deals first: as named, or who draws the highest card, (evenings,)."""
    if terms.dealer is not None:
        return np.full(evenings, terms.dealer)
    cards = hands.deal(2, evenings, seed=seed).reshape(evenings, -1)  # as many as are drawn
    dealers: Numbers = cards[:, : terms.players].argmax(axis=1)
    return dealers


def number_of(dealer: Numbers, evening: Numbers, pot: int) -> Numbers:
    """Return the number of a pot of an evening, the i-th with a first dealer, in its stream."""
    return MOST_POTS + pot * A_POT + dealer * A_DEALER + evening


def _play_group(terms: Terms, seed: int, dealers: Numbers, firsts: Numbers) -> Played:
    """Play evenings with these first dealers, whose first pots have these numbers, which grow."""
    group = _Group(terms, seed, dealers)
    for pot in range(MOST_PLAYED + 1):
        group.reach_marks()
        on = np.flatnonzero(group.on)
        if not on.size:
            return group.played()
        if pot == SURE and group.clock[on].min() * 2 * MOST_PLAYED < terms.limit * pot:
            break
        group.settle(on, *group.play(on, firsts + pot * A_POT))
        group.move_dealer()
    raise InputError(
        f"an evening so long has more than {MOST_PLAYED:,} pots at this pace: ask for fewer hours, "
        "or for pots instead of hours"
    )


class _Group:
    """Evenings that advance together, pot by pot: (evenings, players), a column each player."""

    def __init__(self, terms: Terms, seed: int, dealers: Numbers) -> None:
        evenings, players = len(dealers), terms.players
        self.terms, self.seed, shape = terms, seed, (evenings, players)
        self.order = (dealers[:, np.newaxis] + np.arange(1, players + 1)) % players
        """Who sits in which seat, the dealer last; beyond those left it means nothing."""
        self.left = np.full(evenings, players)
        self.result, self.lowest = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        self.bought = np.ones(shape, np.int64)
        self.there, self.short = np.ones(shape, np.bool_), np.zeros(shape, np.bool_)
        self.clock, self.pots, self.time, self.shortfalls, self.credit = np.zeros(
            (5, evenings), np.int64
        )
        self.first_short = np.full(evenings, NEVER)
        self.mark = np.zeros(evenings, np.int64)
        self.kept = {name: np.zeros((len(terms.marks), *shape), np.int64) for name in MARKED}
        self.tables: dict[tuple[Policy, ...], Listed] = {}
        """What plays pots, by the policies of the seats."""
        self.numbers = np.array([terms.kinds.index(policy) for policy in terms.policies])

    @property
    def on(self) -> NDArray[np.bool_]:
        """Which evenings are not over."""
        return self.mark < len(self.terms.marks)

    def reach_marks(self) -> None:
        """Keep the state of evenings at the marks before which no further pot begins."""
        marks = np.append(self.terms.marks, np.iinfo(np.int64).max)
        clock = np.where(self.left > 1, self.clock, marks[-2])
        while (reached := np.flatnonzero(marks[self.mark] <= clock)).size:
            at = self.mark[reached]
            for name, kept in self.kept.items():
                kept[at, reached] = getattr(self, name)[reached]
            self.mark[reached] += 1

    def alike(self, on: Numbers) -> Iterator[Numbers]:
        """Yield evenings at which the same policies sit in the same seats."""
        if self.terms.buy_ins is None and len(self.terms.kinds) == 1:
            yield on
            return
        seats = np.arange(self.terms.players)
        kinds = np.where(seats < self.left[on, np.newaxis], self.numbers[self.order[on]] + 1, 0)
        codes = kinds @ (len(self.terms.kinds) + 1) ** seats
        for code in np.unique(codes):
            yield on[codes == code]

    def play(self, on: Numbers, numbers: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        """Play a pot of evenings; return (evenings, players) net and paid, and what took time.

        The latter is (3, evenings): deals, cards and turns. ``numbers`` are those of the pots.
        """
        net, paid = np.zeros((2, *self.result.shape), np.int64)
        things = np.zeros((3, len(net)), np.int64)
        for some in self.alike(on):
            seats = self.order[some, : self.left[some[0]]]
            pot = self.player(seats[0].tolist())(numbers[some], COLUMNS)
            at = some[:, np.newaxis], seats
            paid[at] = pot["paid"]
            net[at] = pot["won"] - pot["paid"]
            things[:, some] = pot["deals"], pot["cards"], pot["turns"]
        return net, paid, things

    def player(self, seats: list[int]) -> Listed:
        """Return what plays pots with these players in the seats."""
        policies = tuple(self.terms.policies[player] for player in seats)
        if policies not in self.tables:
            alike = len(set(policies)) == 1
            scenario = Scenario(self.terms.game, len(seats), policies[:1] if alike else policies)
            self.tables[policies] = listed(scenario, self.seed)
        return self.tables[policies]

    def settle(self, on: Numbers, net: Numbers, paid: Numbers, things: Numbers) -> None:
        """Settle a pot of the evenings that go on: credit, results, time, who buys in or leaves."""
        terms = self.terms
        credit = paid - (self.result + terms.buy_in * self.bought)
        self.shortfalls += ((credit > 0) & (paid > 0)).sum(axis=1)
        self.credit = np.maximum(self.credit, np.where(paid > 0, credit, 0).max(axis=1))
        self.result += net
        np.minimum(self.lowest, self.result, out=self.lowest)
        time = np.array(terms.pace) @ things
        self.time += time
        self.pots[on] += 1
        self.clock[on] += time[on] if terms.timed else 1
        stacks = self.result + terms.buy_in * self.bought
        lacking = self.there & (stacks < terms.rebuy_below)
        if lacking.any():
            self._buy_in(lacking, stacks)

    def _buy_in(self, lacking: NDArray[np.bool_], stacks: Numbers) -> None:
        """Let those who have run short buy in, or leave."""
        terms = self.terms
        self.first_short = np.where(
            (self.first_short == NEVER) & lacking.any(axis=1), self.time, self.first_short
        )
        self.short |= lacking
        bought = self.bought + lacking * -((stacks - terms.rebuy_below) // terms.buy_in)
        leaving = bought > (terms.buy_ins or np.iinfo(np.int64).max)
        self.bought = np.where(leaving, self.bought, bought)
        self.there &= ~leaving

    def move_dealer(self) -> None:
        """Let the next player who is left deal; who has left gives up his seat."""
        if self.terms.buy_ins is not None:
            taken = np.arange(self.terms.players) < self.left[:, np.newaxis]
            stays = taken & np.take_along_axis(self.there, self.order, axis=1)
            seats = np.argsort(~stays, axis=1, kind="stable")
            self.order, self.left = np.take_along_axis(self.order, seats, axis=1), stays.sum(axis=1)
        turn = np.arange(1, self.terms.players + 1) % self.left[:, np.newaxis]
        self.order = np.take_along_axis(self.order, turn, axis=1)

    def played(self) -> Played:
        """Return what became of the evenings."""
        return Played(**{name: self.kept.get(name, getattr(self, name)) for name in Played._fields})
