"""Which charts there are: what each shows, which rows of a frame it needs, and what draws them."""

import functools
from collections.abc import Callable
from typing import NamedTuple

import pandas as pd
from matplotlib.figure import Figure

from sim.charts.draw import check_single, numbered
from sim.errors import InputError
from sim.stats.frame import COLUMNS, check_frame, flat

Rows = Callable[[pd.DataFrame], pd.DataFrame]
"""From a frame to the rows of it that a chart shows; none if it does not say."""
Draw = Callable[[pd.DataFrame], Figure]


class Chart(NamedTuple):
    """One kind of chart."""

    words: str
    """What it shows."""
    rows: Rows
    draw: Draw
    """From a frame to a figure; refuses a frame that has no such rows."""
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
    own_frame: bool = False,
    one_policy: bool = False,
    one_game: bool = True,
) -> Callable[[Draw], Draw]:
    """Enter a function that draws such rows as a chart, which is a function of whole frames."""

    def entered(draw_rows: Draw) -> Draw:
        @functools.wraps(draw_rows)
        def draw(frame: pd.DataFrame) -> Figure:
            check_frame(frame, columns)
            selected = rows(flat(frame))
            if selected.empty:
                raise InputError(f"this frame does not tell {words}")
            if one_game:
                check_single(selected, "game", "this chart")
            return draw_rows(selected)

        CHARTS[draw_rows.__name__] = Chart(words, rows, draw, columns, own_frame, one_policy)
        return draw

    return entered


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
