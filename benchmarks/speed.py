"""How fast hands are ranked and counted, pots played, and how all of it scales on two threads."""

import shlex
import subprocess
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from math import comb

import numpy as np
import pandas as pd

import sim
from benchmarks.measure import Contestant, alternate, arithmetic, compare, quartiles
from benchmarks.peers import dealers, rankers
from sim import game
from sim.cards import DECK, parse_set
from sim.odds import census
from sim.policy import load_seats
from sim.runs.run import CELL
from sim.runs.threads import Block, play_block
from sim.scenario import Scenario

HANDS, PEER_HANDS = 500_000, 2_000
TABLES = 20_000
YARDSTICK_TABLES = 300_000
SIZES = (2, 4, 7)
POLICIES = ("stay", "loose", "typical", "tight", "fold:0.1")
ROUNDS_OF_ARITHMETIC = 50_000_000
CELLS = 8
"""That a thread plays in a turn; with fewer, two threads would mostly wake up and end."""
PLAIN, WILD = "sim.evaluate, nothing wild", "sim.evaluate, spades wild"
DEALING, RANKING = "dealing alone", "ranking alone"
WORDS = ("nothing", "spades")
"""What may be wild."""
GAMES = tuple(game.shipped())
CENSUSES = {
    "spades wild": ("spades", "none"),
    "nothing wild": ("none", "none"),
    "nothing wild, three killers": ("none", "Js Qs Ks"),
    "no two suits alike": ("2c 3d 4h", "none"),
}
"""Wild cards and killers of a census."""


def pots(scenario: Scenario, number: int = TABLES) -> Contestant:
    """Return a scenario as a contestant that plays so many pots; its work is counted in deals."""
    block = Block(scenario, 1, 0, number)
    deals = play_block(block).counts.deals
    return Contestant(float(deals @ np.arange(len(deals))), lambda: play_block(block))


def ranking(rounds: int) -> pd.DataFrame:
    """Rank random seven-card hands: ours by the array, peers one by one."""
    sample = sim.deal(players=7, tables=-(-HANDS // 7), seed=1).reshape(-1, 7)
    contestants = {
        PLAIN: Contestant(len(sample), lambda: sim.evaluate(sample)),
        WILD: Contestant(len(sample), lambda: sim.evaluate(sample, wild="spades")),
    }
    peers = rankers(sample[:PEER_HANDS])
    return compare(alternate(contestants | peers, rounds), PLAIN)


def playing(rounds: int, yardstick: str | None) -> pd.DataFrame:
    """Play pots in which all stay, beside the floors and, if there is one, the yardstick.

    The floor of a game is dealing all cards of a table and ranking all its hands, and nothing else.
    """
    parts = []
    for players in SIZES:
        measured = alternate(_tables(players, yardstick), rounds)
        for label in WORDS:
            measured[f"floor, {label} wild"] = (
                measured[DEALING] + measured[f"{RANKING}, {label} wild"]
            )
        ratios = [compare(measured, DEALING)]
        for base in ("floor", "yardstick"):
            pairs = {name: f"{base}, {WORDS[bool(game.load(name).wild)]} wild" for name in GAMES}
            ratios += [compare(measured, pairs)] if set(pairs.values()) <= set(measured) else []
        parts += [part.assign(players=players) for part in ratios]
    return pd.concat(parts)[["players", *parts[0].columns[:-1]]]


def _tables(players: int, yardstick: str | None) -> dict[str, Contestant]:
    hands = sim.deal(players, TABLES, 1).reshape(-1, 7)
    contestants = {DEALING: Contestant(TABLES, lambda: sim.deal(players, TABLES, 1))}
    for wild, label in zip(("none", "spades"), WORDS, strict=True):
        contestants[f"{RANKING}, {label} wild"] = Contestant(
            TABLES, lambda wild=wild: sim.evaluate(hands, wild)
        )
    contestants |= {name: pots(Scenario(game.load(name), players), CELL) for name in GAMES}
    for wild, label in enumerate(WORDS) if yardstick else ():
        contestants[f"yardstick, {label} wild"] = Contestant(
            YARDSTICK_TABLES, _yardstick(str(yardstick), players, wild)
        )
    return contestants | dealers(players)


def _yardstick(command: str, players: int, wild: int) -> Callable[[], float]:
    """Return what runs a command that prints millions of tables a second, and tells its seconds."""
    arguments = [*shlex.split(command), str(players), str(YARDSTICK_TABLES), str(wild)]

    def run() -> float:
        done = subprocess.run(arguments, check=True, capture_output=True, text=True)
        return YARDSTICK_TABLES / (float(done.stdout) * 1e6)

    return run


def betting(rounds: int) -> pd.DataFrame:
    """Play pots of seven under each policy; time a deal as a multiple of one in which all stay."""
    parts = []
    for name in ("faces-of-death", "spades"):
        page = game.load(name)
        contestants = {act: pots(Scenario(page, 7, load_seats(act))) for act in POLICIES}
        parts.append(compare(alternate(contestants, rounds), POLICIES[0]).assign(game=name))
    return pd.concat(parts)[["game", *parts[0].columns[:-1]]]


def counting(rounds: int) -> pd.DataFrame:
    """Count all hands of seven cards by category, for several sets of wild cards and killers."""
    hands = comb(DECK, 7)
    contestants = {
        name: Contestant(hands, lambda sets=sets: census.__wrapped__(*map(parse_set, sets)))
        for name, sets in CENSUSES.items()
    }
    table = compare(alternate(contestants, rounds), "spades wild")
    return table.assign(seconds=table.seconds * hands)


def scaling(rounds: int) -> pd.DataFrame:
    """Play on one thread and on two, beside arithmetic that needs nothing but the processor.

    ``speed-up`` is how many times as much two threads do, ``of arithmetic's`` its share of what
    arithmetic gains in the same round.
    """
    faces, spades = game.load("faces-of-death"), game.load("spades")
    scenarios = {
        "faces-of-death, 4 players": (Scenario(faces, 4), CELLS),
        "spades, 7 players": (Scenario(spades, 7), CELLS),
        "spades, 7 players, typical": (Scenario(spades, 7, load_seats("typical")), 1),
    }
    works: dict[str, Callable[[int], object]] = {
        "arithmetic": lambda _: arithmetic(ROUNDS_OF_ARITHMETIC)
    }
    for name, (scenario, cells) in scenarios.items():
        works[name] = partial(_play_cells, scenario, cells)
    with ThreadPoolExecutor(2) as pool:
        contestants = {}
        for name, work in works.items():
            contestants[f"{name}: 1"] = Contestant(1, _on(pool, work, range(1)))
            contestants[f"{name}: 2"] = Contestant(2, _on(pool, work, range(2)))
        seconds = alternate(contestants, rounds)
    gains = pd.DataFrame({name: seconds[f"{name}: 1"] / seconds[f"{name}: 2"] for name in works})
    rows = [
        (name, gains[name].median(), *quartiles(gains[name] / gains["arithmetic"]))
        for name in gains
    ]
    return pd.DataFrame(rows, columns=["two threads", "speed-up", "of arithmetic's", "low", "high"])


def _play_cells(scenario: Scenario, cells: int, part: int) -> None:
    """Play so many cells one after the other, as a thread of a run does; parts are different."""
    for cell in range(part * cells, (part + 1) * cells):
        play_block(Block(scenario, 1, cell * CELL, CELL))


def _on(
    pool: ThreadPoolExecutor, work: Callable[..., object], things: Iterable[object]
) -> Callable[[], None]:
    def run() -> None:
        list(pool.map(work, things))

    return run
