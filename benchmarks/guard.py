"""A guard against slowness: ``python -m benchmarks.guard``, exit code 1 if something got slower.

It compares ratios measured within one run, never times, so any machine will do, and a busy one too:
a ratio is the median of many alternations, and fails only if a second measurement agrees.
"""

import sys
from collections.abc import Mapping
from math import comb

import sim
from benchmarks.measure import Contestant, alternate, arithmetic
from benchmarks.speed import pots
from sim import game
from sim.cards import DECK, parse_set
from sim.odds import census
from sim.policy import load_seats
from sim.scenario import Scenario

Pair = tuple[str, str]

BOUNDS: dict[Pair, float] = {
    ("ranking a hand", "mixing a number"): 4.2,
    ("ranking a hand, spades wild", "ranking a hand"): 1.7,
    ("dealing seven hands", "mixing a number"): 39.0,
    ("a deal of Faces of Death", "dealing seven hands"): 0.6,
    ("a deal of Spades", "dealing seven hands"): 2.2,
    ("a deal of Spades, typical", "dealing seven hands"): 63.0,
    ("counting a hand of the census", "mixing a number"): 0.09,
}
"""How many times as long as the second thing the first may take: 1.4 times what it took when this
was written, for on a busy machine the same code may differ by a fifth."""
ROUNDS = 11
NUMBERS, TABLES, POTS = 10_000_000, 20_000, 5_000
"""Of a turn, which takes some hundredths of a second."""


def contestants() -> dict[str, Contestant]:
    """Return all that the bounds speak of."""
    hands = sim.deal(7, TABLES, 1).reshape(-1, 7)
    spades, faces = game.load("spades"), game.load("faces-of-death")
    wild = parse_set("spades")
    return {
        "mixing a number": Contestant(NUMBERS, lambda: arithmetic(NUMBERS)),
        "ranking a hand": Contestant(len(hands), lambda: sim.evaluate(hands)),
        "ranking a hand, spades wild": Contestant(
            len(hands), lambda: sim.evaluate(hands, wild="spades")
        ),
        "dealing seven hands": Contestant(TABLES, lambda: sim.deal(7, TABLES, 1)),
        "a deal of Faces of Death": pots(Scenario(faces, 7), POTS),
        "a deal of Spades": pots(Scenario(spades, 7), 2 * POTS),
        "a deal of Spades, typical": pots(Scenario(spades, 7, load_seats("typical")), POTS),
        "counting a hand of the census": Contestant(
            comb(DECK, 7), lambda: census.__wrapped__(wild)
        ),
    }


def measured() -> dict[Pair, float]:
    """Return the ratios, each the median of its alternations."""
    seconds = alternate(contestants(), ROUNDS)
    return {(slow, fast): (seconds[slow] / seconds[fast]).median() for slow, fast in BOUNDS}


def complaints(ratios: Mapping[Pair, float]) -> list[str]:
    """Return a sentence for each ratio beyond its bound."""
    return [
        f"{slow} took {ratios[slow, fast]:.3g} times as long as {fast}, and may take {bound:g}."
        for (slow, fast), bound in BOUNDS.items()
        if ratios[slow, fast] > bound
    ]


def main() -> int:
    """Measure, once more if something seems slow, and say what is."""
    ratios = measured()
    if complaints(ratios):
        again = measured()
        ratios = {pair: min(ratios[pair], again[pair]) for pair in ratios}
    for (slow, fast), bound in BOUNDS.items():
        print(f"{slow} ÷ {fast}: {ratios[slow, fast]:.3g}, at most {bound:g}")
    slower = complaints(ratios)
    for sentence in slower:
        print(sentence, file=sys.stderr)
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
