"""What tolls cost: the distribution over one deal, and over all deals of a pot.

Once it is known which of the cards face up are killers, the toll cards among the harmless ones are
a random choice, and so are the toll cards among the killers: patterns of toll cards are counted,
and every pattern with as many of both is as likely.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import lru_cache
from math import ceil, comb, gcd, log, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.cards import DECK
from sim.game import UP_STREETS, Game
from sim.odds.deals import Board, Ending, Outcome, choose, mean_deals, outcomes
from sim.tally import MAX_BINS, most_deals, toll_costs

Number = Fraction | float
Amounts = dict[int, Fraction]
"""Chips, each with its probability; of one of two endings, so not all of 1."""

NEVER = Fraction(0)
LEAST = 1e-12
"""Amounts less likely than this are left out."""
TAIL = 1e-17
"""Deals that a pot reaches less often than this are left out of sums over deals."""
MOST_BINS = 1 << 20
"""A distribution over a pot's deals that needs more bins than this is left out."""


class TollDeck(NamedTuple):
    """What a page's deck holds, as far as killers and tolls tell."""

    killers: int
    killer_tolls: int
    """Killers that are toll cards too."""
    harmless_tolls: int
    costs: tuple[int, ...]
    """(5,): chips for a player's 0, 1, … toll cards of a deal."""


Pattern = tuple[int, int, int]
"""Harmless toll cards and toll cards that are killers face up, and the chips they cost."""


class Ends(NamedTuple):
    """Tolls paid in a deal, by whether it is killed or ends the pot."""

    killed: Amounts
    ended: Amounts


def toll_deck(game: Game) -> TollDeck:
    """Count a page's killers and toll cards."""
    both = game.kill.cards & game.toll.cards
    return TollDeck(
        game.kill.cards.bit_count(),
        both.bit_count(),
        game.toll.cards.bit_count() - both.bit_count(),
        tuple(toll_costs(game)),
    )


@lru_cache(maxsize=4096)
def patterns(deck: TollDeck, boards: tuple[Board, ...]) -> dict[Pattern, int]:
    """Count the patterns of toll cards on these boards; not to be changed, for it is kept."""
    if not boards:
        return {(0, 0, 0): 1}
    ways: dict[Pattern, int] = defaultdict(int)
    own = _board_patterns(deck, boards[-1])
    for (tolls, deadly, chips), others in patterns(deck, boards[:-1]).items():
        for (own_tolls, own_deadly, own_chips), choices in own.items():
            both = tolls + own_tolls, deadly + own_deadly, chips + own_chips
            if both[0] <= deck.harmless_tolls and both[1] <= deck.killer_tolls:
                ways[both] += others * choices
    return ways


def _board_patterns(deck: TollDeck, board: Board) -> dict[Pattern, int]:
    return {
        (tolls, deadly, deck.costs[tolls + deadly]): comb(board.harmless, tolls)
        for tolls in range(board.harmless + 1)
        for deadly in range(1 + board.killer)
    }


def board_tolls(deck: TollDeck, boards: tuple[Board, ...]) -> dict[int, int]:
    """Count, by the chips paid for these boards, the ways to say which cards are toll cards."""
    unseen_safe = DECK - deck.killers - sum(board.harmless for board in boards)
    unseen_deadly = deck.killers - sum(board.killer for board in boards)
    rest_safe = [choose(unseen_safe, left) for left in range(deck.harmless_tolls + 1)][::-1]
    rest_deadly = [choose(unseen_deadly, left) for left in range(deck.killer_tolls + 1)][::-1]
    amounts: dict[int, int] = defaultdict(int)
    for (tolls, deadly, chips), ways in patterns(deck, tuple(sorted(boards))).items():
        amounts[chips] += ways * rest_safe[tolls] * rest_deadly[deadly]
    return amounts


def table_tolls(game: Game, players: int) -> Ends:
    """Return the tolls that all players together pay in one deal."""
    return _deal_tolls(toll_deck(game), outcomes(game, players), slice(players))


def seat_tolls(game: Game, players: int) -> list[Ends]:
    """Return the tolls that each seat pays in one deal; under player-out only their mean counts."""
    return _seat_tolls(toll_deck(game), outcomes(game, players), players)


def _seat_tolls(deck: TollDeck, ways: tuple[Outcome, ...], players: int) -> list[Ends]:
    return [_deal_tolls(deck, ways, slice(seat, seat + 1)) for seat in range(players)]


def _deal_tolls(deck: TollDeck, ways: tuple[Outcome, ...], seats: slice) -> Ends:
    """Return the tolls of some seats, counted in integers out of all arrangements of the deck."""
    layouts = comb(DECK, deck.killers)
    weights: dict[tuple[bool, tuple[Board, ...]], int] = defaultdict(int)
    for way in ways:
        weights[way.ending is Ending.KILLED, way.boards[seats]] += int(way.probability * layouts)
    counts: tuple[dict[int, int], dict[int, int]] = defaultdict(int), defaultdict(int)
    for (killed, boards), weight in weights.items():
        for chips, number in board_tolls(deck, boards).items():
            counts[not killed][chips] += weight * number
    choices = comb(DECK - deck.killers, deck.harmless_tolls) * comb(deck.killers, deck.killer_tolls)
    total = layouts * choices
    return Ends(
        *({chips: Fraction(part[chips], total) for chips in part if part[chips]} for part in counts)
    )


def mean_tolls(game: Game, players: int) -> Fraction:
    """Return the tolls paid in a pot on average."""
    a_deal = sum(_moment(ends, 1) for ends in seat_tolls(game, players))
    return a_deal * mean_deals(game, players)


def spread_of_tolls(ends: Ends, deals: int) -> float:
    """Return the standard deviation of a pot's tolls over at most so many deals.

    Deals are independent, and deal j is reached when all before it are killed. So E[T²] sums over
    deals j the mean of squares times killed**(j - 1), and over pairs i < j twice the product of the
    means, deal i's when killed, times killed**(j - 2).
    """
    mean, squares = _moment(ends, 1), _moment(ends, 2)
    if deals == 1:
        return sqrt(squares - mean**2)
    killed = float(_moment([ends.killed], 0))
    powers = killed ** np.arange(deals)
    pairs = float(np.arange(1, deals) @ powers[:-1])
    total = float(powers.sum())
    both = 2 * float(_moment([ends.killed], 1) * mean) * pairs
    return sqrt(float(squares) * total + both - (float(mean) * total) ** 2)


def _moment(parts: Iterable[Amounts], power: int) -> Fraction:
    return sum((chips**power * chance for part in parts for chips, chance in part.items()), NEVER)


def over_deals(ends: Ends, deals: int) -> dict[int, Number]:
    """Return the distribution of tolls over the deals of a pot; empty if it needs too many bins.

    With generating functions k (killed) and e (ended) a pot of at most D deals has
    e * (1 + k + … + k**(D - 1)) + k**D. One deal is exact; more are taken at the roots of unity, by
    Fourier transform, to about 1e-16.
    """
    if deals == 1:
        amounts = sorted(ends.killed | ends.ended)
        return {
            chips: ends.killed.get(chips, NEVER) + ends.ended.get(chips, NEVER) for chips in amounts
        }
    unit = gcd(*ends.killed, *ends.ended) or 1
    likely = _likely_deals(float(sum(ends.killed.values())), deals)
    bins = max([*ends.killed, *ends.ended]) // unit * likely + 1
    if bins > MOST_BINS:
        return {}
    size = 1 << bins.bit_length()
    killed, ended = (np.fft.rfft(_dense(part, unit, size)) for part in ends)
    series, power = _geometric(killed, deals)
    chances = np.fft.irfft(ended * series + power, size)
    return {int(index) * unit: float(chances[index]) for index in np.flatnonzero(chances >= LEAST)}


def _likely_deals(killed: float, deals: int) -> int:
    """Return how many deals to reckon with: more are reached less often than ``TAIL``."""
    return deals if killed == 1 else min(deals, ceil(log(TAIL) / log(killed)) + 1)


def _dense(amounts: Amounts, unit: int, size: int) -> NDArray[np.float64]:
    values = np.zeros(size)
    for chips, chance in amounts.items():
        values[chips // unit] = chance
    return values


def _geometric(
    base: NDArray[np.complex128], terms: int
) -> tuple[NDArray[np.complex128], NDArray[np.complex128]]:
    """Return 1 + base + … + base**(terms - 1), and base**terms, without a division by 1 - base."""
    series, power = np.zeros_like(base), np.ones_like(base)
    for bit in f"{terms:b}":
        series, power = series * (1 + power), power * power
        if bit == "1":
            series, power = series + power, power * base
    return series, power


def toll_pot(game: Game, players: int) -> dict[str, Number]:
    """Return mean, spread, quantiles and distribution of the tolls paid in a pot."""
    ends, deals = table_tolls(game, players), most_deals(game)
    values: dict[str, Number] = {
        "mean": mean_tolls(game, players),
        "sd": spread_of_tolls(ends, deals),
    }
    return values | described(over_deals(ends, deals), game)


def described(spread: Mapping[int, Number], game: Game) -> dict[str, Number]:
    """Return quantiles and distribution of a pot's tolls, and the most where pots are one deal."""
    values: dict[str, Number] = {}
    if spread:
        values["p50"] = _quantile(spread, Fraction(1, 2))
        values["p95"] = _quantile(spread, Fraction(19, 20))
        values["p99"] = _quantile(spread, Fraction(99, 100))
    if most_deals(game) == 1:
        values["max"] = Fraction(max(spread))
    return values | levels(spread, game)


def toll_player(game: Game, players: int) -> dict[str, Number]:
    """Return mean and distribution of what a player pays in tolls in a pot, averaged over seats."""
    values: dict[str, Number] = {"mean": mean_tolls(game, players) / players}
    spreads = [over_deals(ends, most_deals(game)) for ends in seat_tolls(game, players)]
    if not all(spreads):
        return values
    shares: dict[int, Number] = {}
    for spread in spreads:
        for chips, chance in spread.items():
            shares[chips] = shares.get(chips, 0) + chance / players
    return values | levels(shares, game)


def tolls_paid(game: Game, players: int) -> dict[str, Fraction]:
    """Return the share of players, deal by deal, who pay exactly so many tolls."""
    deck = toll_deck(game)._replace(costs=tuple(range(UP_STREETS + 1)))
    seats = _seat_tolls(deck, outcomes(game, players), players)
    return {
        str(paid): sum((part.get(paid, NEVER) for ends in seats for part in ends), NEVER) / players
        for paid in deck.costs
    }


def _quantile(spread: Mapping[int, Number], share: Fraction) -> Fraction:
    """Return the least amount that is not exceeded with at least this chance."""
    below: Number = 0
    for chips in sorted(spread):
        below += spread[chips]
        if below >= share:
            break
    return Fraction(chips)


def levels(spread: Mapping[int, Number], game: Game) -> dict[str, Number]:
    """Write a distribution by amount, as far as a tally's bins reach."""
    most = MAX_BINS * (gcd(*game.toll.prices) or 1)
    return {
        str(chips): spread[chips]
        for chips in sorted(spread)
        if chips < most and spread[chips] >= LEAST
    }
