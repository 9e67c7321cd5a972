"""The commands ``games`` and ``policies``: what comes with the package."""

from typing import Annotated

import typer

from sim.cli.options import Kill, Settings, load_page
from sim.errors import InputError


def list_games(
    game: Annotated[
        str | None, typer.Argument(help="Print this game's page.", show_default=False)
    ] = None,
    kill: Kill = None,
    settings: Settings = None,
) -> None:
    """List the games, or print one game's page as a rule card with its open choices."""
    from sim.cli import rule_card

    if game is None:
        if kill or settings:
            raise InputError("--kill and --set change the page of one game: name it")
        print(rule_card.listing())
    else:
        print(rule_card.card(load_page(game, kill, settings)))


def list_policies() -> None:
    """List the policies that come with the package, and say how to write one."""
    from sim.cli import rule_card

    print(rule_card.policies())
