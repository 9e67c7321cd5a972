"""Tables for other programs: a store's estimates or its raw tallies, each with its dictionary."""

import ast
import inspect
import json
import os
from collections.abc import Hashable, Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sim import paths, tally
from sim.arguments import one_of
from sim.errors import InputError
from sim.runs.store import Store
from sim.stats.frame import OPTIONS, names
from sim.study import Study
from sim.tally import Counts, Tally

FORMATS = ("csv", "parquet", "json")
CHUNK = 256
"""Cells that are held in memory at a time."""

FRAME: dict[str, str] = {
    "game": "the game; an option in which a page or a game of the same name differs is a column",
    "players": "players at the table",
    "policy": "how they play",
    "metric": "what is measured; spadework show STORE --explain defines each",
    "level": "which part of it: a street, a number, an amount in chips, a statistic",
    "estimate": "the estimate: a share from 0 to 1, or an amount, as the metric says",
    "se": "its standard error, from per-pot sums",
    "low": "lower end of the 95 % interval",
    "high": "upper end of the 95 % interval",
    "pots": "pots that it is taken from: those that have all that it is made of",
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
    "array": "array of the tally; each is defined below, with its shape; then come the chips of a "
    "toll unit and of a pot unit, by scenario",
    "place": "place in the array, counted through its last axis first, from 0",
    "value": "the count; places that hold 0 are left out, and what the cell lacks has one row, "
    "without place and value",
}
"""The columns of the two tables."""


def write(store: Store, path: Path, kind: str, *, cells: bool = False) -> list[Path]:
    """Write estimates, or with ``cells`` the raw tallies; return the table and its dictionary.

    ``-`` is standard output, which takes the table alone.
    """
    parts = _cells(store) if cells else _estimates(store)
    columns = _with_options(CELLS if cells else FRAME, names(store.scenarios()).columns)
    return _save(parts, path, kind, columns, store=store, cells=cells)


def write_rows(
    parts: Iterator[pd.DataFrame], path: Path, kind: str, columns: dict[str, str]
) -> list[Path]:
    """Write frames of these columns, one after another; return the table and its dictionary."""
    return _save(parts, path, kind, columns)


def write_frame(frame: pd.DataFrame, path: Path, kind: str) -> list[Path]:
    """Write a frame of ``Study.frame``; return the table and its dictionary."""
    return _save(iter([frame]), path, kind, _with_options(FRAME, frame.columns))


def _save(
    parts: Iterator[pd.DataFrame],
    path: Path,
    kind: str,
    columns: dict[str, str],
    *,
    store: Store | None = None,
    cells: bool = False,
) -> list[Path]:
    """Write a table, part by part, and its dictionary beside it; never over the store."""
    one_of(kind, FORMATS, "format")
    if not path.name:
        raise InputError(f"{path} is a folder: name a file in it, as in {path / 'study.csv'}")
    beside = path.with_name(f"{path.stem}-columns.csv")
    if (
        store
        and store.path
        and os.path.realpath(store.path) in map(os.path.realpath, (path, beside))
    ):
        raise InputError(f"{path} would overwrite the store itself: name another file")
    wanted = [path] if str(path) == paths.STANDARD else [path, beside]
    with paths.placed(*wanted) as (table, *dictionary):
        {"csv": _csv, "json": _json, "parquet": _parquet}[kind](parts, table)
        for meanings in dictionary:
            frame = _dictionary(columns, store if cells else None)
            frame.to_csv(meanings, index=False)
    return wanted


def records(frame: pd.DataFrame) -> list[dict[Hashable, Any]]:
    """Return a frame's rows as plain JSON values; None for what is not there.

    ``json`` writes a float so that the same one is read back; pandas' own ``to_json`` knows
    fifteen decimals at most.
    """
    known = frame.notna() & ~frame.isin([np.inf, -np.inf])
    return frame.astype(object).where(known, None).to_dict("records")


def _with_options(columns: dict[str, str], there: Iterable[str]) -> dict[str, str]:
    """Return the meanings of columns, and behind ``game`` those of the options that are there."""
    options = {name: f"the option {name} of the game's page" for name in there if name in OPTIONS}
    meanings: dict[str, str] = {}
    for name, meaning in columns.items():
        meanings |= {name: meaning} | (options if name == "game" else {})
    return meanings


def _dictionary(columns: dict[str, str], store: Store | None) -> pd.DataFrame:
    """Return what each column means; of a store's raw tallies also each array, and its units."""
    rows: list[tuple[str, str, object]] = [("column", *item) for item in columns.items()]
    if store:
        rows += [("array", *item) for item in _arrays().items()]
    for scenario in store.scenarios() if store else ():
        units = tally.amounts(scenario.game, scenario.players, bets=scenario.bets)
        rows += [("toll unit", scenario.key, units.toll_unit)]
        rows += [("pot unit", scenario.key, units.pot_unit)]
    return pd.DataFrame(rows, columns=["kind", "name", "meaning"])


def _arrays() -> dict[str, str]:
    """Return the arrays of a tally with what is written below each where they are declared."""
    body = ast.parse(inspect.getsource(Counts)).body[0]
    meanings: dict[str, str] = {}
    for field, text in pairwise(ast.iter_child_nodes(body)):
        if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr):
            name, meaning = ast.unparse(field.target), ast.literal_eval(text.value)
            meanings[name] = " ".join(str(meaning).split())
    kinds = " ".join((tally.__doc__ or "").split("``KINDS``")[-1].split())
    return {name: text.replace("KIND", "kinds") for name, text in meanings.items()} | {
        "kinds": kinds
    }


def _estimates(store: Store) -> Iterator[pd.DataFrame]:
    """Yield all estimates in one part, made when it is asked for."""
    yield Study(store, [(scenario, None) for scenario in store.scenarios()]).frame()


def _cells(store: Store) -> Iterator[pd.DataFrame]:
    """Yield all tallies in long form, some cells at a time."""
    parts = store.parts()
    named = names(scenario for scenario, _ in parts)
    columns = ["scenario", *named.columns, *list(CELLS)[4:6]]
    frames: list[pd.DataFrame] = []
    for scenario, seed in parts:
        for cell in store.cells(scenario, seed):
            values = (scenario.key, *named.of[scenario.key], seed, cell.number)
            key: dict[str, Any] = dict(zip(columns, values, strict=True))
            frames.append(_long(cell.tally).assign(**key)[[*columns, *list(CELLS)[6:]]])
            if len(frames) == CHUNK:
                yield pd.concat(frames)
                frames = []
    if frames:
        yield pd.concat(frames)


def _long(tally: Tally) -> pd.DataFrame:
    """Return a tally's counts that are not 0, and blank what it lacks: array, place, value."""
    sizes = [int(np.prod(shape)) for shape in tally.shapes.values()]
    arrays = np.repeat(list(tally.shapes), sizes)
    places = np.concatenate([np.arange(size) for size in sizes])
    used = tally.data != 0
    held = {"array": arrays[used], "place": places[used], "value": tally.data[used]}
    blank = pd.DataFrame({"array": sorted(tally.lacks), "place": pd.NA, "value": pd.NA})
    numbers = {"place": "Int64", "value": "Int64"}
    return pd.concat([pd.DataFrame(held).astype(numbers), blank.astype(numbers)])


def _csv(parts: Iterator[pd.DataFrame], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        for number, part in enumerate(parts):
            part.to_csv(file, index=False, header=number == 0)


def _json(parts: Iterator[pd.DataFrame], path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.write("[")
        for number, part in enumerate(parts):
            rows = (json.dumps(row, ensure_ascii=False) for row in records(part))
            file.write(",\n" if number else "\n")
            file.write(",\n".join(rows))
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
