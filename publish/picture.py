"""The charts of the published study."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from publish.tables import FACES, PLAIN, PLAYER_OUT, SPADES
from sim import charts
from sim.advice import Recommendation
from sim.charts.draw import (
    BLACK,
    BLUE,
    EXACT,
    RED,
    Look,
    from_zero,
    legend,
    percent_axis,
    points,
    select,
    sheet,
    whole_numbers,
)
from sim.formatting import amount, percent
from sim.policy import STAY
from sim.stats.frame import played

CHAIRS = "chairs.svg"
"""The chart of the project's README."""
KIND = "svg"
WORKS = {True: Look(BLUE, "o"), False: Look(RED, "X")}
"""How table sizes differ that work and do not."""
EVEN = (2, 4, 6, 8)
"""Table sizes that are drawn where curves of all of them would hide each other."""


class Shown(NamedTuple):
    """A chart that is published."""

    chart: str
    games: str
    caption: str
    policies: tuple[str, ...] = ()
    """None for all that the chart can show; what it leaves out its caption says."""
    players: tuple[int, ...] = ()


AGAINST = f"{SPADES} against {PLAIN}"
PUBLISHED = (
    Shown("kill_rate", FACES, "Deals killed, by table size and policy."),
    Shown("kill_streets", FACES, "On which street deals are killed, policy by policy."),
    Shown("survival", FACES, "How many deals their first up cards do not kill, policy by policy."),
    Shown("deals_per_pot", FACES, "How many deals a pot takes, policy by policy."),
    Shown("kill_rate", PLAYER_OUT, "Pots in which a killer puts somebody out."),
    Shown("kill_streets", PLAYER_OUT, "Players put out, by street, policy by policy."),
    Shown(
        "toll_pot", SPADES, "What a pot collects in tolls, policy by policy, at every second table "
        "size.", players=EVEN,
    ),
    Shown("who_pays", SPADES, "Players who pay for three and for four spades."),
    Shown("net_by_tolls", SPADES, "What those win or lose who pay tolls, policy by policy."),
    Shown("winning_hands", SPADES, "What hand wins, by table size and policy."),
    Shown(
        "winning_hands", AGAINST, "What hand wins with spades wild and with a plain deck, where "
        "everybody stays.", (STAY.name,),
    ),
)  # fmt: skip
"""The charts of each game. Left out are those of a plain deck alone, and of hands in Faces of
Death, which no wild card reorders."""
ADVICE, SETTLING = "recommendation", "convergence"
OF_EVERY_GAME = (
    Shown(
        ADVICE, "", "Which limits of a host the table sizes keep, where everybody stays and where "
        "all are typical.", (STAY.name, "typical"),
    ),
    Shown(
        SETTLING, "", "How an estimate settled where everybody stays, at every second table size.",
        (STAY.name,), EVEN,
    ),
)  # fmt: skip


def chosen(
    frame: pd.DataFrame, others: Mapping[str, pd.DataFrame]
) -> dict[str, list[tuple[charts.Drawing, str]]]:
    """Return by game the charts that are published, each with its caption.

    ``others`` are the frames of the charts that have their own. What the frames do not tell is
    left out.
    """
    drawings = charts.drawings(frame, others)
    by_game: dict[str, list[tuple[charts.Drawing, str]]] = {}
    for game in (FACES, PLAYER_OUT, SPADES):
        own = [shown for shown in PUBLISHED if shown.games.split(" against ")[0] == game]
        for shown in (*own, *(shown._replace(games=game) for shown in OF_EVERY_GAME)):
            pairs = [(drawing, shown.caption) for drawing in drawings if _is(drawing, shown)]
            by_game.setdefault(game, []).extend(
                (_part(drawing, shown), caption) for drawing, caption in pairs
            )
    return by_game


def _is(drawing: charts.Drawing, shown: Shown) -> bool:
    of_these = not shown.policies or set(shown.policies) <= set(drawing.policies.split(", "))
    return (drawing.chart, drawing.games) == (shown.chart, shown.games) and of_these


def _part(drawing: charts.Drawing, shown: Shown) -> charts.Drawing:
    """Leave out what a chart is not to show."""
    frame = drawing.frame
    for column, wanted in (("policy", shown.policies), ("players", shown.players)):
        kept = frame[frame[column].isin(wanted)]
        frame = kept if len(kept) else frame
    return drawing._replace(frame=frame)


def write(by_game: Mapping[str, Sequence[tuple[charts.Drawing, str]]], folder: Path) -> None:
    """Draw charts into a folder, which is made if need be."""
    wanted = [drawing for pairs in by_game.values() for drawing, _ in pairs]
    for _ in charts.write(wanted, folder, (KIND,)):
        pass


def chairs(frame: pd.DataFrame, all_call: Mapping[str, Recommendation]) -> Figure:
    """Return how many chairs suit each game where everybody stays: kills, deals and tolls.

    ``all_call`` are the answers for a host, by game.
    """
    part = frame[frame.policy == STAY.name]
    figure, grid = sheet(3, (3.3, 2.6), 3, margin=0.75)
    shares, amounts = partial(percent, digits=0), partial(amount, digits=1)
    faces, spades = (part[part.game == game] for game in (FACES, SPADES))
    _panel(grid[0], select(faces, "kill_rate", "all"), all_call[FACES], shares)
    percent_axis(grid[0])
    grid[0].set(title="Faces of Death: deals killed", ylabel="share of deals", ylim=(0, 1.12))
    _panel(
        grid[1], select(faces, "deals_per_pot", "mean"), all_call[FACES], partial(amount, digits=1)
    )
    grid[1].set(title="Faces of Death: deals per pot, mean", ylabel="deals")
    limit = all_call[FACES].limits.deals
    grid[1].axhline(limit, color=BLACK, linestyle=":", linewidth=1)
    grid[1].annotate(
        f"limit {limit:g}", (1, limit), (-3, 2), xycoords=("axes fraction", "data"),
        textcoords="offset points", ha="right", fontsize="x-small",
    )  # fmt: skip
    _panel(grid[2], select(spades, "toll_pot", "mean"), all_call[SPADES], amounts)
    grid[2].set(title="Spades: tolls per pot, mean", ylabel="chips")
    for axes in grid:
        axes.set_xlabel("players")
        axes.title.set_fontsize("medium")
    legend(figure, {_label(works, all_call): look for works, look in WORKS.items()})
    figure.suptitle(f"Everybody stays, {played(faces)}", fontsize="small")
    return figure


def _label(works: bool, all_call: Mapping[str, Recommendation]) -> str:
    """Say what a mark means: a table size works, or what limits stand in the way of those."""
    if works:
        return "keeps to a host's usual limits"
    sizes = [size for game in (FACES, SPADES) for size in all_call[game].sizes]
    broken = [size.binding.constraint.short for size in sizes if size.verdict != "pass"]
    return f"does not ({'; '.join(dict.fromkeys(broken))})" if broken else "does not"


def _panel(
    axes: Axes, rows: pd.DataFrame, recommendation: Recommendation, write: Callable[[float], str]
) -> None:
    """Draw a figure by table size, its value in words, and whether the size works."""
    works = rows.players.isin(recommendation.works)
    axes.plot(rows.players, rows.exact, color=BLACK, alpha=0.4, linewidth=1, label=EXACT)
    for answer, look in WORKS.items():
        if (works == answer).any():
            points(axes, rows[works == answer].assign(exact=np.nan), "players", look)
    whole_numbers(axes, rows, "players")
    from_zero(axes, headroom=1.1)
    first = rows.players.min()
    for players, estimate in rows[["players", "estimate"]].itertuples(index=False):
        axes.annotate(
            write(estimate), (players, estimate), (0 if players == first else 2, 6),
            textcoords="offset points", ha="center" if players == first else "right",
            fontsize="x-small", bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5},
        )  # fmt: skip
