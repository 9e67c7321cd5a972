"""The command ``merge``: several stores become one."""

import os
from pathlib import Path
from typing import Annotated

import typer

from sim import paths
from sim.errors import InputError


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


def _is_same(path: Path, into: Path) -> bool:
    source, target = paths.status(path), paths.status(into)
    return source is not None and target is not None and os.path.samestat(source, target)
