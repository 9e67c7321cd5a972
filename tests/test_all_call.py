"""Pots side by side: the same decks as the reference's, and the same totals as pot by pot."""

from itertools import chain, cycle, islice, permutations
from typing import Any

import naive
import numba
import numpy as np
import pytest
from conftest import ODD, SHIPPED, page
from test_deck import narrow_words, outcomes_of, stream_through

from sim.kernels import counting, play, rows, rules
from sim.kernels.deck import ORDER
from sim.kernels.fast import all_call, lanes, rank
from sim.policy import load_seats
from sim.runs import threads
from sim.runs.threads import Block, play_block
from sim.scenario import Scenario
from sim.tally import Tally

FARTHEST = 10**10


def tells(label: str) -> bool:
    return bool(rules.rules_of(page(label), load_seats("stay") * 2)[0]["court_tells"])


PAGES = [label for label in SHIPPED + ODD if tells(label)]


def one_by_one(scenario: Scenario) -> Any:
    """Return the rules of a scenario as if its pots could not be played side by side."""
    page = rules.rules_of(scenario.game, scenario.seats)
    page["court_tells"] = False
    return page


def both(label: str, players: int, first: int, pots: int) -> tuple[Tally, Tally]:
    """Return the tallies of pots side by side, and pot by pot."""
    block = Block(Scenario(page(label), players, load_seats("stay")), 7, first, pots)
    beside = play_block(block)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(threads, "rules_of", one_by_one)
        return beside, play_block(block)


def test_most_pages_are_played_side_by_side() -> None:
    assert {"faces-of-death", "spades", "seven-card-stud", "black-mariah"} <= set(PAGES)
    assert not tells("faces-of-death kill.treatment=player-out")
    assert not tells("spades kill.cards=Qs,7s kill.ante_again=true")


@pytest.mark.parametrize("players", range(2, 9))
@pytest.mark.parametrize("label", PAGES)
def test_totals_are_those_of_one_pot_after_another(label: str, players: int) -> None:
    beside, alone = both(label, players, first=5, pots=700)
    assert beside == alone


@pytest.mark.parametrize("label", ["spades betting.bring_in=1 ante.who=everyone", "faces-of-death"])
@pytest.mark.parametrize("pots", [0, 1, 63, 64, 65, 200])
def test_a_round_need_not_be_full(label: str, pots: int) -> None:
    beside, alone = both(label, 4, FARTHEST - pots, pots)
    assert beside == alone


WORKSPACES = (
    *(lanes.WORKSPACE, all_call.WORKSPACE, rank.WORKSPACE, counting.WORKSPACE),
    *(rows.ROWS, rows.DEAL, play.TABLE, rules.RULES),
)


@pytest.mark.parametrize(("one", "other"), list(permutations(WORKSPACES, 2)))
def test_no_record_is_taken_for_another(one: Any, other: Any) -> None:
    """Numba would do so where one begins like the other, and print a page of warnings."""
    assert numba.from_dtype(one).can_convert_to(None, numba.from_dtype(other)) is None


def test_pots_of_several_calls_add_up() -> None:
    whole = both("spades", 5, 0, 333)[0]
    assert both("spades", 5, 0, 100)[0] + both("spades", 5, 100, 233)[0] == whole


@numba.njit
def deal_lanes(workspace: Any) -> None:
    lanes.roll_lanes(workspace[0], lanes.GROUPS)
    lanes.deal_lanes(workspace[0], lanes.GROUPS)


@pytest.mark.parametrize("group", range(8))
def test_an_unfair_word_is_drawn_again_in_its_lane_alone(group: int) -> None:
    outcomes = outcomes_of(group)
    step = outcomes // 300 if outcomes > 6_000 else 1
    unfair, fair = narrow_words(outcomes, range(0, outcomes, step))
    assert min(len(unfair), len(fair)) > 5
    words = islice(chain.from_iterable(zip(cycle(unfair), cycle(fair), strict=False)), rows.BATCH)
    workspace = np.zeros(1, lanes.WORKSPACE)
    workspace["bases"] = 16 * 3
    for lane, word in enumerate(words):
        stream = stream_through({16 * 3 + group: word})
        workspace["starts"][0, lane], workspace["steps"][0, lane] = stream.start, stream.step
    deal_lanes(workspace)
    for lane in range(rows.BATCH):
        reference = (int(workspace["starts"][0, lane]), int(workspace["steps"][0, lane]))
        dealt = ORDER[workspace["cards"][0, :49, lane]]
        assert dealt.tolist() == naive.shuffle(reference, 3)[:49]
