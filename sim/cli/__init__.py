"""The command ``spadework``: words for all of it, and the only module that prints.

``commands`` lists the commands, each of which is in a file called after it or its like; what they
print is put together in ``printing``, ``tables``, ``rule_card`` and ``narrate``. Heavy imports
happen inside commands, so that ``--help`` answers at once.
"""

import gc
import io
import os
import re
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from typer.exceptions import Abort, Exit, TyperException

from sim.errors import LONGEST_NAME, Failed, InputError, Interrupted, printable
from sim.stderr import Stderr, say

FAILED, BAD_INPUT, INTERRUPTED, TERMINATED = 1, 2, 130, 143
EXIT_CODES: dict[int, str] = {
    0: "done",
    FAILED: "something outside ended it, as when all workers of a cluster are gone: one sentence",
    BAD_INPUT: "bad input: one sentence on stderr names it and the way out, and nothing is written",
    INTERRUPTED: "Ctrl-C: what is finished is kept, and the same command goes on from there",
    TERMINATED: "SIGTERM: the same",
}
GARBAGE = 200_000
"""New objects between two searches for garbage; Python's 700 cost a tenth of a short run."""


def script() -> None:
    """Run a command as a process of its own."""
    gc.set_threshold(GARBAGE)
    _open_streams()
    code = main()
    gc.freeze()  # or Python looks through everything again for garbage before it ends
    if code in (INTERRUPTED, TERMINATED):  # threads may be in the middle of a block: leave them
        sys.stdout.flush()
        Stderr().flush()
        os._exit(code)
    sys.exit(code)


def _open_streams() -> None:
    """Lead what a process was begun without (``2>&-``) nowhere, or files get those numbers."""
    while (nowhere := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(nowhere, True)
    os.close(nowhere)
    for name, number in (("stdout", 1), ("stderr", 2)):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, "w", closefd=False))


def main(arguments: list[str] | None = None) -> int:
    """Run a command; return its exit code, as ``EXIT_CODES`` has them."""
    with _stops() as stopped:
        code = _until_read(arguments)
    return TERMINATED if code == INTERRUPTED and signal.SIGTERM in stopped else code


@contextmanager
def _stops() -> Iterator[list[int]]:
    """Take SIGTERM as Ctrl-C; yield the signals that came."""
    came: list[int] = []

    def stop(number: int, _frame: FrameType | None) -> None:
        came.append(number)
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield came
        return
    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield came
    finally:
        signal.signal(signal.SIGTERM, before)


def _until_read(arguments: list[str] | None) -> int:
    """Run a command; that the reader of a pipe, such as head, has seen enough is no failure."""
    code = 0
    try:
        code = _run(arguments)
        sys.stdout.flush()
    except (BrokenPipeError, SystemExit) as stop:  # Rich ends a broken pipe with the latter
        if not isinstance(stop.__context__ or stop, BrokenPipeError):
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code


def _run(arguments: list[str] | None) -> int:
    try:
        from sim.cli.commands import app

        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="replace")  # a pipe may know no spades
        code = app(arguments, standalone_mode=False)
    except Exit as stop:
        return stop.exit_code
    except (InputError, TyperException) as error:
        say(_sentence(error))
        return BAD_INPUT
    except Failed as failure:
        say(_sentence(failure))
        return FAILED
    except Interrupted as stop:
        say(f"Interrupted: {stop}")
        return INTERRUPTED
    except (KeyboardInterrupt, Abort):
        return INTERRUPTED
    return code if isinstance(code, int) else 0


def _sentence(error: Exception) -> str:
    """Return what an error says on one line; typer repeats words of any length."""
    text = error.format_message() if isinstance(error, TyperException) else str(error)
    short = re.sub(rf"(\S{{{LONGEST_NAME}}})\S+", r"\1…", text)
    return printable(" ".join(short.split()))
