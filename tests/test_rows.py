"""Rows: the same from both ways of playing and from the rule book; counts are read from them."""

from collections.abc import Callable
from itertools import product
from typing import Any

import naive
import numpy as np
import pytest
from conftest import ODD, SEED, SHIPPED, AnyScenario, page, parts_of_table, reference_of
from numpy.typing import NDArray
from pairwise import grid
from test_all_call import PAGES, one_by_one
from test_betting import TABLES, UNUSUAL, seats_of

from sim.kernels.ranks import RankTables
from sim.kernels.rows import BATCH, new_rows
from sim.runs import threads
from sim.runs.threads import Block, play_block, rows
from sim.scenario import Scenario
from sim.tally import Tally, amounts

SIZES = range(2, 9)
GRID = list(product(SHIPPED + ODD + UNUSUAL, SIZES, TABLES))[::11]
Columns = dict[str, NDArray[Any]]


def assert_equal(found: Columns, expected: Columns) -> None:
    assert set(found) == set(expected)
    for name, column in expected.items():
        np.testing.assert_array_equal(found[name], column, err_msg=name)


@pytest.fixture(scope="session")
def rank(tables: RankTables) -> Callable[[naive.Value], int]:
    """A function that turns the reference's value of a hand into the kernel's strength."""
    packed = {int(value): strength for strength, value in enumerate(tables.values)}

    def strength(value: naive.Value) -> int:
        category, *ranks = value
        return packed[
            category << 20
            | sum(own + 1 << shift for own, shift in zip(ranks, (16, 12, 8, 4, 0), strict=True))
        ]

    return strength


@pytest.mark.parametrize(("label", "players", "table"), grid(GRID, parts_of_table))
def test_rows_are_those_of_the_rule_book(
    label: str, players: int, table: str, rank: Callable[[naive.Value], int]
) -> None:
    game, seats, first = page(label), seats_of(table, players), 20
    pots = [reference_of(game, players, seats, pot) for pot in range(first, first + 6)]
    scenario = AnyScenario(game, players, seats)
    assert_equal(rows(scenario, SEED, first, 6), naive.rows_of(pots, first, seats, rank))
    deals, expected = rows(scenario, SEED, first, 6, by="deal"), naive.deal_rows_of(pots, first)
    if not game.toll.cards:
        expected["toll_payers"][:] = 0
    assert_equal(deals, expected)


@pytest.mark.parametrize(("label", "players"), grid(product(PAGES, SIZES), parts_of_table))
@pytest.mark.parametrize("by", ["pot", "deal"])
def test_both_ways_of_playing_yield_the_same_rows(
    label: str, players: int, by: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    scenario = Scenario(page(label), players)
    beside = rows(scenario, 7, 10**10 - 300, 300, by)
    monkeypatch.setattr(threads, "rules_of", one_by_one)
    assert_equal(beside, rows(scenario, 7, 10**10 - 300, 300, by))


@pytest.mark.parametrize("table", ["stay", "typical"])
@pytest.mark.parametrize("label", ["faces-of-death", "spades"])
def test_rows_come_whole_however_they_are_kept(
    label: str, table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    scenario = Scenario(page(label), 5, seats_of(table, 5))
    whole = {by: rows(scenario, 3, 50, 777, by) for by in ("pot", "deal")}
    monkeypatch.setattr(threads, "KEPT", 3)
    monkeypatch.setattr(threads, "KEPT_DEALS", 1_100)  # room for a pot of a thousand deals, just
    for by in ("pot", "deal"):
        assert_equal(rows(scenario, 3, 50, 777, by), whole[by])
    assert whole["pot"]["pot"].tolist() == list(range(50, 827))
    assert whole["deal"]["pot"].size == whole["pot"]["deals"].sum()
    assert rows(scenario, 3, 50, 0)["paid"].shape == (0, 5)


def test_a_batch_lies_in_half_of_a_first_level_cache() -> None:
    assert new_rows(1).nbytes <= 16_384
    assert BATCH == 64


# --- What is counted, read from rows -----------------------------------------------------------


def binned(amounts_of: NDArray[Any], unit: int, bins: int) -> NDArray[np.int64]:
    """Return how many of a pot's players fall into each bin, (pots, bins)."""
    level = np.minimum(amounts_of // unit, bins - 1)
    return (level[:, :, np.newaxis] == np.arange(bins)).sum(axis=1)


def kinds(counts: NDArray[np.int64], things: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return sums over pots of counts, their squares and their products with things."""
    return np.array([counts.sum(0), (counts**2).sum(0), (counts * things[:, None]).sum(0)])


def chips_and_tolls(scenario: Scenario, pots: Columns, deals: Columns) -> Columns:
    """Return what ``counts by toll vector`` count, pot by pot."""
    limits = amounts(scenario.game, scenario.players, bets=scenario.bets)
    bins = {name: shape[-1] for name, shape in scenario.shapes.items()}
    paid, tolls = pots["paid"].astype(np.int64), pots["tolls"].astype(np.int64)
    dealt_in = pots["dealt_in"].astype(np.int64)
    chips, toll = paid.sum(axis=1), tolls.sum(axis=1)
    payers = np.zeros((len(chips), 5), np.int64)
    np.add.at(payers, deals["pot"] - pots["pot"][0], deals["toll_payers"])
    players = [
        binned(paid, limits.pot_unit, bins["chips_in"]),
        binned(tolls, limits.toll_unit, bins["toll_player"]),
    ]
    one = [
        binned(chips[:, None], limits.pot_unit, bins["pot_size"]).sum(axis=0),
        binned(toll[:, None], limits.toll_unit, bins["toll_pot"]).sum(axis=0),
    ]
    return {
        "chips_in": kinds(players[0], dealt_in)[:2],
        "toll_player": kinds(players[1], dealt_in)[:2],
        "pot_size": one[0],
        "toll_pot": one[1],
        "pot_size_sums": np.array([chips.sum(), (chips**2).sum()]),
        "toll_pot_sums": np.array([toll.sum(), (toll**2).sum(), (toll * chips).sum()]),
        "tolls_paid": kinds(payers, dealt_in),
        "players_dealt": np.array([dealt_in.sum(), (dealt_in**2).sum()]),
    }


@pytest.mark.parametrize("players", [2, 5, 8])
@pytest.mark.parametrize(
    ("label", "table"),
    [
        ("spades", "stay"),
        ("spades betting.bring_in=1 ante.who=everyone", "stay"),
        ("spades toll.prices=[6,9]", "stay"),
        ("spades toll.cards=clubs,hearts,spades toll.prices=[1,9999,10000,9998]", "stay"),
        ("spades kill.cards=Qs,7s kill.everyone=true kill.max_deals=3", "mixed"),
    ],
)
def test_counts_by_toll_vector_are_those_of_rows(label: str, table: str, players: int) -> None:
    scenario = Scenario(page(label), players, seats_of(table, players))
    first, number = 11, 500
    pots, deals = (rows(scenario, 5, first, number, by) for by in ("pot", "deal"))
    counted: Tally = play_block(Block(scenario, 5, first, number))
    for name, expected in chips_and_tolls(scenario, pots, deals).items():
        np.testing.assert_array_equal(getattr(counted.counts, name), expected, err_msg=name)
    net = pots["won"].astype(np.int64) - pots["paid"]
    by_seat = [net.sum(axis=0), (net**2).sum(axis=0)]
    np.testing.assert_array_equal(counted.counts.net_by_seat[:, :players], by_seat)
    level = np.minimum(pots["toll_cards"], 5)
    for own in range(6):
        theirs, many = (net * (level == own)).sum(axis=1), (level == own).sum(axis=1)
        sums = [theirs, theirs**2, theirs * many, many, many**2]
        expected = [part.sum() for part in sums]
        np.testing.assert_array_equal(counted.counts.net_by_tolls[:, own], expected)


def test_every_pot_is_paid_out_whole() -> None:
    for label, table in (("spades", "stay"), ("faces-of-death", "typical"), (UNUSUAL[7], "mixed")):
        told = rows(Scenario(page(label), 6, seats_of(table, 6)), 2, 0, 500)
        assert np.array_equal(told["paid"].sum(axis=1), told["won"].sum(axis=1))
        assert (told["tolls"] <= told["paid"]).all()


def test_the_pages_together_fill_every_column() -> None:
    """No column is compared at one value only."""
    cases = (
        ("spades kill.cards=Qs,7s", "mixed"),
        ("faces-of-death kill.treatment=player-out", "stay"),
        ("faces-of-death kill.max_deals=2", "typical"),
    )
    for by in ("pot", "deal"):
        told = [
            rows(Scenario(page(label), 8, seats_of(table, 8)), 4, 0, 400, by)
            for label, table in cases
        ]
        for name in told[0]:
            assert max(len(np.unique(some[name])) for some in told) > 1, name
