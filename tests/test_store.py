"""Stores: one writer, many readers, one file; whatever is not ours is left alone."""

import json
import os
import shutil
import sqlite3
import time
from contextlib import closing

import numpy as np
import pytest

from sim import cli, game, plan, study
from sim.errors import InputError
from sim.runs import lock, run
from sim.runs.collection import collect
from sim.runs.store import Cell, Note, Store, checksum
from sim.runs.threads import Block, play_block
from sim.scenario import Scenario
from sim.tally import Tally

SPADES = Scenario(game.load("spades"), 2)


@pytest.fixture
def path(tmp_path):
    """Where a store with two cells of spades lies."""
    with Store(tmp_path / "study.db") as store:
        collect(asked(2 * run.CELL), store, 2)
    return tmp_path / "study.db"


def asked(pots, seed=7):
    return plan.make_plan("spades", players=2, pots=pots, seed=seed)


def test_a_second_writer_is_refused_and_readers_are_not(path):
    with Store(path) as first, first.writing(), Store(path) as second:
        with pytest.raises(InputError, match="being written by another run"):
            collect(asked(10), second, 1)
        with study.open_study(path) as reader:
            assert reader.totals()[0][1].pots == 2 * run.CELL
    with Store(path) as later:
        collect(asked(3 * run.CELL), later, 1)
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_reader_cannot_write(path):
    with Store(path, write=False) as reader, pytest.raises(InputError, match="readonly"):
        reader.add([Cell(SPADES, 1, 0, play_block(Block(SPADES, 1, 0, 10)))])


def test_commits_are_safe_and_grouped(path):
    with Store(path) as store:
        modes = [store._rows(f"PRAGMA {name}")[0][0] for name in ("journal_mode", "synchronous")]
    assert modes == ["wal", 2]


def test_finished_cells_are_written_a_second_apart(monkeypatch):
    commits = []
    with Store(None) as store:
        monkeypatch.setattr(store, "add", lambda cells, _: commits.append(len(cells)))
        monkeypatch.setattr("sim.runs.run.COMMIT_SECONDS", 1000)
        collect(asked(5 * run.CELL), store, 2)
    assert commits == [5]


def test_on_a_network_disk_there_is_no_shared_log_and_the_user_is_told(path, monkeypatch, tmp_path):
    mounts = tmp_path / "mounts"
    mounts.write_text(f"rootfs / ext4 rw 0 0\nhost:/home {tmp_path} nfs4 rw 0 0\n")
    monkeypatch.setattr(lock, "MOUNTS", mounts)
    with Store(path) as store:
        assert store._rows("PRAGMA journal_mode")[0][0] == "delete"
        assert "network file system (nfs4)" in store.notice
        collect(asked(3 * run.CELL), store, 1)
    monkeypatch.undo()
    with Store(path) as store:
        assert store.notice is None
        assert store.total(SPADES, 7).pots == 3 * run.CELL


def test_a_store_in_a_folder_that_cannot_be_written_can_be_read(path, monkeypatch):
    monkeypatch.setattr("sim.runs.lock.os.access", lambda _, mode: mode == os.R_OK)
    assert "immutable=1" in lock.reading_address(path)
    before = path.read_bytes()
    with study.open_study(path) as opened:
        assert opened.totals()[0][1].pots == 2 * run.CELL
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    assert path.read_bytes() == before


@pytest.mark.parametrize("schema", [1, 4, 99])
def test_another_format_is_refused_and_left_as_it_was(path, schema):
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"PRAGMA user_version = {schema}")
    before = path.read_bytes()
    for write in (True, False):
        with pytest.raises(InputError, match=f"store format {schema}"):
            Store(path, write=write)
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_an_empty_database_may_become_a_store(tmp_path):
    with closing(sqlite3.connect(tmp_path / "new.db")) as db:
        db.execute("VACUUM")
    Store(tmp_path / "new.db").close()


@pytest.mark.parametrize("share", [0.02, 0.3, 0.6, 0.95, 0.999])
def test_a_truncated_store_is_refused(path, share):
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share)])
    with pytest.raises(InputError):
        study.open_study(path).totals()


def test_noise_anywhere_is_refused_or_harmless(path):
    """64 stores, each with 200 bytes of noise at another offset."""
    with study.open_study(path) as opened:
        whole = opened.totals()[0][1]
        status = opened.status()
    content, generator = path.read_bytes(), np.random.default_rng(5)
    refused = 0
    for offset in np.linspace(0, len(content) - 200, 64).astype(int):
        noisy = bytearray(content)
        noisy[offset : offset + 200] = generator.bytes(200)
        path.write_bytes(noisy)
        try:
            with study.open_study(path) as opened:
                assert [tally for _, tally in opened.totals()] == [whole]
                assert list(opened.status().checksum) == list(status.checksum)
        except InputError:
            refused += 1
    assert refused >= 5  # the rest hit free space


@pytest.mark.parametrize("column", ["seed", "cell", "pots"])
def test_no_part_of_a_row_can_change_unnoticed(path, column):
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute(f"UPDATE cells SET {column} = {column} + 9 WHERE cell = 1")
    with study.open_study(path) as opened, pytest.raises(InputError, match="damaged"):
        opened.totals()


def test_what_a_log_lost_its_end_of_is_read_to_its_last_commit(path):
    """As after a power cut: copies of a store and its log, the log cut off."""
    before, copy = path.with_name("before.db"), path.with_name("copy.db")
    log = path.with_name("study.db-wal")
    with Store(path) as store:
        collect(asked(3 * run.CELL), store, 1)
        shutil.copy(path, before)
        content = log.read_bytes()
    found = set()
    for end in np.linspace(0, len(content), 12).astype(int):
        shutil.copy(before, copy)
        copy.with_name("copy.db-wal").write_bytes(content[:end])
        with study.open_study(copy) as opened:
            found.add(opened.totals()[0][1].pots)
    assert found <= {2 * run.CELL, 3 * run.CELL}


def test_a_run_says_all_that_made_it(path):
    with Store(path, write=False) as store:
        (made,) = store.runs()
        total = store.total(SPADES, 7)
    told = made["provenance"]
    for name in (
        "play",
        "counts",
        "spadework",
        "python",
        "numpy",
        "numba",
        "cpu",
        "threads",
        "git",
    ):
        assert name in told
    assert told["scenarios"][0]["game"]["toll"]["prices"] == [2, 5, 10, 20]
    assert (told["scenarios"][0]["seed"], made["stop"]) == (7, "finished")
    assert made["seconds"] > 0
    assert made["totals"] == [
        {"scenario": SPADES.key, "seed": 7, "pots": 2 * run.CELL, "checksum": checksum(total)}
    ]
    json.dumps(made)


def test_merging_adds_seeds_and_nothing_twice(path, tmp_path):
    with Store(tmp_path / "other.db") as other:
        collect(asked(run.CELL + 5, seed=7), other, 1)
        collect(asked(500, seed=8), other, 1)
        collect(plan.make_plan("black-mariah", players=2, pots=100, seed=7), other, 1)
    with Store(tmp_path / "c.db") as into:
        for names in (["study.db"], ["study.db", "other.db"], ["other.db"], ["c.db"]):
            with_them = [Store(tmp_path / name, write=False) for name in names]
            into.take_in(with_them)
            for one in with_them:
                one.close()
        found = {(one.game.name, seed): into.total(one, seed).pots for one, seed in into.parts()}
        assert found == {
            ("spades", 7): 2 * run.CELL, ("spades", 8): 500, ("black-mariah", 7): 100,
        }  # fmt: skip
        assert len(into.runs()) == 4
        with Store(path, write=False) as first:
            assert into.total(SPADES, 7) == first.total(SPADES, 7)


def test_stores_that_contradict_each_other_are_not_merged(path, tmp_path):
    wrong = Tally(SPADES.shapes)
    wrong.counts.pots[0] = run.CELL
    with Store(tmp_path / "wrong.db") as other, Store(path) as into:
        other.add([Cell(SPADES, 7, 5, wrong), Cell(SPADES, 7, 1, wrong)])
        before = into.total(SPADES, 7)
        with pytest.raises(InputError, match="disagree on cell 1"):
            into.take_in([other])
        assert into.total(SPADES, 7) == before


ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n"
COLUMNS = "scenario, seed, cell, pots, directory, checksums, numbers, digest"
STRANGE = {
    "a trigger that ignores": "CREATE TRIGGER t BEFORE INSERT ON cells "
    "BEGIN SELECT RAISE(IGNORE); END",
    "an endless view": f"CREATE VIEW more AS {ENDLESS}",
    "an endless view of cells": "DROP TABLE cells; CREATE VIEW cells AS SELECT x AS scenario, "
    f"x AS seed, x AS cell, x AS pots, x AS numbers, x AS digest FROM ({ENDLESS})",
    "cells twice, as a view": f"ALTER TABLE cells RENAME TO c; CREATE VIEW cells ({COLUMNS}) AS "
    "SELECT * FROM c UNION ALL SELECT * FROM c",
    "cells twice, without a key": "ALTER TABLE cells RENAME TO c; CREATE TABLE cells AS "
    "SELECT * FROM c UNION ALL SELECT * FROM c; DROP TABLE c",
    "an index": "CREATE INDEX i ON cells (pots)",
    "another table": "CREATE TABLE other (x)",
    "a column more": "ALTER TABLE notes ADD COLUMN x",
    "a table less": "DROP TABLE runs",
}


@pytest.mark.parametrize("change", STRANGE)
@pytest.mark.parametrize("write", [True, False])
def test_only_the_tables_that_we_make_are_read(path, change, write, refused):
    with closing(sqlite3.connect(path)) as db:
        db.executescript(
            f"PRAGMA foreign_keys=OFF; PRAGMA legacy_alter_table=ON; {STRANGE[change]}"
        )
    before = path.read_bytes()
    refused(lambda: Store(path, write=write), "no store as spadework makes it")
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_strange_tables_are_found_while_there_is_a_log(path, refused):
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"CREATE VIEW more AS {ENDLESS}")
        refused(lambda: Store(path, write=False), "the view more is missing, changed or not ours")


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE cells SET pots = 'abc'",
        "UPDATE cells SET cell = 1.5 WHERE cell = 1",
        "UPDATE cells SET cell = -1 WHERE cell = 1",
        "UPDATE cells SET seed = x'00'",
        "UPDATE cells SET numbers = 'abc'",
        "UPDATE notes SET seconds = 'long', target = x'00'",
        "UPDATE notes SET pots = -1",
        "UPDATE runs SET provenance = x'00'",
        "UPDATE scenarios SET content = x'ff'",
    ],
)
def test_columns_of_other_types_are_damage_on_any_command(path, capsys, change):
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute(change)
    commands = (
        ("status", path), ("show", path), ("export", path), ("chart", path),
        ("diff", path, "a", "b"),
        ("merge", path, "--into", path.with_name("new.db")),
        ("run", "spades", "--players", "2", "--pots", "10", "--store", path),
        ("recommend", "spades", "--players", "2", "--store", path),
    )  # fmt: skip
    for command in commands:
        assert cli.main([str(word) for word in command]) == 2
        out, err = capsys.readouterr()
        assert "damaged" in err
        assert (out, len(err.splitlines())) == ("", 1)
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_flipped_byte_of_the_schema_is_one_sentence(path):
    """Each byte of the text of the tables in turn, made one that no text in UTF-8 holds."""
    content = path.read_bytes()
    start = content.index(b"CREATE TABLE cells")
    for offset in range(start, start + 250, 3):
        path.write_bytes(content[:offset] + b"\xff" + content[offset + 1 :])
        with pytest.raises(InputError) as caught:
            study.open_study(path)
        assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("content", [b"x", b"dear to its owner" * 9, b"SQLite format 3"])
def test_what_is_no_store_is_never_taken_for_an_empty_one(tmp_path, refused, content):
    path = tmp_path / "f.txt"
    path.write_bytes(content)
    for write in (True, False):
        refused(lambda: Store(path, write=write), "not a spadework store")  # noqa: B023
    assert path.read_bytes() == content


def test_a_store_of_two_names_is_refused(path, refused):
    """SQLite would keep a log for each name, and know nothing of the other."""
    other = path.with_name("other.db")
    other.hardlink_to(path)
    for name, write in ((path, True), (other, True), (other, False)):
        refused(lambda: Store(name, write=write), "2 names")  # noqa: B023
    other.unlink()
    Store(path).close()


def test_what_a_store_brings_cannot_steer_a_terminal(tmp_path, capsys):
    escape = "\x1b]0;owned\x07\u202e"
    words = {"title": escape, "summary": escape, "changed": (f"ante.amount={escape}",)}
    rules = game.load("spades").model_copy(update=words)
    scenario = Scenario(rules, 2)
    tally = play_block(Block(scenario, 1, 0, 100))
    with Store(tmp_path / "a.db") as store:
        store.add([Cell(scenario, 1, 0, tally)], [Note(scenario, 1, {"pots": 1}, 1.0, "pots", 1)])
    for command in (["show"], ["status"], ["show", "--format", "json"], ["chart"]):
        assert cli.main([command[0], str(tmp_path / "a.db"), *command[1:]]) == 0
        printed = "".join(capsys.readouterr())
        assert not any(letter in printed for letter in escape if not letter.isprintable())
    assert cli.main(["diff", str(tmp_path / "a.db"), "this", "that"]) == 2
    printed = "".join(capsys.readouterr())
    assert "owned" in printed
    assert not any(letter in printed for letter in escape if not letter.isprintable())


def cells_of(blocks):
    return blocks * run.BLOCK // run.CELL


def test_a_store_of_ten_thousand_blocks_is_one_file_and_sums_in_a_second(tmp_path):
    """Each cell holds eight blocks; the tally of one is in each of them."""
    tally = play_block(Block(SPADES, 7, 0, run.BLOCK))
    with Store(tmp_path / "long.db") as store:
        cells = (Cell(SPADES, 7, number, tally) for number in range(cells_of(10_000)))
        store.add(cells, [Note(SPADES, 7, {"pots": 1}, 1.0, "pots", 1)])
    began = time.process_time()
    with study.open_study(tmp_path / "long.db") as opened:
        total = opened.totals()[0][1]
    assert time.process_time() - began < 1
    assert np.array_equal(total.data, cells_of(10_000) * tally.data)
    assert [file.name for file in tmp_path.iterdir()] == ["long.db"]


def test_a_merge_that_fails_leaves_no_store_behind(path, tmp_path):
    wrong = Tally(SPADES.shapes)
    wrong.counts.pots[0] = run.CELL
    with Store(tmp_path / "wrong.db") as other:
        other.add([Cell(SPADES, 7, 1, wrong)])
    both, into = [str(path), str(tmp_path / "wrong.db")], tmp_path / "both.db"
    assert cli.main(["merge", *both, "--into", str(into)]) == 2
    assert not into.exists()
    assert cli.main(["merge", both[0], "--into", str(into)]) == 0
    whole = into.read_bytes()
    assert cli.main(["merge", both[1], "--into", str(into)]) == 2
    assert into.read_bytes() == whole


def test_a_link_to_a_store_has_the_same_writer_lock(path):
    link = path.with_name("link.db")
    link.symlink_to(path)
    with Store(path) as first, first.writing(), Store(link) as second:  # noqa: SIM117 - one fails
        with pytest.raises(InputError, match="being written by another run"):
            collect(asked(10), second, 1)
    assert {file.name for file in path.parent.iterdir()} == {path.name, link.name}


def test_a_store_that_cannot_be_read_is_closed_again(path):
    with closing(sqlite3.connect(path)) as db:
        db.execute("UPDATE scenarios SET content = '[]'")
        db.commit()
    with pytest.raises(InputError, match="cannot be read"):
        study.open_study(path)
    assert [file.name for file in path.parent.iterdir()] == [path.name]
