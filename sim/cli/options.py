"""Arguments and options that several commands take, each said once."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sim.errors import InputError

if TYPE_CHECKING:
    from sim.game import Game

DEFAULT_STORE = Path("results/spadework.db")


def game_names(begun: str) -> list[str]:
    """Return the shipped games whose names begin so, for a shell to complete."""
    from sim import game

    return [name for name in game.shipped() if name.startswith(begun)]


def policy_names(begun: str) -> list[str]:
    """Return the shipped policies whose names begin so, for a shell to complete."""
    from sim import policy

    return [name for name in policy.shipped() if name.startswith(begun)]


class Format(StrEnum):
    """How a frame is printed."""

    table = "table"
    csv = "csv"
    json = "json"


StoreArgument = Annotated[
    Path, typer.Argument(help="A store that a run has written.", show_default=False)
]
GameArgument = Annotated[
    str,
    typer.Argument(
        help="A shipped game, or the path of a TOML page (-: standard input).",
        show_default=False,
        autocompletion=game_names,
    ),
]
Players = Annotated[str, typer.Option(help="Table sizes: 4, or 3,6, or 2-8.")]
Pots = Annotated[str, typer.Option(help="Pots at each table size, in all: 1000, 10k, 1e6.")]
Kill = Annotated[
    str | None,
    typer.Option(help="How a kill is treated: redeal or player-out.", show_default=False),
]
Policies = Annotated[
    list[str] | None,
    typer.Option(
        "--policy",
        "--policies",
        help="How players act: stay, loose, typical, tight, fold:0.1 or a TOML file; one for the "
        "table or one for each seat, as tight,loose,loose. Repeat it to compare tables.",
        show_default="stay",
        autocompletion=policy_names,
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        help="Set an option of the page, as kill.ante_again=true. Repeat it for several.",
        show_default=False,
    ),
]
OutputFormat = Annotated[Format, typer.Option("--format", help="How to print it.")]
Anytime = Annotated[
    bool,
    typer.Option(
        "--anytime",
        help="Print intervals that hold at every moment, so that you may watch and stop when you "
        "like, instead of intervals for a number of pots fixed beforehand.",
    ),
]
Controlled = Annotated[
    bool,
    typer.Option(
        "--controlled",
        help="Print control-variate estimates where the store can make them: by the same cards "
        "with all staying, or by the hands shown. Gain: how many times smaller the variance is.",
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(help="Seed of the cards; drawn and printed if not given.", show_default=False),
]
Threads = Annotated[
    int | None,
    typer.Option(help="Threads; one for each processor if not given.", show_default=False),
]
Seconds = Annotated[
    list[str] | None,
    typer.Option(
        help="How long a card, a shuffle or a decision takes, as shuffle=30. Repeat it.",
        show_default=False,
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress on stderr.")]


def load_page(name: str, kill: str | None, settings: list[str] | None) -> "Game":
    """Read a page, however it is named, and set options on it."""
    from sim import game

    options = [*([f"kill.treatment={kill}"] if kill is not None else []), *(settings or [])]
    return game.load(name).with_options(options)


def one_table(policies: list[str] | None) -> str:
    """Return the policies of the one table that is asked for."""
    tables = policies or ["stay"]
    if len(tables) > 1:
        raise InputError(
            "a pot is played at one table: seat policies as --policy tight,loose,loose"
        )
    return tables[0]
