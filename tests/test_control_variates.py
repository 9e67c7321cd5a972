"""Controlled estimates: closer, unbiased, chosen beforehand, and plain where they must be.

How often their intervals hold is counted in ``test_coverage``.
"""

import io

import numpy as np
import pandas as pd
import pytest

from sim import cli, game, plan, study
from sim.policy import load_seats
from sim.runs import cells, run
from sim.runs.collection import collect
from sim.runs.store import Store
from sim.runs.threads import Block, play_block
from sim.scenario import Scenario
from sim.stats import control_variates
from sim.stats.control_variates import (
    Control,
    Ratio,
    calibrated_weights,
    control_variate_estimate,
    controls,
    group_ratios,
)
from sim.stats.metrics import USUAL, estimates

FACES = game.load("faces-of-death")
OUT = FACES.with_options(["kill.treatment=player-out"])
SPADES = game.load("spades")
FOLD = load_seats("fold:0.05")
CELLS = 10


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """A store with two players who stay, or fold now and then, with and without the others."""
    path = tmp_path_factory.mktemp("control") / "s.db"
    with Store(path) as store:
        for page, policy, seed, cells in (
            (FACES, "stay", 7, CELLS + 0.5),
            (FACES, "fold:0.05", 7, CELLS + 0.25),
            (FACES, "fold:0.1", 7, 3),
            (OUT, "fold:0.1", 7, 1),
            (OUT, "stay", 7, 1),
            (FACES.with_options(["kill.ante_again=true"]), "fold:0.1", 7, 1),
            (SPADES, "fold:0.1", 7, 1),
        ):
            wanted = plan.make_plan(
                [page], players=2, policies=[policy], pots=int(cells * run.CELL), seed=seed
            )
            collect(wanted, store, 2)
    return path


@pytest.fixture
def opened(path):
    with study.open_study(path) as opened:
        yield opened


def corrected_with_the_others(tops, centred):
    """The slow reference of ``calibrated_weights``: a regression without each group."""
    corrected = []
    for group in range(len(tops)):
        others = np.arange(len(tops)) != group
        design = np.column_stack([np.ones(others.sum()), centred[others]])
        _, *slopes = np.linalg.lstsq(design, tops[others], rcond=None)[0]
        corrected.append(tops[group] - centred[group] @ slopes)
    return np.mean(corrected)


@pytest.mark.parametrize("number", [1, 2, 3])
def test_weights_correct_each_group_with_what_the_others_say(number):
    random = np.random.default_rng(number)
    centred, tops = random.exponential(size=(11, number)) - 1, random.normal(size=11)
    weights = calibrated_weights(centred)
    assert weights @ tops == pytest.approx(corrected_with_the_others(tops, centred))
    assert weights.sum() == pytest.approx(1)
    assert weights @ centred == pytest.approx(np.zeros(number), abs=1e-12)


def with_all(centred):
    """The weights of a regression with all groups, each with itself."""
    return np.linalg.pinv(np.column_stack([np.ones(len(centred)), centred]))[0]


def test_coefficients_from_all_groups_would_be_biased_and_from_the_others_are_not():
    random = np.random.default_rng(1)
    centred = random.exponential(size=(8_000, 12, 1)) - 1
    tops = centred[..., 0] ** 2  # whose mean is 1
    for weigh, biased in ((calibrated_weights, False), (with_all, True)):
        found = [weigh(own) @ some for own, some in zip(centred, tops, strict=True)]
        off = (np.mean(found) - 1) / np.std(found) * len(found) ** 0.5
        assert (abs(off) > 10) == biased
        assert biased or abs(off) < 3


def test_the_error_is_that_of_residuals_with_students_t():
    random = np.random.default_rng(2)
    centred = 30 * random.normal(size=(20, 1))
    top, bottom = 700 + 2 * centred[:, 0] + 10 * random.normal(size=20), np.full(20, 1000.0)
    found = control_variate_estimate(Ratio(top, bottom), centred)
    assert found.estimate == pytest.approx(0.7, abs=4 * found.se)
    assert found.se == pytest.approx(10 / 1000 / 20**0.5, rel=0.4)
    assert (found.high - found.low) / 2 == pytest.approx(2.1009 * found.se, rel=1e-4)  # t of 18
    assert found.trials == 20_000


def test_what_was_hardly_seen_is_left_alone():
    random = np.random.default_rng(3)
    centred, bottom = 30 * random.normal(size=(20, 1)), np.full(20, 1000.0)
    explained = Ratio(700 + centred[:, 0], bottom)
    noise = 10 * random.normal(size=20)
    assert control_variate_estimate(explained, centred) is None  # as if nothing else could happen
    assert control_variate_estimate(Ratio(700 + noise, bottom), centred / 300) is None
    several = Ratio(1000 * (700 + centred[:, 0]) + 100 * noise, bottom)
    assert control_variate_estimate(several, centred) is not None
    assert (
        control_variate_estimate(several, centred, amount=True) is None
    )  # once or twice, but much


@pytest.mark.parametrize(
    ("page", "players", "seats"),
    [(FACES, 8, FOLD), (FACES, 3, ()), (OUT, 4, FOLD), (OUT, 4, ()), (SPADES, 5, ())],
)
def test_ratios_are_the_estimates_of_the_frame(page, players, seats):
    scenario = Scenario(page, players, *([seats] if seats else []))
    tally = play_block(Block(scenario, 1, 0, 3_000))
    found = {(metric, level): value for metric, level, value in estimates(scenario, tally)}
    keys = [key for key in controls(scenario) if key in found]
    keys += [("hand", level) for metric, level in found if metric == "hand"]
    ratios = group_ratios(scenario, [tally], {metric for metric, _ in keys})
    assert len(keys) > 11
    for key in keys:
        ((top,), (bottom,)) = ratios[key]
        assert top / bottom == pytest.approx(found[key].estimate), key


def test_what_is_controlled_and_by_what_is_known_beforehand():
    folding = controls(Scenario(FACES, 7, FOLD))
    assert {metric for metric, _ in folding} == {
        "kill_rate", "survival", "killed_seat", "killed_pots", "deals_per_pot", "cards_per_pot",
        "decisions",
    }  # fmt: skip
    assert folding["kill_rate", "all"] == [Control("kill_rate", ("all",))]
    out = controls(Scenario(OUT, 7, FOLD))
    assert {metric for metric, _ in out} == {"killed_seat", "killed_pots", "players_out"}
    assert not controls(Scenario(SPADES, 7, FOLD))
    plain = controls(Scenario(SPADES.with_options(["wild=none"]), 2))
    assert [len(plain["winning_hand", hand]) for hand in ("flush", "royal flush", USUAL)] == [
        2,
        1,
        1,
    ]
    assert ("winning_hand", "five of a kind") not in plain  # which nobody can hold
    wild = [level for _, level in controls(Scenario(SPADES, 7))]
    assert wild == ["straight flush", "royal flush", "five of a kind", USUAL]


def test_a_controlled_frame_is_sharper_and_holds_the_exact_values(opened):
    plain, found = opened.frame(), opened.frame(controlled=True)
    game, *others = control_variates.COLUMNS
    assert list(found.columns) == [game, "kill.treatment", "kill.ante_again", *others]
    same = found.gain.isna()
    pd.testing.assert_frame_equal(found[same][list(plain)], plain[same])
    rows = found[~same]
    assert set(rows[["game", "policy"]].itertuples(index=False, name=None)) == {
        ("faces-of-death", "stay"), ("faces-of-death", "fold:0.05"),
    }  # fmt: skip
    assert (rows.pots == CELLS * run.CELL).all()
    folding = rows[rows.policy == "fold:0.05"]
    assert (folding[folding.metric == "kill_rate"].gain > 2).all()
    assert rows.gain.to_numpy() == pytest.approx((plain.se[~same] / rows.se).to_numpy() ** 2)
    z = (folding.estimate - folding.exact) / folding.se
    assert z.abs().max() < 4
    assert ((folding.low < folding.exact) & (folding.exact < folding.high)).mean() > 0.8
    assert folding.z.dropna().to_numpy() == pytest.approx(z[folding.z.notna()].to_numpy())


def test_what_stays_plain_says_why(opened):
    words = dict(line.split(": ", 1) for line in opened.controlled().basis)
    pots = f"{CELLS * run.CELL:,} pots in {CELLS} groups of cells"
    few = f"plain, for control takes 9 full cells of {run.CELL:,} pots that both have"
    other = "plain, for the store does not hold the same with all staying"
    assert words == {
        "faces-of-death, 2 players, stay": f"controlled by the hands shown, {pots}",
        "faces-of-death, 2 players, fold:0.05": (
            f"controlled by the same cards with all staying, {pots}"
        ),
        "faces-of-death, 2 players, fold:0.1": few,
        "faces-of-death kill.treatment=player-out, 2 players, fold:0.1": few,
        "faces-of-death kill.treatment=player-out, 2 players, stay": (
            f"plain, for control takes 10 full cells of {run.CELL:,} pots"
        ),
        "faces-of-death kill.ante_again=true, 2 players, fold:0.1": other,
        "spades, 2 players, fold:0.1": "plain, for no control would tell much of it",
    }


def test_cards_that_few_pots_share_control_nothing(opened, monkeypatch):
    scenario = Scenario(FACES, 2, FOLD)
    assert cells.control(opened.store, scenario, 7).estimates
    assert not cells.control(opened.store, scenario, 8).estimates
    monkeypatch.setattr(cells, "ENOUGH", 1)  # the last cell of each is not whole
    found = cells.control(opened.store, scenario)
    assert not found.estimates
    assert (
        found.basis == f"plain, for all stayed in {CELLS * run.CELL:,} pots of the same cards alone"
    )


def test_more_groups_than_there_are_cells_are_not_made(opened, monkeypatch):
    """Groups of several cells tell the same as single ones, a little less sharply."""
    scenario = Scenario(FACES, 2, FOLD)
    each = cells.control(opened.store, scenario)
    monkeypatch.setattr("sim.runs.cells.MOST_GROUPS", 5)
    monkeypatch.setattr(cells, "FEWEST_GROUPS", 3)
    several = cells.control(opened.store, scenario)
    assert "in 5 groups" in several.basis
    one, other = (found.estimates["kill_rate", "all"] for found in (each, several))
    assert one.estimate == pytest.approx(other.estimate, abs=4 * one.se)
    assert other.high - other.low > one.high - one.low


def test_who_watches_is_refused_what_is_controlled(opened, refused):
    refused(lambda: opened.frame(anytime=True, controlled=True), "anytime or for controlled")


def test_the_command_shows_what_was_gained_and_by_what(path, opened, capsys):
    assert cli.main(["show", str(path), "--controlled"]) == 0
    out = capsys.readouterr().out
    lines = [line.strip() for line in out.splitlines()]
    assert any(line.startswith("level ") and line.endswith(" gain") for line in lines)
    assert lines[-len(opened.parts) :] == opened.controlled().basis
    assert cli.main(["show", str(path), "--controlled", "--format", "csv"]) == 0
    told = capsys.readouterr()
    frame = pd.read_csv(io.StringIO(told.out))
    game, *others = control_variates.COLUMNS
    assert list(frame.columns) == [game, "kill.treatment", "kill.ante_again", *others]
    assert frame.gain.max() > 2
    assert told.err.splitlines() == opened.controlled().basis
    row = frame[(frame.metric == "kill_rate") & (frame.level == "all") & frame.gain.notna()].iloc[0]
    assert any(line.startswith("all ") and line.endswith(f" {row.gain:,.1f}") for line in lines)
    assert cli.main(["show", str(path), "--controlled", "--anytime"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert cli.main(["show", str(path)]) == 0
    assert " gain" not in capsys.readouterr().out
