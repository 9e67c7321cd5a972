"""Finds the rank keys of ``sim/kernels/ranks.py`` again: ``python -m benchmarks.rank_keys``.

Each key is the smallest integer for which all sums of seven cards, at most four of a rank and up to
seven wild cards, are still distinct. A candidate x fails when a·x + s = b·x + t for sums s and t of
7 - a and 7 - b smaller cards, that is when x divides into a difference of known sums; all failing
candidates are marked at once.
"""

import numba
import numpy as np
from numpy.typing import NDArray

from sim.kernels.ranks import LIMITS, MAX_CARDS, RANK_KEYS

LARGEST = 10_000_000


@numba.njit(cache=True)
def sums_of(keys: NDArray[np.int64], size: int, out: NDArray[np.int64]) -> int:
    """Fill the sums of ``size`` cards of these ranks, at most four of each; return how many."""
    counts = np.zeros(len(keys), np.int64)
    total = held = rank = 0
    if size == 0:
        out[0] = 0
        return 1
    while rank < len(keys):
        if held < size and counts[rank] < 4:
            counts[rank] += 1
            held += 1
            rank = 0
            if held == size:
                out[total] = np.sum(counts * keys)
                total += 1
        else:
            held -= counts[rank]
            counts[rank] = 0
            rank += 1
    return total


@numba.njit(cache=True)
def mark(
    failing: NDArray[np.bool_], less: NDArray[np.int64], more: NDArray[np.int64], by: int
) -> None:
    """Mark every x with x · by = t - s for a sum s of ``less`` and a sum t of ``more``."""
    for small in less:
        for large in more:
            difference = large - small
            if difference > 0 and difference % by == 0 and difference // by < len(failing):
                failing[difference // by] = True


def next_key(keys: NDArray[np.int64], limit: int) -> int:
    """Return the smallest key for one more rank, of which a hand holds at most ``limit``."""
    failing = np.zeros(LARGEST, np.bool_)
    sums = []
    for size in range(MAX_CARDS + 1):
        out = np.empty(200_000, np.int64)
        sums.append(np.unique(out[: sums_of(keys, size, out)]))
    for few in range(limit):
        for many in range(few + 1, limit + 1):
            mark(failing, sums[MAX_CARDS - many], sums[MAX_CARDS - few], many - few)
    candidates = np.flatnonzero(~failing)
    return int(candidates[candidates > keys[-1]][0])


def main() -> None:
    """Print every key as soon as it is known, beside the one in use."""
    keys = np.array([0])
    for rank in range(1, len(RANK_KEYS)):
        keys = np.append(keys, next_key(keys, int(LIMITS[rank])))
        same = keys[-1] == RANK_KEYS[rank]
        print(f"{rank:2}  {keys[-1]:8}  {'as shipped' if same else 'DIFFERS'}")


if __name__ == "__main__":
    main()
