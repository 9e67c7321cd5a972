"""Tallies: what the kernel counts is what the rule book's events say, and sums are exact."""

from collections.abc import Callable
from itertools import product

import naive
import numpy as np
import pytest
from conftest import EVERY_TABLE, page

from sim.game import Game
from sim.policy import STAY
from sim.runs.run import CELL
from sim.tally import LARGEST_POT, MAX_BINS, Counts, Tally, amounts, layout, price_list


@EVERY_TABLE
def test_every_count_is_that_of_the_events(
    game: Game, players: int, reference_pots: list[naive.Pot], kernel_plays: Callable
) -> None:
    tally, _ = kernel_plays(game, players)
    reference = naive.tally_of(game, players, reference_pots, [STAY] * players)
    for field in Counts._fields:
        counted, expected = getattr(tally.counts, field), getattr(reference.counts, field)
        np.testing.assert_array_equal(counted, expected, err_msg=field)


def test_the_pages_together_count_everything(kernel_plays: Callable) -> None:
    """No field is compared at nought only: each counts something on one of these pages."""
    labels = (
        "spades kill.cards=Qs,7s",
        "faces-of-death kill.treatment=player-out",
        "faces-of-death kill.max_deals=1",
    )
    mixed = "tight,loose,typical,stay,stay,loose,fold:0.1,tight"
    counts = [kernel_plays(page(label), 8, mixed, pots=200)[0].counts for label in labels]
    for field in Counts._fields:
        assert any(getattr(some, field).any() for some in counts), field


@EVERY_TABLE
def test_tallies_add_up(game: Game, players: int, kernel_plays: Callable) -> None:
    whole, _ = kernel_plays(game, players, pots=255, capacity=0)
    first, _ = kernel_plays(game, players, pots=100, capacity=0)
    rest, _ = kernel_plays(game, players, first=100, pots=155, capacity=0)
    assert first + rest == rest + first == whole
    assert (first.pots, whole.pots) == (100, 255)
    first += rest
    assert first == whole


def test_tallies_of_different_shapes_do_not_add_up() -> None:
    spades = [Tally(layout(page("spades"), players, bets=False)) for players in (2, 3)]
    with pytest.raises(ValueError, match="different games"):
        _ = spades[0] + spades[1]
    assert spades[0] != spades[1]
    with pytest.raises(ValueError, match="cannot hold"):
        Tally(spades[0].shapes, spades[1].data)


def test_views_share_the_vector() -> None:
    tally = Tally(layout(page("spades"), 4, bets=True))
    for field in Counts._fields:
        getattr(tally.counts, field)[...] = 1
    assert tally.data.all()


@pytest.mark.parametrize(
    ("option", "expected"),
    [
        ("toll.prices=[2,5,10,20]", [2, 5, 10, 20]),
        ("toll.prices=[2,5]", [2, 5, 5, 5]),
        ("toll.prices=[1,2,3,4,5,6]", [1, 2, 3, 4]),
    ],
)
def test_the_last_price_stays(option: str, expected: list[int]) -> None:
    assert price_list(page("spades").with_options([option])) == expected


def dearest_deal(prices: list[int], players: int, toll_cards: int) -> int:
    """Return the most that players can pay in a deal, by trying who gets how many toll cards."""
    return max(
        sum(sum(prices[:own]) for own in numbers)
        for numbers in product(range(5), repeat=players)
        if sum(numbers) <= toll_cards
    )


@pytest.mark.parametrize("cards", ["Qs", "Qs,7s,2s", "deuces,Qs", "spades", "spades,hearts"])
@pytest.mark.parametrize("prices", ["[2,5,10,20]", "[9,0,0,7]", "[3]"])
@pytest.mark.parametrize("players", [2, 5])
def test_amounts_bound_what_can_be_paid(cards: str, prices: str, players: int) -> None:
    game = page("spades").with_options([f"toll.cards={cards}", f"toll.prices={prices}"])
    limits = amounts(game, players, bets=False)
    toll_cards = game.toll.cards.bit_count()
    dearest = dearest_deal(price_list(game), players, toll_cards)
    dearest_of_one = dearest_deal(price_list(game), 1, toll_cards)
    assert limits.most_toll == dearest
    assert limits.most_player_toll == dearest_of_one
    assert limits.most_pot == dearest + 1
    assert limits.most_player == dearest_of_one + 1
    killing = amounts(
        game.with_options(["kill.cards=Kh", "kill.ante_again=true"]), players, bets=False
    )
    assert (killing.most_toll, killing.most_pot) == (1000 * dearest, 1000 * (dearest + 1))


def test_amounts_bound_what_can_be_bet() -> None:
    """A bet and three raises on each street, and with them goes the bring-in."""
    game = page("faces-of-death")
    a_round = 4 * (2 + 2 + 4 + 4 + 4)
    with_bets, without = (amounts(game, 5, bets=bets) for bets in (True, False))
    assert with_bets.most_player == 1 + 1000 * a_round
    assert with_bets.most_pot == 5 + 1000 * 5 * a_round
    assert without.most_player == 1 + 1000 * 1
    assert without.most_pot == 5 + 1000 * 5 * 1


@pytest.mark.parametrize(
    ("options", "bets", "unit"),
    [
        ("ante.amount=6 betting.bets=[8,8,16,16,16] betting.bring_in=4", True, 2),
        ("ante.amount=6 betting.bets=[8,8,16,16,17] betting.bring_in=4", True, 1),
        ("ante.amount=6 betting.bets=[8,8,16,16,17] betting.bring_in=0", False, 6),
        ("ante.amount=6 betting.bets=[8,8,16,16,17] betting.bring_in=4", False, 2),
    ],
)
def test_amounts_are_multiples_of_a_unit(options: str, bets: bool, unit: int) -> None:
    game = page(f"seven-card-stud {options}")
    assert amounts(game, 3, bets=bets).pot_unit == unit


def test_bins_are_bounded() -> None:
    prices = "toll.prices=[1,9999,10000,10000]"
    game = page("spades").with_options([prices, "kill.cards=Kh"])
    for bets in (False, True):
        shapes = layout(game, 8, bets=bets)
        assert shapes["toll_pot"] == shapes["pot_size"] == (MAX_BINS + 1,)
        assert shapes["toll_player"] == shapes["chips_in"] == (2, MAX_BINS + 1)


def test_the_squares_of_a_cell_of_pots_cannot_overflow() -> None:
    assert CELL * LARGEST_POT**2 < 2**63


def test_a_pot_that_is_too_large_is_refused(kernel_plays: Callable, refused: Callable) -> None:
    """Its squares might not fit: the page's chips are to be counted in larger units."""
    game = page(
        "spades kill.cards=Kh,Kd,Kc,hearts toll.cards=clubs,diamonds,hearts,spades "
        "toll.prices=[10000]"
    )
    refused(lambda: kernel_plays(game, 8, pots=4, capacity=0), "chips", "larger units", "8,388,608")


def test_a_sum_knows_which_of_its_pots_have_which_counts(kernel_plays: Callable) -> None:
    game = page("spades")
    first, second, third = (
        kernel_plays(game, 2, first=first, pots=10, capacity=0)[0] for first in (0, 10, 20)
    )
    less = Tally(second.shapes, second.data.copy(), frozenset({"cards"}))
    less.counts.cards[:] = 0
    total = Tally(first.shapes)
    for tally in (less, first, less, third):
        total += tally
    assert (total.pots, total.lacks) == (40, {"cards"})
    assert not total.counts.cards.any()
    assert "cards" not in total.arrays()
    assert total.having(["cards", "deals"]) == first + third
    assert total.having(["deals"]) is total
    assert total == less + less + first + third != first + second + second + third
    assert (less.having(["cards"]).pots, less.pots) == (0, 10)
