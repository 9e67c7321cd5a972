"""What a plan will play, what is there already, and about how long it will take."""

import math

import pandas as pd

from sim.odds import exact_values
from sim.runs.run import CELL, Job, jobs
from sim.runs.store import Store
from sim.runs.threads import rules_of
from sim.scenario import Plan, Scenario
from sim.stats.frame import names
from sim.stats.intervals import SCORE
from sim.stats.metrics import METRICS

SECONDS_A_POT, SECONDS_A_CARD = 25e-9, 2e-9
"""What a pot and each of its cards cost one thread of an EPYC, pots side by side; for where a store
has not measured it."""
ONE_BY_ONE, BETTING = 15, 30
"""How many times as long a pot takes that is played by itself, and where players look at hands."""
MEASURED = 1.0
"""Seconds of play from which on a store's own measure is believed."""
COLUMNS = ("seed", "pots", "target", "to_play", "seconds", "at_most")
"""Behind a scenario and its names."""


def plan_forecast(plan: Plan, store: Store, threads: int) -> pd.DataFrame:
    """Return a row for each scenario: what it has, its target, about what is to be played.

    ``to_play`` and ``seconds`` are what a precision or a limit in seconds will take, or where that
    is not known (``at_most``) the most; seeds are empty where one will be drawn.
    """
    lacking = jobs(plan, store)
    named = names(job.scenario for job in lacking)
    rows = []
    for job in lacking:
        seed = None if plan.seed is None and not job.had else job.seed
        key = job.scenario.key
        known = (key, *named.of[key], seed, job.had, job.max_pots)
        rows.append((*known, *_to_play(job, threads)))
    columns = ["scenario", *named.columns, *COLUMNS]
    return pd.DataFrame(rows, columns=columns).astype({"seed": "Int64"})


def _to_play(job: Job, threads: int) -> tuple[int, float, bool]:
    """Return about how many pots a job lacks, how many seconds they take, whether at most so many.

    What a store knows of a precision comes first, then what is exact.
    """
    pots, at_most = job.left(), False
    if pots is None:
        needed = _pots_needed(job)
        at_most = needed is None
        pots = max((job.max_pots if needed is None else needed) - job.total, job.pots)
    seconds_a_pot = _seconds_a_pot(job, threads)
    seconds = pots * seconds_a_pot
    if job.max_seconds is not None:
        seconds = min(seconds, max(job.max_seconds - job.seconds, 0.0))
        pots = min(pots, math.ceil(seconds / seconds_a_pot))
    return pots, seconds, at_most


def _pots_needed(job: Job) -> int | None:
    """Return about how many pots a precision takes, from the exact share if there is one.

    Where players look at cards it is taken to be about as where all stay; None if none is known.
    """
    if job.precision is None:
        return job.max_pots
    key = (job.precision.metric, job.precision.level)
    seats = None if job.scenario.bets else job.scenario.seats
    exact = exact_values(job.scenario.game, job.scenario.players, seats)
    share, part = float(exact.get(key, math.nan)), METRICS[key[0]].part(key[1])
    half_width = job.precision.half_width or (job.precision.relative or 0) * share
    if not (0 < share < 1 and part.always):
        return None
    pots = SCORE**2 * share * (1 - share) / half_width**2
    if "deals" in part.counts:  # it is a share of deals, of which a pot has several
        pots /= float(exact["deals_per_pot", "mean"])
    return min(math.ceil(pots / CELL) * CELL, job.max_pots)


def _seconds_a_pot(job: Job, threads: int) -> float:
    if job.seconds >= MEASURED and job.had:
        return job.seconds / job.had
    exact = exact_values(job.scenario.game, job.scenario.players)  # as if all stayed
    cards = float(exact["cards_per_pot", "mean"])
    return (SECONDS_A_POT + cards * SECONDS_A_CARD) * _times(job.scenario) / threads


def _times(scenario: Scenario) -> int:
    if scenario.bets:
        return BETTING
    side_by_side = scenario.stays and rules_of(scenario)[0]["court_tells"]
    return 1 if side_by_side else ONE_BY_ONE
