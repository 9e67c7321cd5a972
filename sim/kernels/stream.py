"""The random stream: a counter-based SplitMix64, so every pot, deal and word has its own index.

``root`` mixes (seed, players, purpose); ``pot_stream`` gives pot number ``pot`` a start and an odd
step of its own (as SplittableRandom does); word ``index`` of a deal is then one mix of a counter.
Nothing is carried along, so any pot can be replayed alone, in any order, on any machine, and games
that differ only in rules see the same cards in the same deal of the same pot.

Source: Steele, Lea & Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
"""

from typing import NamedTuple

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.core.extending import intrinsic

from sim.kernels.compile import piece

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
CARDS = np.uint64(0xCA6D)
"""Purpose of the stream that deals cards."""
DECISIONS = np.uint64(0xDEC1)
"""Purpose of the stream that players roll with."""
EQUITY = np.uint64(0xE9017)
"""Purpose of the stream that deals what a single hand is up against."""
WORDS_PER_DEAL = 16
"""Words kept for each deal; a deck takes the first eight."""
RETRY = np.uint64(1 << 40)
"""How far from a word's index its replacements lie, beyond any deal's."""


class Stream(NamedTuple):
    """One pot's position in the random stream."""

    start: np.uint64
    step: np.uint64


@intrinsic
def multiply_wide(_context, first, second):  # noqa: ARG001 - Numba reads the names
    """Return the high and the low 64 bits of the 128-bit product of two uint64."""
    signature = types.UniTuple(types.uint64, 2)(types.uint64, types.uint64)

    def codegen(context, builder, signature, args):
        word, wide = ir.IntType(64), ir.IntType(128)
        product = builder.mul(builder.zext(args[0], wide), builder.zext(args[1], wide))
        high = builder.trunc(builder.lshr(product, wide(64)), word)
        return context.make_tuple(
            builder, signature.return_type, [high, builder.trunc(product, word)]
        )

    return signature, codegen


@piece
def mix(value):
    """Mix 64 bits (Stafford's variant 13, the finaliser of SplitMix64)."""
    value ^= value >> np.uint64(30)
    value *= np.uint64(0xBF58476D1CE4E5B9)
    value ^= value >> np.uint64(27)
    value *= np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))


@piece
def root(seed, players, purpose):
    """Return what all pots of one seed and table size share, as uint64."""
    value = mix(np.uint64(seed) + GOLDEN)
    return mix(value ^ mix(np.uint64(players) * GOLDEN + purpose))


@piece
def pot_stream(shared, pot):
    """Return the stream of pot number ``pot`` under a ``root``."""
    start = mix(shared + (np.uint64(pot) + np.uint64(1)) * GOLDEN)
    return Stream(start, mix(start ^ GOLDEN) | np.uint64(1))


@piece
def word(stream, index):
    """Return word number ``index`` of a stream, as uint64."""
    return mix(stream.start + (np.uint64(index) + np.uint64(1)) * stream.step)
