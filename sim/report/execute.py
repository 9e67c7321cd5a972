"""Notebooks, executed with parameters; sections that a store has nothing for say so.

A notebook's parameters are a cell with the tag ``parameters``; others are set in a cell behind it,
as papermill does. A section begins with a heading of the second level, and needs nothing of
another section that reads a store.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import nbformat
from jupyter_client import AsyncKernelManager
from jupyter_client.kernelspec import NATIVE_KERNEL_NAME, KernelSpecManager
from nbclient import NotebookClient
from nbclient.exceptions import CellControlSignal, CellExecutionError, DeadKernelError

from sim.errors import Failed, NoData

PLACES = (Path(__file__).parent / "notebooks", Path(__file__).parents[2] / "notebooks")
"""Where notebooks lie: in an installed package, or beside it in its source."""
TIMEOUT = 600
"""Seconds for a cell: the first one may wait for the compiler."""

Notebook = Any
"""A notebook as ``nbformat`` has it, which has no types."""


def read(name: str) -> Notebook:
    """Read a notebook of the package by its name."""
    paths = [folder / f"{name}.ipynb" for folder in PLACES]
    return nbformat.read(next(path for path in paths if path.is_file()), as_version=4)


def set_parameters(notebook: Notebook, values: Mapping[str, object]) -> None:
    """Set parameters, of which a notebook takes those that it has."""
    indices = [
        index
        for index, cell in enumerate(notebook.cells)
        if "parameters" in cell.metadata.get("tags", [])
    ]
    source = notebook.cells[indices[0]].source
    names = {line.split("=")[0].strip() for line in source.splitlines() if "=" in line}
    lines = [f"{name} = {value!r}" for name, value in values.items() if name in names]
    cell = nbformat.v4.new_code_cell("\n".join(lines), metadata={"tags": ["injected-parameters"]})
    notebook.cells.insert(indices[0] + 1, cell)


def executed(name: str, values: Mapping[str, object], folder: Path) -> Notebook:
    """Return a notebook of the package executed in a folder with these parameters, as ``run``."""
    notebook = read(name)
    set_parameters(notebook, values)
    try:
        run(notebook, folder)
    except CellExecutionError as error:
        raise Failed(f"the notebook {name} fails: {error.ename}: {error.evalue}") from None
    except (CellControlSignal, DeadKernelError) as error:
        raise Failed(f"the notebook {name} fails: {str(error).splitlines()[0]}") from None
    return notebook


def run(notebook: Notebook, folder: Path, timeout: int = TIMEOUT) -> None:
    """Execute a notebook in place, in a folder.

    A section that raises ``NoData`` ends with what it says. Raises ``NoData`` if the cells above
    the first section do, and what ``nbclient`` raises for any other error.
    """
    # This interpreter's own kernel, whatever a user has registered under its name elsewhere.
    manager = AsyncKernelManager(
        kernel_name=NATIVE_KERNEL_NAME, kernel_spec_manager=KernelSpecManager(kernel_dirs=[])
    )
    client = NotebookClient(
        notebook,
        km=manager,
        timeout=timeout,
        resources={"metadata": {"path": str(folder)}},
        extra_arguments=["--IPKernelApp.log_level=ERROR"],
    )
    with client.setup_kernel(cleanup_kc=True):
        _execute(client)


def _execute(client: NotebookClient) -> None:
    """Execute the cells in order; replace the rest of a section that a store has nothing for."""
    kept: list[Any] = []
    in_section = lacking = False
    for index, cell in enumerate(client.nb.cells):
        if cell.cell_type == "markdown" and cell.source.startswith("## "):
            in_section, lacking = True, False
        if lacking:
            continue
        kept.append(cell)
        try:
            client.execute_cell(cell, index)
        except CellExecutionError as error:
            if error.ename != NoData.__name__:
                raise
            if not in_section:
                raise NoData(error.evalue) from None
            kept[-1] = nbformat.v4.new_markdown_cell(f"*Left out: {error.evalue}.*")
            lacking = True
    client.nb.cells = kept
