"""What a recommendation is drawn as: a matrix of table sizes and a host's limits."""

import math
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from sim.charts.draw import BLACK, WIDE
from sim.formatting import in_unit

CELL = (1.05, 0.62)
"""Inches of a cell."""
GROUNDS = {"pass": "#CFE6F5", "fail": "#F6C9A4", "unresolved": "#FFFFFF"}
SIGNS = {"pass": "✓", "fail": "✗", "unresolved": "?"}
HATCHES = {"unresolved": "////"}
"""How verdicts differ, in colour and without."""
LEFT_OUT = "#EEEEEE"
"""The ground where a constraint does not apply."""
ALL = "all"
"""The constraint that sums up a table size."""


def size_of(sizes: list[int], names: list[str]) -> tuple[float, float]:
    """Return the inches of a matrix."""
    return max(1.2 + CELL[0] * len(sizes), WIDE[0]), 0.6 + CELL[1] * len(names)


def draw_matrix(axes: Axes, rows: pd.DataFrame, sizes: list[int], names: list[str]) -> None:
    """Draw a cell for each table size and constraint, the last of which sums up."""
    for row in rows.to_dict("records"):
        _cell(axes, sizes.index(row["players"]), names.index(row["constraint"]), row)
    axes.set(xlim=(0, len(sizes)), ylim=(len(names), 0), xlabel="players", facecolor=LEFT_OUT)
    axes.set_xticks(np.arange(len(sizes)) + 0.5, map(str, sizes))
    axes.set_yticks(np.arange(len(names)) + 0.5, [name.replace("_", " ") for name in names])
    axes.tick_params(length=0)
    axes.grid(visible=False)
    if names[-1] == ALL:
        axes.axhline(len(names) - 1, color=BLACK, linewidth=1.5)


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

    estimate, low, high, limit = (float(row[name]) for name in ("estimate", "low", "high", "limit"))
    if math.isnan(estimate):
        write(0.5, f"{SIGNS[verdict]} {verdict}", weight="bold", fontsize=9)
        return
    ends = [in_unit(end, unit, short=True) for end in (low, high)]
    interval = f"{' – '.join(ends)}\n" if low < high else ""
    write(0.25, f"{SIGNS[verdict]} {in_unit(estimate, unit, short=True)}", fontsize=9)
    text = f"{interval}limit {in_unit(limit, unit, given=True)}"
    write(0.66, text, fontsize=6.5, linespacing=1.25)
