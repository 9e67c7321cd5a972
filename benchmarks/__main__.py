"""All benchmarks in one command: ``python -m benchmarks [--quick] [--against COMMIT]``.

Prints each table as it is measured, then writes them as CSV, and one page of charts, to
results/benchmarks/. Figures are medians of alternating turns on this machine; quote the ratios. A
yardstick is a command that takes PLAYERS TABLES WILD(0|1) and prints millions of tables a second.
With another commit, both commits are compared instead, and nothing is written but with ``--out``.
"""

import argparse
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from benchmarks import against, chart, speed
from benchmarks.measure import arithmetic, machine
from benchmarks.memory import growth
from benchmarks.startup import startup
from benchmarks.variance import variance
from sim import game
from sim.errors import InputError
from sim.parsing import count
from sim.policy import load_seats
from sim.runs.threads import Block, play_block
from sim.scenario import Scenario

RESULTS = Path("results/benchmarks")
ROUNDS, FEW = 15, 5
Makers = dict[str, Callable[[], pd.DataFrame]]
"""Tables by name, each with what makes it."""


def tables(options: argparse.Namespace) -> Makers:
    """Return all tables of this folder's source alone."""
    rounds, few = options.rounds, min(options.rounds, FEW)
    return {
        "machine": machine,
        "ranking": lambda: speed.ranking(rounds),
        "playing": lambda: speed.playing(rounds, options.yardstick),
        "betting": lambda: speed.betting(rounds),
        "counting": lambda: speed.counting(rounds),
        "scaling": lambda: speed.scaling(rounds),
        "growth": lambda: growth(options.long, 1 if options.quick else 3),
        "startup": lambda: startup(few, first=not options.quick),
        "variance": lambda: variance(quick=options.quick),
    }


def warm_up() -> float:
    """Compile or load every kernel that will be timed; return the seconds that took."""
    began = time.perf_counter()
    arithmetic(1)
    for policy in speed.POLICIES[:2]:  # without betting, and with it
        play_block(Block(Scenario(game.load("spades"), 2, load_seats(policy)), 1, 0, 1))
    speed.counting(1)
    return time.perf_counter() - began


def parser() -> argparse.ArgumentParser:
    """Return what reads the command line."""
    asking = argparse.ArgumentParser(prog="benchmarks", description=__doc__.splitlines()[0])
    asking.add_argument("--quick", action="store_true", help="fewer turns, and nothing written")
    asking.add_argument("--against", metavar="COMMIT", help="compare this commit with another")
    asking.add_argument("--only", help="which tables, as ranking,playing")
    asking.add_argument("--rounds", type=int, help=f"turns of each, {ROUNDS} or {FEW} if not given")
    asking.add_argument("--yardstick", help="a command to measure beside ours")
    asking.add_argument("--long", default="20M", help="pots of the long run, as 300M")
    asking.add_argument("--out", type=Path, help=f"where to write, {RESULTS} if not given")
    return asking


def main() -> None:
    """Measure, print, write and draw."""
    asking = parser()
    options = asking.parse_args()
    try:
        _check(options)
        if options.against:
            with against.builds(options.against) as (this, other):
                print(f"Commit {this.commit} against {other.commit}\n")
                makers = against.tables(this, other, options.rounds, options.long)
                made = _made(_chosen(makers, options.only))
        else:
            makers = _chosen(tables(options), options.only)
            print(f"Compiling or loading the kernels: {warm_up():.1f} s\n")
            made = _made(makers)
    except InputError as error:
        asking.error(str(error))
    if options.out or not (options.quick or options.against):
        _write(made, options.out or RESULTS)


def _check(options: argparse.Namespace) -> None:
    """Fill in the rounds, and refuse what will not do before anything is measured."""
    options.rounds = (
        (FEW if options.quick else ROUNDS) if options.rounds is None else options.rounds
    )
    count(options.long)
    if options.rounds < 1:
        raise InputError(f"{options.rounds} rounds will not do: ask for at least 1")
    if options.against and options.yardstick:
        raise InputError("a yardstick is no other commit: ask for --against or for --yardstick")


def _chosen(makers: Makers, only: str | None) -> Makers:
    """Return the tables that are asked for; raise ``InputError`` if there is no such table."""
    chosen = only.split(",") if only else list(makers)
    if unknown := [name for name in chosen if name not in makers]:
        raise InputError(f"there is no table {', '.join(unknown)}: there are {', '.join(makers)}")
    return {name: makers[name] for name in chosen}


def _made(makers: Makers) -> dict[str, pd.DataFrame]:
    """Make tables, and print each as it is made."""
    made = {}
    for name, make in makers.items():
        made[name] = make()
        shown = made[name].to_string(index=False, float_format="{:.4g}".format, na_rep="")
        print(f"{name}\n{shown}\n", flush=True)
    return made


def _write(made: dict[str, pd.DataFrame], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, table in made.items():
        table.to_csv(folder / f"{name}.csv", index=False, float_format="%.6g")
    print(*(f"Chart: {path}" for path in chart.draw(made, folder)), f"Tables: {folder}", sep="\n")


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # which clears up as it leaves
    main()
