"""How far ``sim.expected_strength`` is off real deals: ``python -m docs.strength_error`` says.

The function counts the others' hands as dealt from a full deck. Here they are dealt from what the
hand's own cards leave: a shuffled deck, the hand's cards taken out, is the rest of the deck
shuffled. Decks come from the project's own stream, so that the table is the same everywhere.
"""

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import sim
from sim.cards import parse_cards
from sim.formatting import percent
from sim.kernels.ranks import MAX_CARDS
from sim.stats.frame import FEWEST_HITS
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
WILD = ("spades", "none")
DEALS, SEED = 100_000, 7


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
def decks() -> NDArray[np.uint8]:
    """Return the first 49 cards of shuffled decks, (DEALS, 49)."""
    return sim.deal(players=7, tables=DEALS, seed=SEED).reshape(DEALS, -1)


@cache
def errors(cards: str, wild: str) -> dict[int, Error]:
    """Hold a hand's expected strength against real deals, by number of opponents."""
    own = np.array(parse_cards(cards), np.uint8)
    rest = np.take_along_axis(decks(), np.isin(decks(), own).argsort(axis=1, kind="stable"), axis=1)
    lacks, seats = MAX_CARDS - len(own), max(OPPONENTS)
    mine = np.hstack([np.tile(own, (DEALS, 1)), rest[:, :lacks]])
    others = rest[:, lacks : lacks + MAX_CARDS * seats].reshape(-1, MAX_CARDS)
    strength = sim.evaluate(mine, wild)[:, None]
    theirs = sim.evaluate(others, wild).reshape(DEALS, seats)
    return {
        number: _error(cards, wild, number, strength, theirs[:, :number]) for number in OPPONENTS
    }


def _error(
    cards: str, wild: str, number: int, mine: NDArray[np.uint16], theirs: NDArray[np.uint16]
) -> Error:
    shares = np.where((theirs > mine).any(axis=1), 0, 1 / (1 + (theirs == mine).sum(axis=1)))
    said, real = float(sim.expected_strength(cards, number, wild)), float(shares.mean())
    if np.count_nonzero(shares) < FEWEST_HITS:
        return Error(said, real, np.nan, np.nan)
    margin = SCORE * float(shares.std()) / DEALS**0.5 / real * said / real
    return Error(said, real, said / real - 1, margin)


def rows() -> Iterator[tuple[str, ...]]:
    """Yield the table's rows: what is wild, the hand, and its errors."""
    for wild in WILD:
        for cards, name in HANDS.items():
            by_opponents = errors(cards, wild)
            yield wild, f"{cards}, {name}", *(str(by_opponents[number]) for number in OPPONENTS)


if __name__ == "__main__":
    for row in rows():
        print("  ".join(row))
