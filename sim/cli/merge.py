"""The command ``merge``: several stores become one."""

from pathlib import Path
from typing import Annotated

import typer


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
    from sim import study

    merged = study.merge(stores, into)
    print(f"{into} holds {merged.pots:,} pots, {merged.new:,} of them new.")
