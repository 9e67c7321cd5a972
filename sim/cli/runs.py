"""What the command ``run`` does: play a plan, and account for it."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from sim import plan as plans
from sim import study
from sim.cli.tables import print_summary
from sim.errors import InputError, Interrupted
from sim.runs import progress, run
from sim.runs.dask import engine_named
from sim.runs.store import Store
from sim.scenario import Plan, Scenario
from sim.stderr import say
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
    found = plans.load(path)
    for notice in found.notices:
        say(notice)
    return found.plan


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
    run.check_threads(threads)
    _check_names(plan)
    with engine_named(engine, scheduler, threads) as player, Store(path) as store:
        if store.notice and not quiet:
            say(store.notice)
        with store.writing():
            todo = run.jobs(plan, store)
            finished = sum(bool(job.stop) for job in todo)
            try:
                with progress.bar(todo, quiet=quiet) as advance:
                    run.execute(todo, store, threads, advance, player)
            except KeyboardInterrupt:
                raise Interrupted(_kept(todo, store)) from None
        parts = study.Study(store, [(job.scenario, job.seed) for job in todo])
        return parts.totals(), _account(todo, finished)


def _check_names(plan: Plan) -> None:
    games = {scenario.game.digest: scenario.game.label for scenario in plan.scenarios}
    if len(set(games.values())) < len(games):
        raise InputError("two of these games have the same name and different rules: rename one")
    acts = {(one.players, one.acts): (one.players, one.policy) for one in plan.scenarios}
    if len(set(acts.values())) < len(acts):
        raise InputError("two of these policies have the same name and act differently: rename one")


def report(frame: "pd.DataFrame", pages: list["Game"], account: str, *, anytime: bool) -> None:
    """Print what a run tells, and how it came to its end."""
    print_summary(frame, pages, anytime=anytime)
    print(account)


def _kept(jobs: list[run.Job], store: Store) -> str:
    """Say what an interrupted run leaves, and how to go on."""
    pots = sum(sum(store.pots(job.scenario, job.seed).values()) for job in jobs)
    return f"{pots:,} pots are kept in {store.path}; the same command goes on from there."


def _account(jobs: list[run.Job], finished: int) -> str:
    """Say under which seeds was played, what was there already, and why each scenario stopped."""
    seeds = sorted({job.seed for job in jobs})
    word = "Seed" if len(seeds) == 1 else "Seeds"
    text = f"{word}:    {', '.join(map(str, seeds))}"
    if finished == len(jobs):
        text += " (the store had everything already)\nFinished: there is nothing to do."
    elif finished:
        text += f" (the store had {finished} of {len(jobs)} scenarios already)"
    return "\n".join([text, *(_reason(job) for job in jobs if job.precision or job.max_seconds)])


def _reason(job: run.Job) -> str:
    sharp = ""
    if job.standing is not None:
        found, wanted = job.standing, f"±{job.standing.wanted:.2g}"
        sharp = f", {found.estimate:.6g} ±{found.half_width:.2g} for {wanted}"
    why = {
        "precision": f"known sharply enough at {job.standing.pots if job.standing else 0:,} pots",
        "pots": f"stopped at its largest number of pots, {job.most:,}",
        "seconds": f"stopped by its {job.max_seconds:g} seconds at {job.total:,} pots: "
        "another machine would stop elsewhere"
        if job.max_seconds
        else "",
    }
    return f"Stop:    {job.scenario}: {why.get(job.stop or '', '')}{sharp}"
