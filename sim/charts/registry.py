"""Which charts there are: what each shows, which rows of a frame it needs, and what draws them."""

import functools
from collections.abc import Callable, Iterable
from typing import NamedTuple, Protocol, cast

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sim import arguments
from sim.charts.draw import check_single, numbered
from sim.errors import InputError
from sim.stats.frame import COLUMNS, check_frame, flat

Rows = Callable[[pd.DataFrame], pd.DataFrame]
"""From a frame to the rows of it that a chart shows; none if it does not say."""
DrawRows = Callable[[pd.DataFrame, list[Axes] | None], Figure]
FRAME = "study.frame()"
"""What most charts are drawn from."""


class Draw(Protocol):
    """From a frame to a figure; refuses a frame that has no such rows."""

    def __call__(self, frame: pd.DataFrame, *, ax: Axes | Iterable[Axes] | None = None) -> Figure:
        """Draw a chart as a new figure, or on ``ax``: axes, or as many as the chart has panels."""
        ...


class Chart(NamedTuple):
    """One kind of chart."""

    words: str
    """What it shows."""
    rows: Rows
    draw: Draw
    line: str
    """The line of Python that makes it of a ``study``."""
    columns: tuple[str, ...] = COLUMNS
    """Of the frame that it is drawn from."""
    own_frame: bool = False
    """Whether that is another than ``Study.frame``."""
    one_policy: bool = False
    """Whether it shows one policy, or else sets them side by side."""


CHARTS: dict[str, Chart] = {}
"""Every chart by name, which is its function's."""


def chart(
    words: str,
    rows: Rows,
    *,
    columns: tuple[str, ...] = COLUMNS,
    frame_of: str = FRAME,
    one_policy: bool = False,
    one_game: bool = True,
) -> Callable[[DrawRows], Draw]:
    """Enter a function that draws such rows as a chart, which is a function of whole frames."""

    def entered(draw_rows: DrawRows) -> Draw:
        def draw(frame: pd.DataFrame, *, ax: Axes | Iterable[Axes] | None = None) -> Figure:
            check_frame(frame, columns)
            grid = None if ax is None else _axes(ax)
            selected = rows(flat(frame))
            if selected.empty:
                raise InputError(f"this frame does not tell {words}")
            if one_game:
                check_single(selected, "game", "this chart")
            figure = draw_rows(selected, grid)
            return cast(Figure, grid[0].get_figure(root=True)) if grid else figure

        named = ("__module__", "__name__", "__qualname__", "__doc__")  # its arguments are others
        functools.update_wrapper(draw, draw_rows, named)
        del draw.__wrapped__  # type: ignore[attr-defined]
        name = draw_rows.__name__
        line = f"charts.{name}({frame_of})"
        CHARTS[name] = Chart(words, rows, draw, line, columns, frame_of != FRAME, one_policy)
        return draw

    return entered


def _axes(ax: object) -> list[Axes]:
    """Return axes one by one, or refuse what is none."""
    given = [ax] if isinstance(ax, Axes) else ax.ravel() if isinstance(ax, np.ndarray) else ax
    return [arguments.instance(axes, Axes, "ax") for axes in arguments.several(given, "axes")]


def rows_of(metric: str, *levels: str) -> Rows:
    """Take what is known of a metric, or of some of its levels."""

    def rows(frame: pd.DataFrame) -> pd.DataFrame:
        selected = frame[(frame.metric == metric) & frame.estimate.notna()]
        return selected[selected.level.isin(levels)] if levels else selected

    return rows


def first_of(*ways: Rows) -> Rows:
    """Take the rows that the first of several ways finds."""

    def rows(frame: pd.DataFrame) -> pd.DataFrame:
        selections = [way(frame) for way in ways]
        return next((selection for selection in selections if len(selection)), selections[0])

    return rows


def numbers_of(metric: str, name: str, least: int = 0) -> Rows:
    """Take the levels of a metric that are numbers, unless all are below the ``least``."""

    def rows(frame: pd.DataFrame) -> pd.DataFrame:
        selected = numbered(frame[frame.estimate.notna()], metric, name)
        return selected if (selected[name] >= least).any() else selected[:0]

    return rows


def paid_tolls(frame: pd.DataFrame) -> pd.DataFrame:
    """Take the shares of players who pay three and four tolls, if anybody can."""
    selected = rows_of("tolls_paid", "3", "4")(frame)
    can = selected[(selected.estimate > 0) | (selected.exact > 0)]
    return selected[selected.level.isin(can.level)]


def growing(frame: pd.DataFrame) -> pd.DataFrame:
    """Take what was estimated from several numbers of pots."""
    key = ["game", "players", "policy", "metric", "level"]
    varying = frame[frame.low < frame.high]  # what never varied does not settle
    return varying[varying.groupby(key)["pots"].transform("nunique") > 1]
