"""The commands ``export``, ``report`` and ``chart``: what a store holds, as files."""

from collections import deque
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sim import paths
from sim.cli.options import Quiet, StoreArgument
from sim.cli.printing import print_path, say_what_is_lacking
from sim.errors import InputError, NoData
from sim.stderr import say

if TYPE_CHECKING:
    from sim.charts import Drawing


class FileFormat(StrEnum):
    """How a table is written to a file."""

    csv = "csv"
    parquet = "parquet"
    json = "json"


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
        say_what_is_lacking(opened)
        made = exports.write(opened, path, output, cells=cells)
    if str(path) != paths.STANDARD:
        print_path("Table", made[0])
        print_path("Columns", made[1])


def report(
    store: StoreArgument,
    out: Annotated[
        Path, typer.Option(help="The folder to write; an earlier report there is replaced.")
    ],
    quiet: Quiet = False,
) -> None:
    """Execute the notebooks on a store, and write their pages, a table and figures to a folder."""
    from sim import report as reports
    from sim.runs.store import Store

    if paths.status(store):
        with Store(store, write=False) as opened:
            say_what_is_lacking(opened)

    def begin(name: str) -> None:
        if not quiet:
            say(f"Executing {name} …")

    made = reports.write(store, out, begin)
    print_path("Report", made.front)
    for name, reason in made.skipped.items():
        print(f"Left out: {name}: {reason}")


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
        say_what_is_lacking(opened.store)
        frame = opened.frame()
        drawings = charts.drawings(frame, opened.other_frames(frame))
    if not (everything or names):
        print(_listing(drawings))
        return
    chosen = drawings if everything else charts.chosen(drawings, names or [])
    made = charts.write(chosen, out or store.with_name(f"{store.stem}-charts"), wanted)
    try:
        for path in made:
            print_path("Chart", path)
    except BrokenPipeError:  # who reads this leaves, and all is drawn nevertheless
        deque(made, maxlen=0)
        raise


def _listing(drawings: "list[Drawing]") -> str:
    """Return a line for each chart that can be drawn: what it shows, and of which games."""
    from sim.charts import CHARTS

    games: dict[str, dict[str, None]] = {}
    for drawing in drawings:
        games.setdefault(drawing.chart, {})[drawing.games] = None
    return "\n".join(
        f"{name:<14} {CHARTS[name].words}: {', '.join(of)}" for name, of in games.items()
    )
