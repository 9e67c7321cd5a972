"""Play: the kernel and the rule book deal, kill, charge and pay alike, event by event."""

from collections.abc import Callable, Sequence

import naive
import numpy as np
import pytest
from conftest import EVERY_TABLE, POTS, happened, page, reference_of, stack
from naive import NOBODY, Happening, Pot

from sim import cards
from sim.events import Event
from sim.game import Game
from sim.kernels.log import new_log
from sim.policy import STAY
from sim.runs.threads import Block, play_into
from sim.scenario import Scenario
from sim.tally import Tally, amounts


@EVERY_TABLE
def test_kernel_plays_as_the_rule_book_says(
    game: Game, players: int, reference_pots: list[Pot], kernel_plays: Callable
) -> None:
    _, pots = kernel_plays(game, players)
    assert len(pots) == POTS
    for events, reference in zip(pots, reference_pots, strict=True):
        assert events == reference.events


@pytest.mark.parametrize(
    "label",
    [
        "black-mariah",
        "black-mariah kill.treatment=player-out",
        "faces-of-death kill.treatment=player-out",
        "spades kill.cards=Qs,7s kill.treatment=player-out",
    ],
)
def test_eight_players_in_many_pots(label: str, kernel_plays: Callable) -> None:
    """Often enough for what is rare: a killer, or a toll card, as the community card."""
    game, pots, community = page(label), 400, []
    for pot, events in enumerate(kernel_plays(game, 8, pots=pots)[1]):
        assert events == reference_of(game, 8, [STAY] * 8, pot).events
        community += naive.values_of(events, Event.COMMUNITY)
    special = game.kill.cards | game.toll.cards
    assert any(special >> card & 1 for card in community)


@EVERY_TABLE
def test_chips_out_are_chips_in(game: Game, players: int, kernel_plays: Callable) -> None:
    limits = amounts(game, players, bets=False)
    for events in kernel_plays(game, players)[1]:
        tolls = sum(naive.values_of(events, Event.TOLL))
        pot = sum(naive.values_of(events, *naive.CHIPS_IN))
        assert sum(naive.values_of(events, Event.WIN)) == pot
        assert pot <= limits.most_pot
        assert pot % limits.pot_unit == 0
        assert tolls <= limits.most_toll
        assert tolls % limits.toll_unit == 0


def test_pots_may_start_anywhere(game: Game, kernel_plays: Callable) -> None:
    whole, pots = kernel_plays(game, 5, pots=90)
    for first in (1, 37, 89):
        before, _ = kernel_plays(game, 5, pots=first)
        after, later = kernel_plays(game, 5, first=first, pots=90 - first)
        assert later == pots[first:]
        assert before + after == whole


@pytest.mark.parametrize("first", [2**31 - 2, 2**40])
def test_pots_far_away_are_played_too(first: int, kernel_plays: Callable) -> None:
    game = page("faces-of-death")
    _, pots = kernel_plays(game, 4, first=first, pots=4)
    for pot, events in enumerate(pots, start=first):
        assert events == reference_of(game, 4, [STAY] * 4, pot).events


@EVERY_TABLE
def test_a_log_changes_nothing(game: Game, players: int, kernel_plays: Callable) -> None:
    assert kernel_plays(game, players, capacity=0)[0] == kernel_plays(game, players)[0]


def test_a_full_log_counts_on() -> None:
    scenario = Scenario(page("spades"), 3)
    log, short = new_log(1000), new_log(10)
    for into in (log, short):
        play_into(Tally(scenario.shapes), into, Block(scenario, 1, 0, 5))
    assert short.length[0] == log.length[0] > 10
    assert np.array_equal(short.rows, log.rows[:10])


# --- The rule book itself, on stacked decks ---------------------------------------------------


def reference(game: Game, players: int, deck: Callable[[int], Sequence[int]]) -> list[Happening]:
    return Pot(game, players, deck).play().events


def test_source_example_the_hand_is_killed() -> None:
    """OPR-672: fourth street 9♦ 10♣ K♠ 4♥; the killer stops the deal before the 4♥."""
    fourth = cards.parse_cards("9♦ 10♣ K♠ 4♥")
    deck = list(range(52))
    for slot, card in enumerate(fourth, start=4):
        other = deck.index(card)
        deck[slot], deck[other] = deck[other], deck[slot]
    killed, again = naive.deals_of(
        reference(page("faces-of-death"), 4, lambda deal: deck if deal == 0 else list(range(52)))
    )
    assert [value for _, _, value in killed if value in fourth] == [*fourth[:3], fourth[2]]
    assert killed[-1] == (Event.KILL, 2, cards.parse_card("K♠"))
    assert len({seat for event, seat, _ in again if event == Event.DOWN}) == 4
    assert not happened(again, Event.ANTE)
    antes, bring_ins = 4, 2 * 4
    assert sum(naive.values_of(again, Event.WIN)) == antes + bring_ins


def test_source_example_paying_for_spades() -> None:
    """OPR-716: A♠ 9♦ down, 9♥ 7♠ 9♣ 2♠ up, Q♦ last: five nines, and 2 + 5 = 7 paid."""
    deck = stack(3, {0: "A♠ 9♦ 9♥ 7♠ 9♣ 2♠ Q♦", 1: "2c 3c 4d 5h 7d 8c 10h"})
    events = reference(page("spades"), 3, lambda _: deck)
    paid = [value for event, seat, value in events if (event, seat) == (Event.TOLL, 0)]
    shown = {seat: value for event, seat, value in events if event == Event.SHOW}
    assert paid == [2, 5]
    assert shown[0] == (naive.Category.FIVE_OF_A_KIND, 7, -1, -1, -1, -1)
    assert happened(events, Event.ANTE) == [(Event.ANTE, 2, 1)]


def test_a_killer_face_down_does_nothing() -> None:
    deck = stack(2, {0: "Js Qs 2c 3c 4d 5h Ks"})
    events = reference(page("faces-of-death"), 2, lambda _: deck)
    assert not happened(events, Event.KILL, Event.OUT)
    assert len(happened(events, Event.SHOW)) == 2


def test_a_redeal_by_each_announcement() -> None:
    killed, fair = stack(3, {0: "2c 3c Js"}), stack(3, {0: "2c 3c 4d 5h 7d 8c 10h"})
    for option, antes in (
        ("kill.ante_again=false", 3),
        ("kill.ante_again=true", 6),
        ("kill.everyone=true", 6),
    ):
        game = page("faces-of-death").with_options([option])
        events = reference(game, 3, lambda deal: fair if deal else killed)
        assert len(happened(events, Event.ANTE)) == antes
        assert sum(naive.values_of(events, Event.WIN)) == antes + 3 * 1


def test_player_out_puts_out_the_receiver_alone() -> None:
    game = page("faces-of-death kill.treatment=player-out")
    deck = stack(3, {0: "2c 3c 4d 5h 7d 8c 10h", 1: "2d 3d Qs"})
    events = reference(game, 3, lambda _: deck)
    third = [seat for event, seat, _ in events if event == Event.UP][:3]
    assert third == [0, 1, 2]
    assert happened(events, Event.OUT) == [(Event.OUT, 1, cards.parse_card("Qs"))]
    assert [seat for _, seat, _ in happened(events, Event.SHOW)] == [0, 2]


def test_the_last_player_left_wins_at_once() -> None:
    game = page("faces-of-death kill.treatment=player-out")
    deck = stack(3, {0: "2c 3c 4d Js", 1: "2d 3d Qs"})
    events = reference(game, 3, lambda _: deck)
    antes, bring_ins = 3, 2
    assert events[-2:] == [
        (Event.OUT, 0, cards.parse_card("Js")),
        (Event.WIN, 2, antes + bring_ins),
    ]
    assert not happened(events, Event.SHOW)


@pytest.mark.parametrize(
    ("label", "deals"),
    [("faces-of-death", 2), ("faces-of-death kill.treatment=player-out", 1)],
)
def test_a_killer_as_community_card(label: str, deals: int) -> None:
    """It kills the deal where kills are dealt again, and puts nobody out otherwise."""
    harmless = {7: "Js Qs"}
    killed, fair = stack(8, harmless, "Ks"), stack(8, harmless | {0: "Ks As"}, "Kc")
    events = reference(page(label), 8, lambda deal: fair if deal else killed)
    assert len(naive.deals_of(events)) == deals
    assert len(happened(events, Event.SHOW)) == 8
    assert not happened(events, Event.OUT)
    kills = [(Event.KILL, NOBODY, cards.parse_card("Ks"))]
    assert happened(events, Event.KILL) == (kills if deals == 2 else [])


def test_a_community_card_costs_no_toll_and_belongs_to_everybody() -> None:
    events = reference(page("spades"), 8, lambda _: list(range(52)))
    (community,) = happened(events, Event.COMMUNITY)
    after = events[events.index(community) + 1 :]
    assert community == (Event.COMMUNITY, NOBODY, 48)
    assert not happened(after, Event.TOLL)
    assert len(happened(after, Event.SHOW)) == 8


def test_eight_players_get_their_own_last_card_once_enough_are_out() -> None:
    game = page("faces-of-death kill.treatment=player-out")
    deck = stack(8, {2: "2c 3c Js", 5: "4c 5c 7c Qs"})
    events = reference(game, 8, lambda _: deck)
    dealt = [value for _, _, value in happened(events, Event.DOWN, Event.UP)]
    assert not happened(events, Event.COMMUNITY)
    assert len(happened(events, Event.SHOW)) == 6
    assert len(dealt) == len(set(dealt)) == 8 * 2 + 1 + 2 + 6 * 4 + 6


def test_toll_prices_start_again_with_a_redeal() -> None:
    game = page("spades").with_options(["kill.cards=Kc"])
    killed = stack(2, {0: "2c 3c 4s 5s 6s", 1: "2d 3d 4d 5d Kc"})
    again = stack(2, {0: "2c 3c 4s 5d 6d 7d 8d", 1: "2d 3d 4c 5c 6c 7c 8c"})
    events = reference(game, 2, lambda deal: again if deal else killed)
    assert naive.values_of(events, Event.TOLL) == [2, 5, 10, 2]


def test_a_toll_is_paid_before_its_card_kills() -> None:
    game = page("spades").with_options(["kill.cards=Qs", "kill.max_deals=1"])
    events = reference(game, 2, lambda _: stack(2, {0: "2c 3c Qs"}))
    queen = cards.parse_card("Qs")
    assert events[-6:-3] == [(Event.UP, 0, queen), (Event.TOLL, 0, 2), (Event.KILL, 0, queen)]


def test_an_abandoned_pot_is_shared_and_odd_chips_go_from_the_dealers_left() -> None:
    game = page("faces-of-death kill.max_deals=2 ante.who=dealer ante.amount=5")
    events = reference(game, 3, lambda _: stack(3, {0: "2c 3c Qs"}))
    assert events[-4:] == [
        (Event.ABANDON, NOBODY, 2),
        (Event.WIN, 0, 2),
        (Event.WIN, 1, 2),
        (Event.WIN, 2, 1),
    ]


def test_equal_hands_split_and_the_odd_chip_goes_to_the_dealers_left() -> None:
    straights = {1: "Ah Kh Qd Jc Td 2d 3d", 2: "Ad Kd Qh Jd Th 2h 3h"}
    deck = stack(3, {0: "2c 3c 4d 5d 7h 8c 9d"} | straights)
    events = reference(page("seven-card-stud betting.bring_in=0"), 3, lambda _: deck)
    assert happened(events, Event.WIN) == [(Event.WIN, 1, 2), (Event.WIN, 2, 1)]
