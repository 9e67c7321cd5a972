"""Progress: what a run says of itself, where, and how often."""

import io
import os
import pty
import subprocess
import sys
import warnings
from contextlib import suppress
from pathlib import Path

import nbclient
import nbformat
import pytest

import sim
from sim import cli, game, plan, study
from sim.runs import progress, run
from sim.runs.collection import collect
from sim.runs.run import Progress
from sim.runs.store import Store
from sim.scenario import Scenario
from sim.stats.stopping import PrecisionStatus

SPADES = Scenario(game.load("spades"), 4)


def moment(**told):
    plain = Progress(65_536, 262_144, SPADES, None, 10_000.0, 19.6)
    return plain._replace(**told)


def test_a_run_says_pots_rate_and_time_left():
    assert progress.describe(moment()) == "65,536 of 262,144 pots, 10,000 a second, 20 s left"


def test_what_cannot_be_known_yet_is_unknown():
    early = moment(expected=None, rate=None, seconds_left=None)
    assert progress.describe(early) == "65,536 pots"


def test_a_run_says_its_half_width_against_its_target():
    sharp = moment(precision_status=PrecisionStatus(65_536, 0.4, 0.00123, 0.0005, False))
    assert "spades, 4 players ±0.0012 for ±0.0005" in progress.describe(sharp)


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
    monkeypatch.setattr("sim.runs.progress.time.monotonic", lambda: float(next(now)))
    with progress.bar(quiet=False) as advance:
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
        collect(wanted, store, 1, progress=False)
        collect(wanted, store, 1, progress=True)
    assert capsys.readouterr() == ("", "")


def test_a_moment_knows_what_is_left():
    moments = []
    pots = 12 * run.CELL
    wanted = plan.make_plan("spades", players=2, pots=pots, seed=1)
    collect(wanted, Store(None), 2, moments.append)
    assert [one.played for one in moments] == sorted(one.played for one in moments)
    assert moments[-1].played == moments[-1].expected == pots
    assert all(one.expected == pots for one in moments)


def test_with_a_precision_the_end_is_unknown_until_the_first_look(monkeypatch):
    monkeypatch.setattr("sim.runs.run.PROGRESS_SECONDS", 0)
    moments = []
    wanted = plan.make_plan(
        "spades", players=2, pots="2M", seed=1, metric="hand", level="flush", half_width=0.001
    )
    collect(wanted, Store(None), 1, moments.append)
    assert moments[0].expected is None
    assert moments[-1].precision_status.reached
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


class Raising:
    """A stream that takes nothing, and says so with any error."""

    def __init__(self, error):
        self.error = error

    def __getattr__(self, name):
        if name in ("write", "flush", "isatty"):
            raise self.error
        raise AttributeError(name)


def closed_file():
    file = io.StringIO()
    file.close()
    return file


class Dumb:
    """A stream that can write and nothing else."""

    def __init__(self):
        self.written = []

    def write(self, text):
        self.written.append(text)


@pytest.mark.parametrize(
    "stream",
    [None, object(), closed_file(), Raising(BrokenPipeError()), Raising(RuntimeError("no"))],
    ids=["none", "no stream", "closed", "broken pipe", "raises"],
)
@pytest.mark.parametrize("live", [False, True])
def test_a_run_does_not_end_because_stderr_takes_nothing(monkeypatch, stream, live):
    monkeypatch.setattr("sim.runs.progress.LINE_SECONDS", 0)
    monkeypatch.setattr("sys.stderr", stream)
    if live:
        monkeypatch.setattr("sim.stderr.Stderr.isatty", lambda _: True)
    with study.simulate("spades", 2, 3 * run.CELL, threads=2, seed=1, progress=True) as done:
        assert done.totals()[0][1].pots == 3 * run.CELL
    assert cli.main(["show", "nowhere.db"]) == 2


def test_a_stream_that_can_only_write_is_written_to(monkeypatch):
    stream = Dumb()
    monkeypatch.setattr("sys.stderr", stream)
    study.simulate("spades", 2, 1000, seed=1, progress=True).store.close()
    assert "starting" in "".join(stream.written)


def plan_with_a_warning():
    return plan.make_plan(["spades", "spades"], players=2, pots=10, seed=1)


def test_a_warning_that_cannot_be_shown_ends_nothing():
    def show(*_):
        raise ValueError("I/O operation on closed file")  # as Python's own, where stderr is closed

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = show
        assert len(plan_with_a_warning().scenarios) == 1


@pytest.mark.filterwarnings("error")
def test_a_warning_that_is_an_error_still_is_one():
    with pytest.raises(UserWarning, match="2 times"):
        plan_with_a_warning()


@pytest.mark.parametrize("make", [plan.make_plan, sim.make_plan])
def test_a_warning_names_the_line_that_asked(make):
    with pytest.warns(UserWarning, match="2 times") as caught:
        make(["spades", "spades"], players=2, pots=10, seed=1)
    assert caught[0].filename == __file__


RUN = ["run", "spades", "--players", "2", "--pots", "300k", "--seed", "1"]


@pytest.mark.parametrize(
    "streams",
    ["0<&- 1>&- 2>&-", *(pytest.param(one, marks=pytest.mark.slow) for one in ("1>&-", "2>&-"))],
)
def test_a_run_without_some_streams_keeps_its_results(tmp_path, streams):
    path = tmp_path / "s.db"
    words = [sys.executable, "-m", "sim", *RUN, "--store", str(path)]
    done = subprocess.run(
        ["/bin/sh", "-c", f'exec "$@" {streams}', "sh", *words], capture_output=True, text=True
    )
    assert (done.returncode, "Traceback" in done.stderr) == (0, False)
    assert ("Results:" in done.stdout) == (streams == "2>&-")
    with study.open_study(path) as opened:
        assert opened.totals()[0][1].pots == 300_000
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize(("words", "code"), [(RUN, 0), (["games", "nowhere"], 2)])
def test_a_reader_of_stderr_that_has_left_changes_nothing(tmp_path, words, code):
    ours, theirs = os.pipe()
    os.close(ours)
    more = ["--store", str(tmp_path / "s.db")] if words is RUN else []
    done = subprocess.run(
        [sys.executable, "-m", "sim", *words, *more], stdout=subprocess.PIPE, stderr=theirs
    )
    os.close(theirs)
    assert done.returncode == code


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
