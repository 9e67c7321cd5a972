"""How far ``sim.expected_strength`` is off real deals: ``python -m docs.strength_error`` says.

The function counts the others' hands as dealt from a full deck; ``sim.equity`` deals them from what
the hand's own cards leave, from the project's own stream, so that the table is the same everywhere.
"""

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np

import sim
from sim.formatting import percent
from sim.stats.intervals import SCORE

HANDS = {
    "4s 9s Js": "three spades",
    "Kd 7h 2c": "nothing",
    "Kc Kd Kh 7c": "three kings",
    "9c 9d 9h 7c 7d": "a full house",
    "Ad Kd 9d 6d 3d Qc 7h": "a flush",
    "2c 2d 3h 3c 9d Jc Kh": "two small pair",
}
OPPONENTS = (1, 3, 6)
WILD = {"spades": "spades", "none": "seven-card-stud"}
"""What is wild, and a game in which it is."""
DEALS, SEED = 1_000_000, 7
FEWEST_HITS = 1000
"""With fewer the error is not known to a tenth."""


class Error(NamedTuple):
    """What ``sim.expected_strength`` says of a hand, and what real deals do."""

    said: float
    real: float
    """The hand's share of the pots; equal hands share one."""
    relative: float
    """said / real - 1; NaN where it was hardly seen to win."""
    margin: float
    """Half of that one's 95 % interval."""

    def __str__(self) -> str:
        shares = f"{percent(self.said)} for {percent(self.real)}"
        if np.isnan(self.relative):
            return shares
        margin = max(round(100 * self.margin), 1)
        return f"{shares}: {round(100 * self.relative):+d} ± {margin} %"


@cache
def errors(cards: str, wild: str) -> dict[int, Error]:
    """Hold a hand's expected strength against real deals, by number of opponents."""
    return {number: _error(cards, wild, number) for number in OPPONENTS}


def _error(cards: str, wild: str, number: int) -> Error:
    said = float(sim.expected_strength(cards, number, wild))
    told = sim.equity(cards, number, game=WILD[wild], deals=DEALS, seed=SEED)
    real = told.share.estimate
    if (told.win.estimate + told.tie.estimate) * told.deals < FEWEST_HITS:
        return Error(said, real, np.nan, np.nan)
    return Error(said, real, said / real - 1, SCORE * told.share.se / real * said / real)


def rows() -> Iterator[tuple[str, ...]]:
    """Yield the table's rows: what is wild, the hand, and its errors."""
    for wild in WILD:
        for cards, name in HANDS.items():
            by_opponents = errors(cards, wild)
            yield wild, f"{cards}, {name}", *(str(by_opponents[number]) for number in OPPONENTS)


if __name__ == "__main__":
    for row in rows():
        print("  ".join(row))
