"""Telling what one hand is worth: what it wins, what its up cards cost, what staying has to win."""

from dataclasses import dataclass
from functools import cached_property

from sim import hands
from sim.cards import DECK, format_card, mask_of, parse_cards
from sim.errors import InputError
from sim.formatting import amount, percent
from sim.game import Game
from sim.kernels.ranks import MAX_CARDS
from sim.parsing import hand_and_up
from sim.showdown import equity
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


def lines(known: Known, pot: int | None, to_call: int) -> list[str]:
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
    return told if pot is None else [*told, *_break_even(known, pot, to_call)]


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
