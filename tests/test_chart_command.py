"""The command ``chart``, and how estimates settle in a store."""

import xml.etree.ElementTree as ElementTree
from functools import partial

import pandas as pd
import pytest
from matplotlib import image

from sim import charts, cli, study
from sim.errors import InputError
from sim.runs.run import CELL
from sim.runs.store import Store
from sim.stats import stopping
from sim.stats.frame import flat

POTS = 2 * CELL + 100
SIZES = (2, 3)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """A store of both games under two policies and with a plain deck, and cells to settle."""
    path = tmp_path_factory.mktemp("charts") / "my.db"
    for game, options, policies in (
        ("faces-of-death", [], ["stay", "fold:0.1"]),
        ("spades", [], ["stay"]),
        ("spades", ["wild=none"], ["stay"]),
    ):
        study.simulate(
            game, SIZES, 300, seed=7, options=options, policies=policies, store=path
        ).store.close()
    study.simulate("spades", SIZES, POTS, seed=7, store=path).store.close()
    return path


@pytest.fixture
def spadework(spadework, path):
    """A function that runs the command on the store in an empty folder: (code, out, err)."""
    return partial(spadework, "chart", path)


@pytest.mark.slow
def test_every_chart_is_written_as_png_and_svg(spadework, tmp_path):
    code, out, _ = spadework("--all", "--out", "a/b")
    assert code == 0
    printed = [line.removeprefix("Chart:").strip() for line in out.splitlines()]
    written = sorted((tmp_path / "a/b").iterdir())
    assert sorted(printed) == [f"a/b/{file.name}" for file in written]
    assert {file.suffix for file in written} == {".png", ".svg"}
    names = {file.stem for file in written}
    assert names == {
        *(f"faces-of-death-{name}" for name in ("kill_rate", "kill_streets", "deals_per_pot")),
        *(f"faces-of-death-{name}" for name in ("survival", "winning_hands")),
        *(f"spades-{name}" for name in ("toll_pot", "who_pays", "winning_hands", "net_by_tolls")),
        *(f"spades_wild=none-{name}" for name in ("toll_pot", "who_pays")),
        *(f"spades_wild=none-{name}" for name in ("winning_hands", "net_by_tolls")),
        "spades-winning_hands-wild",
        "spades-convergence",
        *(f"{game}-recommendation" for game in ("faces-of-death", "spades", "spades_wild=none")),
    }
    for file in written:
        if file.suffix == ".svg":
            root = ElementTree.fromstring(file.read_text(encoding="utf-8"))  # noqa: S314 - our own
            assert root.tag.endswith("svg")
            assert len(list(root.iter())) > 50
        else:
            assert image.imread(file).std() > 0.01  # something is drawn


@pytest.mark.slow
def test_the_same_store_gives_the_same_bytes(spadework, tmp_path):
    names = ("kill_rate", "survival", "who_pays", "net_by_tolls", "convergence")
    for folder in ("one", "two"):
        assert spadework(*names, "--format", "svg", "--out", folder)[0] == 0
    files = list((tmp_path / "one").iterdir())
    assert len(files) == 7
    for file in files:
        assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes()
        assert b"dc:date" not in file.read_bytes()


def test_a_chart_is_drawn_by_name_beside_the_store(spadework, path):
    code, out, _ = spadework("kill_rate", "toll_pot", "--format", "png")
    folder = path.with_name("my-charts")
    assert code == 0
    assert {str(file) for file in folder.iterdir()} == {
        line.split("Chart:")[1].strip() for line in out.splitlines()
    }
    assert {file.name for file in folder.iterdir()} == {
        "faces-of-death-kill_rate.png", "spades-toll_pot.png", "spades_wild=none-toll_pot.png",
    }  # fmt: skip


def test_what_can_be_drawn_is_listed_a_line_each(spadework, tmp_path):
    code, out, _ = spadework()
    lines = out.splitlines()
    assert code == 0
    assert [line.split()[0] for line in lines] == list(charts.CHARTS)
    assert all(charts.CHARTS[line.split()[0]].words in line for line in lines)
    assert "spades against spades wild=none" in next(line for line in lines if "winning" in line)
    assert list(tmp_path.iterdir()) == []


def test_what_a_store_does_not_tell_is_not_drawn():
    with pytest.raises(InputError, match="nothing to draw kill_rate from"):
        charts.chosen([], ["kill_rate"])


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["pie"], "there is no chart 'pie': there are kill_rate, "),
        (["--all", "--format", "png,bmp"], "there is no format 'bmp': there are png, svg"),
        (["--all", "kill_rate"], "--all draws kill_rate as well"),
        (["--out", "here"], "nothing is to be drawn"),
        (["--format", "png"], "nothing is to be drawn"),
        (["--all", "--out", "file/below"], "file/below/faces-of-death-kill_rate.png cannot be"),
        (["--all", "--out", "file"], "file is no folder"),
    ],
)
def test_bad_words_are_one_sentence(spadework, tmp_path, words, sentence):
    (tmp_path / "file").write_text("dear to its owner")
    code, out, err = spadework(*words)
    assert (code, out) == (2, "")
    assert sentence in err
    assert len(err.splitlines()) == 1
    assert [file.name for file in tmp_path.iterdir()] == ["file"]


def test_an_empty_store_has_nothing_to_draw(tmp_path, capsys):
    Store(tmp_path / "empty.db").close()
    assert cli.main(["chart", str(tmp_path / "empty.db"), "--all"]) == 2
    assert "no finished pots" in capsys.readouterr().err


def test_games_whose_names_look_alike_have_files_of_their_own(path):
    with study.open_study(path) as opened:
        frame = opened.frame()
    frame = flat(frame[frame.game == "faces-of-death"])
    both = pd.concat([frame.assign(game=name) for name in ("faces/of/death", "faces of death")])
    names = [drawing.file for drawing in charts.drawings(both)]
    assert "faces_of_death-kill_rate-2" in names
    assert len(set(names)) == len(names) == 2 * len(charts.drawings(frame))


def test_an_estimate_settles_over_growing_pots(path):
    with study.open_study(path) as opened:
        found, frame = (
            flat(each) for each in (opened.convergence("toll_pot", "mean"), opened.frame())
        )
    totals = frame[(frame.metric == "toll_pot") & (frame.level == "mean")]
    part = found[(found.game == "spades") & (found.players == 3)]
    assert part.pots.tolist() == [CELL, 2 * CELL, POTS]
    assert list(found.columns) == list(frame.columns)
    assert set(found.game) == {"spades", "spades wild=none"}
    for row in found.groupby(["game", "players"]).tail(1).itertuples():  # all pots: as in the frame
        (whole,) = totals[(totals.game == row.game) & (totals.players == row.players)].itertuples()
        assert (row.estimate, row.low, row.exact) == (whole.estimate, whole.low, whole.exact)


def test_a_store_adds_up_its_first_cells_at_each_look():
    with study.simulate("spades", 2, 5 * CELL + 7, seed=3) as opened:
        ((scenario, seed),) = opened.parts
        cells = [cell.tally for cell in opened.store.cells(scenario, seed)]
        for looks in (stopping.next_look, lambda number: number + 4):
            totals = list(opened.store.totals(scenario, seed, looks))
            numbers, number = [], 0
            while number < len(cells):
                number = min(looks(number), len(cells))
                numbers.append(number)
            assert [total.pots for total in totals] == [
                sum(cell.pots for cell in cells[:number]) for number in numbers
            ]
            assert totals[-1] == opened.store.total(scenario, seed)
            whole = cells[0]
            for cell in cells[1 : numbers[0]]:
                whole = whole + cell
            assert totals[0] == whole


def test_the_metric_that_settles_is_what_the_game_is_about(path):
    with study.open_study(path) as opened:
        found = flat(opened.convergence())
        assert dict(zip(found.game, found.metric, strict=True)) == {
            "faces-of-death": "kill_rate",
            "spades": "toll_pot",
            "spades wild=none": "toll_pot",
        }
        assert set(opened.convergence("tolls_paid", "3").level) == {"3"}


def test_what_no_scenario_has_cannot_settle(path, refused):
    with study.open_study(path) as opened:
        refused(lambda: opened.convergence("luck"), "no metric 'luck'", "kill_rate")
        refused(lambda: opened.convergence("players_out"), "no pots", "players_out")
        refused(lambda: opened.convergence("kill_rate", "ninth"), "kill_rate ninth")
