"""The command line as a whole: its commands, each from the file that is called after it."""

from collections.abc import Callable
from typing import Annotated

import typer

from sim.cli.evening import evening
from sim.cli.export import chart, export, report
from sim.cli.games import list_games, list_policies
from sim.cli.hand import hand, replay
from sim.cli.merge import convert, merge
from sim.cli.plan import plan
from sim.cli.pots import write_pots
from sim.cli.recommend import recommend
from sim.cli.recount import recount
from sim.cli.run import run
from sim.cli.show import diff, exact, show, status
from sim.cli.solve import solve

app = typer.Typer(
    name="spadework",
    help="Monte Carlo and exact odds for stud poker's wildest home games.",
    pretty_exceptions_enable=False,
    no_args_is_help=False,
)


@app.callback(invoke_without_command=True)
def _welcome(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        import sim

        print(f"spadework {sim.__version__}")
    elif context.invoked_subcommand is None:
        print(context.get_help())


COMMANDS: dict[str, Callable[..., None]] = {
    "run": run,
    "games": list_games,
    "exact": exact,
    "policies": list_policies,
    "show": show,
    "hand": hand,
    "replay": replay,
    "pots": write_pots,
    "recommend": recommend,
    "evening": evening,
    "solve": solve,
    "plan": plan,
    "status": status,
    "merge": merge,
    "convert": convert,
    "recount": recount,
    "export": export,
    "report": report,
    "chart": chart,
    "diff": diff,
}
"""In the order in which help lists them."""

for name, call in COMMANDS.items():
    app.command(name)(call)
