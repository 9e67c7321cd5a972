"""Progress: what a run says of itself, where, and how often."""

import os
import pty
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import nbclient
import nbformat
import pytest

from sim import game, plan, progress, run, study
from sim.run import Moment
from sim.scenario import Scenario
from sim.stopping import Standing
from sim.store import Store

SPADES = Scenario(game.load("spades"), 4)


def moment(**told):
    plain = Moment(65_536, 262_144, SPADES, None, 10_000.0, 19.6)
    return plain._replace(**told)


def test_a_run_says_pots_rate_and_time_left():
    assert progress.words(moment()) == "65,536 of 262,144 pots, 10,000 a second, 20 s left"


def test_what_cannot_be_known_yet_is_unknown():
    early = moment(expected=None, rate=None, seconds_left=None)
    assert progress.words(early) == "65,536 pots, unknown time left"


def test_a_run_says_its_half_width_against_its_target():
    sharp = moment(standing=Standing(65_536, 0.4, 0.00123, 0.0005, False))
    assert "spades, 4 players ±0.0012 for ±0.0005" in progress.words(sharp)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.4, "0 s"),
        (59, "59 s"),
        (61, "1 min"),
        (7300, "2 h 2 min"),
        (float("nan"), "unknown time"),
    ],
)
def test_times_are_said_as_precisely_as_they_are_known(seconds, words):
    assert progress.duration(seconds) == words


def test_into_a_file_goes_a_plain_line_every_few_seconds(monkeypatch, capsys):
    now = iter(range(100))
    monkeypatch.setattr("sim.progress.time.monotonic", lambda: float(next(now)))
    (job,) = run.jobs(plan.make_plan("spades", players=4, pots=10, seed=1), Store(None))
    with progress.bar([job], quiet=False) as advance:
        for played in range(20):
            advance(moment(played=played))
    out, err = capsys.readouterr()
    assert out == ""
    assert "\r" not in err
    assert "\x1b" not in err
    assert 3 <= len(err.splitlines()) <= 6


def test_quiet_is_quiet_and_so_is_a_run_with_nothing_to_do(capsys):
    wanted = plan.make_plan("spades", players=2, pots=1000, seed=1)
    with Store(None) as store:
        study.play(wanted, store, 1, progress=False)
        study.play(wanted, store, 1, progress=True)
    assert capsys.readouterr() == ("", "")


def test_a_moment_knows_what_is_left():
    moments = []
    pots = 12 * run.CELL
    wanted = plan.make_plan("spades", players=2, pots=pots, seed=1)
    study.play(wanted, Store(None), 2, moments.append)
    assert [one.played for one in moments] == sorted(one.played for one in moments)
    assert moments[-1].played == moments[-1].expected == pots
    assert all(one.expected == pots for one in moments)


def test_with_a_precision_the_end_is_unknown_until_the_first_look(monkeypatch):
    monkeypatch.setattr("sim.run.MOMENT_SECONDS", 0)
    moments = []
    wanted = plan.make_plan(
        "spades", players=2, pots="2M", seed=1, metric="hand", level="flush", half_width=0.001
    )
    study.play(wanted, Store(None), 1, moments.append)
    assert moments[0].expected is None
    assert moments[-1].standing.reached
    assert moments[-1].expected == moments[-1].played


def test_on_a_terminal_there_is_one_bar(tmp_path):
    ours, theirs = pty.openpty()
    words = [sys.executable, "-m", "sim", "run", "spades", "--players", "2", "--pots", "3M"]
    process = subprocess.Popen(
        [*words, "--seed", "1", "--store", str(tmp_path / "s.db")],
        stdout=subprocess.PIPE, stderr=theirs, env=os.environ | {"TERM": "xterm"},
    )  # fmt: skip
    os.close(theirs)
    parts = []
    with suppress(OSError), open(ours, "rb", buffering=0) as terminal:  # noqa: PTH123
        while part := terminal.read(4096):  # to its end, which Linux says with an error
            parts.append(part)
    out, _ = process.communicate(timeout=60)
    shown = b"".join(parts).decode()
    assert process.returncode == 0
    assert "━" in shown
    assert "of 3,000,000 pots" in shown
    assert "\x1b[" in shown
    assert b"of 3,000,000 pots," not in out


CELLS = {
    "threads": "study = sim.simulate('spades', 2, 2_000_000, seed=7, progress=True)",
    "dask": "study = sim.simulate('spades', 2, 2_000_000, seed=7, engine='dask', threads=2)",
}


@pytest.mark.slow
@pytest.mark.parametrize("engine", CELLS)
def test_a_cell_of_a_notebook_plays_with_either_engine(engine, tmp_path):
    cells = ["import sim", CELLS[engine], "print(study.totals()[0][1].pots)"]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    client = nbclient.NotebookClient(
        notebook, timeout=300, resources={"metadata": {"path": tmp_path}}
    )
    client.execute()
    shown = ["".join(out.get("text", "") for out in cell.outputs) for cell in notebook.cells]
    assert shown[2] == "2000000\n"
    assert ("of 2,000,000 pots" in shown[1]) == (engine == "threads")
    assert not list(Path(tmp_path).iterdir())
