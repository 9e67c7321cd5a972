"""The commands ``show``, ``exact``, ``status`` and ``diff``: frames, printed."""

from typing import TYPE_CHECKING, Annotated

import typer

from sim.cli.options import (
    Anytime,
    Controlled,
    Format,
    GameArgument,
    Kill,
    OutputFormat,
    Players,
    Policies,
    Settings,
    StoreArgument,
    load_page,
)
from sim.cli.printing import print_columns, print_frame, say_what_is_lacking
from sim.errors import NoData
from sim.stderr import say

if TYPE_CHECKING:
    import pandas as pd

    from sim.study import Study


def exact(
    game: GameArgument,
    players: Players = "2-8",
    output: OutputFormat = Format.table,
    kill: Kill = None,
    settings: Settings = None,
    policies: Policies = None,
) -> None:
    """Print the exact values of a game, without playing a pot."""
    from sim import study

    page = load_page(game, kill, settings)
    print_frame(study.exact(page, players, policies=policies or ["stay"]), output)


def show(
    store: StoreArgument,
    output: OutputFormat = Format.table,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say what each metric means instead.")
    ] = False,
    anytime: Anytime = False,
    controlled: Controlled = False,
) -> None:
    """Print every estimate that a store holds, all seeds of a scenario together."""
    from sim import study

    with study.open_study(store) as opened:
        if not opened.parts:
            say(f"{NoData.in_store(store)}.")
        say_what_is_lacking(opened.store)
        if explain:
            _explain(opened)
        elif controlled:
            estimates = opened.controlled(anytime=anytime)
            print_frame(estimates.frame, output)
            for line in estimates.basis:
                (print if output is Format.table else say)(line)
        elif opened.parts or output is not Format.table:
            print_frame(opened.frame(anytime=anytime), output, anytime=anytime)


def _explain(study: "Study") -> None:
    from sim.cli import tables
    from sim.stats.metrics import METRICS

    present = set(study.frame().metric)
    tables.print_definitions(
        {name: metric.definition for name, metric in METRICS.items() if name in present}
    )


def status(store: StoreArgument, output: OutputFormat = Format.table) -> None:
    """Say how far each scenario of a store is: done, target, half-width, seconds, stop reason."""
    from sim import study

    with study.open_study(store) as opened:
        say_what_is_lacking(opened.store)
        frame = opened.status()
    if frame.empty:
        say(f"{NoData.in_store(store)}.")
    if output is not Format.table:
        print_columns(frame, output)
    elif len(frame):
        print_columns(_short(frame), output)


def _number(pots: float) -> str:
    return "" if pots != pots else f"{pots:,.0f} pots"  # NaN: none


def _time(seconds: float) -> str:
    from sim.runs.progress import duration

    return "" if seconds != seconds else duration(seconds)


def _short(frame: "pd.DataFrame") -> "pd.DataFrame":
    """Return a status as it fits on a terminal."""
    parts = zip(
        frame.precision, frame.target.map(_number), frame.max_seconds.map(_time), strict=True
    )
    limits = [", ".join(filter(None, row)) for row in parts]
    from sim.stats.frame import flat

    names = ["scenario", "game", "players", "policy", "seed", "pots"]
    short = flat(frame)[names].assign(scenario=frame.scenario.str[:8], until=limits)
    return short.assign(half_width=frame.half_width, seconds=frame.seconds, stop=frame.stop)


def diff(
    store: StoreArgument,
    a: Annotated[
        str,
        typer.Argument(
            help="A scenario: the start of its hash (see status), or GAME:PLAYERS[:POLICY].",
            show_default=False,
        ),
    ],
    b: Annotated[
        list[str],
        typer.Argument(metavar="B", help="Another, or several.", show_default=False),
    ],
    metrics: Annotated[
        list[str] | None,
        typer.Option(
            "--metric", help="Print this metric alone; repeat it for several.", show_default=False
        ),
    ] = None,
    output: OutputFormat = Format.table,
) -> None:
    """Print how a scenario differs from others, on the same cards where they share them."""
    from sim import study

    with study.open_study(store) as opened:
        say_what_is_lacking(opened.store)
        base, others = opened.scenario(a), list(dict.fromkeys(map(opened.scenario, b)))
        if output is not Format.table:
            difference = opened.diff(base, *others, metrics=metrics or ())
            print_columns(difference.frame, output)
            say(f"a: {base}. b: {difference.basis}.")
            return
        for difference in [opened.diff(base, other, metrics=metrics or ()) for other in others]:
            print_columns(difference.frame.drop(columns="versus"), output)
            print(f"a: {base}. b: {difference.basis}.")
