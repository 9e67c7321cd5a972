"""The command ``evening``: what a host brings, and what a player can win and lose."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sim.cli.options import (
    Format,
    GameArgument,
    Kill,
    OutputFormat,
    Policies,
    Seconds,
    Settings,
    Threads,
    load_page,
    one_table,
)
from sim.cli.printing import new_table, print_columns, print_path
from sim.formatting import amount, between, decimals, figure, percent

if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table

    from sim.evenings import Evenings


class Broke(StrEnum):
    """What a player does who has run short."""

    rebuy = "rebuy"
    leave = "leave"


SUMMARY: tuple[tuple[str, str, str], ...] = (
    ("pots", "mean", "Pots"),
    ("hours", "mean", "Hours, with the last pot"),
    ("minutes_per_pot", "mean", "Minutes a pot"),
    ("result", "mean", "Result of a player: mean"),
    ("result", "sd", "  its spread (standard deviation)"),
    ("result", "p5", "  5 % take home no more than"),
    ("result", "p50", "  half"),
    ("result", "p95", "  95 %"),
    ("deepest", "p50", "Below the start at the lowest: half, to"),
    ("deepest", "p95", "  95 %, to"),
    ("winner", "mean", "Who wins most wins"),
    ("loser", "mean", "Who loses most wins"),
    ("buy_ins", "mean", "Buy-ins of the table: mean"),
    ("buy_ins", "p95", "  for 95 % of evenings"),
    ("never_short", "players", "Players who never run short"),
    ("never_short", "evenings", "Evenings in which nobody does"),
    ("players_left", "mean", "Players left"),
    ("first_short", "p50", "Hours until the first does: half"),
    ("shortfalls", "mean", "Shortfalls within pots, an evening"),
    ("shortfalls", "any", "Evenings with one"),
    ("credit", "p95", "Most owed within a pot: 95 %, to"),
    ("buy_in", "p50", "Buy-in that lasts half of players"),
    ("buy_in", "p90", "  90 %"),
    ("buy_in", "p95", "  95 %"),
)
"""What is printed of evenings: metric, level and words."""
BY_LEVEL = {"result_by_policy": "Result of {}", "ahead": "Ahead at the end: {}"}


def evening(
    game: GameArgument,
    players: Annotated[str, typer.Option(help="Players who sit down.")] = "7",
    hours: Annotated[
        float | None,
        typer.Option(help="Hours after which no pot begins; 4 without --pots.", show_default=False),
    ] = None,
    pots: Annotated[
        str | None, typer.Option(help="Pots of an evening instead of hours.", show_default=False)
    ] = None,
    buy_in: Annotated[int, typer.Option(help="Chips that a player buys.")] = 100,
    broke: Annotated[
        Broke, typer.Option(help="What a player does who has run short.")
    ] = Broke.rebuy,
    buy_ins: Annotated[
        int | None,
        typer.Option(
            help="Times that a player may buy in, the first included; then he leaves.",
            show_default="no limit",
        ),
    ] = None,
    rebuy_below: Annotated[
        int | None,
        typer.Option(
            help="Chips below which a player has run short.",
            show_default="the 95 % quantile of what one puts into a pot",
        ),
    ] = None,
    policies: Policies = None,
    stake: Annotated[
        float | None, typer.Option(help="Money that a chip costs, as 0.25.", show_default=False)
    ] = None,
    evenings: Annotated[str, typer.Option(help="Evenings to play: 4000, or 4k.")] = "4000",
    seed: Annotated[int, typer.Option(help="Seed of the cards.")] = 0,
    dealer: Annotated[
        int | None,
        typer.Option(help="The player who deals first, from 1.", show_default="drawn"),
    ] = None,
    seconds: Seconds = None,
    threads: Threads = None,
    kill: Kill = None,
    settings: Settings = None,
    output: OutputFormat = Format.table,
    charts: Annotated[
        Path | None,
        typer.Option(help="A folder to draw three charts into.", show_default=False),
    ] = None,
) -> None:
    """Play evenings, and say what a host brings and what a player can win and lose."""
    from sim import evenings as played
    from sim.parsing import named_numbers

    page = load_page(game, kill, settings)
    told = played.evening(
        page,
        players,
        hours,
        pots,
        buy_in,
        broke.value,
        buy_ins,
        rebuy_below,
        one_table(policies or ["typical"]),
        stake,
        evenings,
        seed,
        dealer=dealer,
        pace=named_numbers(seconds or [], "seconds"),
        threads=threads,
    )
    frame = told.frame()
    drawn = [] if charts is None else _draw(frame, charts)
    if output is not Format.table:
        print_columns(frame, output)
        return
    _print(told, frame)
    for path in drawn:
        print_path("Chart", path)


def _draw(frame: "pd.DataFrame", folder: Path) -> list[Path]:
    """Draw what a frame tells."""
    from sim.charts import file_name, save
    from sim.charts.evening import CHARTS

    first, paths = frame.iloc[0], []
    for name, draw in CHARTS.items():
        if name != "buy-ins" or (frame.metric == "lasts").any():
            path = folder / f"{file_name(f'{first.game} {first.players}')}-{name}.png"
            save(draw(frame), path)
            paths.append(path)
    return paths


def _print(told: "Evenings", frame: "pd.DataFrame") -> None:
    from rich.console import Console

    for line in (*_title(told), ""):
        print(line)
    console = Console(highlight=False, width=110)
    console.print(_table(told, frame))
    for line in _sentences(told, frame):
        print(line)


def _title(told: "Evenings") -> list[str]:
    """Say what was played."""
    from sim.evenings.results import HOUR
    from sim.policy import label
    from sim.stats.frame import titled

    terms = told.terms
    length = f"{terms.limit / HOUR:g} hours" if terms.timed else f"{terms.limit:,} pots"
    again = {None: "buys in again", 1: "leaves"}
    does = again.get(terms.buy_ins, f"buys in again, up to {terms.buy_ins} times, and leaves")
    return [
        f"{titled(terms.game.title, terms.game.label)}, {terms.players} players, "
        f"{label(terms.policies)}: {len(told):,} evenings of {length}.",
        f"Each buys in for {terms.buy_in:,} chips; who has fewer than {terms.rebuy_below:,} after "
        f"a pot {does}.",
    ]


def _table(told: "Evenings", frame: "pd.DataFrame") -> "Table":
    """Return the figures in short."""
    rows = frame.set_index(["metric", "level"])
    calculated = bool(frame.calculated.notna().any())
    columns = ["estimate", "95 % interval", *(["calculated"] if calculated else [])]
    columns += ["in money", "95 % interval "] if told.stake is not None else []
    table = new_table(["of an evening", *columns], right=columns, whole=columns)
    lines = [(words, (metric, level)) for metric, level, words in SUMMARY]
    lines += [
        (BY_LEVEL[metric].format(level), (metric, level))
        for metric, level in rows.index
        if metric in BY_LEVEL
    ]
    for words, key in lines:
        if key in rows.index:
            table.add_row(words, *_cells(key[0], rows.loc[key], calculated=calculated))
    return table


def _cells(metric: str, row: Any, *, calculated: bool) -> list[str]:
    """Return a row's figures as text."""
    from sim.evenings import METRICS

    unit = METRICS[metric].unit
    share = unit == "share"
    digits = min(max(decimals(row.se, share=share), 0), 3) if row.se > 0 else 2 * (unit == "hours")
    estimate, low, high, known = (
        figure(value, digits, share=share)
        for value in (row.estimate, row.low, row.high, row.calculated)
    )
    cells = [estimate, between(low, high) if low and high else ""]
    cells += [known] if calculated else []
    if "money" in row.index:
        money = [figure(row[name], 2, share=False) for name in ("money", "money_low", "money_high")]
        cells += [money[0], between(*money[1:]) if money[1] else ""]
    return cells


def _sentences(told: "Evenings", frame: "pd.DataFrame") -> list[str]:
    """Say what a host reads it for."""
    value = frame.set_index(["metric", "level"]).estimate
    pots, minutes = value["pots", "mean"], value["minutes_per_pot", "mean"]
    lines = [f"{amount(pots, 0)} pots in an evening, {amount(minutes, 1)} minutes a pot."]
    if told.all_buy_in:
        lasting, stock = told.lasting().estimate, value["buy_ins", "p95"]
        lines += [
            f"Bring {amount(lasting, 0)} chips, and nine in ten never need more; in 95 % of "
            f"evenings {amount(stock, 0)} buy-ins of {told.terms.buy_in:,} do for the table."
        ]
    else:
        short, left = 1 - value["never_short", "players"], value["players_left", "mean"]
        lines += [f"{percent(short)} of players run short, and {amount(left, 1)} are left."]
    return lines
