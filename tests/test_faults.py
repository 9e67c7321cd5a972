"""Faults, with real processes: whatever ends a run, the same command ends where it would have."""

import multiprocessing
import os
import random
import resource
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, contextmanager

import pytest

from sim import cli, game, plan, study
from sim.runs import run
from sim.runs.store import Store
from sim.runs.threads import Block, play_block
from sim.scenario import Scenario

pytestmark = pytest.mark.slow

SEED = 7


def command(path, players="2", pots="1G", *more):
    words = ("run", "faces-of-death", "--players", players, "--pots", pots, "--seed", str(SEED))
    return [sys.executable, "-m", "sim", *words, "--store", str(path), "--quiet", *more]


@contextmanager
def started(words, **options):
    """A process in a session of its own, whose end is seen to."""
    process = subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        **options,
    )  # fmt: skip
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=60)


def pots_in(path):
    """How many pots a store holds, as any reader sees them; 0 before there is one."""
    if not path.exists() or not path.stat().st_size:
        return 0
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
            return db.execute("SELECT ifnull(sum(pots), 0) FROM cells").fetchone()[0]
    except sqlite3.OperationalError:
        return 0


def wait_for(condition, seconds=120.0):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(0.02)
    raise AssertionError("it did not happen in time")


def total(path):
    with Store(path, write=False) as store:
        ((scenario, seed),) = store.parts()
        return store.total(scenario, seed)


def undisturbed(players, pots):
    with study.run_plan(
        plan.make_plan("faces-of-death", players=players, pots=pots, seed=SEED)
    ) as done:
        return done.totals()[0][1]


def test_twenty_kills_at_random_moments_lose_nothing(tmp_path):
    """Each is killed at a random moment: three in four after it has added to the store."""
    path = tmp_path / "study.db"
    forks = multiprocessing.get_context("forkserver")  # imports once, so that kills cost no minutes
    forks.set_forkserver_preload(["sim.cli.commands", "sim.study"])
    generator = random.Random(20_240_613)  # noqa: S311
    progress = []
    for kill in range(20):
        before = pots_in(path)
        words = command(path, "8", "1G", "--threads", "1")[3:]
        process = forks.Process(target=cli.main, args=(words,))
        process.start()
        if kill % 4:
            wait_for(lambda: pots_in(path) > before)  # noqa: B023
        time.sleep(generator.uniform(0, 1.1))
        assert process.is_alive()
        process.kill()
        process.join()
        progress.append(pots_in(path) - before)
    assert sum(gained > 0 for gained in progress) >= 15
    assert min(progress) >= 0
    pots = pots_in(path) + run.CELL + 1234
    assert cli.main(command(path, "8", str(pots))[3:]) == 0
    assert total(path) == undisturbed(8, pots)
    assert {file.name for file in tmp_path.iterdir()} == {"study.db", "study-faces-of-death.png"}


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_stop_commits_what_is_finished_at_once(tmp_path, number, code):
    path = tmp_path / "study.db"
    with started(command(path, "8"), cwd=tmp_path) as process:
        wait_for(lambda: pots_in(path))
        process.send_signal(number)
        began = time.monotonic()
        _, errors = process.communicate(timeout=30)
    assert time.monotonic() - began < 2
    assert process.returncode == code
    assert len(errors.splitlines()) == 1
    assert "the same command goes on from there" in errors
    with Store(path, write=False) as store:
        ((scenario, seed),) = store.parts()
        assert store.note(scenario, seed).stop == "interrupted"
        assert [one["stop"] for one in store.runs()] == ["interrupted"]
        pots = sorted(store.pots(scenario, seed))
        first = next(store.cells(scenario, seed, pots[:1])).tally
    assert first == play_block(Block(Scenario(game.load("faces-of-death"), 8), SEED, 0, run.CELL))
    assert [file.name for file in tmp_path.iterdir()] == ["study.db"]


def test_a_stop_does_not_wait_for_the_compiler(tmp_path):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    with started(command(tmp_path / "s.db"), cwd=tmp_path, env=environment) as process:
        wait_for(lambda: (tmp_path / "s.db").exists())
        time.sleep(2)
        process.send_signal(signal.SIGTERM)
        began = time.monotonic()
        _, errors = process.communicate(timeout=30)
    assert time.monotonic() - began < 2
    assert process.returncode == 143
    assert "Traceback" not in errors


def test_a_full_disk_is_said_and_what_was_written_stays(tmp_path):
    """A limit on the size of files stands for the disk; that of the log is hit first."""
    path = tmp_path / "study.db"
    undisturbed(8, run.CELL)  # or machine code would have no room either

    def small_disk():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))

    with started(command(path, "8"), cwd=tmp_path, preexec_fn=small_disk) as process:
        _, errors = process.communicate(timeout=120)
    assert process.returncode == 2
    assert len(errors.splitlines()) == 1
    assert "what was written before is still there" in errors
    with study.open_study(path) as opened:
        cells = opened.store.pots(*opened.store.parts()[0])
    assert cells
    pots = (max(cells) + 1) * run.CELL
    assert cli.main(command(path, "8", str(pots))[3:]) == 0
    assert total(path) == undisturbed(8, pots)


def test_a_cache_that_cannot_be_written_leaves_nothing_behind(tmp_path):
    (tmp_path / "file").touch()
    (tmp_path / "temporary").mkdir()
    words = "from sim.kernels import compile, ranks; print(compile.is_cold())"
    environment = os.environ | {
        "NUMBA_CACHE_DIR": str(tmp_path / "file" / "below"),
        "TMPDIR": str(tmp_path / "temporary"),
    }
    done = subprocess.run(
        [sys.executable, "-c", words], env=environment, text=True, capture_output=True, check=True
    )
    assert (done.stdout, done.stderr) == ("True\n", "")
    assert list((tmp_path / "temporary").iterdir()) == []


@pytest.mark.parametrize("processes", [2, 8])
def test_cold_starts_at_once_share_the_cache(tmp_path, processes):
    """With the kernel that ranks hands: those that play take half a minute each to compile."""
    words = "import sim; print(sim.describe(sim.evaluate('As 9d 9h 7s 9c 2s Qd', wild='spades')))"
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    begun = [
        subprocess.Popen(
            [sys.executable, "-c", words], env=environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        for _ in range(processes)
    ]  # fmt: skip
    ends = [(*process.communicate(timeout=300), process.returncode) for process in begun]
    assert ends == [("five nines\n", "", 0)] * processes
    assert len(list(tmp_path.rglob("*.nbc"))) == 1
