"""The charts that answer one question each, made from the frame alone.

All take a frame of one game (``winning_hands`` of several) and set its policies side by side: in
one chart, or where table sizes need the colours, in one panel each.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator, PercentFormatter

from sim.arguments import one_of
from sim.charts.draw import (
    BLACK,
    BLUE,
    Look,
    check_single,
    curve,
    differ,
    dot,
    from_zero,
    headline,
    label_outer,
    legend,
    logarithmic,
    looks,
    numbered,
    percent,
    points,
    series,
    sheet,
    short,
    whole_numbers,
)
from sim.charts.pages import joined, said
from sim.charts.panels import KILL_LEVELS, by_size, compare, long_pots, toll_amounts, winners
from sim.errors import InputError
from sim.game import STREETS
from sim.stats.frame import COLUMNS, JUDGED, check_frame
from sim.stats.metrics import is_amount

WIDE, PANEL, SMALL = (6.6, 3.6), (4.4, 3.0), (3.0, 2.3)
"""Inches of a chart that stands alone, of one of a few, and of one of many."""
WORDS = 0.9
"""Inches of a chart's title and legend."""
CELL = (1.05, 0.62)
"""Inches of a cell of a matrix."""
GROUNDS = {"pass": "#CFE6F5", "fail": "#F6C9A4", "unresolved": "#FFFFFF"}
SIGNS = {"pass": "✓", "fail": "✗", "unresolved": "?"}
HATCHES = {"unresolved": "////"}
"""How the verdicts of a recommendation differ, in colour and without."""
LEFT_OUT = "#EEEEEE"
"""The ground where a constraint does not apply."""
ALL = "all"
"""The constraint of a recommendation's row that sums up a table size."""


class Question(NamedTuple):
    """What one of the charts shows, and the rows of a frame that tell it."""

    words: str
    rows: Callable[[pd.DataFrame], pd.DataFrame]
    """From a frame; none if it does not say."""


def _rows(metric: str, *levels: str) -> Callable[[pd.DataFrame], pd.DataFrame]:
    def rows(frame: pd.DataFrame) -> pd.DataFrame:
        found = frame[(frame.metric == metric) & frame.estimate.notna()]
        return found[found.level.isin(levels)] if levels else found

    return rows


def _first(*ways: Callable[[pd.DataFrame], pd.DataFrame]) -> Callable[[pd.DataFrame], pd.DataFrame]:
    """Return the rows that the first of several ways finds."""

    def rows(frame: pd.DataFrame) -> pd.DataFrame:
        found = [way(frame) for way in ways]
        return next((one for one in found if len(one)), found[0])

    return rows


def _long(frame: pd.DataFrame) -> pd.DataFrame:
    found = numbered(_rows("deals_per_pot")(frame), "deals_per_pot", "deals")
    return found if (found.deals > 1).any() else found[:0]


def _tolls(frame: pd.DataFrame) -> pd.DataFrame:
    found = _rows("tolls_paid", "3", "4")(frame)
    can = found[(found.estimate > 0) | (found.exact > 0)]
    return found[found.level.isin(can.level)]


def _growing(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of what was estimated from several numbers of pots."""
    key = ["game", "players", "policy", "metric", "level"]
    found = frame[frame.low < frame.high]  # what never varied does not settle
    return found[found.groupby(key)["pots"].transform("nunique") > 1]


QUESTIONS: dict[str, Question] = {
    "kill_rate": Question(
        "how often killers strike",
        _first(_rows("kill_rate", "all"), _rows("killed_pots", "all")),
    ),
    "kill_streets": Question(
        "on which street killers strike",
        _first(_rows("kill_rate", *KILL_LEVELS), _rows("players_out", *STREETS)),
    ),
    "deals_per_pot": Question("how many deals a pot takes", _long),
    "survival": Question("how many deals their first up cards do not kill", _rows("survival")),
    "toll_pot": Question(
        "what a pot collects in tolls",
        lambda frame: numbered(_rows("toll_pot")(frame), "toll_pot", "chips"),
    ),
    "who_pays": Question("who pays the third and the fourth toll", _tolls),
    "winning_hands": Question("what hand wins, with wild cards and without", _rows("winning_hand")),
    "net_by_tolls": Question("what those win or lose who pay tolls", _rows("net_by_tolls")),
    "convergence": Question("how an estimate settles, from two cells of pots on", _growing),
    "recommendation": Question("which table sizes keep to a host's limits", lambda frame: frame),
}
"""Every chart of this room by its name, which is its function's."""


def kill_rate(frame: pd.DataFrame) -> Figure:
    """Return how often killers strike, by table size and policy.

    That is the share of deals killed; or where they put players out, of pots in which they do.
    """
    rows = _wanted("kill_rate", frame)
    out = "killed_pots" in set(rows.metric)
    what = "Pots in which a killer puts somebody out" if out else "Deals killed"
    figure, (axes,) = sheet(1, _alone(rows), room=WORDS)
    by_size(axes, rows, looks(rows.policy), share=True)
    if differ(rows.players):
        whole_numbers(axes, rows, "players")
        axes.set_ylim(0, 1.02)
        axes.set_ylabel(f"share of {'pots' if out else 'deals'}")
        _legend(figure, looks(rows.policy))
    _title(figure, rows, what, dotted=not differ(rows.players))
    return figure


def kill_streets(frame: pd.DataFrame) -> Figure:
    """Return on which street killers strike, by table size; the levels of a size add up.

    That is the share of deals killed; or where they put players out, how many, a pot.
    """
    rows = _wanted("kill_streets", frame)
    out = "players_out" in set(rows.metric)
    streets = dict.fromkeys((*STREETS, *KILL_LEVELS))
    names = [name for name in streets if name in set(rows.level)]
    rows = rows.assign(street=rows.level.map({name: place for place, name in enumerate(names)}))
    several = differ(rows.players)
    if several:
        figure = _panels(rows, "players", "level", names)
    else:
        figure, (axes,) = sheet(1, WIDE, room=WORDS)
        compare(axes, rows, "street", looks(rows.policy))
        axes.set_xticks(range(len(names)), names)
        axes.set_xlabel("street")
        _legend(figure, looks(rows.policy))
    for axes in figure.axes:
        from_zero(axes)
        axes.set_ylabel("players put out, a pot" if out else "share of deals")
        if not out:
            percent(axes)
    _title(figure, rows, "Players put out, by street" if out else "Deals killed, by street")
    return figure


def deals_per_pot(frame: pd.DataFrame) -> Figure:
    """Return the share of pots that take more than so many deals, by table size and policy."""
    rows = _wanted("deals_per_pot", frame)
    figure = _curves(rows, long_pots, "deals", "share of pots")
    _title(figure, rows, "Deals until a pot is won: more than …")
    return figure


def survival(frame: pd.DataFrame) -> Figure:
    """Return the share of deals not killed by their first up cards, by table size and policy."""
    rows = numbered(_wanted("survival", frame), "survival", "card")

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


def toll_pot(frame: pd.DataFrame) -> Figure:
    """Return the share of pots whose tolls reach an amount, by table size and policy."""
    rows = _wanted("toll_pot", frame)
    figure = _curves(rows, toll_amounts, "chips", "share of pots")
    _title(figure, rows, "Tolls in a pot: at least …")
    return figure


def who_pays(frame: pd.DataFrame) -> Figure:
    """Return the share of players who pay three and four tolls, by table size and policy."""
    rows = _wanted("who_pays", frame)
    words = {"3": "three tolls: the third, not the fourth", "4": "four tolls"}
    present = [level for level in words if level in set(rows.level)]
    several = differ(rows.players)
    size = PANEL if several else (4.4, _alone(rows)[1])
    figure, grid = sheet(len(present), size, 2, room=WORDS)
    for axes, level in zip(grid, present, strict=True):
        part = rows[rows.level == level].sort_values("players", kind="stable")
        by_size(axes, part, looks(rows.policy), share=True)
        axes.set_title(words[level], fontsize="medium")
        if several:
            whole_numbers(axes, part, "players")
            axes.set_ylabel("share of players")
    if several:
        _legend(figure, looks(rows.policy))
    _title(figure, rows, "Players who pay for so many toll cards in a deal", dotted=not several)
    return figure


def winning_hands(frame: pd.DataFrame) -> Figure:
    """Return what hand wins, by table size, for hands that win one pot in fifty somewhere.

    Several games of a frame, as one with wild cards and one without, stand side by side and must
    share one policy; the policies of one game do as well.
    """
    rows = _wanted("winning_hands", frame, one_game=False)
    if differ(rows.game):
        check_single(rows, "policy", "a chart of several games")
    by = "game" if differ(rows.game) else "policy"
    hands = winners(rows)
    rows = rows[rows.level.isin(hands)]
    if not differ(rows.players):
        figure = _hands_at_one_size(rows, hands, by)
    elif not differ(rows[by]):
        figure = _panels(rows, "players", "level", hands)
        _shares(figure.axes[0])
    else:
        figure, grid = sheet(len(hands), SMALL, room=WORDS)
        for axes, hand in zip(grid, hands, strict=True):
            compare(axes, rows[rows.level == hand], "players", looks(rows[by]), by=by)
            whole_numbers(axes, rows, "players")
            _shares(axes)
            axes.set_xlabel("players")
            axes.set_title(hand, fontsize="medium")
        _legend(figure, looks(map(str, rows[by])))
    _title(figure, rows, "Showdowns won by each hand", dotted=not differ(rows.players))
    return figure


def _shares(axes: Axes) -> None:
    from_zero(axes)
    axes.set_ylabel("share of showdowns")
    percent(axes)


def _hands_at_one_size(rows: pd.DataFrame, hands: list[str], by: str) -> Figure:
    """Draw one line for each hand, on which every game or policy has its place."""
    shown = looks(rows[by])
    high = 0.2 + 0.14 * len(shown)  # inches of a hand's line
    step = 0.8 / max(len(shown), 4)
    places = {name: step * (place - (len(shown) - 1) / 2) for place, name in enumerate(shown)}
    figure, (axes,) = sheet(1, (WIDE[0], 0.5 + high * len(hands)), room=WORDS)
    for row in rows.to_dict("records"):
        look = shown[str(row[by])]
        value = (row["estimate"], row["low"], row["high"], row["exact"])
        dot(axes, hands.index(row["level"]) + places[str(row[by])], value, look, 9)
        if len(shown) == 1:
            place = hands.index(row["level"])
            axes.text(1.02, place, f"{row['estimate']:.1%}", va="center",
                      transform=axes.get_yaxis_transform())  # fmt: skip
    axes.set_yticks(range(len(hands)), hands)
    axes.set_ylim(len(hands) - 0.5, -0.5)
    axes.grid(visible=False, axis="y")
    for place in range(1, len(hands)):
        axes.axhline(place - 0.5, color=BLACK, alpha=0.25, linewidth=0.8)
    axes.set(xlim=(0, axes.get_xlim()[1]), xlabel="share of showdowns")
    axes.xaxis.set_major_locator(MaxNLocator(nbins=6))
    axes.xaxis.set_major_formatter(PercentFormatter(1))
    _legend(figure, shown)
    return figure


def net_by_tolls(frame: pd.DataFrame) -> Figure:
    """Return what players win less what they put in, by the tolls that they pay in a pot."""
    rows = numbered(_wanted("net_by_tolls", frame), "net_by_tolls", "tolls")
    ticks = rows.drop_duplicates("tolls").set_index("tolls").level

    def draw(axes: Axes, part: pd.DataFrame, look: Look) -> None:
        series(axes, part, "tolls", look)

    figure = _curves(rows, draw, "tolls paid in the pot", "chips, a pot", shares=False)
    for axes in figure.axes:
        axes.axhline(0, color=BLACK, linewidth=0.8)
        axes.set_xticks(ticks.index, ticks)
    _title(figure, rows, "Net result of players by tolls paid")
    return figure


def convergence(frame: pd.DataFrame) -> Figure:
    """Return how an estimate settles, with its band, as the pots of a scenario are played.

    The frame is one of ``Study.convergence``, of one game, policy, metric and level.
    """
    rows = _wanted("convergence", frame)
    for column in ("policy", "metric", "level"):
        check_single(rows, column, "a chart of convergence")
    sizes = sorted(rows.players.unique())
    figure, grid = sheet(len(sizes), WIDE if len(sizes) == 1 else PANEL, room=WORDS)
    amount = is_amount(rows.metric.iloc[0], rows.level.iloc[0])
    for axes, players in zip(grid, sizes, strict=True):
        part = rows[rows.players == players].sort_values("pots")
        _settling(axes, part)
        axes.set_title(f"{players} players", fontsize="medium")
        if not amount:
            percent(axes)
    label_outer(figure)
    name = f"{rows.metric.iloc[0]} {rows.level.iloc[0]}, {short(rows.policy.iloc[0])}"
    known = "; the dashed line is exact" if rows.exact.notna().any() else ""
    words = f"{rows.game.iloc[0]}: bars and band are 95 % intervals{known}"
    headline(figure, f"{name}, as pots are played\n{words}")
    return figure


def _settling(axes: Axes, part: pd.DataFrame) -> None:
    axes.fill_between(part.pots, part.low, part.high, color=BLUE, alpha=0.2, linewidth=0)
    # The exact value is one line, drawn below, not one for each number of pots.
    points(axes, part.assign(exact=np.nan), "pots", Look(), join=True)
    if part.exact.notna().any():
        axes.axhline(part.exact.iloc[0], color=BLACK, linestyle="--", linewidth=1)
    logarithmic(axes)
    axes.set_xlabel("pots")


def recommendation(frame: pd.DataFrame) -> Figure:
    """Return which table sizes keep to a host's limits: a matrix for each policy.

    Columns of the frame: game, players, policy, constraint, unit, estimate, low, high, limit,
    verdict (pass, fail or unresolved); the constraint ``all`` sums up a table size. A cell holds
    the figure, its interval and the limit; where a constraint does not apply there is none.
    """
    rows = _wanted("recommendation", frame)
    for verdict in rows.verdict.unique():
        one_of(verdict, SIGNS, "verdict")
    policies = list(rows.policy.unique())
    sizes = sorted(rows.players.unique())
    names = sorted(rows.constraint.unique(), key=lambda name: name == ALL)
    size = (max(1.2 + CELL[0] * len(sizes), WIDE[0]), 0.6 + CELL[1] * len(names))
    figure, grid = sheet(len(policies), size, 1, room=WORDS / 2)
    for axes, policy in zip(grid, policies, strict=True):
        _matrix(axes, rows[rows.policy == policy], sizes, names)
        if len(policies) > 1:
            axes.set_title(short(policy), fontsize="medium")
    one = f", {short(policies[0])}" if len(policies) == 1 else ""
    signs = ", ".join(f"{sign} {verdict}" for verdict, sign in SIGNS.items())
    cells = "a cell holds the figure, its 95 % interval if it has one, and the limit"
    words = f"{rows.game.iloc[0]}{one}: {signs}\n{cells}"
    headline(figure, words)
    return figure


def _matrix(axes: Axes, rows: pd.DataFrame, sizes: list[int], names: list[str]) -> None:
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
    verdict = str(row["verdict"])
    axes.add_patch(
        Rectangle(
            (column, line), 1, 1, facecolor=GROUNDS[verdict], hatch=HATCHES.get(verdict),
            edgecolor="#BBBBBB", linewidth=0.8,
        )
    )  # fmt: skip
    estimate, low, high, limit = (float(row[name]) for name in ("estimate", "low", "high", "limit"))
    unit = str(row["unit"])
    words = verdict if math.isnan(estimate) else _figure(estimate, unit)
    place: dict[str, Any] = {"ha": "center", "va": "center", "clip_on": True}
    ground = {"facecolor": GROUNDS[verdict], "edgecolor": "none", "pad": 0.6}
    if math.isnan(estimate):
        axes.text(column + 0.5, line + 0.5, f"{SIGNS[verdict]} {words}", weight="bold", bbox=ground,
                  fontsize=9, **place)  # fmt: skip
        return
    between = f"{_figure(low, unit)} – {_figure(high, unit)}\n" if low < high else ""
    axes.text(column + 0.5, line + 0.25, f"{SIGNS[verdict]} {words}", bbox=ground, fontsize=9,
              **place)  # fmt: skip
    words = f"{between}limit {_figure(limit, unit, given=True)}"
    axes.text(column + 0.5, line + 0.66, words, bbox=ground,
              fontsize=6.5, linespacing=1.25, **place)  # fmt: skip


def _figure(value: float, unit: str, *, given: bool = False) -> str:
    """Write a figure of a recommendation in its unit, or a limit as it was given."""
    if unit == "share":
        return f"{100 * value:g} %" if given else f"{100 * value:.1f} %"
    return f"{value:.0f}" if float(value).is_integer() else f"{value:.3g}"


def _wanted(name: str, frame: pd.DataFrame, *, one_game: bool = True) -> pd.DataFrame:
    """Return the rows that a chart shows; refuse a frame that has none, or has several games."""
    question = QUESTIONS[name]
    check_frame(frame, JUDGED if name == "recommendation" else COLUMNS)
    rows = question.rows(frame)
    if rows.empty:
        raise InputError(f"this frame does not tell {question.words}")
    if one_game:
        check_single(rows, "game", "this chart")
    return rows


def _alone(rows: pd.DataFrame) -> tuple[float, float]:
    """Return the size of a chart by table size, or of its dots where there is one size."""
    if differ(rows.players):
        return WIDE
    return WIDE[0], 0.5 + 0.35 * rows.policy.nunique()


def _panels(rows: pd.DataFrame, along: str, by: str, names: list[str]) -> Figure:
    """Draw one panel for each policy, what its rows differ ``by`` each in its look."""
    policies = list(rows.policy.unique())
    figure, grid = sheet(
        len(policies), WIDE if len(policies) == 1 else PANEL, room=WORDS, share=True
    )
    shown = looks(names, shifted=False)
    for axes, policy in zip(grid, policies, strict=True):
        compare(axes, rows[rows.policy == policy], along, shown, by=by)
        whole_numbers(axes, rows, along)
        axes.set_xlabel(along)
        if len(policies) > 1:
            axes.set_title(short(policy), fontsize="medium")
    _legend(figure, shown)
    return figure


def _curves(
    rows: pd.DataFrame,
    draw: Callable[[Axes, pd.DataFrame, Look], None],
    xlabel: str,
    ylabel: str,
    *,
    shares: bool = True,
) -> Figure:
    """Draw a curve for each scenario.

    Policies have panels, and table sizes looks; or where there is one size, policies have looks.
    """
    several = differ(rows.players)
    panels = list(rows.policy.unique()) if several else [None]
    figure, grid = sheet(len(panels), WIDE if len(panels) == 1 else PANEL, room=WORDS, share=shares)
    names = sorted(rows.players.unique()) if several else list(rows.policy.unique())
    shown = looks(names, shifted=not shares)
    for axes, panel in zip(grid, panels, strict=True):
        part = rows if panel is None else rows[rows.policy == panel]
        for name, own in part.groupby("players" if several else "policy", sort=False):
            draw(axes, own, shown[str(name)])
        axes.set(xlabel=xlabel, ylabel=ylabel)
        if shares:
            axes.set_ylim(0, 1.02)
            percent(axes)
        if panel is not None and len(panels) > 1:
            axes.set_title(short(panel), fontsize="medium")
    _legend(figure, shown, "{} players" if several else "{}")
    return figure


def _legend(figure: Figure, looks: dict[str, Look], words: str = "{}") -> None:
    """Name the looks of a figure, unless there is but one, which its title names."""
    if len(looks) > 1:
        legend(figure, looks, words)


def _title(figure: Figure, rows: pd.DataFrame, title: str, *, dotted: bool = False) -> None:
    """Say what a figure shows, of what, and what its marks are."""
    label_outer(figure)
    games = " against ".join(map(str, rows.game.unique()))
    one = f", {short(str(rows.policy.iloc[0]))}" if not differ(rows.policy) else ""
    lines = f"; lines {joined(rows)}"
    if dotted:
        lines = "; upright strokes are exact" if rows.exact.notna().any() else ""
    words = f"{games}{one}: {said(rows)}\nbars are 95 % intervals{lines}"
    headline(figure, f"{title}\n{words}")
