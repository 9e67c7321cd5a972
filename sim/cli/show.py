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
    from sim.parsing import player_counts

    page, sizes = load_page(game, kill, settings), player_counts(players)

    from sim import study

    print_frame(study.exact(page, sizes, policies=policies or ["stay"]), output)


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
    from sim.runs.store import Store

    with Store(store, write=False) as opened:
        say_what_is_lacking(opened)
        frame = study.status(opened)
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
    names = ["scenario", "game", "players", "policy", "seed", "pots"]
    short = frame[names].assign(scenario=frame.scenario.str[:8], until=limits)
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
    from sim.runs import cells
    from sim.runs.store import Store

    with Store(store, write=False) as opened:
        say_what_is_lacking(opened)
        base = cells.find(opened, a)
        others = list(dict.fromkeys(cells.find(opened, name) for name in b))
        if output is not Format.table:
            differences = cells.compare_all(opened, base, others, metrics or ())
            print_columns(differences.frame, output)
            say(f"a: {base}. b: {differences.basis}.")
            return
        compared = [(other, cells.compare(opened, base, other, metrics or ())) for other in others]
        for other, difference in compared:
            print_columns(difference.frame, output)
            print(f"a: {base}. b: {other}. {difference.basis}.")
