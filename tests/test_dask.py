"""Dask: the same totals as on threads, and a name for whatever goes wrong."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager

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


@contextmanager
def workers_of(scheduler):
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


@pytest.fixture
def workers(scheduler):
    """Two workers of the scheduler that all tests share."""
    with workers_of(scheduler) as begun:
        yield begun


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


@pytest.mark.parametrize("when", ["_await_worker", "_check_workers"])
def test_a_worker_that_is_killed_as_a_run_starts_is_replaced(scheduler, workers, monkeypatch, when):
    waited = getattr(dask, when)

    def wait_and_kill(client, started):
        client.wait_for_workers(2, timeout=60)
        waited(client, started)
        workers[0].kill()
        workers[0].wait()

    monkeypatch.setattr(dask, when, wait_and_kill)
    with on_dask(scheduler) as done:
        assert done.totals()[0][1] == undisturbed(3, ODD_POTS)


@contextmanager
def a_scheduler():
    """A scheduler in a process of its own, and its address."""
    words = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--no-dashboard"]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [*words, "--host", "127.0.0.1", "--port", str(port)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        yield process, f"tcp://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize("when", ["_check_workers", "_await_worker", "on_dask", "progress"])
def test_a_scheduler_that_is_killed_is_one_sentence(monkeypatch, capfd, when):
    monkeypatch.setattr(dask, "PATIENCE", 4.0)
    with a_scheduler() as (process, address), workers_of(address):
        wait_for_port(address)

        def end(*_):
            process.kill()
            process.wait()

        if when != "progress":
            then = getattr(dask, when)
            monkeypatch.setattr(dask, when, lambda *a, **b: (end(), then(*a, **b))[1])
        with pytest.raises(Failed, match="the Dask scheduler is gone"):
            on_dask(address, end if when == "progress" else False, asked("1G"))
    assert capfd.readouterr().err == ""


def wait_for_port(address):
    def answers():
        with socket.socket() as asking:
            return asking.connect_ex(("127.0.0.1", int(address.rsplit(":", 1)[1]))) == 0

    wait_for(answers)


def test_a_worker_of_another_version_is_refused_by_name(scheduler, workers, monkeypatch):
    monkeypatch.setattr(dask, "VERSION", "99")
    with pytest.raises(InputError, match=r"the Dask worker tcp://\S+ plays and counts as version"):
        on_dask(scheduler)


def test_a_scheduler_without_workers_or_none_at_all_is_refused(scheduler, monkeypatch):
    monkeypatch.setattr(dask, "PATIENCE", 1.0)
    with pytest.raises(InputError, match="has no workers"):
        on_dask(scheduler)
    with pytest.raises(InputError, match="no Dask scheduler answers at tcp:"):
        on_dask("tcp://127.0.0.1:9")


ADDRESSES = [
    "inproc://x", "inproc://10.0.0.1/2/3", "tcp://", "tcp://127.0.0.1", "tcp://127.0.0.1:9",
    "tcp://127.0.0.1:99999", "tcp://127.0.0.1:-1", "tcp://127.0.0.1:x", "tcp://[::1:9",
    "tcp://ü..x:1", f"tcp://{'a' * 300}:1", "tcp://a\nb:1", "tcp://\0:1", "tcp://\x1b]0;x:1",
    "tls://127.0.0.1:9", "ucx://127.0.0.1:9", "ws://127.0.0.1:9", "wss://127.0.0.1:9",
    "foo://127.0.0.1:9", "://", "x", "127.0.0.1:9", "/nowhere/scheduler.json",
]  # fmt: skip


@pytest.mark.parametrize("address", ADDRESSES, ids=ascii)
def test_an_address_where_no_scheduler_is_is_refused(refused, monkeypatch, capfd, address):
    monkeypatch.setattr(dask, "PATIENCE", 1.0)
    message = refused(lambda: on_dask(address), "no Dask scheduler answers at", "tcp://HOST:PORT")
    assert message.isprintable()
    assert len(message) < 600
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("address", ["", " ", 5, [], b"tcp://x:1"])
def test_an_address_that_is_none_is_refused(refused, address):
    refused(lambda: on_dask(address), "the scheduler's address is", "tcp://HOST:PORT")


ANSWERS = {"nothing": None, "the end": b"", "HTTP": b"HTTP/1.1 400 Bad Request\r\n\r\n",
           "bytes": b"\xff" * 64}  # fmt: skip


@pytest.mark.parametrize("scheme", ["tcp", "ws"])
@pytest.mark.parametrize("answer", ANSWERS)
def test_a_port_where_something_else_answers_is_refused(
    refused, monkeypatch, capfd, answer, scheme
):
    monkeypatch.setattr(dask, "PATIENCE", 1.0)
    callers = []

    def serve(server):
        while True:
            try:
                callers.append(server.accept()[0])
            except OSError:
                return
            if ANSWERS[answer]:
                callers[-1].sendall(ANSWERS[answer])
            elif answer == "the end":
                callers[-1].close()

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=serve, args=(server,), daemon=True).start()
        address = f"{scheme}://127.0.0.1:{server.getsockname()[1]}"
        refused(lambda: on_dask(address), f"no Dask scheduler answers at {address}")
        server.shutdown(socket.SHUT_RDWR)
    for caller in callers:
        caller.close()
    assert capfd.readouterr().err == ""


def test_the_address_of_a_worker_is_refused(refused, scheduler, workers):
    import distributed

    with distributed.Client(scheduler, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=60)
        (address, *_) = client.nthreads()
    refused(lambda: on_dask(address), "no Dask scheduler answers", "a Worker does")


def test_the_command_says_one_line_and_makes_no_store(tmp_path):
    words = command(tmp_path / "s.db", "3", "1k", "--engine", "dask", "--scheduler", "inproc://x")
    done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert not list(tmp_path.iterdir())


PLAIN = """
import sim
with sim.simulate("spades", 3, 300_000, seed=7, engine="dask", threads=2) as study:
    print(study.totals()[0][1].pots)
plan = sim.make_plan("spades", players=2, pots=200_000, seed=7)
with sim.run_plan(plan, "s.db", engine="dask", threads=2) as study:
    print(study.totals()[0][1].pots)
"""


@pytest.mark.parametrize("how", ["a script", "a module", "standard input"])
def test_a_plain_script_without_a_guard_plays(tmp_path, how):
    """Each worker must not run the script again."""
    (tmp_path / "plain.py").write_text(PLAIN)
    words = {"a script": ["plain.py"], "a module": ["-m", "plain"], "standard input": ["-"]}[how]
    done = subprocess.run(
        [sys.executable, *words], input=PLAIN, capture_output=True, text=True, cwd=tmp_path
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "300000\n200000\n", "")


def test_workers_import_what_the_script_does(tmp_path):
    """From the folders that it has added, and not from where it happens to run."""
    (tmp_path / "numpy.py").write_text("raise SystemExit('not this one')")
    script = tmp_path / "elsewhere" / "plain.py"
    script.parent.mkdir()
    script.write_text(PLAIN)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_workers_that_do_not_start_are_said(monkeypatch):
    monkeypatch.setattr(dask.sys, "executable", "/bin/false")
    with pytest.raises(Failed, match="no Dask worker starts on this machine"):
        study.run_plan(asked(), engine="dask", threads=1)


def processes(which, number):
    """The processes of a session (-s) or of a parent (--ppid)."""
    words = ["/bin/ps", "-o", "pid=", which, str(number)]
    return subprocess.run(words, capture_output=True, text=True).stdout.split()


def test_workers_leave_when_who_began_them_is_killed(tmp_path):
    path = tmp_path / "study.db"
    words = command(path, "8", "1G", "--engine", "dask", "--threads", "2")
    with started(words, cwd=tmp_path) as process:
        wait_for(lambda: pots_in(path))
        (minder,) = processes("--ppid", process.pid)
        assert len(processes("-s", minder)) > 2
        process.kill()
        process.wait()
        wait_for(lambda: not processes("-s", minder), 60)


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
