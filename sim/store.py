"""The only room that touches a results file: one SQLite database per study.

Its rows are cells of a fixed grid (scenario, seed, cell number), each a tally of a fixed run of
pots. A cell computed twice is the same cell; a partial one is replaced by a longer one, never
added to. Reading executes nothing: tallies are plain compressed integers.
"""

import json
import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from sim.errors import InputError
from sim.scenario import Scenario
from sim.tally import Tally

APPLICATION = 0x53504144  # "SPAD", SQLite's application_id
SCHEMA = 1
TABLES = """
CREATE TABLE scenarios (key TEXT PRIMARY KEY, content TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE cells (
    scenario TEXT NOT NULL REFERENCES scenarios (key),
    seed INTEGER NOT NULL,
    cell INTEGER NOT NULL,
    pots INTEGER NOT NULL,
    tally BLOB NOT NULL,
    PRIMARY KEY (scenario, seed, cell)
) WITHOUT ROWID;
CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    started TEXT NOT NULL,
    seconds REAL,
    provenance TEXT NOT NULL
);
"""


class Cell(NamedTuple):
    """Some of a scenario's pots: those of one place in its grid, under one seed."""

    scenario: Scenario
    seed: int
    number: int
    tally: Tally


class Store:
    """An open results file; ``Store(None)`` keeps results in memory."""

    def __init__(self, path: Path | None, *, create: bool = True) -> None:
        self.path = path
        if path is not None:
            _check_file(path, create)
        with self._clearly():
            self._db = sqlite3.connect(
                path.absolute() if path else ":memory:", isolation_level=None
            )
            self._prepare()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def _prepare(self) -> None:
        if self._number("PRAGMA application_id") == 0 and self._is_empty():
            self._db.execute("PRAGMA journal_mode=WAL")
            with self.transaction():  # of two that begin a store at once, the second finds it made
                if self._is_empty():
                    for statement in TABLES.split(";"):
                        self._db.execute(statement)
                    self._db.execute(f"PRAGMA application_id={APPLICATION}")
                    self._db.execute(f"PRAGMA user_version={SCHEMA}")
        application = self._number("PRAGMA application_id")
        schema = self._number("PRAGMA user_version")
        if application != APPLICATION:
            raise InputError(f"{self.path} is a database of something else, not a spadework store")
        if schema != SCHEMA:
            raise InputError(
                f"{self.path} has store format {schema}, and this spadework knows {SCHEMA}: "
                "use the spadework that wrote it, or a new store"
            )
        self._db.execute("PRAGMA synchronous=FULL")

    def _number(self, question: str) -> int:
        return int(self._db.execute(question).fetchone()[0])

    def _is_empty(self) -> bool:
        return self._number("SELECT count(*) FROM sqlite_master") == 0

    @contextmanager
    def _clearly(self) -> Iterator[None]:
        """Say in one sentence what is wrong with the file."""
        try:
            yield
        except sqlite3.Error as error:
            raise InputError(f"the store {self.path} cannot be used: {error}") from None

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Write all or nothing of what happens inside."""
        with self._clearly():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    def _rows(self, question: str, *values: object) -> list[Any]:
        with self._clearly():
            return self._db.execute(question, values).fetchall()

    def add(self, cells: Iterable[Cell]) -> None:
        """Write cells, in one transaction; the longer of two versions of a cell stays."""
        with self.transaction():
            for scenario, seed, number, tally in cells:
                self._db.execute(
                    "INSERT OR IGNORE INTO scenarios VALUES (?, ?)",
                    (scenario.key, json.dumps(scenario.as_json())),
                )
                self._db.execute(
                    "INSERT INTO cells VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
                    "pots = excluded.pots, tally = excluded.tally WHERE excluded.pots > pots",
                    (scenario.key, seed, number, tally.pots, _pack(tally)),
                )

    def scenarios(self) -> list[Scenario]:
        """Return what has been played, by game, options and table size."""
        found = [self._scenario(*row) for row in self._rows("SELECT key, content FROM scenarios")]
        return sorted(found, key=lambda scenario: (scenario.game.label, scenario.players))

    def _scenario(self, key: str, content: str) -> Scenario:
        try:
            scenario = Scenario.from_json(json.loads(content))
        except (ValueError, KeyError, TypeError):
            raise InputError(f"{self.path} is damaged: scenario {key} cannot be read") from None
        if scenario.key != key:
            raise InputError(
                f"{self.path} holds {scenario} as another version of spadework played it: "
                "read it with that version, or begin a new store"
            )
        return scenario

    def seed_of(self, scenario: Scenario) -> int | None:
        """Return the seed under which most of a scenario was played, if any was."""
        rows = self._rows(
            "SELECT seed FROM cells WHERE scenario = ? GROUP BY seed "
            "ORDER BY sum(pots) DESC, seed LIMIT 1",
            scenario.key,
        )
        return int(rows[0][0]) if rows else None

    def pots(self, scenario: Scenario, seed: int) -> dict[int, int]:
        """Return how many pots each cell of a scenario holds."""
        question = "SELECT cell, pots FROM cells WHERE scenario = ? AND seed = ?"
        return dict(self._rows(question, scenario.key, seed))

    def total(self, scenario: Scenario, seed: int | None = None) -> Tally:
        """Return the sum of a scenario's cells, of one seed or (None) of all."""
        total = Tally(scenario.shapes)
        rows = self._rows(
            "SELECT cell, pots, tally FROM cells WHERE scenario = ? AND (? IS NULL OR seed = ?)",
            scenario.key, seed, seed,
        )  # fmt: skip
        for cell, pots, blob in rows:
            total += self._tally(scenario, cell, pots, blob)
        return total

    def _tally(self, scenario: Scenario, cell: int, pots: int, blob: bytes) -> Tally:
        try:
            tally = Tally(scenario.shapes, _unpack(blob))
        except (ValueError, TypeError, zlib.error):
            tally = None
        if tally is None or tally.pots != pots:
            raise InputError(f"{self.path} is damaged: cell {cell} of {scenario} cannot be read")
        return tally

    def begin_run(self, started: str, provenance: dict[str, Any]) -> int:
        """Note that a run started; return its number."""
        with self.transaction():
            row = self._db.execute(
                "INSERT INTO runs (started, provenance) VALUES (?, ?) RETURNING id",
                (started, json.dumps(provenance)),
            ).fetchone()
        return int(row[0])

    def end_run(self, run: int, seconds: float) -> None:
        """Note how long a run took."""
        with self.transaction():
            self._db.execute("UPDATE runs SET seconds = ? WHERE id = ?", (seconds, run))


def _check_file(path: Path, create: bool) -> None:
    """Refuse what is no store before SQLite could touch it, and make its folder."""
    try:
        folder, missing, plain = path.is_dir(), not path.exists(), path.is_file()
    except OSError as error:
        raise InputError(f"the store {str(path)[:60]} cannot be used: {error.strerror}") from None
    if folder:
        raise InputError(f"{path} is a folder: name a file in it, as in {path / 'study.db'}")
    if not missing and not plain:
        raise InputError(f"{path} is no file: name one that can hold a store")
    if missing or (not create and path.stat().st_size == 0):
        if not create:
            raise InputError(f"there is no store {path}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{path.parent} cannot be made: {error.strerror}") from None
        return
    try:
        with path.open("rb") as file:
            start = file.read(16)
    except OSError as error:
        raise InputError(f"the store {path} cannot be read: {error.strerror}") from None
    if start not in (b"", b"SQLite format 3\0"):
        raise InputError(f"{path} is not a spadework store")


def _pack(tally: Tally) -> bytes:
    return zlib.compress(tally.data.astype("<i8").tobytes())


def _unpack(blob: bytes) -> Any:
    return np.frombuffer(zlib.decompress(blob), "<i8").astype(np.int64)
