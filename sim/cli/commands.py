"""The commands, one function each."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sim import paths
from sim.errors import InputError, printable
from sim.stderr import say

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from sim.game import Game
    from sim.study import Study

app = typer.Typer(
    name="spadework",
    help="Monte Carlo and exact odds for stud poker's wildest home games.",
    add_completion=False,
    pretty_exceptions_enable=False,
    no_args_is_help=False,
)

MAIN_JOB = ("faces-of-death", "spades")
DEFAULT_STORE = Path("results/spadework.db")


class Format(StrEnum):
    """How a frame is printed."""

    table = "table"
    csv = "csv"
    json = "json"


class By(StrEnum):
    """What a row is about."""

    pot = "pot"
    deal = "deal"


class Engine(StrEnum):
    """Who plays the blocks."""

    threads = "threads"
    dask = "dask"


GameArgument = Annotated[
    str,
    typer.Argument(
        help="A shipped game, or the path of a TOML page (-: standard input).", show_default=False
    ),
]
Players = Annotated[str, typer.Option(help="Table sizes: 4, or 3,6, or 2-8.")]
Pots = Annotated[str, typer.Option(help="Pots at each table size, in all: 1000, 10k, 1M.")]
Kill = Annotated[
    str | None,
    typer.Option(help="How a kill is treated: redeal or player-out.", show_default=False),
]
Policies = Annotated[
    list[str] | None,
    typer.Option(
        "--policy",
        help="How players act: stay, loose, typical, tight, fold:0.1 or a TOML file; one for the "
        "table or one for each seat, as tight,loose,loose. Repeat it to compare tables.",
        show_default="stay",
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
        help="Print sharper estimates where the store can make them: controlled by the same cards "
        "with all staying, or by the hands shown. Gain: how many times smaller the variance is.",
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(help="Seed of the cards; drawn and printed if not given.", show_default=False),
]


@app.callback(invoke_without_command=True)
def _welcome(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        from importlib.metadata import version as installed

        print(f"spadework {installed('spadework')}")
    elif context.invoked_subcommand is None:
        print(context.get_help())


@app.command()
def run(
    context: typer.Context,
    games: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="GAME",
            help="Shipped games, or paths of TOML pages (-: standard input); without any, both "
            "main games.",
            show_default=False,
        ),
    ] = None,
    plan: Annotated[
        Path | None,
        typer.Option(
            help="A plan file that says what to play instead (-: standard input).",
            show_default=False,
        ),
    ] = None,
    players: Players = "2-8",
    pots: Pots = "1M",
    seed: Seed = None,
    threads: Annotated[
        int | None,
        typer.Option(
            help="Threads, or workers of Dask's; one for each processor if not given.",
            show_default=False,
        ),
    ] = None,
    store: Annotated[Path, typer.Option(help="The SQLite file for results.")] = DEFAULT_STORE,
    kill: Kill = None,
    settings: Settings = None,
    policies: Policies = None,
    engine: Annotated[
        Engine, typer.Option(help="Who plays: threads of this process, or Dask's workers.")
    ] = Engine.threads,
    scheduler: Annotated[
        str | None,
        typer.Option(
            help="Address of a Dask scheduler, as tcp://10.0.0.1:8786; without one, workers "
            "are started here.",
            show_default=False,
        ),
    ] = None,
    anytime: Anytime = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress on stderr.")] = False,
) -> None:
    """Play pots at each table size, print what they tell, and keep results and charts.

    A plan's target and the charts keep the ordinary 95 % interval, whatever is printed.
    """
    from sim.cli import runs
    from sim.parsing import player_counts, pot_count
    from sim.plan import grid
    from sim.policy import load_tables
    from sim.stats import estimate

    if plan is not None:
        asked = runs.read_plan(context, plan)
    else:
        pages = list(dict.fromkeys(load_page(name, kill, settings) for name in games or MAIN_JOB))
        if len({page.digest for page in pages}) < len(pages):
            raise InputError(
                "two of these games have the same rules under two names: play one of them"
            )
        tables = load_tables(list(dict.fromkeys(policies or ["stay"])))
        if len(set(tables)) < len(tables):
            raise InputError("two of these policies act alike: play one of them")
        asked = grid(pages, player_counts(players), pot_count(pots), seed, tables)
    totals, account = runs.play(asked, store, threads, engine, scheduler, quiet=quiet)
    played = list(dict.fromkeys(scenario.game for scenario in asked.scenarios))
    frame = estimate.frame(totals)
    charts = _save_charts(frame, played, store)
    shown = estimate.frame(totals, anytime=True) if anytime else frame
    runs.report(shown, played, account, anytime=anytime)
    print_path("Results", store)
    for chart in charts:
        print_path("Chart", chart)


@app.command("games")
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


@app.command()
def exact(
    game: GameArgument,
    players: Players = "2-8",
    output: OutputFormat = Format.table,
    kill: Kill = None,
    settings: Settings = None,
    policies: Policies = None,
) -> None:
    """Print the exact values of a game, without playing a pot."""
    from sim.parsing import player_counts

    page, sizes = load_page(game, kill, settings), player_counts(players)

    from sim import study

    _print_frame(study.exact(page, sizes, policies=policies or ["stay"]), output)


@app.command("policies")
def list_policies() -> None:
    """List the policies that come with the package, and say how to write one."""
    from sim.cli import rule_card

    print(rule_card.policies())


@app.command()
def show(
    store: Annotated[Path, typer.Argument(help="A store that a run has written.")],
    output: OutputFormat = Format.table,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say what each metric means instead.")
    ] = False,
    anytime: Anytime = False,
    controlled: Controlled = False,
) -> None:
    """Print every estimate that a store holds, all seeds of a scenario together."""
    from sim import study

    with study.open_study(store) as opened:
        if not opened.parts:
            say(f"{store} holds no finished pots yet.")
        if explain:
            _explain(opened)
        elif controlled:
            found = opened.controlled(anytime=anytime)
            _print_frame(found.frame, output)
            for line in found.basis:
                (print if output is Format.table else say)(line)
        elif opened.parts or output is not Format.table:
            _print_frame(opened.frame(anytime=anytime), output, anytime=anytime)


@app.command()
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
            help="Say about how often it wins against so many others who stay.", show_default=False
        ),
    ] = None,
    kill: Kill = None,
    settings: Settings = None,
) -> None:
    """Say what a hand is worth in a game, what its up cards cost, and whether they kill."""
    from sim.cli import narrate
    from sim.parsing import hand_and_up

    page = load_page(game, kill, settings)
    print(narrate.hand(page, *hand_and_up(cards, up), opponents))


@app.command()
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

    print(narrate.pot(Scenario(page, players, load_seats(_one_table(policies))), seed, pot))


@app.command("pots")
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
    pots: Annotated[str, typer.Option(help="How many pots: 1000, 10k, 1M.")] = "10k",
    seed: Annotated[int, typer.Option(help="Seed of the cards.")] = 0,
    policies: Policies = None,
    by: Annotated[By, typer.Option(help="A row a pot and seat, or a row a deal.")] = By.pot,
    first: Annotated[int, typer.Option(help="Number of the first pot.")] = 0,
    threads: Annotated[
        int | None,
        typer.Option(help="Threads; one for each processor if not given.", show_default=False),
    ] = None,
    kill: Kill = None,
    settings: Settings = None,
) -> None:
    """Play pots and write what became of each to a file, a row a pot and seat, or a deal.

    They are the pots that run plays under the seed, and replay narrates.
    """
    kind = "csv" if str(out) == paths.STANDARD else out.suffix.removeprefix(".").lower()
    if kind not in ("csv", "json", "parquet"):
        raise InputError(
            f"{paths.shown(out)} says no format: name a file that ends in .csv, .json or .parquet"
        )
    page, table = load_page(game, kill, settings), _one_table(policies)

    from sim import export, rows
    from sim.parsing import pot_count

    scenario = rows.table_of(page, players, table)
    parts = rows.batches(scenario, seed, first, pot_count(pots), by.value, threads)
    made = export.write_rows(parts, out, kind, rows.columns_of(scenario, by.value))
    for what, path in zip(("Table", "Columns"), made, strict=False):
        if str(out) != paths.STANDARD:
            print_path(what, path)


def _one_table(policies: list[str] | None) -> str:
    """Return the policies of the one table that is asked for."""
    several = policies or ["stay"]
    if len(several) > 1:
        raise InputError(
            "a pot is played at one table: seat policies as --policy tight,loose,loose"
        )
    return several[0]


def load_page(name: str, kill: str | None, settings: list[str] | None) -> "Game":
    """Read a page, however it is named, and set options on it."""
    from sim import game

    options = [*([f"kill.treatment={kill}"] if kill is not None else []), *(settings or [])]
    return game.load(name, options)


def print_path(what: str, path: Path) -> None:
    """Say where something lies that was written."""
    print(f"{what + ':':<8} {printable(str(path))}")


def _save_charts(frame: "pd.DataFrame", pages: list["Game"], store: Path) -> list[Path]:
    """Draw each game beside the store, under the store's name unless that is the usual one.

    There is one chart for each policy, and one that compares them if there are several.
    """
    from sim import charts
    from sim.policy import STAY

    saved = []
    study = "" if store.name == DEFAULT_STORE.name else f"{store.stem}-"

    def save(figure: "Figure", name: str) -> None:
        path = store.parent / f"{study}{name}.png"
        charts.save(figure, path)
        saved.append(path)

    for page in pages:
        rows = frame[frame.game == page.label]
        policies = rows.policy.unique()
        for policy in policies:
            label = page.label if policy == STAY.name else f"{page.label} {policy}"
            part = rows[rows.policy == policy]
            save(charts.overview(part, page.title), charts.file_name(label))
        if len(policies) > 1:
            figure = charts.comparison(rows, page.title)
            save(figure, f"{charts.file_name(page.label)}-policies")
    return saved


def _print_frame(frame: "pd.DataFrame", output: Format, *, anytime: bool = False) -> None:
    from sim.cli import tables

    if output is Format.table:
        tables.print_frame(frame, anytime=anytime)
    else:
        print_columns(frame, output)


def print_columns(frame: "pd.DataFrame", output: Format) -> None:
    """Print any frame, a row a line."""
    import json

    from sim import export
    from sim.cli import tables

    if output is Format.csv:
        print(frame.to_csv(index=False), end="")
    elif output is Format.json:
        print(json.dumps(export.records(frame), indent=1, ensure_ascii=False))
    else:
        tables.print_columns(frame)


def _explain(study: "Study") -> None:
    from sim.cli import tables
    from sim.stats.estimate import METRICS

    present = set(study.frame().metric)
    tables.print_definitions({name: text for name, text in METRICS.items() if name in present})
