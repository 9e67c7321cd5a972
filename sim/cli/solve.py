"""The command ``solve``: the best answer to a table of opponents."""

from pathlib import Path
from typing import Annotated

import typer

from sim.cli.options import GameArgument, Kill, Quiet, Settings, Threads, load_page
from sim.cli.printing import print_path


def solve(
    game: GameArgument,
    against: Annotated[
        str,
        typer.Option(
            help="Who is to be beaten: one policy for the table, or one for each seat, as "
            "tight,loose,loose.",
            show_default=False,
        ),
    ],
    players: Annotated[int, typer.Option(help="Players at the table.")] = 4,
    pots: Annotated[
        str, typer.Option(help="Pots to learn from: 100k, 1M; each is replayed several times.")
    ] = "500k",
    scoring_pots: Annotated[
        str, typer.Option(help="Other pots, to measure what the answer gains.")
    ] = "200k",
    seed: Annotated[int, typer.Option(help="Seed of the cards.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Write the answer to this page, a policy's (-: standard output).",
            show_default=False,
        ),
    ] = None,
    threads: Threads = None,
    kill: Kill = None,
    settings: Settings = None,
    quiet: Quiet = False,
) -> None:
    """Learn by replays what wins most against given opponents, and say what it gains.

    Who learns takes each seat in turn. What it gains is measured on pots of which nothing was
    learned: a lower bound, since other ways to look at a hand might win more.
    """
    page = load_page(game, kill, settings)

    from sim import paths
    from sim.solving.answer import best_response

    found = best_response(
        page,
        players,
        against,
        pots=pots,
        scoring_pots=scoring_pots,
        seed=seed,
        threads=threads,
        progress=not quiet,
        out=out,
    )
    if str(out) != paths.STANDARD:
        print(f"{found}\n\n{found.rules}")
        if out is not None:
            print_path("Answer", out)
