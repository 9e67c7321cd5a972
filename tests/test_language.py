"""One language: what the command line takes, Python and a plan take, and the other way round."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pandas as pd
import pytest

import sim
from sim import advice, charts, cli, game, plan, study
from sim.parsing import count, table_sizes
from sim.stats.frame import OPTIONS, flat, in_level_order, of_game
from sim.stats.metrics import in_order

ROOT = Path(__file__).parents[1]
FACES, AGAIN = "faces-of-death", "kill.ante_again=true"


def alike(*frames):
    """Whether frames are the same, whatever they were asked with."""
    return all(frame.equals(frames[0]) for frame in frames)


@pytest.mark.parametrize(
    ("written", "sizes"),
    [(4, [4]), ("4", [4]), ("2-4", [2, 3, 4]), ("3,6", [3, 6]), (["2-3", 8], [2, 3, 8]),
     (range(2, 4), [2, 3]), (("2", "3"), [2, 3])],
)  # fmt: skip
def test_table_sizes_are_written_alike_everywhere(written, sizes):
    assert table_sizes(written) == sizes
    made = sim.make_plan("spades", players=written, pots=10)
    assert [scenario.players for scenario in made.scenarios] == sizes
    assert alike(sim.exact("spades", written), sim.exact("spades", sizes))


@pytest.mark.parametrize(
    "written", [2000, 2e3, "2k", "2K", "2_000", "2,000", "2e3", "2.0k", "0.002M", " 2000 "]
)
def test_numbers_of_pots_are_written_alike_everywhere(written, tmp_path):
    assert count(written) == 2000
    assert sim.make_plan("spades", players=2, pots=written).pots == 2000
    assert plan.grid("spades", 2, written).pots == 2000
    if isinstance(written, str):
        (tmp_path / "plan.toml").write_text(f'games = "spades"\nplayers = 2\npots = "{written}"')
        assert sim.Plan.load(tmp_path / "plan.toml").pots == 2000


@pytest.mark.parametrize("written", ["1e3k", "1e-3", "2.5", "ten", "", "-1k", 2.5, "1e"])
def test_what_is_no_number_of_pots_is_refused(written, refused):
    refused(lambda: sim.make_plan("spades", players=2, pots=written), "pots")


def test_one_table_is_asked_for_in_the_same_words():
    rows = sim.pots("spades", 3, 100, seed=7, policies="typical", first=1000)
    assert alike(
        rows,
        sim.pots("Spades", "3", "100", seed=7, policy="Typical", first="1k"),
        sim.pots(game="spades", players=3, pots=1e2, seed=7, policies=["typical"], first=1e3),
    )
    assert (sim.deal("3", "1k", seed=7) == sim.deal(3, 1000, seed=7)).all()
    same = [
        sim.equity("As Ad Kd", 2, **words)
        for words in (
            {"game": "spades", "players": 4, "deals": 1000},
            {"games": "Spades", "players": "4", "deals": "1k"},
        )
    ]
    assert same[0] == same[1]


def test_one_table_is_not_several(refused):
    for call in (sim.deal, lambda players: sim.pots("spades", players)):
        refused(lambda call=call: call("2-4"), "'2-4'", "name one")


@pytest.mark.parametrize("title", ["Faces of Death", "faces of death", "FACES_OF_DEATH", FACES])
def test_a_game_is_called_by_its_title_or_its_name(title, capsys):
    assert sim.Game.load(title) == game.load(FACES)
    assert cli.main(["games", title]) == 0
    assert "Faces of Death\n====" in capsys.readouterr().out
    assert alike(sim.exact(title, 2), sim.exact(FACES, 2))


def test_a_scenario_is_called_by_the_title_of_its_game():
    with sim.simulate([FACES, "spades"], 2, 100, seed=1) as held:
        assert held.scenario("Faces of Death:2") == held.scenario("faces-of-death:2:stay")
        assert held.scenario("Spades:2").game.name == "spades"


@pytest.mark.parametrize("name", ["policy", "policies"])
def test_policies_go_by_both_names(name, tmp_path):
    words = {name: "fold:0.1"}
    assert alike(sim.exact("spades", 2, **words), sim.exact("spades", 2, policies="fold:0.1"))
    with sim.simulate("spades", 2, 100, seed=1, **words) as held:
        (scenario,) = (scenario for scenario, _ in held.parts)
        assert scenario.policy == "fold:0.1"
        frame = held.frame()
    assert alike(frame, sim.read_or_simulate(None, "spades", 2, 100, seed=1, **words))
    assert sim.recommend("spades", 2, 100, seed=1, **words).policy == "fold:0.1"
    text = f'game = "Spades"\nplayers = 2\npots = 1e2\nseed = 1\n{name} = "fold:0.1"'
    (tmp_path / "plan.toml").write_text(text)
    assert sim.Plan.load(tmp_path / "plan.toml") == sim.make_plan(**tomllib.loads(text))
    command = ["exact", "spades", "--players", "2", f"--{name}", "fold:0.1", "--format", "csv"]
    assert cli.main(command) == 0


def test_the_same_is_not_said_twice(refused):
    refused(lambda: sim.exact("spades", 2, policy="stay", policies="stay"), "policies", "the same")
    refused(lambda: sim.make_plan("spades", pots=1, policy="stay", policies="stay"), "the same")


@pytest.mark.parametrize(
    "options", [AGAIN, [AGAIN], {"kill.ante_again": True}, {"kill.ante_again": "true"}]
)
def test_options_are_settings_or_a_dictionary(options):
    page = game.load(FACES, [AGAIN])
    assert sim.Game.load(FACES, options) == page
    assert sim.make_plan(FACES, players=2, pots=1, options=options).scenarios[0].game == page
    made = sim.make_plan({"page": FACES, "options": options}, players=2, pots=1)
    assert made.scenarios[0].game == page
    assert alike(sim.exact(FACES, 2, options=options), sim.exact(page, 2))


@pytest.mark.parametrize("limits", ["deals=4", ["deals=4"], {"deals": 4}, advice.Limits(deals=4)])
def test_limits_are_written_as_on_the_command_line(limits):
    answer = sim.recommend(FACES, 2, 100, seed=1, limits=limits, pace="shuffle=30")
    assert (answer.limits.deals, answer.pace.shuffle) == (4, 30)


# --- Frames ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def varied():
    """A frame of pages with and without options."""
    pages = ["spades", game.load("spades", ["wild=none"]), game.load(FACES, [AGAIN])]
    with sim.simulate(pages, [2, 3], 500, seed=7) as held:
        yield held


def test_options_that_differ_are_columns(varied):
    frame = varied.frame()
    assert list(frame.columns[:5]) == ["game", "wild", "kill.ante_again", "players", "policy"]
    assert set(frame.game) == {"spades", FACES}
    told = frame[["game", "wild", "kill.ante_again"]].drop_duplicates()
    assert told.to_records(index=False).tolist() == [
        ("spades", "spades", False), ("spades", "none", False), (FACES, "none", True),
    ]  # fmt: skip
    for other in (varied.convergence(), varied.recommendations(frame), varied.status()):
        assert {"wild", "kill.ante_again"} <= set(other)
    assert not set(OPTIONS) & set(sim.exact("spades", 2))


def test_games_of_one_name_are_told_apart_by_what_differs(tmp_path):
    for prices in ("[1]", "[2, 4]"):
        (tmp_path / f"{prices}.toml").write_text(
            f'name = "own"\ntitle = "Own"\n[toll]\ncards = "hearts"\nprices = {prices}\n'
        )
    frame = sim.exact([tmp_path / "[1].toml", tmp_path / "[2, 4].toml"], 2)
    assert list(frame["toll.prices"].unique()) == ["[1]", "[2,4]"]
    assert list(flat(frame).game.unique()) == ["own toll.prices=[1]", "own toll.prices=[2,4]"]


def test_frames_put_together_tell_options_apart(varied):
    dear = game.load("spades", ["ante.amount=2"])
    both = pd.concat([sim.exact("spades", 2), sim.exact(dear, 2)])
    assert list(flat(both).game.unique()) == ["spades", "spades ante.amount=2"]
    for page in (game.load("spades"), dear):
        assert len(of_game(both, page)) == len(both) // 2


def test_charts_advice_and_commands_tell_options_apart(varied):
    frame = varied.frame()
    for page in {scenario.game.digest: scenario.game for scenario, _ in varied.parts}.values():
        rows = of_game(frame, page)
        assert len(rows)
        assert set(rows.game) == {page.label}
        assert advice.recommend(frame, page).frame().players.nunique() == 2
    games = {drawing.games for drawing in charts.drawings(frame)}
    assert {"spades", "spades wild=none", f"{FACES} {AGAIN}"} <= games


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_frame_comes_back_from_a_file(varied, tmp_path, kind):
    frame = varied.frame()
    if kind == "csv":
        frame.to_csv(tmp_path / "a.csv", index=False)
        again = in_level_order(pd.read_csv(tmp_path / "a.csv", dtype={"level": str}))
    else:
        frame.to_parquet(tmp_path / "a.parquet")
        again = pd.read_parquet(tmp_path / "a.parquet")
    assert again.level.dtype == frame.level.dtype
    pd.testing.assert_frame_equal(again, frame, check_exact=False)
    assert alike(flat(again)[["game", "level"]], flat(frame)[["game", "level"]])


def test_levels_sort_as_a_reader_would():
    with sim.simulate([FACES, "spades"], [3, 8], 400, seed=7, policies=["stay", "loose"]) as held:
        frame = held.frame()
    assert frame.level.cat.ordered
    for metric, rows in frame.groupby("metric"):
        levels = list(rows.level.sort_values().unique())
        known = [level for _, level in in_order((metric, level) for level in rows.level.unique())]
        assert levels == known, metric
    kills = frame[(frame.metric == "kill_rate") & (frame.policy == "stay")]
    wide = kills.pivot(index="players", columns="level", values="estimate")
    assert list(wide)[:4] == ["third", "fourth", "fifth", "sixth"]


# --- Names ----------------------------------------------------------------------------------------


def test_the_package_lists_its_public_names_and_no_others():
    listed = subprocess.run(
        [sys.executable, "-c", "import sim; print(*dir(sim)); sim.simulate; print(*dir(sim))"],
        capture_output=True, text=True, check=True,
    ).stdout.splitlines()  # fmt: skip
    assert listed[0] == listed[1] == " ".join(sorted(sim.__all__))
    assert all(getattr(sim, name) is not None for name in sim.__all__)
    assert sim.Game is game.Game


def test_one_version_is_said_everywhere(capsys):
    told = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert f"## {told}" in (ROOT / "CHANGELOG.md").read_text()
    assert f"version: {told}\n" in (ROOT / "CITATION.cff").read_text()
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == f"spadework {sim.__version__}\n"


# --- Studies --------------------------------------------------------------------------------------


def test_a_study_shows_itself_in_a_notebook(varied):
    shown = varied._repr_html_()
    assert shown.count("<tr") == 1 + len(varied.parts)
    assert "&lt;Study of 6 scenarios" in shown
    for words in ("spades wild=none", f"{FACES} {AGAIN}", "stay", "500"):
        assert f"<td>{words}</td>" in shown


def test_python_and_the_commands_say_the_same_of_a_store(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for seed in (1, 2):
        sim.simulate([FACES, "spades"], 2, 200, seed=seed, store=f"{seed}.db").store.close()

    def told(*command):
        assert cli.main([*command, "--format", "csv"]) == 0
        return pd.read_csv(pd.io.common.StringIO(capsys.readouterr().out))

    merged = sim.merge(["1.db", "2.db"], into="both.db")
    assert merged == (800, 800)
    assert sim.merge("1.db", "both.db") == (800, 0)
    assert cli.main(["merge", "1.db", "2.db", "--into", "both.db"]) == 0
    assert capsys.readouterr().out == "both.db holds 800 pots, 0 of them new.\n"
    with sim.open_study("both.db") as held:
        status = told("status", "both.db")
        assert list(status.checksum) == list(held.status().checksum)
        assert set(status.columns) == set(study.STATUS)
        difference = held.diff("Spades:2", f"{FACES}:2", metrics="winning_hand")
        said = told("diff", "both.db", "Spades:2", f"{FACES}:2", "--metric", "winning_hand")
        assert list(said.difference) == pytest.approx(list(difference.frame.difference))
        assert "Spades" not in difference.basis
    (tmp_path / "plan.toml").write_text('game = "spades"\nplayers = "2-3"\npots = 300\nseed = 1')
    forecast = sim.Plan.load("plan.toml").forecast("both.db")
    said = told("plan", "plan.toml", "--store", "both.db")
    assert list(forecast.pots) == list(said.pots) == [200, 0]
    assert list(forecast.to_play) == list(said.to_play)
    assert not list(tmp_path.glob("both.db-*"))


@pytest.mark.parametrize("policy", ["stay", "typical"])
def test_a_forecast_is_about_what_a_precision_takes(policy):
    asked = sim.make_plan(
        FACES, players="3,7", pots="5M", seed=7, policy=policy, metric="kill_rate", half_width=1e-3
    )
    told = asked.forecast()
    assert not told.at_most.any()
    with sim.run_plan(asked) as held:
        played = held.status()
    assert set(played.stop) == {"precision"}
    assert (told.to_play / played.pots).between(0.6, 1.6).all()


def test_a_forecast_that_knows_no_more_says_at_most():
    asked = sim.make_plan(
        "spades", players=3, pots="5M", policy="loose", metric="pot_size", half_width=0.1
    )
    told = asked.forecast()
    assert (told.to_play.item(), told.at_most.item()) == (5_000_000, True)


def test_a_recommendation_says_first_that_it_will_play_and_where(tmp_path, capfd):
    command = ["recommend", "spades", "--players", "2", "--pots", "300", "--seed", "1"]
    command += ["--store", str(tmp_path / "a.db"), "--format", "csv"]
    assert cli.main(command) == 0
    assert "a.db lacks 300 pots" in capfd.readouterr().err.splitlines()[0]
    assert cli.main(command) == 0
    assert "lacks" not in capfd.readouterr().err


@pytest.mark.parametrize(
    ("typed", "offered"),
    [("spadework re", {"replay", "recommend", "recount", "report"}),
     ("spadework exact sp", {"spades"}),
     ("spadework exact spades --policy t", {"typical", "tight"})],
)  # fmt: skip
def test_a_shell_completes_commands_games_and_policies(typed, offered):
    environment = {
        **os.environ, "_SPADEWORK_COMPLETE": "complete_bash", "COMP_WORDS": typed,
        "COMP_CWORD": str(len(typed.split()) - 1),
    }  # fmt: skip
    words = [sys.executable, "-c", "import sys; sys.argv[0] = 'spadework'\n"
             "from sim.cli import script; script()"]  # fmt: skip
    done = subprocess.run(words, env=environment, capture_output=True, text=True)
    assert set(done.stdout.split()) == offered
