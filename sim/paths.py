"""Files that a user names: read whole or refused, written whole or not at all.

They are regular files: a FIFO would wait for ever, a device has no end, and one that is replaced is
lost. ``-`` is standard input, or standard output.
"""

import errno
import os
import shutil
import stat
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sim.errors import InputError, brief

LARGEST = 1 << 20
"""Bytes of a text file, where nobody says otherwise."""
STANDARD = "-"
PREFIX = ".spadework-"
"""Of the folders in which something is made before it takes its place."""


def status(path: str | Path) -> os.stat_result | None:
    """Return what a path leads to, or None if nothing is there; refuse what cannot be asked."""
    try:
        return Path(path).stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise InputError(f"{brief(path)} cannot be used: {_reason(error)}") from None


def are_same(path: str | Path, other: str | Path) -> bool:
    """Whether two paths lead to one file."""
    first, second = status(path), status(other)
    return first is not None and second is not None and os.path.samestat(first, second)


def is_file(path: str | Path) -> bool:
    """Whether a regular file is there; False for what no file can be called, too."""
    try:
        return stat.S_ISREG(Path(path).stat().st_mode)
    except (OSError, ValueError):
        return False


def read_text(path: str | Path, what: str, largest: int = LARGEST) -> str:
    """Return the text of a regular file, or of standard input; ``what`` names it in errors."""
    try:
        return _read(path, largest).decode()
    except (OSError, ValueError) as error:
        raise InputError(f"{what} {brief(path)} cannot be read: {_reason(error)}") from None


def parse_toml(text: str, where: str) -> dict[str, Any]:
    """Return what a TOML text says; ``where`` names it in errors."""
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where} is not TOML: {error}") from None


def _read(path: str | Path, largest: int) -> bytes:
    if str(path) == STANDARD:
        stream = getattr(sys.stdin, "buffer", None)
        if stream is None:
            raise OSError(errno.EBADF, "standard input is closed")
        content: bytes = stream.read(largest + 1)
    else:
        _check_regular(path)
        with Path(path).open("rb") as file:
            content = file.read(largest + 1)
    if len(content) > largest:
        raise OSError(errno.EFBIG, f"it is larger than {largest:,} bytes: make it shorter")
    return content


def _check_regular(path: str | Path) -> None:
    if not stat.S_ISREG(Path(path).stat().st_mode):
        raise OSError(errno.EINVAL, "it is no regular file")


def _reason(error: OSError | ValueError) -> str:
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return "it is not text in UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)


@contextmanager
def placed(*paths: Path) -> Iterator[list[Path]]:
    """Yield a path to write to for each of these; all that was written then takes its place.

    All lie in one folder, which is made if need be. What is there already must be a regular file;
    a link stays, and what it leads to is replaced. Raises ``InputError`` if that cannot be.
    """
    with _writing(paths[0]):
        targets = [_target(path) for path in paths]
        folder = targets[0].parent if targets[0] else None
        with tempfile.TemporaryDirectory(dir=folder, prefix=PREFIX) as workspace:
            parts = [Path(workspace) / f"{index}{path.suffix}" for index, path in enumerate(paths)]
            yield parts
            for part, target in zip(parts, targets, strict=True):
                if target:
                    part.replace(target)
                else:
                    _pour(part)


def write_text(path: Path, text: str) -> None:
    """Write a text as ``placed`` does."""
    with placed(path) as (part,):
        part.write_text(text, encoding="utf-8")


@contextmanager
def placed_in(folder: Path, named: str | Path | None = None) -> Iterator[Path]:
    """Yield a new folder; the files and folders in it then take their places in this one.

    This one is made if need be. A folder of the same name goes, or stays if that fails. Raises
    ``InputError`` if it cannot be written, which calls it as it is ``named``.
    """
    with _writing(named or folder):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder, prefix=PREFIX) as workspace:
            made, old = Path(workspace) / "new", Path(workspace) / "old"
            made.mkdir()
            old.mkdir()
            yield made
            for part in sorted(made.iterdir()):
                _take_place(part, folder / part.name, old / part.name)


def _take_place(part: Path, target: Path, old: Path) -> None:
    """Put what is finished where it belongs; a folder there goes, or stays if that fails."""
    if target.is_dir():
        target.rename(old)
    try:
        part.replace(target)
    except OSError:
        if old.exists():
            old.rename(target)
        raise


@contextmanager
def _writing(path: str | Path) -> Iterator[None]:
    """Refuse in a sentence what the system refuses."""
    try:
        yield
    except BrokenPipeError:  # who read standard output has seen enough
        raise
    except OSError as error:
        raise InputError(f"{brief(path)} cannot be written: {_reason(error)}") from None


def _target(path: Path) -> Path | None:
    """Return where a file will lie, in a folder that is there; None for standard output."""
    if str(path) == STANDARD:
        return None
    if status(path) is not None:
        _check_regular(path)
    target = Path(os.path.realpath(path))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise NotADirectoryError(errno.ENOTDIR, f"{brief(target.parent)} is no folder") from None
    return target


def _pour(part: Path) -> None:
    stream = getattr(sys.stdout, "buffer", None)
    if stream is None:
        raise OSError(errno.EBADF, "standard output is closed")
    sys.stdout.flush()
    with part.open("rb") as file:
        shutil.copyfileobj(file, stream)
