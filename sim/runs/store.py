"""The only module that touches a results file: one SQLite database per study.

Its rows are cells of a fixed grid (scenario, seed, cell number), each what was counted, by name, of
a fixed run of pots. A cell computed twice is the same cell; a partial one is replaced by a longer
one, never added to, but a count that it lacks may be added. Reading executes nothing: counts are
plain compressed integers.
"""

import hashlib
import json
import sqlite3
import time
import uuid
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Self

from sim.errors import InputError, brief, printable
from sim.runs import lock, packing
from sim.runs.packing import Packed, TallyReader
from sim.scenario import Scenario
from sim.tally import Tally

POTS = 3
"""The column of a cell's row that says how many it holds; what was counted stands behind it."""
BUSY = "{} is being written by another run: wait for it, stop it, or name another store"


class Cell(NamedTuple):
    """Some of a scenario's pots: those of one cell of its grid, under one seed."""

    scenario: Scenario
    seed: int
    number: int
    tally: Tally


class Note(NamedTuple):
    """How far a scenario was taken under one seed, and why it stopped."""

    scenario: Scenario
    seed: int
    target: dict[str, Any]
    """What the latest run asked for: pots, and if it asked for them, precision and seconds."""
    seconds: float
    """Seconds played, over all runs."""
    stop: str | None
    """Why it stopped: precision, pots, seconds, interrupted; None while it runs, or if killed."""
    pots: int
    """Pots at which it stopped."""


class Store:
    """An open results file; ``Store(None)`` keeps results in memory.

    Any number may read it (``write=False``) while one writes: see ``writing``.
    """

    schema = lock.SCHEMA
    """The format that it knows."""

    def __init__(self, path: Path | None, *, write: bool = True) -> None:
        self.path = path
        self.notice: str | None = None
        """What its user should know about where it lies."""
        if path is not None:
            lock.check(path, write=write, schema=self.schema)
        with self._clearly():
            self._db = self._connect(write)
        try:
            self._check()
        except BaseException:
            self._db.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def _connect(self, write: bool) -> sqlite3.Connection:
        if self.path is None:
            db = sqlite3.connect(":memory:", isolation_level=None)
            lock.make(db)
            return db
        mode = lock.address(self.path, "rwc") if write else lock.reading_address(self.path)
        db = sqlite3.connect(mode, uri=True, isolation_level=None)
        if write:
            self._prepare(db, self.path)
        else:
            db.execute("PRAGMA query_only=ON")
        return db

    def _prepare(self, db: sqlite3.Connection, path: Path) -> None:
        """Make a new file a store, and see that what is committed stays committed."""
        kind = lock.network(path)
        if kind:
            self.notice = (
                f"{path} lies on a network file system ({kind}): it is kept with a rollback "
                "journal, which is slower; let only one machine at a time use it"
            )
        journal = "delete" if kind else "wal"  # a WAL needs memory that its users share
        while not _is_ready(db, journal):  # of two that begin at once, one makes it and one waits
            with lock.writer_lock(path) as ours:
                if ours and not lock.objects(db):
                    lock.make(db)
                if ours:
                    db.execute(f"PRAGMA journal_mode={journal}")
            time.sleep(0 if ours else 0.05)
        db.execute("PRAGMA synchronous=FULL")

    def _check(self) -> None:
        """Refuse a file that SQLite finds damaged, or that is no store of this format."""
        with self._clearly():
            lock.check_database(self.path, self._db, self.schema)
            verdict = self._db.execute("PRAGMA quick_check(1)").fetchone()[0]
            strays = self._db.execute("PRAGMA foreign_key_check").fetchone()
            wrong = lock.wrong_table(self._db, self.schema)
        if verdict != "ok":
            raise InputError(f"the store {self.path} is damaged: {' '.join(verdict.split())}")
        if strays:  # a row whose key is damaged would be passed over
            raise InputError(f"the store {self.path} is damaged: {strays[0]} of no known scenario")
        if wrong:  # sums of them are taken before their digests are looked at
            raise InputError(f"the store {self.path} is damaged: {wrong} hold what none can hold")
        # All that we write is printable: a row that changes so is not what was written.
        self._db.text_factory = lambda text: printable(text.decode(errors="replace"))

    @contextmanager
    def _clearly(self) -> Iterator[None]:
        """Say in one sentence what is wrong with the file."""
        try:
            yield
        except (sqlite3.Error, OSError, UnicodeDecodeError) as error:
            raise InputError(f"the store {self.path} cannot be used: {_message(error)}") from None

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the store's writer lock; whoever comes second is refused."""
        with ExitStack() as stack:
            if self.path is not None:
                with self._clearly():
                    ours = stack.enter_context(lock.writer_lock(self.path))
                if not ours:
                    raise InputError(BUSY.format(self.path))
            yield

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Write all or nothing of what happens inside."""
        with self._clearly():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:  # a full disk has ended it already
                    self._db.execute("ROLLBACK")
                raise

    def _rows(self, question: str, *values: object) -> list[Any]:
        with self._clearly():
            return self._db.execute(question, values).fetchall()

    def add(self, cells: Iterable[Cell], notes: Iterable[Note] = ()) -> None:
        """Write cells and notes, in one transaction; the longer version of a cell stays.

        To a cell that is there in the same length, counts are added that it lacks.
        """
        with self.transaction():
            for cell in cells:
                self._put_cell(cell)
            for note in notes:
                self._put_note(note)

    def _put_scenario(self, scenario: Scenario) -> None:
        content = json.dumps(scenario.as_json())
        self._db.execute(
            "INSERT OR IGNORE INTO scenarios VALUES (?, ?, ?)", sealed(scenario.key, content)
        )

    def _put_cell(self, cell: Cell) -> None:
        self._put_scenario(cell.scenario)
        key, pots = (cell.scenario.key, cell.seed, cell.number), cell.tally.pots
        counts = packing.counts_of(cell.tally)
        held = self._db.execute(
            "SELECT * FROM cells WHERE scenario = ? AND seed = ? AND cell = ?", key
        ).fetchone()
        if held and held[POTS] >= pots:
            own = self._counts(held, cell.scenario)
            counts = packing.newest(own, counts) if held[POTS] == pots else own
            if counts == own:
                return
        self._db.execute(
            "INSERT OR REPLACE INTO cells VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            sealed(*key, pots, *packing.pack(counts)),
        )

    def _put_note(self, note: Note) -> None:
        self._put_scenario(note.scenario)
        self._db.execute(
            "INSERT OR REPLACE INTO notes VALUES (?, ?, ?, ?, ?, ?, ?)",
            sealed(note.scenario.key, note.seed, json.dumps(note.target), *note[3:]),
        )

    def scenarios(self) -> list[Scenario]:
        """Return what has been played, by game, options and table size."""
        rows = self._rows("SELECT key, content, digest FROM scenarios")
        scenarios = [self._read_scenario(row, lambda scenario: [scenario.key])[1] for row in rows]
        return sorted(
            scenarios, key=lambda scenario: (scenario.game.label, scenario.players, scenario.policy)
        )

    def _read_scenario(
        self, row: Any, names: Callable[[Scenario], list[str]]
    ) -> tuple[str, Scenario]:
        """Return a scenario and its name in the file, which has to be one that it may have."""
        key, content = self._open(row, f"scenario {row[0]}")
        try:
            scenario = Scenario.from_json(_read_json(content))
        except KeyError:  # the words of another version
            scenario = None
        except (ValueError, TypeError, AttributeError, RecursionError, zlib.error):
            raise self._damaged(f"scenario {key}") from None
        if scenario is None or key not in names(scenario):
            raise InputError(
                f"{self.path} holds {scenario or 'something'} as another version of spadework "
                "played it: read it with that version, or begin a new store"
            )
        return key, scenario

    def name(self, scenario: Scenario) -> str:
        """Return the name of a scenario in the file."""
        return scenario.key

    def seed_of(self, scenario: Scenario) -> int | None:
        """Return the seed under which most of a scenario was played, if any was."""
        rows = self._rows(
            "SELECT seed FROM cells WHERE scenario = ? GROUP BY seed "
            "ORDER BY sum(pots) DESC, seed LIMIT 1",
            scenario.key,
        )
        return int(rows[0][0]) if rows else None

    def pots(self, scenario: Scenario, seed: int, counts: Collection[str] = ()) -> dict[int, int]:
        """Return how many pots each cell of a scenario holds, of cells that have these counts."""
        question = "SELECT cell, pots FROM cells WHERE scenario = ? AND seed = ?"
        if not counts:
            return dict(self._rows(question, scenario.key, seed))
        wanted, question = frozenset(counts), question.replace("pots", "pots, directory")
        rows = self._rows(question, scenario.key, seed)
        return {cell: pots for cell, pots, held in rows if wanted <= self._known(held)}

    def lacking(self, scenario: Scenario, seed: int | None = None) -> dict[str, int]:
        """Return the counts that some of a scenario's pots lack, each with how many lack it."""
        rows = self._rows(
            "SELECT directory, sum(pots) FROM cells WHERE scenario = ? AND (? IS NULL OR seed = ?) "
            "GROUP BY directory",
            scenario.key, seed, seed,
        )  # fmt: skip
        held = [(self._known(directory), pots) for directory, pots in rows]
        lacked = {
            name: sum(pots for known, pots in held if name not in known) for name in scenario.shapes
        }
        return {name: pots for name, pots in lacked.items() if pots}

    def lacking_counts(self) -> list[str]:
        """Return the counts that some pots of any scenario lack."""
        scenarios = self.scenarios()
        return list(dict.fromkeys(name for each in scenarios for name in self.lacking(each)))

    def _known(self, directory: str) -> frozenset[str]:
        try:
            return packing.known(directory)
        except ValueError:
            raise self._damaged("what a cell counts") from None

    def seeds(self, scenario: Scenario) -> list[int]:
        """Return the seeds under which a scenario was played, in order."""
        question = "SELECT DISTINCT seed FROM cells WHERE scenario = ? ORDER BY seed"
        return [int(seed) for (seed,) in self._rows(question, self.name(scenario))]

    def total(self, scenario: Scenario, seed: int | None = None) -> Tally:
        """Return the sum of a scenario's cells, of one seed or (None) of all."""
        total = Tally(scenario.shapes)
        for cell in self.cells(scenario, seed):
            total += cell.tally
        return total

    def totals(
        self, scenario: Scenario, seed: int | None, looks: Callable[[int], int]
    ) -> Iterator[Tally]:
        """Yield the sum of a scenario's first cells, more and more of them, and at last of all.

        ``looks`` says after how many cells to look next, having looked after so many (0 at first).
        """
        total, number, look, fresh = Tally(scenario.shapes), 0, looks(0), False
        for number, cell in enumerate(self.cells(scenario, seed), 1):
            total, fresh = total + cell.tally, number != look
            if not fresh:
                yield total
                look = looks(number)
        if fresh:
            yield total

    def cells(
        self, scenario: Scenario, seed: int | None = None, numbers: Collection[int] | None = None
    ) -> Iterator[Cell]:
        """Yield a scenario's cells in order: of one seed or all, and only these numbers."""
        first, last = (min(numbers, default=0), max(numbers, default=-1)) if numbers else (0, None)
        if numbers is not None and not numbers:
            return
        rows = self._ask(
            "SELECT * FROM cells WHERE scenario = ? "
            "AND (? IS NULL OR seed = ?) AND cell >= ? AND (? IS NULL OR cell <= ?)",
            self.name(scenario), seed, seed, first, last, last,
        )  # fmt: skip
        read = self._reader(scenario)
        for row in rows:
            _, own_seed, number, pots, *_ = row
            if numbers is None or number in numbers:
                tally = read(row)
                if tally is None or tally.pots != pots:
                    raise self._damaged(cell_name(row, scenario))
                yield Cell(scenario, own_seed, number, tally)

    def _reader(self, scenario: Scenario) -> Callable[[Any], Tally | None]:
        """Return what makes a tally of a cell's row, or None if it holds none."""
        reader = TallyReader(scenario)

        def read(row: Any) -> Tally | None:
            try:
                return reader.tally(_packed(row))
            except ValueError:
                return None

        return read

    def _counts(self, row: Any, scenario: Scenario) -> packing.Counts:
        """Return the counts of a cell's row; refuse them if they are not what was written."""
        try:
            return packing.unpack(_packed(row))
        except ValueError:
            raise self._damaged(cell_name(row, scenario)) from None

    def _open(self, row: Any, what: str) -> Any:
        """Return a row without its digest; refuse it if it is not what was written."""
        if _digest(*row[:-1]) != row[-1]:
            raise self._damaged(what)
        return row[:-1]

    def _damaged(self, what: str) -> InputError:
        return InputError(f"{self.path} is damaged: {what} cannot be read")

    def note(self, scenario: Scenario, seed: int) -> Note | None:
        """Return how far a scenario was taken under a seed, if it was begun."""
        key = self.name(scenario), seed
        rows = self._rows("SELECT * FROM notes WHERE scenario = ? AND seed = ?", *key)
        if not rows:
            return None
        _, _, target, *others = self._open(rows[0], f"the note on {scenario}")
        return Note(scenario, seed, _read_json(target), *others)

    def begin_run(self, started: str, provenance: dict[str, Any]) -> str:
        """Note that a run started; return its name."""
        name = uuid.uuid4().hex
        with self.transaction():
            self._put_run((name, started, None, None, json.dumps(provenance), None))
        return name

    def end_run(self, run: str, seconds: float, stop: str, totals: list[dict[str, Any]]) -> None:
        """Note how long a run took, how it ended and what the totals then were."""
        with self.transaction():
            ((name, started, _, _, made_with, _, _),) = self._db.execute(
                "SELECT * FROM runs WHERE id = ?", (run,)
            )
            self._db.execute("DELETE FROM runs WHERE id = ?", (run,))
            self._put_run((name, started, seconds, stop, made_with, json.dumps(totals)))

    def _put_run(self, row: Collection[Any]) -> None:
        self._db.execute("INSERT OR IGNORE INTO runs VALUES (?, ?, ?, ?, ?, ?, ?)", sealed(*row))

    def runs(self) -> list[dict[str, Any]]:
        """Return what every run was made with, the oldest first."""
        names = ("id", "started", "seconds", "stop", "provenance", "totals")
        runs = []
        for row in self._rows("SELECT * FROM runs ORDER BY started, id"):
            *plain, made_with, totals = self._open(row, f"run {row[0]}")
            values = (*plain, _read_json(made_with), _read_json(totals or "null"))
            runs.append(dict(zip(names, values, strict=True)))
        return runs

    def all_pots(self) -> int:
        """Return how many pots it holds in all."""
        ((pots,),) = self._rows("SELECT ifnull(sum(pots), 0) FROM cells")
        return int(pots)

    def parts(self) -> list[tuple[Scenario, int]]:
        """Return each scenario with each of its seeds."""
        scenarios = self.scenarios()
        return [(scenario, seed) for scenario in scenarios for seed in self.seeds(scenario)]

    def take_in(self, others: Iterable["Store"]) -> None:
        """Add what other stores hold, all or nothing; what is here already is not added again.

        The longer version of a cell stays, and two of one length must be the same.
        """
        with self.transaction():
            for other in others:
                for scenario, seed in other.parts():
                    self._take_part(other, scenario, seed)
                for row in other._rows("SELECT * FROM runs"):
                    self._put_run(other._open(row, f"run {row[0]}"))

    def _take_part(self, other: "Store", scenario: Scenario, seed: int) -> None:
        have = self.pots(scenario, seed)
        for cell in other.cells(scenario, seed):
            if have.get(cell.number) == cell.tally.pots:
                own = next(self.cells(scenario, seed, [cell.number]))
                if differing(own.tally, cell.tally):
                    raise InputError(
                        f"{other.path} and {self.path} disagree on cell {cell.number} of "
                        f"{scenario}, seed {seed}: one of them was made by a faulty machine"
                    )
            self._put_cell(cell)
        note, own_note = other.note(scenario, seed), self.note(scenario, seed)
        if note and (own_note is None or note.pots > own_note.pots):
            self._put_note(note)

    def _ask(self, question: str, *values: object) -> Iterator[Any]:
        with self._clearly():
            rows = self._db.execute(question, values)
        while True:
            with self._clearly():
                row = rows.fetchone()
            if row is None:
                return
            yield row


def _message(error: Exception) -> str:
    """Say what SQLite complains of, and after a failed write what is left."""
    name = getattr(error, "sqlite_errorname", "")
    if name == "SQLITE_FULL" or name.startswith("SQLITE_IOERR_WRITE"):
        return (
            f"{brief(error)}; what was written before is still there, and once there is room "
            "the same command goes on from it"
        )
    return brief(error)


def _read_json(text: str) -> Any:
    """Return JSON values, whatever they say in words that may be printed."""
    return _printable(json.loads(text))


def _printable(value: Any) -> Any:
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, list):
        return [_printable(item) for item in value]
    if isinstance(value, dict):
        return {printable(name): _printable(item) for name, item in value.items()}
    return value


def checksum(tally: Tally) -> str:
    """Return the SHA-256 of a tally's numbers as little-endian 64-bit integers, in order.

    Counts that it lacks are left out.
    """
    numbers = [part.astype("<i8").tobytes() for part in tally.arrays().values()]
    return hashlib.sha256(b"".join(numbers)).hexdigest()


def differing(tally: Tally, other: Tally) -> list[str]:
    """Return the counts that two tallies of the same pots both have, and that differ."""
    own, others = tally.arrays(), other.arrays()
    shared = own.keys() & others.keys()
    return [name for name in own if name in shared and (own[name] != others[name]).any()]


def _is_ready(db: sqlite3.Connection, journal: str) -> bool:
    return bool(lock.objects(db)) and db.execute("PRAGMA journal_mode").fetchone() == (journal,)


def _digest(*values: object) -> bytes:
    """Return a short hash of a row, so that no part of it can change unnoticed."""
    row = b"".join(
        [value if isinstance(value, bytes) else f"{value!r};".encode() for value in values]
    )
    return hashlib.blake2b(row, digest_size=8).digest()


def sealed(*values: object) -> tuple[object, ...]:
    """Return a row with its digest behind it."""
    return (*values, _digest(*values))


def _packed(row: Any) -> Packed:
    """Return what a cell's row holds; raises ``ValueError`` if it is not what was written."""
    if _digest(*row[:-1]) != row[-1]:
        raise ValueError("not what was written")
    return Packed(*row[POTS + 1 : -1])


def cell_name(row: Any, scenario: Scenario) -> str:
    """Say which cell of a scenario a row is."""
    return f"cell {row[2]} of {scenario}"
