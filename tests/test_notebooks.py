"""Notebooks: stored without outputs, and they run from the first cell to the last."""

from pathlib import Path

import nbclient
import nbformat
import pytest

NOTEBOOKS = sorted((Path(__file__).parent.parent / "notebooks").glob("*.ipynb"))
FEW_POTS = "pots = 3_000\nseed = 11"
TIMEOUT = 300


def read(path):
    return nbformat.read(path, as_version=4)


def test_there_are_notebooks():
    assert {path.stem for path in NOTEBOOKS} >= {"faces_of_death", "spades"}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_stored_without_outputs(path):
    cells = [cell for cell in read(path).cells if cell.cell_type == "code"]
    assert all(not cell.outputs and cell.execution_count is None for cell in cells)
    assert sum("parameters" in cell.metadata.get("tags", []) for cell in cells) == 1


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run(path, tmp_path):
    notebook = read(path)
    for cell in notebook.cells:
        if "parameters" in cell.metadata.get("tags", []):
            cell.source = FEW_POTS
    client = nbclient.NotebookClient(
        notebook,
        timeout=TIMEOUT,
        kernel_name="python3",
        resources={"metadata": {"path": str(tmp_path)}},
    )
    client.execute()
    kinds = {kind for cell in notebook.cells for output in cell.get("outputs", [])
             for kind in output.get("data", {})}  # fmt: skip
    assert "image/png" in kinds
