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
from sim.cli.printing import print_path, say_what_is_lacking
from sim.errors import InputError
from sim.stderr import say

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from sim.game import Game
    from sim.policy import Policy
    from sim.runs.run import Job
    from sim.scenario import Plan

MAIN_JOB = ("faces-of-death", "spades")
IN_THE_PLAN = ("games", "players", "pots", "seed", "kill", "settings", "policies")
"""What a plan file says, so that the command line cannot."""


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
    from sim.cli.tables import print_summary
    from sim.parsing import count, table_sizes
    from sim.plan import grid
    from sim.policy import load_tables
    from sim.runs.collection import collect
    from sim.stats.frame import tidy_frame
    from sim.study import Study

    if plan is not None:
        wanted = _read_plan(context, plan)
    else:
        pages = list(dict.fromkeys(load_page(name, kill, settings) for name in games or MAIN_JOB))
        tables = load_tables(list(dict.fromkeys(policies or ["stay"])))
        _check_unlike(pages, tables)
        wanted = grid(pages, table_sizes(players), count(pots), seed, tables)
    _check_names(wanted)
    done = collect(wanted, store, threads, not quiet, engine, scheduler)
    with Study.of(done) as study:
        say_what_is_lacking(study.store)
        totals, account = study.totals(), _account(done.jobs)
    played = list(dict.fromkeys(scenario.game for scenario in wanted.scenarios))
    frame = tidy_frame(totals)
    charts = _save_charts(frame, played, store)
    shown = tidy_frame(totals, anytime=True) if anytime else frame
    print_summary(shown, played, anytime=anytime)
    print(account)
    print_path("Results", store)
    for chart in charts:
        print_path("Chart", chart)


def _read_plan(context: typer.Context, path: Path) -> "Plan":
    """Read a plan file, and refuse options that contradict it; notices go to stderr."""
    from sim import plan as plans

    for name in IN_THE_PLAN:
        if getattr(context.get_parameter_source(name), "name", "") == "COMMANDLINE":
            word = {"games": "a game", "settings": "--set", "policies": "--policy"}.get(
                name, f"--{name}"
            )
            raise InputError(f"{word} is for the plan to say: leave it out, or edit {path}")
    return plans.with_notices(plans.load(path), say)


def _check_unlike(pages: list["Game"], tables: list[tuple["Policy", ...]]) -> None:
    if len({page.digest for page in pages}) < len(pages):
        raise InputError("two of these games have the same rules under two names: play one of them")
    if len(set(tables)) < len(tables):
        raise InputError("two of these policies act alike: play one of them")


def _check_names(plan: "Plan") -> None:
    games = {scenario.game.digest: scenario.game.label for scenario in plan.scenarios}
    if len(set(games.values())) < len(games):
        raise InputError("two of these games have the same name and different rules: rename one")
    names = {(table.players, table.acts): (table.players, table.policy) for table in plan.scenarios}
    if len(set(names.values())) < len(names):
        raise InputError("two of these policies have the same name and act differently: rename one")


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


def _account(jobs: list["Job"]) -> str:
    """Say under which seeds was played, what was there already, and why each scenario stopped."""
    finished = sum(job.total == job.had for job in jobs)
    seeds = sorted({job.seed for job in jobs})
    word = "Seed" if len(seeds) == 1 else "Seeds"
    text = f"{word}:    {', '.join(map(str, seeds))}"
    if finished == len(jobs):
        text += " (the store had everything already)\nFinished: there is nothing to do."
    elif finished:
        text += f" (the store had {finished} of {len(jobs)} scenarios already)"
    return "\n".join([text, *(_reason(job) for job in jobs if job.precision or job.max_seconds)])


def _reason(job: "Job") -> str:
    status, why = job.precision_status, ""
    if job.stop == "precision" and status:
        why = f"known sharply enough at {status.pots:,} pots"
    elif job.stop == "pots":
        why = f"stopped at its largest number of pots, {job.max_pots:,}"
    elif job.stop == "seconds":
        why = (
            f"stopped by its {job.max_seconds:g} seconds at {job.total:,} pots: "
            "another machine would stop elsewhere"
        )
    if status:
        why += f", {status.estimate:.6g} ±{status.half_width:.2g} for ±{status.wanted:.2g}"
    return f"Stop:    {job.scenario}: {why}"
