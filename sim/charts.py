"""From a frame to a matplotlib figure; nothing is drawn that is not in the frame.

Each chart is a function of a frame and axes; ``overview`` puts a game's charts on one page. Points
are estimates with their 95 % intervals, lines are exact values; colours are Okabe and Ito's, which
colour-blind readers can tell apart, and lines also differ in style for print.
"""

import hashlib
import re
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from sim.errors import InputError
from sim.estimate import played

BLACK, ORANGE, SKY, GREEN, YELLOW, BLUE, RED, PURPLE = (
    "#000000", "#E69F00", "#56B4E9", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7",
)  # fmt: skip
COLOURS = (BLUE, ORANGE, GREEN, RED, PURPLE, SKY, YELLOW, BLACK)
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
STYLES = ("-", "--", "-.", ":")
KILL_LEVELS = ("third", "fourth", "fifth", "sixth", "community")
WINNERS = (
    "five of a kind", "royal flush", "straight flush", "four of a kind", "full house",
    "flush", "straight", "three of a kind", "two pair", "one pair", "high card",
)  # fmt: skip

LONGEST_NAME = 120
"""Of a chart's file, in letters; the rest becomes a hash."""

Chart = Callable[[pd.DataFrame, Axes], None]


def kill_rate(frame: pd.DataFrame, axes: Axes) -> None:
    """Draw the share of deals killed by table size."""
    _points(axes, _select(frame, "kill_rate", "all"), "players", BLUE)
    axes.set(title="Deals killed", xlabel="players", ylim=(0, 1))
    _percent(axes)


def kill_streets(frame: pd.DataFrame, axes: Axes) -> None:
    """Draw on which street deals die, by table size."""
    present = [level for level in KILL_LEVELS if len(_select(frame, "kill_rate", level))]
    for place, level in enumerate(present):
        part = _select(frame, "kill_rate", level)
        _points(axes, part, "players", COLOURS[place], MARKERS[place], STYLES[place % 4], level)
    axes.set(title="Deals killed, by street", xlabel="players")
    axes.set_ylim(bottom=0)
    axes.legend(title="street", frameon=False, fontsize="small", loc="upper left", ncols=2)
    axes.set_ylim(top=axes.get_ylim()[1] * 1.3)
    _percent(axes)


def survival(frame: pd.DataFrame, axes: Axes) -> None:
    """Draw the share of deals alive after each up card, at the largest table size of the frame."""
    part = frame[(frame.metric == "survival") & (frame.players == frame.players.max())]
    part = part.assign(card=part.level.astype(int)).sort_values("card")
    _points(axes, part, "card", GREEN)
    axes.set(
        title=f"Deals alive, {frame.players.max()} players", xlabel="up cards dealt", ylim=(0, 1.02)
    )
    _percent(axes)


def deals_per_pot(frame: pd.DataFrame, axes: Axes) -> None:
    """Draw the mean number of deals until a pot is won, by table size."""
    _points(axes, _select(frame, "deals_per_pot", "mean"), "players", RED)
    axes.set(title="Deals per pot, mean", xlabel="players")
    axes.set_ylim(bottom=0)


def players_out(frame: pd.DataFrame, axes: Axes) -> None:
    """Draw how many players killers put out in a pot, by table size."""
    _points(axes, _select(frame, "players_out", "mean"), "players", BLUE)
    axes.set(title="Players put out per pot, mean", xlabel="players")
    axes.set_ylim(bottom=0)


def seat_out(frame: pd.DataFrame, axes: Axes) -> None:
    """Draw how often a killer puts out each seat, at the largest table size of the frame."""
    part = frame[(frame.metric == "killed_seat") & (frame.players == frame.players.max())]
    part = part[part.level.str.isdigit()].assign(seat=lambda rows: rows.level.astype(int))
    _points(axes, part.sort_values("seat"), "seat", ORANGE)
    axes.set(title=f"Put out, {frame.players.max()} players", xlabel="seat (last: dealer)")
    axes.set_ylim(bottom=0)
    _percent(axes)


def tolls(frame: pd.DataFrame, axes: Axes) -> None:
    """Draw the chips that a pot collects in tolls, by table size."""
    _points(axes, _select(frame, "toll_pot", "mean"), "players", BLUE)
    axes.set(title="Tolls per pot, mean", xlabel="players", ylabel="chips")
    axes.set_ylim(bottom=0)


def toll_distribution(frame: pd.DataFrame, axes: Axes) -> None:
    """Draw the share of pots whose tolls reach an amount, for up to four table sizes."""
    sizes = sorted(frame.players.unique())
    for place, players in enumerate(sizes if len(sizes) <= 4 else sizes[::2]):
        part = frame[(frame.players == players) & (frame.metric == "toll_pot")]
        part = part[part.level.str.isdigit()].assign(chips=lambda rows: rows.level.astype(int))
        part = part.sort_values("chips")
        colour, style = COLOURS[place], STYLES[place % 4]
        known = not part.exact.isna().any()
        estimated = _at_least(part.estimate)
        axes.plot(
            part.chips, estimated, MARKERS[place], color=colour, markersize=3,
            label=f"{players} players",
        )  # fmt: skip
        if known:
            reached = _at_least(part.exact)
            axes.step(part.chips, reached, where="pre", color=colour, linestyle=style, linewidth=1)
    axes.set(title="Tolls in a pot: at least …", xlabel="chips", ylim=(0, 1.02))
    axes.legend(frameon=False)
    _percent(axes)


def _at_least(shares: pd.Series) -> pd.Series:
    """Return the share at or above each amount, amounts rising."""
    return 1 - shares.cumsum() + shares


def tolls_paid(frame: pd.DataFrame, axes: Axes) -> None:
    """Draw the share of players who pay three and four tolls, by table size."""
    for place, level in enumerate(("3", "4")):
        part = _select(frame, "tolls_paid", level)
        if not part.estimate.any() and not part.exact.any():
            continue
        _points(
            axes, part, "players", COLOURS[place], MARKERS[place], STYLES[place], f"{level} tolls"
        )
    axes.set(title="Players who pay", xlabel="players")
    axes.set_ylim(bottom=0)
    if axes.lines:
        axes.legend(frameon=False)
    _percent(axes)


def winning_hands(frame: pd.DataFrame, axes: Axes) -> None:
    """Draw what hand wins, by table size, for hands that win at least one pot in fifty."""
    part = frame[frame.metric == "winning_hand"]
    often = part[part.estimate >= 0.02].level.unique()
    for place, level in enumerate(name for name in WINNERS if name in often):
        rows = part[part.level == level]
        colour, marker = COLOURS[place % 8], MARKERS[place % 8]
        _points(axes, rows, "players", colour, marker, STYLES[place % 4], level, join=True)
    axes.set(title="Pots won by (lines join estimates)", xlabel="players")
    axes.set_ylim(bottom=0)
    axes.legend(frameon=False, fontsize="x-small", ncols=2)
    axes.set_ylim(top=axes.get_ylim()[1] * 1.25)
    _percent(axes)


def overview(frame: pd.DataFrame, title: str) -> Figure:
    """Return one page with the charts that a game's frame has the metrics for."""
    charts = _charts(set(frame.metric))
    columns = 2 if len(charts) > 1 else 1
    figure = Figure(figsize=(5.2 * columns, 3.8 * -(-len(charts) // columns)), layout="constrained")
    grid = np.atleast_1d(figure.subplots(-(-len(charts) // columns), columns)).ravel()
    for axes, chart in zip(grid, charts, strict=False):
        chart(frame, axes)
        axes.grid(alpha=0.25)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
        left, right = axes.get_xlim()
        if right - left < 2:  # a single table size
            axes.set_xlim(left - 1, right + 1)
    for axes in grid[len(charts) :]:
        axes.set_axis_off()
    words = f"{title}: {played(frame)}; bars are 95 % intervals, lines are exact"
    figure.suptitle(words, fontsize="medium", parse_math=False)
    return figure


def save(figure: Figure, path: Path) -> None:
    """Write a figure, whole or not at all, in the format of the path's ending."""
    try:
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=".chart-") as room:
            part = Path(room) / "part"
            figure.savefig(part, dpi=150, format=path.suffix[1:])
            part.replace(path)
    except OSError as error:
        raise InputError(f"the chart {path} cannot be written: {error.strerror}") from None


def file_name(label: str) -> str:
    """Return a game's label as it may stand in a file name."""
    name = re.sub(r"[^A-Za-z0-9.=-]+", "_", label).strip("_")
    if len(name) <= LONGEST_NAME:
        return name
    return f"{name[:LONGEST_NAME]}-{hashlib.sha256(label.encode()).hexdigest()[:6]}"


def _charts(metrics: set[str]) -> list[Chart]:
    charts: list[Chart] = []
    if "kill_rate" in metrics:
        charts += [kill_rate, kill_streets, survival, deals_per_pot]
    if "players_out" in metrics:
        charts += [players_out, seat_out]
    if "toll_pot" in metrics:
        charts += [tolls, toll_distribution, tolls_paid]
    if "toll_pot" in metrics or not charts:
        charts.append(winning_hands)
    return charts


def _select(frame: pd.DataFrame, metric: str, level: str) -> pd.DataFrame:
    return frame[(frame.metric == metric) & (frame.level == level)].sort_values("players")


def _points(
    axes: Axes,
    part: pd.DataFrame,
    along: str,
    colour: str,
    marker: str = "o",
    style: str = "-",
    label: str | None = None,
    *,
    join: bool = False,
) -> None:
    """Draw estimates with their intervals, and exact values as a line; ``join`` joins estimates."""
    errors = np.abs(part[["low", "high"]].to_numpy().T - part.estimate.to_numpy())
    axes.errorbar(
        part[along], part.estimate, yerr=np.nan_to_num(errors), fmt=marker, color=colour,
        markersize=4, capsize=2, label=label, linestyle=style if join else "none",
    )  # fmt: skip
    if not part.exact.isna().all():
        # Joined between neighbours only: a line across sizes left out would claim values there.
        known = part.set_index(along).exact
        whole = known.reindex(range(int(known.index.min()), int(known.index.max()) + 1))
        axes.plot(whole.index, whole, "_", color=colour, markersize=12)
        axes.plot(whole.index, whole, color=colour, linestyle=style, linewidth=1)


def _percent(axes: Axes) -> None:
    axes.yaxis.set_major_formatter(PercentFormatter(1))
