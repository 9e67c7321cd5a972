"""Tables for other programs: a store's estimates or its raw tallies, each with its dictionary."""

import ast
import inspect
import tempfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sim import tally
from sim.arguments import one_of
from sim.errors import InputError
from sim.estimate import labels, policy_labels
from sim.store import Store
from sim.study import Study
from sim.tally import Counts, Tally

FORMATS = ("csv", "parquet", "json")
CHUNK = 256
"""Cells that are held in memory at a time."""

FRAME: dict[str, str] = {
    "game": "the game, with the options that differ from its page",
    "players": "players at the table",
    "policy": "how they play",
    "metric": "what is measured; spadework show STORE --explain defines each",
    "level": "which part of it: a street, a number, an amount in chips, a statistic",
    "estimate": "the estimate: a share from 0 to 1, or an amount, as the metric says",
    "se": "its standard error, from per-pot sums",
    "low": "lower end of the 95 % interval",
    "high": "upper end of the 95 % interval",
    "pots": "pots played",
    "exact": "the exact value, where there is one",
    "z": "(estimate - exact) / se, where that is close to normal",
}
CELLS: dict[str, str] = {
    "scenario": "hash of the rules, the table size and the policy",
    "game": FRAME["game"],
    "players": FRAME["players"],
    "policy": FRAME["policy"],
    "seed": "seed of the cards",
    "cell": "number of the cell: a fixed run of pots, from 0",
    "array": "array of the tally; each is defined below, with its shape",
    "place": "place in the array, counted through its last axis first, from 0",
    "value": "the count; places that hold 0 are left out",
}
"""The columns of the two tables."""


def write(store: Store, path: Path, kind: str, *, cells: bool = False) -> list[Path]:
    """Write estimates, or with ``cells`` the raw tallies; return the table and its dictionary."""
    parts = _cells(store) if cells else _estimates(store)
    return _save(parts, path, kind, cells=cells, store=store.path)


def write_frame(frame: pd.DataFrame, path: Path, kind: str) -> list[Path]:
    """Write a frame of ``Study.frame``; return the table and its dictionary."""
    return _save(iter([frame]), path, kind)


def _save(
    parts: Iterator[pd.DataFrame],
    path: Path,
    kind: str,
    *,
    cells: bool = False,
    store: Path | None = None,
) -> list[Path]:
    """Write a table, part by part, and its dictionary beside it; never over the store."""
    one_of(kind, FORMATS, "format")
    if not path.name:
        raise InputError(f"{path} is a folder: name a file in it, as in {path / 'study.csv'}")
    words = path.with_name(f"{path.stem}-columns.csv")
    try:
        if store and store.resolve() in (path.resolve(), words.resolve()):
            raise InputError(f"{path} would overwrite the store itself: name another file")
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=".export-") as room:
            table, columns = Path(room) / "table", Path(room) / "columns"
            {"csv": _csv, "json": _json, "parquet": _parquet}[kind](parts, table)
            _dictionary(cells=cells).to_csv(columns, index=False)
            table.replace(path)  # whole or not at all
            columns.replace(words)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}") from None
    return [path, words]


def _dictionary(*, cells: bool) -> pd.DataFrame:
    """Return what each column means, and of raw tallies each array, as ``Counts`` has it."""
    rows = [("column", *item) for item in (CELLS if cells else FRAME).items()]
    rows += [("array", *item) for item in (_arrays() if cells else {}).items()]
    return pd.DataFrame(rows, columns=["kind", "name", "meaning"])


def _arrays() -> dict[str, str]:
    """Return the arrays of a tally with what is written below each where they are declared."""
    body = ast.parse(inspect.getsource(Counts)).body[0]
    found: dict[str, str] = {}
    for field, text in pairwise(ast.iter_child_nodes(body)):
        if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr):
            name, meaning = ast.unparse(field.target), ast.literal_eval(text.value)
            found[name] = " ".join(str(meaning).split())
    kinds = " ".join((tally.__doc__ or "").split("``KINDS``")[-1].split())
    return {name: text.replace("KIND", "kinds") for name, text in found.items()} | {"kinds": kinds}


def _estimates(store: Store) -> Iterator[pd.DataFrame]:
    """Yield all estimates in one part, made when it is asked for."""
    yield Study(store, [(scenario, None) for scenario in store.scenarios()]).frame()


def _cells(store: Store) -> Iterator[pd.DataFrame]:
    """Yield all tallies in long form, some cells at a time."""
    parts = store.parts()
    names = labels(scenario for scenario, _ in parts)
    policies = policy_labels(scenario for scenario, _ in parts)
    frames: list[pd.DataFrame] = []
    for scenario, seed in parts:
        for cell in store.cells(scenario, seed):
            place = (
                scenario.key,
                names[scenario.key],
                scenario.players,
                policies[scenario.key],
                seed,
            )
            named: dict[str, Any] = dict(zip(CELLS, (*place, cell.number), strict=False))
            frames.append(_long(cell.tally).assign(**named)[list(CELLS)])
            if len(frames) == CHUNK:
                yield pd.concat(frames)
                frames = []
    if frames:
        yield pd.concat(frames)


def _long(tally: Tally) -> pd.DataFrame:
    """Return a tally's counts that are not 0: array, place, value."""
    sizes = [int(np.prod(shape)) for shape in tally.shapes.values()]
    arrays = np.repeat(list(tally.shapes), sizes)
    places = np.concatenate([np.arange(size) for size in sizes])
    used = tally.data != 0
    return pd.DataFrame({"array": arrays[used], "place": places[used], "value": tally.data[used]})


def _csv(parts: Iterator[pd.DataFrame], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        for number, part in enumerate(parts):
            part.to_csv(file, index=False, header=number == 0)


def _json(parts: Iterator[pd.DataFrame], path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.write("[")
        for number, part in enumerate(parts):
            rows = part.to_json(
                orient="records", lines=True, force_ascii=False, double_precision=15
            )
            file.write(",\n" if number else "\n")
            file.write(",\n".join(rows.strip().splitlines()))
        file.write("\n]\n")


def _parquet(parts: Iterator[pd.DataFrame], path: Path) -> None:
    try:
        import pyarrow as arrow
        from pyarrow import parquet
    except ImportError:
        raise InputError(
            "parquet needs pyarrow: pip install 'spadework[parquet]', or ask for csv"
        ) from None
    writer: Any = None
    try:
        for part in parts:
            table = arrow.Table.from_pandas(part, preserve_index=False)
            writer = writer or parquet.ParquetWriter(path, table.schema)
            writer.write_table(table)
    finally:
        if writer:
            writer.close()
