"""What is played, as values that check themselves: ``Scenario``, ``Precision`` and ``Plan``.

A scenario is a game × table size × policies; a plan is a grid of them, a seed and a target. How
people write one is in ``plan``.
"""

from dataclasses import InitVar, dataclass
from functools import cached_property
from typing import Any

from sim import game as games
from sim import hands
from sim.arguments import whole_number
from sim.errors import InputError, brief, shown
from sim.game import Game
from sim.policy import STAY, Policy, label
from sim.strength import strength_table_key
from sim.tally import layout

PLAY = 1
"""Raised whenever a seed would play other pots, and then alone: what is counted of them, and how
they are played, names no scenario."""
MOST_POTS = 10**10
"""Pots of one scenario under one seed."""


@dataclass(frozen=True)
class Scenario:
    """One game at one table size, played under one policy for the table or one for each seat."""

    game: Game
    players: int
    policies: tuple[Policy, ...] = (STAY,)
    stored: InitVar[bool] = False
    """Whether a store holds it, so that its names were free once, whatever is shipped by now."""

    def __post_init__(self, stored: bool) -> None:
        if not games.MIN_PLAYERS <= self.players <= games.MAX_PLAYERS:
            raise InputError(
                f"{shown(self.players)} players cannot play: "
                f"{games.MIN_PLAYERS} to {games.MAX_PLAYERS} can"
            )
        if not self.game.can_finish(self.players):
            raise InputError(
                f"no deal of {self.game.label} could ever finish with {self.players} players: "
                f"it shows {games.up_cards(self.players)} cards, and "
                f"{self.game.kill.cards.bit_count()} of 52 cards are killers"
            )
        if len(self.policies) not in (1, self.players):
            raise InputError(
                f"{len(self.policies)} policies ({brief(self.policy)}) for {self.players} players: "
                "name one for the table, or one for each seat"
            )

        if len({policy.name for policy in self.policies}) < len(set(self.policies)):
            raise InputError(
                f"two of the policies {brief(self.policy)} have the same name and act differently: "
                "rename one"
            )
        for policy in () if stored else self.policies:
            policy.check_name()

    @cached_property
    def policy(self) -> str:
        """What the table's policies are called."""
        return label(self.policies)

    @cached_property
    def seats(self) -> tuple[Policy, ...]:
        """The policy of each seat."""
        return self.policies * (self.players // len(self.policies))

    @cached_property
    def acts(self) -> str:
        """A hash of how the seats act, whatever their policies are called."""
        return games.digest_of({"seats": [policy.digest for policy in self.seats]})

    @property
    def stays(self) -> bool:
        """Whether everybody stays to the end and nobody bets."""
        return all(policy.stays for policy in self.seats)

    @property
    def bets(self) -> bool:
        """Whether anybody may bet."""
        return any(policy.looks for policy in self.seats)

    @cached_property
    def key(self) -> str:
        """A hash of all that decides which pots a seed plays."""
        return games.digest_of({"play": PLAY} | self.played)

    @property
    def played(self) -> dict[str, Any]:
        """What is played, in values: rules, players, how they act and what they look up."""
        strength = strength_table_key(self.game.wild, self.game.flush_repeats) if self.bets else ""
        return {
            "rules": self.game.rules(),
            "players": self.players,
            "policies": [policy.digest for policy in self.seats],
            "strength": strength,
        }

    @cached_property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of each array of this scenario's tallies."""
        return layout(self.game, self.players, bets=self.bets)

    def __str__(self) -> str:
        who = "" if self.stays else f", {self.policy}"
        return f"{self.game.label}, {self.players} players{who}"

    def as_json(self) -> dict[str, Any]:
        """Return all that is needed to make this scenario again."""
        return {
            "game": self.game.model_dump(mode="json"),
            "players": self.players,
            "policies": [policy.as_json() for policy in self.policies],
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Scenario":
        """Make a scenario from what ``as_json`` returned."""
        policies = tuple(Policy.from_json(policy) for policy in data["policies"])
        return cls(Game.model_validate(data["game"]), data["players"], policies, stored=True)


@dataclass(frozen=True)
class Precision:
    """How sharply a metric is to be known before a scenario may stop: one of the two widths."""

    metric: str
    level: str = "all"
    half_width: float | None = None
    """Of the 95 % interval, in the metric's own unit: 0.0005 of a share is 0.05 %."""
    relative: float | None = None
    """The same as a part of the estimate."""

    def __post_init__(self) -> None:
        widths = [width for width in (self.half_width, self.relative) if width is not None]
        if len(widths) != 1:
            raise InputError("a precision is either half_width or relative: give one of them")
        if not 0 < widths[0] < float("inf"):
            raise InputError(
                f"a precision of {shown(widths[0])} cannot be reached: ask for a number above 0"
            )

    def __str__(self) -> str:
        width = f"±{self.half_width:g}" if self.half_width else f"±{self.relative:.3g} of itself"
        return f"{self.metric} {self.level} to {width}"


@dataclass(frozen=True)
class Plan:
    """Scenarios, how many pots each is to have in all, and their seed (None: each has its own)."""

    scenarios: tuple[Scenario, ...]
    pots: int
    """The target of every scenario, never an increment; with a precision or seconds, the most."""
    seed: int | None = None
    precision: Precision | None = None
    """A scenario stops before ``pots`` when it is known so sharply."""
    max_seconds: float | None = None
    """A scenario stops after so many seconds of play, over all runs."""

    def __post_init__(self) -> None:
        if self.max_seconds is not None and not 0 < self.max_seconds < float("inf"):
            raise InputError(
                f"max_seconds = {shown(self.max_seconds)} will not do: ask for a number above 0"
            )
        pots = whole_number(self.pots, "pots", 1, MOST_POTS)
        object.__setattr__(self, "pots", pots)  # NumPy's too are whole numbers, and no JSON
        if self.seed is not None:
            object.__setattr__(self, "seed", int(hands.check_seed(self.seed)))
