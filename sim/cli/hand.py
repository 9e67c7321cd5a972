"""The commands ``hand`` and ``replay``: one hand, and one pot."""

from typing import Annotated

import typer

from sim.cli.options import GameArgument, Kill, Policies, Settings, load_page, one_table


def hand(
    cards: Annotated[str, typer.Argument(help='One to seven cards, as "As 9d 9h".')],
    game: Annotated[str, typer.Option(help="The game whose wild cards and tolls count.")] = (
        "seven-card-stud"
    ),
    up: Annotated[
        str,
        typer.Option(help="Which of them are up cards, in the order dealt.", show_default=False),
    ] = "",
    opponents: Annotated[
        int | None,
        typer.Option(
            help="Say how often it wins against so many others who stay.", show_default=False
        ),
    ] = None,
    board: Annotated[
        list[str] | None,
        typer.Option(help='What one of them shows, as "9h 7s"; repeatable.', show_default=False),
    ] = None,
    dead: Annotated[
        str,
        typer.Option(help="Other cards that were seen and are out of play.", show_default=False),
    ] = "",
    pot: Annotated[
        int | None,
        typer.Option(
            help="Chips in the pot: say what staying has to win.", min=0, show_default=False
        ),
    ] = None,
    to_call: Annotated[int, typer.Option(help="Chips that staying costs now.", min=0)] = 0,
    policies: Annotated[
        list[str] | None,
        typer.Option(
            "--policy",
            "--policies",
            help="Say what this policy, too, would do: its name or its page; repeatable.",
            show_default=False,
        ),
    ] = None,
    kill: Kill = None,
    settings: Settings = None,
) -> None:
    """Say what a hand wins in a game, what its up cards cost, and whether staying pays."""
    page = load_page(game, kill, settings)

    from sim.cli.worth import Known, lines
    from sim.policy import load

    known = Known(page, cards, up, tuple(board or ()), dead, opponents)
    print("\n".join(lines(known, pot, to_call, [load(name) for name in policies or ()])))


def replay(
    game: GameArgument,
    players: Annotated[int, typer.Option(help="Players at the table.")] = 4,
    seed: Annotated[int, typer.Option(help="Seed of the cards.")] = 0,
    pot: Annotated[int, typer.Option(help="Number of the pot, from 0.")] = 0,
    kill: Kill = None,
    settings: Settings = None,
    policies: Policies = None,
) -> None:
    """Narrate one pot as it was played, card by card and bet by bet."""
    page = load_page(game, kill, settings)

    from sim.cli import narrate
    from sim.policy import load_seats
    from sim.scenario import Scenario

    print(narrate.pot(Scenario(page, players, load_seats(one_table(policies))), seed, pot))
