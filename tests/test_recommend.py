"""Recommendations: limits that decide, intervals that do not, and what a host reads."""

import io
import json
import math
import re
from functools import partial

import numpy as np
import pandas as pd
import pytest
from conftest import page

import sim
from sim import advice, study
from sim.advice import CONSTRAINTS, Figure, Limits, Pace, judge
from sim.odds import exact_values
from sim.runs.store import Store
from sim.stats.frame import JUDGED
from sim.stats.intervals import of_share

SEED = 7


@pytest.fixture(scope="module")
def frame():
    """Two games, staying and betting, few pots."""
    with sim.simulate(
        ["faces-of-death", "spades"],
        pots=3000,
        seed=SEED,
        policies=["stay", "typical", "fold:0.2"],
    ) as played:
        return played.frame()


@pytest.fixture
def found(frame):
    """A function of game and policy: what is recommended."""

    def ask(label="faces-of-death", policy="stay", **words):
        return advice.recommend(frame, page(label), policy, **words)

    return ask


@pytest.fixture
def spadework(spadework):
    """A function that runs the command in an empty folder: (exit code, stdout, stderr)."""
    return partial(spadework, "recommend")


SHORT = ("faces-of-death", "--players", "4-6", "--pots", "1k", "--seed", "7", "--quiet")


@pytest.mark.parametrize("policy", ["stay", "typical"])
def test_a_pot_of_one_deal_takes_known_minutes(found, policy):
    for size in found("spades", policy).sizes:
        minutes = of(size, "minutes")
        assert minutes.verdict == "pass"
        assert minutes.figure.low <= minutes.figure.estimate <= minutes.figure.high


def of(size, name):
    return next(one for one in size.findings if one.name == name)


def test_with_all_staying_two_to_five_play_faces_of_death(found):
    one = found()
    assert one.works == [2, 3, 4, 5]
    six = one.sizes[4]
    assert six.binding.name == "long_pots"
    assert six.reason.startswith("pots of over 10 deals 20.10 % (at most 10 %); also deals")
    assert [size.answer for size in one.sizes] == ["yes"] * 4 + ["no"] * 3


def test_figures_are_exact_where_they_are_known(found):
    for size in found().sizes:
        exact = exact_values(page("faces-of-death"), size.players)
        deals, minutes = of(size, "deals").figure, of(size, "minutes").figure
        assert deals.exact
        assert deals.low == deals.high == deals.estimate == float(exact["deals_per_pot", "mean"])
        killed = float(exact["kill_rate", "all"])
        assert of(size, "long_pots").figure.estimate == pytest.approx(killed**10)
        seconds = (
            1.5 * exact["cards_per_pot", "mean"]
            + 45 * exact["deals_per_pot", "mean"]
            + 6 * exact["decisions", "mean"]
        )
        assert minutes.exact
        assert minutes.estimate == pytest.approx(float(seconds) / 60)
        assert not of(size, "buy_in").figure.exact
    folding = found("spades", "fold:0.2").sizes[3]
    assert of(folding, "showdowns").figure.exact
    assert not of(folding, "buy_in").figure.exact


def test_figures_are_estimates_where_players_look_at_cards(found, frame):
    size = found(policy="typical").sizes[3]
    rows = frame[(frame.game == "faces-of-death") & (frame.policy == "typical")]
    rows = rows[rows.players == size.players].set_index(["metric", "level"])
    levels = rows.loc["deals_per_pot"].drop("mean")
    hits = round(float(levels.estimate[levels.index.astype(str).astype(int) > 10].sum()) * 3000)
    long_pots = of(size, "long_pots").figure
    assert long_pots[:3] == pytest.approx((hits / 3000, *of_share(hits, 3000)[2:4]))
    half = {
        metric: rows.loc[(metric, "mean"), "high"] - rows.loc[(metric, "mean"), "estimate"]
        for metric in ("cards_per_pot", "deals_per_pot", "decisions")
    }
    bound = 1.5 * half["cards_per_pot"] + 45 * half["deals_per_pot"] + 6 * half["decisions"]
    minutes = of(size, "minutes").figure
    assert not minutes.exact
    assert minutes.high - minutes.estimate == pytest.approx(bound / 60)
    assert of(size, "buy_in").figure.estimate == rows.loc[("chips_in", "p99"), "estimate"]
    left = of(size, "players_left").figure
    assert left.estimate * size.players == pytest.approx(rows.loc[("survivors", "mean")].estimate)


def test_what_does_not_apply_is_left_out_and_says_why(found):
    unplayed = {"evening_buy_in"}
    assert set(found().left_out) == {"toll_share", "showdowns", "players_left"} | unplayed
    assert set(found(policy="typical").left_out) == {"toll_share"} | unplayed
    spades = found("spades")
    assert spades.left_out["deals"] == "a pot is one deal"
    assert "nobody bets" in spades.left_out["toll_share"]
    assert "toll_share" in found("spades", "typical").limited
    assert "toll_share" not in found("spades", "fold:0.2").limited
    for one in (found(), spades):
        assert not set(one.frame().constraint) & set(one.left_out)


def test_the_verdict_flips_when_the_limit_moves(found):
    one = found()
    assert one.moved(deals=4).works == [2, 3, 4]
    assert one.moved(deals=4).sizes[3].reason == "deals a pot 4.46 (at most 4)"
    assert one.moved(long_pots=0.25, deals=7, minutes=20).works == [2, 3, 4, 5, 6]
    assert found(limits={"deals": 4}).frame().equals(one.moved(deals=4).frame())
    eight = found("spades").sizes[-1]
    assert (eight.answer, eight.binding.name) == ("no", "cards")
    assert found("spades").moved(cards=56).works == [2, 3, 4, 5, 6, 7, 8]


def test_pace_decides_the_minutes(found):
    slow = found(pace={"shuffle": 120, "card": 3})
    assert slow.sizes[3].answer == "no"
    assert slow.sizes[3].binding.name == "minutes"
    assert of(found(pace=Pace(0, 60, 0)).sizes[0], "minutes").figure.estimate == pytest.approx(
        of(found().sizes[0], "deals").figure.estimate
    )


@pytest.mark.parametrize("policy", ["stay", "typical"])
@pytest.mark.parametrize("label", ["faces-of-death", "spades"])
def test_a_looser_limit_never_turns_a_yes_into_a_no(found, label, policy):
    one = found(label, policy)
    rank = {"no": 0, "not resolved": 1, "yes": 2}
    for name, moved in advice.moved_limits(one).items():
        if not CONSTRAINTS[name].at_most:
            moved = moved[::-1]
        answers = [[rank[size.answer] for size in each.sizes] for _, each in moved]
        assert all(by_size == tuple(sorted(by_size)) for by_size in zip(*answers, strict=True))
    decks = advice.moved_limits(one)["cards"]
    assert len({tuple(of(size, "cards").verdict for size in each.sizes) for _, each in decks}) > 1


@pytest.mark.parametrize(
    ("name", "low", "high", "limit", "verdict"),
    [
        ("deals", 4.0, 5.0, 5, "pass"),
        ("deals", 4.0, 5.1, 5, "unresolved"),
        ("deals", 5.0, 6.0, 5, "unresolved"),
        ("deals", 5.1, 6.0, 5, "fail"),
        ("showdowns", 0.5, 0.6, 0.5, "pass"),
        ("showdowns", 0.4, 0.6, 0.5, "unresolved"),
        ("showdowns", 0.4, 0.49, 0.5, "fail"),
        ("deals", math.nan, math.nan, 5, "unresolved"),
    ],
)
def test_only_a_whole_interval_passes_or_fails(name, low, high, limit, verdict):
    figure = Figure((low + high) / 2, low, high, 100)
    assert judge(name, figure, Limits.of({name: limit})).verdict == verdict


def test_a_straddling_interval_says_how_many_pots_it_needs(found):
    limit = of(found(policy="typical").sizes[3], "deals").figure.estimate * 1.005
    one = found(policy="typical", limits={"deals": limit, "long_pots": 0.5})
    five = one.sizes[3]
    assert five.answer == "not resolved"
    assert f"not resolved: needs about {float(f'{five.more_pots:.2g}'):,.0f} more pots" in (
        five.reason
    )
    deals = of(five, "deals")
    pots = five.pots + deals.more_pots
    half = (deals.figure.high - deals.figure.estimate) * math.sqrt(five.pots / pots)
    assert deals.figure.estimate + half < limit  # the narrower interval keeps to it


def test_so_many_pots_tell(tmp_path):
    words = {"policy": "typical", "seed": SEED, "store": tmp_path / "a.db"}
    figure = of(sim.recommend("faces-of-death", 4, 4000, **words).sizes[0], "deals").figure
    limits = {"deals": (figure.estimate + figure.high) / 2}
    few = sim.recommend("faces-of-death", 4, 4000, limits=limits, **words).sizes[0]
    assert few.answer == "not resolved"
    assert few.binding.name == "deals"
    enough = few.pots + math.ceil(few.more_pots)
    assert enough < 200_000
    known = sim.recommend("faces-of-death", 4, enough, limits=limits, **words).sizes[0]
    assert known.answer in ("yes", "no")


def test_a_buy_in_needs_so_many_pots_that_its_ranks_are_clear(found):
    one = found("spades", "typical")
    chips = of(one.sizes[2], "buy_in")
    assert chips.figure.low < chips.figure.high
    straddled = of(one.moved(buy_in=chips.figure.high - 1).sizes[2], "buy_in")
    assert straddled.verdict == "unresolved"
    assert 0 < straddled.more_pots < math.inf
    assert of(one.moved(buy_in=chips.figure.high).sizes[2], "buy_in").verdict == "pass"
    assert of(one.moved(buy_in=chips.figure.low - 1).sizes[2], "buy_in").verdict == "fail"


def test_the_frame_has_a_row_a_constraint_and_one_that_sums_up(found):
    one = found(policy="typical")
    table = one.frame()
    assert tuple(table.columns) == (
        "game", "players", "policy", "constraint", "unit",
        "estimate", "low", "high", "limit", "verdict", "left_out",
    )  # fmt: skip
    unplayed = "evening buy in (no evenings were played)"
    assert set(table.left_out) == {f"toll share (there are no tolls); {unplayed}"}
    (why,) = set(found().frame().left_out)
    nobody = "players left, showdowns (nobody folds or is put out)"
    assert set(why.split("; ")) == {"toll share (there are no tolls)", nobody, unplayed}
    assert set(table.verdict) <= {"pass", "fail", "unresolved"}
    whole = table[table.constraint == "all"]
    assert list(whole.players) == [2, 3, 4, 5, 6, 7, 8]
    assert list(whole.verdict) == [size.verdict for size in one.sizes]
    assert len(table) == 7 * (len(one.limited) + 1)


def test_every_treatment_is_a_page_and_the_usual_one_comes_first():
    pages = advice.treatments(page("faces-of-death kill.everyone=true"))
    assert list(pages) == ["redeal", "redeal, ante again", "redeal to everyone", "player-out"]
    assert pages["redeal"].digest == page("faces-of-death").digest
    assert pages["redeal to everyone"].label == "faces-of-death kill.everyone=true"
    assert pages["player-out"].kill.treatment == "player-out"
    assert advice.treatments(page("spades")) == {}


def test_the_first_treatment_that_works_is_announced(found):
    out = sim.recommend(
        "faces-of-death", pots=2000, seed=SEED, options=["kill.treatment=player-out"]
    )
    by_treatment = {"redeal": found(), "player-out": out}
    assert advice.announcements(by_treatment) == {
        "redeal": [2, 3, 4, 5],
        "player-out": [6, 7],
        "": [8],
    }


def test_bad_limits_are_refused(found, refused):
    refused(lambda: found(limits={"deals": -1}), "deals = -1", "from 0 to")
    refused(lambda: found(limits={"minutes": math.nan}), "minutes = nan")
    refused(lambda: found(limits={"buy_in": math.inf}), "buy_in = inf")
    refused(lambda: found(limits={"long_pots": 10}), "long_pots = 10", "0 to 1")
    refused(lambda: found(limits={"deal": 5}), "no limit 'deal'", "long_pots")
    refused(lambda: found(limits={"deals": "few"}), "deals = 'few'")
    refused(lambda: found(limits=5), "5 is no limit")
    refused(lambda: found(limits={"deals": 10**400}), "will not do")
    assert found(limits={"deals": np.int64(4)}).works == found(limits={"deals": 4}).works
    refused(lambda: found(pace={"card": -1}), "seconds of a card = -1")
    refused(lambda: found(pace={"riffle": 5}), "no pace 'riffle'", "shuffle")
    refused(lambda: found(policy="tight"), "no pots of faces-of-death under tight")


def test_an_evening_is_judged_by_the_buy_in_that_lasts_nine_in_ten():
    words = {"pots": 20_000, "policy": "typical", "seed": SEED}
    answer = sim.recommend("spades", [4, 5], **words)
    assert "evening_buy_in" in answer.limited
    for size in answer.sizes:
        finding, whole = of(size, "evening_buy_in"), size.evening.whole
        assert finding.verdict == "pass"
        assert finding.limit == math.inf
        assert "no limit" in str(finding)
        rows = answer.frame()
        below = sim.pots("spades", size.players, 20_000, seed=SEED, policies="typical")
        usual = np.sort(below.paid)[math.ceil(0.95 * len(below)) - 1]
        told = sim.evening(
            "spades", size.players, evenings=100, seed=SEED, buy_in=500, rebuy_below=int(usual)
        )
        lasting = told.frame().set_index(["metric", "level"]).loc[("buy_in", "p90")]
        assert finding.figure[:3] == tuple(lasting[["estimate", "low", "high"]])
        assert whole.pots == told.played.pots.mean()
        assert f"bring {lasting.estimate:.0f} chips, and nine in ten never need more" in " ".join(
            answer.card()
        )
    assert rows[rows.constraint == "evening_buy_in"].limit.tolist() == [math.inf] * 2
    record = next(
        one for one in answer.records()[0]["constraints"] if "evening" in one["constraint"]
    )
    assert record["limit"] is None
    chips = of(answer.sizes[0], "evening_buy_in").figure
    verdicts = [
        of(answer.moved(evening_buy_in=limit).sizes[0], "evening_buy_in").verdict
        for limit in (chips.low - 1, chips.estimate, chips.high)
    ]
    assert verdicts == ["fail", "unresolved", "pass"]
    assert sim.recommend("spades", 4, limits={"evening_buy_in": 10}, **words).works == []


def test_an_evening_without_an_end_is_left_out():
    quick = sim.recommend("spades", 3, 500, seed=SEED, pace={"shuffle": 0, "card": 0})
    assert quick.left_out["evening_buy_in"] == "no evenings were played"
    assert " for one pot" in quick.card()[0]


def test_pots_that_may_be_abandoned_are_asked_for_a_showdown():
    once = sim.recommend(
        "faces-of-death", [3, 8], 500, seed=SEED, options=["kill.max_deals=1"], limits={"cards": 56}
    )
    assert "showdowns" not in once.left_out
    three, eight = (
        {one.name: one.verdict for one in size.findings}["showdowns"] for size in once.sizes
    )
    assert (three, eight) == ("fail", "fail")
    assert "showdowns" in sim.recommend("faces-of-death", [3], 500, seed=SEED).left_out


def test_a_limit_is_set_once(spadework):
    code, _, err = spadework(*SHORT, "--limit", "deals=4", "--limit", "deals=5")
    assert code == 2
    assert "limit deals is set twice" in err


def test_a_policy_that_acts_like_a_shipped_one_is_judged_under_its_name(spadework):
    words = ("faces-of-death", "--players", "3", "--pots", "100", "--quiet")
    code, out, _ = spadework(*words, "--policy", "fold:0")
    assert code == 0
    assert "everybody stays" in out


def test_json_is_a_list_with_an_object_a_table_size(spadework):
    code, out, _ = spadework(*SHORT, "--policy", "typical", "--format", "json")
    rows = json.loads(out)
    assert code == 0
    assert [row["players"] for row in rows] == [4, 5, 6]
    assert [row["verdict"] for row in rows] == ["yes", "yes", "no"]
    for row in rows:
        assert row["reason"]
        for one in row["constraints"]:
            low, high = one["interval"]
            assert low <= one["figure"] <= high
            assert one["limit"] == getattr(Limits(), one["constraint"])
            assert one["verdict"] in ("pass", "fail", "unresolved")
    table = pd.read_csv(io.StringIO(spadework(*SHORT, "--format", "csv")[1]))
    assert tuple(table.columns) == JUDGED


def test_the_limit_is_moved_on_the_command_line(spadework):
    def verdicts(*words):
        rows = json.loads(spadework(*SHORT, "--format", "json", *words)[1])
        return [row["verdict"] for row in rows]

    assert verdicts() == ["yes", "yes", "no"]
    assert verdicts("--limit", "deals=4") == ["yes", "no", "no"]
    assert verdicts("--limit", "evening_buy_in=20") == ["no", "no", "no"]
    moved = ("--limit", "deals=7", "--limit", "long-pots=0.3", "--limit", "minutes=20")
    assert verdicts(*moved) == ["yes", "yes", "yes"]
    assert verdicts(*moved, "--seconds", "shuffle=200") == ["yes", "no", "no"]
    assert verdicts("--kill", "player-out") == ["yes", "yes", "yes"]


def test_a_host_reads_reasons_what_to_announce_and_a_card(spadework):
    code, out, err = spadework(*SHORT)
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80
    words = " ".join(out.split())
    for expected in (
        "6 players: no; pots of over 10 deals 20.10 % (at most 10 %)",
        "With 4-5 players announce redeal: Faces of Death, seven-card stud. If J♠, Q♠ or K♠",
        "With 6 players announce player-out",
        "Evenings: 50 of four hours at each of 6 tables",
        "chips to bring for one pot",
        "Left out: tolls, of the pot: there are no tolls",
        "2.5: none 3.75: 4 5: 4-5",
    ):
        assert expected in words
    plan = r"5 players: 2\d pots in four hours, 10 minutes a pot; bring \d+ chips "
    assert re.search(plan + r"\(\d+ with bets\), and nine in ten never need more", words)
    for policy in ("stay", "loose", "typical", "tight"):
        assert f"\n {policy} " in out
    betting = spadework("spades", *SHORT[1:], "--policy", "tight,loose,stay,stay", "--players", "4")
    assert betting[0] == 0
    assert "tight,loose,stay,stay" in betting[1]
    assert "For the host:\n4 players: " in betting[1]
    assert "pots in four hours, 3 minutes a pot; bring " in betting[1]


def test_the_same_command_again_plays_nothing_and_leaves_the_store_as_it_is(spadework, tmp_path):
    first = spadework(*SHORT)[1]
    store = tmp_path / "results" / "spadework.db"
    before = store.read_bytes()
    again = spadework(*SHORT[:5])[1]
    assert "Seed: 7 (the store had everything already)" in again
    assert first.split("Seed:")[0] == again.split("Seed:")[0]
    assert store.read_bytes() == before
    with Store(store, write=False) as opened:
        assert set(study.Study(opened, opened.parts()).status().target) == {1000}
    assert "pots were played" in spadework(*SHORT[:3], "--pots", "2k", "--quiet")[1]


def test_ctrl_c_says_what_is_kept(spadework, monkeypatch):
    def stopped(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("sim.runs.collection.execute", stopped)
    code, out, err = spadework(*SHORT)
    assert (code, out) == (130, "")
    assert "kept in results/spadework.db; the same command goes on from there" in err


def test_explain_tells_every_limit_and_why(spadework, tmp_path):
    out = " ".join(spadework("spades", "--explain", "--limit", "deals=6")[1].split())
    for name, one in CONSTRAINTS.items():
        assert name in out
        assert one.words in out
    assert "at most 6" in out
    assert "usually at most 5" in out
    assert "card=1.5, shuffle=45, decision=6" in out
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize(
    "words",
    [
        ("--limit", "x=3"),
        ("--limit", "deals=nan"),
        ("--limit", "deals=-1"),
        ("--limit", "deals"),
        ("--seconds", "card=soon"),
        ("--players", "9"),
        ("--policy", "tight,loose"),
    ],
)
def test_what_cannot_be_is_one_sentence_and_nothing_is_played(spadework, tmp_path, words):
    code, out, err = spadework(*SHORT, *words)
    assert code == 2
    assert out == ""
    assert len(err.splitlines()) == 1
    assert not (tmp_path / "results").exists()
