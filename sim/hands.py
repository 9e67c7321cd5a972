"""The face of the compiled evaluator: what it checks, and what its numbers mean."""

from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sim import cards
from sim.arguments import flag, numbers, several, whole_number
from sim.errors import InputError, shown
from sim.kernels import evaluate as kernel
from sim.kernels.fast import deal_tables, rank_array
from sim.kernels.ranks import CATEGORIES, MAX_CARDS, RankTables, as_record, build
from sim.parsing import Count, count, table_size

TABLES = Path(__file__).parent / "kernels" / "rank_tables.npz"
"""The rank tables as shipped: built in a fraction of a second, but compiled in ten.

``python -m sim.hands`` makes them again; a test fails when ``kernels/ranks.py`` would build others.
"""
MAX_SEED = 2**63 - 1
DEAL_PLAYERS = (2, 7)
MAX_TABLES = 10**9


@cache
def tables() -> Any:
    """Return the shipped rank tables: a record with the fields of ``RankTables``."""
    with np.load(TABLES, allow_pickle=False) as arrays:
        return as_record(RankTables(*(arrays[field] for field in RankTables._fields)))


def evaluate(
    hands: ArrayLike | str | Sequence[str],
    wild: str | int | Iterable[int | str] = "none",
    *,
    flush_repeats: bool = False,
) -> Any:
    """Return the strength of each hand of one to seven cards; larger is better.

    ``hands`` is an (n, k) array of cards 0..51, a (k,) array, a string such as ``"As 9d 9h"``, or
    a list of such strings, a hand of as many cards each. ``wild`` is ``"none"``, ``"spades"``,
    ``"deuces"``, cards as text, a list of cards, or a 52-bit mask. Strengths are uint16, (n,) or a
    scalar, on one scale for all k and all wild cards; another card never weakens a hand. Raises
    ``InputError`` for repeated or unknown cards. ``flush_repeats`` allows the double-ace flush.

    >>> bool(sim.evaluate("As Ah 9d") > sim.evaluate("Ks Kh Qd"))
    True
    >>> sim.category(sim.evaluate(["As 9d 9h", "Kc Kd 2h"], wild="spades")).tolist()
    ['three of a kind', 'one pair']
    """
    rows, single = read_hands(hands)
    out = np.empty(len(rows), np.uint16)
    card_words = _words_of_cards(wild_mask(wild), flag(flush_repeats, "flush_repeats"))
    refuse_hand(rows, rank_array(tables(), card_words, rows, out))
    return out[0] if single else out


@lru_cache(maxsize=64)
def _words_of_cards(wild: int, flush_repeats: bool) -> kernel.CardWords:
    return kernel.card_words(wild, flush_repeats=flush_repeats)


def wild_mask(wild: str | int | Iterable[int | str]) -> int:
    """Return the set of wild cards as a mask, however it was written."""
    if isinstance(wild, str):
        return cards.parse_set(wild)
    if not isinstance(wild, Iterable):
        return whole_number(wild, "a mask of wild cards", 0, (1 << cards.DECK) - 1)
    return cards.mask_of(
        cards.parse_card(card) if isinstance(card, str) else card
        for card in several(wild, "wild cards")
    )


def category(strengths: ArrayLike) -> Any:
    """Return each strength's category, ``"five of a kind"``: str, or an array of them.

    >>> sim.category(sim.evaluate("As 9d 9h 7s 9c 2s Qd", wild="spades"))
    'five of a kind'
    """
    names = np.array(CATEGORIES)[tables().categories[_indices(strengths)]]
    return str(names) if names.ndim == 0 else names


def describe(strengths: ArrayLike) -> Any:
    """Return each strength in words, ``"five nines"``: str, or an array of them.

    >>> sim.describe(sim.evaluate("As 9d 9h 7s 9c 2s Qd", wild="spades"))
    'five nines'
    """
    indices = _indices(strengths)
    descriptions = [_description(int(value)) for value in tables().values[indices].ravel()]
    return descriptions[0] if indices.ndim == 0 else np.array(descriptions).reshape(indices.shape)


def deal(players: int | str, tables: Count = 1, seed: int = 0) -> NDArray[np.uint8]:
    """Deal seven cards to each of 2 to 7 players: (tables, players, 7) uint8, street by street.

    The cards of a seat are two down, four up and one down. Table number t holds the cards of the
    first deal of pot number t in a simulation with this seed.

    >>> hands = sim.deal(players=4, tables=1000, seed=7)
    >>> hands.shape
    (1000, 4, 7)
    >>> print(*sim.describe(sim.evaluate(hands[0])), sep=", ")
    ace high, pair of eights, two pair, jacks and treys, pair of aces
    """
    players = whole_number(table_size(players), "players", *DEAL_PLAYERS)
    tables = count(tables, "tables", 0, MAX_TABLES)
    try:
        out = np.empty((tables, players, MAX_CARDS), np.uint8)
    except MemoryError:
        raise InputError(
            f"there is no memory for {tables:,} tables: deal fewer at a time"
        ) from None
    deal_tables(out, players, check_seed(seed), 0)
    return out


def check_seed(seed: int) -> np.uint64:
    """Return a seed as the kernels take it."""
    return np.uint64(whole_number(seed, "seed", 0, MAX_SEED))


def refuse_hand(rows: NDArray[np.uint8], bad: int) -> None:
    """Refuse the hand that a kernel stopped at, if it did (-1: it did not)."""
    if bad >= 0 and rows[bad].max() >= cards.DECK:
        raise InputError(f"{rows[bad].max()} is not a card: cards are numbered 0 to 51")
    if bad >= 0:
        raise InputError(f"hand {bad} ({', '.join(map(str, rows[bad]))}) repeats a card")


def read_hands(hands: Any) -> tuple[NDArray[np.uint8], bool]:
    """Return hands as an (n, k) uint8 array, and whether it was a single hand."""
    if isinstance(hands, str):
        hands = cards.parse_cards(hands)
    elif isinstance(hands, (list, tuple)) and any(isinstance(hand, str) for hand in hands):
        hands = _written_hands(hands)
    array = numbers(hands, "hands")
    if array.dtype != np.uint8 and array.size:  # of bytes, kernels find those that are no cards
        for card in (array.min(), array.max()):
            whole_number(card, "a card", 0, cards.DECK - 1)
    single = array.ndim == 1
    rows = np.ascontiguousarray(array.reshape(1, -1) if single else array, dtype=np.uint8)
    if rows.ndim != 2 or not 1 <= rows.shape[1] <= MAX_CARDS:
        raise InputError(f"a hand has one to seven cards; an array of shape {array.shape} has not")
    return rows, single


def _written_hands(hands: Sequence[Any]) -> list[list[int]]:
    """Read hands that are written; a list of single cards is meant as one hand, and is none."""
    if not all(isinstance(hand, str) for hand in hands):
        raise InputError("hands given together must be written alike: all as text, or as numbers")
    read = [cards.parse_cards(hand) for hand in hands]
    lengths = {len(hand) for hand in read}
    if lengths == {1}:
        raise InputError(
            f"{shown(hands)} is no list of hands: write one hand as 'As 9d 9h', and several as "
            "['As 9d 9h', 'Kc Kd 2s']"
        )
    if len(lengths) > 1:
        raise InputError("hands given together must have as many cards each")
    return read


def _indices(strengths: ArrayLike) -> NDArray[np.int64]:
    indices = numbers(strengths, "strengths")
    for strength in (indices.min(), indices.max()) if indices.size else ():
        whole_number(strength, "a strength", 1, len(tables().values) - 1)
    return indices.astype(np.int64)


def _description(value: int) -> str:
    """Say a packed hand value (``RankTables.values``) in words."""
    name = CATEGORIES[value >> 20]
    first, second = ((value >> shift & 15) - 1 for shift in (16, 12))
    high, many = cards.RANK_NAMES[first], cards.RANK_PLURALS[first]
    also = cards.RANK_PLURALS[second]
    phrases = {
        "five of a kind": f"five {many}",
        "royal flush": name,
        "straight flush": f"straight flush, {high} high",
        "four of a kind": f"four {many}",
        "full house": f"full house, {many} over {also}",
        "flush": f"flush, {high} high",
        "straight": f"straight, {high} high",
        "three of a kind": f"three {many}",
        "two pair": f"two pair, {many} and {also}",
        "one pair": f"pair of {many}",
        "high card": f"{high} high",
    }
    return phrases[name]


if __name__ == "__main__":
    np.savez_compressed(TABLES, **build()._asdict())
