"""Numbers side by side in a vector register, for what no compiler finds by itself in a loop.

A ``Vector`` stands for a value of the machine code that is being generated: ``+``, ``&``, ``same``
and the like write the instruction that works on all its lanes at once. What is written is LLVM's
own language and runs on any processor; only ``look_up`` asks for an instruction by name, where
there is one, and does without it elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from llvmlite import binding, ir
from numba.core import cgutils, types

from sim.kernels.compile import config

BYTES = 32
"""Lanes of one byte each that a register of 256 bits holds."""
BIT = ir.IntType(1)
INDEX = ir.IntType(32)
SIZE = ir.IntType(64)
TABLE = 16
"""Entries of a table that fits into a register."""


def has_avx2() -> bool:
    """Whether code is made for a processor that looks bytes up in a register of 256 bits."""
    if config.CPU_FEATURES is not None:
        return "+avx2" in config.CPU_FEATURES
    try:
        return bool(binding.get_host_cpu_features().get("avx2"))
    except RuntimeError:  # which LLVM raises where it cannot tell
        return False


class Vector:
    """So many unsigned integers of so many bits, and where to write what becomes of them.

    What ``same``, ``above`` and ``holds`` tell of each lane is a vector of single bits.
    """

    def __init__(self, builder: Any, value: Any) -> None:
        self.builder, self.value = builder, value

    @classmethod
    def of(cls, builder: Any, bits: int, number: Any, lanes: int) -> Vector:
        """Return a vector of one number, which is a constant or a word of ``SIZE``."""
        kind = ir.VectorType(ir.IntType(bits), lanes)
        if isinstance(number, int):
            return cls(builder, kind([number] * lanes))
        if number.type != kind.element:
            number = builder.trunc(number, kind.element)
        first_lane = builder.insert_element(kind(ir.Undefined), number, INDEX(0))
        everywhere = ir.VectorType(INDEX, lanes)([0] * lanes)
        return cls(builder, builder.shuffle_vector(first_lane, kind(ir.Undefined), everywhere))

    def _like(self, other: Vector | Any) -> Any:
        if isinstance(other, Vector):
            return other.value
        kind = self.value.type
        return Vector.of(self.builder, kind.element.width, other, kind.count).value

    def _new(self, value: Any) -> Vector:
        return Vector(self.builder, value)

    def __add__(self, other: Vector | Any) -> Vector:
        return self._new(self.builder.add(self.value, self._like(other)))

    def __sub__(self, other: Vector | Any) -> Vector:
        return self._new(self.builder.sub(self.value, self._like(other)))

    def __mul__(self, other: Vector | Any) -> Vector:
        return self._new(self.builder.mul(self.value, self._like(other)))

    def __and__(self, other: Vector | Any) -> Vector:
        return self._new(self.builder.and_(self.value, self._like(other)))

    def __or__(self, other: Vector | Any) -> Vector:
        return self._new(self.builder.or_(self.value, self._like(other)))

    def __lshift__(self, bits: int) -> Vector:
        return self._new(self.builder.shl(self.value, self._like(bits)))

    def __rshift__(self, bits: int) -> Vector:
        return self._new(self.builder.lshr(self.value, self._like(bits)))

    def same(self, other: Vector | Any) -> Vector:
        """Tell in which lanes both are equal."""
        return self._new(self.builder.icmp_unsigned("==", self.value, self._like(other)))

    def above(self, other: Vector | Any, *, signed: bool = False) -> Vector:
        """Tell in which lanes this is greater; that of signed numbers takes one instruction."""
        compare = self.builder.icmp_signed if signed else self.builder.icmp_unsigned
        return self._new(compare(">", self.value, self._like(other)))

    def holds(self, bits: int) -> Vector:
        """Tell in which lanes any of these bits is set."""
        return self._new(self.builder.icmp_unsigned("!=", (self & bits).value, self._like(0)))

    def where(self, mask: Vector, other: Vector | Any) -> Vector:
        """Return this in the lanes of the mask, and the other elsewhere."""
        return self._new(self.builder.select(mask.value, self.value, self._like(other)))

    def like(self, number: Any) -> Vector:
        """Return a vector of one number, of the same kind."""
        return self._new(self._like(number))

    def picked(self, lanes: Sequence[int | None]) -> Vector:
        """Return a vector of these lanes, and of zeros where there is none."""
        count = self.value.type.count
        chosen = [count if lane is None else lane for lane in lanes]
        mask = ir.VectorType(INDEX, len(chosen))(chosen)
        return self._new(self.builder.shuffle_vector(self.value, self._like(0), mask))

    def joined(self, other: Vector) -> Vector:
        """Return the lanes of both."""
        count = 2 * self.value.type.count
        mask = ir.VectorType(INDEX, count)(list(range(count)))
        return self._new(self.builder.shuffle_vector(self.value, other.value, mask))

    def any(self) -> Any:
        """Return whether any lane is not 0, as one bit."""
        bits = ir.IntType(self.value.type.count)
        return self.builder.icmp_unsigned("!=", self.builder.bitcast(self.value, bits), bits(0))

    def total(self) -> Any:
        """Return the sum of all lanes, which must fit into one, as a word."""
        kind = self.value.type
        name = f"llvm.vector.reduce.add.v{kind.count}i{kind.element.width}"
        signature = ir.FunctionType(kind.element, [kind])
        add = cgutils.get_or_insert_function(self.builder.module, signature, name)
        return self.builder.zext(self.builder.call(add, [self.value]), SIZE)

    def wide(self, bits: int) -> Vector:
        """Return the same numbers in more bits."""
        kind = ir.VectorType(ir.IntType(bits), self.value.type.count)
        return self._new(self.builder.zext(self.value, kind))

    def narrow(self, bits: int) -> Vector:
        """Return the low bits of each number."""
        kind = ir.VectorType(ir.IntType(bits), self.value.type.count)
        return self._new(self.builder.trunc(self.value, kind))

    def look_up(self, table: Vector | Sequence[int]) -> Vector:
        """Return the entry of a table of 16 bytes that each byte's low four bits name.

        No byte may have its highest bit set. A table that is a vector has its entries twice.
        """
        kind = self.value.type
        if kind.count == BYTES and has_avx2():
            signature = ir.FunctionType(kind, [kind, kind])
            name = "llvm.x86.avx2.pshuf.b"
            shuffle = cgutils.get_or_insert_function(self.builder.module, signature, name)
            whole = table.value if isinstance(table, Vector) else kind(list(table) * 2)
            return self._new(self.builder.call(shuffle, [whole, self.value]))
        entries = [self.like(entry) for entry in list(table)[:TABLE]]
        for bit in (1, 2, 4, 8):
            odd = self.holds(bit)
            pairs = zip(entries[1::2], entries[::2], strict=True)
            entries = [second.where(odd, first) for second, first in pairs]
        return entries[0]

    def look_up_in(self, tables: Sequence[Vector]) -> Vector:
        """Return the entry of four such tables that each byte's low six bits name."""
        parts = [self.look_up(table) for table in tables]
        odd, behind = self.holds(16), self.holds(32)
        low, high = (parts[at + 1].where(odd, parts[at]) for at in (0, 2))
        return high.where(behind, low)

    def __iter__(self) -> Iterator[Any]:
        """Go over the lanes, each as a plain word."""
        for lane in range(self.value.type.count):
            yield self.builder.extract_element(self.value, INDEX(lane))


class Variable:
    """A vector that changes from one iteration of a loop to the next."""

    def __init__(self, first: Vector) -> None:
        self.builder = first.builder
        self.slot = cgutils.alloca_once_value(first.builder, first.value)

    def get(self) -> Vector:
        """Return what it is by now."""
        return Vector(self.builder, self.builder.load(self.slot))

    def set(self, vector: Vector) -> None:
        """Make it this."""
        self.builder.store(vector.value, self.slot)


class Rows:
    """A kernel's array of one or two dimensions, read and written in pieces of so many lanes."""

    def __init__(self, context: Any, builder: Any, kind: Any, array: Any) -> None:
        made = context.make_array(kind)(context, builder, array)
        self.builder, self.data, self.bits = builder, made.data, kind.dtype.bitwidth
        self.lanes = cgutils.unpack_tuple(builder, made.shape)[-1]

    @contextmanager
    def pieces(self, lanes: int) -> Iterator[Any]:
        """Go over a row in pieces of so many lanes, of which there must be a multiple."""
        loop = cgutils.for_range_slice(self.builder, SIZE(0), self.lanes, SIZE(lanes), SIZE)
        with loop as (first, _):
            yield first

    def at(self, row: Any, column: Any) -> Any:
        """Return where a number lies."""
        pointer = self.builder.add(self.builder.mul(row, self.lanes), column)
        return self.builder.gep(self.data, [pointer])

    def item(self, row: Any, column: Any) -> Any:
        """Return one number."""
        return self.builder.load(self.at(row, column))

    def add(self, row: Any, column: Any, number: Any) -> None:
        """Add to one number."""
        pointer = self.at(row, column)
        self.builder.store(self.builder.add(self.builder.load(pointer), number), pointer)

    def load(self, row: Any, first: Any, lanes: int) -> Vector:
        """Return a piece of a row."""
        value = self.builder.load(self._piece(row, first, lanes))
        value.align = self.bits // 8
        return Vector(self.builder, value)

    def store(self, row: Any, first: Any, vector: Vector) -> None:
        """Write a piece of a row."""
        pointer = self._piece(row, first, vector.value.type.count)
        self.builder.store(vector.value, pointer).align = self.bits // 8

    def _piece(self, row: Any, first: Any, lanes: int) -> Any:
        kind = ir.VectorType(ir.IntType(self.bits), lanes)
        return self.builder.bitcast(self.at(row, first), kind.as_pointer())


def rows_of(context: Any, builder: Any, signature: Any, args: Any) -> list[Rows]:
    """Return the arrays among the arguments of a piece of code, which else are plain words."""
    return [
        Rows(context, builder, kind, array)
        for kind, array in zip(signature.args, args, strict=True)
        if isinstance(kind, types.Array)
    ]
