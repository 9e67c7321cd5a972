"""Which categories a hand can be declared as, and why wild cards may suit no ranking by frequency.

Whoever holds wild cards, or seven cards of which five count, has a choice of categories. How often
a category is declared therefore depends on how the categories are ranked, and ranking them by how
often they are declared may contradict itself (Gadbois, "Poker with wild cards: a paradox?",
Mathematics Magazine 69, 1996; Emert and Umbach, "Inconsistencies of wild-card poker", Chance 9,
1996). Counting how many hands can be declared as what answers for every ranking at once.
"""

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from sim.arguments import whole_number
from sim.kernels.ranks import (
    CATEGORIES,
    FIVE_OF_A_KIND,
    FLUSH,
    FULL_HOUSE,
    HIGH_CARD,
    MAX_CARDS,
    ONE_PAIR,
    QUADS,
    ROYAL_FLUSH,
    STRAIGHT,
    STRAIGHT_FLUSH,
    TRIPS,
    TWO_PAIR,
)

Counts = NDArray[np.int64]
FIVE = 5
"""Cards that are declared."""
RANKS, MASKS = 13, 1 << 13
SHAPES = {
    FIVE_OF_A_KIND: (5,), QUADS: (4, 1), FULL_HOUSE: (3, 2), TRIPS: (3, 1, 1),
    TWO_PAIR: (2, 2, 1), ONE_PAIR: (2, 1, 1, 1),
}  # fmt: skip
"""How many cards of each rank five declared cards have; in other categories all ranks differ."""
RANK_BITS = 31
"""A hand's ranks are written in base 5: a digit below 5 for each rank."""
SUITED = (FLUSH, STRAIGHT_FLUSH, ROYAL_FLUSH)


@lru_cache(maxsize=16)
def claims(wild: int = 0, size: int = MAX_CARDS) -> Counts:
    """Count hands, (size + 1, 2048), by their wild cards and declarable categories.

    A hand is five to seven cards. Bit c of the second index is set if five of them, wild ones
    declared at will, are of category number c in ``sim.kernels.ranks.CATEGORIES``. The five
    declared cards are different cards, but for five of a kind, and are what they are: three of a
    kind is no pair, a straight flush no flush.
    """
    size = whole_number(size, "cards of a hand", FIVE, MAX_CARDS)
    counts = np.zeros((size + 1, 1 << len(CATEGORIES)), np.int64)
    for held in range(min(size, wild.bit_count()) + 1):
        keys, hands = _classes(wild, held, size - held)
        if keys.size:
            ways = comb(wild.bit_count(), held) * hands
            np.add.at(counts[held], _categories(keys, held), ways)
    counts.flags.writeable = False
    return counts


def can_be(hand: Sequence[int], wild: int = 0) -> tuple[str, ...]:
    """Return the declarable categories of five to seven cards, in the usual order, best first."""
    naturals = [card for card in hand if not wild >> card & 1]
    held, key = len(hand) - len(naturals), np.zeros(1, np.int64)
    for suit in range(4):
        mask = sum(1 << card // 4 for card in naturals if card % 4 == suit)
        key = _join(key, _suit_keys(np.array([mask]), held), held)
    declarable = int(_categories(key, held)[0])
    return tuple(name for number, name in enumerate(CATEGORIES) if declarable >> number & 1)[::-1]


def named(counts: Counts, order: Sequence[str]) -> dict[str, int]:
    """Return how many hands are declared as each category, if all declare the best of an order.

    ``counts`` are those of ``claims`` (or its sum over wild cards); ``order`` is best first.
    """
    left = counts.reshape(-1, counts.shape[-1]).sum(axis=0)
    declared: dict[str, int] = {}
    for name in order:
        able = _declarable_as(CATEGORIES.index(name))
        declared[name] = int(left[able].sum())
        left = np.where(able, 0, left)
    return declared


def fair_orders(counts: Counts) -> Iterator[tuple[str, ...]]:
    """Yield each order of the categories in which none is declared more often than one below it.

    All orders are tried, best category first, and left as soon as they contradict themselves.
    Categories that nobody can declare stand nowhere.
    """
    left = counts.reshape(-1, counts.shape[-1]).sum(axis=0)
    possible = [number for number in range(len(CATEGORIES)) if left[_declarable_as(number)].any()]
    yield from _continued(left, (), possible, 0)


def _continued(
    left: Counts, order: tuple[str, ...], rest: Sequence[int], before: int
) -> Iterator[tuple[str, ...]]:
    """Yield the fair orders that go on from one, given the hands that it leaves undeclared."""
    if not rest:
        yield order
    for number in rest:
        able = _declarable_as(number)
        hands = int(left[able].sum())
        if hands >= before:
            others = [other for other in rest if other != number]
            yield from _continued(
                np.where(able, 0, left), (*order, CATEGORIES[number]), others, hands
            )


@cache
def _declarable_as(number: int) -> NDArray[np.bool_]:
    """Return which sets of categories hold this one, (2048,)."""
    return (np.arange(1 << len(CATEGORIES)) >> number & 1).astype(bool)


def _classes(wild: int, held: int, size: int) -> tuple[Counts, Counts]:
    """Return classes of natural cards, (n,), and how many hands are in each, suit by suit.

    A class is the ranks in base 5; with no wild card above them the mask of a suit with five cards
    or more, of which there is one at most; with wild cards what they make of any suit, a bit each.
    """
    totals, keys, hands = np.zeros(1, np.int64), np.zeros(1, np.int64), np.ones(1, np.int64)
    for suit in range(4):
        ranks = [rank for rank in range(RANKS) if not wild >> (rank * 4 + suit) & 1]
        parts = []
        for dealt in range(min(size, len(ranks)) + 1):
            left = size - dealt
            before = totals == left if suit == 3 else totals <= left
            own = _suit_keys(_masks(ranks, dealt), held)
            joined = _join(keys[before][:, None], own, held)
            parts.append(
                [np.broadcast_to(column[:, None], joined.shape).ravel()
                 for column in (totals[before] + dealt, hands[before])]
                + [joined.ravel()]
            )  # fmt: skip
        totals, hands, keys = (np.concatenate(column) for column in zip(*parts, strict=True))
        keys, first, classes = np.unique(keys, return_index=True, return_inverse=True)
        totals, before = totals[first], hands
        hands = np.zeros(len(keys), np.int64)
        np.add.at(hands, classes, before)
    return keys, hands


def _join(keys: Counts, own: Counts, held: int) -> Counts:
    """Return the classes that more cards of another suit make of classes."""
    low = (1 << RANK_BITS) - 1
    above = (keys | own) & ~low if held else (keys & ~low) + (own & ~low)
    return (keys & low) + (own & low) + above


def _masks(ranks: Sequence[int], size: int) -> Counts:
    """Return all masks of so many of these ranks."""
    return np.array([sum(1 << r for r in some) for some in combinations(ranks, size)], np.int64)


def _suit_keys(masks: Counts, held: int) -> Counts:
    """Return what a suit adds to a class: its ranks, and its mask or what wild cards make of it."""
    digits = np.zeros(len(masks), np.int64)
    above: Counts = np.where(_bits(masks) >= FIVE, masks, 0)
    if held:
        able = [_nearest()[category][masks] + held >= FIVE for category in SUITED]
        above = np.sum([made.astype(np.int64) << bit for bit, made in enumerate(able)], axis=0)
    for rank in range(RANKS):
        digits += (masks >> rank & 1) * 5**rank
    return digits + (above << RANK_BITS)


@cache
def _nearest() -> dict[int, Counts]:
    """Return how many different ranks of a mask, (8192,), fit into each category of a suit."""
    masks = np.arange(MASKS)
    straights = _straights()

    def best(fives: Sequence[int]) -> Counts:
        most: Counts = np.max([_bits(masks & five) for five in fives], axis=0)
        return most

    scattered = np.minimum(_bits(masks), FIVE) - np.isin(masks, straights)
    return {
        FLUSH: scattered, STRAIGHT_FLUSH: best(straights[:-1]), ROYAL_FLUSH: best(straights[-1:])
    }  # fmt: skip


def _bits(masks: Counts) -> Counts:
    """Return how many ranks each mask holds."""
    held: Counts = np.sum([masks >> rank & 1 for rank in range(RANKS)], axis=0)
    return held


def _straights() -> list[int]:
    """Return the masks of the ten straights, the wheel first and the ace-high one last."""
    wheel = 0b1_0000_0000_1111
    return [wheel, *(0b11111 << low for low in range(RANKS - FIVE + 1))]


def _categories(keys: Counts, held: int) -> Counts:
    """Return the sets of categories, as bits, that classes with so many wild cards can be."""
    ranks, above = keys & (1 << RANK_BITS) - 1, keys >> RANK_BITS
    copies = np.stack([ranks // 5**rank % 5 for rank in range(RANKS)])
    most = -np.sort(-copies, axis=0)
    can: dict[int, NDArray[np.bool_]] = {}
    for category, shape in SHAPES.items():
        wanted = np.array(shape)[:, None]
        can[category] = np.minimum(most[: len(shape)], wanted).sum(axis=0) + held >= FIVE
    can |= _runs(_mask(copies > 0), _mask(copies == 1), above, held)
    sets: Counts = np.sum([made.astype(np.int64) << bit for bit, made in can.items()], axis=0)
    return sets


def _mask(ranks: NDArray[np.bool_]) -> Counts:
    """Return masks, (n,), of the ranks of which something is true, (13, n)."""
    mask: Counts = (ranks << np.arange(RANKS)[:, None]).sum(axis=0)
    return mask


def _runs(present: Counts, once: Counts, above: Counts, held: int) -> dict[int, NDArray[np.bool_]]:
    """Return whether classes can be each category of five different ranks.

    ``present`` are the ranks that are there, ``once`` those of one card, ``above`` what a class
    says of its suits.
    """
    near = _nearest()
    if held:  # a wild card can always be declared in another suit
        straight = np.maximum(near[STRAIGHT_FLUSH], near[ROYAL_FLUSH])
        suited = {category: (above >> bit & 1) > 0 for bit, category in enumerate(SUITED)}
        return suited | {
            STRAIGHT: straight[present] + held >= FIVE,
            HIGH_CARD: near[FLUSH][present] + held >= FIVE,
        }
    alone = once & above
    straights = [(present & five == five) & (alone & five != five) for five in _straights()]
    return {category: near[category][above] >= FIVE for category in SUITED} | {
        STRAIGHT: np.any(straights, axis=0),
        # Of six ranks, at most two runs of five are straights: one that is none can be chosen
        # around any rank that the suit does not hold alone.
        HIGH_CARD: (near[FLUSH][present] >= FIVE) & (present != alone),
    }
