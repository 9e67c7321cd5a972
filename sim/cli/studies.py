"""The commands about plans and stores, one function each."""

import os
from collections import deque
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sim import paths
from sim.cli.commands import DEFAULT_STORE, Format, OutputFormat, app, print_columns, print_path
from sim.errors import InputError, NoData
from sim.stderr import say

if TYPE_CHECKING:
    import pandas as pd

    from sim.charts import Drawing

StoreArgument = Annotated[
    Path, typer.Argument(help="A store that a run has written.", show_default=False)
]


class FileFormat(StrEnum):
    """How a table is written to a file."""

    csv = "csv"
    parquet = "parquet"
    json = "json"


@app.command()
def plan(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="PLAN", help="A plan file (TOML; -: standard input).", show_default=False
        ),
    ],
    store: Annotated[Path, typer.Option(help="The store it would go on from.")] = DEFAULT_STORE,
    threads: Annotated[
        int | None,
        typer.Option(help="Threads; one for each processor if not given.", show_default=False),
    ] = None,
    output: OutputFormat = Format.table,
) -> None:
    """Say what a plan will play, what is there already and how long it takes; run nothing."""
    from sim import plan as plans
    from sim.runs.forecast import forecast
    from sim.runs.progress import duration
    from sim.runs.run import check_threads
    from sim.runs.store import Store
    from sim.scenario import MOST_POTS

    found = plans.load(path)
    for notice in found.notices:
        say(notice)
    with Store(store, write=False) if paths.status(store) else Store(None) as opened:
        frame = forecast(found.plan, opened, check_threads(threads))
    if output is not Format.table:
        print_columns(frame, output)
    else:
        times = frame.seconds.map(duration)
        print_columns(frame.assign(scenario=frame.scenario.str[:8], seconds=times), output)
        asked = found.plan.precision
        limits = [str(asked)] if asked else []
        limits += [f"{found.plan.pots:,} pots"] if found.plan.pots < MOST_POTS else []
        longest = found.plan.max_seconds
        limits += [f"{longest:g} s for each scenario"] if longest is not None else []
        print(f"Until:   {', or '.join(limits)}")
        print(_to_play(frame, exactly=not asked and longest is None))


def _to_play(frame: "pd.DataFrame", *, exactly: bool) -> str:
    """Say what a plan leaves to be played, and how long that takes."""
    from sim.kernels.compile import is_cold
    from sim.runs.progress import duration

    pots, seconds = int(frame.to_play.sum()), float(frame.seconds.sum())
    if not pots:
        return "To play: nothing, all of it is there"
    about = "about" if exactly else "at most about"
    cold = ", and the first time about a minute of compiling" if is_cold() else ""
    return f"To play: {about} {pots:,} pots, {about} {duration(seconds)}{cold}"


@app.command()
def status(store: StoreArgument, output: OutputFormat = Format.table) -> None:
    """Say how far each scenario of a store is: done, target, half-width, seconds, stop reason."""
    from sim import study
    from sim.runs.store import Store

    with Store(store, write=False) as opened:
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
    words = zip(
        frame.precision, frame.target.map(_number), frame.max_seconds.map(_time), strict=True
    )
    limits = [", ".join(filter(None, parts)) for parts in words]
    names = ["scenario", "game", "players", "policy", "seed", "pots"]
    short = frame[names].assign(scenario=frame.scenario.str[:8], until=limits)
    return short.assign(half_width=frame.half_width, seconds=frame.seconds, stop=frame.stop)


def _is_same(path: Path, into: Path) -> bool:
    one, other = paths.status(path), paths.status(into)
    return one is not None and other is not None and os.path.samestat(one, other)


@app.command()
def merge(
    stores: Annotated[
        list[Path],
        typer.Argument(metavar="STORE", help="Stores to bring together.", show_default=False),
    ],
    into: Annotated[
        Path, typer.Option(help="The store that takes them in; made if it is not there.")
    ],
) -> None:
    """Bring several stores together: seeds add, and what is the same is there once."""
    from contextlib import ExitStack

    from sim.runs.store import Store

    fresh, made = paths.status(into) is None, False
    try:
        with ExitStack() as stack:
            here = [path for path in dict.fromkeys(stores) if not _is_same(path, into)]
            others = [stack.enter_context(Store(path, write=False)) for path in here]
            for other in others:
                other.scenarios()  # what cannot be read is refused before anything is made
            target = stack.enter_context(Store(into))
            stack.enter_context(target.writing())
            before = sum(target.total(*part).pots for part in target.parts())
            made = fresh and not before
            target.take_in(others)
            after = sum(target.total(*part).pots for part in target.parts())
    except InputError:
        if made:  # what could not be brought together is no store
            into.unlink(missing_ok=True)
        raise
    print(f"{into} holds {after:,} pots, {after - before:,} of them new.")


@app.command()
def export(
    store: StoreArgument,
    output: Annotated[FileFormat, typer.Option("--format", help="What to write.")] = FileFormat.csv,
    cells: Annotated[
        bool, typer.Option("--cells", help="The raw tallies of every cell instead of estimates.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            help="The file, beside the store if not given; - is standard output, for the table "
            "alone.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Write what a store holds to a file for other programs, and its columns to another."""
    from sim import export as exports
    from sim.runs.store import Store

    with Store(store, write=False) as opened:
        path = out or store.with_name(f"{store.stem}{'-cells' if cells else ''}.{output}")
        if not opened.scenarios():
            raise NoData.in_store(store, "write")
        made = exports.write(opened, path, output, cells=cells)
    if str(path) != paths.STANDARD:
        print_path("Table", made[0])
        print_path("Columns", made[1])


@app.command()
def report(
    store: StoreArgument,
    out: Annotated[
        Path, typer.Option(help="The folder to write; an earlier report there is replaced.")
    ],
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress on stderr.")] = False,
) -> None:
    """Execute the notebooks on a store, and write their pages, a table and figures to a folder."""
    from sim import report as reports

    def begin(name: str) -> None:
        if not quiet:
            say(f"Executing {name} …")

    made = reports.write(store, out, begin)
    print_path("Report", made.front)
    for name, reason in made.skipped.items():
        print(f"Left out: {name}: {reason}")


@app.command()
def chart(
    store: StoreArgument,
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME",
            help="Charts to draw; without any, and without --all, those that can be are listed.",
            show_default=False,
        ),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Draw every chart.")] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            help="The folder for the charts; one beside the store if not given.",
            show_default=False,
        ),
    ] = None,
    formats: Annotated[
        str | None,
        typer.Option("--format", help="png, svg or both.", show_default="png,svg"),
    ] = None,
) -> None:
    """Draw charts of what a store holds, one file each, or list what can be drawn."""
    from sim import charts, study

    if everything and names:
        raise InputError(f"--all draws {names[0]} as well: name charts, or say --all")
    if (out or formats) and not (everything or names):
        raise InputError("nothing is to be drawn: name charts, or say --all")
    wanted = charts.file_formats(formats or "png,svg")
    with study.open_study(store) as opened:
        if not opened.parts:
            raise NoData.in_store(store, "draw")
        frame = opened.frame()
        found = charts.drawings(frame, opened.other_frames(frame))
    if not (everything or names):
        print(_listing(found))
        return
    chosen = found if everything else charts.chosen(found, names or [])
    made = charts.write(chosen, out or store.with_name(f"{store.stem}-charts"), wanted)
    try:
        for path in made:
            print_path("Chart", path)
    except BrokenPipeError:  # who reads this leaves, and all is drawn nevertheless
        deque(made, maxlen=0)
        raise


def _listing(found: "list[Drawing]") -> str:
    """Return a line for each chart that can be drawn: what it shows, and of which games."""
    from sim.charts import CHARTS

    games: dict[str, dict[str, None]] = {}
    for drawing in found:
        games.setdefault(drawing.chart, {})[drawing.games] = None
    return "\n".join(
        f"{name:<14} {CHARTS[name].words}: {', '.join(of)}" for name, of in games.items()
    )


@app.command()
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
    from sim import pairs
    from sim.runs.store import Store

    with Store(store, write=False) as opened:
        one = pairs.find(opened, a)
        others = list(dict.fromkeys(pairs.find(opened, name) for name in b))
        if output is not Format.table:
            several = pairs.compare_all(opened, one, others, metrics or ())
            print_columns(several.frame, output)
            say(f"a: {one}. b: {several.basis}.")
            return
        compared = [(other, pairs.compare(opened, one, other, metrics or ())) for other in others]
        for other, found in compared:
            print_columns(found.frame, output)
            print(f"a: {one}. b: {other}. {found.basis}.")
