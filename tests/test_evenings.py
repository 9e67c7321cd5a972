"""Evenings: pot by pot as a host sees them, the same on any threads, and known first passages."""

import io
import json
import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import naive
import numpy as np
import pandas as pd
import pytest
from conftest import page
from numpy.typing import NDArray
from scipy import stats

import sim
from sim import charts
from sim.charts.evening import CHARTS
from sim.evenings import METRICS, Evenings, calculated, play
from sim.evenings.calculated import Calculation, Laws, Others, courses, laws_of, seatings, threshold
from sim.evenings.play import Played, Terms, number_of, play_evenings
from sim.evenings.results import HOUR
from sim.policy import load_seats
from sim.runs import threads
from sim.scenario import Scenario
from sim.stats.frame import COLUMNS

SEED = 7
PACE = (45_000, 1_500, 6_000)
MIXED = "tight,loose,typical,loose,stay"


def terms(
    label: str = "spades", players: int = 5, policies: str = "typical", **words: Any
) -> Terms:
    seats = load_seats(policies)
    hours = words.pop("hours", 1.0)
    limit, timed = (words.pop("pots"), False) if "pots" in words else (int(hours * HOUR), True)
    known = {"pace": PACE, "buy_in": 100, "rebuy_below": 40} | words
    policies_of = seats * (players // len(seats))
    return Terms(page(label), policies_of, limit, timed, **known)


CASES = [
    terms(),
    terms("faces-of-death", 4, hours=1.5),
    terms(policies=MIXED, pots=20),
    terms(players=7, hours=2, buy_ins=1),
    terms(policies=MIXED, hours=2.5, buy_ins=1),
    terms(players=3, pots=40, buy_ins=3, rebuy_below=70),
    terms(policies="stay", players=8, pots=30, dealer=2, buy_in=50),
    terms("faces-of-death kill.treatment=player-out", 6, "tight", pots=15, buy_ins=2),
    terms(players=2, hours=3, buy_ins=1, dealer=1, rebuy_below=99),
]


def dealers_of(case: Terms, evenings: int) -> Iterator[tuple[int, int]]:
    """Yield each evening's first dealer, and how many before it had the same."""
    cards = sim.deal(2, evenings, seed=SEED).reshape(evenings, 14)
    seen: dict[int, int] = {}
    for own in cards:
        drawn = list(own[: case.players])
        dealer = drawn.index(max(drawn)) if case.dealer is None else case.dealer
        yield dealer, seen.setdefault(dealer, 0)
        seen[dealer] += 1


def row_of(case: Terms, seated: list[int], number: int) -> naive.Chips:
    policies = tuple(case.policies[player] for player in seated)
    rows = threads.rows(Scenario(case.game, len(seated), policies), SEED, number, 1)
    return {
        name: rows[name].ravel().tolist() for name in ("paid", "won", "deals", "cards", "turns")
    }


def reference(case: Terms, dealer: int, index: int) -> tuple[naive.Evening, list[Any]]:
    """Return an evening after its last pot, and (result, lowest, bought) at each of its marks."""
    told = naive.Evening(case.policies, dealer, case.buy_in, case.rebuy_below, case.buy_ins)
    marks, kept = case.marks.tolist(), []
    for pot in range(10_000):
        clock = told.time if case.timed else told.pots
        over = len(told.circle) == 1
        while len(kept) < len(marks) and (over or marks[len(kept)] <= clock):
            kept.append((told.result, list(told.lowest), list(told.bought)))
        if len(kept) == len(marks):
            return told, kept
        told.settle(row_of(case, told.seated, number_of(dealer, index, pot)), case.pace)
    raise AssertionError("an evening has no end")


@pytest.mark.parametrize("case", CASES, ids=range(len(CASES)))
def test_an_evening_is_that_of_the_rule_book(case: Terms) -> None:
    evenings = 6
    played = play_evenings(case, evenings, SEED, threads=1)
    for number, (dealer, index) in enumerate(dealers_of(case, evenings)):
        told, kept = reference(case, dealer, index)
        everybody = range(case.players)
        assert played.pots[number] == told.pots
        assert played.time[number] == told.time
        assert played.first_short[number] == told.first_short
        assert played.shortfalls[number] == told.shortfalls
        assert played.credit[number] == told.credit
        assert played.there[number].tolist() == [player in told.circle for player in everybody]
        assert played.short[number].tolist() == [player in told.short for player in everybody]
        at_marks = [getattr(played, name)[:, number] for name in ("result", "lowest", "bought")]
        for mark, expected in enumerate(kept):
            assert [column[mark].tolist() for column in at_marks] == list(expected)


def test_the_cases_have_everything_that_can_happen() -> None:
    """Nothing is compared at one value only."""
    parts = [play_evenings(case, 40, SEED, threads=1) for case in CASES]
    for name in Played._fields:
        assert any(len(np.unique(getattr(part, name))) > 1 for part in parts), name
    assert any((part.there.sum(axis=1) == 1).any() for part in parts)
    assert any((part.bought > 3).any() for part in parts)


def assert_same(one: Played, other: Played) -> None:
    for name in Played._fields:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)


@pytest.mark.parametrize("case", [CASES[0], CASES[4], CASES[6]], ids=[0, 4, 6])
def test_neither_threads_nor_grouping_change_an_evening(
    case: Terms, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = play_evenings(case, 40, SEED, threads=1)
    assert_same(play_evenings(case, 40, SEED, threads=2), whole)
    monkeypatch.setattr(play, "TOGETHER", 7)
    monkeypatch.setattr(play, "APART", 4)
    monkeypatch.setattr(threads, "GAP", 0)
    monkeypatch.setattr(threads, "ALL_CALL_GAP", 3)
    assert_same(play_evenings(case, 40, SEED, threads=2), whole)
    few = play_evenings(case, 17, SEED, threads=1)
    assert (few.result[-1] == whole.result[-1, :17]).all()
    assert not np.array_equal(play_evenings(case, 40, SEED + 1, threads=1).result, whole.result)


@pytest.mark.parametrize("case", CASES, ids=range(len(CASES)))
def test_results_sum_to_nought_in_every_evening(case: Terms) -> None:
    played = play_evenings(case, 300, SEED, threads=2)
    assert (played.result.sum(axis=2) == 0).all()
    assert (played.result[-1] != 0).any(axis=1).mean() > 0.99


def test_lowest_points_serve_every_buy_in_and_every_hour() -> None:
    long = Evenings(case := terms(hours=2.0, players=6), play_evenings(case, 200, SEED, threads=2))
    for mark, buy_in in ((5, 100), (11, 60), (8, 250)):
        other = replace(case, limit=int(case.marks[mark]), buy_in=buy_in)
        played = play_evenings(other, 200, SEED, threads=2)
        assert (long.bought(buy_in, mark) == played.bought[-1]).all()
        assert (long.played.result[mark] == played.result[-1]).all()
        assert ((long.bought(buy_in, mark) == 1) == ~played.short).all()
    chips = int(long.lasting(0.9).estimate)
    assert (long.bought(chips) == 1).mean() >= 0.9 > (long.bought(chips - 1) == 1).mean()
    assert (long.bought(100) == long.played.bought[-1]).all()


def test_pots_of_an_evening_are_of_no_run() -> None:
    cases = product((0, 7), (0, 199_999), (0, 1, 4_999))
    numbers = {int(number_of(np.int64(dealer), np.int64(i), pot)) for dealer, i, pot in cases}
    assert min(numbers) >= 10**10
    assert len(numbers) == 12
    assert max(numbers) < 2**63


@pytest.mark.parametrize("table", ["typical", "stay"])
def test_listed_pots_are_those_of_rows(table: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """However far apart they are, and however few deals are kept."""
    scenario = Scenario(page("faces-of-death"), 6, load_seats(table))
    rows = threads.rows(scenario, 3, 50, 700)
    numbers = np.array([*range(3, 20), 40, 43, 44, 58, 130, *range(200, 400), 699])
    for deals in (threads.KEPT_DEALS, 1_050):
        monkeypatch.setattr(threads, "KEPT_DEALS", deals)
        columns = threads.listed(scenario, 3)(50 + numbers, play.COLUMNS)
        for name, column in columns.items():
            np.testing.assert_array_equal(column, rows[name][numbers], err_msg=name)


# --- What is calculated --------------------------------------------------------------------------

STEP = Laws(np.array([[0.5, 0.0, 0.5]]), -1)
"""A chip won or lost."""


def ones(pots: int) -> Calculation:
    return Calculation(STEP, np.zeros((1, pots), np.int64))


@pytest.mark.parametrize("pots", [1, 2, 7, 24, 100])
def test_first_passages_of_single_chips_are_known(pots: int) -> None:
    """By reflection: P(lowest ≤ -d) = P(end ≤ -d) + P(end < -d)."""
    end = stats.binom(pots, 0.5)  # of chips won
    for chips in (0, 1, 2, 5, 11):
        at_most, below = (end.cdf((pots - down) // 2) for down in (chips + 1, chips + 2))
        assert ones(pots).survival(chips) == pytest.approx(1 - at_most - below, abs=1e-12)


def test_a_sum_of_single_chips_is_binomial() -> None:
    chances, least = ones(24).results()
    known = [stats.binom(24, 0.5).pmf((24 + chips) / 2) if chips % 2 == 0 else 0
             for chips in range(-24, 25)]  # fmt: skip
    assert least == -24
    np.testing.assert_allclose(chances[0], known, atol=1e-12)


def tree(laws: Laws, course: NDArray[np.int64]) -> Iterator[tuple[float, list[int]]]:
    """Yield every way that nets can fall, with its chance and the sums after each."""
    possible = [np.flatnonzero(laws.chances[law]) for law in course]
    for ways in product(*possible):
        chances = laws.chances[course, ways]
        yield math.prod(chances), np.cumsum(np.array(ways) + laws.least).tolist()


EVEN = Laws(np.array([[0.2, 0.1, 0.3, 0.1, 0.3], [0.0, 0.5, 0.1, 0.4, 0.0]]), -3)
FAR_UP = Laws(np.array([[0.5, *[0.0] * 8, 0.5], [0.4, 0.6, *[0.0] * 8]]), -1)
"""Of which one win is more than all that can be lost."""


@pytest.mark.parametrize(("laws", "buy_in", "below"), [(EVEN, 4, 2), (EVEN, 2, 1), (FAR_UP, 3, 2)])
def test_calculations_are_those_of_all_ways_that_nets_can_fall(
    laws: Laws, buy_in: int, below: int
) -> None:
    course = np.array([[0, 1, 0, 0, 1], [1, 1, 0, 1, 0]])
    calculation = Calculation(laws, course)
    chances, least = calculation.results()
    for own, row in enumerate(course):
        ways = list(tree(laws, row))
        for chips in range(least, least + chances.shape[1]):
            known = sum(chance for chance, sums in ways if sums[-1] == chips)
            assert chances[own, chips - least] == pytest.approx(known, abs=1e-12)
        for chips in (0, 2, 5):
            known = sum(chance for chance, sums in ways if min(sums) >= -chips)
            assert calculation.never_below(chips)[own] == pytest.approx(known, abs=1e-12)
        known = sum(chance * max(1, -((min(sums) - below) // buy_in)) for chance, sums in ways)
        assert calculation.bought(buy_in, below)[own] == pytest.approx(known, abs=1e-12)


def test_a_course_follows_the_player_round_the_table() -> None:
    case = terms(players=3, pots=4)
    course, player = courses(case)
    assert course.shape == (9, 4)
    first = course[(player == 1).nonzero()[0]]
    assert first.tolist() == [[0, 2, 1, 0], [2, 1, 0, 2], [1, 0, 2, 1]]
    named, _ = courses(replace(case, dealer=2))
    assert named.tolist() == [[0, 2, 1, 0], [1, 0, 2, 1], [2, 1, 0, 2]]
    mixed = replace(case, policies=load_seats("tight,loose,typical"), dealer=2)
    law = courses(mixed)[0]
    tables = seatings(mixed)
    for own, pot in product(range(3), range(4)):
        table, seat = divmod(int(law[own, pot]), 3)
        assert tables[table].seats[seat] == mixed.policies[own]
        assert table == (2 + pot) % 3


def test_the_threshold_covers_what_players_put_in_nineteen_times_in_twenty() -> None:
    paid = np.arange(1, 101, dtype=np.int32).reshape(1, 50, 2)
    assert threshold(Others(paid, paid)) == 95
    laws = laws_of(Others(paid, paid[:, :, ::-1]))
    assert laws.chances[0].argmax() + laws.least == 1
    assert laws.chances[1].argmax() + laws.least == -1


@pytest.mark.slow
@pytest.mark.parametrize("policies", ["typical", MIXED])
def test_what_is_played_agrees_with_what_is_calculated(policies: str) -> None:
    told = sim.evening("spades", 5, pots=20, evenings=4_000, seed=3, policies=policies)
    frame = told.frame()
    both = frame[frame.calculated.notna() & frame.se.gt(0) & (frame.metric != "lasts")]
    assert len(both) >= 4
    assert (((both.estimate - both.calculated) / both.se).abs() < 4.5).all()
    chips = frame[frame.calculated.notna() & frame.metric.isin(["buy_in"])]
    assert ((chips.low - 4 <= chips.calculated) & (chips.calculated <= chips.high + 4)).all()


# --- What is told --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def told() -> Evenings:
    return sim.evening("spades", 5, pots=12, evenings=400, seed=SEED, stake=0.25, rebuy_below=40)


def test_the_frame_has_the_columns_of_a_study_and_what_is_calculated(told: Evenings) -> None:
    frame = told.frame()
    assert list(frame.columns) == [*COLUMNS, "calculated", "money", "money_low", "money_high"]
    assert set(frame.metric) <= set(METRICS)
    assert set(frame.pots) == {4_800}
    assert not frame.duplicated(["metric", "level"]).any()
    rows = frame.set_index(["metric", "level"])
    assert rows.loc[("result", "mean"), ["estimate", "exact"]].tolist() == [0, 0]
    chips = rows.loc[("winner", "mean")]
    assert chips.money_high == pytest.approx(chips.high / 4)
    assert math.isnan(rows.loc[("pots", "mean"), "money"])
    assert (frame.low <= frame.estimate)[frame.low.notna()].all()
    assert (frame.estimate <= frame.high)[frame.high.notna()].all()
    assert rows.loc["results"].estimate.sum() == pytest.approx(1)
    assert rows.loc["players_left"].estimate.tolist() == [5, 1]


def test_figures_are_read_from_the_evenings(told: Evenings) -> None:
    rows = told.frame().set_index(["metric", "level"]).estimate
    played = told.played
    result = played.result[-1]
    known = {
        ("result", "sd"): math.sqrt((result**2).mean()),
        ("result", "p95"): np.sort(result, axis=None)[math.ceil(0.95 * result.size) - 1],
        ("ahead", "all"): (result > 0).mean(),
        ("loser", "mean"): result.min(axis=1).mean(),
        ("buy_ins", "mean"): played.bought[-1].sum(axis=1).mean(),
        ("never_short", "players"): (played.bought[-1] == 1).mean(),
        ("never_short", "evenings"): (played.bought[-1] == 1).all(axis=1).mean(),
        ("hours", "mean"): played.time.mean() / HOUR,
        ("minutes_per_pot", "mean"): played.time.sum() / played.pots.sum() / 60_000,
        ("lasts", "100"): (played.bought[-1] == 1).mean(),
        ("shortfalls", "mean"): played.shortfalls.mean(),
        ("stack_p50", "12 pots"): np.sort(result + 100 * played.bought[-1], axis=None)[
            result.size // 2 - 1
        ],
    }
    assert rows["stack_p50", "0 pots"] == 100
    for key, value in known.items():
        assert rows[key] == pytest.approx(value), key


def test_shares_marks_and_buy_ins_are_checked(told: Evenings, refused: Callable[..., str]) -> None:
    refused(lambda: told.lasting(1.5), "share = 1.5")
    refused(lambda: told.lasting(0.9, mark=12), "mark = 12", "from -12 to 11")
    refused(lambda: told.bought(40), "buy_in = 40", "from 41")
    assert told.bought(np.int64(41), mark=np.int8(0)).min() == 1


def test_who_leaves_tells_nothing_of_other_buy_ins(refused: Callable[..., str]) -> None:
    told = sim.evening("spades", 5, 0.5, broke="leave", evenings=50, rebuy_below=40)
    frame = told.frame()
    assert not {"buy_in", "lasts", "buy_in_by_then"} & set(frame.metric)
    assert math.isnan(told.lasting().estimate)
    refused(lambda: told.bought(200), "who is short leaves")
    assert frame.calculated.isna().all()
    assert (told.played.bought == 1).all()


def test_the_usual_threshold_is_what_nineteen_in_twenty_put_into_a_pot() -> None:
    told = sim.evening("spades", 4, 0.2, evenings=2, seed=SEED, policies="tight", threads=2)
    rows = sim.pots("spades", 4, calculated.OTHER_POTS, seed=SEED, policies="tight")
    paid = np.sort(rows.paid.to_numpy())
    assert told.terms.rebuy_below == paid[math.ceil(0.95 * len(paid)) - 1]


def test_first_dealers_are_drawn_evenly_or_named() -> None:
    drawn = play._first_dealers(terms(players=8), 8_000, SEED)
    assert stats.chisquare(np.bincount(drawn, minlength=8)).pvalue > 0.001
    assert set(play._first_dealers(terms(dealer=3), 50, SEED)) == {3}


@pytest.mark.slow
def test_intervals_hold_as_often_as_they_say() -> None:
    """Of 300 studies of 60 evenings, against one of all together."""
    case, studies, each = terms(hours=0.6, players=4), 300, 60
    whole = play_evenings(case, studies * each, SEED, threads=2)
    truth = Evenings(case, whole).frame().set_index(["metric", "level"]).estimate
    held: dict[tuple[str, str], int] = {}
    for number in range(studies):
        part = slice(number * each, (number + 1) * each)
        own = Played(*(column[:, part] if column.ndim == 3 else column[part] for column in whole))
        frame = Evenings(case, own).frame().set_index(["metric", "level"])
        for key in (
            ("pots", "mean"), ("minutes_per_pot", "mean"), ("result", "sd"), ("winner", "mean"),
            ("never_short", "players"), ("ahead", "all"), ("buy_ins", "mean"), ("buy_in", "p90"),
            ("result", "p5"), ("deepest", "mean"),
        ):  # fmt: skip
            row = frame.loc[key]
            held[key] = held.get(key, 0) + bool(row.low <= truth[key] <= row.high)
    # 95 % less three standard errors; quantiles of lattices hold more often.
    assert min(held.values()) >= 0.91 * studies, held


# --- What is refused -----------------------------------------------------------------------------

QUICK = {"players": 3, "evenings": 5, "policies": "stay", "rebuy_below": 10}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"hours": 2, "pots": 20}, ("2 hours and of 20 pots", "one of the two")),
        ({"hours": 0}, ("hours = 0", "from 0.01 to 72")),
        ({"hours": math.nan}, ("hours = nan",)),
        ({"hours": "4"}, ("hours = '4'",)),
        ({"pots": 0}, ("pots = 0", "1 to 5000")),
        ({"buy_in": 1}, ("buy_in = 1",)),
        ({"buy_in": 50.5}, ("buy_in must be a whole number",)),
        ({"rebuy_below": 0}, ("rebuy_below = 0",)),
        ({"rebuy_below": 100}, ("below 100 chips", "buy-in of 100", "101 or more")),
        ({"broke": "borrow"}, ("no broke 'borrow'", "rebuy, leave")),
        ({"broke": "leave", "buy_ins": 3}, ("buys in once, and not 3 times",)),
        ({"buy_ins": 0}, ("buy_ins = 0",)),
        ({"stake": 0}, ("stake = 0",)),
        ({"evenings": 1}, ("evenings = 1", "from 2 to 200000")),
        ({"dealer": 4}, ("dealer = 4", "from 1 to 3")),
        ({"players": 9}, ("9 players",)),
        ({"policies": "tight,loose"}, ("2 policies", "3 players")),
        ({"pace": {"card": -1}}, ("seconds of a card",)),
        ({"pace": {"shuffle": 1e6}}, ("1000000", "86,400")),
        ({"pace": {"shuffle": 0, "card": 0}}, ("never ends", "pots instead")),
        ({"pace": {"shuffle": 0.1, "card": 0, "decision": 0}}, ("more than 5,000 pots", "fewer")),
        ({"threads": 0}, ("threads = 0",)),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(
    words: dict[str, Any], said: tuple[str, ...], refused: Callable[..., str]
) -> None:
    refused(lambda: sim.evening("spades", **{**QUICK, **words}), *said)


def test_a_usual_threshold_beyond_the_buy_in_says_which_would_do(
    refused: Callable[..., str],
) -> None:
    said = refused(lambda: sim.evening("spades", 5, buy_in=20), "95 % of what a player puts")
    enough = int(said.split("buy in for ")[1].split()[0])
    told = sim.evening("spades", 5, pots=1, buy_in=enough, evenings=2)
    assert told.terms.rebuy_below == enough - 1


# --- The command and charts ----------------------------------------------------------------------


@pytest.fixture
def spadework(spadework: Callable[..., tuple[int, str, str]]) -> Callable[..., Any]:
    """A function that runs the command in an empty folder: (exit code, stdout, stderr)."""
    return partial(spadework, "evening")


SHORT = ("spades", "--players", "4", "--evenings", "40", "--seed", "7", "--rebuy-below", "30")


def test_a_host_reads_what_to_bring(spadework: Callable[..., tuple[int, str, str]]) -> None:
    code, out, err = spadework(*SHORT, "--pots", "10", "--stake", "0.25")
    assert (code, err) == (0, "")
    words = " ".join(out.split())
    told = sim.evening("spades", 4, pots=10, evenings=40, seed=7, rebuy_below=30, stake=0.25)
    rows = told.frame().set_index(["metric", "level"]).estimate
    assert "Spades, 4 players, typical: 40 evenings of 10 pots." in out
    assert "who has fewer than 30 after a pot buys in again" in out
    assert f"Bring {rows['buy_in', 'p90']:.0f} chips, and nine in ten never need more" in words
    assert "calculated in money" in words
    assert not list(Path().iterdir())


def test_columns_come_in_other_formats(spadework: Callable[..., tuple[int, str, str]]) -> None:
    hours = (*SHORT, "--hours", "0.3", "--broke", "leave", "--policy", "tight,loose,stay,stay")
    table = pd.read_csv(io.StringIO(spadework(*hours, "--format", "csv")[1]))
    assert tuple(table.columns) == (*COLUMNS, "calculated")
    rows = json.loads(spadework(*hours, "--format", "json")[1])
    assert len(rows) == len(table)
    assert {"metric": "ahead", "level": "tight"}.items() <= rows[
        table[(table.metric == "ahead") & (table.level == "tight")].index[0]
    ].items()
    out = spadework(*hours)[1]
    assert "leaves." in out
    assert "of players run short" in out


@pytest.mark.parametrize(
    "words",
    [
        ("--hours", "x"), ("--hours", "nan"), ("--hours", "2", "--pots", "5"), ("--pots", "0"),
        ("--stake", "-1"), ("--buy-in", "20"), ("--broke", "never"), ("--seconds", "card=-1"),
        ("--players", "9"), ("--dealer", "5"), ("--rebuy-below", "100"), ("--policy", "x"),
    ],
)  # fmt: skip
def test_bad_words_are_one_sentence(
    words: tuple[str, ...], spadework: Callable[..., tuple[int, str, str]]
) -> None:
    code, out, err = spadework(*SHORT, *words)
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1


def test_three_charts_are_drawn(spadework: Callable[..., tuple[int, str, str]]) -> None:
    code, out, _ = spadework(*SHORT, "--pots", "6", "--charts", "drawn")
    assert code == 0
    names = {path.name for path in Path("drawn").iterdir()}
    assert names == {f"spades_4-{name}.png" for name in CHARTS}
    assert all(name in out for name in names)


def test_charts_show_what_the_frame_holds(told: Evenings, refused: Callable[..., str]) -> None:
    frame = told.frame()
    rows = frame.set_index(["metric", "level"]).estimate
    (axes,) = charts.evening_stacks(frame).axes
    assert axes.get_xlabel() == "pots"
    line = axes.lines[0].get_xydata()
    assert line[-1].tolist() == [12, rows["stack_p50", "12 pots"]]
    (axes,) = charts.evening_results(frame).axes
    heights = [bar.get_height() for bar in axes.patches]
    assert heights == frame[frame.metric == "results"].estimate.tolist()
    (axes,) = charts.evening_buy_ins(frame).axes
    assert len(axes.lines[0].get_xydata()) == (frame.metric == "lasts").sum()
    left = frame[~frame.metric.isin(["lasts", "buy_in"])]
    refused(lambda: charts.evening_buy_ins(left), "does not tell lasts")
    refused(lambda: charts.evening_stacks(frame.drop(columns="calculated")), "calculated")
