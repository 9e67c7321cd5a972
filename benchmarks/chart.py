"""One page of charts from the tables of ``python -m benchmarks``."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.speed import DEALING
from sim import charts


def draw(tables: Mapping[str, pd.DataFrame], folder: Path) -> list[Path]:
    """Draw those of the tables that are charted, as SVG and PNG; return the files."""
    panels = {"ranking": _ranking, "playing": _playing, "betting": _betting, "scaling": _scaling}
    shown = [name for name in panels if name in tables]
    if not shown:
        return []
    lines = -(-len(shown) // 2)
    figure = Figure(figsize=(11, 4.2 * lines), layout="constrained")
    grid = np.atleast_1d(figure.subplots(lines, min(2, len(shown)))).ravel()
    for axes, name in zip(grid, shown, strict=False):
        panels[name](tables[name], axes)
        axes.grid(axis="x", alpha=0.25)
    for axes in grid[len(shown) :]:
        axes.set_axis_off()
    figure.suptitle("Medians of alternating turns, bars from quartile to quartile")
    paths = [folder / f"speed.{form}" for form in ("svg", "png")]
    for path in paths:
        charts.save(figure, path)
    return paths


def _ranking(table: pd.DataFrame, axes: Axes) -> None:
    axes.barh(table.contestant, table["a second"], color=charts.COLOURS[0])
    axes.set(title="Seven-card hands ranked a second", xscale="log")
    axes.invert_yaxis()


def _playing(table: pd.DataFrame, axes: Axes) -> None:
    rows = table[table.base == DEALING]
    for index, (players, part) in enumerate(rows.groupby("players")):
        axes.plot(
            part["a second"], part.contestant, charts.MARKERS[index], color=charts.COLOURS[index],
            label=f"{players} players",
        )  # fmt: skip
    axes.set(title="Deals a second, one thread", xscale="log")
    axes.invert_yaxis()
    axes.legend(frameon=False, fontsize="small")


def _betting(table: pd.DataFrame, axes: Axes) -> None:
    for index, (name, part) in enumerate(table.groupby("game", sort=False)):
        _spread(part.assign(height=np.arange(len(part)) + 0.2 * index), axes, index, str(name))
    names = table.contestant.unique()
    axes.set_yticks(range(len(names)), names)
    axes.set(title="A deal, ÷ one in which all stay", xlim=(0, None))
    axes.invert_yaxis()
    axes.legend(frameon=False, fontsize="small")


def _scaling(table: pd.DataFrame, axes: Axes) -> None:
    rows = table.rename(columns={"of arithmetic's": "times"})
    _spread(rows.assign(height=range(len(rows))), axes, 0, None)
    axes.set_yticks(range(len(rows)), rows["two threads"])
    axes.set(title="Gain of two threads, ÷ arithmetic's", xlim=(0, None))
    axes.invert_yaxis()


def _spread(rows: pd.DataFrame, axes: Axes, style: int, label: str | None) -> None:
    around = np.abs(rows[["low", "high"]].to_numpy().T - rows.times.to_numpy())
    axes.errorbar(
        rows.times, rows.height, xerr=around, fmt=charts.MARKERS[style], capsize=3,
        color=charts.COLOURS[style], label=label,
    )  # fmt: skip
