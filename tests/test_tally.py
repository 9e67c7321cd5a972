"""Tallies: what the kernel counts is what the rule book's events say, and sums are exact."""

from collections.abc import Callable
from itertools import product

import naive
import numpy as np
import pytest
from conftest import page

from sim.game import Game
from sim.tally import MAX_BINS, Counts, Tally, amounts, layout, most_pots, price_list


def test_every_count_is_that_of_the_events(
    game: Game, players: int, twin_pots: list[list[naive.Happening]], kernel_plays: Callable
) -> None:
    tally, _ = kernel_plays(game, players)
    twin = naive.tally_of(game, players, twin_pots)
    for field in Counts._fields:
        counted, expected = getattr(tally.counts, field), getattr(twin.counts, field)
        np.testing.assert_array_equal(counted, expected, err_msg=field)


def test_the_pages_together_count_everything(kernel_plays: Callable) -> None:
    """No field is compared at nought only: each counts something on one of these pages."""
    labels = (
        "spades kill.cards=Qs,7s",
        "faces-of-death kill.treatment=player-out",
        "faces-of-death kill.max_deals=1",
    )
    counts = [kernel_plays(page(label), 8, pots=200)[0].counts for label in labels]
    for field in Counts._fields:
        assert any(getattr(some, field).any() for some in counts), field


def test_tallies_add_up(game: Game, players: int, kernel_plays: Callable) -> None:
    whole, _ = kernel_plays(game, players, pots=255, room=0)
    first, _ = kernel_plays(game, players, pots=100, room=0)
    rest, _ = kernel_plays(game, players, first=100, pots=155, room=0)
    assert first + rest == rest + first == whole
    assert (first.pots, whole.pots) == (100, 255)
    first += rest
    assert first == whole


def test_tallies_of_different_shapes_do_not_add_up() -> None:
    spades = [Tally(layout(page("spades"), players)) for players in (2, 3)]
    with pytest.raises(ValueError, match="different games"):
        _ = spades[0] + spades[1]
    assert spades[0] != spades[1]
    with pytest.raises(ValueError, match="cannot hold"):
        Tally(spades[0].shapes, spades[1].data)


def test_views_share_the_vector() -> None:
    tally = Tally(layout(page("spades"), 4))
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
    limits = amounts(game, players)
    toll_cards = game.toll.cards.bit_count()
    dearest = dearest_deal(price_list(game), players, toll_cards)
    assert limits.most_toll == dearest
    assert limits.most_player_toll == dearest_deal(price_list(game), 1, toll_cards)
    assert limits.most_pot == dearest + 1
    killing = amounts(game.with_options(["kill.cards=Kh", "kill.ante_again=true"]), players)
    assert (killing.most_toll, killing.most_pot) == (1000 * dearest, 1000 * (dearest + 1))


def test_bins_are_bounded() -> None:
    prices = "toll.prices=[1,9999,10000,10000]"
    shapes = layout(page("spades").with_options([prices, "kill.cards=Kh"]), 8)
    assert shapes["toll_pot"] == shapes["pot_size"] == (MAX_BINS + 1,)


def test_squares_of_most_pots_cannot_overflow(game: Game, players: int) -> None:
    largest = amounts(game, players).most_pot
    assert most_pots(game, players) * largest**2 < 2**63
    assert most_pots(game, players) > 100_000
