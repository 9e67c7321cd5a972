"""What commands print of a frame, in the format that is asked for, and of files."""

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from sim.cli.options import Format
from sim.errors import printable
from sim.stderr import say

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import JustifyMethod
    from rich.table import Table

    from sim.runs.store import Store


def new_table(
    columns: Iterable[str],
    *,
    right: Collection[str] = (),
    whole: Collection[str] = (),
    title: str | None = None,
) -> "Table":
    """Return a table without rows; some columns stand at the ``right``, or stay ``whole``."""
    from rich import box
    from rich.table import Table

    table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left", padding=(0, 1, 0, 0))
    for name in columns:
        side: JustifyMethod = "right" if name in right else "left"
        table.add_column(name, justify=side, no_wrap=name in whole)
    return table


def say_what_is_lacking(store: "Store") -> None:
    """Say which counts some pots of a store lack, if any do, and how to add them."""
    if names := store.lacking_counts():
        say(
            f"{store.path} lacks {', '.join(names)} of some pots, and what is made of that is "
            f"blank there: spadework recount {store.path} adds it."
        )


def print_sentence(sentence: str) -> None:
    """Print what may hold a user's own path."""
    print(printable(sentence))


def print_path(what: str, path: Path) -> None:
    """Say where something lies that was written."""
    print_sentence(f"{what + ':':<8} {path}")


def print_frame(frame: "pd.DataFrame", output: Format, *, anytime: bool = False) -> None:
    """Print a frame of estimates, as a table by metric."""
    from sim.cli import tables

    if output is Format.table:
        tables.print_frame(frame, anytime=anytime)
    else:
        print_columns(frame, output)


def print_columns(frame: "pd.DataFrame", output: Format) -> None:
    """Print any frame, a row a line."""
    from sim import export
    from sim.cli import tables

    if output is Format.csv:
        print(frame.to_csv(index=False), end="")
    elif output is Format.json:
        print_json(export.records(frame))
    else:
        tables.print_columns(frame)


def print_json(records: object) -> None:
    """Print plain JSON values."""
    import json

    print(json.dumps(records, indent=1, ensure_ascii=False))
