"""The slow, obvious reference of every kernel: the rule book in plain Python.

Written from the rules (RULES.md; OPR-672, OPR-716), never from ``sim.kernels``. What both sides
share is convention, not calculation: card numbers, the words of ``sim.events``, how the random
stream is defined, which position of a shuffled deck is whose card, and which word decides whose
turn. What a hand will be worth before the last card is looked up: ``test_strength`` proves it.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import IntEnum
from functools import cache
from itertools import combinations, combinations_with_replacement
from typing import Any, NamedTuple, Self

import numpy as np

from sim.events import Event
from sim.game import Game
from sim.policy import ONE, PRICES, STAY, STEP, VALUES, Policy
from sim.strength import expected_strength
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


def claims_of(cards: Sequence[int], wild: int) -> set[Category]:
    """Return all categories of five of these cards, each wild card tried as each of the 52."""
    found: set[Category] = set()
    for five in combinations(cards, 5):
        naturals = tuple(card for card in five if not wild >> card & 1)
        for named in combinations_with_replacement(range(52), 5 - len(naturals)):
            hand = naturals + named
            ranks = [card // 4 for card in hand]
            if len(set(hand)) == 5 or len(set(ranks)) == 1:
                found.add(category_of(ranks, len({card % 4 for card in hand}) == 1))
    return found


@cache
def strength_ahead(cards: tuple[int, ...], opponents: int, wild: int, flush_repeats: bool) -> int:
    """Return how often a hand of sorted cards will win against so many who stay, times ``ONE``."""
    return round(expected_strength(cards, opponents, wild, flush_repeats=flush_repeats) * ONE)


# --- The random stream and the deck ----------------------------------------------------------

WORD = 1 << 64
GOLDEN = 0x9E3779B97F4A7C15
CARDS, DECISIONS = 0xCA6D, 0xDEC1
WORDS_A_DEAL, RETRY = 16, 1 << 40

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
    court = [9 * 4 + 3, 10 * 4 + 3, 11 * 4 + 3]  # J, Q, K of spades
    first = deal * WORDS_A_DEAL
    deck = [card for card in range(52) if card not in court]
    for group in range(7):
        slots = range(7 * group, 7 * group + 7)
        ahead = rolls(stream, first + 1 + group, [49 - slot for slot in slots])
        for slot, roll in zip(slots, ahead, strict=True):
            deck[slot], deck[slot + roll] = deck[slot + roll], deck[slot]
    for card, slot in zip(court, rolls(stream, first, [50, 51, 52]), strict=True):
        deck.append(card)
        deck[-1], deck[slot] = deck[slot], deck[-1]
    return deck


def deck_of(seed: int, players: int, pot: int, deal: int) -> list[int]:
    """Return the deck of one deal of one pot."""
    return shuffle(pot_stream(root(seed, players, CARDS), pot), deal)


def decisions_of(seed: int, players: int, pot: int) -> Stream:
    """Return the stream that decides the turns of one pot."""
    return pot_stream(root(seed, players, DECISIONS), pot)


# --- One pot ---------------------------------------------------------------------------------


class HandKilledError(Exception):
    """A killer was dealt face up: the deal stops on that very card."""


class LastPlayerLeftError(Exception):
    """Everyone else has folded or been put out: the last player wins at once."""


THIRD, SIXTH, SEVENTH = 0, 3, 4
BLIND = 15
"""In place of a turn's number: the roll before the betting."""


class Turn(NamedTuple):
    """What a player who looks was asked for, what was there to win, and whether he folded."""

    asked: int
    there: int
    folded: bool


class Round:
    """A betting round: what everybody has put in, what he must have put in, and who made it so."""

    def __init__(self, street: int) -> None:
        self.street = street
        self.matched = 0
        self.bets_and_raises = 0
        self.paid: Counter[int] = Counter()
        self.turns: Counter[int] = Counter()


class Pot:
    """One pot from the antes to the payout; ``deck(deal)`` gives 52 cards in positions' order.

    ``seats`` are the players' policies, one a seat; ``decisions`` is the stream that they roll
    with, and ``ahead`` tells how often cards will win against so many opponents, times ``ONE``.
    """

    def __init__(
        self,
        game: Game,
        players: int,
        deck: Callable[[int], Sequence[int]],
        seats: Sequence[Policy] | None = None,
        decisions: Stream = (0, 1),
        ahead: Callable[[Sequence[int], int], int] | None = None,
    ) -> None:
        self.game, self.players, self.deck = game, players, deck
        self.seats = [STAY] * players if seats is None else list(seats)
        self.decisions, self.ahead = decisions, ahead or self.look_up
        self.events: list[Happening] = []
        self.turns: list[Turn] = []
        self.still_in = list(range(players))
        self.chips = 0
        self.deal = 0
        self.down: dict[int, list[int]] = {}
        self.up: dict[int, list[int]] = {}
        self.community: list[int] = []
        self.tolls_paid: Counter[int] = Counter()
        self.dealt: set[int] = set()
        self.round = Round(THIRD)

    def note(self, event: Event, seat: int, value: int | Value) -> None:
        """Write down what happened."""
        self.events.append((int(event), seat, value))

    def play(self) -> Self:
        """Deal until a showdown, until one player is left, or until the pot is abandoned."""
        for deal in range(self.game.kill.max_deals):
            self.deal = deal
            self.note(Event.DEAL, NOBODY, deal)
            if self.game.kill.everyone:
                self.still_in = list(range(self.players))
            self.collect_antes(again=deal > 0)
            try:
                self.deal_and_bet(self.deck(deal))
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

    def leave(self, seat: int) -> None:
        """Take a player out of the hand: he folded, or was put out."""
        self.still_in.remove(seat)
        if len(self.still_in) == 1:
            raise LastPlayerLeftError

    # --- The cards

    def deal_and_bet(self, deck: Sequence[int]) -> None:
        """Deal two down, four up and one down, and bet after each street from the third on."""
        self.down = {seat: [] for seat in self.still_in}
        self.up = {seat: [] for seat in self.still_in}
        self.community = []
        self.tolls_paid.clear()
        self.dealt.clear()
        for hole in range(2):
            for seat in self.still_in:
                self.deal_down(deck, seat, 4 * self.players + 2 * seat + hole)
        for street in range(THIRD, SEVENTH):
            for seat in tuple(self.still_in):
                self.deal_up(deck, seat, street * self.players + seat)
            self.bet(street)
        self.deal_seventh_street(deck)
        self.bet(SEVENTH)

    def take(self, deck: Sequence[int], position: int) -> int:
        """Take the card that lies at a position; no card is dealt twice."""
        assert position not in self.dealt
        self.dealt.add(position)
        return deck[position]

    def deal_down(self, deck: Sequence[int], seat: int, position: int) -> None:
        """Deal a card face down: a killer does nothing there, and a toll card is free."""
        card = self.take(deck, position)
        self.down[seat].append(card)
        self.note(Event.DOWN, seat, card)

    def deal_up(self, deck: Sequence[int], seat: int, position: int) -> None:
        """Deal a card face up: the toll is paid first, then a killer kills."""
        card = self.take(deck, position)
        self.up[seat].append(card)
        self.note(Event.UP, seat, card)
        if self.game.toll.cards >> card & 1:
            price = self.next_price(seat)
            self.tolls_paid[seat] += 1
            self.pay(Event.TOLL, seat, price)
        if not self.game.kill.cards >> card & 1:
            return
        if self.game.kill.treatment == "redeal":
            self.note(Event.KILL, seat, card)
            raise HandKilledError
        self.note(Event.OUT, seat, card)
        self.leave(seat)

    def next_price(self, seat: int) -> int:
        """Return what a player's next toll card of the deal costs; the last price stays."""
        prices, number = self.game.toll.prices, self.tolls_paid[seat]
        return prices[number] if number < len(prices) else prices[-1]

    def deal_seventh_street(self, deck: Sequence[int]) -> None:
        """Deal one down to each, or one face up for everybody when too few cards are left."""
        behind = 6 * self.players
        if 52 - len(self.dealt) < len(self.still_in):
            self.deal_community_card(deck, behind)
            return
        slots = [behind + seat for seat in self.still_in]
        if self.players == 8:
            slots = [*range(behind, 52), *(up for up in range(32) if up not in self.dealt)]
        for seat, position in zip(self.still_in, slots, strict=False):
            self.deal_down(deck, seat, position)

    def deal_community_card(self, deck: Sequence[int], position: int) -> None:
        """Deal a card to nobody: a killer kills the deal, puts nobody out, and costs no toll."""
        card = self.take(deck, position)
        self.community.append(card)
        self.note(Event.COMMUNITY, NOBODY, card)
        if self.game.kill.cards >> card & 1 and self.game.kill.treatment == "redeal":
            self.note(Event.KILL, NOBODY, card)
            raise HandKilledError

    def hand(self, seat: int) -> list[int]:
        """Return all cards that a player may use."""
        return self.down[seat] + self.up[seat] + self.community

    def value(self, cards: Sequence[int]) -> Value:
        """Return what cards are worth on this page."""
        return best_hand(cards, self.game.wild, self.game.flush_repeats)

    # --- The betting

    def bet(self, street: int) -> None:
        """Go round the table until everybody still in has paid the same."""
        self.fold_blindly(street)
        self.round = Round(street)
        to_act = self.round_from(self.opener())
        if street == THIRD and self.game.betting.bring_in > 0:
            self.round.matched = self.game.betting.bring_in
            self.put_in(Event.BRING_IN, to_act.pop(0))
        while to_act:
            seat = to_act.pop(0)
            action = self.decide(seat)
            self.round.turns[seat] += 1
            if action is Event.FOLD:
                self.fold(seat, self.to_call(seat))
            elif action is Event.RAISE and self.round.bets_and_raises <= self.game.betting.raises:
                self.raise_the_bet(seat)
                to_act = self.round_from(seat)[1:]
            else:
                self.stay(seat)

    def fold_blindly(self, street: int) -> None:
        """Let those who do not look roll whether to fold; the last player never does."""
        for seat in tuple(self.still_in):
            policy = self.seats[seat]
            if policy.looks or policy.blind[street] == 0:
                continue
            if self.roll(street, seat, BLIND) < policy.blind[street]:
                self.fold(seat, 0)

    def fold(self, seat: int, chips: int) -> None:
        """Give up the cards, and note what staying would have cost."""
        self.note(Event.FOLD, seat, chips)
        self.leave(seat)

    def opener(self) -> int:
        """Return who speaks first: the lowest up card, or the highest hand that shows."""
        if self.round.street == THIRD and self.game.betting.opens == "low-card":
            return min(self.still_in, key=lambda seat: self.up[seat][0])
        return max(self.still_in, key=lambda seat: (self.value(self.up[seat]), -seat))

    def round_from(self, first: int) -> list[int]:
        """Return those still in, clockwise from one of them."""
        return sorted(self.still_in, key=lambda seat: (seat - first) % self.players)

    def to_call(self, seat: int) -> int:
        """Return what a player lacks of what the others have put in this round."""
        return self.round.matched - self.round.paid[seat]

    def put_in(self, event: Event, seat: int) -> None:
        """Match what has to be matched."""
        chips = self.to_call(seat)
        self.round.paid[seat] += chips
        if event is Event.CHECK:
            self.note(event, seat, 0)
        else:
            self.pay(event, seat, chips)

    def stay(self, seat: int) -> None:
        """Check if that is free, or call."""
        self.put_in(Event.CALL if self.to_call(seat) > 0 else Event.CHECK, seat)

    def raise_the_bet(self, seat: int) -> None:
        """Bet, or raise; completing a bring-in is the first bet."""
        self.round.bets_and_raises += 1
        bet = self.game.betting.bets[self.round.street]
        self.round.matched = self.round.bets_and_raises * bet
        self.put_in(Event.BET if self.round.bets_and_raises == 1 else Event.RAISE, seat)

    # --- A player's turn

    def roll(self, street: int, seat: int, turn: int) -> int:
        """Return the roll of a turn, 0 to 65535."""
        index = ((self.deal * 16 + street) * 8 + seat) * 16 + turn
        return word(self.decisions, index) >> 48

    def decide(self, seat: int) -> Event:
        """Return FOLD, CALL (which stands for a check too) or RAISE; only who looks rolls."""
        policy, street = self.seats[seat], self.round.street
        if policy.tables is None:
            return Event.CALL
        asked, there = self.price(seat)
        seen: tuple[int, ...] = self.seen(seat)
        if policy.tables[0].ndim > len(seen):
            seen = len(self.still_in) - 2, min(self.round.bets_and_raises, 2), *seen
        fold, raise_ = (int(table[seen]) for table in policy.tables)
        roll = self.roll(street, seat, self.round.turns[seat])
        self.turns.append(Turn(asked, there, roll < fold))
        if roll < fold:
            return Event.FOLD
        return Event.RAISE if roll < fold + raise_ else Event.CALL

    def seen(self, seat: int) -> tuple[int, int, int, int]:
        """Return what a policy's tables are asked: street, value, price, beaten or not."""
        price = self.price_bucket(*self.price(seat))
        return self.round.street, self.value_bucket(seat), price, int(self.is_beaten(seat))

    def unseen(self, seat: int) -> set[int]:
        """Return the cards that a player has not seen: neither face up in the deal, nor his."""
        face_up = {card for board in self.up.values() for card in board}
        return set(range(52)) - face_up - set(self.community) - set(self.down[seat])

    def unseen_of(self, mask: int, seat: int) -> int:
        """Return how many cards of a set a player has not seen."""
        return sum(mask >> card & 1 for card in self.unseen(seat))

    def up_cards_to_come(self) -> int:
        """Return how many cards face up may still kill the deal, or put a player out."""
        players_in, left = len(self.still_in), SEVENTH - 1 - self.round.street
        if self.round.street == SEVENTH:
            return 0
        if self.game.kill.treatment == "player-out":
            return left
        before_seventh = len(self.dealt) + players_in * left
        community = self.players == 8 and 52 - before_seventh < players_in
        return players_in * left + community

    def survival(self, seat: int) -> int:
        """Return the chance that no unseen killer comes face up, times ``ONE``."""
        unseen, killers = len(self.unseen(seat)), self.unseen_of(self.game.kill.cards, seat)
        to_come = self.up_cards_to_come()
        return math.comb(unseen - killers, to_come) * ONE // math.comb(unseen, to_come)

    def look_up(self, cards: Sequence[int], opponents: int) -> int:
        """Return how often cards will win against so many who stay, times ``ONE``."""
        hand = tuple(sorted(cards))
        return strength_ahead(hand, opponents, self.game.wild, self.game.flush_repeats)

    def value_bucket(self, seat: int) -> int:
        """Return what a hand is worth in sixteenths of a fair share; a killed deal shares."""
        players_in, survival = len(self.still_in), self.survival(seat)
        worth = survival * self.ahead(self.hand(seat), players_in - 1)
        if self.game.kill.treatment == "redeal":
            worth += (ONE - survival) * (ONE // players_in)
        return min(worth // ONE * players_in * STEP // ONE, VALUES - 1)

    def price(self, seat: int) -> tuple[int, int]:
        """Return what is asked and what is there to win, each times the number of unseen cards."""
        unseen = len(self.unseen(seat))
        asked = self.to_call(seat) * unseen
        if self.game.toll.cards and self.round.street < SIXTH:
            asked += self.next_price(seat) * self.unseen_of(self.game.toll.cards, seat)
        return asked, self.chips * unseen + asked

    def price_bucket(self, asked: int, there: int) -> int:
        """Return a price in sixteenths of what breaks even at a fair share; free is apart."""
        if asked == 0:
            return 0
        return 1 + min(asked * len(self.still_in) * STEP // there, PRICES - 2)

    def is_beaten(self, seat: int) -> bool:
        """Return whether another's board alone is higher than all that a player holds."""
        others = [self.value(self.up[other]) for other in self.still_in if other != seat]
        return max(others) > self.value(self.hand(seat))

    # --- The end

    def showdown(self) -> None:
        """Show the hands; the best share the pot."""
        values = {}
        for seat in self.still_in:
            values[seat] = self.value(self.hand(seat))
            self.note(Event.SHOW, seat, values[seat])
        best = max(values.values())
        self.share([seat for seat in self.still_in if values[seat] == best])

    def share(self, winners: Sequence[int]) -> None:
        """Share the pot evenly; odd chips go one by one to those nearest the dealer's left."""
        each, odd = divmod(self.chips, len(winners))
        for number, seat in enumerate(winners):
            self.note(Event.WIN, seat, each + (1 if number < odd else 0))


# --- Rows ------------------------------------------------------------------------------------

NEVER = 255
SHOWDOWN, ABANDONED, ONE_LEFT = 0, 1, 2


def rows_of(
    pots: Sequence[Pot], first: int, seats: Sequence[Policy], rank: Callable[[Value], int]
) -> dict[str, np.ndarray]:
    """Return what became of pots from number ``first`` on, told by their events, by column.

    ``rank`` is the strength of a hand's value.
    """
    told = [row_of(pot, seats, rank) for pot in pots]
    columns = {name: np.array([row[name] for row in told]) for name in told[0]}
    return columns | {"pot": first + np.arange(len(pots))}


def row_of(pot: Pot, seats: Sequence[Policy], rank: Callable[[Value], int]) -> dict[str, Any]:
    """Return what became of a pot."""
    events, players = pot.events, pot.players
    deals, betting = deals_of(events), betting_of(events, seats)
    paid, won = by_player(events, players, *CHIPS_IN), by_player(events, players, Event.WIN)
    payers = [seat for event, seat, _ in events if event == Event.TOLL]
    shown = {seat: rank(value) for event, seat, value in events if event == Event.SHOW}
    strength = [shown.get(seat, 0) for seat in range(players)]
    before = [happening for deal in deals[:-1] for happening in deal]
    abandoned = bool(values_of(events, Event.ABANDON))
    bands = [price_band(turn.asked, turn.there) for turn in pot.turns]
    folding = [band for band, turn in zip(bands, pot.turns, strict=True) if turn.folded]
    out = {seat: (street, card) for card, street, seat in killers_in(deals[-1]) if seat < 8}
    out = {} if pot.game.kill.treatment == "redeal" else out
    return betting | {
        "deals": len(deals),
        "cards": len(values_of(events, Event.DOWN, Event.UP, Event.COMMUNITY)),
        "dealt_in": sum(len(dealt_in(deal)) for deal in deals),
        "turns": sum(event in TURNS for event, _, _ in events),
        "carried": sum(by_player(before, players, *CHIPS_IN)),
        "ending": ABANDONED if abandoned else SHOWDOWN if shown else ONE_LEFT,
        "opener": opener_of(deals[-1], seats),
        "best": max(strength),
        "holders": strength.count(max(strength)) if shown else 0,
        "paid": paid,
        "won": won,
        "tolls": by_player(events, players, Event.TOLL),
        "toll_cards": [payers.count(seat) for seat in range(players)],
        "strength": strength,
        "folded": folds_by_seat(pot, deals),
        "out": [out.get(seat, (NEVER, 0))[0] for seat in range(players)],
        "out_card": [out.get(seat, (NEVER, 0))[1] for seat in range(players)],
        "asked": [bands.count(band) for band in range(7)],
        "price_folds": [folding.count(band) for band in range(7)],
    }


TURNS = (Event.FOLD, Event.CHECK, Event.CALL, Event.BET, Event.RAISE)


def acts(event: int, seat: int, seats: Sequence[Policy]) -> bool:
    """Return whether this is a turn in a betting round; who folds blindly does so before."""
    return event in TURNS and (event != Event.FOLD or seats[seat].looks)


def betting_of(events: Sequence[Happening], seats: Sequence[Policy]) -> dict[str, list[int]]:
    """Return a pot's bets and raises, betting rounds and folds by street."""
    bets, rounds, folds = [0] * 5, [0] * 5, [0] * 5
    for deal in deals_of(events):
        played = set()
        for street, (event, seat, _) in streets_of(deal):
            folds[street] += event == Event.FOLD
            bets[street] += event in (Event.BET, Event.RAISE)
            played |= {street} if acts(event, seat, seats) else set()
        for street in played:
            rounds[street] += 1
    return {"bets": bets, "rounds": rounds, "folds": folds}


def opener_of(deal: Sequence[Happening], seats: Sequence[Policy]) -> int:
    """Return who opens third street, from 1 on, if anybody does: with the bring-in or a turn."""
    for street, (event, seat, _) in streets_of(deal):
        if street == THIRD and (event == Event.BRING_IN or acts(event, seat, seats)):
            return seat + 1
    return 0


def folds_by_seat(pot: Pot, deals: Sequence[Sequence[Happening]]) -> list[int]:
    """Return the street on which each seat folded; who comes back in has not."""
    folded = [NEVER] * pot.players
    for deal in deals:
        if pot.game.kill.everyone:
            folded = [NEVER] * pot.players
        for street, (event, seat, _) in streets_of(deal):
            if event == Event.FOLD:
                folded[seat] = street
    return folded


def deal_rows_of(pots: Sequence[Pot], first: int) -> dict[str, np.ndarray]:
    """Return what became of the deals of pots from number ``first`` on, by column."""
    told = [
        {"pot": number, "deal": index, **deal_row_of(deal)}
        for number, pot in enumerate(pots, start=first)
        for index, deal in enumerate(deals_of(pot.events))
    ]
    return {name: np.array([row[name] for row in told]) for name in told[0]}


def deal_row_of(deal: Sequence[Happening]) -> dict[str, Any]:
    """Return what became of a deal."""
    killed = bool(values_of(deal, Event.KILL))
    card, street, seat = next(killers_in(deal)) if killed else (0, NEVER, 8)
    numbers = tolls_by_player(deal)
    shown = bool(values_of(deal, Event.SHOW))
    return {
        "players": len(dealt_in(deal)),
        "cards": len(values_of(deal, Event.DOWN, Event.UP, Event.COMMUNITY)),
        "ending": 1 if killed else 0 if shown else 2,
        "killer_card": card,
        "killer_street": street,
        "killer_seat": (seat + 1) % 9,
        "tolls": sum(values_of(deal, Event.TOLL)),
        "toll_payers": [numbers.count(number) for number in range(5)],
    }


# --- Tallies ---------------------------------------------------------------------------------


CHIPS_IN = (Event.ANTE, Event.TOLL, Event.BRING_IN, Event.CALL, Event.BET, Event.RAISE)
MOST_TOLLS = 5
"""What players are told apart by: 0, 1, … tolls paid in the pot, and the last for more."""


def tally_of(game: Game, players: int, pots: Iterable[Pot], seats: Sequence[Policy]) -> Tally:
    """Count pots again from their events; what a page does not have (kills, tolls) stays 0."""
    looks = any(policy.looks for policy in seats)
    tally, limits = Tally(layout(game, players, bets=looks)), amounts(game, players, bets=looks)
    for pot in pots:
        events = pot.events
        count_pot(tally.counts, limits.pot_unit, players, events)
        count_net(tally.counts, players, events, seats)
        count_opener(tally.counts, players, events)
        count_betting(tally.counts, events, seats)
        count_prices(tally.counts, pot.turns)
        if game.kill.cards:
            count_kills(tally.counts, events)
        if game.toll.cards:
            count_tolls(tally.counts, limits.toll_unit, players, events)
            count_payers(tally.counts, players, events, seats)
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
    sums[:2] += [amount, amount**2]


def add_kinds(sums: np.ndarray, counts: Sequence[int], things: int) -> None:
    """Add each count c of a pot, c², and c times the number of things."""
    counted = np.array(counts)
    sums += np.array([counted, counted**2, counted * things])


def add_ratio(sums: np.ndarray, column: int, amount: int, things: int) -> None:
    """Add an amount, its square, its product with the number of things, and theirs."""
    sums[:, column] += [amount, amount**2, amount * things, things, things**2]


def add_to_bin(bins: np.ndarray, number: int) -> None:
    """Count one in a bin; what lies beyond falls into the last."""
    bins[min(number, len(bins) - 1)] += 1


def add_players(bins: np.ndarray, numbers: Iterable[int]) -> None:
    """Add, for each bin, how many of a pot's players fall into it, and its square."""
    last = bins.shape[1] - 1
    for number, alike in Counter(min(number, last) for number in numbers).items():
        add_sum(bins[:, number], alike)


def by_player(events: Sequence[Happening], players: int, *kinds: Event) -> list[int]:
    """Return the chips of each player's events of these kinds."""
    return [
        sum(value for event, whose, value in events if event in kinds and whose == seat)
        for seat in range(players)
    ]


def dealt_in(deal: Sequence[Happening]) -> set[int]:
    """Return the seats that were dealt in."""
    return {seat for event, seat, _ in deal if event == Event.DOWN}


def left_at_the_end(deal: Sequence[Happening]) -> set[int]:
    """Return the seats that were dealt in and neither folded nor were put out."""
    return dealt_in(deal) - {seat for event, seat, _ in deal if event in (Event.FOLD, Event.OUT)}


def count_pot(counts: Counts, unit: int, players: int, events: Sequence[Happening]) -> None:
    """Count the pot itself: its deals, cards, players and chips."""
    deals = deals_of(events)
    paid = by_player(events, players, *CHIPS_IN)
    before = [happening for deal in deals[:-1] for happening in deal]
    add_sum(counts.carried, sum(by_player(before, players, *CHIPS_IN)))
    counts.pots[0] += 1
    counts.deals[len(deals)] += 1
    add_sum(counts.cards, len(values_of(events, Event.DOWN, Event.UP, Event.COMMUNITY)))
    counts.abandoned_pots[0] += len(values_of(events, Event.ABANDON))
    add_to_bin(counts.pot_size, sum(paid) // unit)
    add_sum(counts.pot_size_sums, sum(paid))
    add_players(counts.chips_in, (chips // unit for chips in paid))
    counts.survivors[len(left_at_the_end(deals[-1]))] += 1
    sizes = [len(dealt_in(deal)) for deal in deals]
    add_sum(counts.players_dealt, sum(sizes))
    killed = [size for size, deal in zip(sizes, deals, strict=True) if values_of(deal, Event.KILL)]
    for size in range(9):
        add_ratio(counts.kills_by_dealt, size, killed.count(size), sizes.count(size))


def net_of(events: Sequence[Happening], players: int) -> list[int]:
    """Return what each player won, less what he put in."""
    won, paid = by_player(events, players, Event.WIN), by_player(events, players, *CHIPS_IN)
    return [out - into for out, into in zip(won, paid, strict=True)]


def add_by_policy(sums: np.ndarray, chips: Sequence[int], seats: Sequence[Policy]) -> None:
    """Add up the chips of the seats of each policy, which are in order of appearance."""
    for column, policy in enumerate(dict.fromkeys(seats)):
        add_sum(
            sums[:, column],
            sum(own for own, whose in zip(chips, seats, strict=True) if whose == policy),
        )


def count_net(
    counts: Counts, players: int, events: Sequence[Happening], seats: Sequence[Policy]
) -> None:
    """Count what was won and lost, by seat and by policy."""
    net = net_of(events, players)
    for seat, chips in enumerate(net):
        add_sum(counts.net_by_seat[:, seat], chips)
    add_by_policy(counts.net_by_policy, net, seats)


def count_opener(counts: Counts, players: int, events: Sequence[Happening]) -> None:
    """Count what who brings in in the last deal won and lost, if anybody does."""
    net = net_of(events, players)
    theirs = [net[seat] for event, seat, _ in deals_of(events)[-1] if event == Event.BRING_IN]
    add_ratio(counts.net_of_opener, 0, sum(theirs), len(theirs))


def streets_of(deal: Sequence[Happening]) -> Iterator[tuple[int, Happening]]:
    """Yield the events of a deal, each with the street that was dealt last."""
    street, cards = THIRD, Counter()
    for event, seat, value in deal:
        cards[event, seat] += 1
        if event == Event.UP:
            street = max(street, cards[event, seat] - 1)
        if event == Event.COMMUNITY or (event == Event.DOWN and cards[event, seat] == 3):
            street = SEVENTH
        yield street, (event, seat, value)


def count_betting(counts: Counts, events: Sequence[Happening], seats: Sequence[Policy]) -> None:
    """Count folds, bets, betting rounds and turns; who folds blindly does so before the round."""
    folds, bets, rounds, turns = [0] * 5, [0] * 5, [0] * 5, 0
    for deal in deals_of(events):
        played = set()
        for street, (event, seat, _) in streets_of(deal):
            folds[street] += event == Event.FOLD
            bets[street] += event in (Event.BET, Event.RAISE)
            if event in (Event.FOLD, Event.CHECK, Event.CALL, Event.BET, Event.RAISE):
                turns += 1
                if event != Event.FOLD or seats[seat].looks:
                    played.add(street)
        for street in played:
            rounds[street] += 1
    players_dealt = sum(len(dealt_in(deal)) for deal in deals_of(events))
    add_kinds(counts.folds, [*folds, sum(folds)], players_dealt)
    add_sum(counts.decisions, turns)
    for street in range(5):
        add_ratio(counts.bets, street, bets[street], rounds[street])


def price_band(asked: int, there: int) -> int:
    """Return the band of a price: free, below 5 %, 10 %, 20 %, 33 %, 50 %, or more."""
    percents = (5, 10, 20, 33, 50)
    return 0 if asked == 0 else 1 + sum(100 * asked >= share * there for share in percents)


def count_prices(counts: Counts, turns: Sequence[Turn]) -> None:
    """Count turns of players who look, and folds among them, by what staying costs."""
    bands = [price_band(turn.asked, turn.there) for turn in turns]
    for band in range(7):
        folded = [turn.folded for turn, own in zip(turns, bands, strict=True) if own == band]
        add_ratio(counts.folds_by_price, band, sum(folded), len(folded))


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
    paid = by_player(events, players, Event.TOLL)
    add_to_bin(counts.toll_pot, sum(paid) // unit)
    add_sum(counts.toll_pot_sums, sum(paid))
    counts.toll_pot_sums[2] += sum(paid) * sum(by_player(events, players, *CHIPS_IN))
    add_players(counts.toll_player, (chips // unit for chips in paid))
    numbers = [number for deal in deals_of(events) for number in tolls_by_player(deal)]
    add_kinds(counts.tolls_paid, [numbers.count(number) for number in range(5)], len(numbers))


def tolls_by_player(deal: Sequence[Happening]) -> list[int]:
    """Return how many tolls each player who was dealt in has paid."""
    payers = [seat for event, seat, _ in deal if event == Event.TOLL]
    return [payers.count(seat) for seat in sorted(dealt_in(deal))]


def count_payers(
    counts: Counts, players: int, events: Sequence[Happening], seats: Sequence[Policy]
) -> None:
    """Count what each policy's players paid in tolls, and what players won by tolls paid."""
    tolls = by_player(events, players, Event.TOLL)
    add_by_policy(counts.toll_by_policy, tolls, seats)
    winners = {seat for event, seat, chips in events if event == Event.WIN and chips}
    add_ratio(counts.winner_tolls, 0, sum(tolls[seat] for seat in winners), len(winners))
    payers = [seat for event, seat, _ in events if event == Event.TOLL]
    numbers = [min(payers.count(seat), MOST_TOLLS) for seat in range(players)]
    net = net_of(events, players)
    for number in range(MOST_TOLLS + 1):
        theirs = [chips for chips, own in zip(net, numbers, strict=True) if own == number]
        add_ratio(counts.net_by_tolls, number, sum(theirs), len(theirs))


def count_showdown(counts: Counts, events: Sequence[Happening]) -> None:
    """Count the hands shown, the best of them, and whether they split the pot."""
    shown = [value for event, _, value in events if event == Event.SHOW]
    categories = [value[0] for value in shown]
    add_kinds(counts.hands, [categories.count(kind) for kind in Category], len(shown))
    add_sum(counts.hands_shown, len(shown))
    counts.winning_hands[max(shown)[0]] += 1
    counts.split_pots[0] += shown.count(max(shown)) > 1


# --- An evening ------------------------------------------------------------------------------

Chips = dict[str, list[int]]
"""What a pot's row says: chips paid and won by seat, and single numbers in lists of one."""


class Evening:
    """An evening as a host sees it, pot by pot, with lists and plain numbers."""

    def __init__(
        self, policies: Sequence[Policy], dealer: int, buy_in: int, below: int, buy_ins: int | None
    ) -> None:
        self.policies, self.buy_in, self.below, self.buy_ins = policies, buy_in, below, buy_ins
        everybody = range(len(policies))
        self.circle = list(everybody)
        self.dealer = dealer
        self.stacks = [buy_in for _ in everybody]
        self.bought = [1 for _ in everybody]
        self.lowest = [0 for _ in everybody]
        self.short: set[int] = set()
        self.time = self.pots = self.shortfalls = self.credit = 0
        self.first_short = -1

    @property
    def result(self) -> list[int]:
        """What each player has less what he bought."""
        return [
            stack - self.buy_in * times
            for stack, times in zip(self.stacks, self.bought, strict=True)
        ]

    @property
    def seated(self) -> list[int]:
        """Who sits in which seat: seat 1 is on the dealer's left."""
        at = self.circle.index(self.dealer)
        return self.circle[at + 1 :] + self.circle[: at + 1]

    def settle(self, pot: Chips, pace: Sequence[int]) -> None:
        """Let a pot be over."""
        seated = self.seated
        for player, paid in zip(seated, pot["paid"], strict=True):
            if paid > self.stacks[player]:
                self.shortfalls += 1
                self.credit = max(self.credit, paid - self.stacks[player])
        for player, paid, won in zip(seated, pot["paid"], pot["won"], strict=True):
            self.stacks[player] += won - paid
            self.lowest[player] = min(self.lowest[player], self.result[player])
        self.pots += 1
        things = (pot["deals"][0], pot["cards"][0], pot["turns"][0])
        self.time += sum(each * number for each, number in zip(pace, things, strict=True))
        leaving = [player for player in seated if not self.goes_on(player)]
        staying = [player for player in seated if player not in leaving]
        self.dealer = staying[0]  # the next on the left
        self.circle = [player for player in self.circle if player in staying]

    def goes_on(self, player: int) -> bool:
        """Let a player who has run short buy in; return whether he stays."""
        if self.stacks[player] >= self.below:
            return True
        self.short.add(player)
        if self.first_short < 0:
            self.first_short = self.time
        times = 0
        while self.stacks[player] + times * self.buy_in < self.below:
            times += 1
        if self.buy_ins is not None and self.bought[player] + times > self.buy_ins:
            return False
        self.stacks[player] += times * self.buy_in
        self.bought[player] += times
        return True
