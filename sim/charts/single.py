"""The charts that answer one question each, made from the frame alone.

All take a frame of one game (``winning_hands`` of several) and set its policies side by side: in
one chart, or where table sizes need the colours, in one panel each.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from sim import formatting
from sim.arguments import one_of
from sim.charts import panels
from sim.charts.draw import (
    BLACK,
    BLUE,
    EXACT,
    PANEL,
    WIDE,
    WORDS,
    Look,
    Looks,
    beside,
    by_column,
    check_single,
    compare,
    differ,
    dot,
    headline,
    label_outer,
    legend,
    logarithmic,
    looks,
    numbered,
    per_cent,
    percent_axis,
    points,
    select,
    sheet,
    short,
    side_by_side,
    whole_numbers,
)
from sim.charts.matrix import SIGNS, draw_matrix, size_of
from sim.charts.pages import game_title, said
from sim.charts.panels import (
    ALIVE,
    CHIPS,
    DEALS,
    DEALS_BY_STREET,
    FOUR_TOLLS,
    KILL_LEVELS,
    KILLED,
    KILLED_POTS,
    LONG_POTS,
    NET_UNIT,
    NETS,
    OUT_BY_STREET,
    PAGE_TOP,
    PLAYER_TOLLS,
    PLAYERS_OUT,
    POT_TOLLS,
    SHOWDOWNS,
    THREE_TOLLS,
    TOLLS,
    TOLLS_PAID,
    WON_BY,
    by_size,
    finish,
    long_pots,
    toll_amounts,
    winners,
)
from sim.charts.registry import chart, first_of, growing, numbers_of, paid_tolls, rows_of
from sim.game import STREETS
from sim.stats.frame import JUDGED
from sim.stats.metrics import METRICS, is_amount

Grid = list[Axes] | None
"""Axes to draw on, one for each panel; none for a new figure."""
SMALL = (3.0, 2.3)
"""Inches of one of many charts."""


@chart(
    "how often killers strike",
    first_of(rows_of("kill_rate", "all"), rows_of("killed_pots", "all")),
)
def kill_rate(rows: pd.DataFrame, ax: Grid = None) -> Figure:
    """Return how often killers strike, by table size and policy.

    That is the share of deals killed; or where they put players out, of pots in which they do.
    """
    level = KILLED_POTS if "killed_pots" in set(rows.metric) else KILLED
    figure, (axes,) = sheet(1, _alone(rows), margin=WORDS, ax=ax)
    level.draw(axes, rows, looks(rows.policy))
    if differ(rows.players):
        axes.set_ylim(0, PAGE_TOP)
    _legend(figure, looks(rows.policy) if differ(rows.players) else {})
    _title(figure, rows, level.title)
    return figure


@chart(
    "on which street killers strike",
    first_of(rows_of("kill_rate", *KILL_LEVELS), rows_of("players_out", *STREETS)),
)
def kill_streets(rows: pd.DataFrame, ax: Grid = None) -> Figure:
    """Return on which street killers strike, by table size; the levels of a size add up.

    That is the share of deals killed; or where they put players out, how many, a pot.
    """
    out = "players_out" in set(rows.metric)
    streets = dict.fromkeys((*STREETS, *KILL_LEVELS))
    names = [name for name in streets if name in set(rows.level)]
    if differ(rows.players):
        figure = _by_policy(rows, names, ax)
    else:
        figure, (axes,) = sheet(1, WIDE, margin=WORDS, ax=ax)
        compare(axes, rows.assign(street=rows.level.map(names.index)), "street", looks(rows.policy))
        axes.set_xticks(range(len(names)), names)
        axes.set_xlabel("street")
        _legend(figure, looks(rows.policy))
    for axes in figure.axes:
        ylabel = "players put out, a pot" if out else "share of deals"
        finish(axes, share=not out, ylabel=ylabel)
    _title(figure, rows, OUT_BY_STREET if out else DEALS_BY_STREET)
    return figure


@chart("how many deals a pot takes", numbers_of("deals_per_pot", "deals", 2))
def deals_per_pot(rows: pd.DataFrame, ax: Grid = None) -> Figure:
    """Return the share of pots that take more than so many deals, by table size and policy."""
    figure = _curves(rows, long_pots, "deals", "share of pots", ax)
    _title(figure, rows, LONG_POTS)
    return figure


@chart("how many deals their first up cards do not kill", rows_of("survival"))
def survival(rows: pd.DataFrame, ax: Grid = None) -> Figure:
    """Return the share of deals not killed by their first up cards, by policy and table size.

    The curves of all sizes are one as long as nobody folds, and so stand in one panel.
    """
    figure, (axes,) = sheet(1, WIDE, margin=WORDS, ax=ax)
    panels.survival(rows, axes)
    axes.set_title("")
    _legend(figure, looks(rows.policy))
    _title(figure, rows, ALIVE)
    return figure


@chart("what a pot collects in tolls", numbers_of("toll_pot", "chips"))
def toll_pot(rows: pd.DataFrame, ax: Grid = None) -> Figure:
    """Return the share of pots whose tolls reach an amount, by table size and policy."""
    figure = _curves(rows, toll_amounts, "chips", "share of pots", ax)
    _title(figure, rows, POT_TOLLS)
    return figure


@chart("who pays the third and the fourth toll", paid_tolls)
def who_pays(rows: pd.DataFrame, ax: Grid = None) -> Figure:
    """Return the share of players who pay three and four tolls, by table size and policy."""
    levels = {
        "three tolls: the third, not the fourth": THREE_TOLLS,
        "four tolls": FOUR_TOLLS,
    }
    parts = [(name, select(rows, one.metric, one.level)) for name, one in levels.items()]
    parts = [part for part in parts if len(part[1])]

    def draw(axes: Axes, part: pd.DataFrame) -> None:
        by_size(axes, part, looks(rows.policy), THREE_TOLLS.unit, share=True)

    size = PANEL if differ(rows.players) else (PANEL[0], _alone(rows)[1])
    figure = side_by_side(parts, draw, size, columns=2, titled=True, ax=ax)
    _legend(figure, looks(rows.policy) if differ(rows.players) else {})
    _title(figure, rows, TOLLS_PAID)
    return figure


@chart("what hand wins, with wild cards and without", rows_of("winning_hand"), one_game=False)
def winning_hands(rows: pd.DataFrame, ax: Grid = None) -> Figure:
    """Return what hand wins, by table size, for hands that win one pot in fifty somewhere.

    Several games of a frame, as one with wild cards and one without, stand side by side and must
    share one policy; the policies of one game do as well.
    """
    if differ(rows.game):
        check_single(rows, "policy", "a chart of several games")
    by = "game" if differ(rows.game) else "policy"
    hands = winners(rows)
    rows = rows[rows.level.isin(hands)]
    if not differ(rows.players):
        figure = _hands_at_one_size(rows, hands, by, ax)
    elif not differ(rows[by]):
        figure = _by_policy(rows, hands, ax)
        finish(figure.axes[0], ylabel="share of showdowns")
    else:
        figure = _hand_by_hand(rows, hands, by, ax)
    _title(figure, rows, WON_BY)
    return figure


def _hand_by_hand(rows: pd.DataFrame, hands: list[str], by: str, ax: Grid) -> Figure:
    """Draw one panel for each hand, in which every game or policy has its look."""
    shown = looks(rows[by])

    def draw(axes: Axes, part: pd.DataFrame) -> None:
        compare(axes, part, "players", shown, by=by)
        whole_numbers(axes, rows, "players")
        finish(axes, xlabel="players", ylabel="share of showdowns")

    parts = [(hand, rows[rows.level == hand]) for hand in hands]
    figure = side_by_side(parts, draw, SMALL, titled=True, ax=ax)
    _legend(figure, {game_title(name): look for name, look in shown.items()})
    return figure


def _hands_at_one_size(rows: pd.DataFrame, hands: list[str], by: str, ax: Grid) -> Figure:
    """Draw one line for each hand, on which every game or policy has its height."""
    shown = looks(rows[by])
    line = 0.2 + 0.14 * len(shown)  # inches
    step = 0.8 / max(len(shown), 4)
    heights = {name: step * (index - (len(shown) - 1) / 2) for index, name in enumerate(shown)}
    figure, (axes,) = sheet(1, (WIDE[0], 0.5 + line * len(hands)), margin=WORDS, ax=ax)
    for row in rows.to_dict("records"):
        name, height = str(row[by]), float(hands.index(row["level"]))
        value = (row["estimate"], row["low"], row["high"], row["exact"])
        dot(axes, height + heights[name], value, shown[name], 9)
        if len(shown) == 1:
            beside(axes, height, formatting.percent(row["estimate"], 1))
    axes.set_yticks(range(len(hands)), hands)
    axes.set_ylim(len(hands) - 0.5, -0.5)
    axes.grid(visible=False, axis="y")
    for border in range(1, len(hands)):
        axes.axhline(border - 0.5, color=BLACK, alpha=0.25, linewidth=0.8)
    axes.set(xlim=(0, axes.get_xlim()[1]), xlabel="share of showdowns")
    axes.xaxis.set_major_locator(MaxNLocator(nbins=6))
    axes.xaxis.set_major_formatter(per_cent())
    _legend(figure, {game_title(name): look for name, look in shown.items()})
    return figure


@chart("what those win or lose who pay tolls", rows_of("net_by_tolls"))
def net_by_tolls(rows: pd.DataFrame, ax: Grid = None) -> Figure:
    """Return what players win less what they put in, by the tolls that they pay in a pot."""
    rows = numbered(rows, "net_by_tolls", "tolls")
    ticks = rows.drop_duplicates("tolls").set_index("tolls").level

    def draw(axes: Axes, part: pd.DataFrame, look: Look) -> None:
        points(axes, part, "tolls", look)

    figure = _curves(rows, draw, "tolls paid in the pot", NET_UNIT, ax, shares=False)
    for axes in figure.axes:
        axes.axhline(0, color=BLACK, linewidth=0.8)
        axes.set_xticks(ticks.index, ticks)
    _title(figure, rows, NETS)
    return figure


@chart(
    "how an estimate settles, from two cells of pots on",
    growing,
    frame_of="study.convergence()",
    one_policy=True,
)
def convergence(rows: pd.DataFrame, ax: Grid = None) -> Figure:
    """Return how an estimate settles, with its band, as the pots of a scenario are played.

    The frame is one of ``Study.convergence``, of one game, policy, metric and level.
    """
    policy, metric, level = (
        check_single(rows, column, "a chart of convergence")
        for column in ("policy", "metric", "level")
    )
    title, unit = _in_words(metric, level)
    sizes = sorted(rows.players.unique())
    parts = [(f"{players} players", rows[rows.players == players]) for players in sizes]
    figure = side_by_side(parts, partial(_settling, unit=unit), titled=True, ax=ax)
    if not is_amount(metric, level):
        for axes in figure.axes:
            percent_axis(axes)
    label_outer(figure)
    legend(figure, {})
    name = f"{game_title(rows.game.iloc[0])}, {short(policy)}"
    bars = "each bar's pots include those of the bars before"
    headline(figure, f"{title}, as pots are played\n{name}: {bars}{_scales(figure)}")
    return figure


def _in_words(metric: str, level: str) -> tuple[str, str]:
    """Return what a level of a metric is called on charts, and what its axis measures."""
    levels = (KILLED, KILLED_POTS, PLAYERS_OUT, TOLLS, CHIPS, DEALS, PLAYER_TOLLS, SHOWDOWNS)
    for one in levels:
        if (one.metric, one.level) == (metric, level):
            return one.title, one.unit
    words = METRICS[metric].definition.split(":")[0] if metric in METRICS else metric
    return f"{words[0].upper()}{words[1:]}: {level}", "" if is_amount(metric, level) else "share"


def _settling(axes: Axes, part: pd.DataFrame, unit: str) -> None:
    part = part.sort_values("pots")
    axes.fill_between(part.pots, part.low, part.high, color=BLUE, alpha=0.2, linewidth=0)
    # The exact value is one line, drawn below, not one for each number of pots.
    points(axes, part.assign(exact=np.nan), "pots", Look(join="full"))
    if part.exact.notna().any():
        axes.axhline(part.exact.iloc[0], color=BLACK, linewidth=1, label=EXACT)
    logarithmic(axes)
    axes.set(xlabel="pots", ylabel=unit)


@chart(
    "which table sizes keep to a host's limits",
    lambda frame: frame,
    columns=JUDGED,
    frame_of="study.recommendations(study.frame())",
)
def recommendation(rows: pd.DataFrame, ax: Grid = None) -> Figure:
    """Return which table sizes keep to a host's limits: a matrix for each policy.

    Columns of the frame: game, players, policy, constraint, unit, estimate, low, high, limit,
    verdict (pass, fail or unresolved), left_out; the constraint ``all`` sums up a table size. A
    cell holds the figure, and its interval unless that rounds to it. Below a matrix stands which
    constraints it leaves out, and why.
    """
    for verdict in rows.verdict.unique():
        one_of(verdict, SIGNS, "verdict")
    parts = by_column(rows, "policy")
    lines = [own.constraint.nunique() for _, own in parts]
    size = size_of(rows.players.nunique(), sum(lines) / len(lines))
    figure = side_by_side(parts, draw_matrix, size, columns=1, margin=WORDS / 2, ax=ax)
    grid = figure.axes[0].get_gridspec()
    if ax is None and grid:
        grid.set_height_ratios(lines)
    policy = f", {short(rows.policy.iloc[0])}" if len(parts) == 1 else ""
    signs = ", ".join(f"{sign} {verdict}" for verdict, sign in SIGNS.items())
    title = f"A host's limits: {signs}"
    cells = "figures, with their 95 % intervals where these do not round to them"
    headline(figure, f"{title}\n{game_title(rows.game.iloc[0])}{policy}: {cells}")
    return figure


def _alone(rows: pd.DataFrame) -> tuple[float, float]:
    """Return the size of a chart by table size, or of its dots where there is one size."""
    if differ(rows.players):
        return WIDE
    return WIDE[0], 0.5 + 0.35 * rows.policy.nunique()


def _by_policy(rows: pd.DataFrame, levels: list[str], ax: Grid) -> Figure:
    """Draw levels by table size, a panel for each policy."""
    shown = looks(levels, shifted=False)

    def draw(axes: Axes, part: pd.DataFrame) -> None:
        compare(axes, part, "players", shown, by="level")
        whole_numbers(axes, rows, "players")
        axes.set_xlabel("players")

    figure = side_by_side(by_column(rows, "policy"), draw, share=True, ax=ax)
    _legend(figure, shown)
    return figure


def _curves(
    rows: pd.DataFrame,
    draw_one: Callable[[Axes, pd.DataFrame, Look], None],
    xlabel: str,
    ylabel: str,
    ax: Grid,
    *,
    shares: bool = True,
) -> Figure:
    """Draw a curve for each scenario.

    Policies have panels, and table sizes looks; or where there is one size, policies have looks.
    """
    many_sizes = differ(rows.players)
    by = "players" if many_sizes else "policy"
    names = sorted(rows.players.unique()) if many_sizes else list(rows.policy.unique())
    shown = looks(names, shifted=not shares)

    def draw(axes: Axes, part: pd.DataFrame) -> None:
        for name, own in part.groupby(by, sort=False):
            draw_one(axes, own, shown[str(name)])
        axes.set(xlabel=xlabel, ylabel=ylabel)
        if shares:
            finish(axes, top=PAGE_TOP)

    parts = by_column(rows, "policy") if many_sizes else [("", rows)]
    figure = side_by_side(parts, draw, share=True, ax=ax)
    _legend(figure, shown, "{} players" if many_sizes else "{}")
    return figure


def _legend(figure: Figure, looks: Looks, label: str = "{}") -> None:
    """Name the marks of a figure and its looks, unless there is but one, which its title names."""
    legend(figure, looks if len(looks) > 1 else {}, label)


def _title(figure: Figure, rows: pd.DataFrame, title: str) -> None:
    """Say what a figure shows, and of what."""
    label_outer(figure)
    games = " against ".join(map(game_title, rows.game.unique()))
    only_policy = f", {short(str(rows.policy.iloc[0]))}" if not differ(rows.policy) else ""
    headline(figure, f"{title}\n{games}{only_policy}: {said(rows)}{_scales(figure)}")


def _scales(figure: Figure) -> str:
    """Say so if the panels of a figure have scales of their own."""
    scales = {(axes.get_xlim(), axes.get_ylim()) for axes in figure.axes}
    return "; each panel has its own scale" if len(scales) > 1 else ""
