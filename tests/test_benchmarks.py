"""What benchmarks make of their measurements; no test looks at a clock."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchmarks import chart, guard, variance
from benchmarks.measure import Contestant, alternate, arithmetic, compare
from benchmarks.peers import same_order
from sim import game
from sim.policy import load_seats
from sim.scenario import Scenario


def test_contestants_take_turns_after_one_that_does_not_count():
    told = []

    def turn(name: str, seconds: float) -> float:
        told.append(name)
        return seconds

    contestants = {
        "one": Contestant(10, lambda: turn("one", 2.0)),
        "other": Contestant(1, lambda: turn("other", 0.1)),
    }
    seconds = alternate(contestants, 3)
    assert told == ["one", "other"] * 4
    assert seconds.to_dict("list") == {"one": [0.2] * 3, "other": [0.1] * 3}


def test_a_ratio_is_the_median_of_the_rounds_and_not_the_ratio_of_medians():
    seconds = pd.DataFrame({"base": [1.0, 2.0, 100.0], "one": [3.0, 8.0, 500.0]})
    table = compare(seconds, "base").set_index("contestant")
    assert table.times.to_dict() == {"base": 1.0, "one": 4.0}
    assert (table.low["one"], table.high["one"]) == (3.5, 4.5)
    assert table["a second"]["one"] == 1 / 8.0
    assert compare(seconds, {"one": "base"}).contestant.tolist() == ["one"]


def test_a_scale_with_ties_elsewhere_is_another_order():
    assert same_order(np.array([5, 1, 5, 9]), np.array([-20, -30, -20, -1]))
    assert not same_order(np.array([5, 1, 5, 9]), np.array([-20, -30, -21, -1]))
    assert not same_order(np.array([5, 1, 5, 9]), np.array([20, 30, 20, 1]))


@pytest.mark.parametrize(
    ("turns", "code"),
    [
        ([0.9], 0),
        ([1.1, 0.9], 0),  # slow once: somebody else was busy
        ([1.1, 1.2], 1),
    ],
)
def test_the_guard_ends_with_1_if_a_ratio_is_twice_beyond_its_bound(
    turns: list[float], code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
):
    slow = ("a deal of Spades", "dealing seven hands")
    left = iter(turns)

    def measured() -> dict[guard.Pair, float]:
        share = next(left)
        return {
            pair: bound * (share if pair == slow else 0.5) for pair, bound in guard.BOUNDS.items()
        }

    monkeypatch.setattr(guard, "measured", measured)
    assert guard.main() == code
    assert next(left, None) is None
    said = capsys.readouterr().err
    assert said.startswith("a deal of Spades took") == bool(code)
    assert said.count("\n") == code


def test_the_guard_knows_all_that_it_compares():
    assert set(guard.contestants()) == {name for pair in guard.BOUNDS for name in pair}


def test_arithmetic_depends_on_how_often_it_is_done():
    assert len({int(arithmetic(rounds)) for rounds in range(5)}) == 5


def test_a_control_leaves_what_it_does_not_explain():
    random = np.random.default_rng(1)
    control, rest = random.normal(size=(2, 20_000))
    assert variance.reduction(2 * control + rest, control[:, None]) == pytest.approx(5, rel=0.05)
    assert variance.reduction(rest, control[:, None]) == pytest.approx(1, rel=0.01)


def test_errors_of_a_ratio_add_up_to_nothing():
    top, bottom = np.array([1.0, 2.0, 6.0]), np.array([2.0, 3.0, 5.0])
    errors = variance.influence(top, bottom)
    assert errors.sum() == pytest.approx(0)
    assert errors[0] == pytest.approx((1 - 0.9 * 2) / (10 / 3))


@pytest.mark.parametrize(("name", "figure"), [("faces-of-death", "kills"), ("spades", "tolls")])
def test_logs_tell_the_hits_that_tallies_count(name: str, figure: str):
    scenario = Scenario(game.load(name), 4, load_seats("fold:0.1"))
    read = variance._read(scenario, 400)
    counts = variance.blocks(scenario, 1)[0]
    assert variance.POTS == 400
    sums = counts.kills_by_street[0, -1] if figure == "kills" else counts.toll_pot_sums[0]
    assert read.hits.sum() == sums
    assert read.deals.sum() == variance.deals(counts)
    expected = read.hits - read.up.sum(axis=1)  # what was to be expected, card by card
    assert expected.std() < read.hits.std()


def test_a_chart_is_drawn_of_what_was_measured(tmp_path: Path):
    seconds = pd.DataFrame({"stay": [1.0, 2.0], "tight": [3.0, 5.0]})
    tables = {"betting": compare(seconds, "stay").assign(game="spades")}
    paths = chart.draw(tables, tmp_path)
    assert [path.name for path in paths] == ["speed.svg", "speed.png"]
    assert all(path.stat().st_size > 1000 for path in paths)
    assert chart.draw({"machine": pd.DataFrame()}, tmp_path) == []
