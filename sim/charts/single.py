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
from matplotlib.ticker import MaxNLocator, PercentFormatter

from sim import formatting
from sim.arguments import one_of
from sim.charts.draw import (
    BLACK,
    BLUE,
    PANEL,
    WIDE,
    WORDS,
    Look,
    beside,
    by_column,
    check_single,
    compare,
    curve,
    differ,
    dot,
    headline,
    label_outer,
    legend,
    logarithmic,
    looks,
    numbered,
    percent_axis,
    points,
    select,
    sheet,
    short,
    side_by_side,
    whole_numbers,
)
from sim.charts.matrix import ALL, SIGNS, draw_matrix, size_of
from sim.charts.pages import joined, said
from sim.charts.panels import (
    KILL_LEVELS,
    PAGE_TOP,
    by_size,
    finish,
    long_pots,
    toll_amounts,
    winners,
)
from sim.charts.registry import chart, first_of, growing, numbers_of, paid_tolls, rows_of
from sim.game import STREETS
from sim.stats.frame import JUDGED
from sim.stats.metrics import is_amount

SMALL = (3.0, 2.3)
"""Inches of one of many charts."""


@chart(
    "how often killers strike",
    first_of(rows_of("kill_rate", "all"), rows_of("killed_pots", "all")),
)
def kill_rate(rows: pd.DataFrame) -> Figure:
    """Return how often killers strike, by table size and policy.

    That is the share of deals killed; or where they put players out, of pots in which they do.
    """
    out = "killed_pots" in set(rows.metric)
    what = "Pots in which a killer puts somebody out" if out else "Deals killed"
    figure, (axes,) = sheet(1, _alone(rows), margin=WORDS)
    by_size(axes, rows, looks(rows.policy), share=True)
    if differ(rows.players):
        whole_numbers(axes, rows, "players")
        axes.set(ylim=(0, PAGE_TOP), ylabel=f"share of {'pots' if out else 'deals'}")
        _legend(figure, looks(rows.policy))
    _title(figure, rows, what, dotted=not differ(rows.players))
    return figure


@chart(
    "on which street killers strike",
    first_of(rows_of("kill_rate", *KILL_LEVELS), rows_of("players_out", *STREETS)),
)
def kill_streets(rows: pd.DataFrame) -> Figure:
    """Return on which street killers strike, by table size; the levels of a size add up.

    That is the share of deals killed; or where they put players out, how many, a pot.
    """
    out = "players_out" in set(rows.metric)
    streets = dict.fromkeys((*STREETS, *KILL_LEVELS))
    names = [name for name in streets if name in set(rows.level)]
    if differ(rows.players):
        figure = _by_policy(rows, names)
    else:
        figure, (axes,) = sheet(1, WIDE, margin=WORDS)
        compare(axes, rows.assign(street=rows.level.map(names.index)), "street", looks(rows.policy))
        axes.set_xticks(range(len(names)), names)
        axes.set_xlabel("street")
        _legend(figure, looks(rows.policy))
    for axes in figure.axes:
        ylabel = "players put out, a pot" if out else "share of deals"
        finish(axes, share=not out, ylabel=ylabel)
    _title(figure, rows, "Players put out, by street" if out else "Deals killed, by street")
    return figure


@chart("how many deals a pot takes", numbers_of("deals_per_pot", "deals", 2))
def deals_per_pot(rows: pd.DataFrame) -> Figure:
    """Return the share of pots that take more than so many deals, by table size and policy."""
    figure = _curves(rows, long_pots, "deals", "share of pots")
    _title(figure, rows, "Deals until a pot is won: more than …")
    return figure


@chart("how many deals their first up cards do not kill", rows_of("survival"))
def survival(rows: pd.DataFrame) -> Figure:
    """Return the share of deals not killed by their first up cards, by table size and policy."""
    rows = numbered(rows, "survival", "card")
    one_size = not differ(rows.players)

    def draw(axes: Axes, part: pd.DataFrame, look: Look) -> None:
        # Curves of several sizes are one and the same where all stay: they differ in their marks.
        round_of_cards = 1 if one_size else int(part.players.iloc[0])
        curve(axes, part, "card", look, range(0, 99, round_of_cards), steps=False)

    figure = _curves(rows, draw, "up cards", "share of deals")
    for axes in figure.axes:
        axes.set_xlim(0, rows.card.max() + 1)
    marks = "" if one_size else " (marks: one more for everybody)"
    _title(figure, rows, f"Deals not killed by their first … up cards{marks}")
    return figure


@chart("what a pot collects in tolls", numbers_of("toll_pot", "chips"))
def toll_pot(rows: pd.DataFrame) -> Figure:
    """Return the share of pots whose tolls reach an amount, by table size and policy."""
    figure = _curves(rows, toll_amounts, "chips", "share of pots")
    _title(figure, rows, "Tolls in a pot: at least …")
    return figure


@chart("who pays the third and the fourth toll", paid_tolls)
def who_pays(rows: pd.DataFrame) -> Figure:
    """Return the share of players who pay three and four tolls, by table size and policy."""
    labels = {"3": "three tolls: the third, not the fourth", "4": "four tolls"}
    many_sizes = differ(rows.players)
    parts = [(labels[level], select(rows, "tolls_paid", level)) for level in labels]
    parts = [part for part in parts if len(part[1])]

    def draw(axes: Axes, part: pd.DataFrame) -> None:
        by_size(axes, part, looks(rows.policy), share=True)
        if many_sizes:
            whole_numbers(axes, part, "players")
            axes.set_ylabel("share of players")

    size = PANEL if many_sizes else (PANEL[0], _alone(rows)[1])
    figure = side_by_side(parts, draw, size, columns=2, titled=True)
    if many_sizes:
        _legend(figure, looks(rows.policy))
    _title(figure, rows, "Players who pay for so many toll cards in a deal", dotted=not many_sizes)
    return figure


@chart("what hand wins, with wild cards and without", rows_of("winning_hand"), one_game=False)
def winning_hands(rows: pd.DataFrame) -> Figure:
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
        figure = _hands_at_one_size(rows, hands, by)
    elif not differ(rows[by]):
        figure = _by_policy(rows, hands)
        finish(figure.axes[0], ylabel="share of showdowns")
    else:
        figure = _hand_by_hand(rows, hands, by)
    _title(figure, rows, "Showdowns won by each hand", dotted=not differ(rows.players))
    return figure


def _hand_by_hand(rows: pd.DataFrame, hands: list[str], by: str) -> Figure:
    """Draw one panel for each hand, in which every game or policy has its look."""
    shown = looks(rows[by])

    def draw(axes: Axes, part: pd.DataFrame) -> None:
        compare(axes, part, "players", shown, by=by)
        whole_numbers(axes, rows, "players")
        finish(axes, xlabel="players", ylabel="share of showdowns")

    parts = [(hand, rows[rows.level == hand]) for hand in hands]
    figure = side_by_side(parts, draw, SMALL, titled=True)
    _legend(figure, shown)
    return figure


def _hands_at_one_size(rows: pd.DataFrame, hands: list[str], by: str) -> Figure:
    """Draw one line for each hand, on which every game or policy has its height."""
    shown = looks(rows[by])
    line = 0.2 + 0.14 * len(shown)  # inches
    step = 0.8 / max(len(shown), 4)
    heights = {name: step * (index - (len(shown) - 1) / 2) for index, name in enumerate(shown)}
    figure, (axes,) = sheet(1, (WIDE[0], 0.5 + line * len(hands)), margin=WORDS)
    for row in rows.to_dict("records"):
        name, height = str(row[by]), float(hands.index(row["level"]))
        value = (row["estimate"], row["low"], row["high"], row["exact"])
        dot(axes, height + heights[name], value, shown[name], 9)
        if len(shown) == 1:
            beside(axes, height, formatting.percent(row["estimate"], 1, gap=""))
    axes.set_yticks(range(len(hands)), hands)
    axes.set_ylim(len(hands) - 0.5, -0.5)
    axes.grid(visible=False, axis="y")
    for border in range(1, len(hands)):
        axes.axhline(border - 0.5, color=BLACK, alpha=0.25, linewidth=0.8)
    axes.set(xlim=(0, axes.get_xlim()[1]), xlabel="share of showdowns")
    axes.xaxis.set_major_locator(MaxNLocator(nbins=6))
    axes.xaxis.set_major_formatter(PercentFormatter(1))
    _legend(figure, shown)
    return figure


@chart("what those win or lose who pay tolls", rows_of("net_by_tolls"))
def net_by_tolls(rows: pd.DataFrame) -> Figure:
    """Return what players win less what they put in, by the tolls that they pay in a pot."""
    rows = numbered(rows, "net_by_tolls", "tolls")
    ticks = rows.drop_duplicates("tolls").set_index("tolls").level

    def draw(axes: Axes, part: pd.DataFrame, look: Look) -> None:
        points(axes, part, "tolls", look)

    figure = _curves(rows, draw, "tolls paid in the pot", "chips, a pot", shares=False)
    for axes in figure.axes:
        axes.axhline(0, color=BLACK, linewidth=0.8)
        axes.set_xticks(ticks.index, ticks)
    _title(figure, rows, "Net result of players by tolls paid")
    return figure


@chart(
    "how an estimate settles, from two cells of pots on", growing, own_frame=True, one_policy=True
)
def convergence(rows: pd.DataFrame) -> Figure:
    """Return how an estimate settles, with its band, as the pots of a scenario are played.

    The frame is one of ``Study.convergence``, of one game, policy, metric and level.
    """
    policy, metric, level = (
        check_single(rows, column, "a chart of convergence")
        for column in ("policy", "metric", "level")
    )
    sizes = sorted(rows.players.unique())
    parts = [(f"{players} players", rows[rows.players == players]) for players in sizes]
    figure = side_by_side(parts, _settling, titled=True)
    if not is_amount(metric, level):
        for axes in figure.axes:
            percent_axis(axes)
    label_outer(figure)
    known = "; the dashed line is exact" if rows.exact.notna().any() else ""
    subtitle = f"{rows.game.iloc[0]}: bars and band are 95 % intervals{known}"
    headline(figure, f"{metric} {level}, {short(policy)}, as pots are played\n{subtitle}")
    return figure


def _settling(axes: Axes, part: pd.DataFrame) -> None:
    part = part.sort_values("pots")
    axes.fill_between(part.pots, part.low, part.high, color=BLUE, alpha=0.2, linewidth=0)
    # The exact value is one line, drawn below, not one for each number of pots.
    points(axes, part.assign(exact=np.nan), "pots", Look(join="full"))
    if part.exact.notna().any():
        axes.axhline(part.exact.iloc[0], color=BLACK, linestyle="--", linewidth=1)
    logarithmic(axes)
    axes.set_xlabel("pots")


@chart(
    "which table sizes keep to a host's limits", lambda frame: frame, columns=JUDGED, own_frame=True
)
def recommendation(rows: pd.DataFrame) -> Figure:
    """Return which table sizes keep to a host's limits: a matrix for each policy.

    Columns of the frame: game, players, policy, constraint, unit, estimate, low, high, limit,
    verdict (pass, fail or unresolved); the constraint ``all`` sums up a table size. A cell holds
    the figure, its interval and the limit; where a constraint does not apply there is none.
    """
    for verdict in rows.verdict.unique():
        one_of(verdict, SIGNS, "verdict")
    sizes = sorted(rows.players.unique())
    names = sorted(rows.constraint.unique(), key=lambda name: name == ALL)
    parts = by_column(rows, "policy")
    draw = partial(draw_matrix, sizes=sizes, names=names)
    figure = side_by_side(parts, draw, size_of(sizes, names), columns=1, margin=WORDS / 2)
    policy = f", {short(rows.policy.iloc[0])}" if len(parts) == 1 else ""
    signs = ", ".join(f"{sign} {verdict}" for verdict, sign in SIGNS.items())
    cells = "a cell holds the figure, its 95 % interval if it has one, and the limit"
    headline(figure, f"{rows.game.iloc[0]}{policy}: {signs}\n{cells}")
    return figure


def _alone(rows: pd.DataFrame) -> tuple[float, float]:
    """Return the size of a chart by table size, or of its dots where there is one size."""
    if differ(rows.players):
        return WIDE
    return WIDE[0], 0.5 + 0.35 * rows.policy.nunique()


def _by_policy(rows: pd.DataFrame, levels: list[str]) -> Figure:
    """Draw levels by table size, a panel for each policy."""
    shown = looks(levels, shifted=False)

    def draw(axes: Axes, part: pd.DataFrame) -> None:
        compare(axes, part, "players", shown, by="level")
        whole_numbers(axes, rows, "players")
        axes.set_xlabel("players")

    figure = side_by_side(by_column(rows, "policy"), draw, share=True)
    _legend(figure, shown)
    return figure


def _curves(
    rows: pd.DataFrame,
    draw_one: Callable[[Axes, pd.DataFrame, Look], None],
    xlabel: str,
    ylabel: str,
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

    figure = side_by_side(
        by_column(rows, "policy") if many_sizes else [("", rows)], draw, share=shares
    )
    _legend(figure, shown, "{} players" if many_sizes else "{}")
    return figure


def _legend(figure: Figure, looks: dict[str, Look], label: str = "{}") -> None:
    """Name the looks of a figure, unless there is but one, which its title names."""
    if len(looks) > 1:
        legend(figure, looks, label)


def _title(figure: Figure, rows: pd.DataFrame, title: str, *, dotted: bool = False) -> None:
    """Say what a figure shows, of what, and what its marks are."""
    label_outer(figure)
    games = " against ".join(map(str, rows.game.unique()))
    only_policy = f", {short(str(rows.policy.iloc[0]))}" if not differ(rows.policy) else ""
    lines = f"; lines {joined(rows)}"
    if dotted:
        lines = "; upright strokes are exact" if rows.exact.notna().any() else ""
    subtitle = f"{games}{only_policy}: {said(rows)}\nbars are 95 % intervals{lines}"
    headline(figure, f"{title}\n{subtitle}")
