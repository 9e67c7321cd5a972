"""Runs and stores: totals that depend on seed and rules alone, and files that lose nothing."""

import sqlite3
import subprocess
import sys

import numpy as np
import pytest

from sim import game, study
from sim.errors import InputError, NoData
from sim.plan import grid
from sim.runs import run
from sim.runs.collection import collect
from sim.runs.store import Cell, Store
from sim.runs.threads import Block, play_block
from sim.scenario import Scenario
from sim.stats.frame import flat
from sim.tally import Tally

ODD_POTS = 2 * run.CELL + 3 * run.BLOCK + 1234
"""Full cells, full blocks of a partial cell, and a partial block."""


def plan(pots=ODD_POTS, seed=7, name="faces-of-death", players=(3,)):
    return grid([game.load(name)], players, pots, seed)


@pytest.fixture
def path(tmp_path):
    """A store of a hundred pots."""
    path = tmp_path / "study.db"
    with Store(path) as store:
        collect(plan(100), store, 1)
    return path


def totals(result):
    return [tally.data.tolist() for _, tally in study.Study.of(result).totals()]


def test_totals_are_the_same_for_any_number_of_threads():
    results = [totals(collect(plan(), Store(None), threads)) for threads in (1, 2, 7)]
    assert results[0] == results[1] == results[2]
    assert sum(results[0][0][:1]) == ODD_POTS


def test_a_partial_block_is_a_prefix_of_the_full_one():
    scenario = Scenario(game.load("spades"), 5)
    parts = [play_block(Block(scenario, 7, first, pots)) for first, pots in ((0, 100), (100, 156))]
    assert parts[0] + parts[1] == play_block(Block(scenario, 7, 0, 256))


def test_a_store_goes_on_and_ends_where_one_long_run_does(tmp_path):
    path = tmp_path / "study.db"
    for pots in (1000, run.CELL + 10, ODD_POTS):
        with Store(path) as store:
            grown = totals(collect(plan(pots), store, 2))
    assert grown == totals(collect(plan(), Store(None), 2))


def test_nothing_is_played_twice(tmp_path):
    with Store(tmp_path / "study.db") as store:
        collect(plan(5000), store, 1)
        assert [job.pots for job in run.jobs(plan(5000), store)] == [0]
        assert [job.pots for job in run.jobs(plan(4000), store)] == [0]
        assert [job.pots for job in run.jobs(plan(5001), store)] == [5001]


def test_without_a_seed_a_scenario_goes_on_with_its_own(tmp_path):
    with Store(tmp_path / "study.db") as store:
        collect(plan(100, seed=11), store, 1)
        assert [job.seed for job in run.jobs(plan(200, seed=None), store)] == [11]
        other = run.jobs(plan(200, seed=None, players=(4,)), store)[0].seed
        assert other != 11


def test_a_longer_cell_replaces_a_shorter_one_and_is_never_added_to_it(tmp_path):
    scenario = Scenario(game.load("spades"), 2)
    short, long = (play_block(Block(scenario, 1, 0, pots)) for pots in (50, 80))
    with Store(tmp_path / "study.db") as store:
        for tally in (short, long, short, long):
            store.add([Cell(scenario, 1, 0, tally)])
        assert store.total(scenario, 1) == long


def test_seeds_add_when_all_are_asked_for(tmp_path):
    with Store(tmp_path / "study.db") as store:
        for seed in (1, 2):
            collect(plan(100, seed=seed), store, 1)
        scenario = plan().scenarios[0]
        assert store.total(scenario).pots == 200
        assert store.total(scenario, 1).pots == 100


def test_tallies_of_different_games_do_not_add():
    one, other = (Tally(Scenario(game.load("spades"), players).shapes) for players in (2, 3))
    with pytest.raises(ValueError, match="do not add up"):
        one += other


def test_a_store_that_is_none_is_refused_and_left_as_it_was(tmp_path):
    text = tmp_path / "notes.txt"
    text.write_text("not a database, and dear to its owner")
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as db:
        db.execute("CREATE TABLE mine (x)")
    db.close()
    for path in (text, other, tmp_path):
        before = path.read_bytes() if path.is_file() else None
        with pytest.raises(InputError) as caught:
            Store(path)
        assert str(path) in str(caught.value)
        assert before == (path.read_bytes() if path.is_file() else None)
    with pytest.raises(InputError, match="there is no store"):
        study.open_study(tmp_path / "missing.db")


def test_a_newer_store_is_refused(tmp_path):
    path = tmp_path / "study.db"
    Store(path).close()
    db = sqlite3.connect(path)
    db.execute("PRAGMA user_version = 99")
    db.close()
    with pytest.raises(InputError, match="store format 99"):
        Store(path)


def test_a_store_of_another_play_is_refused_not_misread(path, monkeypatch):
    monkeypatch.setattr("sim.scenario.PLAY", 99)
    with pytest.raises(InputError, match="another version"):
        study.open_study(path)


@pytest.mark.parametrize("damage", ["x''", "x'00'", "zeroblob(500)", "'text'"])
def test_a_damaged_cell_is_refused_in_one_sentence(path, damage):
    with sqlite3.connect(path) as db:
        db.execute(f"UPDATE cells SET numbers = {damage}")
    db.close()
    with pytest.raises(InputError, match="damaged"), study.open_study(path) as opened:
        opened.frame()


def test_noise_in_a_store_is_refused_in_one_sentence(path):
    content = bytearray(path.read_bytes())
    content[4096:] = b"\x5a" * (len(content) - 4096)
    path.write_bytes(content)
    with pytest.raises(InputError):
        study.open_study(path).frame()


def test_a_seed_is_the_same_seed_however_it_is_typed(tmp_path):
    path = tmp_path / "study.db"
    for seed in (7, np.int64(7), np.uint32(7)):
        study.simulate("spades", 2, 1000, seed=seed, store=path).store.close()
    with study.open_study(path) as opened:
        assert [tally.pots for _, tally in opened.totals()] == [1000]
    with pytest.raises(InputError, match="whole number"):
        study.simulate("spades", 2, 1000, seed=7.5, store=path)


def test_numbers_of_numpy_are_numbers():
    result = study.simulate("spades", np.arange(2, 4), np.int64(50), seed=1, threads=np.int64(1))
    assert [scenario.players for scenario, _ in result.parts] == [2, 3]


@pytest.mark.slow
def test_of_two_runs_at_once_on_one_new_store_the_second_is_refused_or_finds_it_done(tmp_path):
    command = [sys.executable, "-m", "sim", "run", "spades", "--players", "2", "--pots", "1k"]
    command += ["--seed", "7", "--quiet", "--store", str(tmp_path / "r" / "s.db")]
    runs = [
        subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=tmp_path
        )
        for _ in range(2)
    ]
    ends = sorted((process.communicate(timeout=300)[1], process.returncode) for process in runs)
    assert ends[0] == ("", 0)
    assert ends[1] == ("", 0) or (ends[1][1] == 2 and "another run" in ends[1][0])
    assert sorted(path.name for path in (tmp_path / "r").iterdir()) == ["s-spades.png", "s.db"]


def test_a_run_keeps_what_it_was_made_with(path):
    db = sqlite3.connect(path)
    seconds, provenance = db.execute("SELECT seconds, provenance FROM runs").fetchone()
    db.close()
    assert seconds > 0
    assert '"numba"' in provenance


def test_simulate_takes_names_pages_and_several(tmp_path):
    own = tmp_path / "own.toml"
    own.write_text('name = "own"\ntitle = "Own"\n[kill]\ncards = "Qs Qh"\n')
    result = study.simulate(["black-mariah", own, game.load("spades")], players=2, pots=50, seed=1)
    assert list(result.frame().game.unique()) == ["black-mariah", "own", "spades"]


@pytest.mark.parametrize("threads", [0, -1, 100_000])
def test_impossible_numbers_of_threads_are_refused(threads):
    with pytest.raises(InputError, match="threads"):
        study.simulate("spades", players=2, pots=10, threads=threads)


def test_a_store_is_read_as_it_is_and_without_one_pots_are_played(tmp_path):
    path = tmp_path / "study.db"
    words = {"seed": 7, "store": path, "policies": ["stay", "fold:0.2"]}
    with study.simulate("faces-of-death", [2, 3], 1500, **words) as played:
        frame = played.frame()
    study.simulate("spades", 2, 700, seed=1, store=path).store.close()
    before = path.read_bytes()
    found = study.read_or_simulate(path, "faces-of-death", pots=9_000_000, policies=["fold:0.2"])
    assert flat(found).equals(flat(frame[frame.policy == "fold:0.2"]).reset_index(drop=True))
    assert path.read_bytes() == before
    again = study.read_or_simulate(
        None, "faces-of-death", [2, 3], 1500, seed=7, policies=["stay", "fold:0.2"]
    )
    assert again.equals(frame)


def test_what_a_store_lacks_is_no_data(tmp_path, refused):
    path = tmp_path / "study.db"
    study.simulate("faces-of-death", 2, 500, seed=7, store=path).store.close()
    for words in ({"players": 3}, {"options": ["kill.ante_again=true"]}, {"policies": "tight"}):
        with pytest.raises(NoData, match="holds no pots of faces-of-death"):
            study.read_or_simulate(path, "faces-of-death", **words)
    refused(lambda: study.read_or_simulate(tmp_path / "none.db", "spades"), "no store")
    refused(lambda: study.read_or_simulate(path, "sapdes"), "no game")


@pytest.mark.parametrize("words", [{"engine": "ray"}, {"scheduler": "tcp://x:1"}])
def test_an_engine_that_is_refused_leaves_no_store(tmp_path, words):
    with pytest.raises(InputError, match="engine"):
        study.simulate("spades", 2, 10, store=tmp_path / "new" / "study.db", **words)
    assert not list(tmp_path.iterdir())


def test_a_stop_says_what_is_kept_and_still_is_an_interrupt(tmp_path):
    def stop(progress):
        if progress.played > 2 * run.CELL:
            raise KeyboardInterrupt

    path = tmp_path / "study.db"
    with pytest.raises(KeyboardInterrupt, match=rf"pots are kept in {path}; the same command"):
        study.run_plan(plan(10**9), path, threads=1, progress=stop)
    with study.open_study(path) as opened:
        assert opened.totals()[0][1].pots >= run.CELL
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_only_what_is_missing_is_played_if_that_is_asked(tmp_path):
    path = tmp_path / "study.db"
    with collect(plan(5000), path, 1).store as store:
        note = store.note(plan().scenarios[0], 7)
    before = path.read_bytes()
    done = collect(plan(1000), path, 1, only_missing=True)
    with done.store as store, pytest.raises(InputError, match="readonly"):
        store.add([], [note])
    assert path.read_bytes() == before
    with collect(plan(1000, players=(3, 4)), path, 1, only_missing=True).store as store:
        assert store.note(note.scenario, 7) == note
        assert [store.total(*part).pots for part in store.parts()] == [5000, 1000]
