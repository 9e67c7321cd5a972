"""All benchmarks in one command: ``python -m benchmarks [--quick] [--yardstick COMMAND]``.

Prints each table as it is measured, then writes them as CSV, and one page of charts, to
results/benchmarks/. Figures are medians of alternating turns on this machine; quote the ratios. A
yardstick is a command that takes PLAYERS TABLES WILD(0|1) and prints millions of tables a second.
"""

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from benchmarks import chart, speed
from benchmarks.measure import arithmetic, machine
from benchmarks.memory import growth
from benchmarks.startup import startup
from benchmarks.variance import variance
from sim import game
from sim.engines import Block, play_block
from sim.policy import load_seats
from sim.scenario import Scenario

RESULTS = Path("results/benchmarks")
ROUNDS, FEW = 15, 5


def tables(words: argparse.Namespace) -> dict[str, Callable[[], pd.DataFrame]]:
    """Return all tables by name, each with what makes it."""
    rounds, quick = (FEW, True) if words.quick else (ROUNDS, False)
    return {
        "machine": machine,
        "ranking": lambda: speed.ranking(rounds),
        "playing": lambda: speed.playing(rounds, words.yardstick),
        "betting": lambda: speed.betting(rounds),
        "counting": lambda: speed.counting(rounds),
        "scaling": lambda: speed.scaling(rounds),
        "growth": lambda: growth(words.long, 1 if quick else 3),
        "startup": lambda: startup(FEW, first=not quick),
        "variance": lambda: variance(quick=quick),
    }


def warm_up() -> float:
    """Compile or load every kernel that will be timed; return the seconds that took."""
    began = time.perf_counter()
    arithmetic(1)
    for policy in speed.POLICIES[:2]:  # without betting, and with it
        play_block(Block(Scenario(game.load("spades"), 2, load_seats(policy)), 1, 0, 1))
    speed.counting(1)
    return time.perf_counter() - began


def main() -> None:
    """Measure, print, write and draw."""
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer turns, and nothing written")
    parser.add_argument("--only", help="which tables, as ranking,playing")
    parser.add_argument("--yardstick", help="a command to measure beside ours")
    parser.add_argument("--long", default="20M", help="pots of the long run, as 300M")
    parser.add_argument("--out", type=Path, help=f"where to write, {RESULTS} if not given")
    words = parser.parse_args()
    makers = tables(words)
    asked = words.only.split(",") if words.only else list(makers)
    if unknown := set(asked) - set(makers):
        parser.error(f"there is no table {', '.join(unknown)}: there are {', '.join(makers)}")
    print(f"Compiling or loading the kernels: {warm_up():.1f} s\n")
    found = {}
    for name in asked:
        found[name] = makers[name]()
        print(f"{name}\n{found[name].to_string(index=False, float_format='{:.4g}'.format)}\n")
    if words.out or not words.quick:
        _write(found, words.out or RESULTS)


def _write(found: dict[str, pd.DataFrame], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, table in found.items():
        table.to_csv(folder / f"{name}.csv", index=False, float_format="%.6g")
    print(*(f"Chart: {path}" for path in chart.draw(found, folder)), f"Tables: {folder}", sep="\n")


if __name__ == "__main__":
    main()
