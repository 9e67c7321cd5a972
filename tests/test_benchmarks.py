"""What benchmarks make of their measurements; no test looks at a clock."""

import re
import subprocess
import sys
import time
import timeit
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchmarks import __main__ as benchmarks
from benchmarks import against, chart, guard, variance
from benchmarks.measure import Contestant, alternate, arithmetic, compare
from benchmarks.peers import same_order
from sim import game
from sim.errors import InputError
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


def _commit(repo: Path, text: str) -> None:
    (repo / "sim").mkdir(exist_ok=True)
    (repo / "sim/__init__.py").write_text(text)
    (repo / "sim/__main__.py").write_text("import sys\nsys.exit('no such command')\n")
    who = ("-c", "user.name=test", "-c", "user.email=test@example.org")
    for words in (["add", "."], [*who, "commit", "--quiet", "--message", "edit"]):
        subprocess.run(["git", *words], cwd=repo, check=True)  # noqa: S607


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a clone with two commits of a package that notes down who was asked for what."""
    subprocess.run(["git", "init", "--quiet", tmp_path / "clone"], check=True)  # noqa: S607
    face = f"def ask(word):\n    print(VERSION, word, file=open({str(tmp_path / 'told')!r}, 'a'))\n"
    _commit(tmp_path / "clone", f"VERSION = 'old'\n{face}")
    _commit(tmp_path / "clone", f"VERSION = 'new'\n{face}def added(): pass\n")
    monkeypatch.chdir(tmp_path / "clone")
    return tmp_path / "clone"


def test_two_commits_take_turns_each_with_its_own_source(repo: Path, capsys: pytest.CaptureFixture):
    with against.builds("HEAD^") as (this, other):
        folder = this.source.folder
        case = against._timed("asked", 1, "sim.ask('turn')", "sim.ask('setup')", number=2)
        table = against._table(this, other, [case], 3)
        assert this.commit != other.commit
    assert not folder.exists()
    told = (repo.parent / "told").read_text().splitlines()
    turn = ["setup", "turn", "turn"]
    assert told == [f"{who} {word}" for who in ("new", "old") for word in turn] * 4
    assert table.contestant.tolist() == ["asked"]
    assert table.base.tolist() == [other.commit]
    assert table.times[0] > 0
    assert capsys.readouterr().err == ""


def test_what_one_commit_has_not_got_is_said_and_left_blank(
    repo: Path, capsys: pytest.CaptureFixture
):
    cases = [
        against._timed("new", 1, "sim.added()"),
        against.Case("command", 1, against._command(("-m", "sim"))),
        against._timed("killed", 1, "import os; os._exit(1)"),
    ]
    with against.builds("HEAD^") as (this, other):
        table = against._table(this, other, cases, 1)
    assert table.times.isna().all()
    assert capsys.readouterr().err.splitlines() == [
        f"Left out: new: {other.commit} says AttributeError: module 'sim' has no attribute 'added'",
        f"Left out: command: {this.commit} says no such command",
        f"Left out: killed: {this.commit} says its process has ended",
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--against", "elsewhere"], "git finds no commit 'elsewhere' here"),
        (["--against", "HEAD", "--only", "luck"], "there is no table luck: there are stay, "),
        (["--against", "HEAD", "--yardstick", "true"], "ask for --against or for --yardstick"),
        (["--rounds", "0"], "0 rounds will not do"),
        (["--long", "many"], "pots 'many' is not a number of pots"),
    ],
)
def test_bad_words_are_refused_in_a_sentence(
    words: list[str], said: str, repo: Path, monkeypatch: pytest.MonkeyPatch, capsys
):
    monkeypatch.setattr(sys, "argv", ["benchmarks", *words])
    with pytest.raises(SystemExit) as stop:
        benchmarks.main()
    assert stop.value.code == 2
    assert said in capsys.readouterr().err.splitlines()[-1]


def test_what_is_in_no_commit_is_not_compared(repo: Path):
    (repo / "notes.txt").write_text("not of the package")
    with against.builds("HEAD"):
        pass
    (repo / "sim/more.py").touch()
    with pytest.raises(InputError, match="in no commit"), against.builds("HEAD"):
        pass


class Small:
    """Does what a build is asked for in this process, with far fewer pots and hands."""

    def seconds(self, stmt: str, setup: str, timer: str, number: int) -> float:
        few = (re.sub(r"\d{4,}", "1000", words) for words in (stmt, setup))
        return timeit.timeit(*few, getattr(time, timer), number)


@pytest.mark.parametrize("part", against.TIMED)
def test_what_commits_are_asked_for_is_in_the_public_face(part: str):
    for case in against.TIMED[part]:
        assert case.measure(Small()) > 0
