"""What a plan will play, what is there already, and about how long it will take."""

import math

import pandas as pd

from sim.odds import exact_values
from sim.runs.run import CELL, Job, jobs
from sim.runs.store import Store
from sim.runs.threads import rules_of
from sim.scenario import Plan, Scenario
from sim.stats.frame import labels, policy_labels
from sim.stats.intervals import SCORE
from sim.stats.metrics import METRICS

SECONDS_A_POT, SECONDS_A_CARD = 25e-9, 2e-9
"""What a pot and each of its cards cost one thread of an EPYC, pots side by side; for where a store
has not measured it."""
ONE_BY_ONE, BETTING = 15, 30
"""How many times as long a pot takes that is played by itself, and where players look at hands."""
MEASURED = 1.0
"""Seconds of play from which on a store's own measure is believed."""
COLUMNS = ("scenario", "game", "players", "policy", "seed", "pots", "target", "to_play", "seconds")


def plan_forecast(plan: Plan, store: Store, threads: int) -> pd.DataFrame:
    """Return a row for each scenario: what it has, its target, about what is to be played.

    ``to_play`` and ``seconds`` are at most so many where a precision may stop it sooner than is
    known; seeds are empty where one will be drawn.
    """
    lacking = jobs(plan, store)
    games = labels(job.scenario for job in lacking)
    policies = policy_labels(job.scenario for job in lacking)
    rows = []
    for job in lacking:
        key, players = job.scenario.key, job.scenario.players
        seed = None if plan.seed is None and not job.had else job.seed
        known = (key, games[key], players, policies[key], seed, job.had, job.max_pots)
        rows.append((*known, *_to_play(job, threads)))
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype({"seed": "Int64"})


def _to_play(job: Job, threads: int) -> tuple[int, float]:
    """Return about how many pots a job lacks, and how many seconds they take."""
    pots = job.left()
    if pots is None:
        pots = max(_pots_needed(job) - job.total, job.pots)
    seconds_a_pot = _seconds_a_pot(job, threads)
    seconds = pots * seconds_a_pot
    if job.max_seconds is not None:
        seconds = min(seconds, max(job.max_seconds - job.seconds, 0.0))
        pots = min(pots, math.ceil(seconds / seconds_a_pot))
    return pots, seconds


def _pots_needed(job: Job) -> int:
    """Return about how many pots a precision takes, from the exact share if there is one."""
    if job.precision is None:
        return job.max_pots
    key = (job.precision.metric, job.precision.level)
    share = float(
        exact_values(job.scenario.game, job.scenario.players, job.scenario.seats).get(key, math.nan)
    )
    half_width = job.precision.half_width or (job.precision.relative or 0) * share
    if not (0 < share < 1 and METRICS[key[0]].part(key[1]).always):
        return job.max_pots
    trials = SCORE**2 * share * (1 - share) / half_width**2
    return min(math.ceil(trials / CELL) * CELL, job.max_pots)


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
