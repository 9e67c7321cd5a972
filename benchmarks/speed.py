"""Speed beside what people would use instead: ``python -m benchmarks.speed [--yardstick COMMAND]``.

Every figure is the best of several short turns, which the contestants take one after another within
one run, so that a noisy machine disturbs them alike; quote the ratios. Compilation happens before
and is told apart. A yardstick is a command that takes PLAYERS TABLES WILD(0|1) and prints millions
of tables a second.
"""

import argparse
import importlib
import shlex
import subprocess
import time
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
import pandas as pd

import sim
from sim import game, hands
from sim.cards import format_card
from sim.engines import Block, play_block
from sim.policy import load_seats
from sim.scenario import Scenario

Key = TypeVar("Key")
TURNS = 15
HANDS = 500_000
TABLES = 20_000
PEER_HANDS = 2_000
POLICIES = ("stay", "loose", "typical", "tight", "fold:0.1")


def best(contestants: dict[Key, Callable[[], Any]]) -> dict[Key, float]:
    """Return the seconds of each contestant's best turn, after one turn that does not count."""
    for run in contestants.values():
        run()
    seconds = dict.fromkeys(contestants, float("inf"))
    for _ in range(TURNS):
        for name, run in contestants.items():
            began = time.perf_counter()
            run()
            seconds[name] = min(seconds[name], time.perf_counter() - began)
    return seconds


def peers(sample: np.ndarray) -> dict[str, Callable[[], Any]]:
    """Return the seven-card evaluators from PyPI that are installed, each ranking the sample."""
    names = [[format_card(int(card)) for card in hand] for hand in sample]
    found: dict[str, Callable[[], Any]] = {}
    if phevaluator := _installed("phevaluator"):
        numbers = [[int(card) for card in hand] for hand in sample]  # its cards count as ours do
        found["phevaluator"] = lambda: [phevaluator.evaluate_cards(*hand) for hand in numbers]
    if treys := _installed("treys"):
        evaluator = treys.Evaluator()
        boards = [[treys.Card.new(name) for name in hand] for hand in names]
        found["treys"] = lambda: [evaluator.evaluate(hand[:2], hand[2:]) for hand in boards]
    return found


def _installed(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def ranking() -> pd.DataFrame:
    """Rank random seven-card hands: ours by the array, peers one by one."""
    sample = sim.deal(players=7, tables=-(-HANDS // 7), seed=1).reshape(-1, 7)[:HANDS]
    contestants: dict[str, Callable[[], Any]] = {
        "sim.evaluate, nothing wild": lambda: sim.evaluate(sample),
        "sim.evaluate, spades wild": lambda: sim.evaluate(sample, wild="spades"),
        **peers(sample[:PEER_HANDS]),
    }
    seconds = best(contestants)
    sizes = {name: HANDS if name.startswith("sim") else PEER_HANDS for name in seconds}
    rates = {name: sizes[name] / took / 1e6 for name, took in seconds.items()}
    base = rates["sim.evaluate, nothing wild"]
    return pd.DataFrame(
        [(name, rate, rate / base) for name, rate in rates.items()],
        columns=["ranking", "million hands/s", "ratio"],
    )


def playing(yardstick: str | None) -> pd.DataFrame:
    """Play pots of each game at three table sizes; deals a second, beside dealing alone."""
    rows = []
    for players in (2, 4, 7):
        scenarios = {name: Scenario(game.load(name), players) for name in game.shipped()}
        deals = {
            name: _deals(play_block(Block(scenario, 1, 0, TABLES)).counts.deals)
            for name, scenario in scenarios.items()
        }
        contestants: dict[str, Callable[[], Any]] = {
            name: lambda scenario=scenario: play_block(Block(scenario, 1, 0, TABLES))
            for name, scenario in scenarios.items()
        }
        contestants["dealing alone"] = lambda players=players: hands.deal(players, TABLES, 1)
        rates = {
            name: deals.get(name, TABLES) / took / 1e6 for name, took in best(contestants).items()
        }
        for wild in (0, 1) if yardstick else ():
            rates[f"yardstick, {'spades' if wild else 'nothing'} wild"] = _yardstick(
                yardstick, players, wild
            )
        rows += [(players, name, rate) for name, rate in rates.items()]
    return pd.DataFrame(rows, columns=["players", "playing", "million deals/s"])


def betting() -> pd.DataFrame:
    """Play pots at seven players under each policy; time a deal as a multiple of all-stay's."""
    scenarios = {
        (name, policy): Scenario(game.load(name), 7, load_seats(policy))
        for name in ("faces-of-death", "spades")
        for policy in POLICIES
    }
    deals = {
        key: _deals(play_block(Block(scenario, 1, 0, TABLES)).counts.deals)
        for key, scenario in scenarios.items()
    }
    seconds = best(
        {
            key: lambda scenario=scenario: play_block(Block(scenario, 1, 0, TABLES))
            for key, scenario in scenarios.items()
        }
    )
    nanoseconds = {key: took / deals[key] * 1e9 for key, took in seconds.items()}
    return pd.DataFrame(
        [
            (name, policy, took, took / nanoseconds[name, POLICIES[0]])
            for (name, policy), took in nanoseconds.items()
        ],
        columns=["seven players", "policy", "ns/deal", "ratio"],
    )


def _deals(counts: np.ndarray) -> int:
    return int(counts @ np.arange(len(counts)))


def _yardstick(command: str, players: int, wild: int) -> float:
    words = [*shlex.split(command), str(players), "300000", str(wild)]
    turns = [subprocess.run(words, check=True, capture_output=True, text=True) for _ in range(5)]
    return max(float(turn.stdout) for turn in turns)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--yardstick", help="a command to measure beside ours")
    arguments = parser.parse_args()
    began = time.perf_counter()
    for policy in POLICIES[:2]:  # without betting, and with it
        play_block(Block(Scenario(game.load("spades"), 2, load_seats(policy)), 1, 0, 1))
    print(f"compiling or loading the kernels: {time.perf_counter() - began:.1f} s\n")
    print(ranking().round(3).to_string(index=False), "\n")
    print(playing(arguments.yardstick).round(3).to_string(index=False), "\n")
    print(betting().round(2).to_string(index=False))


if __name__ == "__main__":
    main()
