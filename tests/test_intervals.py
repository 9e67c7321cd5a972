"""Estimates: known formulas, honest errors, and simulation against exact values."""

import re

import numpy as np
import pytest
from scipy import stats

from sim import game, study
from sim.policy import Policy
from sim.scenario import Scenario
from sim.stats import intervals
from sim.stats.frame import COLUMNS
from sim.stats.intervals import (
    confidence_sequence,
    of_mean,
    of_quantile,
    of_quotient,
    of_rate,
    of_ratio,
    of_share,
    of_spread,
)
from sim.stats.metrics import METRICS, USUAL

GENERATOR = np.random.default_rng(20260101)


AMOUNTS = {"mean", "sd", "p50", "p95", "p99", "max"}
"""Levels that are no shares, and metrics that are none at any level."""
NO_SHARES = {
    "net_by_seat", "net_by_policy", "net_by_tolls", "net_of_opener", "toll_by_policy",
    "winner_tolls", "bets",
}  # fmt: skip


def simulated(name, players, pots, *options, seed=7, policies="stay"):
    played = study.simulate(name, players, pots, seed=seed, options=options, policies=policies)
    return played.frame()


def sums(hits, things):
    """Return the RATIO rows of pots with so many hits of so many things."""
    hits, things = np.array(hits), np.array(things)
    return np.array([row.sum() for row in (hits, hits**2, hits * things, things, things**2)])


def ratio(rows, pots):
    return of_ratio(rows[:3], rows[3:], pots)


def rate(rows, pots):
    return of_rate(rows[:3], rows[3:], pots)


def quotient(rows, pots):
    return of_quotient(rows[:3], rows[3:], pots)


def test_a_share_has_the_wilson_interval():
    known = stats.binomtest(7, 50).proportion_ci(method="wilson")
    found = of_share(7, 50)
    assert found.low == pytest.approx(known.low)
    assert found.high == pytest.approx(known.high)


def test_a_share_never_seen_still_has_an_interval():
    none = of_share(0, 1000)
    assert none.low == 0
    assert 0.003 < none.high < 0.005


def test_a_share_of_few_hits_has_the_borders_of_poisson():
    """One hit is likely enough (5 %) where 0.0513 are to be expected, as Wilson's 0.18 are not."""
    one, most = of_share(1, 10_000), of_share(9_999, 10_000)
    assert stats.poisson.sf(0, one.low * 10_000) == pytest.approx(0.05)
    assert most.high == pytest.approx(1 - one.low)
    four = stats.binomtest(4, 10_000).proportion_ci(method="wilson")
    assert of_share(4, 10_000).low == pytest.approx(four.low)


def test_a_mean_has_the_standard_error_of_its_sample():
    sample = GENERATOR.integers(0, 50, 400)
    found = of_mean([sample.sum(), (sample**2).sum()], 400)
    assert found.estimate == pytest.approx(sample.mean())
    assert found.se == pytest.approx(sample.std(ddof=1) / 20)


def test_a_mean_of_few_pots_has_the_interval_of_student():
    sample = np.array([3, 8, 4, 4])
    found = of_mean([sample.sum(), (sample**2).sum()], 4)
    known = stats.ttest_1samp(sample, 0).confidence_interval()
    assert (found.low, found.high) == pytest.approx((known.low, known.high))


def test_a_ratio_has_the_error_of_the_delta_method():
    things = GENERATOR.integers(1, 9, 500)
    hits = GENERATOR.binomial(things, 0.3)
    found = ratio(sums(hits, things), 500)
    known = hits.sum() / things.sum()
    expected = (hits - known * things).std(ddof=1) / np.sqrt(500) / things.mean()
    assert found.estimate == pytest.approx(known)
    assert found.se == pytest.approx(expected, rel=1e-6)


def test_a_ratio_of_few_pots_has_wilsons_interval_with_students_score():
    """Among a million pots twelve have four deals each; the borders are where the score is."""
    rows = sums([1, 3, 2, 2, 4, 1, 2, 3, 0, 2, 3, 2], [4] * 12)
    found = ratio(rows, 1_000_000)
    trials = found.estimate * (1 - found.estimate) / found.se**2
    for border in (found.low, found.high):
        error = (border * (1 - border) / trials) ** 0.5
        assert abs(found.estimate - border) == pytest.approx(stats.t.ppf(0.975, 11) * error)


def test_a_rate_has_the_borders_at_which_its_score_is_students():
    rows = sums([0, 1, 0, 0, 2, 0, 1, 0, 0, 0], [4] * 10)
    found = rate(rows, 10)
    for border in (found.low, found.high):
        error = found.se * (border / found.estimate) ** 0.5
        assert abs(found.estimate - border) == pytest.approx(stats.t.ppf(0.975, 9) * error)
    assert 0 < found.low < found.estimate < found.high


@pytest.mark.parametrize("things", [29, 30])
def test_a_ratio_of_fewer_than_thirty_things_has_no_interval(things):
    rows = sums([1] * 10 + [0] * (things - 10), [1] * things)
    for found in (ratio(rows, 100), rate(rows, 100)):
        assert found.estimate == pytest.approx(10 / things)
        for shown in (found, confidence_sequence(found)):
            assert np.isnan([shown.se, shown.low, shown.high]).all() == (things < 30)


def test_a_ratio_that_is_always_nought_or_one_has_an_interval_too():
    things = np.array([1000, 1000])
    assert of_ratio(np.array([0, 0, 0]), things, 1000).high > 0
    assert of_ratio(np.array([1000, 1000, 1000]), things, 1000).low < 1


def test_a_quantile_is_the_smallest_amount_that_reaches_it():
    counts = np.array([10, 0, 80, 10, 0, 0])
    assert of_quantile(counts, 5, 0.05).estimate == 0
    assert of_quantile(counts, 5, 0.5).estimate == 10
    assert of_quantile(counts, 5, 0.95).estimate == 15


def test_a_quantile_beyond_the_last_bin_is_not_invented():
    assert np.isnan(of_quantile(np.array([1, 0, 99]), 1, 0.5).estimate)


def test_a_quantile_has_order_statistics_for_its_interval():
    """Of 100 pots, 90 to 99 lie below a p95 in 95 % of cases: the 90th and the 100th hold it."""
    counts = np.array([*[1] * 100, 0, 0])
    found = of_quantile(counts, 1, 0.95)
    assert (found.low, found.high) == (89, 99)
    reached = stats.binom.cdf(99, 100, 0.95) - stats.binom.cdf(89, 100, 0.95)
    assert reached > 0.95


def test_few_pots_do_not_bound_a_high_quantile():
    """In 37 % of cases no pot of 100 reaches the p99: the largest seen is no upper border."""
    found = of_quantile(np.array([*[1] * 100, 0, 0]), 1, 0.99)
    assert found.low == 96
    assert np.isnan(found.high)
    assert np.isnan(of_quantile(np.zeros(5, int), 1, 0.5).estimate)


def test_a_confidence_sequence_is_tightest_after_a_cell_and_never_as_narrow_as_an_interval():
    """Three standard errors there, and hardly more after a million pots."""
    pots = [2**power for power in range(4, 34)]
    wide = []
    for some in pots:
        mean = of_mean([some, 3 * some], some)
        sequence = confidence_sequence(mean)
        wide.append((sequence.high - sequence.low) / 2 / mean.se)
        assert sequence[:2] == mean[:2]
        assert sequence.low < mean.low
        assert mean.high < sequence.high
    assert pots[int(np.argmin(wide))] == intervals.TIGHTEST
    assert 3.0 < min(wide) < 3.1
    assert wide[pots.index(2**20)] < 3.35


def test_shares_are_watched_as_means_are_where_hits_are_many():
    for trials in (20_000, 1_000_000):
        share = confidence_sequence(of_share(0.3 * trials, trials))
        sums = [0.3 * trials, 0.3 * trials]
        mean = confidence_sequence(of_mean(sums, trials))
        assert share.high - share.low == pytest.approx(mean.high - mean.low, rel=0.01)


@pytest.mark.parametrize("hits", [0, 1, 2, 5_000, 9_999, 10_000])
def test_a_watched_share_stays_within_nought_and_one_and_mirrors(hits):
    some, rest = (
        confidence_sequence(of_share(hits, 10_000)),
        confidence_sequence(of_share(10_000 - hits, 10_000)),
    )
    assert 0 <= some.low <= some.estimate <= some.high <= 1
    assert (some.low, some.high) == pytest.approx((1 - rest.high, 1 - rest.low))


def test_a_watched_share_is_missed_at_most_one_time_in_twenty():
    """Independent trials from one to ten millions, at two hundred looks."""
    looks = np.unique(np.geomspace(1, 10_000_000, 200).round().astype(int))
    for truth in (0.5, 0.001):
        added = GENERATOR.binomial(np.diff(looks, prepend=0), truth, (2000, len(looks)))
        missed = ordinary = 0
        for hits in added.cumsum(axis=1):
            far = abs(hits / looks - truth) / np.sqrt(truth * (1 - truth) / looks)
            ordinary += bool((far > intervals.SCORE).any())
            evidence = [
                intervals._evidence(truth, *seen)
                for seen in zip(hits[far > 2.5], looks[far > 2.5], strict=True)
            ]
            missed += bool(evidence) and max(evidence) > -np.log(intervals.MISSES)
        assert missed / 2000 < 0.05
        assert ordinary / 2000 > 0.4


def test_a_spread_is_that_of_the_sample_and_its_error_that_of_a_normal_one():
    sample = np.clip(GENERATOR.normal(200, 20, 20_000).round().astype(int), 0, 400)
    counts = np.bincount(sample, minlength=402)
    found = of_spread(counts, 1, float(sample.sum()), float((sample**2).sum()))
    assert found.estimate == pytest.approx(sample.std(ddof=1))
    assert found.se == pytest.approx(20 / np.sqrt(2 * 20_000), rel=0.1)


def test_every_metric_is_defined_and_every_definition_used():
    frames = [
        simulated("faces-of-death", [8], 500),
        simulated("faces-of-death", [8], 500, "kill.treatment=player-out"),
        simulated("spades", [3], 500, policies="tight,loose,fold:0.1"),
    ]
    assert {metric for frame in frames for metric in frame.metric} == set(METRICS)


def test_frames_are_tidy():
    tables = ["stay", "typical"]
    frame = simulated(["faces-of-death", "spades"], [2, 8], 2000, policies=tables)
    assert tuple(frame.columns) == COLUMNS
    assert not frame.duplicated(["game", "players", "policy", "metric", "level"]).any()
    assert list(frame.policy.unique()) == tables
    shares = frame[~frame.level.isin(AMOUNTS) & ~frame.metric.isin(NO_SHARES)]
    assert shares.estimate.between(0, 1).all()
    known = frame.dropna(subset=["low", "high"])
    assert (known.low <= known.estimate + 1e-12).all()
    assert (known.estimate <= known.high + 1e-12).all()


def test_levels_of_a_distribution_sum_to_one():
    frame = simulated(["faces-of-death", "spades"], [2, 8], 2000)
    for (_, _, metric), part in frame.groupby(["game", "players", "metric"]):
        if metric in ("hand", "tolls_paid", "winning_hand"):
            part = part[part.level != USUAL]
            assert part.estimate.sum() == pytest.approx(1)
        if metric in ("toll_pot", "toll_player", "deals_per_pot", "chips_in", "survivors"):
            assert part[part.level.str.isdigit()].estimate.sum() == pytest.approx(1)
        if metric == "kill_rate":
            levels = part.set_index("level").estimate
            assert levels.drop("all").sum() == pytest.approx(levels["all"])
            assert part.set_index("level").exact.drop("all").sum() == pytest.approx(
                part.set_index("level").exact["all"]
            )


def test_tolls_per_player_are_tolls_per_pot_shared():
    frame = simulated("spades", [5], 5000).set_index(["metric", "level"]).estimate
    assert frame["toll_player", "mean"] * 5 == pytest.approx(frame["toll_pot", "mean"])
    amounts = frame["toll_player"].drop("mean")
    assert sum(int(level) * share for level, share in amounts.items()) == pytest.approx(
        frame["toll_player", "mean"]
    )


def test_what_all_win_is_nought_together():
    frame = simulated(
        ["faces-of-death", "spades"], [6], 3000, policies="tight,loose,stay,stay,loose,tight"
    )
    for _, part in frame.groupby("game"):
        net = part[part.metric == "net_by_seat"].estimate
        assert len(net) == 6
        assert net.sum() == pytest.approx(0, abs=1e-9)
        assert part[part.metric == "net_by_policy"].estimate.sum() == pytest.approx(0, abs=1e-9)


def test_policies_that_share_a_name_are_told_apart(tmp_path):
    """As when somebody edits his page, keeps its name, and plays on into the same store."""
    for aggression in (1.5, 2.5):
        nit = Policy.family("nit", 2.0, aggression)
        path = tmp_path / "study.db"
        study.simulate("spades", 3, 500, seed=1, policies=nit, store=path).store.close()
    with study.open_study(path) as opened:
        frame, status = opened.frame(), opened.status()
    assert not frame.duplicated(["game", "players", "policy", "metric", "level"]).any()
    names = set(frame.policy)
    assert len(names) == 2
    assert all(re.fullmatch("nit #[0-9a-f]{6}", name) for name in names)
    assert set(status.policy) == names


def test_chips_put_in_make_the_pot():
    frame = simulated("faces-of-death", [4], 3000, policies="typical")
    value = frame.set_index(["metric", "level"]).estimate
    assert value["chips_in", "mean"] * 4 == pytest.approx(value["pot_size", "mean"])
    chips = value["chips_in"].drop(["mean", "p50", "p95", "p99"])
    assert sum(int(level) * share for level, share in chips.items()) == pytest.approx(
        value["chips_in", "mean"]
    )


def test_folds_by_street_sum_to_all_and_leave_the_survivors():
    frame = simulated("spades", [5], 3000, policies="typical")
    value = frame.set_index(["metric", "level"]).estimate
    folds = value["folds"]
    assert folds.drop("all").sum() == pytest.approx(folds["all"])
    assert value["survivors", "mean"] == pytest.approx(5 * (1 - folds["all"]))
    assert value["showdowns", "all"] == pytest.approx(1 - value["survivors"].get("1", 0))


def test_policies_share_what_all_pay_in_tolls():
    frame = simulated("spades", [4], 3000, policies="tight,loose,loose,tight")
    value = frame.set_index(["metric", "level"]).estimate
    both = 2 * (value["toll_by_policy", "tight"] + value["toll_by_policy", "loose"])
    assert both == pytest.approx(value["toll_pot", "mean"])


def test_a_quotient_has_the_error_of_the_delta_method_and_a_symmetrical_interval():
    things = GENERATOR.integers(0, 4, 800)
    chips = GENERATOR.normal(-3, 20, 800).round().astype(int) * things
    found = quotient(sums(chips, things), 800)
    known = chips.sum() / things.sum()
    expected = (chips - known * things).std(ddof=1) / np.sqrt(800) / things.mean()
    assert found.estimate == pytest.approx(known)
    assert found.se == pytest.approx(expected, rel=1e-6)
    assert found.high - found.estimate == pytest.approx(found.estimate - found.low)


def test_what_few_pots_have_is_known_as_if_those_were_all():
    """A million pots, of which three have thirty such things: Student's t of three."""
    found = quotient(sums([5, -20, 8], [10, 10, 10]), 1_000_000)
    assert found.high - found.estimate == pytest.approx(stats.t.ppf(0.975, 2) * found.se)
    one = quotient(sums([5], [1]), 1_000_000)
    assert one.estimate == 5
    assert np.isnan(one.low)
    assert np.isnan(confidence_sequence(one).low)


def test_a_quantile_of_players_has_the_error_of_as_many_pots():
    counts = GENERATOR.binomial(40, 0.5, 9000)
    bins = np.bincount(counts, minlength=42)
    alone, together = of_quantile(bins, 1, 0.95), of_quantile(bins, 1, 0.95, pots=90)
    assert together.estimate == alone.estimate
    assert together.high - together.low > alone.high - alone.low


CHECKED = [
    ("faces-of-death", ()),
    ("faces-of-death", ("kill.treatment=player-out",)),
    ("faces-of-death", ("kill.ante_again=true", "kill.max_deals=5")),
    ("black-mariah", ()),
    ("spades", ()),
    ("seven-card-stud", ()),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options"), CHECKED)
def test_simulation_agrees_with_exact_values(name, options):
    frame = simulated(name, range(2, 9), 300_000, *options)
    z = frame.z.dropna()
    assert len(z) > 50
    assert z.abs().max() < 4.5  # some hundred scores at once; one alone is held to 4 below
    headline = frame[frame.metric.isin(["kill_rate", "deals_per_pot", "toll_pot", "cards_per_pot"])]
    assert (headline[headline.level.isin(["all", "mean"])].z.dropna().abs() < 4).all()
    assert 0.8 < z.std() < 1.25


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "right", "wrong", "metric", "level"),
    [
        ("faces-of-death", (), ("kill.cards=Js Qs Ks As",), "kill_rate", "all"),
        ("faces-of-death", (), ("kill.cards=Js Qs",), "deals_per_pot", "mean"),
        ("spades", (), ("toll.prices=[2,5,11,20]",), "toll_pot", "mean"),
        ("spades", (), ("wild=none",), "hand", "five of a kind"),
    ],
)
def test_a_wrong_rule_fails_the_same_check(name, right, wrong, metric, level):
    """Play by one page and compare with the exact values of another."""
    truth = study.exact(name, 4, options=right).set_index(["metric", "level"]).exact
    frame = simulated(name, 4, 400_000, *wrong).set_index(["metric", "level"])
    row = frame.loc[(metric, level)]
    spread = max(row.se, 1e-4)
    assert abs(row.estimate - truth[metric, level]) / spread > 4


def test_no_exact_value_is_invented():
    frame = simulated("spades", [3], 500)
    assert frame[frame.metric.isin(["winning_hand", "split_pots"])].exact.isna().all()


def test_no_z_where_it_would_mislead():
    frame = simulated("spades", [2], 300)
    assert frame[frame.level.isin(["max", "p50", "p95"])].z.isna().all()
    few = frame[(frame.metric == "hand") & (frame.exact * 600 < 25)]
    assert len(few)
    assert few.z.isna().all()


def test_a_frame_can_hold_at_every_moment():
    played = study.simulate(["faces-of-death", "spades"], [2, 3], 2000, seed=7)
    once, always = played.frame(), played.frame(anytime=True)
    same = [name for name in COLUMNS if name not in ("low", "high")]
    assert once[same].equals(always[same])
    moved = once.low < once.high
    assert (always.low[moved].fillna(-np.inf) <= once.low[moved]).all()
    assert (always.high[moved].fillna(np.inf) >= once.high[moved]).all()
    rows = always.query("metric == 'kill_rate' and level == 'all'")
    assert ((rows.low < rows.exact) & (rows.exact < rows.high)).all()


def test_a_mean_that_never_moved_has_no_interval_unless_the_rules_fix_it():
    few = simulated("spades", [4], 1, policies="typical").set_index(["metric", "level"])
    assert np.isnan(few.low["toll_pot", "mean"])
    fixed = simulated("spades", [4], 50).set_index(["metric", "level"])
    assert fixed.low["deals_per_pot", "mean"] == fixed.high["deals_per_pot", "mean"] == 1
    stuck = simulated("faces-of-death", [2], 8, "kill.cards=Js", seed=4)
    stuck = stuck.set_index(["metric", "level"])
    assert stuck.estimate["deals_per_pot", "mean"] == 1
    assert np.isnan(stuck.low["deals_per_pot", "mean"])


def test_exact_frames_have_the_same_columns():
    frame = study.exact("spades", players=4)
    assert tuple(frame.columns) == COLUMNS
    assert frame.estimate.isna().all()
    assert frame.exact.notna().all()


def test_an_unseen_level_with_a_known_share_is_listed():
    frame = simulated("faces-of-death", [8], 10)
    part = frame[(frame.metric == "deals_per_pot") & (frame.level == "1")]
    assert len(part) == 1


def test_scenarios_of_a_page_with_killers_and_tolls_have_both():
    page = game.parse_page(
        'name="both"\ntitle="Both"\nwild="deuces"\n[kill]\ncards="Qs Qh"\n'
        '[toll]\ncards="hearts"\nprices=[3,9]\n'
    )
    frame = study.simulate(page, 5, 2000, seed=1).frame()
    assert {"kill_rate", "toll_pot"} <= set(frame.metric)
    assert Scenario(page, 5).players == 5
