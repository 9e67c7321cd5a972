"""The command ``plan``: what a plan will play, and how long it takes."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sim.cli.options import DEFAULT_STORE, Format, OutputFormat, Threads
from sim.cli.printing import print_columns
from sim.stderr import say

if TYPE_CHECKING:
    import pandas as pd


def plan(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="PLAN", help="A plan file (TOML; -: standard input).", show_default=False
        ),
    ],
    store: Annotated[Path, typer.Option(help="The store it would go on from.")] = DEFAULT_STORE,
    threads: Threads = None,
    output: OutputFormat = Format.table,
) -> None:
    """Say what a plan will play, what is there already and how long it takes; run nothing."""
    from sim import plan as plans
    from sim.runs.progress import duration
    from sim.scenario import MOST_POTS
    from sim.study import Plan

    wanted = Plan.of(plans.with_notices(plans.load(path), say))
    frame = wanted.forecast(store, threads=threads)
    if output is not Format.table:
        print_columns(frame, output)
    else:
        times = frame.seconds.map(duration)
        short = frame.assign(scenario=frame.scenario.str[:8], seconds=times)
        print_columns(short if frame.at_most.any() else short.drop(columns="at_most"), output)
        precision = wanted.precision
        limits = [str(precision)] if precision else []
        limits += [f"{wanted.pots:,} pots"] if wanted.pots < MOST_POTS else []
        longest = wanted.max_seconds
        limits += [f"{longest:g} s for each scenario"] if longest is not None else []
        print(f"Until:   {', or '.join(limits)}")
        print(_to_play(frame))


def _to_play(frame: "pd.DataFrame") -> str:
    """Say what a plan leaves to be played, and how long that takes."""
    from sim.kernels.compile import is_cold
    from sim.runs.progress import duration

    pots, seconds = int(frame.to_play.sum()), float(frame.seconds.sum())
    if not pots:
        return "To play: nothing, all of it is there"
    about = "at most about" if frame.at_most.any() else "about"
    cold = ", and the first time about a minute of compiling" if is_cold() else ""
    return f"To play: {about} {pots:,} pots, {about} {duration(seconds)}{cold}"
