"""The command ``pots``: what became of each pot, as a table."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from sim import paths
from sim.cli.options import GameArgument, Kill, Policies, Settings, Threads, load_page, one_table
from sim.cli.printing import print_path
from sim.errors import InputError, brief


class By(StrEnum):
    """What a row is about."""

    pot = "pot"
    deal = "deal"


def write_pots(
    game: GameArgument,
    out: Annotated[
        Path,
        typer.Option(
            help="The file, .csv, .json or .parquet; - is standard output, for CSV without the "
            "meanings of its columns."
        ),
    ],
    players: Annotated[int, typer.Option(help="Players at the table.")] = 4,
    pots: Annotated[str, typer.Option(help="How many pots: 1000, 10k, 1e6.")] = "10k",
    seed: Annotated[int, typer.Option(help="Seed of the cards.")] = 0,
    policies: Policies = None,
    by: Annotated[By, typer.Option(help="A row a pot and seat, or a row a deal.")] = By.pot,
    first: Annotated[str, typer.Option(help="Number of the first pot.")] = "0",
    threads: Threads = None,
    kill: Kill = None,
    settings: Settings = None,
) -> None:
    """Play pots and write what became of each to a file, a row a pot and seat, or a deal.

    They are the pots that run plays under the seed, and replay narrates.
    """
    kind = "csv" if str(out) == paths.STANDARD else out.suffix.removeprefix(".").lower()
    if kind not in ("csv", "json", "parquet"):
        raise InputError(
            f"{brief(out)} says no format: name a file that ends in .csv, .json or .parquet"
        )
    page, table = load_page(game, kill, settings), one_table(policies)

    from sim import export, rows

    scenario = rows.table_of(page, players, table)
    parts = rows.batches(scenario, seed, first, pots, by.value, threads)
    made = export.write_rows(parts, out, kind, rows.columns_of(scenario, by.value))
    for what, path in zip(("Table", "Columns"), made, strict=False):
        if str(out) != paths.STANDARD:
            print_path(what, path)
