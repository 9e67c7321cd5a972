"""Which hands are shown: a census of all hands, reweighted by the killers that each holds."""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import comb
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sim import cards
from sim.game import MAX_PLAYERS, UP_STREETS, Game
from sim.hands import tables
from sim.kernels.census import KILLER_SHIFT, Choices, count_hands
from sim.kernels.evaluate import CardWords, card_words
from sim.kernels.ranks import CATEGORIES, MAX_CARDS
from sim.odds.deals import choose

Census = NDArray[np.int64]
Weight = TypeVar("Weight", Fraction, float)
EVERY_RANK = sum(1 << 4 * rank for rank in range(13))
"""The cards of the first suit, as a mask."""


@lru_cache(maxsize=64)
def census(wild: int = 0, killers: int = 0, size: int = MAX_CARDS) -> Census:
    """Count all hands of a size, (size + 1, 11, size + 1), by wild cards, category and killers.

    Wild cards are alike: hands are enumerated without them, and count once for every way to choose
    them. Flushes that may repeat a rank would change no category.
    """
    deadly = (wild & killers).bit_count()
    harmless = wild.bit_count() - deadly
    counts = np.zeros((size + 1, len(CATEGORIES), size + 1), np.int64)
    encoding = card_words(wild)
    choices = natural_choices(encoding, wild, killers)
    joker = encoding.words[list(cards.cards_in(wild))[:1]].sum(dtype=np.uint64)
    starts = tables().starts[size] + np.arange(size + 1, dtype=np.uint64) * joker
    for held in range(min(size, wild.bit_count()) + 1):
        natural = np.zeros((len(CATEGORIES), MAX_CARDS + 1), np.int64)
        count_hands(tables(), encoding.flushes, choices, starts[held], size - held, natural)
        for killed in range(held + 1):
            ways = comb(deadly, killed) * comb(harmless, held - killed)
            counts[held, :, killed:] += ways * natural[:, : size + 1 - killed]
    counts.flags.writeable = False
    return counts


def natural_choices(encoding: CardWords, wild: int, killers: int = 0) -> Choices:
    """Return all choices of up to seven natural cards from each suit, for ``count_hands``."""
    looks = [tuple(part >> suit & EVERY_RANK for part in (wild, killers)) for suit in range(4)]
    # Innermost, where one suit follows another fastest, those of which most are alike.
    order = sorted(range(4), key=lambda suit: (looks.count(looks[suit]), looks[suit]))
    suits = [_choices_of_a_suit(encoding, suit, *looks[suit]) for suit in order]
    longest = max(len(totals) for totals, _, _ in suits)
    totals, masks, sizes = (
        np.array([np.pad(part[field], (0, longest - len(part[field]))) for part in suits])
        for field in range(3)
    )
    ends = [np.searchsorted(part[2], np.arange(MAX_CARDS + 2)) for part in suits]
    alike = [
        [looks[other] for other in order[:at]].count(looks[suit]) for at, suit in enumerate(order)
    ]
    return Choices(totals, masks, sizes, np.array(ends), np.array(alike))


def _choices_of_a_suit(
    encoding: CardWords, suit: int, wild: int, killers: int
) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.int64]]:
    """Return sums of words, masks and numbers of cards, fewest cards first."""
    totals, masks = np.zeros(1, np.uint64), np.zeros(1, np.uint64)
    sizes = np.zeros(1, np.int64)
    for card in cards.cards_in((EVERY_RANK & ~wild) << suit):
        mark = np.uint64(killers << suit >> card & 1) << KILLER_SHIFT
        totals = np.append(totals, totals + encoding.words[card])
        masks = np.append(masks, masks + (encoding.suits[card] + mark))
        sizes = np.append(sizes, sizes + 1)
    order = np.argsort(sizes, kind="stable")
    order = order[sizes[order] <= MAX_CARDS]
    return totals[order], masks[order], sizes[order]


def shown_hands(game: Game, players: int) -> dict[str, Fraction]:
    """Return the share of hands shown at showdown by category; empty if none ever is."""
    weights = [shown_weight(game, players, held) for held in range(MAX_CARDS + 1)]
    return weighted_hands(game, weights)


def weighted_hands(game: Game, weights: Sequence[Weight]) -> dict[str, Weight]:
    """Return the share of hands by category when one with so many killers counts so much."""
    by_killers = census(game.wild, game.kill.cards).sum(axis=0)
    shares = [
        sum(int(count) * weight for count, weight in zip(row, weights, strict=True))
        for row in by_killers
    ]
    total = sum(shares)
    if not total:
        return {}
    return {name: share / total for name, share in zip(CATEGORIES, shares, strict=True)}


def shown_weight(game: Game, players: int, held: int) -> Fraction:
    """Return the chance that a hand of seven cards with ``held`` killers is shown.

    Any of its cards may be the hidden ones; of the other 45 the killers may lie anywhere. Under a
    redeal no card dealt face up may be a killer, nobody's and the community card included. Under
    player-out the hand's own four may not, and somebody else must be left: each of the others is
    out if a killer is among the four up cards that would be his.
    """
    killers, rest = game.kill.cards.bit_count() - held, cards.DECK - MAX_CARDS
    if not 0 <= killers <= rest:
        return Fraction(0)
    hidden, others = MAX_CARDS - UP_STREETS, players - 1
    if game.kill.treatment == "player-out":
        return _all_hidden(held, hidden) * (1 - _all_out(killers, others))
    if players == MAX_PLAYERS:
        hidden -= 1
    clean = Fraction(choose(rest - UP_STREETS * others, killers), choose(rest, killers))
    return _all_hidden(held, hidden) * clean


def _all_hidden(held: int, hidden: int) -> Fraction:
    """Return the chance that all killers of a hand are among its hidden cards."""
    return Fraction(choose(hidden, held), choose(MAX_CARDS, held))


def _all_out(killers: int, others: int) -> Fraction:
    """Return the chance that each of the others gets a killer, by inclusion and exclusion."""
    rest = cards.DECK - MAX_CARDS
    ways = sum(
        (-1) ** spared * comb(others, spared) * choose(rest - UP_STREETS * spared, killers)
        for spared in range(others + 1)
    )
    return Fraction(ways, choose(rest, killers))
