"""Coverage: 95 % intervals hold the exact value 95 % of the time, and wrong ones do not.

Small studies are consecutive runs of pots of one seed, played by the kernel. They are cut into
cells far smaller than a store's, so that what looks or few pots could spoil is spoilt here.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
import pytest
from test_intervals import quotient, rate, ratio

from sim import game
from sim.kernels.ranks import CATEGORIES
from sim.odds import exact_values
from sim.policy import load_seats
from sim.runs.threads import Block, new_log, play_block, play_into
from sim.scenario import Precision, Scenario
from sim.stats import control_variates, intervals, stopping
from sim.stats.control_variates import Ratio, control_variate_estimate, controlled_estimates
from sim.stats.differences import jackknife
from sim.stats.intervals import (
    FEWEST_THINGS,
    Estimate,
    Ranks,
    confidence_sequence,
    expected_ranks,
    of_mean,
    of_quantile,
    of_share,
)
from sim.stats.metrics import USUAL, estimates
from sim.tally import Counts, Tally

pytestmark = pytest.mark.slow

SEED = 20_260_101
STUDIES, CELLS, POTS = 10_000, 6, 200
"""Studies of so many cells of so many pots."""
WATCHED, LONG = 1_000, 60
"""The same cells, as fewer and longer studies."""
PAIRED, GROUPS = 5_000, 8
"""Studies of pairs; fewer groups are not compared."""

FOLD = load_seats("fold:0.2")
"""Who folds is gone for the rest of a pot, so that its deals are not independent."""
FACES = game.load("faces-of-death").with_options(["kill.max_deals=40"])
FOLDING = Scenario(FACES, 4, FOLD)
FEWER = Scenario(FACES.with_options(["kill.cards=Js Qs"]), 4, FOLD)
SPADES = Scenario(game.load("spades").with_options(["ante.amount=10"]), 3)

CONTROLLED, FEW = 2_500, 10
"""Controlled studies, of so many cells or groups of cells; from fewer than nine none is."""
STAYING = Scenario(FACES, 4)
SELDOM = Scenario(FACES, 4, load_seats("fold:0.02"))
"""Cards tell nearly all of what becomes of these pots."""
SHOWN = Scenario(game.load("spades"), 4)
HANDS, MORE = 2_000, 1_000
"""Studies of shown hands, and the pots of their cells: fewer would show too few to control."""

TYPICAL = Scenario(game.load("faces-of-death"), 4, load_seats("typical"))
SINGLE, DRAWN = 50_000, 6_000
"""Pots played one by one, and studies of pots drawn from them."""


class Quantity(NamedTuple):
    """A row of the frame: what it takes from a tally, and its estimate from that and the pots."""

    metric: str
    level: str
    take: Callable[[Counts], Any]
    estimate: Callable[[Any, int], Estimate]


def deals(counts: Counts) -> Any:
    number = np.arange(len(counts.deals))
    return counts.deals @ number, counts.deals @ number**2


def share(rows: Any, pots: int) -> Estimate:
    return of_share(rows[0], pots)


def p95(rows: Any, pots: int) -> Estimate:
    """Of what is counted once or more often in a pot."""
    return of_quantile(rows, 1, 0.95, pots)


def take_ratio(counts: Counts) -> Any:
    return *counts.kills_by_street[:, -1], *deals(counts)


def take_tolls(counts: Counts) -> Any:
    return *counts.toll_pot_sums, *counts.pot_size_sums


SHARE = Quantity("killed_pots", "all", lambda counts: counts.killed_pots, share)
MEAN = Quantity("deals_per_pot", "mean", deals, of_mean)
RATIO = Quantity("kill_rate", "all", take_ratio, ratio)
RARE = [
    Quantity("deals_per_pot", str(number), lambda counts, at=number: counts.deals[[at]], share)
    for number in range(6, 14)
]
TOLLS = Quantity("toll_pot", "mean", lambda counts: counts.toll_pot_sums[:2], of_mean)
TOLL_SHARE = Quantity("toll_share", "all", take_tolls, ratio)
TOLL_P95 = Quantity("toll_pot", "p95", lambda counts: counts.toll_pot, p95)
CHIPS_P95 = Quantity("chips_in", "p95", lambda counts: counts.chips_in[0], p95)
QUANTITIES = {
    FOLDING.key: [SHARE, MEAN, RATIO, *RARE],
    FEWER.key: [MEAN, RATIO],
    STAYING.key: [SHARE, MEAN, RATIO],
    SELDOM.key: [SHARE, MEAN, RATIO],
    SPADES.key: [TOLLS, TOLL_SHARE, TOLL_P95, CHIPS_P95],
}


@cache
def played(scenario: Scenario, cells: int = STUDIES * CELLS) -> dict[Quantity, Any]:
    """Return what each quantity takes from each cell: (cells, numbers)."""
    wanted = QUANTITIES[scenario.key]

    def cell(number: int) -> list[Any]:
        counts = play_block(Block(scenario, SEED, number * POTS, POTS)).counts
        return [np.array(quantity.take(counts)) for quantity in wanted]

    taken = zip(*map(cell, range(cells)), strict=True)
    return {quantity: np.array(rows) for quantity, rows in zip(wanted, taken, strict=True)}


@cache
def truth(scenario: Scenario, quantity: Quantity) -> float:
    if quantity is CHIPS_P95:
        return float(quantile(chips_in(), 0.95))
    exact = exact_values(scenario.game, scenario.players, scenario.seats)
    return float(exact[quantity.metric, quantity.level])


@cache
def amounts(metric: str) -> dict[int, float]:
    exact = exact_values(SPADES.game, SPADES.players)
    return {
        int(level): float(value)
        for (name, level), value in exact.items()
        if name == metric and level.isdigit()
    }


def chips_in() -> dict[int, float]:
    """Return what a player puts in: tolls, and one of three the ante as well."""
    chips: dict[int, float] = {}
    for toll, chance in amounts("toll_player").items():
        for ante, part in ((0, 2 / 3), (10, 1 / 3)):
            chips[toll + ante] = chips.get(toll + ante, 0) + part * chance
    return chips


def below(chips: dict[int, float], most: int) -> float:
    return sum(chance for amount, chance in chips.items() if amount <= most)


def quantile(chips: dict[int, float], chance: float) -> int:
    return next(amount for amount in sorted(chips) if below(chips, amount) >= chance)


def covered(
    totals: Any, pots: Any, estimate: Callable[[Any, int], Estimate], exact: float
) -> float:
    """Return how many intervals hold a value, each from what was taken of so many pots."""
    several = zip(totals, np.broadcast_to(pots, len(totals)), strict=True)
    return float(np.mean([holds(estimate(rows, int(some)), exact) for rows, some in several]))


def holds(found: Estimate, exact: float) -> bool:
    """Whether an interval holds a value; what has no upper border may be any larger one."""
    return bool(found.low <= exact and not exact > found.high)


def grown(scenario: Scenario, quantity: Quantity) -> Any:
    """Return what is taken of each study after each of its cells: (studies, cells, numbers)."""
    return played(scenario)[quantity].reshape(STUDIES, CELLS, -1).cumsum(axis=1)


def coverage(scenario: Scenario, quantity: Quantity, cells: Any = CELLS) -> float:
    """Return how many studies' intervals hold the exact value, after so many cells of each."""
    sizes = np.broadcast_to(cells, STUDIES)
    totals = grown(scenario, quantity)[np.arange(STUDIES), sizes - 1]
    return covered(totals, sizes * POTS, quantity.estimate, truth(scenario, quantity))


def test_quantities_are_those_of_the_frame():
    for scenario in (FOLDING, SPADES):
        tally = play_block(Block(scenario, SEED, 0, CELLS * POTS))
        found = {(metric, level): value for metric, level, value in estimates(scenario, tally)}
        for quantity in QUANTITIES[scenario.key]:
            rows = played(scenario)[quantity][:CELLS].sum(axis=0)
            if rows.any():
                key = quantity.metric, quantity.level
                assert quantity.estimate(rows, tally.pots) == pytest.approx(found[key], nan_ok=True)


@pytest.mark.parametrize(
    ("scenario", "quantity"),
    [(FOLDING, SHARE), (FOLDING, MEAN), (FOLDING, RATIO), (SPADES, TOLLS), (SPADES, TOLL_SHARE)],
)
def test_intervals_hold_the_exact_value_95_times_in_a_hundred(scenario, quantity):
    assert abs(coverage(scenario, quantity) - 0.95) < 3 * (0.95 * 0.05 / STUDIES) ** 0.5


def test_rare_shares_are_held_as_often():
    """Counts of few hits are a coarse lattice: each share has its own coverage, all have 95 %."""
    found = [coverage(FOLDING, quantity) for quantity in RARE]
    assert np.mean(found) > 0.95
    assert min(found) > 0.94


@pytest.mark.parametrize("quantity", [TOLL_P95, CHIPS_P95])
def test_quantiles_are_held_at_least_as_often(quantity):
    assert coverage(SPADES, quantity) > 0.945


REACHED = 21
"""An amount of tolls in a pot."""


def just_reached(rows: Any, pots: int, ranks: Ranks = expected_ranks) -> Estimate:
    """Estimate the quantile that this amount just reaches."""
    return of_quantile(rows, 1, below(amounts("toll_pot"), REACHED), ranks=ranks)


def test_a_quantile_that_an_amount_just_reaches_is_held_all_but_one_time_in_forty():
    """Amounts are a lattice, so that an interval can miss the amount to one side alone."""
    totals = grown(SPADES, TOLL_P95)[:, -1]
    assert 0.97 < covered(totals, CELLS * POTS, just_reached, REACHED) < 0.98


def stop(scenario: Scenario, quantity: Quantity, precision: Precision) -> Any:
    """Return after how many cells each study stops: by its precision, or at its last cell."""
    stops = np.full(STUDIES, CELLS)
    for study, totals in enumerate(grown(scenario, quantity)):
        look = stopping.next_look(0)
        while look < CELLS:
            found = quantity.estimate(totals[look - 1], look * POTS)
            if stopping.judged(precision, scenario, found, look * POTS).reached:
                stops[study] = look
                break
            look = stopping.next_look(look)
    return stops


@pytest.mark.parametrize(
    ("scenario", "quantity", "width", "others"),
    [
        (FOLDING, SHARE, {"half_width": 0.0345}, [SHARE]),
        (FOLDING, MEAN, {"half_width": 0.0824}, [MEAN]),
        (FOLDING, MEAN, {"relative": 0.0427}, [MEAN]),
        (FOLDING, RATIO, {"relative": 0.0456}, [RATIO]),
        (SPADES, TOLLS, {"half_width": 0.47}, [TOLLS, TOLL_SHARE]),
    ],
)
def test_stopping_by_a_precision_spoils_no_interval(scenario, quantity, width, others):
    stops = stop(scenario, quantity, Precision(quantity.metric, quantity.level, **width))
    assert len(np.unique(stops)) > 1
    for other in others:
        assert 0.94 < coverage(scenario, other, stops) < 0.96
    if scenario is SPADES:
        assert coverage(scenario, TOLL_P95, stops) > 0.945
        assert coverage(scenario, CHIPS_P95, stops) > 0.945


@pytest.mark.parametrize("quantity", [MEAN, RATIO])
def test_differences_on_the_same_cards_are_held_as_often(quantity):
    exact = truth(FOLDING, quantity) - truth(FEWER, quantity)
    shape = PAIRED, GROUPS, -1
    cells = [
        played(*which)[quantity][: PAIRED * GROUPS].reshape(shape)
        for which in ((FOLDING,), (FEWER, PAIRED * GROUPS))
    ]
    held = 0
    for rows in zip(*cells, strict=True):
        totals = [parts.sum(axis=0) for parts in rows]
        whole = [quantity.estimate(total, GROUPS * POTS).estimate for total in totals]
        less = [
            [quantity.estimate(total - part, (GROUPS - 1) * POTS).estimate for part in parts]
            for total, parts in zip(totals, rows, strict=True)
        ]
        se, score = jackknife(np.subtract(*less))
        held += abs(whole[0] - whole[1] - exact) <= score * se
    assert 0.94 < held / PAIRED < 0.96


def test_a_narrower_score_is_found_out(monkeypatch):
    monkeypatch.setattr(intervals, "SCORE", 1.8)
    assert coverage(FOLDING, SHARE) < 0.94


def independent(rows: Any, pots: int) -> Estimate:
    """Estimate a ratio as if the things of a pot had nothing to do with each other."""
    return of_share(rows[0], rows[3])


def test_chips_of_one_pot_taken_as_independent_are_found_out():
    totals = grown(SPADES, TOLL_SHARE)[:, -1]
    assert covered(totals, CELLS * POTS, independent, truth(SPADES, TOLL_SHARE)) < 0.9


def test_deals_of_one_pot_taken_as_independent_are_found_out():
    """Too wide an interval is as wrong: who folds leaves fewer up cards that could be killers."""
    totals = grown(FOLDING, RATIO)[:, -1]
    assert covered(totals, CELLS * POTS, independent, truth(FOLDING, RATIO)) > 0.96


@cache
def one_by_one() -> dict[str, Any]:
    """Return what each pot adds to ratios that few pots tell of: (pots, c and things, levels)."""
    tally, log = Tally(TYPICAL.shapes), new_log()
    taken: dict[str, list[Any]] = {"kills_by_dealt": [], "folds_by_price": [], "bets": []}
    for pot in range(SINGLE):
        tally.data[:] = 0
        play_into(tally, log, Block(TYPICAL, SEED, pot, 1))
        for name, rows in taken.items():
            rows.append(getattr(tally.counts, name)[[0, 3]])
    return {name: np.array(rows) for name, rows in taken.items()}


@cache
def drawn(name: str, level: int, things: int) -> tuple[Any, int, float]:
    """Return RATIO rows of studies of about so many things, how many pots each has, the truth."""
    kinds, number = np.unique(one_by_one()[name][:, :, level], axis=0, return_counts=True)
    hits, of = kinds.T
    pots = round(things * SINGLE / (number @ of))
    draws = np.random.default_rng(SEED).multinomial(pots, number / SINGLE, size=DRAWN)
    rows = draws @ np.stack([hits, hits**2, hits * of, of, of**2], axis=1)
    return rows, pots, (number @ hits) / (number @ of)


def coverage_of_few(
    name: str, level: int, things: int, estimate: Callable[[Any, int], Estimate] = ratio
) -> float:
    """Return how many intervals hold the truth, of those that there are."""
    rows, pots, truth = drawn(name, level, things)
    enough = rows[:, 3] >= FEWEST_THINGS
    none = [estimate(few, pots) for few in rows[~enough][:100]]
    assert all(np.isnan([one.low, one.high, one.se]).all() for one in none)
    return covered(rows[enough], pots, estimate, truth)


DEALT = [(dealt, deals) for dealt in (2, 3) for deals in (30, 100, 270, 1000, 3000)]


@pytest.mark.parametrize(("dealt", "deals"), [*DEALT, (4, 100), (4, 270), (4, 1000)])
def test_kill_rates_by_players_dealt_are_held_from_thirty_deals_on(dealt, deals):
    assert 0.935 < coverage_of_few("kills_by_dealt", dealt, deals) < 0.965


@pytest.mark.parametrize("band", range(2, 5))
@pytest.mark.parametrize("turns", [100, 270, 1000])
def test_folds_by_price_are_held_as_often(band, turns):
    """A band in which few fold has few hits, which are a lattice: held a little too often."""
    assert 0.935 < coverage_of_few("folds_by_price", band, turns) < 0.97


@pytest.mark.parametrize(
    ("street", "rounds"), [(0, 1000), *((street, 270) for street in range(1, 5))]
)
def test_rates_of_bets_are_held_though_bets_be_rare(street, rounds):
    assert 0.935 < coverage_of_few("bets", street, rounds, rate) < 0.97


def test_bets_taken_as_a_mean_are_found_out():
    """On third street one round in a hundred has a bet."""
    assert coverage_of_few("bets", 0, 270, quotient) < 0.9


def test_a_normal_score_of_few_deals_is_found_out(monkeypatch):
    monkeypatch.setattr(intervals, "_student", lambda _: intervals.SCORE)
    assert coverage_of_few("kills_by_dealt", 3, 30) < 0.935


def ever_missed(
    scenario: Scenario, quantity: Quantity, watch: Callable[[Any, int], Estimate], exact: float
) -> float:
    """Return how many long studies miss a value at any of their looks."""
    looks = np.unique(np.geomspace(1, LONG, 40).round().astype(int))
    cells = played(scenario)[quantity][: WATCHED * LONG].reshape(WATCHED, LONG, -1)
    missed = np.zeros(WATCHED, bool)
    for study, totals in enumerate(cells.cumsum(axis=1)[:, looks - 1]):
        found = (watch(rows, int(some) * POTS) for rows, some in zip(totals, looks, strict=True))
        missed[study] = any(not holds(one, exact) for one in found)
    return float(missed.mean())


@pytest.fixture
def early(monkeypatch):
    """Confidence sequences that are tightest within the studies here, where they can miss."""
    intervals.sequence_ranks.cache_clear()
    monkeypatch.setattr(intervals, "TIGHTEST", 2048)
    yield
    intervals.sequence_ranks.cache_clear()


@pytest.mark.parametrize(
    ("scenario", "quantity"),
    [(FOLDING, SHARE), (FOLDING, MEAN), (FOLDING, RATIO), (FOLDING, RARE[2]), (SPADES, TOLLS)],
)
def test_who_watches_and_stops_when_he_likes_needs_a_confidence_sequence(scenario, quantity, early):
    def watch(rows: Any, pots: int) -> Estimate:
        return confidence_sequence(quantity.estimate(rows, pots))

    exact = truth(scenario, quantity)
    assert ever_missed(scenario, quantity, watch, exact) < 0.05
    assert ever_missed(scenario, quantity, quantity.estimate, exact) > 0.15


def test_quantiles_are_watched_as_safely(early):
    """The ordinary interval can miss to one side alone, and so does half as often."""
    watch = partial(just_reached, ranks=intervals.sequence_ranks)
    assert ever_missed(SPADES, TOLL_P95, watch, REACHED) < 0.05
    assert ever_missed(SPADES, TOLL_P95, just_reached, REACHED) > 0.08


def parts(scenario: Scenario, quantity: Quantity) -> Any:
    """Return what a quantity takes from the cells of controlled studies: (studies, cells, …)."""
    rows = played(scenario, *([] if scenario is FOLDING else [CONTROLLED * FEW]))[quantity]
    return rows[: CONTROLLED * FEW].reshape(CONTROLLED, FEW, -1)


def ratios(quantity: Quantity, rows: Any) -> Ratio:
    bottom = rows[..., 3] if quantity is RATIO else np.full(rows.shape[:-1], POTS)
    return Ratio(rows[..., 0].astype(float), bottom.astype(float))


def controlled_studies(scenario: Scenario, quantity: Quantity, exact: float) -> list[Estimate]:
    """Return an estimate from each study, with this mean of what all stay for: the plain one
    where too little was seen."""
    known = ratios(quantity, parts(STAYING, quantity))
    found = []
    for rows, centred in zip(
        parts(scenario, quantity), known.top - exact * known.bottom, strict=True
    ):
        ratio = ratios(quantity, rows)
        one = control_variate_estimate(ratio, centred[:, None], amount=quantity is MEAN)
        found.append(one or quantity.estimate(rows.sum(axis=0), FEW * POTS))
    return found


def held(found: list[Estimate], exact: float) -> float:
    return float(np.mean([holds(one, exact) for one in found]))


def bias(found: list[Estimate], exact: float) -> float:
    """Return how far the mean of estimates is off, in its standard errors."""
    errors = np.array([one.estimate for one in found]) - exact
    return float(errors.mean() / errors.std() * len(errors) ** 0.5)


def spread(found: list[Estimate]) -> float:
    return float(np.std([one.estimate for one in found]))


@pytest.mark.parametrize(
    ("scenario", "quantity", "sharper"),
    [
        (FOLDING, SHARE, 1.2),
        (FOLDING, MEAN, 1.05),
        (FOLDING, RATIO, 1.05),
        (SELDOM, SHARE, 1.02),  # most studies see too little of what is left
        (SELDOM, MEAN, 1.8),
        (SELDOM, RATIO, 1.8),
    ],
)
def test_controlled_estimates_are_unbiased_sharper_and_held_as_often(scenario, quantity, sharper):
    found = controlled_studies(scenario, quantity, truth(STAYING, quantity))
    totals = parts(scenario, quantity).sum(axis=1)
    plain = [quantity.estimate(rows, FEW * POTS) for rows in totals]
    exact = truth(scenario, quantity)
    # Where hardly enough is seen, the plain estimate takes the place of what looks too sharp.
    assert 0.94 < held(found, exact) < (0.96 if scenario is FOLDING else 0.97)
    assert abs(bias(found, exact)) < 3
    assert spread(found) < spread(plain) / sharper


def test_a_wrong_mean_of_the_control_is_found_out():
    found = controlled_studies(SELDOM, RATIO, 1.01 * truth(STAYING, RATIO))
    assert abs(bias(found, truth(SELDOM, RATIO))) > 10
    assert held(found, truth(SELDOM, RATIO)) < 0.8


def test_a_control_that_costs_no_freedom_is_found_out(monkeypatch):
    monkeypatch.setattr(control_variates.special, "stdtrit", lambda *_: intervals.SCORE)
    found = controlled_studies(FOLDING, RATIO, truth(STAYING, RATIO))
    assert held(found, truth(FOLDING, RATIO)) < 0.93


def test_winning_hands_controlled_by_hands_shown_are_held_as_often():
    """Which has no exact value: the truth is the plain share of all studies together."""

    def study(number: int) -> tuple[dict[tuple[str, str], Estimate], Any]:
        cells = range(number * FEW, (number + 1) * FEW)
        tallies = [play_block(Block(SHOWN, SEED, cell * MORE, MORE)) for cell in cells]
        won = np.sum([tally.counts.winning_hands for tally in tallies], axis=0)
        return controlled_estimates(SHOWN, tallies, tallies), won

    with ThreadPoolExecutor(2) as pool:
        found, won = zip(*pool.map(study, range(HANDS)), strict=True)
    won = np.array(won)
    for level in ("five of a kind", "straight flush", USUAL):
        first = CATEGORIES.index("straight flush" if level == USUAL else level)
        last = len(CATEGORIES) if level == USUAL else first + 1
        hits = won[:, first:last].sum(axis=1)
        plain = hits / won.sum(axis=1)
        several = [
            one.get(("winning_hand", level)) or of_share(some, all_of_them)
            for one, some, all_of_them in zip(found, hits, won.sum(axis=1), strict=True)
        ]
        assert 0.94 < held(several, hits.sum() / won.sum()) < 0.96
        assert spread(several) < plain.std() / 1.2
        differences = plain - [one.estimate for one in several]
        assert abs(differences.mean()) < 3 * differences.std() / HANDS**0.5
