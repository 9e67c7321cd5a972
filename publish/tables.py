"""A frame of estimates as tables of Markdown, each figure to what its interval supports."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd
from scipy import stats

from docs import markdown
from publish.study import BLIND, BLIND_PLAYERS
from sim import formatting
from sim.advice import LONG, Recommendation
from sim.charts.draw import above, numbered
from sim.charts.panels import WINNERS
from sim.policy import STAY
from sim.stats.intervals import SCORE
from sim.stats.metrics import USUAL, is_amount

FACES, SPADES = "faces-of-death", "spades"
PLAYER_OUT = f"{FACES} kill.treatment=player-out"
PLAIN = f"{SPADES} wild=none"
"""The games of the study, as a frame calls them."""
NONE = "–"
"""What a cell says where nothing is known."""
CHECKED: tuple[tuple[str, str, str, str], ...] = (
    (FACES, "kill_rate", "all", "deals killed"),
    (FACES, "deals_per_pot", "mean", "deals a pot"),
    (FACES, "hand", "full house", "full houses, of hands shown"),
    (PLAYER_OUT, "players_out", "mean", "players put out"),
    (PLAYER_OUT, "showdowns", "all", "pots with a showdown"),
    (SPADES, "toll_pot", "mean", "tolls a pot"),
    (SPADES, "tolls_paid", "4", "players who pay four tolls"),
    (SPADES, "hand", "five of a kind", "fives of a kind, of hands shown"),
    (PLAIN, "hand", "flush", "flushes, of hands shown"),
)
"""What is tested against exact values over all table sizes: game, metric, level, words."""


class Cells:
    """What a frame knows of one game under one policy, as text; a row a table size."""

    def __init__(self, frame: pd.DataFrame, game: str, policy: str) -> None:
        self.part = frame[(frame.game == game) & (frame.policy == policy)]
        rows: Iterable[Any] = self.part.itertuples()
        self._rows = {(row.players, row.metric, row.level): row for row in rows}
        self.sizes = sorted(self.part.players.unique())

    def row(self, players: int, metric: str, level: str) -> Any:
        """Return a row of the frame; None where there is none."""
        return self._rows.get((players, metric, level))

    def figure(self, players: int, metric: str, level: str) -> str:
        """Write an estimate."""
        return estimated(self.row(players, metric, level))

    def three(self, players: int, metric: str, level: str) -> list[str]:
        """Write an estimate, its interval and the exact value."""
        row = self.row(players, metric, level)
        return [estimated(row), between(row), exactly(row)]

    def count(self, players: int, metric: str, level: str) -> str:
        """Write how many pots a share of pots is."""
        row = self.row(players, metric, level)
        return NONE if row is None else f"{round(row.estimate * row.pots):,}"

    def long_pots(self, players: int) -> str:
        """Write the share of pots that take more than ``LONG`` deals."""
        own = self.part[self.part.players == players]
        longer = above(numbered(own, "deals_per_pot", "deals"), "deals", reached=False)
        row: Any = next(longer[longer.deals <= LONG].tail(1).itertuples())
        return written(row.estimate, row.low, row.high, share=True)


def written(
    value: float, low: float, high: float, *, share: bool, whole: bool = False, more: int = 0
) -> str:
    """Write a figure so that its last digit is one that its interval supports, or ``more``."""
    if math.isnan(value):
        return NONE
    half, digits = (high - low) / 2, 4
    if whole or (share and value in (0, 1)):
        digits = 0
    elif half > 0:
        digits = max(0, more - 1 + formatting.decimals(half, share=share))
    return formatting.percent(value, digits) if share else formatting.amount(value, digits)


def estimated(row: Any) -> str:
    """Write a row's estimate."""
    if row is None:
        return NONE
    share = not is_amount(row.metric, row.level)
    whole = not share and row.level.startswith("p")  # a quantile is an amount that was counted
    return written(row.estimate, row.low, row.high, share=share, whole=whole)


def between(row: Any) -> str:
    """Write a row's interval."""
    if row is None or not row.low < row.high:
        return NONE
    share = not is_amount(row.metric, row.level)
    low, high = (
        written(end, row.low, row.high, share=share, more=1) for end in (row.low, row.high)
    )
    return formatting.between(low, high)


def exactly(row: Any) -> str:
    """Write a row's exact value, with two more digits than its estimate."""
    if row is None:
        return NONE
    share = not is_amount(row.metric, row.level)
    return written(row.exact, row.low, row.high, share=share, more=2)


def kills(frame: pd.DataFrame, game: str, policy: str) -> str:
    """Return what killers do to pots that are dealt again, by table size."""
    cells = Cells(frame, game, policy)
    columns = ["players", "deals killed", "95 % interval", "exactly", "deals a pot",
               "95 % interval", "exactly", f"pots of over {LONG} deals",
               "pots abandoned"]  # fmt: skip
    rows = [
        [
            str(players),
            *cells.three(players, "kill_rate", "all"),
            *cells.three(players, "deals_per_pot", "mean"),
            cells.long_pots(players),
            cells.count(players, "abandoned_pots", "all"),
        ]
        for players in cells.sizes
    ]
    return _without_empty(columns, rows)


def players_out(frame: pd.DataFrame, policy: str) -> str:
    """Return what killers do to pots in which they put players out, by table size."""
    cells = Cells(frame, PLAYER_OUT, policy)
    columns = ["players", "pots in which somebody is put out", "players put out", "95 % interval",
               "exactly", "players in at the end", "pots with a showdown"]  # fmt: skip
    rows = [
        [
            str(players),
            cells.figure(players, "killed_pots", "all"),
            *cells.three(players, "players_out", "mean"),
            cells.figure(players, "survivors", "mean"),
            cells.figure(players, "showdowns", "all"),
        ]
        for players in cells.sizes
    ]
    return _without_empty(columns, rows)


def tolls(frame: pd.DataFrame, policy: str) -> str:
    """Return what a pot of Spades costs and what wins it, by table size."""
    cells = Cells(frame, SPADES, policy)
    columns = ["players", "tolls a pot", "95 % interval", "exactly", "95 % of pots to",
               f"{USUAL} wins", "pots with a showdown", "buy-in for 99 % of pots"]  # fmt: skip
    rows = [
        [
            str(players),
            *cells.three(players, "toll_pot", "mean"),
            cells.figure(players, "toll_pot", "p95"),
            cells.figure(players, "winning_hand", USUAL),
            cells.figure(players, "showdowns", "all"),
            cells.figure(players, "chips_in", "p99"),
        ]
        for players in cells.sizes
    ]
    return _without_empty(columns, rows)


def _without_empty(columns: list[str], rows: list[list[str]]) -> str:
    """Return a table without the columns of which nothing is known."""
    filled = [index for index in range(len(columns)) if any(row[index] != NONE for row in rows)]
    columns = [columns[index] for index in filled]
    return markdown.table(columns, [[row[index] for index in filled] for row in rows], left=0)


def winners(frame: pd.DataFrame, game: str) -> str:
    """Return what hand wins how many showdowns where all stay, a column each table size."""
    cells = Cells(frame, game, STAY.name)
    rows = [
        [hand, *(cells.figure(players, "winning_hand", hand) for players in cells.sizes)]
        for hand in WINNERS
    ]
    return markdown.table(["winning hand", *map(str, cells.sizes)], rows, left=1)


def verdicts(answers: Sequence[Recommendation]) -> str:
    """Return which table sizes work, and what stands in the way; a line each policy."""
    sizes = [size.players for size in answers[0].sizes]
    texts = {"pass": "yes", "fail": "no: {}", "unresolved": "not resolved: {}"}
    rows = [
        [
            answer.policy,
            *(texts[size.verdict].format(size.binding.constraint.short) for size in answer.sizes),
        ]
        for answer in answers
    ]
    return markdown.table(["policy", *map(str, sizes)], rows, left=len(sizes) + 1)


def reasons(answers: Sequence[Recommendation]) -> str:
    """Return every verdict with its reason."""
    rows = [
        [str(size.players), answer.policy, size.answer, size.reason]
        for answer in answers
        for size in answer.sizes
    ]
    return markdown.table(["players", "policy", "works", "why"], rows, left=4)


def checks(frame: pd.DataFrame) -> str:
    """Return how the table sizes together agree with exact values, for some figures."""
    rows = []
    for game, metric, level, label in CHECKED:
        part = frame[(frame.game == game) & (frame.metric == metric) & (frame.level == level)]
        scores = part.z.dropna()
        square = float((scores**2).sum())
        chance = float(stats.chi2.sf(square, len(scores)))
        rows.append(
            [game, label, str(len(scores)), formatting.amount(square, 1), formatting.amount(chance)]
        )
    columns = ["game", "figure", "table sizes", "sum of squared z", "chance of more"]
    return markdown.table(columns, rows, left=2)


def agreement(frame: pd.DataFrame) -> dict[str, Any]:
    """Return how all estimates agree with exact values.

    ``scores`` z-scores, ``beyond`` of them outside 1.96, the ``largest`` and ``where``; and of
    ``known`` intervals whose figure is known exactly, ``held`` hold it.
    """
    scored, known = frame[frame.z.notna()], frame[frame.exact.notna() & (frame.low < frame.high)]
    largest: Any = scored.iloc[int(scored.z.abs().argmax())]
    return {
        "scores": len(scored),
        "beyond": int((scored.z.abs() > SCORE).sum()),
        "largest": float(largest.z),
        "where": f"{largest.metric} {largest.level}, {largest.game}, {largest.players} players",
        "known": len(known),
        "held": int(((known.low <= known.exact) & (known.exact <= known.high)).sum()),
    }


def in_short(frame: pd.DataFrame) -> str:
    """Return the README's table of both games by table size, where everybody stays."""
    faces, spades = (Cells(frame, game, STAY.name) for game in (FACES, SPADES))
    columns = ["players", "Faces of Death: deals killed", "deals per pot",
               "Spades: tolls a pot, chips", "95 % of pots to", f"{USUAL} wins"]  # fmt: skip
    rows = [
        [
            str(players),
            _short(faces.row(players, "kill_rate", "all").estimate, "%"),
            _short(faces.row(players, "deals_per_pot", "mean").estimate),
            _short(spades.row(players, "toll_pot", "mean").estimate),
            spades.figure(players, "toll_pot", "p95"),
            _short(spades.row(players, "winning_hand", USUAL).estimate, "%"),
        ]
        for players in faces.sizes
    ]
    return markdown.table(columns, rows, left=0)


def folding(frame: pd.DataFrame, exact: pd.DataFrame) -> str:
    """Return the README's table of what folding does; ``exact`` is of ``BLIND``, not played."""
    columns = ["policy of all seven", "deals killed", "deals per pot", "players left at the end",
               "Spades: tolls a player", "three or four tolls"]  # fmt: skip
    blind = exact.assign(estimate=exact.exact)
    rows = []
    for policy in [*dict.fromkeys(frame[frame.game == FACES].policy), BLIND]:
        source = blind if policy == BLIND else frame
        faces, spades = (Cells(source, game, policy) for game in (FACES, SPADES))

        def value(cells: Cells, metric: str, level: str) -> float:
            return float(cells.row(BLIND_PLAYERS, metric, level).estimate)

        many = value(spades, "tolls_paid", "3") + value(spades, "tolls_paid", "4")
        rows.append(
            [
                f"`{policy}`",
                _short(value(faces, "kill_rate", "all"), "%"),
                _short(value(faces, "deals_per_pot", "mean")),
                _short(value(faces, "survivors", "mean")),
                formatting.amount(value(spades, "toll_player", "mean")),
                _short(many, "%"),
            ]
        )
    return markdown.table(columns, rows, left=1)


def _short(value: float, unit: str = "") -> str:
    """Write a figure for a table to be taken in at a glance."""
    return formatting.percent(value) if unit else formatting.amount(value, 1)
