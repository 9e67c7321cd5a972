"""What a store's file is before SQLite writes to it: ours or not, on which disk, and whose turn.

Nothing here changes a file that is no store: it is looked at through SQLite's immutable mode, which
takes no locks and leaves nothing beside it.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from sim.errors import InputError

APPLICATION = 0x53504144  # "SPAD", SQLite's application_id
SCHEMA = 2
MOUNTS = Path("/proc/self/mounts")
NETWORK = (
    "nfs", "cifs", "smb", "9p", "afs", "ceph", "lustre", "gpfs", "beegfs", "glusterfs", "ocfs",
    "gfs2", "davfs", "virtiofs", "fuse.sshfs", "fuse.glusterfs", "fuse.s3fs", "fuse.rclone",
)  # fmt: skip
"""How the names of network file systems begin: other machines may write there too."""


def exists(path: Path) -> bool:
    """Whether a file is there; what cannot even be asked about is refused."""
    try:
        return path.exists()
    except OSError as error:
        raise InputError(f"the store {str(path)[:60]} cannot be used: {error.strerror}") from None


def check(path: Path, *, write: bool) -> None:
    """Refuse what is no store before SQLite could touch it, and make a new store's folder."""
    try:
        folder, missing, plain = path.is_dir(), not path.exists(), path.is_file()
    except OSError as error:
        raise InputError(f"the store {str(path)[:60]} cannot be used: {error.strerror}") from None
    if folder:
        raise InputError(f"{path} is a folder: name a file in it, as in {path / 'study.db'}")
    if not missing and not plain:
        raise InputError(f"{path} is no file: name one that can hold a store")
    if not write and (missing or path.stat().st_size == 0):
        raise InputError(f"there is no store {path}")
    if missing:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{path.parent} cannot be made: {error.strerror}") from None
    elif path.stat().st_size:
        _check_content(path)


def _check_content(path: Path) -> None:
    """Refuse another program's file and another format's store, without touching it.

    While there is a log beside a file, what is in the file itself may be half of a change, so that
    only its first bytes are believed.
    """
    if not os.access(path, os.R_OK):
        raise InputError(f"the store {path} cannot be read: you have no permission")
    logged = beside(path, "-wal") or beside(path, "-journal")
    try:
        with closing(sqlite3.connect(address(path, "ro", immutable=True), uri=True)) as db:
            application, schema = marks(db)
            if not logged:
                _check_length(db, path)
            if application or logged or db.execute("SELECT 1 FROM sqlite_master").fetchone():
                check_marks(path, application, schema)
    except sqlite3.Error as error:
        if "not a database" in str(error):
            raise InputError(f"{path} is not a spadework store") from None
        if not logged:
            raise InputError(f"the store {path} is damaged: {error}") from None


def _check_length(db: sqlite3.Connection, path: Path) -> None:
    """Refuse a file that was cut off."""
    pages, size = (
        db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size")
    )
    if path.stat().st_size < pages * size:
        raise InputError(f"the store {path} is damaged: it is cut off")


def check_marks(path: Path | None, application: int, schema: int) -> None:
    """Refuse a database of another program, and a store of another format."""
    if application != APPLICATION:
        raise InputError(f"{path} is a database of something else, not a spadework store")
    if schema != SCHEMA:
        raise InputError(
            f"{path} has store format {schema}, and this spadework knows {SCHEMA}: "
            "use the spadework that wrote it, or a new store"
        )


def marks(db: sqlite3.Connection) -> tuple[int, int]:
    """Return what a database says of its program and of its format."""
    questions = ("PRAGMA application_id", "PRAGMA user_version")
    application, schema = (int(db.execute(question).fetchone()[0]) for question in questions)
    return application, schema


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
        mounts = [line.split()[1:3] for line in MOUNTS.read_text().splitlines()]
    except OSError:  # no Linux: nobody to ask
        return None
    place = path.absolute().resolve()
    above = [
        (len(Path(folder).parts), kind)
        for folder, kind in ((name.replace(r"\040", " "), kind) for name, kind in mounts)
        if place.is_relative_to(folder)
    ]
    kind = max(above, default=(0, ""))[1]
    return kind if kind.startswith(NETWORK) else None


@contextmanager
def turn(path: Path) -> Iterator[bool]:
    """Hold a store's one turn to write, if nobody has it; yield whether it is ours.

    The turn is an SQLite lock on a file beside the store, so that it works on every system, ends
    with its process however that ends, and leaves readers alone.
    """
    path = path.resolve()  # of a link and what it leads to there is one turn
    file = path.with_name(f"{path.name}-turn")
    lock = _locked(file)
    try:
        yield lock is not None
    finally:
        if lock:
            file.unlink(missing_ok=True)  # before it is let go: who waits then holds no other file
            lock.close()


def _locked(file: Path) -> sqlite3.Connection | None:
    """Lock a file; None if somebody else has."""
    while True:
        file.touch()
        before = _inode(file)
        lock = sqlite3.connect(file, timeout=0, isolation_level=None)
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            lock.close()
            if "locked" not in str(error):
                raise
            return None
        if before is not None and _inode(file) == before:
            return lock
        lock.close()  # who had it has removed the file between our opening and locking it


def _inode(file: Path) -> int | None:
    try:
        return file.stat().st_ino
    except FileNotFoundError:
        return None
