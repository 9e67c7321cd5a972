"""Scenarios and plans: what their keys depend on, and what is refused."""

import pytest

from sim import game
from sim.errors import InputError
from sim.plan import grid
from sim.policy import Policy
from sim.scenario import Scenario


def page(name="faces-of-death", *options):
    return game.load(name).with_options(options)


def test_the_key_depends_on_rules_not_on_words():
    plain = page()
    renamed = plain.model_copy(update={"title": "Another", "name": "other", "summary": "words"})
    assert Scenario(plain, 4).key == Scenario(renamed, 4).key


@pytest.mark.parametrize(
    "other",
    [
        Scenario(page(), 5),
        Scenario(page("black-mariah"), 4),
        Scenario(page("faces-of-death", "kill.treatment=player-out"), 4),
        Scenario(page("faces-of-death", "kill.max_deals=999"), 4),
        Scenario(page("faces-of-death", "ante.amount=2"), 4),
    ],
)
def test_the_key_tells_rules_and_table_sizes_apart(other):
    assert other.key != Scenario(page(), 4).key


def test_a_scenario_survives_writing_and_reading():
    one = Scenario(page("faces-of-death", "kill.ante_again=true"), 6)
    assert Scenario.from_json(one.as_json()) == one


def test_what_a_store_holds_is_read_though_its_names_are_taken_by_now():
    """A page may have been called what is a shipped policy's name today."""
    one = Scenario(page(), 4, (Policy.family("own", 1.0, 2.0),)).as_json()
    one["policies"][0]["name"] = "typical"
    read = Scenario.from_json(one)
    assert read.key == Scenario(page(), 4, (Policy.family("own", 1.0, 2.0),)).key
    with pytest.raises(InputError, match="shipped policy's"):
        Scenario(page(), 4, read.policies)


@pytest.mark.parametrize("players", [-1, 0, 1, 9])
def test_table_sizes_outside_two_to_eight_are_refused(players):
    with pytest.raises(InputError, match="2 to 8"):
        Scenario(page(), players)


def test_a_game_that_could_not_finish_at_this_table_size_is_refused():
    many = page("faces-of-death", "kill.cards=spades hearts")
    assert Scenario(many, 6).players == 6
    with pytest.raises(InputError, match="could ever finish with 7 players"):
        Scenario(many, 7)


@pytest.mark.parametrize(("pots", "seed"), [(0, 1), (-5, 1), (10, -1), (10, 2**63)])
def test_impossible_plans_are_refused(pots, seed):
    with pytest.raises(InputError):
        grid([page()], [4], pots, seed)


def test_the_same_scenario_twice_counts_once():
    assert len(grid([page(), page()], [4, 4, 5], 10).scenarios) == 2


def test_more_pots_than_sums_of_squares_can_hold_are_refused():
    with pytest.raises(InputError, match="to 10000000000"):
        grid([page()], [8], 10**12)
