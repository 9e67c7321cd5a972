"""Playing on Dask: workers of this machine or of a cluster, with the same totals as on threads."""

import logging
import math
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from importlib import import_module
from multiprocessing import active_children
from multiprocessing.process import BaseProcess
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.arguments import one_of, shown
from sim.errors import Failed, InputError
from sim.runs.run import BLOCK, CELL, Engine, check_threads
from sim.runs.threads import Block, Results, Source, play_block
from sim.scenario import ENGINE
from sim.tally import Tally

ENGINES = ("threads", "dask")
TASK_SECONDS = 1.0
"""Work in a task, so that a scheduler has a few decisions a second to make, not thousands."""
MOST_BLOCKS = 4096
"""Blocks in a task, however fast they are."""
IN_FLIGHT = 2
"""Tasks for each thread of the workers: one that is played and one that waits."""
PATIENCE = 10.0
"""Seconds to wait for a scheduler to answer, and for a worker to come (back)."""
QUIET_TRACKER = "ignore:resource_tracker:UserWarning"
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
    with ExitStack() as stack:
        client = _connect(stack, scheduler, workers)
        _check_workers(client)
        yield partial(on_dask, client=client)


def _distributed() -> Any:
    try:
        return import_module("distributed")
    except ImportError:
        raise InputError("Dask is not installed: pip install 'spadework[dist]'") from None


def _connect(stack: ExitStack, scheduler: str | None, workers: int | None) -> Any:
    distributed = _distributed()
    if scheduler is not None and not (isinstance(scheduler, str) and scheduler.strip()):
        raise InputError("the scheduler's address is empty: name one as tcp://HOST:PORT")
    address = scheduler or import_module("dask").config.get("scheduler-address", None)
    if address is None:
        others = set(active_children())
        stack.enter_context(_quiet_tracker())
        cluster = distributed.LocalCluster(
            n_workers=check_threads(workers),
            threads_per_worker=1,
            dashboard_address=":0",
            silence_logs=logging.CRITICAL,
        )
        stack.callback(_close, cluster, set(active_children()) - others)
        address = cluster
    try:
        client = distributed.Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError, TypeError, KeyError, RuntimeError, ImportError) as error:
        raise InputError(
            f"no Dask scheduler answers at {address} ({' '.join(str(error).split())}): "
            "name one as tcp://HOST:PORT"
        ) from None
    stack.callback(client.close)
    return client


@contextmanager
def _quiet_tracker() -> Iterator[None]:
    """Let Python's tracker of shared resources tidy up after a stopped run without a word."""
    before = os.environ.get("PYTHONWARNINGS")
    os.environ["PYTHONWARNINGS"] = ",".join(filter(None, (before, QUIET_TRACKER)))
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONWARNINGS"]
        else:
            os.environ["PYTHONWARNINGS"] = before


def _close(cluster: Any, workers: set[BaseProcess]) -> None:
    """End the workers started here, those in the middle of a task too."""
    with suppress(TimeoutError):
        cluster.close(timeout=0.5)
    for worker in workers:
        worker.kill()
    with suppress(TimeoutError):
        cluster.close(timeout=1)


def _check_workers(client: Any) -> None:
    """Refuse a cluster without workers, and workers that would play otherwise."""
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError:
        raise InputError("the Dask scheduler has no workers: start some") from None
    try:
        engines = client.run(worker_engine)
    except (ImportError, AttributeError) as error:
        raise InputError(f"a Dask worker has no such spadework as this: {error}") from None
    for worker, engine in engines.items():
        _check_engine(worker, engine)


def _check_engine(worker: str, engine: int) -> None:
    if engine != ENGINE:
        raise InputError(
            f"the Dask worker {worker} plays with engine {engine} of spadework, and this is "
            f"{ENGINE}: install the same version there"
        )


def worker_engine() -> int:
    """Return the engine version of the worker that this runs on."""
    return ENGINE


def play_task(blocks: list[Block]) -> tuple[str, int, float, list[NDArray[np.int64]]]:
    """Play blocks on a worker: its name, its engine version, seconds, and the tallies' numbers."""
    began = time.perf_counter()
    played = [play_block(block).data for block in blocks]
    return _distributed().get_worker().address, ENGINE, time.perf_counter() - began, played


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
            raise Failed(f"the Dask scheduler is gone: {error}; {KEPT}") from None
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
                    found = wait(list(self.playing), timeout=1, return_when="FIRST_COMPLETED")
                return list(found.done)
            except TimeoutError:
                self._count_workers()

    def take(self, future: Any) -> Results:
        """Yield what a finished task has played, and let it go."""
        if future.status not in ("finished", "pending"):
            raise _failure(future)
        worker, engine, seconds, played = self._fetched(future)
        blocks = self.playing.pop(future)
        _check_engine(worker, engine)
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
