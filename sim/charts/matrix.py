"""What a recommendation is drawn as: a matrix of table sizes and a host's limits."""

import math
import textwrap
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from sim.charts.draw import BLACK, WIDE
from sim.formatting import between, in_unit

CELL = (1.05, 0.5)
"""Inches of a cell."""
LETTERS = 11
"""An inch, in a line below a matrix."""
GROUNDS = {"pass": "#CFE6F5", "fail": "#F6C9A4", "unresolved": "#FFFFFF"}
SIGNS = {"pass": "✓", "fail": "✗", "unresolved": "?"}
HATCHES = {"unresolved": "////"}
"""How verdicts differ, in colour and without."""
ALL = "all"
"""The constraint that sums up a table size."""


def size_of(sizes: int, names: float) -> tuple[float, float]:
    """Return the inches of a matrix of so many table sizes and constraints."""
    return max(1.6 + CELL[0] * sizes, WIDE[0]), 0.9 + CELL[1] * names


def draw_matrix(axes: Axes, rows: pd.DataFrame) -> None:
    """Draw a cell for each table size and constraint, the last of which sums up."""
    sizes = sorted(rows.players.unique())
    names = sorted(rows.constraint.unique(), key=lambda name: name == ALL)
    for row in rows.to_dict("records"):
        _cell(axes, sizes.index(row["players"]), names.index(row["constraint"]), row)
    letters = int(LETTERS * size_of(len(sizes), 0)[0])
    left_out = [f"left out: {why}" for why in rows.left_out.unique() if why]
    lines = [line for text in left_out for line in textwrap.wrap(text, letters)]
    axes.set(xlim=(0, len(sizes)), ylim=(len(names), 0), xlabel="\n".join(["players", *lines]))
    axes.set_xticks(np.arange(len(sizes)) + 0.5, map(str, sizes))
    first = rows.drop_duplicates("constraint").set_index("constraint")
    axes.set_yticks(np.arange(len(names)) + 0.5, [_limit(name, first.loc[name]) for name in names])
    axes.tick_params(length=0)
    axes.grid(visible=False)
    if names[-1] == ALL:
        axes.axhline(len(names) - 1, color=BLACK, linewidth=1.5)


def _limit(name: str, row: Any) -> str:
    """Name a constraint, its limit and unit."""
    words = name.replace("_", " ")
    if math.isnan(row.limit):
        return words
    unit = "" if row.unit in ("share", name) else f" {row.unit}"
    return f"{words}\nlimit {in_unit(row.limit, row.unit, given=True)}{unit}"


def _cell(axes: Axes, column: int, line: int, row: dict[Any, Any]) -> None:
    verdict, unit = str(row["verdict"]), str(row["unit"])
    ground = GROUNDS[verdict]
    axes.add_patch(
        Rectangle(
            (column, line), 1, 1, facecolor=ground, hatch=HATCHES.get(verdict),
            edgecolor="#BBBBBB", linewidth=0.8,
        )
    )  # fmt: skip

    def write(height: float, text: str, **style: Any) -> None:
        axes.text(
            column + 0.5, line + height, text, ha="center", va="center", clip_on=True,
            bbox={"facecolor": ground, "edgecolor": "none", "pad": 0.6}, **style,
        )  # fmt: skip

    estimate, low, high = (float(row[name]) for name in ("estimate", "low", "high"))
    if math.isnan(estimate):
        write(0.5, f"{SIGNS[verdict]} {verdict}", weight="bold", fontsize=9)
        return
    shown, *ends = (in_unit(value, unit, short=True) for value in (estimate, low, high))
    wide = low < high and {shown} != set(ends)
    write(0.32 if wide else 0.5, f"{SIGNS[verdict]} {shown}", fontsize=9)
    if wide:
        write(0.75, between(*ends), fontsize=6.5)
