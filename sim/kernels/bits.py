"""What a processor does with bits in one instruction, and Numba has no word for."""

from llvmlite import ir
from numba.core import types
from numba.core.extending import intrinsic


@intrinsic
def trailing_zeros(_context, word):  # noqa: ARG001
    """Return the index of a uint64's lowest bit that is set, or 64."""
    return types.uint64(types.uint64), lambda _, builder, __, args: builder.cttz(
        *args, ir.IntType(1)(0)
    )


@intrinsic
def leading_zeros(_context, word):  # noqa: ARG001
    """Return how many bits lie above a uint64's highest bit that is set, or 64."""
    return types.uint64(types.uint64), lambda _, builder, __, args: builder.ctlz(
        *args, ir.IntType(1)(0)
    )
