"""Telling what happened: one pot card by card."""

from collections.abc import Iterator

from sim import cards, hands
from sim.errors import InputError
from sim.events import Event
from sim.game import STREETS, UP_STREETS
from sim.kernels.log import new_log
from sim.runs.threads import Block, play_into
from sim.scenario import MOST_POTS, Scenario
from sim.tally import Tally, most_deals

EVENTS_A_DEAL = 640
"""Capacity for the events of one deal: 8 antes, 52 cards, 33 tolls, 16 shows and wins, and five
rounds of at most 96 turns."""


CHIPS = {
    Event.ANTE: "antes",
    Event.TOLL: "pays",
    Event.BRING_IN: "brings in",
    Event.CALL: "calls",
    Event.BET: "bets",
    Event.RAISE: "raises, putting in",
}
"""What puts chips into the pot, in words."""


def pot(scenario: Scenario, seed: int, number: int) -> str:
    """Narrate pot number ``number`` of a scenario as the kernel played it."""
    lines = [scenario.game.announcement(), f"Seed {seed}, pot {number}.", *_seats(scenario), ""]
    return "\n".join([*lines, *_Story(scenario).tell(events(scenario, seed, number))])


def _seats(scenario: Scenario) -> list[str]:
    if len(set(scenario.seats)) > 1:
        acts = (
            f"seat {number} {seat_policy.name}"
            for number, seat_policy in enumerate(scenario.seats, 1)
        )
        return [f"Policies: {', '.join(acts)} (the dealer)."]
    return [] if scenario.stays else [f"Policy: {scenario.policy}."]


def events(scenario: Scenario, seed: int, number: int) -> list[tuple[Event, int, int]]:
    """Play one pot and return what happened: (event, seat from 0, value)."""
    if not 0 <= number < MOST_POTS:
        raise InputError(f"pot {number} does not exist: pots are numbered from 0 to {MOST_POTS:,}")
    log = new_log(EVENTS_A_DEAL * most_deals(scenario.game))
    play_into(Tally(scenario.shapes), log, Block(scenario, seed, number, 1))
    rows = log.rows[: log.length[0]].tolist()
    return [(Event(event), seat, value) for event, seat, value in rows]


class _Story:
    """Turns events into lines, keeping the pot and each seat's up cards in mind."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.players = scenario.players
        self.hands: list[list[int]] = []
        self.pot = 0
        self.dealt: list[int] = []
        self.street = -1

    def tell(self, happened: list[tuple[Event, int, int]]) -> Iterator[str]:
        for event, seat, value in happened:
            if self._new_street(event, seat):
                self.street += 1
                yield f"{STREETS[self.street].capitalize()} street"
            yield from self._line(event, seat, value)

    def _new_street(self, event: Event, seat: int) -> bool:
        """Whether this event is a street's first card."""
        if event is Event.UP:
            self.dealt[seat] += 1
            return self.dealt[seat] > self.street + 1
        down = event in (Event.DOWN, Event.COMMUNITY)
        return down and self.street in (-1, UP_STREETS - 1)

    def _line(self, event: Event, seat: int, value: int) -> Iterator[str]:
        who = "dealer" if seat == self.players - 1 else f"seat {seat + 1}"
        if event is Event.DEAL:
            self.dealt, self.street = [0] * self.players, -1
            self.hands = [[] for _ in range(self.players)]
            yield f"Deal {value + 1}"
        elif event is Event.ABANDON:
            yield f"After {value} deals the pot of {self.pot} is shared by those still in."
        elif event in CHIPS:
            self.pot += value
            yield f"  {who} {CHIPS[event]} {value}; the pot is {self.pot}"
        elif event is Event.CHECK:
            yield f"  {who} checks"
        elif event is Event.FOLD:
            yield f"  {who} folds{self._reason(seat, value)}"
        elif event is Event.WIN:
            yield f"{who.capitalize()} wins {value} of the pot of {self.pot}."
        elif event is Event.SHOW:
            held = " ".join(cards.format_card(card, symbols=True) for card in self.hands[seat])
            yield f"  {who} shows {held}: {hands.describe(value)}"
        else:
            for own in self.hands if event is Event.COMMUNITY else [self.hands[seat]]:
                own.extend([value] * (event in (Event.DOWN, Event.UP, Event.COMMUNITY)))
            yield _card_line(event, who, cards.format_card(value, symbols=True))

    def _reason(self, seat: int, cost: int) -> str:
        if not self.scenario.seats[seat].looks:
            return ", blind to its cards"
        if cost:
            return f", as staying would cost {cost}"
        risks = self.scenario.game.toll.cards and self.street < UP_STREETS - 1
        return " rather than risk the next toll" if risks else ""


def _card_line(event: Event, who: str, card: str) -> str:
    lines = {
        Event.DOWN: f"  {who} is dealt {card} face down",
        Event.UP: f"  {who} is dealt {card} face up",
        Event.COMMUNITY: f"Too few cards are left: {card} is dealt face up for everybody",
        Event.KILL: f"{card} kills the hand.",
        Event.OUT: f"  {card} puts {who} out",
    }
    return lines[event]
