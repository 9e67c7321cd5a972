"""What commands print of a frame, in the format that is asked for, and of files."""

from pathlib import Path
from typing import TYPE_CHECKING

from sim.cli.options import Format
from sim.paths import printable

if TYPE_CHECKING:
    import pandas as pd


def print_path(what: str, path: Path) -> None:
    """Say where something lies that was written."""
    print(f"{what + ':':<8} {printable(str(path))}")


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
