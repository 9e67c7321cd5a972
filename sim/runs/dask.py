"""Playing on Dask: workers of this machine or of a cluster, with the same totals as on threads."""

import asyncio
import logging
import math
import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from importlib import import_module
from subprocess import DEVNULL, Popen, TimeoutExpired
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.arguments import one_of
from sim.errors import Failed, InputError, brief, shown
from sim.game import digest_of
from sim.runs.run import BLOCK, CELL, Engine, check_threads
from sim.runs.threads import Block, Results, Source, play_block
from sim.scenario import PLAY
from sim.tally import Counts, Tally, version_of

ENGINES = ("threads", "dask")
VERSION = digest_of({"play": PLAY, "counts": [[name, version_of(name)] for name in Counts._fields]})
"""How this spadework plays and counts."""
TASK_SECONDS = 1.0
"""Work in a task, so that a scheduler has a few decisions a second to make, not thousands."""
MOST_BLOCKS = 4096
"""Blocks in a task, however fast they are."""
IN_FLIGHT = 2
"""Tasks for each thread of the workers: one that is played and one that waits."""
PATIENCE = 10.0
"""Seconds to wait for a scheduler to answer, and for a worker to come (back)."""
STARTING = 120.0
"""Seconds for workers that are started here to import everything, on a busy machine too."""
TALKATIVE = ("distributed", "tornado", "asyncio")
"""Who logs what becomes of a connection."""
KEPT = "what is finished is kept, and the same command goes on from there"


@contextmanager
def engine_named(name: str, scheduler: str | None, workers: int | None) -> Iterator[Engine | None]:
    """Yield who plays the blocks; None is threads of this process.

    Dask's workers are those of the scheduler at this address, or of the one that Dask's own
    configuration names, or else ``workers`` processes started here.
    """
    if one_of(name, ENGINES, "engine") == "threads":
        if scheduler is not None:
            raise InputError(
                f"the scheduler {shown(scheduler)} plays with the engine dask: name that too"
            )
        yield None
        return
    _distributed()
    with _quiet_logs(), ExitStack() as stack:
        yield partial(on_dask, client=_connect(stack, scheduler, workers))


def _distributed() -> Any:
    try:
        return import_module("distributed")
    except ImportError:
        raise InputError("Dask is not installed: pip install 'spadework[dist]'") from None


@contextmanager
def _quiet_logs() -> Iterator[None]:
    """Keep to one sentence about what befalls a cluster: Dask's own logs add tracebacks."""
    names = [name for name in logging.root.manager.loggerDict if name.split(".")[0] in TALKATIVE]
    levels = {logging.getLogger(name): logging.getLogger(name).level for name in names}
    for logger in levels:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in levels.items():
            logger.setLevel(level)


def _connect(stack: ExitStack, scheduler: str | None, workers: int | None) -> Any:
    distributed = _distributed()
    address = scheduler
    if address is None:
        address = import_module("dask").config.get("scheduler-address", None)
    if address is None:
        address, started = stack.enter_context(_own_cluster(check_threads(workers)))
    else:
        _check_scheduler(address)
        started = None
    try:
        client = distributed.Client(address, timeout=PATIENCE, set_as_default=False)
    except Exception as error:
        raise _no_scheduler(address, error) from None
    stack.callback(_leave, client)
    _check_workers(client, started)
    return client


def _leave(client: Any) -> None:
    with suppress(Exception):  # who has left first need not be told
        client.close()


@contextmanager
def _own_cluster(workers: int) -> Iterator[tuple[str, Popen[bytes]]]:
    """Start a scheduler in this process, and workers of its own; yield its address and them.

    They are begun as a command, for ``multiprocessing`` would run the user's script again in each,
    which then starts workers of its own unless the script guards against it. They import what this
    process would, die with the one that minds them, and leave when the scheduler is gone.
    """
    with _distributed().LocalCluster(
        n_workers=0, processes=True, dashboard_address=":0", silence_logs=logging.CRITICAL
    ) as cluster:
        address = cluster.scheduler_address
        minder = Popen(  # noqa: S603 - this very Python
            [
                *(sys.executable, "-P", "-m", "distributed.cli.dask_worker", address),
                *("--nworkers", str(workers), "--nthreads", "1", "--no-dashboard"),
            ],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, sys.path))},
            stdin=DEVNULL,
            stdout=DEVNULL,
            stderr=DEVNULL,
            start_new_session=True,  # Ctrl-C is for this process alone
        )
        try:
            yield address, minder
        finally:
            minder.terminate()
            try:
                minder.wait(timeout=1)
            except TimeoutExpired:  # its workers are in the middle of a task
                minder.kill()
                minder.wait()


def _check_scheduler(address: object) -> None:
    """Refuse an address at which no scheduler answers, before anything depends on it."""
    if not isinstance(address, str) or not address.strip():
        problem = "empty" if isinstance(address, str) else f"no text, but {brief(address)}"
        raise InputError(f"the scheduler's address is {problem}: name one as tcp://HOST:PORT")
    try:
        with ThreadPoolExecutor(1) as alone:  # a notebook's own loop runs in this thread
            kind = alone.submit(lambda: asyncio.run(_kind(address))).result()
    except (Exception, asyncio.CancelledError) as error:
        raise _no_scheduler(address, error) from None
    if kind != "Scheduler":
        raise _no_scheduler(address, f"a {kind} does")


async def _kind(address: str) -> str:
    """Ask who answers at an address."""
    distributed = _distributed()
    secured = distributed.Security().get_connection_args("client")
    async with distributed.rpc(address, timeout=PATIENCE, connection_args=secured) as there:
        # longer than it tries to connect: who is cut off there leaves a socket open
        return str((await asyncio.wait_for(there.identity(), 2 * PATIENCE))["type"])


def _no_scheduler(address: object, why: object) -> InputError:
    cause = brief(why) or type(why).__name__
    return InputError(
        f"no Dask scheduler answers at {brief(address)} ({cause}): name one as tcp://HOST:PORT"
    )


def _check_workers(client: Any, started: Popen[bytes] | None) -> None:
    """Refuse a cluster without workers, and workers that would play otherwise.

    ``started`` are those that were started here, if they were.
    """
    try:
        _await_worker(client, started)
        versions = client.run(worker_version, on_error="return")
    except (OSError, RuntimeError) as error:
        raise _gone(error) from None
    for worker, version in versions.items():
        if isinstance(version, (ImportError, AttributeError)):
            raise InputError(f"a Dask worker has no such spadework as this: {brief(version)}")
        if not isinstance(version, Exception):  # others have died since, and are replaced
            _check_version(worker, version)


def _await_worker(client: Any, started: Popen[bytes] | None) -> None:
    end = time.monotonic() + (PATIENCE if started is None else STARTING)
    while time.monotonic() < end and (started is None or started.poll() is None):
        with suppress(TimeoutError):
            client.wait_for_workers(1, timeout=1)
            return
    if started is None:
        raise InputError("the Dask scheduler has no workers: start some")
    raise Failed(
        "no Dask worker starts on this machine: start a scheduler and workers by hand, which say "
        "why, and name the scheduler; or play on threads"
    )


def _gone(error: object) -> Failed:
    return Failed(f"the Dask scheduler is gone ({brief(error)}); {KEPT}")


def _check_version(worker: str, version: str) -> None:
    if version != VERSION:
        raise InputError(
            f"the Dask worker {worker} plays and counts as version {version} of spadework, and "
            f"this is {VERSION}: install the same version there"
        )


def worker_version() -> str:
    """Return how the worker that this runs on plays and counts."""
    return VERSION


def play_task(blocks: list[Block]) -> tuple[str, str, float, list[NDArray[np.int64]]]:
    """Play blocks on a worker: its name, its version, seconds, and the tallies' numbers."""
    began = time.perf_counter()
    played = [play_block(block).data for block in blocks]
    return _distributed().get_worker().address, VERSION, time.perf_counter() - began, played


def on_dask(source: Source, client: Any) -> Results:
    """Play what a source gives on Dask's workers, a second of work at a time.

    A worker that dies is replaced by the others; when all are gone, or the scheduler is, that is
    said and what is finished is kept. Raises ``Failed``.
    """
    tasks = _Tasks(client)
    try:
        while True:
            tasks.begin(source)
            if not tasks.playing:
                return
            for future in tasks.finished():
                yield from tasks.take(future)
    except (InputError, Failed):
        raise
    except (Exception, asyncio.CancelledError) as error:
        if client.status == "running":
            raise
        raise _gone(error) from None
    finally:
        with suppress(Exception):  # who has left need not be told
            client.cancel(list(tasks.playing))


class _Tasks:
    """Tasks that are with the workers: a bounded number, each about a second of work."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._blocks = 1
        self._threads = 1
        self._alive = time.monotonic()
        self.playing: dict[Any, list[Block]] = {}

    def begin(self, source: Source) -> None:
        """Hand out as many tasks as the workers can hold."""
        self._count_workers()
        while len(self.playing) < IN_FLIGHT * self._threads:
            blocks = _joined(source(self._blocks))
            if not blocks:
                return
            future = self._client.submit(play_task, blocks, pure=False)
            self.playing[future] = blocks

    def _count_workers(self) -> None:
        """See how many threads the workers have; refuse to wait for ever for none."""
        try:
            threads = sum(self._client.nthreads().values())
        except (OSError, TimeoutError) as error:
            raise _gone(error) from None
        now = time.monotonic()
        if threads:
            self._threads, self._alive = threads, now
        elif now - self._alive > PATIENCE:
            raise Failed(f"every Dask worker is gone, for {PATIENCE:.0f} seconds now; {KEPT}")

    def finished(self) -> list[Any]:
        """Wait for tasks, and look now and then whether anybody is still at work."""
        wait = _distributed().wait
        while True:
            try:
                with self._client.as_current():
                    waited = wait(list(self.playing), timeout=1, return_when="FIRST_COMPLETED")
                return list(waited.done)
            except TimeoutError:
                self._count_workers()

    def take(self, future: Any) -> Results:
        """Yield what a finished task has played, and let it go."""
        if future.status not in ("finished", "pending"):
            raise _failure(future)
        worker, version, seconds, played = self._fetched(future)
        blocks = self.playing.pop(future)
        _check_version(worker, version)
        future.release()
        given = sum(-(-block.pots // BLOCK) for block in blocks)
        self._blocks = min(max(math.ceil(TASK_SECONDS * given / seconds), 1), MOST_BLOCKS)
        for block, data in zip(blocks, played, strict=True):
            yield block, Tally(block.scenario.shapes, data)

    def _fetched(self, future: Any) -> Any:
        """Bring a task's result here; if its worker has died with it, others play it again."""
        while True:
            try:
                return future.result(timeout=1)
            except TimeoutError:
                self._count_workers()
            except Exception as error:
                raise _failure(future) from error


def _failure(future: Any) -> Exception:
    """Return in words why a task failed; an error of the program's own is left as it is."""
    error = future.exception() if future.status == "error" else None
    if isinstance(error, _distributed().KilledWorker):
        return Failed(f"a task took several Dask workers with it, one after another; {KEPT}")
    if isinstance(error, Exception):
        return error
    return Failed(f"the Dask scheduler lost a task ({future.status}); {KEPT}")


def _joined(blocks: list[Block]) -> list[Block]:
    """Put blocks that follow each other in one cell together: fewer tallies travel."""
    joined: list[Block] = []
    for block in blocks:
        last = joined[-1] if joined else None
        if last and _follows(last, block):
            joined[-1] = last._replace(pots=last.pots + block.pots)
        else:
            joined.append(block)
    return joined


def _follows(last: Block, block: Block) -> bool:
    same = last.scenario is block.scenario and last.seed == block.seed
    return same and last.first + last.pots == block.first and block.first % CELL > 0
