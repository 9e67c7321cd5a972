"""A cell's counts in one row, by name: a directory, a checksum for each, and the numbers."""

import hashlib
import json
import math
import zlib
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from sim.scenario import Scenario
from sim.tally import Tally, version_of

CHECKSUM = 8
"""Bytes of a checksum."""


class Packed(NamedTuple):
    """Counts as they lie in a row."""

    directory: str
    """JSON: name, version and how many numbers of each count, in order."""
    checksums: bytes
    """Of the numbers of each count, in the same order."""
    numbers: bytes
    """Of all counts, one after another: little-endian 64-bit integers, compressed."""


class Count(NamedTuple):
    """What was counted under one name."""

    version: int
    """Of what it means: see ``VERSIONS`` in ``sim/tally.py``."""
    numbers: bytes
    """Little-endian 64-bit integers."""


Counts = dict[str, Count]
"""Counts by name, of this spadework or of others."""


def counts_of(tally: Tally) -> Counts:
    """Return the counts that all pots of a tally have."""
    return {
        name: Count(version_of(name), numbers.astype("<i8").tobytes())
        for name, numbers in tally.arrays().items()
    }


def newest(own: Counts, other: Counts) -> Counts:
    """Return what either has, and of what both have the later version."""
    return own | {
        name: count
        for name, count in other.items()
        if name not in own or own[name].version < count.version
    }


def pack(counts: Counts) -> Packed:
    """Return counts as they lie in a row."""
    directory = [[name, version, len(numbers) // 8] for name, (version, numbers) in counts.items()]
    parts = [numbers for _, numbers in counts.values()]
    return Packed(
        json.dumps(directory, separators=(",", ":")),
        b"".join(map(_checksum, parts)),
        zlib.compress(b"".join(parts)),
    )


def unpack(packed: Packed) -> Counts:
    """Return the counts of a row, to be changed or compared one by one.

    Raises ``ValueError`` where the checksum of one says that it is not what was counted.
    """
    entries, numbers = _opened(packed)
    counts = {}
    for index, (name, version, start, end) in enumerate(entries):
        part, first = numbers[start:end], CHECKSUM * index
        if _checksum(part) != packed.checksums[first : first + CHECKSUM]:
            raise ValueError(f"{name} is not what was counted")
        counts[name] = Count(version, part)
    return counts


def _opened(packed: Packed) -> tuple["list[_Entry]", bytes]:
    """Return what a directory lists, and the bytes of which it tells."""
    entries = _entries(packed.directory)
    try:
        numbers = zlib.decompress(packed.numbers)
    except zlib.error:
        raise ValueError("not what was compressed") from None
    sizes = (entries[-1].end if entries else 0, CHECKSUM * len(entries))
    if (len(numbers), len(packed.checksums)) != sizes:
        raise ValueError("not as long as was written")
    return entries, numbers


def known(directory: str) -> frozenset[str]:
    """Return the names in a directory that mean what they mean here; raises ``ValueError``."""
    return frozenset(
        name for name, version, *_ in _entries(directory) if version == version_of(name)
    )


class _Entry(NamedTuple):
    """Where a count lies among the bytes of all."""

    name: str
    version: int
    start: int
    end: int


@lru_cache(maxsize=64)
def _entries(directory: str) -> list[_Entry]:
    """Return what a directory lists; that of one cell is likely that of the next."""
    entries, end = [], 0
    try:
        for name, version, size in json.loads(directory):
            start, end = end, end + 8 * size
            entries.append(_Entry(name, version, start, end))
    except (TypeError, RecursionError):
        raise ValueError("no directory") from None
    return entries


def _checksum(numbers: bytes) -> bytes:
    return hashlib.blake2b(numbers, digest_size=CHECKSUM).digest()


class TallyReader:
    """Makes tallies of a scenario from its rows."""

    def __init__(self, scenario: Scenario) -> None:
        self._shapes = scenario.shapes
        self._sizes = {name: 8 * math.prod(shape) for name, shape in scenario.shapes.items()}
        self._whole = [(name, version_of(name), size) for name, size in self._sizes.items()]

    def tally(self, packed: Packed) -> Tally:
        """Return a tally; what is not known here, or means something else, is passed over.

        The checksums of counts are left to ``unpack``: they take as long as all else, and the row
        has a digest. Raises ``ValueError`` where a count has another size than the scenario's.
        """
        entries, numbers = _opened(packed)
        lacks = frozenset[str]()
        if [(name, version, end - start) for name, version, start, end in entries] != self._whole:
            numbers, lacks = self._picked(entries, numbers)
        return Tally(self._shapes, np.frombuffer(numbers, "<i8").astype(np.int64), lacks)

    def _picked(self, entries: "list[_Entry]", numbers: bytes) -> tuple[bytes, frozenset[str]]:
        """Return the numbers of the scenario's counts, 0 for those that are lacking, and these."""
        known = {
            entry.name: numbers[entry.start : entry.end]
            for entry in entries
            if entry.version == version_of(entry.name)
        }
        parts = [known.get(name, bytes(size)) for name, size in self._sizes.items()]
        if [*map(len, parts)] != [*self._sizes.values()]:
            raise ValueError("a count has another size")
        return b"".join(parts), frozenset(self._sizes.keys() - known.keys())
