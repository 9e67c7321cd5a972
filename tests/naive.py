"""The slow, obvious twin of every kernel: the rule book in plain Python.

Written from the rules (RULES.md; OPR-672, OPR-716), never from ``sim.kernels``. What both sides
share is convention, not calculation: card numbers, the words of ``sim.events``, how the random
stream is defined, and which position of a shuffled deck is whose card.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from enum import IntEnum
from functools import cache
from itertools import combinations, combinations_with_replacement
from typing import Self

import numpy as np

from sim.events import Event
from sim.game import Game
from sim.tally import Counts, Tally, amounts, layout

Value = tuple[int, ...]
"""A hand's value: category, then five ranks, most telling first; -1 is a missing card."""
Happening = tuple[int, int, int | Value]
"""Event, seat, value; what a hand is worth where it is shown."""

ACE, FIVE = 12, 3
NOBODY = -1


class Category(IntEnum):
    """Kinds of hands, low to high."""

    HIGH_CARD = 0
    ONE_PAIR = 1
    TWO_PAIR = 2
    TRIPS = 3
    STRAIGHT = 4
    FLUSH = 5
    FULL_HOUSE = 6
    QUADS = 7
    STRAIGHT_FLUSH = 8
    ROYAL_FLUSH = 9
    FIVE_OF_A_KIND = 10


# --- Hands -----------------------------------------------------------------------------------


def straight_high(ranks: Sequence[int]) -> int | None:
    """Return the high rank of a straight, or None; the ace is low only in 5-4-3-2-A."""
    held = sorted(ranks)
    if held == [0, 1, 2, 3, ACE]:
        return FIVE
    in_a_row = len(held) == 5 and held == list(range(held[0], held[0] + 5))
    return held[-1] if in_a_row else None


def category_of(ranks: Sequence[int], suited: bool) -> Category:
    """Return the category of at most five named cards; ``suited`` is five of one suit."""
    shape = sorted(Counter(ranks).values(), reverse=True)
    high = straight_high(ranks)
    kinds = {
        Category.FIVE_OF_A_KIND: shape == [5],
        Category.ROYAL_FLUSH: suited and high == ACE,
        Category.STRAIGHT_FLUSH: suited and high is not None,
        Category.QUADS: shape[0] == 4,
        Category.FULL_HOUSE: shape == [3, 2],
        Category.FLUSH: suited,
        Category.STRAIGHT: high is not None,
        Category.TRIPS: shape[0] == 3,
        Category.TWO_PAIR: shape[:2] == [2, 2],
        Category.ONE_PAIR: shape[0] == 2,
        Category.HIGH_CARD: True,
    }
    return next(kind for kind, made in kinds.items() if made)


@cache
def value_of(ranks: tuple[int, ...], suited: bool) -> Value:
    """Return the value of at most five named cards."""
    category = category_of(ranks, suited)
    counts = Counter(ranks)
    telling = sorted(counts, key=lambda rank: (counts[rank], rank), reverse=True)
    if category in (Category.STRAIGHT, Category.STRAIGHT_FLUSH, Category.ROYAL_FLUSH):
        telling = [straight_high(ranks)]
    if category is Category.FLUSH:
        telling = sorted(ranks, reverse=True)
    return (int(category), *telling, *[-1] * (5 - len(telling)))


@cache
def best_named(naturals: tuple[int, ...], wild: int, suited: bool, flush_repeats: bool) -> Value:
    """Return the best value that naming ``wild`` wild cards makes of natural cards of these ranks.

    Only one suit matters to a hand: the one that all five share, if they do. In it each rank is
    there once (unless a wild card may repeat it). Without it every rank has enough suits for four
    different cards, and the fifth makes five of a kind.
    """
    return max(
        value_of(tuple(sorted(naturals + named)), suited)
        for named in combinations_with_replacement(range(13), wild)
        if not suited or flush_repeats or len(set(naturals + named)) == 5
    )


def best_hand(cards: Sequence[int], wild: int = 0, flush_repeats: bool = False) -> Value:
    """Return the value of the best five of one to seven cards; ``wild`` is a mask."""
    best: list[Value] = []
    for five in combinations(cards, min(5, len(cards))):
        naturals = [card for card in five if not wild >> card & 1]
        ranks = tuple(sorted(card // 4 for card in naturals))
        free = len(five) - len(naturals)
        best.append(best_named(ranks, free, False, flush_repeats))
        if len(five) == 5 and len({card % 4 for card in naturals}) <= 1:
            best.append(best_named(ranks, free, True, flush_repeats))
    return max(best)


def best_hand_card_by_card(cards: Sequence[int], wild: int, flush_repeats: bool) -> Value:
    """Return what ``best_hand`` does, each wild card tried as each of the 52 cards."""
    best: list[Value] = []
    for five in combinations(cards, min(5, len(cards))):
        naturals = tuple(card for card in five if not wild >> card & 1)
        for named in combinations_with_replacement(range(52), len(five) - len(naturals)):
            hand = naturals + named
            ranks = tuple(sorted(card // 4 for card in hand))
            suited = len(hand) == 5 and len({card % 4 for card in hand}) == 1
            different = len(set(hand)) == len(hand)
            five_of_a_kind = len(hand) == 5 and len(set(ranks)) == 1
            if different or five_of_a_kind or (suited and flush_repeats):
                best.append(value_of(ranks, suited))
    return max(best)


# --- The random stream and the deck ----------------------------------------------------------

WORD = 1 << 64
GOLDEN = 0x9E3779B97F4A7C15
CARDS = 0xCA6D
ROLLS_A_WORD, WORDS_A_DEAL, RETRY = 7, 16, 1 << 40

Stream = tuple[int, int]
"""Start and step."""


def mix(value: int) -> int:
    """Mix 64 bits (SplitMix64's finaliser, Stafford's variant 13)."""
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 % WORD
    value = (value ^ value >> 27) * 0x94D049BB133111EB % WORD
    return value ^ value >> 31


def root(seed: int, players: int, purpose: int) -> int:
    """Return what all pots of one seed and table size share."""
    return mix(mix((seed + GOLDEN) % WORD) ^ mix((players * GOLDEN + purpose) % WORD))


def pot_stream(shared: int, pot: int) -> Stream:
    """Return the stream of one pot."""
    start = mix((shared + (pot + 1) * GOLDEN) % WORD)
    return start, mix(start ^ GOLDEN) | 1


def word(stream: Stream, index: int) -> int:
    """Return word number ``index`` of a stream."""
    start, step = stream
    return mix((start + (index + 1) * step) % WORD)


def rolls(stream: Stream, index: int, sides: Sequence[int]) -> list[int]:
    """Roll one die for each of ``sides`` with one fair word (arXiv 2408.06213)."""
    low, rolled = word(stream, index), []
    for choices in sides:
        roll, low = divmod(low * choices, WORD)
        rolled.append(roll)
    unfair = low < WORD % math.prod(sides)
    return rolls(stream, index + RETRY, sides) if unfair else rolled


def shuffle(stream: Stream, deal: int) -> list[int]:
    """Return the whole deck of one deal, in the order of positions."""
    deck = list(range(52))
    for group, first in enumerate(range(0, 52, ROLLS_A_WORD)):
        places = range(first, min(first + ROLLS_A_WORD, 52))
        ahead = rolls(stream, deal * WORDS_A_DEAL + group, [52 - place for place in places])
        for place, roll in zip(places, ahead, strict=True):
            deck[place], deck[place + roll] = deck[place + roll], deck[place]
    return deck


def deck_of(seed: int, players: int, pot: int, deal: int) -> list[int]:
    """Return the deck of one deal of one pot."""
    return shuffle(pot_stream(root(seed, players, CARDS), pot), deal)


# --- One pot ---------------------------------------------------------------------------------


class HandKilledError(Exception):
    """A killer was dealt face up: the deal stops on that very card."""


class LastPlayerLeftError(Exception):
    """Everyone else has been put out: the last player wins at once."""


class Pot:
    """One pot from the antes to the payout; ``deck(deal)`` gives 52 cards in positions' order.

    Nobody folds, so all who are still in are those whom no killer has put out.
    """

    def __init__(self, game: Game, players: int, deck: Callable[[int], Sequence[int]]) -> None:
        self.game, self.players, self.deck = game, players, deck
        self.events: list[Happening] = []
        self.still_in = list(range(players))
        self.chips = 0
        self.hands: dict[int, list[int]] = {}
        self.tolls_paid: Counter[int] = Counter()
        self.dealt: set[int] = set()

    def note(self, event: Event, seat: int, value: int | Value) -> None:
        """Write down what happened."""
        self.events.append((int(event), seat, value))

    def play(self) -> Self:
        """Deal until a showdown, until one player is left, or until the pot is abandoned."""
        for deal in range(self.game.kill.max_deals):
            self.note(Event.DEAL, NOBODY, deal)
            self.collect_antes(again=deal > 0)
            try:
                self.deal_hands(self.deck(deal))
            except HandKilledError:
                continue
            except LastPlayerLeftError:
                self.share(self.still_in)
            else:
                self.showdown()
            return self
        self.note(Event.ABANDON, NOBODY, self.game.kill.max_deals)
        self.share(self.still_in)
        return self

    def collect_antes(self, again: bool) -> None:
        """Take the antes; for a redeal only where the page says so."""
        kill, ante = self.game.kill, self.game.ante
        if ante.amount == 0 or (again and not (kill.ante_again or kill.everyone)):
            return
        dealer = self.players - 1
        for seat in self.still_in:
            if ante.who == "everyone" or seat == dealer:
                self.pay(Event.ANTE, seat, ante.amount)

    def pay(self, event: Event, seat: int, chips: int) -> None:
        """Put chips into the pot."""
        self.note(event, seat, chips)
        self.chips += chips

    def deal_hands(self, deck: Sequence[int]) -> None:
        """Deal round the table: two down, four up, one down. Toll prices start from the first."""
        self.hands = {seat: [] for seat in self.still_in}
        self.tolls_paid.clear()
        self.dealt.clear()
        for hole in range(2):
            for seat in self.still_in:
                self.deal_down(deck, seat, 4 * self.players + 2 * seat + hole)
        for street in range(4):
            for seat in tuple(self.still_in):
                self.deal_up(deck, seat, street * self.players + seat)
        self.deal_seventh_street(deck)

    def take(self, deck: Sequence[int], position: int) -> int:
        """Take the card that lies at a position; no card is dealt twice."""
        assert position not in self.dealt
        self.dealt.add(position)
        return deck[position]

    def deal_down(self, deck: Sequence[int], seat: int, position: int) -> None:
        """Deal a card face down: a killer does nothing there, and a toll card is free."""
        card = self.take(deck, position)
        self.hands[seat].append(card)
        self.note(Event.DOWN, seat, card)

    def deal_up(self, deck: Sequence[int], seat: int, position: int) -> None:
        """Deal a card face up: the toll is paid first, then a killer kills."""
        card = self.take(deck, position)
        self.hands[seat].append(card)
        self.note(Event.UP, seat, card)
        if self.game.toll.cards >> card & 1:
            self.pay_toll(seat)
        if not self.game.kill.cards >> card & 1:
            return
        if self.game.kill.treatment == "redeal":
            self.note(Event.KILL, seat, card)
            raise HandKilledError
        self.note(Event.OUT, seat, card)
        self.still_in.remove(seat)
        if len(self.still_in) == 1:
            raise LastPlayerLeftError

    def pay_toll(self, seat: int) -> None:
        """Pay for the first, second, … toll card of the deal; the last price stays."""
        prices = self.game.toll.prices
        number = self.tolls_paid[seat]
        self.tolls_paid[seat] += 1
        self.pay(Event.TOLL, seat, prices[number] if number < len(prices) else prices[-1])

    def deal_seventh_street(self, deck: Sequence[int]) -> None:
        """Deal one down to each, or one face up for everybody when too few cards are left."""
        behind = 6 * self.players
        if 52 - len(self.dealt) < len(self.still_in):
            self.deal_community_card(deck, behind)
            return
        places = [behind + seat for seat in self.still_in]
        if self.players == 8:
            places = [*range(behind, 52), *(up for up in range(32) if up not in self.dealt)]
        for seat, position in zip(self.still_in, places, strict=False):
            self.deal_down(deck, seat, position)

    def deal_community_card(self, deck: Sequence[int], position: int) -> None:
        """Deal a card to nobody: a killer kills the deal, puts nobody out, and costs no toll."""
        card = self.take(deck, position)
        self.note(Event.COMMUNITY, NOBODY, card)
        for seat in self.still_in:
            self.hands[seat].append(card)
        if self.game.kill.cards >> card & 1 and self.game.kill.treatment == "redeal":
            self.note(Event.KILL, NOBODY, card)
            raise HandKilledError

    def showdown(self) -> None:
        """Show the hands; the best share the pot."""
        values = {}
        for seat in self.still_in:
            hand = self.hands[seat]
            values[seat] = best_hand(hand, self.game.wild, self.game.flush_repeats)
            self.note(Event.SHOW, seat, values[seat])
        best = max(values.values())
        self.share([seat for seat in self.still_in if values[seat] == best])

    def share(self, winners: Sequence[int]) -> None:
        """Share the pot evenly; odd chips go one by one to those nearest the dealer's left."""
        each, odd = divmod(self.chips, len(winners))
        for place, seat in enumerate(winners):
            self.note(Event.WIN, seat, each + (1 if place < odd else 0))


# --- Tallies ---------------------------------------------------------------------------------


def tally_of(game: Game, players: int, pots: Sequence[Sequence[Happening]]) -> Tally:
    """Count pots again from their events; what a page does not have (kills, tolls) stays 0."""
    tally = Tally(layout(game, players))
    for events in pots:
        count_pot(tally.counts, game, players, events)
        if game.kill.cards:
            count_kills(tally.counts, events)
        if game.toll.cards:
            count_tolls(tally.counts, amounts(game, players).toll_unit, players, events)
        if any(event == Event.SHOW for event, _, _ in events):
            count_showdown(tally.counts, events)
    return tally


def values_of(events: Sequence[Happening], *kinds: Event) -> list[int]:
    """Return the values of events of these kinds."""
    return [value for event, _, value in events if event in kinds]


def deals_of(events: Sequence[Happening]) -> list[list[Happening]]:
    """Return the events of a pot deal by deal."""
    deals: list[list[Happening]] = []
    for happening in events:
        if happening[0] == Event.DEAL:
            deals.append([])
        deals[-1].append(happening)
    return deals


def add_sum(sums: np.ndarray, amount: int) -> None:
    """Add an amount and its square."""
    sums[0] += amount
    sums[1] += amount**2


def add_kinds(sums: np.ndarray, counts: Sequence[int], things: int) -> None:
    """Add each count c of a pot, c², and c times the number of things."""
    counted = np.array(counts)
    sums += np.array([counted, counted**2, counted * things])


def add_to_bin(bins: np.ndarray, place: int) -> None:
    """Count one in a bin; what lies beyond falls into the last."""
    bins[min(place, len(bins) - 1)] += 1


def count_pot(counts: Counts, game: Game, players: int, events: Sequence[Happening]) -> None:
    """Count the pot itself: its deals, cards and chips."""
    chips = sum(values_of(events, Event.ANTE, Event.TOLL))
    counts.pots[0] += 1
    counts.deals[len(deals_of(events))] += 1
    add_sum(counts.cards, len(values_of(events, Event.DOWN, Event.UP, Event.COMMUNITY)))
    counts.abandoned_pots[0] += len(values_of(events, Event.ABANDON))
    add_to_bin(counts.pot_size, chips // amounts(game, players).pot_unit)
    add_sum(counts.pot_size_sums, chips)


def killers_in(deal: Sequence[Happening]) -> Iterator[tuple[int, int, int]]:
    """Yield (which card face up, street, seat) of a deal's killers; 4 and 8 are the community's."""
    face_up, by_seat = 0, Counter()
    for event, seat, _ in deal:
        if event in (Event.UP, Event.COMMUNITY):
            face_up += 1
            by_seat[seat] += 1
        if event in (Event.KILL, Event.OUT):
            nobody = seat == NOBODY
            yield face_up, 4 if nobody else by_seat[seat] - 1, 8 if nobody else seat


def count_kills(counts: Counts, events: Sequence[Happening]) -> None:
    """Count a pot's killers; by card, a count is of all killers up to that card, kept as steps."""
    deals = deals_of(events)
    killers = [killer for deal in deals for killer in killers_in(deal)]
    face_up, streets, seats = ([killer[axis] for killer in killers] for axis in range(3))
    up_to = np.zeros_like(counts.kills_by_card)
    add_kinds(up_to, [sum(up <= card for up in face_up) for card in range(34)], len(deals))
    counts.kills_by_card[...] += np.diff(up_to, axis=1, prepend=0)
    by_street = [streets.count(street) for street in range(5)]
    add_kinds(counts.kills_by_street, [*by_street, len(killers)], len(deals))
    add_kinds(counts.kills_by_seat, [seats.count(seat) for seat in range(9)], len(deals))
    counts.killed_pots[0] += bool(killers)
    counts.players_out[len(values_of(events, Event.OUT))] += 1


def count_tolls(counts: Counts, unit: int, players: int, events: Sequence[Happening]) -> None:
    """Count what a pot's players paid in tolls."""
    paid = [
        sum(value for event, payer, value in events if event == Event.TOLL and payer == seat)
        for seat in range(players)
    ]
    add_to_bin(counts.toll_pot, sum(paid) // unit)
    add_sum(counts.toll_pot_sums, sum(paid))
    last = counts.toll_player.shape[1] - 1
    for place, alike in Counter(min(chips // unit, last) for chips in paid).items():
        add_sum(counts.toll_player[:, place], alike)
    numbers = [number for deal in deals_of(events) for number in tolls_by_player(deal)]
    add_sum(counts.players_dealt, len(numbers))
    add_kinds(counts.tolls_paid, [numbers.count(number) for number in range(5)], len(numbers))


def tolls_by_player(deal: Sequence[Happening]) -> list[int]:
    """Return how many tolls each player who was dealt in has paid."""
    dealt_in = sorted({seat for event, seat, _ in deal if event == Event.DOWN})
    payers = [seat for event, seat, _ in deal if event == Event.TOLL]
    return [payers.count(seat) for seat in dealt_in]


def count_showdown(counts: Counts, events: Sequence[Happening]) -> None:
    """Count the hands shown, the best of them, and whether they split the pot."""
    shown = [value for event, _, value in events if event == Event.SHOW]
    categories = [value[0] for value in shown]
    add_kinds(counts.hands, [categories.count(kind) for kind in Category], len(shown))
    add_sum(counts.hands_shown, len(shown))
    counts.winning_hands[max(shown)[0]] += 1
    counts.split_pots[0] += shown.count(max(shown)) > 1
