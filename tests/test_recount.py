"""Stores that lack counts, and stores of the format before.

``facts/format-2.db`` is what commit 839494b wrote, ``format-2-engine-4.db`` commit b713744 and
``format-3.db`` commit 8ecb2ef, by ``spadework run spades --players 2 --pots 300 --seed 7 --policy
typical --policy fold:0.1 --policy stay``.
"""

import shutil
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import sim
from sim import cli, export, plan, study
from sim.errors import printable
from sim.runs import cells, convert, packing, run
from sim.runs import recount as recounting
from sim.runs.store import Store, sealed
from sim.stats import stopping
from sim.stats.differences import COLUMNS
from sim.stats.metrics import METRICS, estimates
from sim.tally import Counts, Tally

FACTS = Path(__file__).parent / "facts"
OLD = ["format-2.db", "format-2-engine-4.db"]
BEFORE, NEW = "format-3.db", {"carried", "winner_tolls", "net_of_opener"}
"""A store of this format, made before these were counted."""
POLICIES = ["typical", "fold:0.1", "stay"]


@pytest.fixture
def held(tmp_path):
    """Return a copy of one of the stores."""
    return lambda name: Path(shutil.copy(FACTS / name, tmp_path / name))


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """Two cells of Spades for two typical players, the second short."""
    path = tmp_path_factory.mktemp("whole") / "whole.db"
    study.run_plan(typical(run.CELL + 100), path).store.close()
    return path


@pytest.fixture
def path(tmp_path, played):
    """The same as if ``decisions`` had been counted from the second cell on."""
    copy = Path(shutil.copy(played, tmp_path / "lacking.db"))
    forget(copy, "decisions", [0])
    return copy


def change(path, to, numbers=None):
    """Change the counts of cells of a store, or of all."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for *key, pots, directory, checksums, data, _ in db.execute(
            "SELECT * FROM cells"
        ).fetchall():
            if numbers is None or key[2] in numbers:
                counts = to(packing.unpack(packing.Packed(directory, checksums, data)))
                values = sealed(*key, pots, *packing.pack(counts))
                db.execute("REPLACE INTO cells VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)


def forget(path, count, numbers=None):
    """Leave a count out of cells of a store, as if it was not counted yet."""
    change(path, lambda counts: {name: counts[name] for name in counts if name != count}, numbers)


def spadework(*words):
    return cli.main([str(word) for word in words])


def typical(pots, **more):
    return plan.make_plan("spades", players=2, pots=pots, seed=7, policies=["typical"], **more)


def test_the_fixtures_are_small():
    assert all((FACTS / name).stat().st_size < 100_000 for name in [*OLD, BEFORE])


# Stores of the format before.


@pytest.mark.parametrize("name", OLD)
def test_an_old_store_is_refused_by_all_but_convert(held, capsys, name):
    path = held(name)
    before, new = path.read_bytes(), path.with_name("new.db")
    for words in (
        ("show", path), ("status", path), ("export", path), ("chart", path), ("recount", path),
        ("diff", path, "a", "b"), ("merge", path, "--into", new), ("merge", new, "--into", path),
        ("run", "spades", "--players", "2", "--pots", "10", "--store", path),
        ("convert", path, "--into", path),
    ):  # fmt: skip
        assert spadework(*words) == 2
        told = capsys.readouterr().err
        assert told.count("\n") == 1
        assert "convert" in told or "no store" in told, told
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == [name]


@pytest.mark.parametrize("name", OLD)
def test_a_converted_store_is_what_is_played_today(held, capsys, name):
    path = held(name)
    before, new = path.read_bytes(), path.with_name("new.db")
    assert spadework("convert", path, "--into", new) == 0
    assert "900 pots, 900 of them new" in capsys.readouterr().out
    assert path.read_bytes() == before
    assert sorted(file.name for file in path.parent.iterdir()) == sorted([name, "new.db"])
    asked = plan.make_plan("spades", players=2, pots=300, seed=7, policies=POLICIES)
    with study.run_plan(asked) as now, study.open_study(new) as opened:
        today = {scenario.key: tally for scenario, tally in now.totals()}
        for scenario, tally in opened.totals():
            blind = scenario.policy == "fold:0.1" and name != OLD[0]
            assert tally.lacks == NEW | ({"decisions"} if blind else set())
            assert tally.arrays().keys() == today[scenario.key].arrays().keys() - tally.lacks
            for count, numbers in tally.arrays().items():
                np.testing.assert_array_equal(numbers, today[scenario.key].arrays()[count])
        assert set(opened.status().stop) == {"pots"}
        assert len(opened.store.runs()) == 1
    assert spadework("recount", new) == 0
    with study.open_study(new) as opened:
        assert {scenario.key: tally for scenario, tally in opened.totals()} == today
    assert spadework("convert", path, "--into", new) == 0
    assert "900 pots, 0 of them new" in capsys.readouterr().out


def test_what_steers_a_terminal_is_spelled_in_the_paths_of_stores(held, tmp_path, capsys):
    new, other = tmp_path / "\x1b]0;new.db", tmp_path / "\u202eother.db"
    for words in (
        ("convert", held(OLD[0]), "--into", new), ("recount", new), ("merge", new, "--into", other),
    ):  # fmt: skip
        assert spadework(*words) == 0
        told = capsys.readouterr().out.removesuffix("\n")
        assert ascii(words[-1].name)[1:-1] in told
        assert printable(told) == told


def test_a_store_made_before_three_metrics_lacks_them_until_recounted(held, capsys):
    path = held(BEFORE)
    asked = plan.make_plan("spades", players=2, pots=300, seed=7, policies=POLICIES)
    assert spadework("show", path, "--format", "csv") == 0
    out, err = capsys.readouterr()
    assert "lacks carried, winner_tolls, net_of_opener of some pots" in err
    assert "winner_tolls" not in out
    with study.open_study(path) as opened:
        known = opened.frame()
        assert set(opened.store.lacking_counts()) == NEW
    assert spadework("recount", path) == 0
    with study.run_plan(asked) as now, study.open_study(path) as opened:
        frame, today = opened.frame(), {scenario.key: tally for scenario, tally in now.totals()}
        assert {scenario.key: tally for scenario, tally in opened.totals()} == today
    assert set(frame.metric) - set(known.metric) == {"winner_tolls"}
    assert known.equals(frame[frame.metric != "winner_tolls"].reset_index(drop=True))


def test_an_old_store_with_a_log_is_read_from_a_copy(held):
    path = held(OLD[0])
    log = path.with_name(f"{path.name}-wal")
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode=wal")
        db.execute("DELETE FROM notes")
        whole, logged = path.read_bytes(), log.read_bytes()
    path.write_bytes(whole)
    log.write_bytes(logged)
    with convert.opened(path) as (five, _):
        assert [five.note(*part) for part in five.parts()] == [None] * 3
    assert (path.read_bytes(), log.read_bytes()) == (whole, logged)
    assert len(list(path.parent.iterdir())) == 2


def test_a_damaged_old_store_leaves_nothing_behind(held, capsys):
    path = held(OLD[0])
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("UPDATE cells SET pots = pots + 1")
    assert spadework("convert", path, "--into", path.with_name("new.db")) == 2
    assert "damaged" in capsys.readouterr().err
    assert not path.with_name("new.db").exists()


# Stores that lack counts.


def test_a_metric_is_taken_from_the_pots_that_have_its_counts(path, capsys):
    with study.open_study(path) as opened:
        frame = opened.frame().set_index(["metric", "level"])
        ((scenario, tally),) = opened.totals()
        assert tally.lacks == {"decisions"}
        assert opened.store.lacking(scenario) == {"decisions": run.CELL}
    assert frame.pots["decisions", "mean"] == 100
    assert set(frame.drop(index="decisions", level="metric").pots) == {run.CELL + 100}
    short = next(iter(short_cell(path)))
    assert frame.estimate["decisions", "mean"] == short.counts.decisions[0] / 100
    forget(path, "decisions", [1])
    with study.open_study(path) as opened:
        assert "decisions" not in set(opened.frame().metric)
    told = sim.recommend("spades", 2, 100, policy="typical", store=path).frame()
    assert set(told[told.constraint == "minutes"].verdict) == {"unresolved"}
    assert spadework("chart", path) == 0
    capsys.readouterr()
    for command in ("show", "status", "export"):
        assert spadework(command, path) == 0
        assert "lacks decisions of some pots" in capsys.readouterr().err


def short_cell(path):
    with Store(path, write=False) as store:
        ((scenario, seed),) = store.parts()
        yield next(store.cells(scenario, seed, [1])).tally


def test_a_target_on_a_count_that_is_missing_says_how_to_get_it(path, refused):
    asked = typical(3 * run.CELL, half_width=1.0, metric="decisions", level="mean")
    refused(lambda: study.run_plan(asked, path), "lacks the count decisions", "spadework recount")
    with study.open_study(path) as opened:
        ((scenario, tally),) = opened.totals()
        status = stopping.precision_status(asked.precision, scenario, tally)
        assert status.pots == 100
    assert spadework("recount", path) == 0
    with study.run_plan(asked, path) as done:
        assert done.store.note(scenario, 7).stop == "precision"


def test_recount_makes_a_store_whole_and_is_done_once(path, capsys):
    assert spadework("recount", path, "--threads", "1") == 0
    out, err = capsys.readouterr()
    assert "played again for it: 1\n" in out
    assert err.endswith("\n65,536 of 65,536 pots, 0 s left\n")
    with study.run_plan(typical(run.CELL + 100)) as now, study.open_study(path) as opened:
        assert opened.totals()[0][1] == now.totals()[0][1]
    assert spadework("recount", path) == 0
    out, err = capsys.readouterr()
    assert (out.partition(": ")[2], err) == ("0\n", "")


def test_recount_says_how_far_it_is(path):
    with Store(path) as opened:
        blocks, said = recounting.lacking_cells(opened), []
        recounting.recount(opened, blocks, 1, said.append)
    assert [(progress.played, progress.expected) for progress in said] == [(run.CELL, run.CELL)]


def test_counts_that_are_not_known_here_stay(path):
    """As of a later spadework: one that is new, and one that has come to mean something else."""
    forget(path, "decisions")
    new, later = packing.Count(1, bytes(16)), packing.Count(9, bytes(8))
    change(path, lambda counts: counts | {"new": new, "cards": later})
    with Store(path) as opened:
        ((scenario, tally),) = [(one, opened.total(one)) for one in opened.scenarios()]
        assert tally.lacks == {"decisions", "cards"}
        recounting.recount(opened, recounting.lacking_cells(opened))
        assert opened.total(scenario).lacks == {"cards"}
    seen = []
    change(path, lambda counts: seen.append(counts) or counts)
    assert {(counts["cards"], counts["new"]) for counts in seen} == {(later, new)}


def test_a_count_of_another_size_or_with_a_wrong_checksum_is_damage(path, refused):
    change(path, lambda counts: counts | {"cards": packing.Count(1, bytes(8))})
    with Store(path) as opened:
        refused(lambda: opened.total(opened.scenarios()[0]), "damaged", "cell 0")
    directory, checksums, numbers = packing.pack({"cards": packing.Count(1, bytes(8))})
    for wrong in (
        (directory, bytes(8), numbers),
        (directory, checksums, b"x"),
        ("[1]", b"", numbers),
    ):
        with pytest.raises(ValueError, match=r"not|no"):
            packing.unpack(packing.Packed(*wrong))


def test_what_a_cell_lacks_is_blank_in_its_table(path):
    with Store(path) as opened:
        cells_file, _ = export.write(opened, path.with_name("cells.csv"), "csv", cells=True)
    table = pd.read_csv(cells_file)
    rows = table[(table.array == "decisions") & (table.cell == 0)]
    assert rows[["place", "value"]].isna().all(axis=None)
    assert len(rows) == 1
    assert len(table[(table.array == "decisions") & (table.cell == 1)].dropna()) == 2


def test_recount_refuses_pots_that_come_out_otherwise(path, capsys):
    with Store(path) as store:
        ((scenario, seed),) = store.parts()
        cell = next(store.cells(scenario, seed, [0]))
        cell.tally.counts.cards[0] += 1
        store._db.execute("DELETE FROM cells WHERE cell = 0")
        store.add([cell])
    before = path.read_bytes()
    assert spadework("recount", path) == 2
    told = capsys.readouterr().err.splitlines()[-1]
    assert "cell 0 of spades" in told
    assert "another cards" in told
    with Store(path) as store:
        assert store.lacking(scenario) == {"decisions": run.CELL}
    assert path.read_bytes() == before


def test_merging_adds_what_one_of_two_lacks(path, tmp_path):
    whole = tmp_path / "whole.db"
    study.run_plan(typical(run.CELL), whole).store.close()
    for into, other in ((tmp_path / "a.db", path), (tmp_path / "a.db", whole)):
        assert spadework("merge", other, "--into", into) == 0
    assert spadework("merge", path, "--into", whole) == 0
    for merged in (tmp_path / "a.db", whole):
        with study.open_study(merged) as opened:
            ((scenario, tally),) = opened.totals()
            assert (tally.pots, opened.store.lacking(scenario)) == (run.CELL + 100, {})


def test_a_difference_is_taken_where_both_have_the_count(path):
    study.run_plan(plan.make_plan("spades", players=2, pots=500, seed=7), path).store.close()
    with Store(path, write=False) as store:
        names = {scenario.policy: scenario for scenario in store.scenarios()}
        frame = cells.compare(store, names["typical"], names["stay"]).frame
        row = frame[frame.metric == "decisions"].iloc[0]
        short = next(iter(short_cell_of(store, names["typical"])))
        assert row.a == short.counts.decisions[0] / 100
        assert list(frame.columns) == list(COLUMNS)


def short_cell_of(store, scenario):
    yield next(store.cells(scenario, 7, [1])).tally


def test_every_metric_says_what_it_is_made_of():
    """Whatever changes when a count is gone is made of it."""
    for words in ("faces-of-death", "faces-of-death kill.treatment=player-out", "spades"):
        name, *options = words.split()
        mixed = "tight,loose,typical"
        asked = plan.make_plan(
            name, players=3, pots=2000, seed=7, policies=[mixed], options=options
        )
        with study.run_plan(asked) as done:
            ((scenario, tally),) = done.totals()
        whole = values(scenario, tally)
        for count in set(Counts._fields) - {"pots"}:
            less = Tally(tally.shapes, tally.data.copy())
            getattr(less.counts, count)[...] = 0
            now = values(scenario, less)
            changed = {key[0] for key in whole if repr(whole[key]) != repr(now.get(key))}
            assert changed <= {name for name in METRICS if count in METRICS[name].counts}, count


def values(scenario, tally):
    with np.errstate(all="ignore"):
        return {(name, level): value for name, level, value in estimates(scenario, tally)}


@pytest.mark.slow
def test_a_killed_recount_goes_on(tmp_path):
    """A real process, killed while it recounts; the same command ends where one would have."""
    path, cells = tmp_path / "study.db", 40
    asked = plan.make_plan("spades", players=2, pots=cells * run.CELL, seed=7, policies=["typical"])
    with study.run_plan(asked, path) as done:
        ((scenario, whole),) = done.totals()
    forget(path, "decisions")

    def lacking():
        with Store(path, write=False) as store:
            return len(store.pots(scenario, 7)) - len(store.pots(scenario, 7, ["decisions"]))

    command = [sys.executable, "-m", "sim", "recount", str(path), "--threads", "1"]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        end = time.monotonic() + 120
        while lacking() > cells - 3 and time.monotonic() < end:
            time.sleep(0.02)
        process.kill()
    assert 0 < lacking() < cells
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0
    with study.open_study(path) as opened:
        assert opened.totals()[0][1] == whole
    with Store(path) as store:
        assert recounting.lacking_cells(store) == []
