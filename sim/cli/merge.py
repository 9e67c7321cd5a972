"""The commands ``merge`` and ``convert``: pots of other stores, brought into one."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sim.cli.printing import print_sentence

if TYPE_CHECKING:
    from sim.study import Merged


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

    _account(study.merge(stores, into), into)


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
    _account(taken, into)


def _account(merged: "Merged", into: Path) -> None:
    print_sentence(f"{into} holds {merged.pots:,} pots, {merged.new:,} of them new.")
