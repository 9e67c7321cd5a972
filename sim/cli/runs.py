"""What the command ``run`` does: play a plan, and account for it."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from sim import plan as plans
from sim.cli.printing import say_what_is_lacking
from sim.cli.tables import print_summary
from sim.errors import InputError
from sim.runs.collection import collect
from sim.runs.run import Job
from sim.scenario import Plan, Scenario
from sim.stderr import say
from sim.study import Study
from sim.tally import Tally

if TYPE_CHECKING:
    import pandas as pd

    from sim.game import Game

IN_THE_PLAN = ("games", "players", "pots", "seed", "kill", "settings", "policies")
"""What a plan file says, so that the command line cannot."""


def read_plan(context: typer.Context, path: Path) -> Plan:
    """Read a plan file, and refuse options that contradict it; notices go to stderr."""
    for name in IN_THE_PLAN:
        if getattr(context.get_parameter_source(name), "name", "") == "COMMANDLINE":
            word = {"games": "a game", "settings": "--set", "policies": "--policy"}.get(
                name, f"--{name}"
            )
            raise InputError(f"{word} is for the plan to say: leave it out, or edit {path}")
    loaded = plans.load(path)
    for notice in loaded.notices:
        say(notice)
    return loaded.plan


def play(
    plan: Plan,
    path: Path,
    threads: int | None,
    engine: str,
    scheduler: str | None,
    *,
    quiet: bool,
) -> tuple[list[tuple[Scenario, Tally]], str]:
    """Bring a store up to a plan; return its scenarios with their totals, and an account."""
    _check_names(plan)
    done = collect(plan, path, threads, not quiet, engine, scheduler)
    with Study.of(done) as study:
        say_what_is_lacking(study.store)
        return study.totals(), _account(done.jobs)


def _check_names(plan: Plan) -> None:
    games = {scenario.game.digest: scenario.game.label for scenario in plan.scenarios}
    if len(set(games.values())) < len(games):
        raise InputError("two of these games have the same name and different rules: rename one")
    names = {(table.players, table.acts): (table.players, table.policy) for table in plan.scenarios}
    if len(set(names.values())) < len(names):
        raise InputError("two of these policies have the same name and act differently: rename one")


def report(frame: "pd.DataFrame", pages: list["Game"], account: str, *, anytime: bool) -> None:
    """Print what a run tells, and how it came to its end."""
    print_summary(frame, pages, anytime=anytime)
    print(account)


def _account(jobs: list[Job]) -> str:
    """Say under which seeds was played, what was there already, and why each scenario stopped."""
    finished = sum(job.total == job.had for job in jobs)
    seeds = sorted({job.seed for job in jobs})
    word = "Seed" if len(seeds) == 1 else "Seeds"
    text = f"{word}:    {', '.join(map(str, seeds))}"
    if finished == len(jobs):
        text += " (the store had everything already)\nFinished: there is nothing to do."
    elif finished:
        text += f" (the store had {finished} of {len(jobs)} scenarios already)"
    return "\n".join([text, *(_reason(job) for job in jobs if job.precision or job.max_seconds)])


def _reason(job: Job) -> str:
    status, why = job.precision_status, ""
    if job.stop == "precision" and status:
        why = f"known sharply enough at {status.pots:,} pots"
    elif job.stop == "pots":
        why = f"stopped at its largest number of pots, {job.max_pots:,}"
    elif job.stop == "seconds":
        why = (
            f"stopped by its {job.max_seconds:g} seconds at {job.total:,} pots: "
            "another machine would stop elsewhere"
        )
    if status:
        why += f", {status.estimate:.6g} ±{status.half_width:.2g} for ±{status.wanted:.2g}"
    return f"Stop:    {job.scenario}: {why}"
