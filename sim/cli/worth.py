"""Telling what one hand is worth: what it wins, what its up cards cost, what staying has to win."""

from dataclasses import dataclass, field
from functools import cached_property
from math import comb

from sim import hands
from sim.cards import DECK, format_card, mask_of, parse_cards
from sim.errors import InputError
from sim.formatting import amount, percent
from sim.game import MAX_PLAYERS, UP_STREETS, Game
from sim.kernels.ranks import MAX_CARDS
from sim.parsing import hand_and_up
from sim.policy import ONE, PRICES, STEP, VALUES, Policy, load
from sim.showdown import equity
from sim.strength import expected_strength
from sim.tally import price_list


@dataclass(frozen=True)
class Known:
    """What a player knows, as it was typed."""

    page: Game
    cards: str
    up: str
    boards: tuple[str, ...]
    dead: str
    opponents: int | None

    @cached_property
    def own(self) -> list[int]:
        """The hand."""
        return hand_and_up(self.cards, self.up)[0]

    @cached_property
    def shown(self) -> list[int]:
        """Its up cards."""
        return hand_and_up(self.cards, self.up)[1]

    @cached_property
    def seen(self) -> int:
        """All cards that the player knows, as a mask."""
        return mask_of([*self.own, *parse_cards(" ".join([*self.boards, self.dead]))])

    @property
    def others(self) -> int:
        """How many others there are."""
        return len(self.boards) if self.opponents is None else self.opponents

    @property
    def tolls(self) -> int:
        """How many tolls it has paid."""
        return sum(self.page.toll.cards >> card & 1 for card in self.shown)


def lines(known: Known, pot: int | None, to_call: int, policies: list[Policy]) -> list[str]:
    """Say it line by line."""
    page = known.page
    strength = hands.evaluate(known.own, wild=page.wild, flush_repeats=page.flush_repeats)
    told = [hands.describe(strength)]
    if known.others or known.opponents is not None:
        won = equity(known.own, known.opponents, known.boards, dead=known.dead, game=page)
        told += [f"against {known.others} who {'stays' if known.others == 1 else 'stay'}: {won}"]
    told += [*_tolls(known), *_killed(known)]
    if to_call and pot is None:
        raise InputError(f"to call {to_call} of which pot? Say its chips with --pot, too")
    if policies and (pot is None or not known.others):
        raise InputError(
            "what a policy does hangs on the others and the pot: say --opponents, --pot"
        )
    if pot is None:
        return told
    told += _break_even(known, pot, to_call)
    if known.others:
        policies = list(dict.fromkeys([load("typical"), *policies]))
        told += _decisions(View.of(known, pot, to_call), policies)
    return told


@dataclass(frozen=True)
class View:
    """What a policy sees of a hand and its price, as the kernels count it (docs/policies.md)."""

    street: int
    value: int
    price: int
    beaten: bool
    others: int = field(default=1, compare=False)
    bets: int = field(default=0, compare=False)
    """Bets of the round as far as is known: one, if there is something to call."""

    def index(self, axes: int) -> tuple[int, ...]:
        """Return where a table of so many axes has its chances."""
        seen = self.street, self.value, self.price, int(self.beaten)
        return seen if axes == len(seen) else (self.others - 1, self.bets, *seen)

    @classmethod
    def of(cls, known: Known, pot: int, to_call: int) -> "View":
        """Look at a hand with so many chips in the pot, and so many to call."""
        page, players_in = known.page, known.others + 1
        street = len(known.own) - 3
        up = min(street + 1, UP_STREETS) * players_in + len(parse_cards(known.dead))
        unseen = DECK - 2 - up
        cost = to_call * unseen
        if page.toll.cards and street < UP_STREETS - 1:
            cost += price_list(page)[known.tolls] * (page.toll.cards & ~known.seen).bit_count()
        price = 0
        if cost:
            price = 1 + min(cost * players_in * STEP // (pot * unseen + cost), PRICES - 2)
        worth = _worth(known, street, unseen) * players_in * STEP // ONE
        own = _strength(page, known.own)
        beaten = any(_strength(page, parse_cards(board)) > own for board in known.boards if board)
        value = min(worth, VALUES - 1)
        return cls(street, value, price, beaten, known.others, int(to_call > 0))

    def __str__(self) -> str:
        """Say it in fair shares."""
        beaten = "and a board beats all it holds" if self.beaten else "and no board beats it"
        price = (self.price - 1) / STEP
        times = f"{price:g} or more of" if self.price == PRICES - 1 else f"about {price:g} of"
        cost = (
            f"staying costs {times} what a fair share breaks even at"
            if self.price
            else "it is free"
        )
        return f"taken to be worth {self.value / STEP:g} fair shares; {cost}; {beaten}"


def _strength(page: Game, cards: list[int]) -> int:
    return int(hands.evaluate(cards, wild=page.wild, flush_repeats=page.flush_repeats))


def _worth(known: Known, street: int, unseen: int) -> int:
    """Return the expected strength of a hand, times ``ONE``, killed deals shared by those in."""
    page, players_in = known.page, known.others + 1
    strength = expected_strength(
        known.own, known.others, page.wild, flush_repeats=page.flush_repeats
    )
    to_come = max(UP_STREETS - 1 - street, 0)
    alone = page.kill.treatment == "player-out"
    if not alone:
        to_come *= players_in
        to_come += players_in == MAX_PLAYERS and street < UP_STREETS
    killers = (page.kill.cards & ~known.seen).bit_count()
    survive = comb(unseen - killers, to_come) * ONE // comb(unseen, to_come)
    shared = 0 if alone else (ONE - survive) * (ONE // players_in)
    return (survive * int(strength * ONE) + shared) // ONE


def _decisions(view: View, policies: list[Policy]) -> list[str]:
    """Say what policies do with which chances, and why."""
    told = [str(view)]
    for policy in policies:
        fold, more = policy.blind[view.street] / ONE, 0.0
        if policy.tables is not None:
            fold, more = (float(table[view.index(table.ndim)]) / ONE for table in policy.tables)
        told += [
            f"{policy} folds {percent(fold, 0)}, calls {percent(1 - fold - more, 0)}, raises "
            f"{percent(more, 0)}" + ("" if policy.looks else ", blind to its cards")
        ]
    return told


def _tolls(known: Known) -> list[str]:
    """Say what the up cards have cost."""
    if not known.page.toll.cards:
        return []
    paid = price_list(known.page)[: known.tolls]
    total = f" = {sum(paid)}" if len(paid) > 1 else ""
    return [f"tolls {' + '.join(map(str, paid)) or '0'}{total}"]


def _killed(known: Known) -> list[str]:
    """Say what a killer among the up cards does."""
    killers = [card for card in known.shown if known.page.kill.cards >> card & 1]
    alone = known.page.kill.treatment == "player-out"
    what = "puts its receiver out" if alone else "kills the hand"
    return [f"{format_card(card, symbols=True)} face up {what}" for card in killers[:1]]


def _break_even(known: Known, pot: int, to_call: int) -> list[str]:
    """Say what staying costs, the next toll included as often as it comes, and has to win."""
    cost, told, tolls = float(to_call), [], known.page.toll.cards
    if tolls and len(known.own) < MAX_CARDS - 1:
        price = price_list(known.page)[known.tolls]
        chance = (tolls & ~known.seen).bit_count() / (DECK - known.seen.bit_count())
        told = [f"the next up card costs {price} with a chance of {percent(chance)}"]
        cost += price * chance
    share = cost / (pot + cost) if cost else 0.0
    told += [
        f"staying costs {amount(cost)} and makes the pot {amount(pot + cost)}: it breaks even with "
        f"{percent(share)} of it"
    ]
    return told
