"""Whether memory grows with the number of pots: peak resident memory of a short and a long run.

    python -m benchmarks.memory [--long 300M]

Plays all-stay, two-handed Faces of Death into a store, each run in a process of its own, and ends
with exit code 1 if the long run's peak is 20 % or more above the short one's.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from sim.read import pot_count

SHORT = "1M"
LIMIT = 1.2
RUN = """
import resource, sys, sim
sim.simulate("faces-of-death", 2, int(sys.argv[1]), seed=7, store=sys.argv[2]).frame()
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def peak(pots: str) -> float:
    """Return the peak resident memory of a run in MB (Linux counts in kB)."""
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "-c", RUN, str(pot_count(pots)), str(Path(folder) / "study.db")]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
    return int(done.stdout) / 1024


def main() -> int:
    """Measure both runs and compare them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--long", default="300M", help="pots of the long run")
    long = parser.parse_args().long
    peak("1")  # whatever is compiled is compiled here
    small, large = peak(SHORT), peak(long)
    print(f"{SHORT:>6} pots: {small:6.1f} MB")
    print(f"{long:>6} pots: {large:6.1f} MB, {large / small - 1:+.1%}")
    return 0 if large < LIMIT * small else 1


if __name__ == "__main__":
    sys.exit(main())
