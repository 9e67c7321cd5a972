"""The command line: what a user types, reads and gets wrong."""

import io
import json
import re
import shutil
import subprocess
import sys
import time
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path

import pandas as pd
import pytest

import sim
from sim import charts, cli, game, study
from sim.runs.store import Store
from sim.stats.frame import COLUMNS
from sim.stats.metrics import METRICS

COMMANDS = (
    "run", "games", "policies", "exact", "show", "hand", "replay",
    "plan", "status", "merge", "export", "report", "diff", "recommend",
    "chart", "pots", "convert", "recount", "evening", "solve",
)  # fmt: skip
README = Path(__file__).parent.parent / "README.md"


RUN = ("run", "faces-of-death", "spades", "--players", "2,8", "--pots", "2k", "--quiet")


def test_a_run_prints_tables_and_leaves_a_store_and_charts(spadework, tmp_path):
    code, out, err = spadework(*RUN, "--seed", "7")
    assert code == 0
    assert err == ""
    for words in ("Deals killed, in all", "Deals per pot", "Cards dealt per pot", "95.615"):
        assert words in out
    for words in ("Tolls per player", "Tolls per pot", "three tolls", "four tolls", "Won by five"):
        assert words in out
    made = {path.name for path in (tmp_path / "results").iterdir()}
    assert {"spadework.db", "faces-of-death.png", "spades.png"} <= made
    for name in ("spadework.db", "faces-of-death.png", "spades.png"):
        assert f"results/{name}" in out


def test_the_same_seed_prints_the_same_and_the_store_goes_on(spadework):
    command = ("run", "faces-of-death", "--players", "2,8", "--pots", "2k", "--quiet")
    first = spadework(*command, "--seed", "7", "--threads", "2")[1]
    again = spadework(*command)[1]
    assert "Seed:    7 (the store had everything already)" in again
    assert first.split("Seed:")[0] == again.split("Seed:")[0]
    other = spadework(*command, "--seed", "7", "--threads", "1", "--store", "other/study.db")[1]
    assert first.split("Seed:")[0] == other.split("Seed:")[0]


def test_a_drawn_seed_is_printed_and_works_again(spadework):
    out = spadework("run", "spades", "--players", "3", "--pots", "500", "--quiet")[1]
    seed = re.search(r"Seed: +(\d+)", out)[1]
    same = ("run", "spades", "--players", "3", "--pots", "500", "--quiet", "--store", "b.db")
    assert spadework(*same, "--seed", seed)[1].split("Seed:")[0] == out.split("Seed:")[0]


def test_progress_goes_to_stderr(spadework):
    _, out, err = spadework("run", "spades", "--players", "2", "--pots", "1k", "--seed", "1")
    assert "pots" in err
    assert "Playing" not in out


@pytest.mark.parametrize("words", [RUN, ("exact", "spades", "--format", "csv"), ("run", "--help")])
def test_a_reader_that_leaves_is_no_failure_and_results_are_kept(tmp_path, words):
    command = [sys.executable, "-m", "sim", *words]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=tmp_path, stdout=pipe, stderr=pipe) as process:
        process.stdout.close()
        errors = process.stderr.read()
    assert (process.returncode, errors) == (0, b"")
    if words is RUN:
        with Store(tmp_path / "results/spadework.db", write=False) as store:
            assert sum(store.total(*part).pots for part in store.parts()) == 8000


def test_all_charts_are_drawn_whoever_reads_their_names(tmp_path, monkeypatch, capfd):
    with study.simulate("spades", 2, 100, seed=1, store=tmp_path / "s.db") as played:
        frame = played.frame()
        wanted = charts.drawings(frame, played.other_frames(frame))

    def leave(*_):
        raise BrokenPipeError

    monkeypatch.setattr("builtins.print", leave)
    assert cli.main(["chart", str(tmp_path / "s.db"), "--all", "--format", "svg"]) == 0
    assert len(list((tmp_path / "s-charts").iterdir())) == len(wanted)


def test_games_are_listed_and_printed_as_cards(spadework):
    listing = spadework("games")[1]
    assert all(name in listing for name in game.shipped())
    card = spadework("games", "spades")[1]
    for words in ("2, 5, 10, 20", "1 from the dealer", "OPR-716", "flush_repeats = false"):
        assert words in card
    changed = spadework("games", "faces-of-death", "--kill", "player-out")[1]
    assert "is out, and the deal goes on" in " ".join(changed.split())


@pytest.mark.parametrize("name", game.shipped())
def test_exact_values_print_in_every_format(spadework, name):
    table = spadework("exact", name, "--players", "2-3")[1]
    assert "cards_per_pot" in table
    frame = pd.read_csv(
        io.StringIO(spadework("exact", name, "--players", "3", "--format", "csv")[1])
    )
    assert tuple(frame.columns) == COLUMNS
    rows = json.loads(spadework("exact", name, "--players", "3", "--format", "json")[1])
    assert [row["metric"] for row in rows] == list(frame.metric)


def test_every_format_says_exactly_what_the_frame_holds(spadework):
    """The rarest tolls of a pot come about 1e-11 times; a table rounds, but not to nought."""
    command = ("exact", "spades", "--players", "4")
    frame = sim.exact("spades", 4)
    assert frame.exact.min() == 2.5196312359185724e-11
    written = spadework(*command, "--format", "csv")[1]
    table = pd.read_csv(io.StringIO(written))
    assert table.exact.tolist() == frame.exact.tolist()
    rows = json.loads(spadework(*command, "--format", "json")[1])
    assert [row["exact"] for row in rows] == frame.exact.tolist()
    assert {row["estimate"] for row in rows} == {None}
    assert "2.52e-09 %" in spadework(*command)[1]


def test_stores_are_told_exactly_in_json(spadework):
    """Shown, compared, and how far they are: each of these prints a frame."""
    spadework("run", "spades", "--players", "3", "--pots", "999", "--seed", "7", "--quiet")
    spadework("run", "spades", "--players", "3", "--pots", "999", "--seed", "7", "--quiet",
              "--policy", "typical")  # fmt: skip
    store = "results/spadework.db"
    for command in (
        ("show", store), ("status", store), ("show", store, "--controlled"),
        ("diff", store, "spades:3", "spades:3:typical"),
    ):  # fmt: skip
        code, out, _ = spadework(*command, "--format", "json")
        assert code == 0
        written = spadework(*command, "--format", "csv")[1]
        table = pd.read_csv(io.StringIO(written))
        found = pd.DataFrame(json.loads(out))
        numbers = [name for name in table if table[name].dtype == float and table[name].any()]
        assert numbers
        for name in numbers:
            assert found[name].astype(float).equals(table[name]), (command, name)


def test_a_store_is_shown_in_every_format_and_explained(spadework):
    spadework(*RUN, "--seed", "7")
    store = "results/spadework.db"
    assert "kill_rate" in spadework("show", store)[1]
    frame = pd.read_csv(io.StringIO(spadework("show", store, "--format", "csv")[1]))
    assert set(frame.game) == {"faces-of-death", "spades"}
    assert (frame.pots == 2000).all()
    assert (
        json.loads(spadework("show", store, "--format", "json")[1])[0]["game"] == "faces-of-death"
    )
    explained = " ".join(spadework("show", store, "--explain")[1].split())
    elsewhere = {
        "players_out",
        "bets",
        "folds",
        "folds_by_price",
        "net_by_policy",
        "toll_by_policy",
    }
    for metric in set(METRICS) - elsewhere:
        assert metric in explained


def test_the_example_of_the_source_is_five_nines_and_seven_chips(spadework):
    command = ("hand", "As 9d 9h 7s 9c 2s Qd", "--game", "spades", "--up", "9h 7s 9c 2s")
    assert spadework(*command)[1] == "five nines\ntolls 2 + 5 = 7\n"


def test_a_hand_is_told_what_it_wins_and_what_staying_has_to_win(spadework):
    table = ("hand", "As 9d 9h 7s", "--game", "spades", "--up", "9h 7s", "--opponents", "3")
    code, out, _ = spadework(*table, "--board", "9c 6s", "--pot", "30", "--to-call", "2")
    assert code == 0
    told = sim.equity("As 9d 9h 7s", 3, ["9c 6s"], game="spades")
    assert out.splitlines()[:3] == ["four nines", f"against 3 who stay: {told}".splitlines()[0],
                                    "(100,000 deals)"]  # fmt: skip
    # Of 46 cards that were not seen, 10 are spades: 2 + 5 × 10 / 46 = 3.09 for a pot of 33.09.
    assert "the next up card costs 5 with a chance of 21.7 %" in out
    assert "staying costs 3.09 and makes the pot 33.09: it breaks even with 9.3 % of it" in out
    assert re.search(r"^typical folds \d+ %, calls \d+ %, raises \d+ %$", out, re.MULTILINE)
    assert "fold:0.2 folds 20 %" in spadework(*table, "--pot", "30", "--policy", "fold:0.2")[1]
    spent = "4s 5s 8s Ts Js Qs Ks 2s 3s"
    assert "chance of 5.1 %" in spadework(*table, "--dead", spent, "--pot", "30")[1]
    assert "costs 0.00" in spadework("hand", "As 9d 9h 7s 2c 3c", "--pot", "9")[1]
    assert spadework(*table, "--to-call", "2")[0] == spadework(*table, "--policy", "tight")[0] == 2
    assert spadework("hand", "As", "--opponents", "8")[0] == 2


def test_a_hand_with_a_killer_up_says_so(spadework):
    out = spadework("hand", "2c 3c K♠", "--game", "faces-of-death", "--up", "Ks")[1]
    assert "K♠ face up kills the hand" in out


def test_a_replay_opens_with_the_announcement_and_ends_with_the_pot(spadework):
    command = ("replay", "faces-of-death", "--players", "4", "--seed", "7", "--pot", "12")
    out = spadework(*command)[1]
    assert out.startswith("Faces of Death")
    assert "the hand is killed" in out.splitlines()[0]
    chips = re.findall(r"(?:antes|brings in|calls) (\d+);", out)
    pot = sum(map(int, chips))
    assert re.search(rf"(Seat \d|Dealer) wins {pot} of the pot of {pot}\.$", out.strip())
    kills = out.count("kills the hand.")
    assert out.count("Deal ") == kills + 1


def test_a_replay_narrates_the_betting_and_who_acts_how(spadework):
    command = ("replay", "spades", "--players", "3", "--seed", "7", "--pot", "2")
    code, out, _ = spadework(*command, "--policy", "typical,loose,fold:0.1")
    assert code == 0
    assert "seat 1 typical, seat 2 loose, seat 3 fold:0.1 (the dealer)" in out
    assert re.search(r"  (seat \d|dealer) (bets|calls|checks|folds)", out)
    added = re.findall(r"(?:antes|pays|bets|calls|putting in) (\d+); the pot is (\d+)", out)
    pot = 0
    for chips, after in added:
        pot += int(chips)
        assert pot == int(after)
    assert f"of the pot of {pot}." in out


def test_a_run_compares_policies(spadework):
    command = ("run", "spades", "--players", "3", "--pots", "500", "--seed", "7", "--quiet")
    code, out, _ = spadework(*command, "--policy", "typical", "--policy", "tight,loose,loose")
    assert code == 0
    assert "Spades, typical (spades)" in out
    assert "Spades, tight,loose,loose in short" in out
    assert "chips won or lost in a pot by a seat that plays" in out
    frame = pd.read_csv(io.StringIO(spadework("show", STORE, "--format", "csv")[1]))
    assert set(frame.policy) == {"typical", "tight,loose,loose"}


def test_policies_are_listed(spadework):
    out = spadework("policies")[1]
    for name in ("stay", "loose", "typical", "tight", "fold:0.1"):
        assert name in out


def test_exact_values_know_of_blind_folding(spadework):
    command = ("exact", "faces-of-death", "--players", "7", "--format", "csv")
    frames = [
        pd.read_csv(io.StringIO(spadework(*command, "--policy", policy)[1]))
        for policy in ("stay", "fold:0.1")
    ]
    stay, fold = (
        frame.set_index(["metric", "level"]).exact["kill_rate", "all"] for frame in frames
    )
    assert 0.4 < fold < stay < 0.91


def test_a_replay_of_eight_players_shows_the_community_card(spadework):
    out = spadework("replay", "spades", "--players", "8")[1]
    assert "face up for everybody" in out
    assert out.count("Seventh street") == 1


STORE = "results/spadework.db"
BAD = [
    (("run", "spades", "--policy", "typicle"), "did you mean typical"),
    (("run", "spades", "--players", "4", "--policy", "tight,loose"), "one for each seat"),
    (("run", "spades", "--policy", "fold:1.5"), "from 0 to 1"),
    (("run", "spades", "--policy", "no/such/policy.toml"), "cannot be read"),
    (("run", "spades", "--set", "betting.bring_in=2"), "bring_in"),
    (("run", "spades", "--set", "betting.bets=[2,2]"), "betting.bets"),
    (("run", "spades", "--set", "betting.opens=dealer"), "betting.opens"),
    (("exact", "spades", "--policy", "fold:x"), "fold:0.1"),
    (("exact", "spades", "--policy", "loose"), "looks at cards"),
    (("run", "spades", "--policy", "stay", "--policy", "fold:0"), "act alike"),
    (("replay", "spades", "--policy", "stay", "--policy", "loose"), "one table"),
    (("replay", "spades", "--policy", "loose,loose"), "2 policies"),
    (("run", "faces-of-deth"), "faces-of-death"),
    (("run", "no/such/page.toml"), "cannot be read"),
    (("run", "spades", "--players", "1"), "2 to 8"),
    (("run", "spades", "--players", "2-9"), "2 to 8"),
    (("run", "spades", "--players", "8-2"), "2-8"),
    (("run", "spades", "--players", "many"), "many"),
    (("run", "spades", "--pots", "0"), "at least 1"),
    (("run", "spades", "--pots", "-5"), "at least 1"),
    (("run", "spades", "--pots", "0.5"), "whole number"),
    (("run", "spades", "--pots", "lots"), "lots"),
    (("run", "spades", "--pots", "1000000G"), "pots = 1000000000000000"),
    (("run", "spades", "--seed", "-1"), "seed = -1"),
    (("run", "spades", "--seed", "x"), "--seed"),
    (("run", "spades", "--threads", "0"), "threads"),
    (("run", "spades", "--kill", "player-out"), "no"),
    (("run", "faces-of-death", "--kill", "nobody"), "player-out"),
    (("run", "faces-of-death", "--set", "kill.ante_agian=true"), "kill.ante_again"),
    (("run", "faces-of-death", "--set", "kill.ante_again=7"), "kill.ante_again"),
    (("run", "faces-of-death", "--set", "kill.max_deals=0"), "max_deals"),
    (("run", "spades", "--set", "toll.prices=[2,-5]"), "-5"),
    (("run", "--nonsense"), "nonsense"),
    (("nonsense",), "nonsense"),
    (("hand", "As As"), "twice"),
    (("hand", "As 1x"), "1x"),
    (("hand", "As Ks", "--up", "Qs"), "not in the hand"),
    (("hand", "2c 3c 4c 5c 6c 7c 8c 9c"), "seven"),
    (("hand", ""), "one to seven"),
    (("solve", "spades"), "--against"),
    (("solve", "spades", "--against", "nobody"), "nobody"),
    (("solve", "spades", "--against", "stay,stay,stay"), "3 policies"),
    (("solve", "spades", "--against", "stay", "--players", "9"), "2 to 8"),
    (("solve", "spades", "--against", "stay", "--pots", "10"), "pots '10'"),
    (("solve", "spades", "--against", "stay", "--scoring-pots", "10"), "scoring_pots '10'"),
    (("exact", "spades", "--format", "xml"), "xml"),
    (("show", "missing.db"), "missing.db"),
    (("replay", "spades", "--players", "9"), "2 to 8"),
    (("replay", "spades", "--pot", "-1"), "pot -1"),
    (("games", "chess"), "chess"),
    (("run", "spades", "--pots", "1,5k"), "1,5k"),
    (("run", "spades", "--pots", "9" * 400), "not a number of pots"),
    (("run", "spades", "--players", "4" * 400), "not a number of players"),
    (("run", "spades", "--pots", "100G"), "to 10000000000"),
    (("run", "spades", "--set", "toll.prices=" + "[" * 3000), "toll.prices"),
    (("run", "spades", "--set", "ante.amount=" + "9" * 5000), "ante.amount"),
    (("run", "x" * 5000), "no game"),
    (("run", "spades", "--store", "y" * 5000), "cannot be used"),
    (("run", "spades", "--store", "/dev/null"), "no file"),
    (("replay", "spades", "--pot", "9" * 20), "numbered"),
    (("run", "faces-of-death", "black-mariah", "--set", "kill.cards=Qs"), "same rules"),
    (("run", "--plan", "none.toml"), "none.toml"),
    (("run", "spades", "--plan", "p.toml"), "a game is for the plan"),
    (("run", "--plan", "p.toml", "--pots", "5"), "--pots is for the plan"),
    (("run", "--plan", "p.toml", "--set", "wild=none"), "--set is for the plan"),
    (("run", "spades", "--engine", "ray"), "ray"),
    (("run", "spades", "--scheduler", "tcp://x:1"), "engine dask"),
    (("run", "spades", "--engine", "dask", "--scheduler", "nonsense://x"), "nonsense://x"),
    (("run", "spades", "--engine", "dask", "--scheduler", ""), "address is empty"),
    (("plan", "none.toml"), "none.toml"),
    (("status", "missing.db"), "missing.db"),
    (("merge", "missing.db", "--into", "c.db"), "missing.db"),
    (("merge", "--into", "c.db"), "STORE"),
    (("convert", "missing.db", "--into", "c.db"), "missing.db"),
    (("recount", "missing.db"), "missing.db"),
    (("recount", "missing.db", "--threads", "0"), "threads"),
    (("export", "missing.db"), "missing.db"),
    (("export", "missing.db", "--format", "xml"), "xml"),
    (("diff", "missing.db", "a", "b"), "missing.db"),
    (("diff", "missing.db", "a"), "argument 'B'"),
]


@pytest.mark.parametrize(("command", "words"), BAD, ids=lambda value: str(value)[:40])
def test_bad_input_gets_one_sentence_and_writes_nothing(spadework, tmp_path, command, words):
    code, out, err = spadework(*command)
    assert code == 2
    assert out == ""
    assert words in err
    assert len(err.strip().splitlines()) == 1
    assert "Traceback" not in err
    assert not list(tmp_path.iterdir())


PLAN = """
games = ["faces-of-death", {page = "faces-of-death", options = ["kill.cards=Js Qs"]}]
players = [2, 2]
seed = 7
pots = "200k"
relative = 0.02
metric = "kill_rate"
"""


@pytest.fixture(scope="module")
def played_once(tmp_path_factory):
    """A folder with a plan of two rules, played to its end, and what the run left and said."""
    folder, streams = tmp_path_factory.mktemp("planned"), (io.StringIO(), io.StringIO())
    (folder / "p.toml").write_text(PLAN)
    with chdir(folder), redirect_stdout(streams[0]), redirect_stderr(streams[1]):
        code = cli.main(["run", "--plan", "p.toml", "--store", "s.db", "--quiet"])
    return folder, (code, *(stream.getvalue() for stream in streams))


@pytest.fixture
def planned(played_once, spadework, tmp_path):
    """A copy of that folder to work in, and the run's output."""
    shutil.copytree(played_once[0], tmp_path, dirs_exist_ok=True)
    return played_once[1]


def test_a_plan_says_what_it_will_play_and_plays_nothing(spadework, tmp_path):
    (tmp_path / "p.toml").write_text(PLAN)
    code, out, err = spadework("plan", "p.toml", "--store", "s.db")
    assert (code, err.count("each is played once")) == (0, 1)
    assert "kill_rate all to ±0.02 of itself" in out
    assert "131,072 pots" in out  # two scenarios, a cell each
    assert [path.name for path in tmp_path.iterdir()] == ["p.toml"]
    spadework("run", "--plan", "p.toml", "--store", "s.db", "--quiet")
    assert "To play: nothing" in spadework("plan", "p.toml", "--store", "s.db")[1]


def test_a_plan_run_again_has_nothing_to_do(spadework, planned):
    code, out, err = planned
    assert code == 0
    assert err.count("each is played once") == 1
    assert "known sharply enough at 65,536 pots" in out
    again = spadework("run", "--plan", "p.toml", "--store", "s.db", "--quiet")[1]
    assert "Finished: there is nothing to do." in again
    assert out.split("Seed:")[0] == again.split("Seed:")[0]


def test_a_status_says_how_far_each_scenario_is(spadework, planned):
    out = spadework("status", "s.db")[1]
    assert "precision" in out
    frame = pd.read_csv(io.StringIO(spadework("status", "s.db", "--format", "csv")[1]))
    scenario, name, *others = study.STATUS
    assert list(frame.columns) == [scenario, name, "kill.cards", *others]
    assert list(frame.pots) == [65536, 65536]
    assert (frame.half_width < frame.wanted).all()
    assert frame.checksum.str.fullmatch("[0-9a-f]{64}").all()


def test_two_rules_are_compared_on_the_same_cards(spadework, planned):
    names = ("s.db", "faces-of-death:2", "faces-of-death kill.cards=Js Qs:2")
    few = spadework("diff", *names, "--format", "csv")  # a cell of each is too little to pair
    assert "takes 8 full cells" in few[2]
    assert not pd.read_csv(io.StringIO(few[1])).paired.any()
    longer = PLAN.replace("relative = 0.02", "relative = 0.0001").replace("200k", "600k")
    Path("p.toml").write_text(longer)
    spadework("run", "--plan", "p.toml", "--store", "s.db", "--quiet")
    code, out, err = spadework("diff", *names, "--format", "csv")
    frame = pd.read_csv(io.StringIO(out)).set_index(["metric", "level"])
    assert code == 0
    assert "paired by cards: 589,824 pots" in err
    assert frame.difference["kill_rate", "all"] > 0.1


def test_several_rules_are_compared_with_one_in_one_metric(spadework, planned):
    names = ("faces-of-death:2", "faces-of-death kill.cards=Js Qs:2")
    more = ("faces-of-death", "--players", "3", "--pots", "1k", "--store", "s.db", "--quiet")
    spadework("run", *more)
    command = ("diff", "s.db", *names, "faces-of-death:3", "--metric", "deals_per_pot")
    code, out, err = spadework(*command, "--format", "csv")
    frame = pd.read_csv(io.StringIO(out))
    assert code == 0
    assert set(frame.metric) == {"deals_per_pot"}
    assert [name.rpartition(":stay")[0] for name in frame.versus.unique()] == [
        names[1], "faces-of-death:3",
    ]  # fmt: skip
    assert "different table sizes" in err
    table = spadework(*command)[1]
    assert table.count("a: faces-of-death, 2 players. b: ") == 2
    assert "kill_rate" not in table


def test_intervals_for_watchers_say_so_and_are_wider(spadework, planned):
    ordinary, watched = spadework("show", "s.db")[1], spadework("show", "s.db", "--anytime")[1]
    assert "95 % interval" in ordinary
    assert "95 % at every moment" in watched
    assert "95 % interval" not in watched
    wide = [
        pd.read_csv(io.StringIO(spadework("show", "s.db", "--format", "csv", *more)[1]))
        .query("metric == 'kill_rate' and level == 'all'")
        for more in ((), ("--anytime",))
    ]  # fmt: skip
    assert ((wide[1].high - wide[1].low) > 1.5 * (wide[0].high - wide[0].low)).all()
    again = spadework("run", "--plan", "p.toml", "--store", "s.db", "--quiet", "--anytime")[1]
    assert "95 % at every moment" in again
    assert "known sharply enough at 65,536 pots" in again


def test_merging_twice_adds_nothing(spadework, planned):
    assert "131,072 of them new" in spadework("merge", "s.db", "s.db", "--into", "c.db")[1]
    assert " 0 of them new" in spadework("merge", "s.db", "c.db", "--into", "c.db")[1]
    assert spadework("show", "s.db")[1] == spadework("show", "c.db")[1]


def test_an_export_names_its_table_and_its_dictionary(spadework, planned, tmp_path):
    out = spadework("export", "s.db", "--cells", "--out", "new/cells.csv")[1]
    assert "new/cells.csv" in out
    assert len(pd.read_csv(tmp_path / "new" / "cells.csv")) > 100
    assert "cell" in pd.read_csv(tmp_path / "new" / "cells-columns.csv").name.tolist()


PAGES = {
    "wrong key": 'name="own"\ntitle="Own"\nkillers="Qs"\n',
    "wrong type": 'name="own"\ntitle="Own"\n[kill]\ncards=3.5\n',
    "no title": 'name="own"\n',
    "negative toll": 'name="own"\ntitle="Own"\n[toll]\ncards="spades"\nprices=[-1]\n',
    "no prices": 'name="own"\ntitle="Own"\n[toll]\ncards="spades"\n',
    "all killers": 'name="own"\ntitle="Own"\n[kill]\ncards="clubs diamonds hearts spades"\n',
    "not TOML": "name = = 3",
    "a bad card": 'name="own"\ntitle="Own"\nwild="Zs"\n',
}


@pytest.mark.parametrize("kind", PAGES)
def test_a_bad_page_gets_one_sentence(spadework, tmp_path, kind):
    (tmp_path / "own.toml").write_text(PAGES[kind])
    code, out, err = spadework("run", "own.toml", "--pots", "10")
    assert (code, out) == (2, "")
    assert "own.toml" in err
    assert len(err.strip().splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["own.toml"]


@pytest.mark.parametrize("title", ["[/x] [bold]b", "a $_$", "x" * 300])
def test_any_title_and_name_can_be_printed_and_drawn(spadework, tmp_path, title):
    name = "n" * 200
    (tmp_path / "own.toml").write_text(f'name="{name}"\ntitle="{title}"\nwild="deuces"\n')
    code, out, err = spadework("run", "own.toml", "--players", "2", "--pots", "200", "--quiet")
    assert (code, err) == (0, "")
    assert title[:20] in out
    assert "Won by" in out
    assert len(list((tmp_path / "results").glob("*.png"))) == 1


def test_the_pots_of_each_table_size_are_told(spadework):
    spadework("run", "spades", "--players", "3", "--pots", "2k", "--seed", "1", "--quiet")
    out = spadework("run", "spades", "--players", "2-3", "--pots", "1k", "--seed", "1", "--quiet")[
        1
    ]
    assert "1,000 to 2,000 pots" in out


def test_a_page_may_not_take_a_shipped_name(spadework, tmp_path):
    (tmp_path / "own.toml").write_text('name="spades"\ntitle="Mine"\n')
    code, _, err = spadework("run", "own.toml", "--pots", "10")
    assert code == 2
    assert "shipped" in err


def test_an_edited_page_is_told_apart_from_what_it_was(spadework, tmp_path):
    page = 'name="own"\ntitle="Own"\n[kill]\ncards="{}"\n'
    for killers in ("Qs", "Qs Qh"):
        (tmp_path / "own.toml").write_text(page.format(killers))
        assert spadework("run", "own.toml", "--players", "3", "--pots", "100", "--quiet")[0] == 0
    out = spadework("show", "results/spadework.db", "--format", "csv")[1]
    frame = pd.read_csv(io.StringIO(out))
    assert set(frame.game) == {"own"}
    assert set(frame["kill.cards"]) == {"Qs", "Qh Qs"}


def test_a_store_of_another_name_has_charts_of_its_own(spadework, tmp_path):
    spadework("run", "spades", "--players", "2", "--pots", "100", "--quiet", "--store", "my.db")
    assert (tmp_path / "my-spades.png").exists()


def test_a_store_without_pots_says_so(spadework, tmp_path):
    Store(tmp_path / "new.db").close()
    for command in ("show", "status"):
        code, out, err = spadework(command, "new.db")
        assert (code, out) == (0, "")
        assert "new.db holds no finished pots" in err
        code, out, err = spadework(command, "new.db", "--format", "json")
        assert (code, json.loads(out)) == (0, [])
    code, _, err = spadework("diff", "new.db", "a", "b")
    assert code == 2
    assert "new.db holds no finished pots" in err


def test_a_policy_that_acts_like_a_shipped_one_has_its_name(spadework):
    run = ("--players", "2", "--pots", "100", "--quiet", "--store", "s.db")
    spadework("run", "faces-of-death", "--policy", "fold:0", *run)
    shown = pd.read_csv(io.StringIO(spadework("show", "s.db", "--format", "csv")[1]))
    assert set(shown.policy) == {"stay"}


def test_a_comparison_prints_all_or_nothing(spadework):
    spadework("run", "faces-of-death", "--players", "2-3", "--pots", "100", "--quiet",
              "--store", "s.db")  # fmt: skip
    names = ("faces-of-death:2", "faces-of-death:3", "faces-of-death:2")
    code, out, err = spadework("diff", "s.db", *names)
    assert (code, out) == (2, "")
    assert "does not differ from itself" in err


@pytest.mark.parametrize("width", ["80", "120"])
def test_no_label_of_a_table_is_cut_off(spadework, monkeypatch, width):
    spadework("run", "spades", "--players", "2", "--pots", "300", "--quiet")
    monkeypatch.setenv("COLUMNS", width)
    monkeypatch.setattr("rich.console.Console.is_terminal", True)
    out = spadework("show", "results/spadework.db")[1]
    assert "…" not in out
    for words in ("toll_pot", "toll_player", "straight flush", "pot_size"):
        assert words in out


def test_a_digest_too_wide_for_exact_values_is_printed_without(spadework, tmp_path):
    page = 'name="own"\ntitle="Own"\nwild="deuces"\n[kill]\ncards="Qs"\n'
    (tmp_path / "own.toml").write_text(f'{page}[toll]\ncards="hearts"\nprices=[1]\n')
    out = spadework("run", "own.toml", "--players", "2", "--pots", "300", "--quiet")[1]
    assert "…" not in out
    assert "exactly" not in out.split("in short")[1].split("With")[0]
    out = spadework("run", "spades", "--players", "2", "--pots", "300", "--quiet")[1]
    assert "exactly" in out.split("in short")[1].split("With")[0]


def test_a_page_of_ones_own_needs_no_code(spadework, tmp_path):
    (tmp_path / "own.toml").write_text(
        'name="red-death"\ntitle="Red Death"\n[kill]\ncards="Jh Qh Kh Jd Qd Kd"\n'
    )
    code, out, _ = spadework("run", "own.toml", "--players", "4", "--pots", "1k", "--quiet")
    assert code == 0
    assert "Red Death" in out
    assert (tmp_path / "results" / "red-death.png").exists()


@pytest.mark.slow
def test_help_answers_in_less_time_than_the_heavy_imports_take():
    """Compared within one run: help against importing what a run needs."""

    def seconds(*command):
        began = time.perf_counter()
        subprocess.run([sys.executable, *command], check=True, capture_output=True)
        return time.perf_counter() - began

    heavy = min(seconds("-c", "import numba, pandas, matplotlib.figure") for _ in range(3))
    helped = min(seconds("-m", "sim", "--help") for _ in range(3))
    assert helped < heavy


def test_every_command_and_option_has_help(spadework):
    commands = re.findall(r"│ (\w+)\s", spadework("--help")[1].split("Commands")[1])
    assert set(commands) == set(COMMANDS)
    for command in commands:
        text = spadework(command, "--help")[1]
        assert "Usage" in text


def test_the_readme_names_every_command():
    text = README.read_text(encoding="utf-8")
    for command in COMMANDS:
        assert f"spadework {command}" in text


def test_a_run_with_other_options_says_so_in_short_and_counts_the_chips(spadework):
    words = ("run", "faces-of-death", "--players", "4", "--pots", "1k", "--seed", "1", "--quiet")
    asked = "kill.ante_again=true"
    plain, changed = (
        spadework(*words, *more)[1].split("in short") for more in ((), ("--set", asked))
    )
    assert plain[0].rstrip().endswith("Faces of Death")
    assert changed[0].rstrip().endswith(f"Faces of Death ({asked})")
    assert ["Chips in a pot" in told for told in (plain[0], changed[0])] == [False, True]
