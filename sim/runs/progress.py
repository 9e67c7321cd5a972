"""How a run says how far it is: on stderr, never on stdout.

On a terminal and in a notebook one bar for the whole run; into a file a plain line now and then.
"""

import math
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO, cast

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from sim.kernels.compile import is_cold
from sim.runs.run import Job, Moment
from sim.runs.run import Progress as Advance
from sim.stderr import Stderr, say

LINE_SECONDS = 5.0
"""Between two plain lines."""


@contextmanager
def bar(todo: list[Job], *, quiet: bool) -> Iterator[Advance | None]:
    """Show how far a run is while it goes on; yield what tells it."""
    if quiet or all(job.stop for job in todo):
        yield None
    elif Stderr().isatty() or _in_notebook():
        yield from _live()
    else:
        yield _Lines().advance


def _in_notebook() -> bool:
    """Whether stderr is shown in a notebook's cell, where a line can be written over."""
    return type(sys.stderr).__module__.startswith("ipykernel")


def _live() -> Iterator[Advance]:
    notebook = _in_notebook()
    console = Console(
        file=cast(TextIO, Stderr()),
        force_jupyter=False,
        force_terminal=True if notebook else None,
        width=110 if notebook else None,
    )
    columns = (BarColumn(bar_width=24), TextColumn("{task.description}", markup=False))
    with Progress(
        *columns, console=console, transient=not notebook, refresh_per_second=2 if notebook else 10
    ) as progress:
        task = progress.add_task(starting(), total=None)

        def advance(moment: Moment) -> None:
            progress.update(
                task, completed=moment.played, total=moment.expected, description=words(moment)
            )

        yield advance


class _Lines:
    """Plain lines for a file or a pipe, a few seconds apart."""

    def __init__(self) -> None:
        self._next = time.monotonic()
        say(starting())

    def advance(self, moment: Moment) -> None:
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + LINE_SECONDS
            say(words(moment))


def starting() -> str:
    """Say what happens before the first pot is played."""
    return "compiling for this machine, once: about a minute" if is_cold() else "starting"


def words(moment: Moment) -> str:
    """Say how far a run is: pots, rate, half-width against target, time left."""
    of = "" if moment.expected is None else f" of {moment.expected:,}"
    parts = [f"{moment.played:,}{of} pots"]
    if moment.rate is not None:
        parts.append(f"{moment.rate:,.0f} a second")
    if moment.standing and not math.isnan(moment.standing.half_width):
        wanted = moment.standing.wanted
        target = "unknown" if math.isnan(wanted) else f"±{wanted:.2g}"
        parts.append(f"{moment.scenario} ±{moment.standing.half_width:.2g} for {target}")
    return ", ".join([*parts, f"{duration(moment.seconds_left)} left"])


def duration(seconds: float | None) -> str:
    """Say a time in words, as precisely as it can be known."""
    if seconds is None or math.isnan(seconds):
        return "unknown time"
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"
