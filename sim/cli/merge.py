"""The commands ``merge`` and ``convert``: pots of other stores, brought into one."""

import os
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sim import paths
from sim.errors import InputError

if TYPE_CHECKING:
    from sim.runs.store import Store


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
    from sim.runs.store import Store

    with ExitStack() as stack:
        others = [path for path in dict.fromkeys(stores) if not _is_same(path, into)]
        _take_in([stack.enter_context(Store(path, write=False)) for path in others], into)


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
    from sim.runs import convert as conversion

    with conversion.opened(old) as stores:
        _take_in(stores, into)


def _take_in(others: "Sequence[Store]", into: Path) -> None:
    """Bring open stores into that of a path, made if it is not there, and say what it holds."""
    from sim.runs.store import Store

    fresh, made = paths.status(into) is None, False
    try:
        for other in others:
            other.scenarios()  # what cannot be read is refused before anything is made
        with Store(into) as target, target.writing():
            before = target.all_pots()
            made = fresh and not before
            target.take_in(others)
            after = target.all_pots()
    except InputError:
        if made:  # what could not be brought together is no store
            into.unlink(missing_ok=True)
        raise
    print(f"{into} holds {after:,} pots, {after - before:,} of them new.")


def _is_same(path: Path, into: Path) -> bool:
    source, target = paths.status(path), paths.status(into)
    return source is not None and target is not None and os.path.samestat(source, target)
