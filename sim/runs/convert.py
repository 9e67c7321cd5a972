"""Stores of the format before, read as if they were of this one, and left as they are.

There a scenario's name told the engine as well, and what was counted; a cell was all counts in one.
"""

import shutil
import sqlite3
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from sim.game import digest_of
from sim.runs import lock
from sim.runs.store import Store, cell_name
from sim.scenario import Scenario
from sim.tally import Tally

ENGINES = (5, 4)
"""The engines that wrote such stores. Of ``decisions``, 4 does not count blind folds."""
ARRAYS = (
    "pots", "cards", "kills_by_card", "kills_by_street", "kills_by_seat", "kills_by_dealt",
    "killed_pots", "players_out", "toll_pot_sums", "tolls_paid", "toll_by_policy", "players_dealt",
    "hands", "hands_shown", "winning_hands", "split_pots", "pot_size_sums", "abandoned_pots",
    "survivors", "net_by_seat", "net_by_policy", "net_by_tolls", "folds", "folds_by_price", "bets",
    "decisions", "deals", "toll_pot", "toll_player", "pot_size", "chips_in",
)  # fmt: skip
"""What a cell held, in order, of the shapes that these counts still have."""


def old_key(scenario: Scenario, engine: int) -> str:
    """Return the name that a scenario had under an engine."""
    content = dict(scenario.played)
    content["prospects"] = content.pop("strength")
    content["tally"] = [[name, scenario.shapes[name]] for name in ARRAYS]
    return digest_of({"engine": engine} | content)


def _old_keys(scenario: Scenario) -> list[str]:
    return [old_key(scenario, engine) for engine in ENGINES]


def untold(scenario: Scenario, engine: int) -> frozenset[str]:
    """Return the counts of which an engine's cells do not tell what they mean now."""
    blind = any(any(policy.blind) for policy in scenario.seats)
    return frozenset({"decisions"} if engine == 4 and blind else ())


class OldStore(Store):
    """A store of the format before, of what one engine played; it can be read alone.

    ``file`` is what is read instead of ``path``: the same, or a copy.
    """

    schema = lock.CONVERTED

    def __init__(self, path: Path, engine: int, file: Path) -> None:
        self._engine, self._file = engine, file
        super().__init__(path, write=False)

    def _connect(self, write: bool) -> sqlite3.Connection:  # noqa: ARG002 - it is never written
        same = self._file == self.path
        mode = lock.address(self._file, "ro" if same else "rw", immutable=same)
        return sqlite3.connect(mode, uri=True, isolation_level=None)

    def scenarios(self) -> list[Scenario]:
        """Return what the engine played; refuse what none of the known engines did."""
        rows = self._rows("SELECT key, content, digest FROM scenarios")
        held = [self._read_scenario(row, _old_keys) for row in rows]
        return [scenario for key, scenario in held if key == self.name(scenario)]

    def name(self, scenario: Scenario) -> str:
        """Return the name of a scenario in the file."""
        return old_key(scenario, self._engine)

    def _reader(self, scenario: Scenario) -> Callable[[Any], Tally | None]:
        lacks = untold(scenario, self._engine) | (scenario.shapes.keys() - set(ARRAYS))

        def read(row: Any) -> Tally | None:
            *_, blob = self._open(row, cell_name(row, scenario))
            return _old_tally(scenario, blob, lacks)

        return read


def _old_tally(scenario: Scenario, blob: bytes, lacks: frozenset[str]) -> Tally | None:
    """Return the tally of what an old cell held, or None if that cannot be."""
    try:
        numbers = np.frombuffer(zlib.decompress(blob), "<i8").astype(np.int64)
        old = Tally({name: scenario.shapes[name] for name in ARRAYS}, numbers)
    except (ValueError, TypeError, zlib.error):
        return None
    tally, held = Tally(scenario.shapes, lacks=lacks), old.arrays()
    for name, numbers in tally.arrays().items():
        numbers[...] = held[name]
    return tally


@contextmanager
def opened(path: Path) -> Iterator[list[OldStore]]:
    """Yield the parts of an old store, one for each engine; nothing is written there or beside it.

    What has a log beside it is read from a copy, which SQLite may put in order.
    """
    lock.check(path, write=False, schema=lock.CONVERTED)
    logs = [ending for ending in ("-wal", "-journal") if lock.beside(path, ending)]
    with TemporaryDirectory() as folder:
        file = path
        if logs:
            file = Path(folder) / "copy.db"
            for ending in ("", *logs):
                shutil.copy(path.with_name(path.name + ending), f"{file}{ending}")
        stores: list[OldStore] = []
        try:
            stores += [OldStore(path, engine, file) for engine in ENGINES]
            yield stores
        finally:
            for store in stores:
                store.close()
