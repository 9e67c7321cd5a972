"""A metric is one definition, and everything that tells of metrics reads it."""

import pandas as pd
import pytest

from docs import reference
from sim import charts, cli, export, plan, study
from sim.charts.album import drawings
from sim.runs import cells
from sim.stats import stopping
from sim.stats.kinds import array, mean, numbered, own_ratio, ratio, share
from sim.stats.metrics import METRICS, Metric, headlines, is_amount
from sim.tally import Counts

NEW = Metric(
    "hands_a_pot",
    "hands shown down in a pot: mean; and share of players who fold on streets 0, 1 and 2",
    (mean("hands_shown"), ratio("folds", array("players_dealt"), numbered(lambda _: 3))),
    where=lambda scenario: not scenario.stays,
)
"""Made of counts that there are, for the sake of the tests here."""


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = tmp_path_factory.mktemp("metrics") / "s.db"
    for policy in ("typical", "tight"):
        study.simulate("spades", 3, 140_000, seed=7, policies=policy, store=path).store.close()
    return path


@pytest.fixture
def new(monkeypatch):
    monkeypatch.setitem(METRICS, NEW.name, NEW)
    return NEW.name


def test_a_metric_is_made_of_arrays_of_a_tally():
    for metric in METRICS.values():
        assert metric.counts
        assert set(metric.counts) <= set(Counts._fields)


def test_a_new_metric_is_in_frames_exports_differences_and_charts(new, store, tmp_path):
    with study.open_study(store) as opened:
        frame, settled = opened.frame(), opened.convergence(new)
        one, other = (scenario for scenario, _ in opened.parts)
        differences = cells.compare(opened.store, one, other, [new]).frame
        table, _ = export.write(opened.store, tmp_path / "s.csv", "csv")
    rows = frame[frame.metric == new]
    assert list(rows.level) == ["mean", "0", "1", "2"] * 2
    shown = rows[rows.level == "mean"].estimate
    assert shown.between(0, 3).all()
    assert list(differences.level) == ["mean", "0", "1", "2"]
    assert differences.difference.iloc[0] == pytest.approx(shown.iloc[0] - shown.iloc[1])
    assert new in set(pd.read_csv(table).metric)
    drawn = [one.figure() for one in drawings(frame, {"convergence": settled})
             if one.chart == "convergence"]  # fmt: skip
    assert len(drawn) == 2
    for figure in drawn:
        assert "Hands shown down in a pot: mean" in figure.get_suptitle()
        assert "%" not in figure.axes[0].get_yticklabels()[0].get_text()
    assert charts.convergence(settled[settled.policy == "tight"])


def test_a_new_metric_is_a_target_and_no_other_level_of_it_is(new, refused):
    words = {"players": 3, "policies": "tight", "pots": 1000, "metric": new, "half_width": 0.1}
    asked = plan.make_plan("spades", **words)
    assert (asked.precision.metric, asked.precision.level) == (new, "mean")
    assert plan.make_plan("spades", **words, level="2").precision.level == "2"
    refused(lambda: plan.make_plan("spades", **words, level="3"), "no level '3'", "mean, 0, 1, 2")
    refused(lambda: plan.make_plan("spades", **words | {"policies": "stay"}), f"no {new}")


def test_a_new_metric_stops_a_study(new):
    words = {"players": 3, "policies": "tight", "pots": "1M", "seed": 7}
    with study.run_plan(plan.make_plan("spades", **words, metric=new, half_width=0.02)) as done:
        (scenario, total), *_ = done.totals()
        assert total.pots < 1_000_000
    assert "mean" in stopping.levels(new, scenario)


def test_a_new_metric_is_explained_and_documented(new, store, capsys):
    assert cli.main(["show", str(store), "--explain"]) == 0
    assert new in capsys.readouterr().out
    assert f"| `{new}` | {NEW.definition} |" in reference.metrics()


def test_what_a_level_is_follows_from_its_definition(new, monkeypatch):
    assert is_amount(new, "mean")
    assert not is_amount(new, "1")
    assert not is_amount("no metric", "mean")
    assert headlines() == ["kill_rate", "players_out", "toll_pot", "pot_size"]
    monkeypatch.setitem(METRICS, "more", Metric("more", "", (share("split_pots"),), headline=True))
    assert headlines()[-1] == "more"


def test_what_never_came_is_nought_or_unknown_as_its_things_are():
    never = {metric: {part.never for part in one.parts} for metric, one in METRICS.items()}
    assert never["split_pots"] == never["hand"] == {0.0}
    rates = ("kill_rate_dealt", "folds_by_price", "net_by_tolls", "bets")
    assert all(str(never[metric]) == "{nan}" for metric in rates)
    assert own_ratio("bets").never != own_ratio("bets").never
