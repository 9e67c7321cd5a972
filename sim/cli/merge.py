"""The commands ``merge`` and ``convert``: pots of other stores, brought into one."""

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


def convert(
    old: Annotated[
        Path,
        typer.Argument(help="A store that an earlier spadework has written.", show_default=False),
    ],
    into: Annotated[
        Path, typer.Option(help="The store that takes its pots in; made if it is not there.")
    ],
) -> None:
    """Bring the pots of a store of an earlier format into one of this; the old stays as it is."""
    from sim import study
    from sim.runs import convert as conversion

    with conversion.opened(old) as stores:
        taken = study.take_in(stores, into)
    print(f"{into} holds {taken.pots:,} pots, {taken.new:,} of them new.")
