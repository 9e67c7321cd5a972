"""A pot of players who fold blind to cards, followed deal by deal: once a street each may fold.

Folding tells nothing about the cards, so the next card face up is a killer with the same chance as
ever, given how many cards of either kind are face up. A deal is followed card by card: how likely
it is that these players are still in, with so many harmless cards and so many killers face up. That
is done for every table that may be dealt in, since those who have folded stay out of redeals; the
deals of a pot are then a Markov chain from table to table. Chances are floats, good to about 1e-13.

A table, or those still in at it, is a mask of seats.
"""

from functools import lru_cache
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.cards import DECK
from sim.game import MAX_PLAYERS, STREETS, UP_STREETS, Game
from sim.kernels.ranks import MAX_CARDS
from sim.odds.deals import HOLE_CARDS, choose
from sim.odds.tolls import TAIL
from sim.policy import ONE
from sim.tally import most_deals

Floats = NDArray[np.float64]
Blind = tuple[tuple[int, ...], ...]
"""By seat and street, chances times ``ONE`` to fold before the betting."""

HIDDEN = MAX_CARDS - UP_STREETS
SEVENTH = UP_STREETS
UP_CARDS = UP_STREETS * MAX_PLAYERS + 2


class Sums(NamedTuple):
    """What a deal has on average; the first axis, left out here, is by which table is dealt in."""

    harmless: Floats
    """(seats, 4): harmless cards face up, by seat and street."""
    killers: Floats
    """(seats, 4): killers face up, by seat and street."""
    kills_by_card: Floats
    """(35,): deals killed by which card face up it was."""
    community_kills: Floats
    """(): deals killed by the community card."""
    folds: Floats
    """(5,): by street."""
    rounds: Floats
    """(5,): rounds of betting, by street."""
    round_players: Floats
    """(5,): players in rounds of betting, by street."""
    last_cards: Floats
    """(): cards dealt on seventh street."""
    held: Floats
    """(8,): hands shown by how many killers they hold."""
    outs: Floats
    """(seats,): deals not killed, by killers face up."""
    ended: Floats
    """(seats + 1,): deals not killed, by number still in."""
    killed: Floats
    """(tables,): deals killed, by who is still in."""


class Pots(NamedTuple):
    """What a pot has on average."""

    sums: Sums
    """Over all its deals."""
    dealt: Floats
    """(seats,): deals in which each seat is dealt in."""
    deals_by_number: Floats
    """(seats + 1,): deals by how many are dealt in."""
    kills_by_number: Floats
    """(seats + 1,): deals killed, by how many are dealt in."""
    shares: Floats
    """(deals,): pots by number of deals, from one to the last that matters."""
    survivors: Floats
    """(seats + 1,): pots by number still in at the end."""
    abandoned: float
    """Pots killed as often as the page allows."""
    killed: float
    """Pots with a killer face up, and not without effect."""

    @property
    def deals(self) -> float:
        """Deals in a pot."""
        return float(self.deals_by_number.sum())


def sizes(players: int) -> NDArray[np.int64]:
    """Return the number of seats in each mask."""
    return np.array([mask.bit_count() for mask in range(1 << players)])


def follow(game: Game, blind: Blind) -> Pots:
    """Follow a pot of players who fold with these chances through its deals."""
    kill = game.kill
    player_out = kill.treatment == "player-out"
    return _follow(kill.cards.bit_count(), player_out, kill.everyone, most_deals(game), blind)


@lru_cache(maxsize=64)
def _follow(killers: int, player_out: bool, everyone: bool, deals: int, blind: Blind) -> Pots:
    players = len(blind)
    sums = _a_deal(killers, player_out, blind, whole=everyone or deals == 1)
    arriving = np.zeros(1 << players)
    arriving[-1] = 1
    tables, shares = np.zeros_like(arriving), []
    for _ in range(deals):
        tables += arriving
        shares.append(float(arriving @ sums.ended.sum(axis=1)))
        killed = arriving @ sums.killed
        if killed.sum() < TAIL:
            break
        arriving = np.zeros_like(killed) if everyone else killed
        arriving[-1] += killed.sum() * everyone
    shares[-1] += float(killed.sum())
    by_number = sizes(players)[:, None] == np.arange(players + 1)
    total = Sums(*(np.tensordot(tables, part, 1) for part in sums))
    return Pots(
        sums=total,
        dealt=tables @ _seats_in(players),
        deals_by_number=tables @ by_number,
        kills_by_number=(tables * sums.killed.sum(axis=1)) @ by_number,
        shares=np.array(shares),
        survivors=total.ended + killed @ by_number,
        abandoned=float(killed.sum()),
        killed=1 - float(sums.outs[-1, 0]),
    )


def _seats_in(players: int) -> NDArray[np.int64]:
    """Return whether each seat is in each mask, (masks, seats)."""
    return np.arange(1 << players)[:, None] >> np.arange(players) & 1


def _a_deal(killers: int, player_out: bool, blind: Blind, whole: bool) -> Sums:
    """Return what a deal has, by table; with ``whole`` only to the table of all players."""
    players = len(blind)
    seats, streets = (players, UP_STREETS), (len(STREETS),)
    shapes: tuple[tuple[int, ...], ...] = (
        seats, seats, (UP_CARDS + 1,), (), streets, streets, streets, (), (MAX_CARDS + 1,),
        (players,), (players + 1,), (1 << players,),
    )  # fmt: skip
    sums = Sums(*(np.zeros((1 << players, *shape)) for shape in shapes))
    for size in [players] if whole else range(2, players + 1):
        _Dealing(sums, blind, size, killers, player_out).deal()
    return sums


def halves(state: Floats, seat: int) -> tuple[Floats, Floats]:
    """Return views of a state (tables, masks, …) without and with a seat: (…, above, below, …).

    At ``[:, 0, 0]`` nobody else is in.
    """
    tables, _, *rest = state.shape
    split = state.reshape(tables, -1, 2, 1 << seat, *rest)
    return split[:, :, 0], split[:, :, 1]


def fold(state: Floats, chances: Floats) -> None:
    """Let each seat in turn fold by its chance, (tables, seats); the last left never folds."""
    for seat in range(chances.shape[1]):
        without, inside = halves(state, seat)
        folds = inside * chances[:, seat].reshape(-1, *[1] * (inside.ndim - 1))
        folds[:, 0, 0] = 0
        inside -= folds
        without += folds


class _Dealing:
    """One deal to all tables of one size at once; state is (tables, still in, harmless, killers).

    Those dealt in are numbered from 0 on, whatever their seats. A state in which one player is left
    has won, and stays as it is.
    """

    def __init__(self, sums: Sums, blind: Blind, size: int, killers: int, player_out: bool) -> None:
        self.sums, self.size, self.player_out = sums, size, player_out
        self.seats = np.array(list(combinations(range(len(blind)), size)))  # (tables, size)
        self.tables = (1 << self.seats).sum(axis=1)
        self.chances = np.array(blind)[self.seats] / ONE  # (tables, size, streets)
        self.numbers = sizes(size)
        self.contested = self.numbers > 1
        harmless, seen = np.ogrid[: UP_STREETS * size + 2, : size if player_out else 1]
        self.face_up = harmless + seen
        self.hazard = np.clip((killers - seen) / (DECK - self.face_up), 0, 1)
        self.killers = killers

    def deal(self) -> None:
        """Deal and bet through all streets."""
        state = np.zeros((len(self.tables), 1 << self.size, *self.face_up.shape))
        state[:, -1, 0, 0] = 1
        for street in range(UP_STREETS):
            for seat in range(self.size):
                self._deal_up(state, street, seat)
            self._bet(state, street)
        used = HOLE_CARDS * self.size + self.face_up
        short = used + self.numbers[:, None, None] > DECK
        self._deal_last(state * ~short)
        if short.any():
            self._deal_community_card(state * short)

    def _deal_up(self, state: Floats, street: int, seat: int) -> None:
        """Deal a card face up to a player who is in and has not won."""
        without, inside = halves(state, seat)
        dealt = inside.copy()
        dealt[:, 0, 0] = 0
        inside -= dealt
        killers, harmless = dealt * self.hazard, dealt * (1 - self.hazard)
        inside[..., 1:, :] += harmless[..., :-1, :]
        cell = self.tables, self.seats[:, seat], street
        self.sums.harmless[cell] = harmless.sum(axis=(1, 2, 3, 4))
        self.sums.killers[cell] = killers.sum(axis=(1, 2, 3, 4))
        if self.player_out:
            without[..., 1:] += killers[..., :-1]
        else:
            killed = np.zeros_like(state)
            halves(killed, seat)[1][...] = killers
            self._kill(killed)

    def _kill(self, killed: Floats) -> None:
        """Count the deals that a killer ends."""
        still_in = _seats_in(self.size) @ (1 << self.seats.T)  # (masks, tables)
        self.sums.killed[self.tables, still_in] += killed.sum(axis=(2, 3)).T
        self.sums.kills_by_card[self.tables, 1 : 1 + killed.shape[2]] += killed.sum(axis=(1, 3))

    def _bet(self, state: Floats, street: int) -> None:
        """Let players fold, and count the round of betting that follows if two are left."""
        before = state.sum(axis=(2, 3)) @ self.numbers
        fold(state, self.chances[..., street])
        left = state.sum(axis=(2, 3))
        self.sums.folds[self.tables, street] += before - left @ self.numbers
        self.sums.rounds[self.tables, street] += left @ self.contested
        self.sums.round_players[self.tables, street] += left @ (self.numbers * self.contested)

    def _deal_last(self, state: Floats) -> None:
        """Deal everybody still in a card of his own, and finish."""
        cards = state.sum(axis=(2, 3)) @ (self.numbers * self.contested)
        self.sums.last_cards[self.tables] += cards
        self._finish(state, HIDDEN)

    def _deal_community_card(self, state: Floats) -> None:
        """Deal one card face up for all; under player-out it is like any that nobody has seen."""
        self.sums.last_cards[self.tables] += state.sum(axis=(1, 2, 3))
        if self.player_out:
            self._finish(state, HIDDEN)
            return
        killed = state * self.hazard
        self._kill(killed)
        self.sums.community_kills[self.tables] += killed.sum(axis=(1, 2, 3))
        shown = np.zeros_like(state)
        shown[..., 1:, :] = (state - killed)[..., :-1, :]
        self._finish(shown, HIDDEN - 1)

    def _finish(self, state: Floats, hidden: int) -> None:
        """Let players bet and show hands with so many cards that are as good as face down."""
        self._bet(state, SEVENTH)
        shown = np.einsum("tmhk,m->thk", state, self.numbers * self.contested)
        for held in range(hidden + 1):
            chance = self._hidden_killers(hidden, held)
            self.sums.held[self.tables, held] += (shown * chance).sum(axis=(1, 2))
        for number in range(1, self.size + 1):
            ended = state[:, self.numbers == number].sum(axis=(1, 2, 3))
            self.sums.ended[self.tables, number] += ended
        self.sums.outs[self.tables, : state.shape[3]] += state.sum(axis=(1, 2))

    def _hidden_killers(self, hidden: int, held: int) -> Floats:
        """Return how likely ``held`` of a hand's hidden cards are killers, (harmless, killers)."""
        chances = np.zeros(self.face_up.shape)
        for harmless, seen in np.ndindex(chances.shape):
            unseen, left = DECK - harmless - seen, self.killers - seen
            ways = choose(left, held) * choose(unseen - left, hidden - held)
            chances[harmless, seen] = ways / comb(unseen, hidden)
        return chances
