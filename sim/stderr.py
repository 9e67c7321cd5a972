"""What is said beside the results: on stderr, if there is one, and as long as it takes it.

A run must not end because nobody can be told how far it is: stderr may be missing (``2>&-``, a
program without a console), a closed file, a pipe whose reader has left, or any object.
"""

import sys
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

from sim.errors import printable

PACKAGE = Path(__file__).parent


class Stderr:
    """What ``sys.stderr`` is now, as a stream that loses what cannot be written."""

    def __init__(self) -> None:
        self._stream: Any = sys.stderr

    def write(self, text: str) -> int:
        """Write, if that can be done."""
        with suppress(Exception):
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        """Write what waits, if that can be done."""
        with suppress(Exception):
            self._stream.flush()

    def isatty(self) -> bool:
        """Whether it is a terminal, which can write over a line."""
        with suppress(Exception):
            return bool(self._stream.isatty())
        return False

    @property
    def encoding(self) -> str:
        """How it writes what is not ASCII; Rich asks."""
        return str(getattr(self._stream, "encoding", None) or "utf-8")


def say(line: str) -> None:
    """Write a line, or several, to stderr, without what would steer a terminal."""
    stderr = Stderr()
    stderr.write("".join(f"{printable(part)}\n" for part in line.split("\n")))
    stderr.flush()


def warn(notice: str) -> None:
    """Warn whoever called the package; where warnings are errors, raise."""
    level, frame = 1, sys._getframe()
    while frame.f_back and Path(frame.f_code.co_filename).is_relative_to(PACKAGE):
        level, frame = level + 1, frame.f_back
    try:
        warnings.warn(notice, stacklevel=level)
    except Warning:
        raise
    except Exception:  # noqa: S110 - what shows warnings writes to stderr as it is
        pass
