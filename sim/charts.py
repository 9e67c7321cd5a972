"""From a frame to a matplotlib figure; nothing is drawn that is not in the frame.

Each chart is a function of a frame and axes. ``overview`` puts the charts of a game under one
policy on one page, ``comparison`` those that set several policies side by side. Points are
estimates with their 95 % intervals, lines are exact values (pale ones join estimates); colours are
Okabe and Ito's, which colour-blind readers can tell apart, and lines also differ in style for
print.
"""

import hashlib
import re
import tempfile
from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator, PercentFormatter

from sim.errors import InputError
from sim.estimate import played
from sim.game import MAX_PLAYERS, STREETS
from sim.policy import STAY

BLACK, ORANGE, SKY, GREEN, YELLOW, BLUE, RED, PURPLE = (
    "#000000", "#E69F00", "#56B4E9", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7",
)  # fmt: skip
COLOURS = (BLUE, ORANGE, GREEN, RED, PURPLE, SKY, BLACK, YELLOW)
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
Style = Literal["-", "--", "-.", ":"]
STYLES: tuple[Style, ...] = ("-", "--", "-.", ":")
KILL_LEVELS = ("third", "fourth", "fifth", "sixth", "community")
WINNERS = (
    "five of a kind", "royal flush", "straight flush", "four of a kind", "full house",
    "flush", "straight", "three of a kind", "two pair", "one pair", "high card",
)  # fmt: skip

DPI = 150
"""Dots an inch of a saved chart."""
LONGEST_NAME = 120
"""Of a chart's file, in letters; the rest becomes a hash."""

MOST_CHARTS = 6
"""On a page that compares policies."""
NEXT_POLICY = r",(?![\d.]+(?:,|$))"
"""What stands between the policies of a table's seats; numbers after ``fold:`` belong to it."""

Chart = Callable[[pd.DataFrame, Axes], None]


class Look(NamedTuple):
    """How a policy is drawn, the same in every chart of a page."""

    colour: str
    marker: str
    style: Style
    shift: float
    """To the right, so that intervals of several policies do not hide each other."""


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
    _from_zero(axes)
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
    _from_zero(axes)


def players_out(frame: pd.DataFrame, axes: Axes) -> None:
    """Draw how many players killers put out in a pot, by table size."""
    _points(axes, _select(frame, "players_out", "mean"), "players", BLUE)
    axes.set(title="Players put out per pot, mean", xlabel="players")
    _from_zero(axes)


def seat_out(frame: pd.DataFrame, axes: Axes) -> None:
    """Draw how often a killer puts out each seat, at the largest table size of the frame."""
    part = frame[(frame.metric == "killed_seat") & (frame.players == frame.players.max())]
    part = part[part.level.str.isdigit()].assign(seat=lambda rows: rows.level.astype(int))
    _points(axes, part.sort_values("seat"), "seat", ORANGE)
    axes.set(title=f"Put out, {frame.players.max()} players", xlabel="seat (last: dealer)")
    _from_zero(axes)
    _percent(axes)


def tolls(frame: pd.DataFrame, axes: Axes) -> None:
    """Draw the chips that a pot collects in tolls, by table size."""
    _points(axes, _select(frame, "toll_pot", "mean"), "players", BLUE)
    axes.set(title="Tolls per pot, mean", xlabel="players", ylabel="chips")
    _from_zero(axes)


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
        if not part.estimate.any():
            continue
        _points(
            axes, part, "players", COLOURS[place], MARKERS[place], STYLES[place], f"{level} tolls"
        )
    axes.set(title="Players who pay", xlabel="players")
    _from_zero(axes)
    if axes.lines:
        axes.legend(frameon=False)
    _percent(axes)


def winning_hands(frame: pd.DataFrame, axes: Axes) -> None:
    """Draw what hand wins, by table size, for hands that win at least one pot in fifty."""
    part = frame[frame.metric == "winning_hand"]
    often = part[part.estimate >= 0.02].level.unique()
    for place, level in enumerate(name for name in WINNERS if name in often):
        rows = part[part.level == level]
        # Beyond eight hands a colour comes again, with another marker.
        colour, marker = COLOURS[(place + 3 * (place // 8)) % 8], MARKERS[place % 8]
        _points(axes, rows, "players", colour, marker, STYLES[place % 4], level, join=True)
    axes.set(title="Pots won by (lines join estimates)", xlabel="players")
    _from_zero(axes)
    if axes.lines:
        axes.legend(frameon=False, fontsize="x-small", ncols=2)
    axes.set_ylim(top=axes.get_ylim()[1] * 1.25)
    _percent(axes)


def seat_nets(frame: pd.DataFrame, axes: Axes) -> None:
    """Draw what a seat wins in a pot by the policy it plays, where several sit at one table."""
    axes.axvline(0, color=BLACK, linewidth=0.8)
    _seats(frame, axes, "net_by_policy", "{:+.2f}", "Net result of a seat that plays …")


def seat_tolls(frame: pd.DataFrame, axes: Axes) -> None:
    """Draw what a seat pays in tolls by the policy it plays, where several sit at one table."""
    _seats(frame, axes, "toll_by_policy", "{:.2f}", "Tolls of a seat that plays …")


def _seats(frame: pd.DataFrame, axes: Axes, metric: str, form: str, title: str) -> None:
    players = frame.players.max()
    rows = frame[(frame.metric == metric) & (frame.players == players)]
    _dots(axes, rows, form, _looks(rows.level))
    axes.set(title=f"{title}, {players} players", xlabel="chips a pot")


def policy_kills(frame: pd.DataFrame, axes: Axes) -> None:
    """Draw the share of deals killed by table size and policy."""
    _by_size(frame, axes, "kill_rate", "all", "Deals killed")


def policy_kills_table(frame: pd.DataFrame, axes: Axes) -> None:
    """Draw the share of deals killed by policy, at one table size."""
    part = frame[frame.players == _table(frame)]
    _by_size(part, axes, "kill_rate", "all", "Deals killed")


def policy_kills_dealt(frame: pd.DataFrame, axes: Axes) -> None:
    """Draw the share of deals killed by how many were dealt in, at one table size.

    Where everybody stays nobody is missing, so tables of that size stand for fewer players. Numbers
    dealt so seldom that the interval spans half the scale are left out.
    """
    players = _table(frame)
    rows = frame[(frame.metric == "kill_rate_dealt") & (frame.high - frame.low < 0.5)]
    rows = rows.assign(dealt=rows.level.astype(int))
    stays = (rows.policy == STAY.name) & (rows.dealt == rows.players) & (rows.dealt < players)
    _compare(axes, frame, rows[(rows.players == players) | stays], "dealt")
    note = " (stay: tables of that size)" if stays.any() else ""
    axes.set(title=f"Deals killed by players dealt in, {players} at the table")
    axes.set(xlabel=f"players dealt in{note}", ylim=(0, 1.02))
    _percent(axes)


def policy_deals(frame: pd.DataFrame, axes: Axes) -> None:
    """Draw the mean number of deals until a pot is won, by table size and policy."""
    _by_size(frame, axes, "deals_per_pot", "mean", "Deals per pot, mean")


def policy_players_out(frame: pd.DataFrame, axes: Axes) -> None:
    """Draw how many players killers put out in a pot, by table size and policy."""
    _by_size(frame, axes, "players_out", "mean", "Players put out per pot, mean")


def policy_survivors(frame: pd.DataFrame, axes: Axes) -> None:
    """Draw how many are still in when a pot is won, at one table size.

    A policy under which it is always the same number is named below the chart instead.
    """
    players = _table(frame)
    rows = frame[(frame.metric == "survivors") & (frame.players == players)]
    rows = rows[rows.level.str.isdigit()].assign(left=lambda part: part.level.astype(int))
    always = rows[rows.estimate == 1]
    _compare(axes, frame, rows[~rows.policy.isin(always.policy)], "left")
    notes = "".join(
        f" ({_short(policy)}: always {left})"
        for policy, left in zip(always.policy, always.left, strict=True)
    )
    axes.set(title=f"Players still in when a pot is won, {players} at the table")
    axes.set(xlabel=f"players still in{notes}", ylabel="share of pots")
    _from_zero(axes)
    _percent(axes)


def policy_tolls(frame: pd.DataFrame, axes: Axes) -> None:
    """Draw the chips that a player pays in tolls, by table size and policy."""
    _by_size(frame, axes, "toll_player", "mean", "Tolls a player pays in a pot, chips")


def policy_three_tolls(frame: pd.DataFrame, axes: Axes) -> None:
    """Draw the share of players who pay three tolls, by table size and policy."""
    _by_size(frame, axes, "tolls_paid", "3", "Players who pay three tolls")


def policy_four_tolls(frame: pd.DataFrame, axes: Axes) -> None:
    """Draw the share of players who pay four tolls, by table size and policy."""
    _by_size(frame, axes, "tolls_paid", "4", "Players who pay four tolls")


def policy_toll_nets(frame: pd.DataFrame, axes: Axes) -> None:
    """Draw what players win who pay for so many toll cards, at one table size."""
    players = _table(frame)
    rows = frame[(frame.metric == "net_by_tolls") & (frame.players == players)]
    axes.axhline(0, color=BLACK, linewidth=0.8)
    _compare(axes, frame, rows.assign(tolls=rows.level.str.strip("+").astype(int)), "tolls")
    axes.set(title=f"Net result by tolls paid, {players} players")
    axes.set(xlabel="tolls paid in the pot", ylabel="chips won less put in")


def policy_folds(frame: pd.DataFrame, axes: Axes) -> None:
    """Draw on which street players fold, by policy, at one table size."""
    players = _table(frame)
    rows = frame[(frame.metric == "folds") & (frame.players == players) & (frame.level != "all")]
    _compare(axes, frame, rows.assign(street=rows.level.map(STREETS.index)), "street")
    axes.set(title=f"Players who fold, {players} players", ylabel="share of players dealt in")
    axes.set_xticks(range(len(STREETS)), STREETS)
    _from_zero(axes)
    _percent(axes)


def policy_pots(frame: pd.DataFrame, axes: Axes) -> None:
    """Draw the chips in a pot when it is won, by table size and policy."""
    _by_size(frame, axes, "pot_size", "mean", "Chips in a pot, mean")


def policy_showdowns(frame: pd.DataFrame, axes: Axes) -> None:
    """Draw the share of pots that end in a showdown, by table size and policy."""
    _by_size(frame, axes, "showdowns", "all", "Pots that end in a showdown")


def overview(frame: pd.DataFrame, title: str) -> Figure:
    """Return one page with the charts that a frame of one game and one policy has metrics for."""
    _check_single(frame, "game")
    _check_single(frame, "policy")
    policy = frame.policy.iloc[0]
    figure = _page(frame, _charts(frame), (5.2, 3.8))
    name = title if policy == STAY.name else f"{title}, {_short(policy)}"
    lines = ", lines are exact" if frame.exact.notna().any() else ""
    words = f"{name}: {played(frame)}; bars are 95 % intervals{lines}"
    figure.suptitle(words, fontsize="medium", parse_math=False)
    return figure


def comparison(frame: pd.DataFrame, title: str) -> Figure:
    """Return one page that sets the policies of a frame of one game side by side."""
    _check_single(frame, "game")
    looks = _looks(frame.policy)
    figure = _page(frame, _comparisons(frame), (4.9, 3.5 + 0.2 * max(0, len(looks) - 5)))
    handles = [
        Line2D(
            [], [], color=look.colour, marker=look.marker, linestyle=look.style, label=_short(name)
        )
        for name, look in looks.items()
    ]
    longest = max(len(str(handle.get_label())) for handle in handles)
    columns = min(len(handles), 6, max(1, 120 // (longest + 6)))
    figure.legend(handles=handles, loc="outside lower center", ncols=columns, frameon=False)
    joined = "join estimates"
    if frame.exact.notna().any():
        joined = "are exact, pale ones join estimates"
    words = f"{title}: {played(frame)}\nbars are 95 % intervals; lines {joined}"
    figure.suptitle(words, fontsize="medium", parse_math=False)
    return figure


def save(figure: Figure, path: Path) -> None:
    """Write a figure, whole or not at all, in the format of the path's ending."""
    try:
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=".chart-") as room:
            part = Path(room) / "part"
            _write(figure, part, path.suffix[1:])
            part.replace(path)
    except OSError as error:
        raise InputError(f"the chart {path} cannot be written: {error.strerror}") from None


def _write(figure: Figure, path: Path, form: str) -> None:
    """Write a figure, laid out beforehand: while it is saved that takes a drawing of its own."""
    layout = figure.get_layout_engine()
    figure.set_dpi(DPI)
    if layout is not None:
        layout.execute(figure)
        figure.set_layout_engine(None)
    figure.savefig(path, dpi=DPI, format=form)
    figure.set_layout_engine(layout)


def file_name(label: str) -> str:
    """Return a game's label as it may stand in a file name."""
    name = re.sub(r"[^A-Za-z0-9.=-]+", "_", label).strip("_")
    if len(name) <= LONGEST_NAME:
        return name
    return f"{name[:LONGEST_NAME]}-{hashlib.sha256(label.encode()).hexdigest()[:6]}"


def _charts(frame: pd.DataFrame) -> list[Chart]:
    charts: list[Chart] = []
    metrics = set(frame.metric)
    many_tolls = frame[(frame.metric == "tolls_paid") & frame.level.isin(["3", "4"])]
    if "kill_rate" in metrics:
        charts += [kill_rate, kill_streets, survival, deals_per_pot]
    if "players_out" in metrics:
        charts += [players_out, seat_out]
    if "toll_pot" in metrics:
        charts += [tolls, toll_distribution]
    if many_tolls.estimate.any():
        charts.append(tolls_paid)
    if "toll_pot" in metrics or not charts:
        charts.append(winning_hands)
    if "net_by_policy" in metrics:
        charts.append(seat_nets)
    if "toll_by_policy" in metrics:
        charts.append(seat_tolls)
    return charts


def _comparisons(frame: pd.DataFrame) -> list[Chart]:
    """Choose the charts that answer most about a game, those of its own mechanisms first."""
    metrics, several = set(frame.metric), len(set(frame.players)) > 1
    kills: list[Chart] = []
    if "kill_rate" in metrics:
        kills = [policy_kills] if several else []
        kills += [policy_kills_table, policy_kills_dealt, policy_survivors]
    elif "players_out" in metrics:
        kills = [policy_players_out, policy_survivors]
    tolls: list[Chart] = []
    if "toll_pot" in metrics:
        paid = frame[(frame.metric == "tolls_paid") & (frame.estimate > 0)].level
        tolls = [policy_tolls, policy_toll_nets]
        tolls += [policy_three_tolls] if (paid == "3").any() else []
        tolls += [policy_four_tolls] if (paid == "4").any() else []
    half = MOST_CHARTS // 2
    charts = [*kills[:half], *tolls[:half]] if kills and tolls else [*kills, *tolls]
    charts += [policy_folds] if "folds" in metrics else []
    charts += [policy_deals] if "kill_rate" in metrics else []
    charts += [policy_pots, policy_showdowns]
    charts += [policy_survivors] if not kills else []
    return charts[:MOST_CHARTS]


def _page(frame: pd.DataFrame, charts: list[Chart], size: tuple[float, float]) -> Figure:
    """Draw charts in two columns, each of this size in inches."""
    columns = 2 if len(charts) > 1 else 1
    lines = -(-len(charts) // columns)
    layout = ConstrainedLayoutEngine(w_pad=0.08, h_pad=0.08)
    figure = Figure(figsize=(size[0] * columns, size[1] * lines), layout=layout)
    grid = np.atleast_1d(figure.subplots(lines, columns)).ravel()
    for axes, chart in zip(grid, charts, strict=False):
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
        chart(frame, axes)
        axes.grid(alpha=0.25)
        left, right = axes.get_xlim()
        if axes.get_xlabel().startswith("players") and right - left < 2:  # a single table size
            axes.set_xlim(left - 1, right + 1)
    for axes in grid[len(charts) :]:
        axes.set_axis_off()
    return figure


def _check_single(frame: pd.DataFrame, column: str) -> None:
    """Refuse a frame with none or several of what a page shows one of."""
    names = [str(name) for name in frame[column].unique()]
    if len(names) != 1:
        held = ", ".join(names) or "none"
        raise InputError(f"a page of charts shows one {column}, and this frame holds {held}")


def _table(frame: pd.DataFrame) -> int:
    """Return the largest table size at which the most policies were played, but seven before eight.

    Eight players run out of cards and may share one, so seven is the largest ordinary table.
    """
    policies = frame.groupby("players").policy.nunique()
    sizes = policies[policies == policies.max()].index
    return int(sizes[sizes < MAX_PLAYERS].max() if (sizes < MAX_PLAYERS).any() else sizes.max())


def _short(policy: str, letters: int = 60) -> str:
    """Return a table's policies in few letters: neighbours who play alike are counted."""
    runs = [(name, len(list(same))) for name, same in groupby(re.split(NEXT_POLICY, policy))]
    words = ", ".join(name if number == 1 else f"{number} {name}" for name, number in runs)
    return words if len(words) <= letters else f"{words[: letters - 1]}…"


def _looks(policies: pd.Series) -> dict[str, Look]:
    """Return how each of these policies is drawn."""
    names = list(policies.unique())
    step = min(0.12, 0.6 / len(names))
    return {
        name: Look(
            COLOURS[(place + place // len(COLOURS)) % len(COLOURS)],
            MARKERS[place % len(MARKERS)],
            STYLES[place % len(STYLES)],
            step * (place - (len(names) - 1) / 2),
        )
        for place, name in enumerate(names)
    }


def _by_size(frame: pd.DataFrame, axes: Axes, metric: str, level: str, title: str) -> None:
    """Draw a level of a metric by table size and policy, or by policy if there is one size."""
    rows = _select(frame, metric, level)
    share, sizes = level != "mean", set(frame.players)
    if len(sizes) == 1:
        form = ("{:.1%}" if rows.estimate.max() > 0.1 else "{:.2%}") if share else "{:.2f}"
        _dots(axes, rows.assign(level=rows.policy), form, _looks(frame.policy))
        axes.set(title=f"{title}, {sizes.pop()} players")
        return
    _compare(axes, frame, rows, "players")
    axes.set(title=title, xlabel="players")
    _from_zero(axes)
    if share:
        _percent(axes)


def _compare(axes: Axes, frame: pd.DataFrame, rows: pd.DataFrame, along: str) -> None:
    """Draw rows of a frame, each policy in its look; a pale line joins them if none is exact."""
    for policy, look in _looks(frame.policy).items():
        part = rows[rows.policy == policy].sort_values(along)
        if part.empty:
            continue
        _points(axes, part, along, look.colour, look.marker, look.style, shift=look.shift)
        if part.exact.isna().all():
            axes.plot(
                part[along] + look.shift, part.estimate, look.style, color=look.colour, alpha=0.5,
                linewidth=1.2,
            )  # fmt: skip


def _dots(axes: Axes, rows: pd.DataFrame, form: str, looks: dict[str, Look]) -> None:
    """Draw one line for each row, named by its level, with its interval and its value in words."""
    numbers = rows[["estimate", "low", "high", "exact"]].to_numpy(np.float64)
    for place, (level, (estimate, low, high, exact)) in enumerate(
        zip(rows.level, numbers, strict=True)
    ):
        colour, marker = looks[level].colour, looks[level].marker
        errors = np.nan_to_num([[estimate - low], [high - estimate]])
        axes.errorbar(
            estimate, place, xerr=errors, fmt=marker, color=colour, markersize=5, capsize=3
        )
        if not np.isnan(exact):
            axes.plot(exact, place, "|", color=colour, markersize=18)
        axes.text(
            1.02, place, form.format(estimate), transform=axes.get_yaxis_transform(), va="center"
        )
    axes.set_yticks(range(len(rows)), [_short(str(level), 20) for level in rows.level])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.margins(x=0.15)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=5))
    if "%" in form:
        axes.xaxis.set_major_formatter(PercentFormatter(1))


def _select(frame: pd.DataFrame, metric: str, level: str) -> pd.DataFrame:
    return frame[(frame.metric == metric) & (frame.level == level)].sort_values(
        "players", kind="stable"
    )


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
    shift: float = 0,
) -> None:
    """Draw estimates with their intervals, and exact values as a line; ``join`` joins estimates."""
    errors = np.abs(part[["low", "high"]].to_numpy().T - part.estimate.to_numpy())
    axes.errorbar(
        part[along] + shift, part.estimate, yerr=np.nan_to_num(errors), fmt=marker, color=colour,
        markersize=4, capsize=2, label=label, linestyle=style if join else "none",
    )  # fmt: skip
    if not part.exact.isna().all():
        # Joined between neighbours only: a line across sizes left out would claim values there.
        known = part.set_index(along).exact
        whole = known.reindex(range(int(known.index.min()), int(known.index.max()) + 1))
        axes.plot(whole.index + shift, whole, "_", color=colour, markersize=12)
        axes.plot(whole.index + shift, whole, color=colour, linestyle=style, linewidth=1)


def _percent(axes: Axes) -> None:
    axes.yaxis.set_major_formatter(PercentFormatter(1))


def _from_zero(axes: Axes) -> None:
    axes.set_ylim(bottom=0, top=axes.get_ylim()[1] * 1.03)
