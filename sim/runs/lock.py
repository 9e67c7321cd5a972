"""What a store's file is before SQLite writes to it: ours or not, on which disk, and who may write.

Nothing here changes a file that is no store: it is looked at through SQLite's immutable mode, which
takes no locks and leaves nothing beside it.
"""

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import cache
from pathlib import Path

from filelock import FileLock, Timeout

from sim import paths
from sim.errors import InputError, brief

APPLICATION = 0x53504144  # "SPAD", SQLite's application_id
SCHEMA = 3
CONVERTED = 2
"""The format before, which ``convert`` reads."""
HEAD = b"SQLite format 3\0"
"""How every SQLite file begins that holds anything."""
COUNTS = {
    CONVERTED: "tally BLOB NOT NULL",
    SCHEMA: "directory TEXT NOT NULL,\n    checksums BLOB NOT NULL,\n    numbers BLOB NOT NULL",
}
"""The columns that hold what was counted, by format; all others are the same."""
TABLES = """
CREATE TABLE scenarios (
    key TEXT PRIMARY KEY,
    content TEXT NOT NULL,
    digest BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE cells (
    scenario TEXT NOT NULL REFERENCES scenarios (key),
    seed INTEGER NOT NULL,
    cell INTEGER NOT NULL,
    pots INTEGER NOT NULL,
    {counts},
    digest BLOB NOT NULL,
    PRIMARY KEY (scenario, seed, cell)
) WITHOUT ROWID;
CREATE TABLE notes (
    scenario TEXT NOT NULL REFERENCES scenarios (key),
    seed INTEGER NOT NULL,
    target TEXT NOT NULL,
    seconds REAL NOT NULL,
    stop TEXT,
    pots INTEGER NOT NULL,
    digest BLOB NOT NULL,
    PRIMARY KEY (scenario, seed)
) WITHOUT ROWID;
CREATE TABLE runs (
    id TEXT PRIMARY KEY,
    started TEXT NOT NULL,
    seconds REAL,
    stop TEXT,
    provenance TEXT NOT NULL,
    totals TEXT,
    digest BLOB NOT NULL
) WITHOUT ROWID;
"""
MOUNTS = Path("/proc/self/mounts")
NETWORK = (
    "nfs", "cifs", "smb", "9p", "afs", "ceph", "lustre", "gpfs", "beegfs", "glusterfs", "ocfs",
    "gfs2", "davfs", "virtiofs", "fuse.sshfs", "fuse.glusterfs", "fuse.s3fs", "fuse.rclone",
)  # fmt: skip
"""How the names of network file systems begin: other machines may write there too."""


def check(path: Path, *, write: bool, schema: int = SCHEMA) -> None:
    """Refuse what is no store before SQLite could touch it, and make a new store's folder."""
    status = paths.status(path)
    if status and stat.S_ISDIR(status.st_mode):
        raise InputError(f"{path} is a folder: name a file in it, as in {path / 'study.db'}")
    if status and not stat.S_ISREG(status.st_mode):
        raise InputError(f"{path} is no file: name one that can hold a store")
    if not write and not (status and status.st_size):
        raise InputError(f"there is no store {path}")
    if status and status.st_nlink > 1:
        raise InputError(
            f"{path} has {status.st_nlink} names (hard links), and SQLite keeps a log for each: "
            "copy it to a file of its own, or remove the other names"
        )
    if status is None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{path.parent} cannot be made: {error.strerror}") from None
    elif status.st_size:
        _check_content(path, schema)


def _check_content(path: Path, schema: int) -> None:
    """Refuse another program's file and another format's store, without touching it.

    While there is a log beside a file, what is in the file itself may be half of a change, so that
    only its first bytes are believed.
    """
    if not os.access(path, os.R_OK):
        raise InputError(f"the store {path} cannot be read: you have no permission")
    with path.open("rb") as file:
        if file.read(len(HEAD)) != HEAD:  # SQLite takes a file of a few bytes for an empty one
            raise InputError(f"{path} is not a spadework store")
    logged = beside(path, "-wal") or beside(path, "-journal")
    try:
        with closing(sqlite3.connect(address(path, "ro", immutable=True), uri=True)) as db:
            if logged:
                check_marks(path, db, schema)
                return
            _check_length(db, path)
            if marks(db)[0] or objects(db):
                check_database(path, db, schema)
    except (sqlite3.Error, UnicodeDecodeError) as error:
        if "not a database" in str(error):
            raise InputError(f"{path} is not a spadework store") from None
        if not logged:
            raise InputError(f"the store {path} is damaged: {brief(error)}") from None


def _check_length(db: sqlite3.Connection, path: Path) -> None:
    """Refuse a file that was cut off."""
    pages, size = (
        db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size")
    )
    if path.stat().st_size < pages * size:
        raise InputError(f"the store {path} is damaged: it is cut off")


def check_database(path: Path | None, db: sqlite3.Connection, schema: int = SCHEMA) -> None:
    """Refuse what is not, table by table, what ``make`` makes, before anything is read from it.

    A view may never end, and a trigger may leave out what is written.
    """
    check_marks(path, db, schema)
    for kind, name, *_ in set(objects(db)) ^ set(_ours(schema)):
        raise InputError(
            f"{path} is no store as spadework makes it: the {kind} {brief(name)} is missing, "
            "changed or not ours; use a store that nothing else has changed"
        )


def check_marks(path: Path | None, db: sqlite3.Connection, wanted: int) -> None:
    """Refuse a database of another program, and a store of another format."""
    application, schema = marks(db)
    if application != APPLICATION:
        raise InputError(f"{path} is a database of something else, not a spadework store")
    if (schema, wanted) == (CONVERTED, SCHEMA):
        raise InputError(
            f"{path} has store format {schema}, and this spadework knows {SCHEMA}: "
            f"spadework convert {path} --into NEW makes a store of it, and leaves it as it is"
        )
    if (schema, wanted) == (SCHEMA, CONVERTED):
        raise InputError(f"{path} has store format {schema} already: use it as it is")
    if schema != wanted:
        raise InputError(
            f"{path} has store format {schema}, and this spadework knows {SCHEMA}: "
            "use the spadework that wrote it, or a new store"
        )


def marks(db: sqlite3.Connection) -> tuple[int, int]:
    """Return what a database says of its program and of its format."""
    questions = ("PRAGMA application_id", "PRAGMA user_version")
    application, schema = (int(db.execute(question).fetchone()[0]) for question in questions)
    return application, schema


def objects(db: sqlite3.Connection) -> list[tuple[str, str, str, str]]:
    """Return what a database is made of: kind, name, table and SQL of each table, view, …"""
    return db.execute("SELECT type, name, tbl_name, sql FROM sqlite_master").fetchall()


@cache
def _ours(schema: int) -> list[tuple[str, str, str, str]]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        make(db, schema)
        return objects(db)


def make(db: sqlite3.Connection, schema: int = SCHEMA) -> None:
    """Make an empty database a store, in one transaction and before there is a log beside it."""
    db.execute("BEGIN IMMEDIATE")
    for statement in TABLES.format(counts=COUNTS[schema]).split(";"):
        db.execute(statement)
    db.execute(f"PRAGMA application_id={APPLICATION}")
    db.execute(f"PRAGMA user_version={schema}")
    db.execute("COMMIT")


def wrong_table(db: sqlite3.Connection, schema: int = SCHEMA) -> str | None:
    """Return a table in which a column holds values of another kind, or numbers below nought."""
    for _, table, *_ in _ours(schema):
        wrong = []
        for _, name, kind, needed, _, key in db.execute(f"PRAGMA table_info({table})"):
            empty = "'null'" if not (needed or key) else "''"
            wrong.append(f"typeof({name}) NOT IN ('{kind.lower()}', {empty})")
            wrong += [f"{name} < 0"] if kind == "INTEGER" else []
        question = f"SELECT 1 FROM {table} WHERE {' OR '.join(wrong)} LIMIT 1"  # noqa: S608 - ours
        if db.execute(question).fetchone():
            return table
    return None


def address(path: Path, mode: str, *, immutable: bool = False) -> str:
    """Return SQLite's address of a file opened as ``ro``, ``rw`` or ``rwc``."""
    return f"{path.absolute().as_uri()}?mode={mode}{'&immutable=1' if immutable else ''}"


def reading_address(path: Path) -> str:
    """Return the address under which to read a store, also where nothing can be written."""
    if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
        return address(path, "rw")  # so that the last to close it tidies up
    return address(path, "ro", immutable=not beside(path, "-wal"))


def beside(path: Path, ending: str) -> bool:
    """Whether SQLite keeps something beside a file: a log of what is not yet in it."""
    path = path.resolve()
    other = path.with_name(path.name + ending)
    return other.exists() and other.stat().st_size > 0


def network(path: Path) -> str | None:
    """Return the kind of network file system that a file lies on, if it lies on one."""
    try:
        lines = MOUNTS.read_text(errors="surrogateescape").splitlines()
        mounts = [line.split()[1:3] for line in lines]
    except OSError:  # no Linux: nobody to ask
        return None
    real_path = path.absolute().resolve()
    above = [
        (len(Path(folder).parts), kind)
        for folder, kind in ((name.replace(r"\040", " "), kind) for name, kind in mounts)
        if real_path.is_relative_to(folder)
    ]
    kind = max(above, default=(0, ""))[1]
    return kind if kind.startswith(NETWORK) else None


@contextmanager
def writer_lock(path: Path) -> Iterator[bool]:
    """Hold a store's writer lock, if nobody has it; yield whether it is ours.

    The system locks a file beside the store, so that the lock ends with its process however that
    ends, and leaves readers alone. A killed process leaves the file, which the next one takes over.
    """
    path = path.resolve()  # a link and what it leads to have one lock
    file = path.with_name(f"{path.name}-lock")
    lock = FileLock(file, blocking=False, fallback_to_soft=False)
    with suppress(Timeout):
        lock.acquire()
    try:
        yield lock.is_locked
    finally:
        if lock.is_locked:
            with suppress(PermissionError):  # Windows: it goes when it is let go
                file.unlink(missing_ok=True)  # before that: a lock on a removed file is never taken
            lock.release()
