"""Frames as tables on a terminal."""

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from rich.console import Console, JustifyMethod
from rich.markup import escape
from rich.table import Table

from sim.cli.printing import new_table
from sim.formatting import amount, between, decimals, figure, percent
from sim.game import Game
from sim.policy import STAY
from sim.stats.frame import flat, of_game, played, titled
from sim.stats.metrics import USUAL, kind_of

RARE = 0.001
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
    ("players_out", "0", "Pots in which nobody is put out"),
    ("cards_per_pot", "mean", "Cards dealt per pot"),
    ("abandoned_pots", "all", "Pots abandoned"),
    ("toll_player", "mean", "Tolls per player, chips"),
    ("toll_pot", "mean", "Tolls per pot, chips"),
    ("tolls_paid", "3", "Players who pay three tolls"),
    ("tolls_paid", "4", "Players who pay four tolls"),
    ("folds", "third", "Folds on third street, of players dealt in"),
    ("folds", "all", "Folds in a deal, of players dealt in"),
    ("survivors", "mean", "Players still in at the end"),
    ("showdowns", "all", "Pots that end in a showdown"),
    ("pot_size", "mean", "Chips in a pot"),
    ("chips_in", "mean", "Chips a player puts in"),
    ("toll_share", "all", "Share of a pot that is tolls"),
)
"""What a run prints in detail: metric, level and words."""

DIGEST: tuple[tuple[str, str, str], ...] = (
    ("kill_rate", "all", "deals killed"),
    ("deals_per_pot", "mean", "deals per pot"),
    ("players_out", "mean", "players put out"),
    ("cards_per_pot", "mean", "cards per pot"),
    ("toll_player", "mean", "tolls a player"),
    ("toll_pot", "mean", "tolls a pot"),
    ("toll_pot", "p95", "95 % of pots to"),
    ("winning_hand", USUAL, f"{USUAL} wins"),
    ("survivors", "mean", "players left"),
    ("showdowns", "all", "showdowns"),
    ("pot_size", "mean", "chips a pot"),
)
"""What a run prints in short, a column each: metric, level and words."""
CUT_OFF = "…"
"""What ends a word that is too long for a table."""
BETTING = {"folds", "survivors", "showdowns", "pot_size", "chips_in", "toll_share"}
"""Metrics of a run's tables that say little where everybody stays, and options are the page's."""


INTERVAL = "95 % interval"
AT_EVERY_MOMENT = "95 % at every moment"
"""What the column of intervals is called, and that of confidence sequences."""


def print_summary(frame: pd.DataFrame, pages: Iterable[Game], *, anytime: bool = False) -> None:
    """Print each game's main figures, with interval, exact value and z, then all in short.

    With ``anytime`` the frame's intervals are confidence sequences.
    """
    interval = AT_EVERY_MOMENT if anytime else INTERVAL
    console = _console()
    parts = [(page, part) for page in pages for part in _by_policy(frame, page)]
    for page, part in parts:
        exact = not part.exact.isna().all()
        title = escape(f"{_title(page.title, part)} ({page.label})")
        table = _table(title, ["", "players"], interval, exact=exact)
        for label, rows in _sections(part):
            for number, row in enumerate(rows.itertuples()):
                cells = _cells(row) if exact else _cells(row)[:2]
                table.add_row(label if number == 0 else "", str(row.players), *cells)
            table.add_section()
        console.print(table)
    for page, part in parts:
        _print_digest(console, page, part)
    for page in pages:
        _print_seats(console, page, of_game(frame, page), interval)


def _by_policy(frame: pd.DataFrame, page: Game) -> Iterator[pd.DataFrame]:
    """Yield what a frame holds of a game, policy by policy."""
    part = of_game(frame, page)
    for policy in part.policy.unique():
        yield part[part.policy == policy]


def _title(title: str, part: pd.DataFrame) -> str:
    policy = part.policy.iloc[0]
    return title if policy == STAY.name else f"{title}, {policy}"


def _print_seats(console: Console, page: Game, part: pd.DataFrame, interval: str) -> None:
    """Print what each policy wins where several sit at one table."""
    rows = part[part.metric == "net_by_policy"]
    if rows.empty:
        return
    paid = part[part.metric == "toll_by_policy"].set_index(["policy", "players", "level"])
    tolls = {seat: amount(value) for seat, value in paid.estimate.items()}
    title = escape(
        f"{titled(page.title, page.label)}: chips won or lost in a pot by a seat that plays …"
    )
    table = _table(title, ["table", "players", "policy"], interval, exact=False)
    if tolls:
        table.add_column("tolls it pays", justify="right", no_wrap=True)
    for row in rows.itertuples():
        cells = (str(row.policy), str(row.players), str(row.level), *_cells(row)[:2])
        chips = tolls.get((row.policy, row.players, row.level))
        table.add_row(*cells, *([chips] if chips else []))
    console.print(table)
    who = "and alone antes" if page.ante.who == "dealer" and page.ante.amount else "and acts late"
    console.print(
        f"Seats do not earn alike (the last deals {who}): rotate policies to compare them."
    )
    console.print()


def _print_digest(console: Console, page: Game, part: pd.DataFrame) -> None:
    """Print one line for each table size, and the answer in words.

    Where words would be cut off, as for kills and tolls together, exact values are left to the
    figures above.
    """
    table = _digest(page, part, exact=True)
    with console.capture() as drawn:
        console.print(table)
    console.print(_digest(page, part, exact=False) if CUT_OFF in drawn.get() else table)
    for sentence in _headlines(part, page):
        console.print(sentence)
    console.print()


def _digest(page: Game, part: pd.DataFrame, *, exact: bool) -> Table:
    """Return one line for each table size."""
    names, columns = ["players"], []
    for metric, level, label in DIGEST:
        rows = _level(part, metric, level)
        wanted = page.wild if metric == "winning_hand" else _worth_telling(metric, part)
        if len(rows) and not _settled(rows) and wanted:
            has_exact = not kind_of(metric, level).whole and metric not in BETTING
            known = exact and has_exact and not rows.exact.isna().all()
            columns.append((metric, level, known))
            names += [label, "exactly"] if known else [label]
    lines = []
    for players in sorted(part.players.unique()):
        cells = [str(players)]
        for metric, level, known in columns:
            row = next(_level(part[part.players == players], metric, level).itertuples())
            estimate, _, truth, _ = _cells(row)
            cells += [estimate, truth] if known else [estimate]
        lines.append(cells)
    title = f"{escape(_title(titled(page.title, page.label), part))} in short, {played(part)}"
    table = new_table(names, right=names, title=title)
    for cells in lines:
        table.add_row(*cells)
    return table


def print_frame(frame: pd.DataFrame, *, anytime: bool = False) -> None:
    """Print a whole frame, a table for each game and table size and a section for each metric.

    A controlled one has a column for what it gained.
    """
    interval = AT_EVERY_MOMENT if anytime else INTERVAL
    console, frame = _console(), flat(frame)
    estimated = frame.pots.max() > 0
    for (game, players, policy), part in frame.groupby(["game", "players", "policy"], sort=False):
        stays = "everybody stays" if policy == "stay" else f"policy {policy}"
        title = f"{game}, {players} players, {stays}"
        table = _table(escape(title), ["level"], interval, estimated=estimated)
        if "gain" in part:
            table.add_column("gain", justify="right", no_wrap=True)
        for metric, rows in part.groupby("metric", sort=False):
            table.add_row(f"[bold]{metric}[/bold]")
            for row in rows.itertuples():
                cells = _cells(row) if estimated else _cells(row)[2:3]
                table.add_row(f"  {row.level}", *cells, *_gain(row))
            table.add_section()
        console.print(table)


def print_columns(frame: pd.DataFrame) -> None:
    """Print a frame with what its games are called, leaving out columns that hold nothing."""
    frame = flat(frame)
    shown = frame.replace("", np.nan).dropna(axis="columns", how="all")
    table = new_table([])
    for name in shown.columns:
        number = pd.api.types.is_numeric_dtype(frame[name])
        side: JustifyMethod = "right" if number else "left"
        table.add_column(name.replace("_", " "), justify=side, overflow="fold")
    for row in shown.itertuples(index=False):
        table.add_row(*(escape(_plain(value)) for value in row))
    _console().print(table)


def _plain(value: object) -> str:
    if value is None or value is pd.NA or value != value:  # NaN
        return ""
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, int | np.integer):
        return f"{value:,}"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def print_definitions(definitions: Mapping[str, str]) -> None:
    """Print what metrics mean."""
    table = new_table(["metric", "what it is"])
    for name, text in definitions.items():
        table.add_row(name, text)
    _console().print(table)


def _console() -> Console:
    """Return a console that neither colours numbers nor cuts a table off in a pipe."""
    console = Console(highlight=False, soft_wrap=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=110)
    return console


def _table(
    title: str, names: list[str], interval: str, *, estimated: bool = True, exact: bool = True
) -> Table:
    columns = ["estimate", interval, "exact", "z"] if estimated else ["exact"]
    columns = columns if exact else columns[:2]
    return new_table([*names, *columns], right=["players", *columns], whole=columns, title=title)


def _level(part: pd.DataFrame, metric: str, level: str) -> pd.DataFrame:
    return part[(part.metric == metric) & (part.level == level)]


def _worth_telling(metric: str, part: pd.DataFrame) -> bool:
    changed = " " in part.game.iloc[0]  # as antes may be, which tell in nothing else
    return metric not in BETTING or changed or part.policy.iloc[0] != STAY.name


def _settled(rows: pd.DataFrame) -> bool:
    """Whether the rules alone fix these figures, or make them impossible."""
    always = bool((rows.level == "mean").all() and (rows.se == 0).all())
    impossible = bool((rows.estimate == 0).all() and (rows.exact.fillna(0) < 1e-9).all())
    return always or impossible


def _sections(part: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the sections of a summary: words, and a row for each table size."""
    for metric, level, label in SUMMARY:
        rows = _level(part, metric, level)
        if len(rows) and not _settled(rows) and _worth_telling(metric, part):
            yield label, rows
    if part.metric.isin(["kill_rate", "players_out"]).any():
        return
    for hand, rows in part[part.metric == "winning_hand"].groupby("level", sort=False):
        if rows.estimate.max() >= RARE:
            yield f"Won by {hand}", rows


def _headlines(part: pd.DataFrame, page: Game) -> Iterator[str]:
    """Yield the answer in words, for the largest table size."""
    players = part.players.max()

    def value(metric: str, level: str, column: str = "estimate") -> float:
        rows = _level(part[part.players == players], metric, level)
        return float(rows[column].iloc[0]) if len(rows) else math.nan

    def exactly(metric: str, level: str, *, share: bool = False) -> str:
        known = value(metric, level, "exact")
        return "" if math.isnan(known) else f" (exactly {figure(known, 4, share=share)})"

    killed = value("kill_rate", "all")
    if not math.isnan(killed):
        yield (
            f"With {players} players {percent(killed)} of deals are killed"
            f"{exactly('kill_rate', 'all', share=True)}; "
            f"a pot takes {amount(value('deals_per_pot', 'mean'), 1)} deals."
        )
    out = value("players_out", "mean")
    if not math.isnan(out):
        yield (
            f"With {players} players {amount(out)} are put out of a pot on average"
            f"{exactly('players_out', 'mean')}."
        )
    tolls = value("toll_pot", "mean")
    if not math.isnan(tolls):
        yield (
            f"With {players} players a pot collects {amount(tolls, 1)} chips in tolls"
            f"{exactly('toll_pot', 'mean')}."
        )
    if page.wild and page.toll.cards and value("winning_hand", USUAL) >= 0:
        yield (
            f"The winner holds a {USUAL} (a royal flush is one) in "
            f"{percent(value('winning_hand', USUAL))} of showdowns."
        )
    most = value("chips_in", "p99")
    rarely = "" if math.isnan(most) else f" (more than {amount(most, 0)} one time in a hundred)"
    if _worth_telling("pot_size", part):
        yield (
            f"A pot holds {amount(value('pot_size', 'mean'), 1)} chips, a player puts in "
            f"{amount(value('chips_in', 'mean'), 1)}{rarely}, and "
            f"{percent(value('showdowns', 'all'))} of pots end in a showdown."
        )


def _cells(row: Any) -> list[str]:
    """Return estimate, interval, exact value and z as text."""
    kind = kind_of(row.metric, row.level)
    digits = _digits(row.se, share=not kind.amount)
    estimate, low, high, exact = (
        figure(value, 0 if kind.whole else digits + more, share=not kind.amount)
        for value, more in ((row.estimate, 0), (row.low, 0), (row.high, 0), (row.exact, 1))
    )
    interval = between(low, high) if low else ""
    if low and not high:  # an upper border that so few pots do not show
        interval = f"{low} or more"
    z = "" if math.isnan(row.z) else amount(row.z, signed=True)
    return [estimate, interval, exact, z]


def _gain(row: Any) -> list[str]:
    """Return what a controlled row gained as text; nothing of a plain one."""
    gain = getattr(row, "gain", math.nan)
    return [] if math.isnan(gain) else [amount(gain, 1)]


def _digits(se: float, *, share: bool) -> int:
    """Return how many decimals of a figure are printed."""
    if not se > 0:
        return 4 if share else 1
    return min(max(decimals(se, share=share), 1), 7)
