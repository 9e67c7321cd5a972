"""The marks that all charts are made of, and how a figure becomes a file."""

import hashlib
import math
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any, Literal, NamedTuple

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D
from matplotlib.ticker import EngFormatter, FuncFormatter, LogLocator, MaxNLocator, NullLocator

from sim import arguments, formatting, paths
from sim.errors import InputError
from sim.stats.intervals import of_share

BLACK, ORANGE, SKY, GREEN, GREY, BLUE, RED, PURPLE = (
    "#000000", "#E69F00", "#56B4E9", "#009E73", "#7F7F7F", "#0072B2", "#D55E00", "#CC79A7",
)  # fmt: skip
COLOURS = (BLUE, ORANGE, GREEN, RED, PURPLE, SKY, BLACK, GREY)
"""Okabe and Ito's, with grey for their yellow, which paper swallows."""
MANY_COLOURS = "viridis"
"""The map that colours come from where there are more series than ``COLOURS``."""
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">", "p", "h")
Style = Literal["-", "--", "-.", ":"]
Join = Literal["", "pale", "full"]
"""Whether a line joins estimates: none; a pale one, if nothing exact does; or one in full."""
STYLES: tuple[Style, ...] = ("-", "--", "-.", ":")
PALE = 0.5
"""How opaque a line is that joins estimates."""
ESTIMATE, UNKNOWN, EXACT, OPEN, JOINED = "_bars", "_unknown", "_exact", "_open", "_joined"
"""What marks of these kinds are labelled, so that a legend names those that are drawn; a label that
begins so is in no legend of matplotlib's own."""

MANY = 300
"""A logarithmic axis that goes up by more has a number at each power of ten alone."""
WIDE, PANEL = (6.6, 3.6), (4.4, 3.0)
"""Inches of a chart that stands alone, and of one of a few."""
_NARROW = ContextVar("narrow", default=False)
LETTERS = 13
"""An inch of a figure's title."""
WORDS = 0.9
"""Inches of a chart's title and legend."""
DPI = 150
"""Dots an inch of a saved chart."""
LONGEST_NAME = 120
"""Of a chart's file, in letters; the rest becomes a hash."""
NEXT_POLICY = r",(?![\d.]+(?:,|$))"
"""What stands between the policies of a table's seats; numbers after ``fold:`` belong to it."""


class Look(NamedTuple):
    """How a series is drawn, the same everywhere in a figure."""

    colour: str = BLUE
    marker: str = "o"
    style: Style = "-"
    shift: float = 0
    """To the right, so that intervals of several series do not hide each other."""
    join: Join = ""


Looks = dict[str, Look]
"""Of the series of a chart, by name."""

Parts = Sequence[tuple[str, pd.DataFrame]]
"""Of a frame, each with its name."""


class Borrowed(Figure):
    """Stands for a figure where a chart is drawn on axes of somebody else's."""

    grid: Sequence[Axes] = ()

    def __init__(self, ax: Sequence[Axes], count: int) -> None:
        super().__init__()
        self.grid = list(ax)
        if len(self.grid) != count:
            raise InputError(
                f"this chart has {count} panels, and ax holds {len(self.grid)}: give as many axes, "
                "or a frame of one policy or one table size"
            )

    @property  # type: ignore[misc]
    def axes(self) -> list[Axes]:  # type: ignore[override]
        """As a figure has them that holds nothing else."""
        return list(self.grid)


@contextmanager
def narrow() -> Iterator[None]:
    """Draw panels below each other instead of beside, for pages that a phone may show."""
    token = _NARROW.set(True)
    try:
        yield
    finally:
        _NARROW.reset(token)


def looks(names: Iterable[object], *, shifted: bool = True, join: Join = "pale") -> Looks:
    """Return how each of these is drawn, in the order of their first appearance."""
    series = list(dict.fromkeys(map(str, names)))
    step = min(0.12, 0.6 / len(series)) if shifted and series else 0
    colours = _colours(len(series))
    return {
        name: Look(
            colours[index],
            MARKERS[index % len(MARKERS)],
            STYLES[index % len(STYLES)],
            step * (index - (len(series) - 1) / 2),
            join,
        )
        for index, name in enumerate(series)
    }


def _colours(number: int) -> Sequence[str]:
    """Return so many colours, each of them once."""
    if number <= len(COLOURS):
        return COLOURS
    return [to_hex(mpl.colormaps[MANY_COLOURS](share)) for share in np.linspace(0, 0.95, number)]


def select(frame: pd.DataFrame, metric: str, level: str) -> pd.DataFrame:
    """Return the rows of one level of a metric, by table size."""
    return frame[(frame.metric == metric) & (frame.level == level)].sort_values(
        "players", kind="stable"
    )


def numbered(frame: pd.DataFrame, metric: str, name: str) -> pd.DataFrame:
    """Return the rows of a metric whose levels are numbers, with these as a column."""
    rows = frame[(frame.metric == metric) & frame.level.str.fullmatch(r"\d+\+?")]
    return rows.assign(**{name: rows.level.str.rstrip("+").astype(int)})


def points(
    axes: Axes, rows: pd.DataFrame, along: str, look: Look, label: str | None = None
) -> None:
    """Draw estimates with intervals, joined as their look says, and exact values as a line."""
    rows = rows.sort_values(along, kind="stable")
    _intervals(axes, rows, along, look, label=label)
    known = not rows.exact.isna().all()
    if known:
        _exact(axes, rows.set_index(along).exact, look)
    if look.join == "full" or (look.join == "pale" and not known):
        axes.plot(
            rows[along] + look.shift, rows.estimate, look.style, color=look.colour,
            alpha=PALE if look.join == "pale" else 1, linewidth=1.2, label=JOINED,
        )  # fmt: skip


def _exact(axes: Axes, known: pd.Series, look: Look) -> None:
    """Draw exact values as a line, or as open markers where none stands beside another."""
    # Joined between neighbours only: a line across sizes left out would claim values there.
    whole = known.reindex(range(int(known.index.min()), int(known.index.max()) + 1))
    there = whole.notna()
    joined = there & (there.shift(fill_value=False) | there.shift(-1, fill_value=False))
    at = whole.index + look.shift
    if joined.any():
        axes.plot(at, whole, look.style, color=look.colour, linewidth=1, label=EXACT)
    if (there & ~joined).any():
        _open(axes, at[there & ~joined], whole[there & ~joined], look)


def _open(axes: Axes, x: Any, y: Any, look: Look, size: int = 9) -> None:
    """Draw exact values as open markers, in which estimates lie."""
    axes.plot(
        x, y, look.marker, color=look.colour, markersize=size, markerfacecolor="none", label=OPEN
    )


def _intervals(axes: Axes, rows: pd.DataFrame, along: str, look: Look, **style: Any) -> None:
    """Draw estimates with their intervals."""
    known = rows.low.notna() & rows.high.notna()
    own, others = rows[known], rows[~known]
    errors = np.abs(own[["low", "high"]].to_numpy().T - own.estimate.to_numpy())
    _errorbar(
        axes, own[along] + look.shift, own.estimate, look, yerr=errors, markersize=4, capsize=2,
        **style,
    )  # fmt: skip
    if len(others):
        _unknown(axes, others[along] + look.shift, others.estimate, look, 4)


def _unknown(axes: Axes, x: Any, y: Any, look: Look, size: float) -> None:
    """Draw estimates whose interval is not known, in pale."""
    axes.plot(
        x, y, look.marker, color=look.colour, alpha=PALE, markersize=size, markeredgewidth=0,
        label=UNKNOWN,
    )  # fmt: skip


def _errorbar(axes: Axes, x: Any, y: Any, look: Look, **style: Any) -> None:
    bars = axes.errorbar(x, y, fmt=look.marker, color=look.colour, **style)
    bars.lines[0].set_label(ESTIMATE)


def compare(
    axes: Axes, rows: pd.DataFrame, along: str, looks: Looks, *, by: str = "policy",
    named: bool = False,
) -> None:  # fmt: skip
    """Draw rows of a frame, each policy (or what else they differ ``by``) in its look.

    ``named`` series can be told in a legend of these axes.
    """
    names = rows[by].astype(str)
    for name, look in looks.items():
        if (names == name).any():
            points(axes, rows[names == name], along, look, name if named else None)


def curve(
    axes: Axes,
    rows: pd.DataFrame,
    along: str,
    look: Look,
    shown: Iterable[int],
    *,
    steps: bool = False,
) -> None:
    """Draw a long row of points: those ``shown`` as marks, and all of them as one line."""
    line = "exact" if rows.exact.notna().all() else "estimate"
    axes.plot(
        rows[along], rows[line], look.style, color=look.colour, linewidth=1,
        alpha=None if line == "exact" else PALE, drawstyle="steps-pre" if steps else "default",
        label=EXACT if line == "exact" else JOINED,
    )  # fmt: skip
    _intervals(axes, rows[rows[along].isin(list(shown))], along, look)


def dots(
    axes: Axes, rows: pd.DataFrame, looks: Looks, write: Callable[[float], str], *, of: str
) -> None:
    """Draw one line for each row, named by a column, with its interval and its value in words."""
    names = [str(name) for name in rows[of]]
    values = rows[["estimate", "low", "high", "exact"]].to_numpy(np.float64)
    for index, (name, (estimate, low, high, exact)) in enumerate(zip(names, values, strict=True)):
        dot(axes, index, (estimate, low, high, exact), looks[name])
        beside(axes, index, write(estimate))
    axes.set_yticks(range(len(rows)), [short(name, 20) for name in names])
    axes.set_ylim(max(len(rows), 1) - 0.5, -0.5)
    axes.margins(x=0.15)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=5))


def dots_of_shares(axes: Axes, rows: pd.DataFrame, looks: Looks, *, of: str = "level") -> None:
    """Draw dots of shares."""
    digits = 1 if rows.estimate.max() > 0.1 else 2
    dots(axes, rows, looks, partial(formatting.percent, digits=digits), of=of)
    axes.xaxis.set_major_formatter(per_cent())


def dots_of_amounts(
    axes: Axes, rows: pd.DataFrame, looks: Looks, *, of: str = "level", signed: bool = False
) -> None:
    """Draw dots of amounts."""
    dots(axes, rows, looks, partial(formatting.amount, digits=2, signed=signed), of=of)


def beside(axes: Axes, height: float, text: str) -> None:
    """Write at the right of axes."""
    axes.text(1.02, height, text, transform=axes.get_yaxis_transform(), va="center")


def dot(
    axes: Axes, height: float, value: tuple[float, float, float, float], look: Look, size: int = 10
) -> None:
    """Draw an estimate with its interval along x, and its exact value as an open marker."""
    estimate, low, high, exact = value
    if np.isnan(low + high):
        _unknown(axes, estimate, height, look, size / 2)
    else:
        errors = [[estimate - low], [high - estimate]]
        _errorbar(axes, estimate, height, look, xerr=errors, markersize=size / 2, capsize=3)
    if not np.isnan(exact):
        _open(axes, exact, height, look, size)


def above(rows: pd.DataFrame, along: str, *, reached: bool) -> pd.DataFrame:
    """Return the share above each number of a scenario's shares, or with ``reached`` from it on.

    Intervals are Wilson's, as a share of pots has them; the exact share is what lies
    below, taken from one, so that rare numbers which a frame leaves out do not count as below.
    """
    rows, pots = rows.sort_values(along), int(rows.pots.iloc[0])
    hits = (rows.estimate * pots).round().cumsum()
    known = rows.exact.fillna(0).cumsum()
    if reached:
        hits, known = hits.shift(fill_value=0), known.shift(fill_value=0)
    if rows.exact.isna().all():
        known = rows.exact
    shares = [of_share(pots - below, pots) for below in hits]
    return pd.DataFrame(
        {
            along: rows[along].to_numpy(),
            "estimate": [share.estimate for share in shares],
            "low": [share.low for share in shares],
            "high": [share.high for share in shares],
            "exact": (1 - known).clip(lower=0).to_numpy(),
        }
    )


def percent_axis(axes: Axes) -> None:
    """Write the numbers at the left as per cent."""
    axes.yaxis.set_major_formatter(per_cent())


def per_cent() -> FuncFormatter:
    """Return what writes the shares of an axis as ``formatting.percent`` does, in few digits."""
    return FuncFormatter(lambda share, _: f"{100 * share:.6g} %")


def from_zero(axes: Axes, headroom: float = 1.03) -> None:
    """Let the upright axis begin at nought and leave some headroom at its top."""
    axes.set_ylim(bottom=0, top=axes.get_ylim()[1] * headroom)


def logarithmic(axes: Axes) -> None:
    """Make the lower axis logarithmic, with plain numbers that fit: 500, 20k, 5M."""
    axes.set_xscale("log")
    low, high = axes.get_xlim()
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < MANY * low else (1,)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))


def sheet(
    count: int,
    size: tuple[float, float],
    columns: int | None = None,
    *,
    margin: float = 0,
    share: bool = False,
    fill: bool = False,
    ax: Sequence[Axes] | None = None,
) -> tuple[Figure, list[Axes]]:
    """Return a figure with so many axes, each of this size in inches, and a margin for text.

    ``share`` makes all have the same scales; with ``fill`` the last is as wide as there is room.
    ``ax`` are axes to use instead: as many, or ``InputError`` is raised.
    """
    columns = min(count, columns or (2 if count in (2, 4) else 3 if count <= 6 else 4))
    if _NARROW.get():
        columns = min(columns, max(1, int(WIDE[0] / size[0])))
    figure: Figure
    if ax is None:
        lines = -(-count // columns)
        figure = Figure((size[0] * columns, size[1] * lines + margin), layout=_layout())
        _add_axes(figure, count, columns, share=share, fill=fill)
    else:
        figure = Borrowed(ax, count)
    for axes in figure.axes:
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
        axes.xaxis.set_tick_params(labelbottom=True)
        axes.grid(alpha=0.25)
    return figure, list(figure.axes)


def _add_axes(figure: Figure, count: int, columns: int, *, share: bool, fill: bool) -> None:
    grid = figure.add_gridspec(-(-count // columns), columns)
    first = None
    for index in range(count):
        line, column = divmod(index, columns)
        end = columns if fill and index == count - 1 else column + 1
        axes = figure.add_subplot(grid[line, column:end], sharex=first, sharey=first)
        axes.tick_params(labelleft=not (share and column))
        first = axes if share and first is None else first


def _layout(**words: Any) -> ConstrainedLayoutEngine:
    return ConstrainedLayoutEngine(w_pad=0.08, h_pad=0.08, **words)


def by_column(rows: pd.DataFrame, column: str) -> Parts:
    """Part rows by what stands in a column, in the order of its first appearance."""
    return [(short(str(name)), rows[rows[column] == name]) for name in rows[column].unique()]


def side_by_side(
    parts: Parts,
    draw: Callable[[Axes, pd.DataFrame], None],
    size: tuple[float, float] | None = None,
    *,
    columns: int | None = None,
    margin: float = WORDS,
    share: bool = False,
    titled: bool = False,
    ax: Sequence[Axes] | None = None,
) -> Figure:
    """Return a figure that draws each part on axes of its own, as ``sheet`` makes them.

    The parts' names stand above them if there are several, or all the same if ``titled``.
    """
    size = size or (WIDE if len(parts) == 1 else PANEL)
    figure, grid = sheet(len(parts), size, columns, margin=margin, share=share, ax=ax)
    for axes, (name, part) in zip(grid, parts, strict=True):
        draw(axes, part)
        if titled or len(parts) > 1:
            axes.set_title(name, fontsize="medium")
    return figure


def label_outer(figure: Figure) -> None:
    """Leave out what the axes of a figure say alike to the left of them or below."""
    if isinstance(figure, Borrowed):
        return
    first = figure.axes[0]
    xlabel, ylabel = first.get_xlabel(), first.get_ylabel()
    labelled: set[int] = set()
    for axes in reversed(figure.axes):
        spec = axes.get_subplotspec()
        column = spec.colspan.start if spec else 0
        if column in labelled and axes.get_xlabel() == xlabel:
            axes.set_xlabel("")
        if column and axes.get_ylabel() == ylabel:
            axes.set_ylabel("")
        labelled.add(column)


def whole_numbers(axes: Axes, rows: pd.DataFrame, along: str) -> None:
    """Write every number at the lower axis, with a margin at its ends."""
    low, high = int(rows[along].min()), int(rows[along].max())
    axes.set_xticks(range(low, high + 1))
    axes.set_xlim(low - 0.5, high + 0.5)


def legend(
    figure: Figure, looks: Mapping[str, Look], label: str = "{}", known: str = "exact"
) -> None:
    """Name the looks of a figure below it, unless there are none, and what its marks are.

    ``known`` names the values that estimates are held against.
    """
    handles: list[Any] = [
        Line2D(
            [], [], color=look.colour, marker=look.marker, linestyle=look.style,
            label=label.format(short(name)),
        )
        for name, look in looks.items()
    ]  # fmt: skip
    lines = [line for axes in figure.axes for line in axes.lines if np.size(line.get_xdata())]
    drawn = {str(line.get_label()) for line in lines}
    marks = _marks(drawn, known)
    if isinstance(figure, Borrowed):
        figure.grid[-1].legend(handles=[*handles, *marks], frameon=False, fontsize="small")
        return
    bottom = 0.0
    if marks:
        letters = sum(len(handle.get_label()) + 6 for handle in marks)
        columns = math.ceil(len(marks) / math.ceil(letters / (14 * figure.get_figwidth())))
        bottom = _line(figure, marks, bottom, columns, fontsize="small", columnspacing=1.4)
    if handles:
        bottom = _line(figure, handles, bottom, _columns(figure, handles))
    figure.set_layout_engine(_layout(rect=(0, bottom, 1, 1 - bottom)))


def _line(
    figure: Figure, handles: Sequence[Any], bottom: float, columns: int, **style: Any
) -> float:
    """Write a legend from such a share of a figure's height on; return where it ends."""
    box = figure.legend(
        handles=handles, loc="lower center", bbox_to_anchor=(0.5, bottom), ncols=columns,
        frameon=False, borderaxespad=0.2, **style,
    )  # fmt: skip
    # By hand: matplotlib gives room to one legend outside of axes, not to one below another.
    letters = box.get_texts()[0].get_fontproperties().get_size_in_points() / 72
    inches = letters * (1 + 1.5 * -(-len(handles) // columns))
    return bottom + inches / figure.get_figheight()


def _columns(figure: Figure, handles: Sequence[Any]) -> int:
    longest = max(len(str(handle.get_label())) for handle in handles)
    width = int(12 * figure.get_figwidth())
    columns = min(len(handles), 8, max(1, width // (longest + 8)))
    return -(-len(handles) // -(-len(handles) // columns))  # lines of about one length


def _marks(drawn: set[str], name: str) -> list[Any]:
    """Return what a legend shows for the kinds of marks that are drawn."""
    point = partial(Line2D, [], [], color=GREY, marker="o", markersize=4, linestyle="none")
    bars = ErrorbarContainer((point(), (), (LineCollection([], colors=[GREY]),)), has_yerr=True)
    bars.set_label("estimate, 95 % interval")
    known = Line2D(
        [], [], color=BLACK, linewidth=1, linestyle="-" if EXACT in drawn else "none",
        marker="o" if OPEN in drawn else "", markersize=9, markerfacecolor="none", label=name,
    )  # fmt: skip
    kinds = {
        ESTIMATE: bars,
        UNKNOWN: point(alpha=PALE, label="estimate, interval unknown"),
        JOINED: Line2D([], [], color=GREY, alpha=PALE, linewidth=1.2, label="joins estimates"),
        EXACT if EXACT in drawn else OPEN: known,
    }
    return [handle for kind, handle in kinds.items() if kind in drawn]


def differ(column: pd.Series) -> bool:
    """Whether a column of a frame holds more than one thing."""
    return len(column.unique()) > 1


def check_single(frame: pd.DataFrame, column: str, what: str = "a page of charts") -> str:
    """Refuse a frame with none or several of what a figure shows one of; return the one."""
    names = [str(name) for name in frame[column].unique()]
    if len(names) != 1:
        held = ", ".join(names) or "none"
        raise InputError(f"{what} shows one {column}, and this frame holds {held}")
    return names[0]


def short(policy: str, letters: int = 60) -> str:
    """Return a table's policies in few letters: neighbours who play alike are counted."""
    runs = [(name, len(list(same))) for name, same in groupby(re.split(NEXT_POLICY, policy))]
    text = ", ".join(name if number == 1 else f"{number} {name}" for name, number in runs)
    return text if len(text) <= letters else f"{text[: letters - 1]}…"


def headline(figure: Figure, text: str) -> None:
    """Write what a figure shows above it, with boxes for letters that no font of its has.

    On borrowed axes its first line stands above them, if they are one.
    """
    names = mpl.rcParams["font.family"]
    fonts = [get_font(findfont(FontProperties(family=[name]))) for name in names]
    codes = {ord(letter) for letter in text} - {ord("\n")}
    lacking = {code for code in codes if not any(font.get_char_index(code) for font in fonts)}
    boxed = text.translate(dict.fromkeys(lacking, "\N{WHITE SQUARE}"))
    if not isinstance(figure, Borrowed):
        letters = int(LETTERS * figure.get_figwidth())
        lines = [part for line in boxed.splitlines() for part in textwrap.wrap(line, letters)]
        figure.suptitle("\n".join(lines), fontsize="medium", parse_math=False)
    elif len(figure.grid) == 1:
        figure.grid[0].set_title(boxed.splitlines()[0], fontsize="medium", parse_math=False)


def save(figure: Figure, path: Path) -> None:
    """Write a figure, whole or not at all, in the format of the path's ending.

    The same figure gives the same bytes.
    """
    arguments.instance(figure, Figure, "a figure")
    path = arguments.path(path, "a chart's file")
    kind = arguments.one_of(path.suffix[1:], figure.canvas.get_supported_filetypes(), "format")
    with paths.placed(path) as (part,), mpl.rc_context({"svg.hashsalt": "spadework"}):
        _write(figure, part, kind)


def _write(figure: Figure, path: Path, kind: str) -> None:
    """Write a figure, laid out beforehand: while it is saved that takes a drawing of its own."""
    layout = figure.get_layout_engine()
    figure.set_dpi(DPI)
    if layout is not None:
        layout.execute(figure)
        figure.set_layout_engine(None)
    undated = {"Date": None} if kind == "svg" else None
    figure.savefig(path, dpi=DPI, format=kind, metadata=undated)
    figure.set_layout_engine(layout)


def file_name(label: str) -> str:
    """Return a game's label as it may stand in a file name."""
    name = re.sub(r"[^A-Za-z0-9.=-]+", "_", arguments.instance(label, str, "a label")).strip("_")
    if len(name) <= LONGEST_NAME:
        return name
    return f"{name[:LONGEST_NAME]}-{hashlib.sha256(label.encode()).hexdigest()[:6]}"
