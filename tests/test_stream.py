"""The random stream: every pot, deal and word has its own number, and keeps it."""

from typing import Any

import naive
import numba
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sim.kernels import stream

SEEDS = st.integers(0, 2**63 - 1)
POTS = st.integers(0, 2**48)


@numba.njit
def fill_words(out: Any, seed: Any, players: int, pot: int, first: int) -> None:
    pot_stream = stream.pot_stream(stream.root(seed, players, stream.CARDS), pot)
    for index in range(len(out)):
        out[index] = stream.word(pot_stream, first + index)


@numba.njit
def wide(first: Any, second: Any) -> Any:
    return stream.multiply_wide(first, second)


def words(seed: int, players: int = 4, pot: int = 0, first: int = 0, size: int = 8) -> list[int]:
    out = np.zeros(size, np.uint64)
    fill_words(out, np.uint64(seed), players, pot, first)
    return out.tolist()


@given(seed=SEEDS, players=st.integers(2, 8), pot=POTS, first=st.integers(0, 16_000_000))
def test_words_are_those_of_the_reference(seed: int, players: int, pot: int, first: int) -> None:
    pot_stream = naive.pot_stream(naive.root(seed, players, naive.CARDS), pot)
    reference = [naive.word(pot_stream, first + index) for index in range(8)]
    assert words(seed, players, pot, first) == reference


@given(first=st.integers(0, 2**64 - 1), second=st.integers(0, 2**64 - 1))
def test_wide_products_are_whole(first: int, second: int) -> None:
    high, low = wide(np.uint64(first), np.uint64(second))
    assert (int(high) << 64) + int(low) == first * second


def test_mix_is_splitmix64() -> None:
    """SplitMix64's first outputs from seed 1234567, as Rosetta Code lists them."""
    golden, start = naive.GOLDEN, 1234567
    outputs = [naive.mix((start + step * golden) % 2**64) for step in (1, 2, 3)]
    assert outputs == [6457827717110365317, 3203168211198807973, 9817491932198370423]


def test_the_same_key_gives_the_same_words() -> None:
    assert words(7, 5, 9) == words(7, 5, 9)
    assert words(7, 5, 9, first=3, size=5) == words(7, 5, 9)[3:]


def test_no_two_pots_share_a_word() -> None:
    seen = [
        word
        for seed in (0, 1, 2**62)
        for players in range(2, 9)
        for pot in (0, 1, 2, 2**40)
        for word in words(seed, players, pot, size=160)
    ]
    assert len(set(seen)) == len(seen)


def test_a_stream_is_not_a_shift_of_another() -> None:
    """Every pot steps by an odd number of its own, so no pot repeats another's sequence later."""
    shared = naive.root(1, 4, naive.CARDS)
    steps = [naive.pot_stream(shared, pot)[1] for pot in range(1000)]
    assert len(set(steps)) == 1000
    assert all(step % 2 for step in steps)
