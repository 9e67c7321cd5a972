"""How everything here is timed: contestants take turns, and only ratios within a turn are quoted.

A noisy machine disturbs neighbouring turns alike, so each round gives one ratio of every pair, and
a figure is the median of its rounds, with their quartiles for its spread.
"""

import os
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numba
import numpy as np
import pandas as pd

from sim.runs.provenance import run_provenance


class Contestant(NamedTuple):
    """Something that can be timed over and over."""

    work: float
    """What one turn gets done: hands, deals, pots, …"""
    run: Callable[[], Any]
    """Takes a turn. A float that it returns is its seconds, by a clock of its own."""


def alternate(
    contestants: Mapping[str, Contestant], rounds: int, *, warm_up: bool = True
) -> pd.DataFrame:
    """Return the seconds for one piece of work, (rounds, contestants).

    Unless ``warm_up`` is false, each takes a turn beforehand that is not counted.
    """
    for contestant in contestants.values() if warm_up else ():
        contestant.run()
    rows = [
        {name: _turn(contestant) / contestant.work for name, contestant in contestants.items()}
        for _ in range(rounds)
    ]
    return pd.DataFrame(rows)


def _turn(contestant: Contestant) -> float:
    began = time.perf_counter()
    own = contestant.run()
    return own if isinstance(own, float) else time.perf_counter() - began


def quartiles(ratios: pd.Series) -> tuple[float, float, float]:
    """Return the median of a ratio over the rounds, and its lower and upper quartile."""
    low, middle, high = ratios.quantile([0.25, 0.5, 0.75])
    return middle, low, high


def compare(seconds: pd.DataFrame, base: str | Mapping[str, str]) -> pd.DataFrame:
    """Return a row a contestant: seconds, work a second, and how many times as long as its base.

    ``base`` is one contestant for all, or says whom each is compared with. ``times`` is the median
    over the rounds, ``low`` and ``high`` its quartiles.
    """
    pairs = dict.fromkeys(seconds, base) if isinstance(base, str) else base
    rows = [
        (
            name, seconds[name].median(), 1 / seconds[name].median(), other,
            *quartiles(seconds[name] / seconds[other]),
        )
        for name, other in pairs.items()
    ]  # fmt: skip
    columns = ["contestant", "seconds", "a second", "base", "times", "low", "high"]
    return pd.DataFrame(rows, columns=columns)


@numba.njit(nogil=True, error_model="numpy")
def arithmetic(rounds: int) -> int:
    """Mix a number over and over (SplitMix64), in registers alone: what a core does undisturbed."""
    state = mixed = np.uint64(0)
    for _ in range(rounds):
        state += np.uint64(0x9E3779B97F4A7C15)
        mixed ^= state
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed


def machine() -> pd.DataFrame:
    """Return what was measured on and with, a row a fact."""
    facts = run_provenance([], "threads", os.cpu_count() or 1)
    facts |= {"processors": os.cpu_count(), "load": round(os.getloadavg()[0], 2)}
    facts |= {"commit": (facts["git"] or {}).get("commit"), "llvmlite": numba.llvmlite.__version__}
    shown = (
        "cpu", "processors", "load", "system", "machine", "python", "numpy", "numba", "llvmlite",
        "commit", "engine",
    )  # fmt: skip
    return pd.DataFrame([(name, facts[name]) for name in shown], columns=["machine", "is"])
