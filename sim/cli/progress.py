"""How a run says how far it is: on stderr, never on stdout."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from sim.run import Job
from sim.run import Progress as Advance
from sim.store import Store


@contextmanager
def bar(total: int, *, quiet: bool) -> Iterator[Advance | None]:
    """Show a bar of pots played while a run goes on; yield what tells it."""
    if quiet or not total:
        yield None
        return
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"), BarColumn(),
        TextColumn("{task.completed:,.0f} of {task.total:,.0f} pots,"),
        TimeElapsedColumn(), TextColumn("passed,"), TimeRemainingColumn(), TextColumn("left"),
    )  # fmt: skip
    with Progress(*columns, console=console) as progress:
        task = progress.add_task("Starting", total=total)

        def advance(played: int, _total: int) -> None:
            progress.update(task, completed=played, description="Playing")

        yield advance


def kept(jobs: list[Job], store: Store) -> str:
    """Say what an interrupted run leaves, and how to go on."""
    pots = sum(sum(store.pots(job.scenario, job.seed).values()) for job in jobs)
    return f"{pots:,} pots are kept in {store.path}; the same command goes on from there."


def account(jobs: list[Job]) -> str:
    """Say under which seeds was played, and what was there already."""
    seeds = sorted({job.seed for job in jobs})
    word = "Seed" if len(seeds) == 1 else "Seeds"
    had = sum(not job.missing for job in jobs)
    text = f"{word}:    {', '.join(map(str, seeds))}"
    if had:
        whole = "everything" if had == len(jobs) else f"{had} of {len(jobs)} scenarios"
        text += f" (the store had {whole} already)"
    return text
