"""Dask: the same totals as on threads, and a name for whatever goes wrong."""

import os
import signal
import subprocess
import sys
import time

import pytest
from test_faults import command, pots_in, started, undisturbed, wait_for

from sim import plan, study
from sim.errors import Failed, InputError
from sim.runs import dask, run

pytestmark = pytest.mark.slow

ODD_POTS = 30 * run.CELL + 3 * run.BLOCK + 1234
"""Full cells, full blocks of a partial cell, and a partial block."""


@pytest.fixture(scope="module")
def scheduler():
    """The address of a scheduler without workers."""
    import distributed

    with distributed.LocalCluster(
        n_workers=0, processes=True, dashboard_address=":0", silence_logs=50
    ) as local:
        yield local.scheduler_address


@pytest.fixture
def workers(scheduler):
    """Two workers that nobody starts again, as processes."""
    words = [sys.executable, "-m", "distributed.cli.dask_worker", scheduler, "--no-nanny"]
    words += ["--nthreads", "1", "--no-dashboard", "--death-timeout", "60"]
    begun = [
        subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(2)
    ]
    yield begun
    for process in begun:
        process.kill()
        process.wait()


def asked(pots=ODD_POTS, players=3):
    return plan.make_plan("faces-of-death", players=players, pots=pots, seed=7)


def on_dask(scheduler, progress=False, wanted=None, path=None):
    return study.run_plan(
        wanted or asked(), path, engine="dask", scheduler=scheduler, progress=progress
    )


def test_a_worker_that_is_killed_changes_nothing(scheduler, workers):
    def kill_one(moment):
        if moment.played > 5 * run.CELL and workers[0].poll() is None:
            os.kill(workers[0].pid, signal.SIGKILL)
            workers[0].wait()

    with on_dask(scheduler, kill_one) as done:
        assert workers[0].returncode == -signal.SIGKILL
        assert done.totals()[0][1] == undisturbed(3, ODD_POTS)


def test_without_any_worker_left_the_run_ends_and_says_why(
    scheduler, workers, tmp_path, monkeypatch
):
    def kill_all(moment):
        if moment.played > 5 * run.CELL:
            for process in workers:
                process.kill()

    monkeypatch.setattr(dask, "PATIENCE", 4.0)
    path, began = tmp_path / "study.db", time.monotonic()
    with pytest.raises(Failed, match="every Dask worker is gone"):
        on_dask(scheduler, kill_all, asked("1G"), path)
    assert time.monotonic() - began < 60
    with study.open_study(path) as opened:
        cells = opened.store.pots(*opened.store.parts()[0])
        assert len(cells) >= 5
    pots = (max(cells) + 1) * run.CELL  # cells that others were at are missing among them
    with study.run_plan(asked(pots), path) as done:
        assert done.totals()[0][1] == undisturbed(3, pots)


def test_a_worker_of_another_engine_is_refused_by_name(scheduler, workers, monkeypatch):
    monkeypatch.setattr(dask, "ENGINE", 99)
    with pytest.raises(InputError, match=r"the Dask worker tcp://\S+ plays with engine \d+"):
        on_dask(scheduler)


def test_a_scheduler_without_workers_or_none_at_all_is_refused(scheduler, monkeypatch):
    monkeypatch.setattr(dask, "PATIENCE", 1.0)
    with pytest.raises(InputError, match="has no workers"):
        on_dask(scheduler)
    with pytest.raises(InputError, match="no Dask scheduler answers at tcp:"):
        on_dask("tcp://127.0.0.1:9")


def test_a_stop_ends_workers_started_here_too(tmp_path):
    path = tmp_path / "study.db"
    words = command(path, "8", "1G", "--engine", "dask", "--threads", "2")
    with started(words, cwd=tmp_path) as process:
        wait_for(lambda: pots_in(path))
        process.send_signal(signal.SIGTERM)
        began = time.monotonic()
        process.wait(timeout=30)
        assert time.monotonic() - began < 4  # half of it on a quiet machine
        _, errors = process.communicate(timeout=10)  # which its workers hold as long as they live
    assert process.returncode == 143
    assert "the same command goes on from there" in errors


def test_blocks_that_follow_each_other_travel_together():
    (job,) = run.jobs(asked(2 * run.CELL + 10), study.Store(None))
    joined = dask._joined(list(job.blocks()))
    assert [(block.first, block.pots) for block in joined] == [
        (0, run.CELL), (run.CELL, run.CELL), (2 * run.CELL, 10),
    ]  # fmt: skip
