"""Pots side by side: the same decks as the twin's, and the same totals as pot by pot."""

from itertools import chain, cycle, islice, permutations
from typing import Any

import naive
import numba
import numpy as np
import pytest
from conftest import ODD, SHIPPED, page
from test_deck import narrow_words, outcomes_of, stream_through

from sim import hands
from sim.kernels import lanes, play, ranking, staying
from sim.kernels.deck import ORDER
from sim.kernels.log import new_log
from sim.policy import load_seats
from sim.scenario import Scenario
from sim.tally import Tally

FARTHEST = 10**10


def tells(label: str) -> bool:
    return bool(play.rules_of(page(label), load_seats("stay") * 2)[0]["court_tells"])


PAGES = [label for label in SHIPPED + ODD if tells(label)]


def both(label: str, players: int, first: int, pots: int) -> tuple[Tally, int, Tally, int]:
    """Return the tallies and largest pots of pots side by side, and pot by pot."""
    scenario = Scenario(page(label), players, load_seats("stay"))
    rules = play.rules_of(scenario.game, scenario.seats)
    beside, alone = Tally(scenario.shapes), Tally(scenario.shapes)
    some = staying.play_staying(hands.tables(), rules, beside.filled, np.uint64(7), first, pots)
    one = play.play_pots(
        hands.tables(), None, rules, play.new_table(), alone.filled, new_log(),
        np.uint64(7), first, pots,
    )  # fmt: skip
    return beside, some, alone, one


def test_most_pages_are_played_side_by_side() -> None:
    assert {"faces-of-death", "spades", "seven-card-stud", "black-mariah"} <= set(PAGES)
    assert not tells("faces-of-death kill.treatment=player-out")
    assert not tells("spades kill.cards=Qs,7s kill.ante_again=true")


@pytest.mark.parametrize("players", range(2, 9))
@pytest.mark.parametrize("label", PAGES)
def test_totals_are_those_of_one_pot_after_another(label: str, players: int) -> None:
    beside, some, alone, one = both(label, players, first=5, pots=700)
    assert beside == alone
    assert some == one


@pytest.mark.parametrize("label", ["spades betting.bring_in=1 ante.who=everyone", "faces-of-death"])
@pytest.mark.parametrize("pots", [0, 1, 63, 64, 65, 200])
def test_a_round_need_not_be_full(label: str, pots: int) -> None:
    beside, some, alone, one = both(label, 4, FARTHEST - pots, pots)
    assert beside == alone
    assert some == one


ROOMS = lanes.ROOM, staying.ROOM, ranking.ROOM


@pytest.mark.parametrize(("one", "other"), list(permutations(ROOMS, 2)))
def test_no_room_is_taken_for_another(one: Any, other: Any) -> None:
    """Numba would do so where one begins like the other, and print a page of warnings."""
    assert numba.from_dtype(one).can_convert_to(None, numba.from_dtype(other)) is None


def test_pots_of_several_calls_add_up() -> None:
    whole = both("spades", 5, 0, 333)[0]
    assert both("spades", 5, 0, 100)[0] + both("spades", 5, 100, 233)[0] == whole


@numba.njit
def deal_lanes(room: Any) -> None:
    lanes.roll_lanes(room[0], lanes.GROUPS)
    lanes.deal_lanes(room[0], lanes.GROUPS)


@pytest.mark.parametrize("group", range(8))
def test_an_unfair_word_is_drawn_again_in_its_lane_alone(group: int) -> None:
    outcomes = outcomes_of(group)
    step = outcomes // 300 if outcomes > 6_000 else 1
    unfair, fair = narrow_words(outcomes, range(0, outcomes, step))
    assert min(len(unfair), len(fair)) > 5
    words = islice(chain.from_iterable(zip(cycle(unfair), cycle(fair), strict=False)), lanes.LANES)
    room = np.zeros(1, lanes.ROOM)
    room["bases"] = 16 * 3
    for lane, word in enumerate(words):
        place = stream_through({16 * 3 + group: word})
        room["starts"][0, lane], room["steps"][0, lane] = place.start, place.step
    deal_lanes(room)
    for lane in range(lanes.LANES):
        twin = (int(room["starts"][0, lane]), int(room["steps"][0, lane]))
        dealt = ORDER[room["cards"][0, :49, lane]]
        assert dealt.tolist() == naive.shuffle(twin, 3)[:49]
