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

from sim.errors import InputError, printable

LARGEST = 1 << 20
"""Bytes of a text file, where nobody says otherwise."""
STANDARD = "-"
LONGEST_SHOWN = 200
"""Letters of a name in a sentence."""


def shown(path: object) -> str:
    """Return a name, or what another program says, as a sentence has it: in one line, not long."""
    text = printable(" ".join(str(path).split()))
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"


def status(path: str | Path) -> os.stat_result | None:
    """Return what a path leads to, or None if nothing is there; refuse what cannot be asked."""
    try:
        return Path(path).stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise InputError(f"{shown(path)} cannot be used: {_reason(error)}") from None


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
        raise InputError(f"{what} {shown(path)} cannot be read: {_reason(error)}") from None


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
    try:
        places = [_place(path) for path in paths]
        folder = places[0].parent if places[0] else None
        with tempfile.TemporaryDirectory(dir=folder, prefix=".spadework-") as room:
            parts = [Path(room) / f"{number}{path.suffix}" for number, path in enumerate(paths)]
            yield parts
            for part, place in zip(parts, places, strict=True):
                if place:
                    part.replace(place)
                else:
                    _pour(part)
    except BrokenPipeError:  # who read standard output has seen enough
        raise
    except OSError as error:
        raise InputError(f"{shown(paths[0])} cannot be written: {_reason(error)}") from None


def _place(path: Path) -> Path | None:
    """Return where a file will lie, in a folder that is there; None for standard output."""
    if str(path) == STANDARD:
        return None
    if status(path) is not None:
        _check_regular(path)
    place = Path(os.path.realpath(path))
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise NotADirectoryError(errno.ENOTDIR, f"{shown(place.parent)} is no folder") from None
    return place


def _pour(part: Path) -> None:
    stream = getattr(sys.stdout, "buffer", None)
    if stream is None:
        raise OSError(errno.EBADF, "standard output is closed")
    sys.stdout.flush()
    with part.open("rb") as file:
        shutil.copyfileobj(file, stream)
