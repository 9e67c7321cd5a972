"""Whether memory and the cost of a pot grow with the number of pots.

    python -m benchmarks.memory [--long 300M]

Plays all-stay, two-handed Faces of Death into a store, each run in a process of its own, and ends
with exit code 1 if the long run's peak of resident memory is 20 % or more above the short one's.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import pandas as pd

from sim.read import pot_count

SHORT = "1M"
LIMIT = 1.2
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


def measure(pots: str) -> tuple[float, float]:
    """Return nanoseconds a pot, and the peak resident memory in MB; needs Linux."""
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "-c", RUN, str(pot_count(pots)), str(Path(folder) / "study.db")]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
    seconds, peak = map(float, done.stdout.split())
    return 1e9 * seconds / pot_count(pots), peak / 1024


def growth(long: str, rounds: int = 1) -> pd.DataFrame:
    """Measure short and long runs in turn; medians, and the long run's as multiples."""
    measure("1")  # whatever is compiled is compiled here
    turns = [(measure(SHORT), measure(long)) for _ in range(rounds)]
    columns = ["ns/pot", "MB"]
    short, large = (pd.DataFrame([turn[at] for turn in turns], columns=columns) for at in range(2))
    rows = [(SHORT, *short.median(), 1.0, 1.0), (long, *large.median(), *(large / short).median())]
    return pd.DataFrame(rows, columns=["pots", *columns, "times ns", "times MB"])


def main() -> int:
    """Measure both runs and compare them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--long", default="300M", help="pots of the long run")
    table = growth(parser.parse_args().long)
    print(table.round(2).to_string(index=False))
    return 0 if table["times MB"].iloc[-1] < LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
