"""Exports: other programs read what the store holds, column by column."""

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sim import cli, export, plan, study
from sim.runs.collection import collect
from sim.runs.store import Store
from sim.stats.frame import COLUMNS


def read_csv(path):
    return pd.read_csv(path)


def read_json(path):
    return pd.DataFrame(json.loads(path.read_text(encoding="utf-8")))


READ = {"csv": read_csv, "json": read_json, "parquet": pd.read_parquet}


@pytest.fixture
def store():
    """A small store of two games, one with amounts in units of 3 and 1."""
    spades = {"page": "spades", "options": ["toll.prices=[3,9]"]}
    with Store(None) as store:
        wanted = plan.make_plan(["faces-of-death", spades], players=2, pots=70_000, seed=7)
        collect(wanted, store, 2)
        yield store


@pytest.mark.parametrize("kind", READ)
def test_estimates_are_those_of_the_frame_and_every_column_is_defined(store, tmp_path, kind):
    table, words = export.write(store, tmp_path / f"out.{kind}", kind)
    found, frame = READ[kind](table), study.Study(store, store.parts()).frame()
    columns = (COLUMNS[0], "toll.prices", *COLUMNS[1:])
    assert tuple(found.columns) == tuple(pd.read_csv(words).name) == columns
    for name in columns:
        same = found[name].astype(frame[name].dtype)
        assert np.array_equal(same.isna(), frame[name].isna()), name
        assert (same.dropna() == frame[name].dropna()).all(), name


@pytest.mark.parametrize("kind", READ)
def test_raw_tallies_come_back_whole(store, tmp_path, monkeypatch, kind):
    monkeypatch.setattr(export, "CHUNK", 1)
    table, words = export.write(store, tmp_path / f"out.{kind}", kind, cells=True)
    found = READ[kind](table)
    defined = pd.read_csv(words).groupby("kind").name.agg(list)
    assert list(found.columns) == defined["column"]
    assert {*store.scenarios()[0].shapes, "kinds"} == set(defined["array"])
    units = pd.read_csv(words).pivot(index="name", columns="kind", values="meaning")
    for scenario, seed in store.parts():
        total = store.total(scenario, seed)
        part = found[found.scenario == scenario.key]
        assert set(part.cell) == {0, 1}
        for name, shape in scenario.shapes.items():
            sums = part[part.array == name].groupby("place").value.sum()
            again = np.zeros(int(np.prod(shape)), np.int64)
            again[sums.index] = sums
            assert np.array_equal(again, getattr(total.counts, name).ravel())
        for unit, name in (("toll unit", "toll_pot"), ("pot unit", "pot_size")):
            bins = part[part.array == name]
            chips = int(units[unit][scenario.key]) * (bins.place * bins.value).sum()
            assert chips == getattr(total.counts, f"{name}_sums")[0]


def test_what_cannot_be_written_is_refused(store, tmp_path, refused):
    refused(lambda: export.write(store, tmp_path / "a.xml", "xml"), "xml", "parquet")
    refused(lambda: export.write(store, tmp_path, "csv"), "cannot be written")


def test_a_store_is_never_written_over(tmp_path, refused):
    with Store(tmp_path / "a.db") as store:
        collect(plan.make_plan("spades", players=2, pots=10, seed=1), store, 1)
        refused(lambda: export.write(store, tmp_path / "a.db", "csv"), "the store itself")


def test_an_export_never_overwrites_its_store(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("c.db", "c-columns.csv"):
        study.simulate("spades", 2, 100, seed=1, store=name).store.close()
    (tmp_path / "sub").mkdir()
    (tmp_path / "link.csv").symlink_to("c.db")
    before = {name: (tmp_path / name).read_bytes() for name in ("c.db", "c-columns.csv")}
    for command in (
        ("c.db", "--out", "sub/../c.db"),
        ("c.db", "--out", "link.csv"),
        ("c-columns.csv", "--out", "c.csv"),
        ("c.db", "--out", "."),
    ):
        assert cli.main(["export", *command]) == 2
    assert before == {name: (tmp_path / name).read_bytes() for name in before}


def test_standard_output_takes_the_table_alone(store, tmp_path, capfdbinary, monkeypatch):
    monkeypatch.chdir(tmp_path)
    export.write(store, tmp_path / "whole.csv", "csv")
    assert export.write(store, Path("-"), "csv") == [Path("-")]
    sys.stdout.flush()
    assert capfdbinary.readouterr().out == (tmp_path / "whole.csv").read_bytes()
    assert {path.name for path in tmp_path.iterdir()} == {"whole.csv", "whole-columns.csv"}


def test_an_export_that_fails_leaves_what_was_there(tmp_path, store, monkeypatch):
    path = tmp_path / "out.csv"
    path.write_text("dear to its owner")
    monkeypatch.setattr(export, "_dictionary", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        export.write(store, path, "csv")
    assert path.read_text() == "dear to its owner"
    assert list(tmp_path.iterdir()) == [path]
