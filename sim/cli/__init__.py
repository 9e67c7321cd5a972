"""The command ``spadework``: words for all of it, and the only room that prints.

Commands are in ``commands``; what they print is put together in ``tables``, ``rule_card`` and
``narrate``. Heavy imports happen inside commands, so that ``--help`` answers at once.
"""

import io
import os
import sys

from typer.exceptions import Exit, TyperException

from sim.errors import InputError, Interrupted

INTERRUPTED, BAD_INPUT = 130, 2


def main(arguments: list[str] | None = None) -> int:
    """Run a command; return its exit code: 0, 2 for bad input (one sentence), 130 for Ctrl-C."""
    from sim.cli.commands import app

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a pipe may know no spades
    try:
        code = app(arguments, standalone_mode=False)
    except Exit as stop:
        return stop.exit_code
    except (InputError, TyperException) as error:
        print(_sentence(error), file=sys.stderr)
        return BAD_INPUT
    except Interrupted as stop:
        print(f"Interrupted: {stop}", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # the reader of a pipe, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return code if isinstance(code, int) else 0


def _sentence(error: Exception) -> str:
    text = error.format_message() if isinstance(error, TyperException) else str(error)
    return " ".join(text.split())
