"""What a hand is taken to be worth by a policy, as told beside it, is what players decide by."""

from collections.abc import Sequence

import naive
import pytest
from naive import Pot

from sim.cards import format_card
from sim.cli.worth import Known, View
from sim.game import load as load_game
from sim.policy import load


def text(cards: Sequence[int]) -> str:
    return " ".join(map(format_card, cards))


class Watched(Pot):
    """A pot that tells of each decision what the player could have typed, and what he saw."""

    def decide(self, seat: int) -> naive.Event:
        self.known = getattr(self, "known", [])
        others = [other for other in self.still_in if other != seat]
        out = [other for other in self.up if other not in self.still_in]
        known = Known(
            self.game,
            text(self.hand(seat)),
            text(self.up[seat]),
            tuple(text(self.up[other]) for other in others),
            text([card for other in out for card in self.up[other]]),
            len(others),
        )
        self.known.append((View.of(known, self.chips, self.to_call(seat)), self.seen(seat)))
        return super().decide(seat)


@pytest.mark.parametrize(
    ("page", "players"),
    [
        ("spades", 4),
        ("faces-of-death", 5),
        ("faces-of-death kill.treatment=player-out", 4),
        ("faces-of-death toll.cards=hearts toll.prices=[1,2,3,4]", 3),
        ("seven-card-stud", 2),
    ],
)
def test_what_is_told_of_a_hand_is_what_a_player_sees(page: str, players: int) -> None:
    game = load_game(page.split()[0], page.split()[1:])
    seats, looked = [load("loose")] * players, 0
    for number in range(12):
        pot = Watched(
            game, players, lambda deal, number=number: naive.deck_of(5, players, number, deal),
            seats, naive.decisions_of(5, players, number),
        )  # fmt: skip
        pot.play()
        for view, seen in getattr(pot, "known", []):
            assert view == View(*seen)
            looked += 1
    assert looked > 50
