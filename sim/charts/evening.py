"""Charts of evenings, each drawn from a frame of ``Evenings.frame``."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sim.charts.draw import (
    BLACK,
    BLUE,
    WIDE,
    WORDS,
    Look,
    check_single,
    from_zero,
    headline,
    legend,
    percent_axis,
    points,
    sheet,
)
from sim.errors import InputError
from sim.stats.frame import COLUMNS, check_frame

BANDS = (("stack_p5", "stack_p95", 0.15), ("stack_p25", "stack_p75", 0.25))
"""Quantiles between which a fan is filled, and how opaque."""
MARKER = Look(join="full")


def evening_stacks(frame: pd.DataFrame) -> Figure:
    """Return a fan of stacks as an evening goes on: half of them, and nine in ten."""
    rows = _rows(frame, "stack_p50")
    figure, axes = _axes()
    for low, high, opaque in BANDS:
        lower, upper = _rows(frame, low), _rows(frame, high)
        axes.fill_between(
            lower.begin, lower.estimate, upper.estimate, color=BLUE, alpha=opaque, lw=0
        )
    points(axes, rows, "begin", MARKER)
    unit = str(rows.level.iloc[0]).split()[1]
    axes.set(xlabel={"h": "hours"}.get(unit, unit), ylabel="chips before a player")
    from_zero(axes)
    bands = "line: half of the stacks are below; bands hold half and nine tenths of them"
    return _titled(figure, frame, "Stacks as the evening goes on", bands)


def evening_results(frame: pd.DataFrame) -> Figure:
    """Return what players take home, as a histogram."""
    rows = _rows(frame, "results")
    figure, axes = _axes()
    width = rows.begin.diff().min() if len(rows) > 1 else 1
    middles = rows.begin + width / 2
    errors = (rows.estimate - rows.low, rows.high - rows.estimate)
    axes.bar(middles, rows.estimate, width, color=BLUE, alpha=0.6, edgecolor="white", lw=0.5)
    axes.errorbar(middles, rows.estimate, yerr=errors, fmt="none", ecolor=BLACK, lw=0.8)
    axes.axvline(0, color=BLACK, lw=0.8)
    axes.set(xlabel="chips won or lost", ylabel="share of players")
    percent_axis(axes)
    from_zero(axes)
    return _titled(figure, frame, "What a player takes home", "strokes are 95 % intervals")


def evening_buy_ins(frame: pd.DataFrame) -> Figure:
    """Return how many players a buy-in lasts the evening."""
    rows = _rows(frame, "lasts")
    figure, axes = _axes()
    points(axes, rows.assign(exact=rows.get("calculated")), "begin", MARKER)
    axes.axhline(0.9, color=BLACK, linestyle=":", lw=1)
    axes.set(xlabel="chips bought at the start", ylabel="share of players")
    percent_axis(axes)
    axes.set_ylim(0, 1.03)
    return _titled(figure, frame, "Whom a buy-in lasts the evening", "dotted: nine in ten")


CHARTS = {
    "stacks": evening_stacks,
    "results": evening_results,
    "buy-ins": evening_buy_ins,
}
"""Every chart of evenings, by the end of its file's name."""


def _axes() -> tuple[Figure, Axes]:
    figure, (axes,) = sheet(1, WIDE, margin=WORDS)
    return figure, axes


def _rows(frame: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return the rows of a metric whose levels begin with numbers, these as a column ``begin``."""
    check_frame(frame, (*COLUMNS, "calculated"))
    for column in ("game", "players", "policy"):
        check_single(frame, column, "a chart of evenings")
    rows = frame[(frame.metric == metric) & frame.estimate.notna()]
    if rows.empty:
        raise InputError(
            f"this frame does not tell {metric}: charts of evenings need a frame of sim.evening, "
            "and whom a buy-in lasts is told if all may buy in again"
        )
    return rows.assign(begin=rows.level.str.split().str[0].astype(float)).sort_values("begin")


def _titled(figure: Figure, frame: pd.DataFrame, title: str, marks: str) -> Figure:
    first = frame.iloc[0]
    where = f"{first.game}, {first.players} players, {first.policy}"
    headline(figure, "\n".join(filter(None, (title, where, marks))))
    legend(figure, {}, known="calculated")
    return figure
