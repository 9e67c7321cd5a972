"""The charts of the published study."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from publish.tables import FACES, PLAYER_OUT, SPADES
from sim import charts
from sim.charts.draw import (
    BLACK,
    BLUE,
    RED,
    Look,
    from_zero,
    legend,
    percent,
    points,
    select,
    sheet,
    whole_numbers,
)
from sim.estimate import played
from sim.policy import STAY
from sim.recommendation import Recommendation

CHAIRS = "chairs"
"""The chart of the README."""
KINDS = ("svg",)
WORKS = {True: Look(BLUE, "o"), False: Look(RED, "X")}
WORDS = {True: "keeps to a host's usual limits", False: "breaks one"}
"""How table sizes differ that work and do not."""


class Shown(NamedTuple):
    """A chart that is published."""

    chart: str
    games: str
    caption: str
    policies: str | None = None
    """None for those of the study."""


AGAINST = f"{SPADES} against {SPADES} wild=none"
PUBLISHED: dict[str, tuple[Shown, ...]] = {
    FACES: (
        Shown("kill_rate", FACES, "Deals killed, by table size and policy."),
        Shown("kill_streets", FACES, "On which street they are killed; a panel each policy."),
        Shown("survival", FACES, "How long deals live; a panel each policy."),
        Shown("deals_per_pot", FACES, "How many deals a pot takes; a panel each policy."),
    ),
    PLAYER_OUT: (
        Shown("kill_rate", PLAYER_OUT, "Pots in which a killer puts somebody out."),
        Shown("kill_streets", PLAYER_OUT, "Players put out, by street; a panel each policy."),
    ),
    SPADES: (
        Shown("toll_pot", SPADES, "What a pot collects in tolls; a panel each policy."),
        Shown("who_pays", SPADES, "Players who pay for three and for four spades."),
        Shown("net_by_tolls", SPADES, "What those win or lose who pay; a panel each policy."),
        Shown("winning_hands", SPADES, "What hand wins, by policy."),
        Shown(
            "winning_hands",
            AGAINST,
            "What hand wins with spades wild and with a plain deck, where everybody stays.",
            STAY.name,
        ),
    ),
}
"""The charts of each game. Left out are those of the plain deck alone, and of hands in Faces of
Death, which no wild card reorders."""
ADVICE = "recommendation"
SETTLING = "convergence"
"""Charts that are published of every game; the second where everybody stays, and exact values are
known."""


def write(
    frame: pd.DataFrame,
    others: Mapping[str, pd.DataFrame],
    staying: Mapping[str, Recommendation],
    folder: Path,
) -> dict[str, list[tuple[str, str]]]:
    """Draw all charts into a folder; return of each game the files, each with its caption.

    ``others`` are the frames of the charts that have their own, ``staying`` the answers for a host
    where everybody stays, by game.
    """
    found = charts.drawings(frame, others)
    told: dict[str, list[tuple[str, str]]] = {}
    wanted = []
    for game, several in PUBLISHED.items():
        own = [
            *several,
            Shown(ADVICE, game, "Which table sizes keep to a host's usual limits, policy by policy."),
            Shown(SETTLING, game, "How an estimate settled where everybody stays.", STAY.name),
        ]
        for shown in own:
            one = _found(found, shown)
            wanted.append(one)
            told.setdefault(game, []).append((f"{one.file}.{KINDS[0]}", shown.caption))
    for _ in charts.write(wanted, folder, KINDS):
        pass
    for kind in KINDS:
        charts.save(chairs(frame, staying), folder / f"{CHAIRS}.{kind}")
    return told


def _found(found: Sequence[charts.Drawing], shown: Shown) -> charts.Drawing:
    return next(
        one
        for one in found
        if (one.chart, one.games) == (shown.chart, shown.games)
        and shown.policies in (None, one.policies)
    )


def chairs(frame: pd.DataFrame, staying: Mapping[str, Recommendation]) -> Figure:
    """Return how many chairs suit each game where everybody stays: kills, deals and tolls.

    ``staying`` are the answers for a host, by game.
    """
    part = frame[frame.policy == STAY.name]
    figure, grid = sheet(3, (2.75, 2.5), 3, room=0.75)
    faces, spades = (part[part.game == game] for game in (FACES, SPADES))
    _panel(grid[0], select(faces, "kill_rate", "all"), staying[FACES], "{:.0%}")
    percent(grid[0])
    grid[0].set(title="Faces of Death: deals killed", ylim=(0, 1.12))
    _panel(grid[1], select(faces, "deals_per_pot", "mean"), staying[FACES], "{:.1f}")
    grid[1].set(title="Faces of Death: deals a pot")
    limit = staying[FACES].limits.deals
    grid[1].axhline(limit, color=BLACK, linestyle=":", linewidth=1)
    grid[1].text(1.6, limit, f"limit {limit:g}", va="bottom", fontsize="x-small")
    _panel(grid[2], select(spades, "toll_pot", "mean"), staying[SPADES], "{:.1f}")
    grid[2].set(title="Spades: chips of tolls a pot")
    for axes in grid:
        axes.set_xlabel("players")
        axes.title.set_fontsize("medium")
    legend(figure, {WORDS[works]: look for works, look in WORKS.items()})
    words = f"Everybody stays, {played(faces)}; lines are exact, intervals smaller than the marks"
    figure.suptitle(words, fontsize="small")
    return figure


def _panel(axes: Axes, rows: pd.DataFrame, found: Recommendation, form: str) -> None:
    """Draw a figure by table size, its value in words, and whether the size works."""
    works = rows.players.isin(found.works)
    axes.plot(rows.players, rows.exact, color=BLACK, alpha=0.4, linewidth=1)
    for answer, look in WORKS.items():
        if (works == answer).any():
            points(axes, rows[works == answer].assign(exact=np.nan), "players", look)
    whole_numbers(axes, rows, "players")
    from_zero(axes, room=1.1)
    for players, estimate in rows[["players", "estimate"]].itertuples(index=False):
        axes.annotate(
            form.format(estimate), (players, estimate), (0, 5), textcoords="offset points",
            ha="center", fontsize="x-small",
        )  # fmt: skip
