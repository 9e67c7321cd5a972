"""Differences between scenarios: sharper on the same cards, and honest about it."""

import numpy as np
import pytest

from sim import game, plan, study
from sim.errors import InputError
from sim.odds import exact_values
from sim.runs import cells, run
from sim.runs.collection import collect
from sim.runs.store import Store
from sim.scenario import Scenario
from sim.stats import differences
from sim.stats.frame import tidy_frame

PLAIN = game.load("faces-of-death")
AGAIN = PLAIN.with_options(["kill.ante_again=true"])
LESS = PLAIN.with_options(["kill.cards=Js Qs"])


@pytest.fixture(scope="module")
def store():
    """A store with three rules at one table size under one seed, one at another and one seed."""
    with Store(None) as store:
        pots = 24 * run.CELL
        for pages, players, seed in (([PLAIN, LESS], 2, 7), ([PLAIN], 3, 7), ([AGAIN], 2, 8)):
            collect(plan.make_plan(pages, players=players, pots=pots, seed=seed), store, 2)
        yield store


def row(found, metric, level="all"):
    return found.frame.query("metric == @metric and level == @level").iloc[0]


def test_a_paired_difference_is_that_of_the_totals_and_holds_the_exact_one(store):
    found = cells.compare(store, Scenario(PLAIN, 2), Scenario(LESS, 2))
    frame = study.Study(store, [(Scenario(page, 2), 7) for page in (PLAIN, LESS)]).frame()
    exact = [exact_values(page, 2) for page in (PLAIN, LESS)]
    inside = []
    for key in [
        ("kill_rate", "all"),
        ("deals_per_pot", "mean"),
        ("killed_seat", "1"),
        ("hand", "flush"),
    ]:
        one = row(found, *key)
        both = frame.query("metric == @key[0] and level == @key[1]").estimate.to_numpy()
        assert one.difference == pytest.approx(both[0] - both[1])
        truth = float(exact[0][key] - exact[1][key])
        inside.append(one.low <= truth <= one.high)
    assert sum(inside) >= 3
    assert "paired by cards" in found.basis
    assert found.frame.paired.all()


def test_the_same_cards_make_a_difference_sharper(store):
    found = row(cells.compare(store, Scenario(PLAIN, 2), Scenario(LESS, 2)), "kill_rate")
    apart = [
        tidy_frame([(Scenario(page, 2), store.total(Scenario(page, 2), 7))])
        .query("metric == 'kill_rate' and level == 'all'").se.iloc[0]
        for page in (PLAIN, LESS)
    ]  # fmt: skip
    assert 0 < found.se < 0.85 * np.hypot(*apart)


def test_one_scenario_is_compared_with_several_in_the_metrics_asked_for(store, refused):
    plain, less, more = Scenario(PLAIN, 2), Scenario(LESS, 2), Scenario(PLAIN, 3)
    wanted = ["kill_rate", "hand"]
    found = cells.compare_all(store, plain, [less, more], wanted)
    assert tuple(found.frame.columns) == ("versus", *differences.COLUMNS)
    assert set(found.frame.metric) == set(wanted)
    for other, part in zip((less, more), found.frame.groupby("versus", sort=False), strict=True):
        name, rows = part
        assert cells.find(store, name) == other
        alone = cells.compare(store, plain, other)
        assert alone.basis in found.basis
        same = alone.frame[alone.frame.metric.isin(wanted)].reset_index(drop=True)
        assert rows[list(differences.COLUMNS)].reset_index(drop=True).equals(same)
    refused(lambda: cells.compare(store, plain, less, ["kills"]), "no metric 'kills'")
    refused(lambda: cells.compare(store, plain, less, ["toll_pot"]), "no toll_pot in common")


@pytest.mark.parametrize(
    ("other", "why"),
    [(Scenario(PLAIN, 3), "different table sizes"), (Scenario(AGAIN, 2), "no seed in common")],
)
def test_what_was_dealt_other_cards_is_not_paired_and_says_so(store, other, why):
    found = cells.compare(store, Scenario(PLAIN, 2), other)
    assert why in found.basis
    assert not found.frame.paired.any()


def test_too_little_to_pair_is_not_paired_and_says_so(refused):
    with Store(None) as store:
        collect(plan.make_plan([PLAIN, LESS], players=2, pots=1000, seed=1), store, 1)
        found = cells.compare(store, Scenario(PLAIN, 2), Scenario(LESS, 2))
        assert "takes 8 full cells" in found.basis
        assert not found.frame.paired.any()
        assert (row(found, "kill_rate").se > 0).all()
        refused(lambda: cells.compare(store, Scenario(LESS, 2), Scenario(LESS, 2)), "from itself")


def test_scenarios_are_found_by_hash_or_by_name(store):
    plain = Scenario(PLAIN, 2)
    for text in (plain.key, plain.key[:6], "faces-of-death:2", "faces-of-death:2:stay"):
        assert cells.find(store, text) == plain
    for text in ("", "faces-of-death", "faces-of-death:9", "zzzz", plain.key[:2]):
        with pytest.raises(InputError, match="no scenario"):
            cells.find(store, text)
