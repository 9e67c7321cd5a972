"""A finished study as files: from a store, and back."""

import hashlib
import json
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from sim import export, study
from sim import plan as plans
from sim.errors import InputError
from sim.runs import run
from sim.runs.convert import ARRAYS, old_key, untold
from sim.runs.run import Job
from sim.runs.store import Store, checksum
from sim.scenario import Scenario
from sim.stats.frame import flat, labels, policy_labels, tidy_frame
from sim.study import Study
from sim.tally import Tally, version_of

PLANS = ("plan.toml", "plain.toml")
"""The plans of the study, beside what is made of them."""
ESTIMATES, TABLE = "estimates.parquet", "estimates.csv"
"""All estimates as they are; and without long distributions, rounded, to be looked at."""
TOTALS, SETTLED, FOLDING, RUNS = "totals.csv", "convergence.csv", "folding.csv", "runs.json"
CELLS = "first_cells.csv"
"""A digest of each array of the first cell of each scenario: if one of them comes to mean
something else, the others can still be compared."""
LONG = ("deals_per_pot", "toll_pot", "toll_player", "chips_in")
"""Metrics whose numbered levels are a distribution of hundreds of rows."""
BLIND, BLIND_PLAYERS = "fold:0.1", 7
"""A policy that is not played here, because its values are known exactly, and at which table."""
PRIVATE = ("scenarios", "cpu")
"""What a store knows of a run and is not published: the plans say it, or it tells nothing."""
TOTALS_COLUMNS: dict[str, str] = {
    "game": "the game, with the options that differ from its page",
    "players": "players at the table",
    "policy": "how they play",
    "scenario": "hash of the rules, the table size, the policy and the version of play",
    "seed": "seed of the cards",
    "pots": "pots played",
    "sha256": "SHA-256 of the total, as spadework status has it",
    "first_cell": "the same of the first cell of pots alone; by array in first_cells.csv",
    "seconds": "seconds of play",
}
"""The columns of the totals."""


class Published(NamedTuple):
    """What the files of a folder hold."""

    scenarios: list[Scenario]
    """In the order of the plans."""
    frame: pd.DataFrame
    """As ``Study.frame`` has it."""
    totals: pd.DataFrame
    """A row a scenario; columns as ``TOTALS_COLUMNS``."""
    first_cells: pd.DataFrame
    """A row an array of each first cell; columns scenario, array, sha256 (its first 16 digits)."""
    settling: pd.DataFrame
    """As ``Study.convergence`` has it, where everybody stays."""
    folding: pd.DataFrame
    """Exact values of ``BLIND`` at ``BLIND_PLAYERS``, as ``sim.exact`` has them."""
    runs: list[dict[str, Any]]
    """When the study was played, for how many seconds and with what, the first run first."""

    @property
    def engine(self) -> int | None:
        """The engine that played it, if that was before scenarios were named by play alone."""
        return self.runs[-1].get("engine")

    @property
    def version(self) -> int:
        """The engine, or the version of play, that played it."""
        return int(self.engine or self.runs[-1]["play"])

    def name(self, scenario: Scenario) -> str:
        """Return the hash that a scenario has here."""
        return old_key(scenario, self.engine) if self.engine else scenario.key

    def changed(self, scenario: Scenario) -> frozenset[str]:
        """Return the counts of a scenario that mean something else since, or were not counted."""
        if self.engine:
            return untold(scenario, self.engine) | (scenario.shapes.keys() - set(ARRAYS))
        then = self.runs[-1]["counts"]
        return frozenset(name for name in scenario.shapes if then.get(name) != version_of(name))


def scenarios(folder: Path) -> list[Scenario]:
    """Return what the plans of a folder ask for, in their order."""
    planned = [scenario for name in PLANS for scenario in plans.load(folder / name).plan.scenarios]
    return list({scenario.key: scenario for scenario in planned}.values())


def finished(store: Store, folder: Path) -> list[Job]:
    """Return the plans' jobs; refuse a store that lacks scenarios of them, or pots."""
    jobs = []
    for name in PLANS:
        plan = folder / name
        todo = run.jobs(plans.load(plan).plan, store)
        lacking = [job for job in todo if not job.stop]
        if lacking:
            first = lacking[0]
            raise InputError(
                f"{store.path} lacks pots of {len(lacking)} of the {len(todo)} scenarios of "
                f"{plan}, the first being {first.scenario} ({first.had:,} of {first.max_pots:,}): "
                f"spadework run --plan {plan} --store {store.path} goes on with it"
            )
        jobs += todo
    return jobs


def write(store: Store, jobs: Sequence[Job], folder: Path) -> None:
    """Write what a finished store says of jobs as the files of a folder."""
    held = Study(store, [(job.scenario, job.seed) for job in jobs])
    totals = held.totals()
    frame = flat(tidy_frame(totals))
    export.write_frame(frame, folder / ESTIMATES, "parquet")
    _rounded(short(frame), folder / TABLE)
    digests = [checksum(total) for _, total in totals]
    firsts = [next(store.cells(job.scenario, job.seed, [0])).tally for job in jobs]
    _totals(jobs, digests, firsts).to_csv(folder / TOTALS, index=False)
    _first_cells(jobs, firsts).to_csv(folder / CELLS, index=False)
    all_call = [part for part in held.parts if part[0].stays]
    _rounded(flat(Study(store, all_call).convergence()), folder / SETTLED)
    write_folding([job.scenario for job in jobs], folder)
    runs = json.dumps(_runs(store, {job.scenario.key for job in jobs}), indent=1)
    (folder / RUNS).write_text(f"{runs}\n", encoding="utf-8")


def read(folder: Path, plans_in: Path) -> Published:
    """Read what ``write`` has written into a folder, of the plans of another or the same."""
    for name in (ESTIMATES, TOTALS, CELLS, SETTLED, FOLDING, RUNS):
        if not (folder / name).exists():
            raise InputError(
                f"{folder / name} is not there: name the store that the study was played into"
            )
    return Published(
        scenarios(plans_in),
        pd.read_parquet(folder / ESTIMATES),
        pd.read_csv(folder / TOTALS),
        pd.read_csv(folder / CELLS),
        pd.read_csv(folder / SETTLED),
        read_folding(folder),
        json.loads((folder / RUNS).read_text(encoding="utf-8")),
    )


def short(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame without the rows of its long distributions."""
    return frame[~(frame.metric.isin(LONG) & frame.level.str.fullmatch(r"\d+"))]


def folding(scenarios: Sequence[Scenario]) -> pd.DataFrame:
    """Return exact values of ``BLIND`` in the games of some scenarios that are as on their page."""
    pages = {
        scenario.game.name: scenario.game for scenario in scenarios if not scenario.game.changed
    }
    return flat(study.exact(pages.values(), BLIND_PLAYERS, policies=BLIND))


def write_folding(scenarios: Sequence[Scenario], folder: Path) -> None:
    """Write exact values as ``folding`` has them, which need no store."""
    _rounded(folding(scenarios), folder / FOLDING)


def read_folding(folder: Path) -> pd.DataFrame:
    """Read what ``write_folding`` has written."""
    return pd.read_csv(folder / FOLDING, dtype={"level": str})


def digests_by_array(tally: Tally) -> dict[str, str]:
    """Return the beginning of the SHA-256 of each array's numbers, taken as ``checksum`` does."""
    arrays = tally.counts._asdict()
    return {
        name: hashlib.sha256(arrays[name].astype("<i8").tobytes()).hexdigest()[:16]
        for name in tally.shapes
    }


def _rounded(frame: pd.DataFrame, path: Path) -> None:
    frame.to_csv(path, index=False, float_format="%.7g")


def _totals(jobs: Sequence[Job], digests: Sequence[str], firsts: Sequence[Tally]) -> pd.DataFrame:
    scenarios = [job.scenario for job in jobs]
    games, policies = labels(scenarios), policy_labels(scenarios)
    rows = []
    for job, digest, first in zip(jobs, digests, firsts, strict=True):
        scenario = job.scenario
        key = scenario.key
        cell = (games[key], scenario.players, policies[key], key, job.seed, job.had)
        rows.append((*cell, digest, checksum(first), round(job.seconds, 1)))
    return pd.DataFrame(rows, columns=list(TOTALS_COLUMNS))


def _first_cells(jobs: Sequence[Job], firsts: Sequence[Tally]) -> pd.DataFrame:
    rows = [
        (job.scenario.key, name, digest)
        for job, first in zip(jobs, firsts, strict=True)
        for name, digest in digests_by_array(first).items()
    ]
    return pd.DataFrame(rows, columns=["scenario", "array", "sha256"])


def _runs(store: Store, keys: Collection[str]) -> list[dict[str, Any]]:
    """Return when a store's runs of some scenarios began, how long they took and what played."""
    return [
        {"started": run["started"], "seconds": run["seconds"]}
        | {name: value for name, value in run["provenance"].items() if name not in PRIVATE}
        for run in store.runs()
        if any(scenario["key"] in keys for scenario in run["provenance"]["scenarios"])
    ]
