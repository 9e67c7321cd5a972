"""Notebooks: stored without outputs, and they run from the first cell to the last."""

import re
from pathlib import Path

import nbformat
import pytest

from sim import report, study
from sim.errors import NoData
from sim.kernels.ranks import CATEGORIES
from sim.report import execute

FOLDER = Path(__file__).parent.parent / "notebooks"
NOTEBOOKS = (*report.NOTEBOOKS, "what_if")
FEW = {"pots": 3000, "seed": 11, "table": 4, "seconds": 0.1}
TIMEOUT = 300
STORED = 1234
"""Pots of each scenario in the store: a number that no notebook knows."""
NUMBERS = (
    r"\d|\b(two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty|thirty|"
    r"forty|fifty|hundred|thousand|million)\b"
)


def outputs(notebook, kind):
    return [
        str(output["data"][kind])
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if kind in output.get("data", {})
    ]


def run(name, folder, *more, **values):
    """Run a notebook with parameters, and more cells at its end; a string before it all."""
    notebook = execute.read(name)
    execute.set_parameters(notebook, values)
    notebook.cells += [nbformat.v4.new_code_cell(source) for source in more]
    execute.run(notebook, folder, TIMEOUT)
    return notebook


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A store of both games with few pots, at table sizes and policies that no notebook asks for
    by itself."""
    path = tmp_path_factory.mktemp("notebooks") / "study.db"
    words = {"players": [2, 3], "pots": STORED, "seed": 5, "store": path}
    games = ["faces-of-death", "spades"]
    study.simulate(games, policies=["stay", "typical"], **words).store.close()
    study.simulate(games[0], options=["kill.treatment=player-out"], **words).store.close()
    return path


def test_the_report_shows_every_notebook_that_needs_no_kernel():
    assert sorted(NOTEBOOKS) == sorted(path.stem for path in FOLDER.glob("*.ipynb"))


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_notebooks_write_per_cent_in_one_way_and_draw_in_the_packages_colours(name):
    source = "\n".join(cell.source for cell in execute.read(name).cells)
    assert not re.search(r"\d%|PercentFormatter", source)
    assert not re.search(r"""["']C\{|["']#[0-9a-fA-F]{6}|cmap=["']""", source)


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_notebooks_are_stored_without_outputs_and_begin_with_their_parameters(name):
    cells = [cell for cell in execute.read(name).cells if cell.cell_type == "code"]
    assert all(not cell.outputs and cell.execution_count is None for cell in cells)
    tags = [cell.metadata.get("tags", []) for cell in cells]
    assert tags == [["parameters"], *[[]] * (len(cells) - 1)]
    assert cells[0].source.startswith("store = None")


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_no_number_is_typed_into_the_text(name):
    for cell in execute.read(name).cells:
        if cell.cell_type == "markdown":
            text = re.sub(r"\$.*?\$", "", cell.source.replace("$$", "$"), flags=re.DOTALL)
            for category in CATEGORIES:
                text = text.replace(category, "")
            assert not re.search(NUMBERS, text, flags=re.IGNORECASE), cell.source


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("name", NOTEBOOKS)
def test_notebooks_run_without_a_store(name, tmp_path):
    notebook = run(name, tmp_path, **FEW)
    kinds = ("text/html", "text/markdown", "application/vnd.jupyter.widget-view+json")
    assert any(outputs(notebook, kind) for kind in kinds)
    assert not [cell for cell in notebook.cells if cell.source.startswith("*Left out")]
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("name", NOTEBOOKS)
def test_notebooks_read_a_store(name, store, tmp_path):
    before = store.read_bytes()
    notebook = run(name, tmp_path, store=str(store), sliders=False, **FEW)
    assert not [cell for cell in notebook.cells if cell.source.startswith("*Left out")]
    assert store.read_bytes() == before
    if name != "what_if":  # it plays by itself, at the largest table of the store
        shown = [*outputs(notebook, "text/markdown"), *outputs(notebook, "text/html")]
        assert any(f"{STORED:,} pots" in text for text in shown)
    else:
        assert "Faces of Death, 3 players" in outputs(notebook, "text/html")[1]


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_what_a_store_lacks_is_left_out_and_said(tmp_path):
    path = tmp_path / "some.db"
    study.simulate("faces-of-death", 2, 500, seed=1, store=path).store.close()
    notebook = run("faces_of_death", tmp_path, store=str(path))
    left_out = [cell.source for cell in notebook.cells if cell.source.startswith("*Left out")]
    assert len(left_out) == 2
    assert "player-out" in left_out[0]
    assert "typical" in left_out[1]
    headings = [cell.source for cell in notebook.cells if cell.source.startswith("## ")]
    assert len(headings) == 6
    with pytest.raises(NoData, match="holds no pots of spades"):
        run("spades", tmp_path, store=str(path))


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_a_slider_plays_anew_and_says_how_many_pots(tmp_path):
    notebook = run(
        "what_if",
        tmp_path,
        "first = shown.value",
        "controls['killers'].value, controls['players'].value = 1, 3",
        "print(shown.value[:400])",
        "assert 'deals killed' in shown.value and shown.value != first",
        "controls['first'].value = 7",
        "assert 'chips of tolls a player' in shown.value and 'pays 7' in shown.value",
        "controls['killers'].value = 0",
        "assert 'deals killed' not in shown.value",
        "controls['how'].value = 'tight'",
        "assert ', tight</h3>' in shown.value",
        "controls['name'].value = 'spades'",
        "assert 'Spades, 3 players' in shown.value",
        **FEW,
    )
    assert outputs(notebook, "application/vnd.jupyter.widget-view+json")
    text = next(
        output.text for cell in notebook.cells for output in cell.get("outputs", [])
        if output.output_type == "stream"
    )  # fmt: skip
    assert "Faces of Death, 3 players, stay" in text
    assert re.search(r"<b>[1-9][\d,]* pots</b> in 0.1 s", text)
    assert "Q♠ is dealt face up" in text


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_without_widgets_what_if_shows_moves_in_a_row(tmp_path):
    """A package of that name that cannot be imported stands in front of the real one."""
    (tmp_path / "ipywidgets.py").write_text("raise ImportError")
    path = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); sys.modules.pop('ipywidgets', None)"
    notebook = execute.read("what_if")
    execute.set_parameters(notebook, FEW)
    notebook.cells.insert(1, nbformat.v4.new_code_cell(path))
    execute.run(notebook, tmp_path, TIMEOUT)
    assert not outputs(notebook, "application/vnd.jupyter.widget-view+json")
    shown = outputs(notebook, "text/html")
    assert "Without sliders" in shown[0]
    assert len(shown) == 5
    assert all(re.search(r"<b>[1-9][\d,]* pots</b>", text) for text in shown[1:])
