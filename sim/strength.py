"""Expected hand strength by the cards so far: made once for a set of wild cards, then kept."""

import hashlib
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cache
from inspect import getsource
from pathlib import Path
from typing import Any

import numpy as np
import platformdirs
from numpy.typing import ArrayLike

from sim import paths
from sim.arguments import flag, whole_number
from sim.errors import InputError
from sim.hands import read_hands, refuse_hand, tables, wild_mask
from sim.kernels import evaluate, ranks
from sim.kernels import strength as kernel
from sim.kernels.strength import StrengthTable

VERSION = 1
"""Raised whenever the same cards would get another value."""
MAKERS = (ranks, evaluate, kernel)
"""The modules that decide where in a file a value lies."""


@cache
def strength_table(wild: int, flush_repeats: bool) -> StrengthTable:
    """Return the value of every hand of 0 to 7 cards when the cards of the mask ``wild`` are wild.

    They are kept in the user's cache directory, if it can be written.
    """
    path = _directory() / f"{strength_table_key(wild, flush_repeats)}.npz"
    maker = _maker(wild, flush_repeats)
    kept = _read(path, maker)
    if kept is not None:
        return kept
    made = kernel.build(tables(), wild, flush_repeats)
    _write(path, maker, made)
    return made


def expected_strength(
    hands: ArrayLike | str | Sequence[str],
    opponents: int = 1,
    wild: str | int | Iterable[int | str] = "none",
    *,
    flush_repeats: bool = False,
) -> Any:
    """Return about how often each hand, once it has seven cards, beats so many others who stay.

    ``hands`` hold one to seven cards and are written, like ``wild``, as for ``evaluate``. It is the
    mean, over all ways to complete the hand, of F to the power of ``opponents`` (1 to 7), where F
    is the share of all seven-card hands that the finished hand beats, a tie counting half:
    opponents hold independent hands from a full deck. That they cannot hold the hand's own cards
    is left out. So in Spades hands of wild cards get too little and natural ones too much: three
    spades -3 %, -7 % and -10 % of it against one, three and six others, a full house of five cards
    +14 %, +60 % and +88 %, a flush of seven +23 % and +220 % against one and three. With nothing
    wild that is seldom over 2 %, but +3 %, +6 % and +8 % for two small pair of seven cards
    (``docs/policies.md``). Float64, (n,) or a scalar, exact to 1/65536. Raises ``InputError`` for
    bad cards.

    >>> round(sim.expected_strength("As Ah Ad", opponents=3), 2)
    0.83
    """
    opponents = whole_number(opponents, "opponents", 1, kernel.MAX_OPPONENTS)
    flush_repeats = flag(flush_repeats, "flush_repeats")
    rows, single = read_hands(hands)
    mask = wild_mask(wild)
    card_words = evaluate.card_words(mask, flush_repeats=flush_repeats)
    table, out = strength_table(mask, flush_repeats), np.empty(len(rows))
    refuse_hand(rows, kernel.look_up(table, tables(), card_words, rows, opponents, out))
    return float(out[0]) if single else out


def strength_table_key(wild: int, flush_repeats: bool) -> str:
    """Return a hash of all that decides the values, without making them.

    Which hands are worth what, by strength, and not where a table keeps that.
    """
    digest = hashlib.sha256(f"{VERSION} {wild} {flush_repeats}".encode())
    for array in (tables().values, tables().flushes):
        digest.update(array.tobytes())
    return digest.hexdigest()[:16]


def _directory() -> Path:
    return Path(platformdirs.user_cache_dir("spadework")) / "strength"


def _maker(wild: int, flush_repeats: bool) -> str:
    """Say who made a file: a change of the kernels may move values without changing them."""
    digest = hashlib.sha256()
    for module in MAKERS:
        digest.update(getsource(module).encode())
    return f"{strength_table_key(wild, flush_repeats)} {digest.hexdigest()}"


def _read(path: Path, maker: str) -> StrengthTable | None:
    """Return what a file holds, or None if it is missing, damaged or somebody else's."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            kept = StrengthTable(*(arrays[name] for name in StrengthTable._fields))
            return kept if str(arrays["maker"]) == maker and _fits(kept) else None
    except Exception:  # there is no end to what may be wrong with a file, and it can be made again
        return None


def _fits(kept: StrengthTable) -> bool:
    """Return whether a kernel can look these up without leaving them."""
    like = kernel.NO_STRENGTH_TABLE
    slots, buckets = (kept.layout[name][0] for name in ("slots", "buckets"))
    return (
        all(own.dtype == its.dtype for own, its in zip(kept, like, strict=True))
        and kept.layout.shape == like.layout.shape
        and kept.layout["flushes"][0] in (0, ranks.FLUSH_SIZE)
        and slots[0] == buckets[0] == 0
        and min(np.diff(slots).min(), np.diff(buckets).min()) > 0
        and kept.values.shape == (kernel.MAX_OPPONENTS, slots[-1])
        and slots[-1] - slots[-2] == len(tables().values)
        and kept.shifts.shape == (buckets[-1],)
    )


def _write(path: Path, maker: str, made: StrengthTable) -> None:
    """Keep the arrays in a file that is there whole or not at all."""
    # A full disk or a closed directory: they are made again next time.
    with suppress(InputError), paths.placed(path) as (part,):
        np.savez(part, maker=np.array(maker), **made._asdict())
