"""A guard against slowness: ``python -m benchmarks.guard``, exit code 1 if something got slower.

It compares ratios measured within one run, never times, so any machine will do, and busy ones too:
a ratio is the median of many alternations, and only fails if a second measurement agrees.
"""

import sim
from benchmarks.measure import Contestant
from sim import game

BOUNDS = {
    ("ranking a hand", "mixing a number"): 8.0,
    ("ranking a hand, spades wild", "ranking a hand"): 1.6,
    ("dealing a hand", "mixing a number"): 20.0,
    ("a deal of Spades", "dealing seven hands"): 6.0,
    ("a deal of Faces of Death", "dealing seven hands"): 4.0,
    ("a deal of Spades, typical", "a deal of Spades"): 6.0,
    ("counting a hand of the census", "ranking a hand"): 1.0,
}
"""How many times as long as the second thing the first may take."""
ROUNDS = 11


def contestants() -> dict[str, Contestant]:
    """Return all that the bounds speak of; a turn of each takes some hundredths of a second."""
    hands = sim.deal(7, 30_000, 1).reshape(-1, 7)
    spades = game.load("spades")
    return {}
