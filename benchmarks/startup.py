"""How long commands take from nothing, in processes of their own; ratios to bare imports."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from benchmarks.measure import Contestant, alternate, compare

IMPORTS = "importing numba, pandas, scipy.stats and pyplot alone"
FIRST = "first run --pots 1k, every kernel compiled"
SIM = ("-m", "sim")


def _python(*words: str, cache: str | None = None) -> Callable[[], None]:
    """Return what runs Python with these words and a new store, its output thrown away."""

    def run() -> None:
        with tempfile.TemporaryDirectory() as folder:
            store = ("--store", str(Path(folder) / "study.db")) if "run" in words else ()
            own = os.environ | ({"NUMBA_CACHE_DIR": cache} if cache else {})
            command = [sys.executable, *words, *store]
            subprocess.run(command, check=True, capture_output=True, env=own)

    return run


RUN = (*SIM, "run", "--pots", "1k", "--seed", "7", "--quiet")


def startup(rounds: int, *, first: bool) -> pd.DataFrame:
    """Time commands; with ``first`` also a run that has to compile, once."""
    contestants = {
        IMPORTS: _python("-c", "import numba, pandas, scipy.stats, matplotlib.pyplot"),
        "import sim": _python("-c", "import sim"),
        "spadework --help": _python(*SIM, "--help"),
        "spadework run --pots 1k": _python(*RUN),
    }
    table = compare(
        alternate({name: Contestant(1, run) for name, run in contestants.items()}, rounds), IMPORTS
    )
    if first:
        with tempfile.TemporaryDirectory() as cache:
            began = time.perf_counter()
            _python(*RUN, cache=cache)()
            table.loc[len(table)] = {"contestant": FIRST, "seconds": time.perf_counter() - began}
    return table.drop(columns="a second")
