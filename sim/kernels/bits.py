"""What a processor does with bits in one instruction, and Numba has no word for."""

from llvmlite import ir
from numba.core import types
from numba.core.extending import intrinsic

from sim.kernels.ranks import MAX_CARDS

WORD, LANE = ir.IntType(64), ir.IntType(32)
PAIR = ir.VectorType(WORD, 2)


@intrinsic
def ones(_context, word):  # noqa: ARG001 - Numba reads the names
    """Return how many bits of a uint64 are set."""
    return types.uint64(types.uint64), lambda _, builder, __, args: builder.ctpop(*args)


@intrinsic
def trailing_zeros(_context, word):  # noqa: ARG001
    """Return the place of a uint64's lowest bit that is set, or 64."""
    return types.uint64(types.uint64), lambda _, builder, __, args: builder.cttz(
        *args, ir.IntType(1)(0)
    )


@intrinsic
def leading_zeros(_context, word):  # noqa: ARG001
    """Return how many bits lie above a uint64's highest bit that is set, or 64."""
    return types.uint64(types.uint64), lambda _, builder, __, args: builder.ctlz(
        *args, ir.IntType(1)(0)
    )


@intrinsic
def add_seven(_context, pairs, rows, row, start):  # noqa: ARG001
    """Return the sum of the pairs that a row of bytes names, with ``start`` added to the first.

    ``pairs`` is (256, 2) uint64, ``rows`` (n, 7) uint8, both contiguous.
    Both lanes are added at once, and there is a pair for every byte, so that nothing is checked.
    """
    signature = types.UniTuple(types.uint64, 2)(pairs, rows, types.uint64, types.uint64)

    def codegen(context, builder, signature, args):
        table, held = (
            context.make_array(kind)(context, builder, array).data
            for kind, array in zip(signature.args[:2], args[:2], strict=True)
        )
        table = builder.bitcast(table, PAIR.as_pointer())
        first = builder.mul(args[2], WORD(MAX_CARDS))
        total = builder.insert_element(PAIR([0, 0]), args[3], LANE(0))
        for place in range(MAX_CARDS):
            byte = builder.load(builder.gep(held, [builder.add(first, WORD(place))]))
            pair = builder.load(builder.gep(table, [builder.zext(byte, WORD)]))
            pair.align = 8
            total = builder.add(total, pair)
        lanes = [builder.extract_element(total, LANE(lane)) for lane in range(2)]
        return context.make_tuple(builder, signature.return_type, lanes)

    return signature, codegen
