"""Stopping: at looks that depend on nothing but the plan, and never on luck alone."""

import numpy as np
import pytest

from sim import game, plan, study
from sim.runs import run
from sim.runs.collection import collect
from sim.runs.store import Store
from sim.scenario import Precision, Scenario
from sim.stats import stopping
from sim.tally import Tally

SHARP = {"metric": "hand", "level": "one pair", "half_width": 0.0015}


def asked(pots="2M", **target):
    return plan.make_plan("seven-card-stud", players=2, seed=7, pots=pots, **target)


def stops(store, plan):
    collect(plan, store, 2)
    (job,) = run.jobs(plan, store)
    return job.stop, store.note(job.scenario, 7).pots, store.total(job.scenario, 7).pots


def test_looks_grow_by_a_quarter():
    looks = [0]
    while looks[-1] < 40:
        looks.append(stopping.next_look(looks[-1]))
    assert looks == [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 18, 22, 27, 33, 41]


def test_a_half_width_stops_at_a_look_and_is_the_wilson_half_width():
    with Store(None) as store:
        stop, at, total = stops(store, asked(**SHARP))
        assert (stop, at) == ("precision", total)
        cells = at // run.CELL
        assert at == cells * run.CELL
        (part,) = store.parts()
        now = stopping.precision_status(Precision(**SHARP), part[0], store.total(*part))
    assert now.half_width <= 0.0015 < now.half_width * np.sqrt(cells / (cells - 1))


def test_the_stopping_point_is_the_same_for_any_threads_and_interruptions():
    class EnoughError(Exception):
        pass

    def stop_now(moment):
        if moment.played > 100_000:
            raise EnoughError

    with Store(None) as one, Store(None) as other:
        collect(asked(**SHARP), one, 1)
        for _ in range(20):
            try:
                collect(asked(**SHARP), other, 3, stop_now)
            except EnoughError:
                continue
            break
        scenario = asked().scenarios[0]
        assert one.total(scenario, 7) == other.total(scenario, 7)


def test_what_else_a_store_holds_does_not_move_the_stopping_point():
    with Store(None) as store:
        alone = stops(store, asked(**SHARP))[1]
    with Store(None) as store:
        collect(asked("1M"), store, 2)
        assert stops(store, asked(**SHARP))[:2] == ("precision", alone)


def test_a_tighter_target_goes_on_and_a_looser_one_has_nothing_to_do():
    tight = SHARP | {"half_width": 0.001}
    with Store(None) as store:
        first = stops(store, asked(**SHARP))[1]
        second = stops(store, asked(**tight))[1]
        assert second > first
        (job,) = run.jobs(asked(**SHARP), store)
        assert (job.stop, job.pots) == ("precision", 0)
        assert len(store.runs()) == 2
    with Store(None) as store:
        assert stops(store, asked(**tight))[1] == second


def test_a_precision_out_of_reach_stops_at_the_largest_number_of_pots():
    with Store(None) as store:
        assert stops(store, asked("100k", **SHARP | {"half_width": 1e-6})) == (
            "pots", 100_000, 100_000,
        )  # fmt: skip


def test_a_relative_precision_needs_a_hundred_hits():
    scenario = Scenario(game.load("seven-card-stud"), 2)
    tally = Tally(scenario.shapes)
    tally.counts.pots[0] = 10_000
    loose = Precision("split_pots", "all", relative=5.0)
    for hits, reached in ((0, False), (99, False), (100, True)):
        tally.counts.split_pots[0] = hits
        assert stopping.precision_status(loose, scenario, tally).reached is reached


def test_a_mean_that_never_moved_is_not_known_unless_the_rules_fix_it():
    spades = Scenario(game.load("spades"), 2)
    nothing = Tally(spades.shapes)
    nothing.counts.pots[0] = 1000
    nothing.counts.toll_pot[0] = 1000  # nobody has paid yet
    paid = Precision("toll_pot", "mean", half_width=0.1)
    assert not stopping.precision_status(paid, spades, nothing).reached
    nothing.counts.deals[1] = 1000
    deals = Precision("deals_per_pot", "mean", half_width=0.1)
    assert stopping.precision_status(deals, spades, nothing).reached


def test_seconds_keep_a_prefix_and_say_that_they_decided(monkeypatch):
    clock = iter(np.arange(0, 10_000, 0.1))
    monkeypatch.setattr("sim.runs.run.time.monotonic", lambda: float(next(clock)))
    limited = asked(**SHARP | {"half_width": 1e-6}, max_seconds=2.0)
    with Store(None) as store:
        stop, at, total = stops(store, limited)
        assert stop == "seconds"
        assert 0 < at == total < 2_000_000
        (job,) = run.jobs(limited, store)
        assert (job.stop, job.pots) == ("seconds", 0)
        whole = Tally(job.scenario.shapes)
        for cell in store.cells(job.scenario, 7):
            whole += cell.tally
        assert sorted(store.pots(job.scenario, 7)) == list(range(-(-at // run.CELL)))
    with Store(None) as store:
        collect(asked(at), store, 2)
        assert store.total(job.scenario, 7) == whole


@pytest.mark.slow
def test_stopping_early_hardly_spoils_the_interval():
    """Of 100 runs that stop by precision, about 95 % hold the exact value."""
    exact = float(study.exact("seven-card-stud", 2).set_index("level").exact["straight"])
    held = 0
    for seed in range(100):
        wanted = plan.make_plan(
            "seven-card-stud", players=2, seed=seed, pots="1M", metric="hand", level="straight",
            half_width=0.0008,
        )  # fmt: skip
        with study.run_plan(wanted) as done:
            row = done.frame().query("metric == 'hand' and level == 'straight'").iloc[0]
        assert row.pots < 1_000_000
        held += row.low <= exact <= row.high
    assert held >= 87  # 95 expected; four standard errors of 2.2 are less than 9


@pytest.mark.parametrize(
    ("metric", "level", "width"),
    [
        ("kill_rate_dealt", "3", {"half_width": 0.001}),
        ("deals_per_pot", "0", {"relative": 0.01}),
        ("survivors", "1", {"relative": 0.01}),
    ],
)
def test_numbers_that_cannot_come_are_no_target(metric, level, width, refused):
    words = {"players": 2, "pots": "200k", "metric": metric, "level": level} | width
    refused(lambda: plan.make_plan("faces-of-death", **words), level)


def test_what_never_came_is_not_known_sharply():
    """A rate of what never came is none: nobody folds so early."""
    asked = plan.make_plan(
        "faces-of-death", players=3, policies="loose", pots=1000, seed=1,
        metric="kill_rate_dealt", level="2", half_width=0.0001,
    )  # fmt: skip
    with Store(None) as store:
        collect(asked, store, 1)
        (job,) = run.jobs(asked, store)
    assert job.stop == "pots"
