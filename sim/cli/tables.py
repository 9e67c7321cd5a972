"""Frames as tables on a terminal."""

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pandas as pd
from rich import box
from rich.console import Console
from rich.table import Table

from sim.estimate import USUAL
from sim.game import Game

COUNTED = {"deals_per_pot", "cards_per_pot", "players_out", "toll_pot", "toll_player", "pot_size"}
"""Metrics whose mean, spread and quantiles are amounts; everything else is a share."""
AMOUNT_LEVELS = {"mean", "sd", "p50", "p95", "max", "third", "fourth", "fifth", "sixth"}
RARE = 0.005
"""A hand that wins less often than this at every table size is left out of the summary."""

SUMMARY: tuple[tuple[str, str, str], ...] = (
    ("kill_rate", "third", "Killed on third street"),
    ("kill_rate", "fourth", "Killed on fourth street"),
    ("kill_rate", "fifth", "Killed on fifth street"),
    ("kill_rate", "sixth", "Killed on sixth street"),
    ("kill_rate", "community", "Killed by the community card"),
    ("kill_rate", "all", "Deals killed, in all"),
    ("deals_per_pot", "mean", "Deals per pot"),
    ("players_out", "mean", "Players put out per pot"),
    ("cards_per_pot", "mean", "Cards dealt per pot"),
    ("abandoned_pots", "all", "Pots abandoned"),
    ("toll_player", "mean", "Tolls per player, chips"),
    ("toll_pot", "mean", "Tolls per pot, chips"),
    ("tolls_paid", "3", "Players who pay three tolls"),
    ("tolls_paid", "4", "Players who pay four tolls"),
)
"""What a run prints: metric, level and words."""


def print_summary(frame: pd.DataFrame, pages: Iterable[Game]) -> None:
    """Print the main figures of each game, every one with interval, exact value and z."""
    console = _console()
    for page in pages:
        part = frame[frame.game == page.label]
        pots = part.pots.max()
        sizes = part.players.nunique()
        table = _table(f"{page.title} ({part.game.iloc[0]})", ["", "players"])
        for words, rows in _sections(part):
            for number, row in enumerate(rows.itertuples()):
                table.add_row(words if number == 0 else "", str(row.players), *_cells(row))
            table.add_section()
        table.caption = f"{pots:,} pots at {'each table size' if sizes > 1 else 'this table size'}"
        console.print(table)
        for sentence in _headlines(part, page):
            console.print(sentence)
        console.print()


def print_frame(frame: pd.DataFrame) -> None:
    """Print a whole frame, a table for each game and table size."""
    console = _console()
    for (game, players, policy), part in frame.groupby(["game", "players", "policy"], sort=False):
        table = _table(f"{game}, {players} players, policy {policy}", ["metric", "level"])
        for metric, rows in part.groupby("metric", sort=False):
            for number, row in enumerate(rows.itertuples()):
                table.add_row(str(metric) if number == 0 else "", str(row.level), *_cells(row))
            table.add_section()
        console.print(table)


def print_definitions(definitions: Mapping[str, str]) -> None:
    """Print what metrics mean."""
    table = Table("metric", "what it is", box=box.SIMPLE_HEAD)
    for name, text in definitions.items():
        table.add_row(name, text)
    _console().print(table)


def _console() -> Console:
    """Return a console that neither colours numbers nor cuts a table off in a pipe."""
    console = Console(highlight=False, soft_wrap=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=110)
    return console


def _table(title: str, names: list[str]) -> Table:
    table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left", caption_justify="left")
    for name in names:
        table.add_column(name, justify="right" if name == "players" else "left")
    for name in ("estimate", "95 % interval", "exact", "z"):
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _sections(part: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the sections of a summary: words, and a row for each table size."""
    for metric, level, words in SUMMARY:
        rows = part[(part.metric == metric) & (part.level == level)]
        always = metric == "abandoned_pots" and rows.estimate.max() == 0
        always |= level == "mean" and (rows.se == 0).all()
        if len(rows) and not always:
            yield words, rows
    winners = part[part.metric == "winning_hand"]
    if not (part.metric == "toll_pot").any():
        return
    for hand, rows in winners.groupby("level", sort=False):
        if rows.estimate.max() >= RARE:
            yield f"Won by {hand}", rows


def _headlines(part: pd.DataFrame, page: Game) -> Iterator[str]:
    """Yield the answer in words, for the largest table size."""
    players = part.players.max()

    def value(metric: str, level: str, column: str = "estimate") -> float:
        rows = part[(part.players == players) & (part.metric == metric) & (part.level == level)]
        return float(rows[column].iloc[0]) if len(rows) else math.nan

    killed = value("kill_rate", "all")
    if not math.isnan(killed):
        yield (
            f"With {players} players {killed:.1%} of deals are killed "
            f"(exactly {value('kill_rate', 'all', 'exact'):.4%}); "
            f"a pot takes {value('deals_per_pot', 'mean'):.1f} deals."
        )
    tolls = value("toll_pot", "mean")
    if not math.isnan(tolls):
        yield (
            f"With {players} players a pot collects {tolls:.1f} chips in tolls "
            f"(exactly {value('toll_pot', 'mean', 'exact'):.4f})."
        )
    if page.wild and page.toll.cards:
        yield f"The winner holds a {USUAL} in {value('winning_hand', USUAL):.1%} of pots."


def _cells(row: Any) -> list[str]:
    """Return estimate, interval, exact value and z as text."""
    metric, level, se = row.metric, row.level, row.se
    amount = metric in COUNTED and level in AMOUNT_LEVELS
    digits = _digits(se if se > 0 else math.nan, amount)

    def text(value: float, more: int = 0) -> str:
        if math.isnan(value):
            return ""
        if amount:
            return f"{value:,.{digits + more}f}"
        return f"{100 * value:.{digits + more}f} %"

    low, high = text(row.low), text(row.high)
    interval = f"{low.removesuffix(' %')} – {high}" if low else ""
    z = row.z
    return [
        text(row.estimate),
        interval,
        text(row.exact, 1),
        "" if math.isnan(z) else f"{z:+.2f}",
    ]


def _digits(se: float, amount: bool) -> int:
    """Return how many decimals a standard error of this size leaves worth reading."""
    if math.isnan(se):
        return 1 if amount else 4
    scale = se if amount else 100 * se
    return min(max(1 - math.floor(math.log10(scale)), 1), 7)
