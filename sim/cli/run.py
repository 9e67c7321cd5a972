"""The command ``run``: play pots, print what they tell, and draw it beside the store."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sim.cli.options import (
    DEFAULT_STORE,
    Anytime,
    Kill,
    Players,
    Policies,
    Pots,
    Quiet,
    Seed,
    Settings,
    game_names,
    load_page,
)
from sim.cli.printing import print_path
from sim.errors import InputError

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from sim.game import Game

MAIN_JOB = ("faces-of-death", "spades")


class Engine(StrEnum):
    """Who plays the blocks."""

    threads = "threads"
    dask = "dask"


def run(
    context: typer.Context,
    games: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="GAME",
            help="Shipped games, or paths of TOML pages (-: standard input); without any, both "
            "main games.",
            show_default=False,
            autocompletion=game_names,
        ),
    ] = None,
    plan: Annotated[
        Path | None,
        typer.Option(
            help="A plan file that says what to play instead (-: standard input).",
            show_default=False,
        ),
    ] = None,
    players: Players = "2-8",
    pots: Pots = "1M",
    seed: Seed = None,
    threads: Annotated[
        int | None,
        typer.Option(
            help="Threads, or workers of Dask's; one for each processor if not given.",
            show_default=False,
        ),
    ] = None,
    store: Annotated[Path, typer.Option(help="The SQLite file for results.")] = DEFAULT_STORE,
    kill: Kill = None,
    settings: Settings = None,
    policies: Policies = None,
    engine: Annotated[
        Engine, typer.Option(help="Who plays: threads of this process, or Dask's workers.")
    ] = Engine.threads,
    scheduler: Annotated[
        str | None,
        typer.Option(
            help="Address of a Dask scheduler, as tcp://10.0.0.1:8786; without one, workers "
            "are started here.",
            show_default=False,
        ),
    ] = None,
    anytime: Anytime = False,
    quiet: Quiet = False,
) -> None:
    """Play pots at each table size, print what they tell, and keep results and charts.

    A plan's target and the charts keep the ordinary 95 % interval, whatever is printed.
    """
    from sim.cli import runs
    from sim.parsing import count, table_sizes
    from sim.plan import grid
    from sim.policy import load_tables
    from sim.stats.frame import tidy_frame

    if plan is not None:
        wanted = runs.read_plan(context, plan)
    else:
        pages = list(dict.fromkeys(load_page(name, kill, settings) for name in games or MAIN_JOB))
        if len({page.digest for page in pages}) < len(pages):
            raise InputError(
                "two of these games have the same rules under two names: play one of them"
            )
        tables = load_tables(list(dict.fromkeys(policies or ["stay"])))
        if len(set(tables)) < len(tables):
            raise InputError("two of these policies act alike: play one of them")
        wanted = grid(pages, table_sizes(players), count(pots), seed, tables)
    totals, account = runs.play(wanted, store, threads, engine, scheduler, quiet=quiet)
    played = list(dict.fromkeys(scenario.game for scenario in wanted.scenarios))
    frame = tidy_frame(totals)
    charts = _save_charts(frame, played, store)
    shown = tidy_frame(totals, anytime=True) if anytime else frame
    runs.report(shown, played, account, anytime=anytime)
    print_path("Results", store)
    for chart in charts:
        print_path("Chart", chart)


def _save_charts(frame: "pd.DataFrame", pages: list["Game"], store: Path) -> list[Path]:
    """Draw each game beside the store, under the store's name unless that is the usual one.

    There is one chart for each policy, and one that compares them if there are several.
    """
    from sim import charts
    from sim.policy import STAY
    from sim.stats.frame import of_game

    saved = []
    study = "" if store.name == DEFAULT_STORE.name else f"{store.stem}-"

    def save(figure: "Figure", name: str) -> None:
        path = store.parent / f"{study}{name}.png"
        charts.save(figure, path)
        saved.append(path)

    for page in pages:
        rows = of_game(frame, page)
        policies = rows.policy.unique()
        for policy in policies:
            label = page.label if policy == STAY.name else f"{page.label} {policy}"
            part = rows[rows.policy == policy]
            save(charts.overview(part, page.title), charts.file_name(label))
        if len(policies) > 1:
            figure = charts.comparison(rows, page.title)
            save(figure, f"{charts.file_name(page.label)}-policies")
    return saved
