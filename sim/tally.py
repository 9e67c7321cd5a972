"""Tallies: named arrays of int64 that add up, kept in one flat vector.

Addition is exact, so neither order nor partition matters. ``KINDS`` of a statistic taken over
several things in a pot (kills, hands, players) are a sum over pots of its count c, of c², and of
c times the number of things (deals, hands shown) that the share is taken of: what the delta method
needs when the pot is the replicate. A ``RATIO`` whose things are counted nowhere else goes on with
the number of things t and t².
"""

import math
from collections.abc import Collection, Iterator
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from sim.errors import InputError
from sim.game import MAX_PLAYERS, STREETS, UP_STREETS, Game

Vector = NDArray[np.int64]

MAX_BINS = 8_192
"""Bins of an amount's distribution; what lies beyond falls into one more, the last."""
LARGEST_POT = 1 << 23
"""Chips in a pot, so that the squares of a cell's pots add up to less than 2^63."""
CATEGORY_COUNT = 11
PRICE_BORDERS = (0, 5, 10, 20, 33, 50)
"""In hundredths, what parts the bands of prices: free, below 5 %, …, 50 % and more."""
TOLL_LEVELS = UP_STREETS + 2
"""Players by tolls paid in a pot: 0, 1, … 4, and more."""


class Counts(NamedTuple):
    """A tally's arrays by name; KIND is the axis (c, c², c·things), RATIO goes on with t, t²."""

    pots: Vector
    """(1,)"""
    deals: Vector
    """(most deals + 1,): pots by number of deals."""
    cards: Vector
    """(2,): cards dealt in a pot, summed, and squares."""
    kills_by_card: Vector
    """(KIND, 34): killers by which up card of the deal they were; c counts all up to this one."""
    kills_by_street: Vector
    """(KIND, 6): killers by street third … sixth, community card, all."""
    kills_by_seat: Vector
    """(KIND, 9): killers by seat, community card last."""
    kills_by_dealt: Vector
    """(RATIO, 9): deals killed by number of players dealt in, and deals."""
    killed_pots: Vector
    """(1,): pots in which a killer was dealt face up."""
    players_out: Vector
    """(9,): pots by number of players put out by killers."""
    toll_pot: Vector
    """(bins,): pots by tolls paid, in toll units; the last bin of an amount holds all beyond."""
    toll_pot_sums: Vector
    """(3,): tolls paid in a pot, in chips, summed, squares, and times the chips in the pot."""
    toll_player: Vector
    """(2, bins): players by tolls paid in the pot, in toll units: c, c²."""
    tolls_paid: Vector
    """(KIND, 5): players dealt in by number of tolls paid in the deal."""
    toll_by_policy: Vector
    """(2, 8): tolls paid by the seats of each policy together, in chips, summed, and squares.
    Policies are in the order of the seats, each once."""
    players_dealt: Vector
    """(2,): players dealt in, over a pot's deals, summed, and squares."""
    hands: Vector
    """(KIND, 11): hands shown by category, from high card to five of a kind."""
    hands_shown: Vector
    """(2,): hands shown in a pot, summed, and squares."""
    winning_hands: Vector
    """(11,): pots by category of the best hand shown."""
    split_pots: Vector
    """(1,)"""
    pot_size: Vector
    """(bins,): pots by chips in the pot at the end, in pot units."""
    pot_size_sums: Vector
    """(2,): chips in the pot at the end, summed, and squares."""
    abandoned_pots: Vector
    """(1,)"""
    survivors: Vector
    """(9,): pots by number of players still in at the end."""
    chips_in: Vector
    """(2, bins): players by chips put into the pot, in pot units: c, c²."""
    net_by_seat: Vector
    """(2, 8): chips won less chips put in, summed, and squares."""
    net_by_policy: Vector
    """(2, 8): the same of the seats of each policy together."""
    net_by_tolls: Vector
    """(RATIO, 6): the same of players by number of tolls paid in the pot, the last for more."""
    folds: Vector
    """(KIND, 6): folds by street third … seventh, and all."""
    folds_by_price: Vector
    """(RATIO, 7): folds of players who look, and turns of theirs, by band of price: free,
    below 5 %, 10 %, 20 %, 33 % and 50 % of what is to win, and more."""
    bets: Vector
    """(RATIO, 5): bets and raises by street, and betting rounds."""
    decisions: Vector
    """(2,): turns taken by players in a pot, blind folds too, summed, and squares."""
    carried: Vector
    """(2,): chips in a pot before the antes of its last deal, summed, and squares."""
    winner_tolls: Vector
    """(RATIO, 1): tolls paid by those who take chips out of a pot, in chips, and who they are."""
    net_of_opener: Vector
    """(RATIO, 1): chips won less chips put in by the seat that brings in the last deal, and whether
    any does."""


VERSIONS = {"decisions": 2}
"""Of counts whose meaning has changed, a version, from 1 on; a store's counts of another version
are not those. Of ``decisions``, 2 counts blind folds."""


def version_of(count: str) -> int:
    """Return the version of what a count means."""
    return VERSIONS.get(count, 1)


HISTOGRAMS = ("deals", "toll_pot", "toll_player", "pot_size", "chips_in")
"""Arrays whose size depends on the game; all others have the same for every game."""
FIXED: dict[str, tuple[int, ...]] = {
    "pots": (1,),
    "cards": (2,),
    "kills_by_card": (3, UP_STREETS * MAX_PLAYERS + 2),
    "kills_by_street": (3, UP_STREETS + 2),
    "kills_by_seat": (3, MAX_PLAYERS + 1),
    "kills_by_dealt": (5, MAX_PLAYERS + 1),
    "killed_pots": (1,),
    "players_out": (MAX_PLAYERS + 1,),
    "toll_pot_sums": (3,),
    "tolls_paid": (3, UP_STREETS + 1),
    "toll_by_policy": (2, MAX_PLAYERS),
    "players_dealt": (2,),
    "hands": (3, CATEGORY_COUNT),
    "hands_shown": (2,),
    "winning_hands": (CATEGORY_COUNT,),
    "split_pots": (1,),
    "pot_size_sums": (2,),
    "abandoned_pots": (1,),
    "survivors": (MAX_PLAYERS + 1,),
    "net_by_seat": (2, MAX_PLAYERS),
    "net_by_policy": (2, MAX_PLAYERS),
    "net_by_tolls": (5, TOLL_LEVELS),
    "folds": (3, len(STREETS) + 1),
    "folds_by_price": (5, len(PRICE_BORDERS) + 1),
    "bets": (5, len(STREETS)),
    "decisions": (2,),
    "carried": (2,),
    "winner_tolls": (5, 1),
    "net_of_opener": (5, 1),
}
"""Shapes of the arrays of one size, in the order in which they begin every tally."""
SUMS = np.dtype([(name, np.int64, shape) for name, shape in FIXED.items()])
"""The arrays of one size as one record, which is how the kernels see them."""


class Filled(NamedTuple):
    """A tally as it crosses into the kernels."""

    sums: NDArray[np.void]
    """(1,) of ``SUMS``"""
    deals: Vector
    toll_pot: Vector
    toll_player: Vector
    pot_size: Vector
    chips_in: Vector


class Amounts(NamedTuple):
    """What bounds the chips of one pot: amounts are multiples of a unit, up to a limit."""

    toll_unit: int
    pot_unit: int
    most_player_toll: int
    most_toll: int
    most_player: int
    most_pot: int


def amounts(game: Game, players: int, *, bets: bool) -> Amounts:
    """Work out the units and limits of a game's chips for one table size, with bets or without."""
    deals = most_deals(game)
    costs = toll_costs(game)
    antes = ante_by_seat(game, players)
    betting = game.betting
    toll_cards = game.toll.cards.bit_count()
    again = deals if game.kill.ante_again or game.kill.everyone else 1
    most_toll = deals * _dearest(costs, players, toll_cards)
    most_player_toll = deals * max(costs[: toll_cards + 1])
    most_bets = (1 + betting.raises) * sum(betting.bets) if bets else betting.bring_in
    units = [*game.toll.prices, *antes, betting.bring_in, *(betting.bets if bets else ())]
    return Amounts(
        math.gcd(*game.toll.prices) or 1,
        math.gcd(*units) or 1,
        most_player_toll,
        most_toll,
        again * max(antes) + most_player_toll + deals * most_bets,
        again * sum(antes) + most_toll + deals * players * most_bets,
    )


def most_deals(game: Game) -> int:
    """Return how many deals a pot may take."""
    return game.kill.max_deals if game.kill.cards and game.kill.treatment == "redeal" else 1


def price_list(game: Game) -> list[int]:
    """Return what each of a player's up cards costs if it is his first, second, … toll card."""
    prices = list(game.toll.prices) or [0]
    return [prices[min(number, len(prices) - 1)] for number in range(UP_STREETS)]


def toll_costs(game: Game) -> list[int]:
    """Return what 0, 1, … toll cards cost a player in one deal."""
    return [sum(price_list(game)[:number]) for number in range(UP_STREETS + 1)]


def ante_by_seat(game: Game, players: int) -> list[int]:
    """Return the ante of each seat; the dealer is the last."""
    if game.ante.who == "dealer":
        return [0] * (players - 1) + [game.ante.amount]
    return [game.ante.amount] * players


def _dearest(costs: list[int], players: int, toll_cards: int) -> int:
    """Return the most that all players together can pay in one deal."""
    best = [0] * (toll_cards + 1)
    for _ in range(players):
        best = [
            max(best[left - own] + costs[own] for own in range(min(UP_STREETS, left) + 1))
            for left in range(toll_cards + 1)
        ]
    return best[-1]


def layout(game: Game, players: int, *, bets: bool) -> dict[str, tuple[int, ...]]:
    """Return the shape of each array of a tally for this game and table size."""
    limits = amounts(game, players, bets=bets)

    def bins(most: int, unit: int) -> int:
        return min(most // unit + 1, MAX_BINS) + 1

    return FIXED | {
        "deals": (most_deals(game) + 1,),
        "toll_pot": (bins(limits.most_toll, limits.toll_unit),),
        "toll_player": (2, bins(limits.most_player_toll, limits.toll_unit)),
        "pot_size": (bins(limits.most_pot, limits.pot_unit),),
        "chips_in": (2, bins(limits.most_player, limits.pot_unit)),
    }


class Tally:
    """One flat int64 vector, and named views on it.

    Pots may lack counts, if they were kept before there were such; what they lack is blank, and no
    nought. A sum knows which of its pots have which counts: ``having`` returns those that do.
    """

    def __init__(
        self,
        shapes: dict[str, tuple[int, ...]],
        data: Vector | None = None,
        lacks: frozenset[str] = frozenset(),
    ) -> None:
        size = sum(math.prod(shape) for shape in shapes.values())
        self.shapes = shapes
        self.data = np.zeros(size, np.int64) if data is None else data
        """Nought where counts are lacking."""
        self.lacks = lacks
        """Counts that some of its pots lack."""
        self._parts: dict[frozenset[str], Vector] = {}
        """By what they lack, sums of its pots, if not all lack the same."""
        if self.data.shape != (size,):
            raise ValueError(f"a tally of {size} numbers cannot hold {self.data.size}")

    @cached_property
    def counts(self) -> Counts:
        """Its arrays by name, views on ``data``; of those in ``lacks`` nothing is known."""
        return Counts(
            **{name: self.data[part].reshape(self.shapes[name]) for name, part in self._slices()}
        )

    @cached_property
    def filled(self) -> Filled:
        """The same views as the kernels fill them."""
        sums = self.data[: SUMS.itemsize // 8].view(SUMS)
        return Filled(sums, *(getattr(self.counts, name) for name in HISTOGRAMS))

    def _slices(self) -> Iterator[tuple[str, slice]]:
        ends = accumulate(math.prod(shape) for shape in self.shapes.values())
        for (name, shape), end in zip(self.shapes.items(), ends, strict=True):
            yield name, slice(end - math.prod(shape), end)

    def arrays(self) -> dict[str, Vector]:
        """Return the counts that all of its pots have, by name, flat."""
        return {name: self.data[part] for name, part in self._slices() if name not in self.lacks}

    @property
    def pots(self) -> int:
        """How many pots were played."""
        return int(self.data[0])  # what every tally begins with

    def having(self, names: Collection[str]) -> "Tally":
        """Return the tally of those of its pots that have all these counts; it may have none."""
        if self.lacks.isdisjoint(names):
            return self
        whole = Tally(self.shapes)
        for lacks, data in self._parts.items():
            if lacks.isdisjoint(names):
                whole += Tally(self.shapes, data, lacks)
        return whole

    def __iadd__(self, other: "Tally") -> Self:
        if self.shapes != other.shapes:
            raise ValueError("tallies of different games or table sizes do not add up")
        parts = self._added_parts(other) if self.lacks or other.lacks else {}
        total = self.data + other.data
        # Squares may grow beyond 63 bits, and a sum that wraps around has another sign than both.
        if ((total ^ self.data) & (total ^ other.data)).min() < 0:
            raise InputError(
                f"the sums of {self.pots + other.pots:,} pots do not fit into 64 bits: "
                "play fewer pots, or count the chips of the page in larger units"
            )
        self.data[...] = total
        if parts:
            self.lacks = frozenset[str]().union(*parts)
            self._parts = parts if len(parts) > 1 else {}
            for name, part in self._slices():
                if name in self.lacks:
                    self.data[part] = 0
        return self

    def _added_parts(self, other: "Tally") -> dict[frozenset[str], Vector]:
        """Return the parts of a sum, by what they lack."""
        parts: dict[frozenset[str], Vector] = {}
        for one in (self, other):
            own = one._parts or ({one.lacks: one.data} if one.pots else {})
            for lacks, data in own.items():
                parts[lacks] = parts[lacks] + data if lacks in parts else data.copy()
        return parts

    def __add__(self, other: "Tally") -> "Tally":
        total = Tally(self.shapes, self.data.copy(), self.lacks)
        total._parts = self._parts  # replaced by addition, never changed
        total += other
        return total

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Tally)
            and self.shapes == other.shapes
            and self.lacks == other.lacks
            and bool(np.array_equal(self.data, other.data))
        )

    __hash__ = None  # type: ignore[assignment]
