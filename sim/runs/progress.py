"""Progress of a run, said on stderr and never on stdout.

On a terminal and in a notebook one bar for the whole run; into a file a plain line now and then.
"""

import math
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO, cast

from rich import progress as rich
from rich.console import Console

from sim import arguments
from sim.kernels.compile import is_cold
from sim.runs.run import OnProgress, Progress
from sim.stderr import Stderr, say

LINE_SECONDS = 5.0
"""Between two plain lines."""


def check_progress(progress: object) -> bool | OnProgress:
    """Return what is to be called as a run goes on, or whether to show how far it is."""
    if callable(progress) and not isinstance(progress, type):
        return progress
    return arguments.flag(progress, "progress")


@contextmanager
def bar(*, quiet: bool) -> Iterator[OnProgress | None]:
    """Show how far a run is while it goes on; yield what tells it."""
    if quiet:
        yield None
    elif Stderr().isatty() or _in_notebook():
        yield from _live()
    else:
        yield _Lines().show


def _in_notebook() -> bool:
    """Whether stderr is shown in a notebook's cell, where a line can be written over."""
    return type(sys.stderr).__module__.startswith("ipykernel")


def _live() -> Iterator[OnProgress]:
    notebook = _in_notebook()
    console = Console(
        file=cast(TextIO, Stderr()),
        force_jupyter=False,
        force_terminal=True if notebook else None,
        width=110 if notebook else None,
    )
    columns = (rich.BarColumn(bar_width=24), rich.TextColumn("{task.description}", markup=False))
    with rich.Progress(
        *columns, console=console, transient=not notebook, refresh_per_second=2 if notebook else 10
    ) as live:
        task = live.add_task(starting(), total=None)
        yield lambda progress: live.update(
            task, completed=progress.played, total=progress.expected, description=describe(progress)
        )


class _Lines:
    """Plain lines for a file or a pipe, a few seconds apart."""

    def __init__(self) -> None:
        self._next = time.monotonic()
        say(starting())

    def show(self, progress: Progress) -> None:
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + LINE_SECONDS
            say(describe(progress))


def starting() -> str:
    """Say what happens before the first pot is played."""
    return "compiling for this machine, once: about a minute" if is_cold() else "starting"


def describe(progress: Progress) -> str:
    """Say how far a run is: pots, rate, half-width against target, time left."""
    of = "" if progress.expected is None else f" of {progress.expected:,}"
    parts = [f"{progress.played:,}{of} pots"]
    if progress.rate is not None:
        parts.append(f"{progress.rate:,.0f} a second")
    status = progress.precision_status
    if status and not math.isnan(status.half_width):
        target = "unknown" if math.isnan(status.wanted) else f"±{status.wanted:.2g}"
        parts.append(f"{progress.scenario} ±{status.half_width:.2g} for {target}")
    if progress.seconds_left is not None and not math.isnan(progress.seconds_left):
        parts.append(f"{duration(progress.seconds_left)} left")
    return ", ".join(parts)


def duration(seconds: float) -> str:
    """Say a time in words, as precisely as it can be known."""
    if math.isnan(seconds):
        return "unknown time"
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"
