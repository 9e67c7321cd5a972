"""How long commands take from nothing, in processes of their own; ratios to bare imports."""

import tempfile
import time
from functools import partial
from pathlib import Path

import pandas as pd

from benchmarks.measure import Contestant, alternate, compare
from benchmarks.process import STORE, Source, python

IMPORTS = "importing numba, pandas, scipy.stats and pyplot alone"
FIRST = "first run --pots 1k, every kernel compiled"
RUN = ("-m", "sim", "run", "--pots", "1k", "--seed", "7", "--quiet", "--store", STORE)
COMMANDS = {
    "import sim": ("-c", "import sim"),
    "spadework --help": ("-m", "sim", "--help"),
    "spadework run --pots 1k": RUN,
}


def startup(rounds: int, *, first: bool) -> pd.DataFrame:
    """Time commands; with ``first`` also a run that has to compile, once."""
    imports = {IMPORTS: ("-c", "import numba, pandas, scipy.stats, matplotlib.pyplot")}
    contestants = {
        name: Contestant(1, partial(python, *arguments))
        for name, arguments in (imports | COMMANDS).items()
    }
    table = compare(alternate(contestants, rounds), IMPORTS)
    if first:
        with tempfile.TemporaryDirectory() as cache:
            began = time.perf_counter()
            python(*RUN, source=Source(cache=Path(cache)))
            table.loc[len(table)] = {"contestant": FIRST, "seconds": time.perf_counter() - began}
    return table.drop(columns="a second")
