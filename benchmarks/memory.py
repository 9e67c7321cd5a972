"""Whether memory and the cost of a pot grow with the number of pots.

Plays all-stay, two-handed Faces of Death into a store, each run in a process of its own.
"""

import pandas as pd

from benchmarks.process import HERE, STORE, Source, python
from sim.parsing import count

SHORT = "1M"
RUN = """
import sys, time, sim
sim.simulate("faces-of-death", 2, 1000, seed=7).frame()
began = time.perf_counter()
sim.simulate("faces-of-death", 2, int(sys.argv[1]), seed=7, store=sys.argv[2]).frame()
seconds = time.perf_counter() - began
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(seconds, peak.split()[1])
"""
"""Prints seconds and kB. What ``resource`` tells may be the peak of who started the process."""


def measure(pots: str, source: Source = HERE) -> tuple[float, float]:
    """Return nanoseconds a pot, and the peak resident memory in MB; needs Linux."""
    printed = python("-c", RUN, str(count(pots)), STORE, source=source)
    seconds, peak = map(float, printed.split())
    return 1e9 * seconds / count(pots), peak / 1024


def growth(long: str, rounds: int = 1) -> pd.DataFrame:
    """Measure short and long runs in turn; medians, and the long run's as multiples."""
    measure("1")  # whatever is compiled is compiled here
    turns = [(measure(SHORT), measure(long)) for _ in range(rounds)]
    columns = ["ns/pot", "MB"]
    short, large = (pd.DataFrame([runs[at] for runs in turns], columns=columns) for at in range(2))
    rows = [(SHORT, *short.median(), 1.0, 1.0), (long, *large.median(), *(large / short).median())]
    return pd.DataFrame(rows, columns=["pots", *columns, "times ns", "times MB"])
