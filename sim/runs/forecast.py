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


def forecast(plan: Plan, store: Store, threads: int) -> pd.DataFrame:
    """Return a row for each scenario: what it has, its target, about what is to be played.

    ``to_play`` and ``seconds`` are at most so many where a precision may stop it sooner than is
    known; seeds are empty where one will be drawn.
    """
    todo = jobs(plan, store)
    names = labels(job.scenario for job in todo)
    policies = policy_labels(job.scenario for job in todo)
    rows = []
    for job in todo:
        pots = 0 if job.stop else _pots_to_play(job)
        seconds = pots * _seconds_a_pot(job, threads)
        if job.max_seconds is not None and seconds:
            whole, seconds = seconds, min(seconds, max(job.max_seconds - job.seconds, 0.0))
            pots = math.ceil(pots * seconds / whole)
        one, drawn = job.scenario, plan.seed is None and not job.had
        rows.append(
            (
                one.key, names[one.key], one.players, policies[one.key],
                None if drawn else job.seed, job.had, job.most, pots, seconds,
            )
        )  # fmt: skip
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype({"seed": "Int64"})


def _pots_to_play(job: Job) -> int:
    left = job.left()
    if left is not None:
        return left
    needed = _pots_needed(job)
    return max(min(needed, job.most) - job.total, job.pots)


def _pots_needed(job: Job) -> int:
    """Return about how many pots a precision takes, from the exact share if there is one."""
    if job.precision is None:
        return job.most
    key = (job.precision.metric, job.precision.level)
    share = float(
        exact_values(job.scenario.game, job.scenario.players, job.scenario.seats).get(key, math.nan)
    )
    wanted = job.precision.half_width or (job.precision.relative or 0) * share
    if not (0 < share < 1 and METRICS[key[0]].part(key[1]).always):
        return job.most
    trials = SCORE**2 * share * (1 - share) / wanted**2
    return min(math.ceil(trials / CELL) * CELL, job.most)


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
