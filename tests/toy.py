"""A game small enough to be solved by its tree: twelve cards, two streets, a toll and a killer.

Three ranks of four; the hand is the sum of a card down and a card up. Two players ante. The one who
learns may fold, check or bet, and the other calls with anything but the lowest rank. Then each gets
a card up: toll cards cost their receiver, and the killer ends the deal, once for another one to
both for the same pot, and then for good: the pot is shared. At last the other opens by his hand,
and calls a raise by it. Chips are even, so that all can be shared.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import permutations
from typing import Any

import numpy as np

from sim.solving.training import CALL, FOLD, RAISE

CARDS = 12
KILLER, TOLLS = 11, (4, 9)
ANTE, TOLL, SMALL, LARGE = 2, 2, 2, 4
DEALS = 2

Spot = tuple[int, ...]
"""What who learns knows when he decides: deal, pot, call, and his own card; on the second street
his ranks, the rank of the other's up card, and whether he has bet, so that he forgets nothing."""
Choice = Callable[[Spot], int]


def rank(card: int) -> int:
    """Return the rank of a card."""
    return card // 4


class Played:
    """One pot: what who learns wins, and his decisions on the way, each with what he had paid."""

    def __init__(self, decks: Sequence[Sequence[int]], choose: Choice) -> None:
        self.choose = choose
        self.paid, self.pot = ANTE, 2 * ANTE
        self.spots: list[tuple[Spot, int, int]] = []
        self.net = self.play(decks)

    def decide(self, *spot: int) -> int:
        """Return what is done at a spot, and keep it."""
        action = self.choose(spot)
        self.spots.append((spot, self.paid, action))
        return action

    def pay(self, own: int, others: int = 0) -> None:
        """Put chips into the pot."""
        self.paid += own
        self.pot += own + others

    def play(self, decks: Sequence[Sequence[int]]) -> int:
        """Return what is won less what was paid."""
        for deal, (own, other, own_up, other_up) in enumerate(decks):
            action = self.decide(deal, self.pot, 0, own)
            if action == FOLD:
                return -self.paid
            if action == RAISE:
                self.pay(SMALL)
                if rank(other) == 0:
                    return self.pot - self.paid
                self.pay(0, SMALL)
            self.pay(TOLL * (own_up in TOLLS))
            if own_up == KILLER:
                continue
            self.pay(0, TOLL * (other_up in TOLLS))
            if other_up == KILLER:
                continue
            return self.finish(deal, own, own_up, other, other_up, bet=action == RAISE)
        return self.pot // 2 - self.paid

    def finish(
        self, deal: int, own: int, own_up: int, other: int, other_up: int, *, bet: bool
    ) -> int:
        """Play the last street, and return the same."""
        mine, theirs = rank(own) + rank(own_up), rank(other) + rank(other_up)
        call = LARGE if theirs >= 3 else 0
        self.pot += call
        ranks = rank(own), rank(own_up), rank(other_up)
        action = self.decide(deal, self.pot, call, *ranks, int(bet))
        if action == FOLD:
            return -self.paid
        self.pay(call)
        if action == RAISE:
            self.pay(LARGE)
            if theirs < 2:
                return self.pot - self.paid
            self.pay(0, LARGE)
        share = {True: self.pot, False: 0}[mine > theirs] if mine != theirs else self.pot // 2
        return share - self.paid


def dealt(pot: int) -> tuple[list[list[int]], list[int | None]]:
    """Return the cards of each deal of a pot, and where who explores strays, and to what."""
    random = np.random.default_rng(pot)
    decks = [random.permutation(CARDS)[:4].tolist() for _ in range(DEALS)]
    strays = [int(random.integers(3)) if random.random() < 1 / 2 else None for _ in range(4)]
    return decks, strays


def replays(pot: int, choose: Choice) -> Iterator[tuple[Spot, list[int]]]:
    """Return of each decision of a pot what folding, calling and raising win from there on."""
    decks, strays = dealt(pot)
    for at, (spot, paid, _) in enumerate(Played(decks, straying(choose, strays)).spots):
        before = strays[:at]
        won = [
            paid + Played(decks, straying(choose, [*before, action])).net
            for action in (FOLD, CALL, RAISE)
        ]
        yield spot, won


def straying(choose: Choice, strays: Sequence[int | None]) -> Choice:
    """Return what is chosen by one who strays at his first decisions."""
    left = iter(strays)

    def stray(spot: Spot) -> int:
        other = next(left, None)
        return choose(spot) if other is None else other

    return stray


class Tree:
    """The game by all the ways for its cards to fall."""

    def __init__(self, choose: Choice | None = None) -> None:
        self.given = choose
        self.best: dict[Spot, int] = {}
        self.margin: dict[Spot, float] = {}
        """By spot, how much more the best action wins than the next, in chips."""
        self.later: dict[int, float] = {}
        """By the pot that a killed deal leaves, what its share is worth."""

    def value(self) -> float:
        """Return what who learns wins, by his choices or by the best there are."""
        return self.deal(0, 2 * ANTE) - ANTE

    def deal(self, number: int, pot: int) -> float:
        """Return what a deal is worth from its beginning, what was paid before forgotten."""
        if number == DEALS:
            return pot / 2
        early: dict[Spot, np.ndarray] = defaultdict(lambda: np.zeros(3))
        late: dict[Spot, np.ndarray] = defaultdict(lambda: np.zeros(3))
        ways = list(permutations(range(CARDS), 4))
        reached: list[tuple[Any, ...]] = []
        for own, other, own_up, other_up in ways:
            first = (number, pot, 0, own)
            for action in (CALL, RAISE):
                chips = pot + SMALL * 2 * (action == RAISE)
                cost = SMALL * (action == RAISE)
                if action == RAISE and rank(other) == 0:
                    early[first][RAISE] += pot
                    continue
                toll = TOLL * (own_up in TOLLS)
                chips, cost = chips + toll, cost + toll
                killed = own_up == KILLER
                if not killed:
                    chips += TOLL * (other_up in TOLLS)
                    killed = other_up == KILLER
                if killed:
                    early[first][action] += self.redealt(number + 1, chips) - cost
                    continue
                mine, theirs = rank(own) + rank(own_up), rank(other) + rank(other_up)
                call = LARGE if theirs >= 3 else 0
                ranks = rank(own), rank(own_up), rank(other_up)
                last = (number, chips + call, call, *ranks, int(action == RAISE))
                share = (mine > theirs) + (mine == theirs) / 2
                more = call + LARGE
                late[last][CALL] += share * (chips + 2 * call) - call
                late[last][RAISE] += (
                    chips + call if theirs < 2 else share * (chips + 2 * more) - more
                )
                reached.append((first, action, cost, last))
        visits: dict[Spot, int] = defaultdict(int)
        for *_, last in reached:
            visits[last] += 1
        for first, action, cost, last in reached:
            early[first][action] += late[last][self.choose(last, late[last])] / visits[last] - cost
        for spot, worths in early.items():
            low, high = sorted(worths)[1:]
            self.margin[spot] = (high - low) * CARDS / len(ways)
        return sum(q[self.choose(spot, q)] for spot, q in early.items()) / len(ways)

    def redealt(self, number: int, pot: int) -> float:
        """Return what a deal is worth for a pot that was left."""
        if (number, pot) not in self.later:
            self.later[number, pot] = self.deal(number, pot)
        return self.later[number, pot]

    def choose(self, spot: Spot, worths: np.ndarray) -> int:
        """Return what is given to be done at a spot, or what is best."""
        if self.given is None:
            self.best[spot] = int(np.argmax(worths))
            return self.best[spot]
        return self.given(spot)
