"""A report: the notebooks executed on a store, as pages that need no network, tables and figures.

The notebooks are executed in ``execute``, their pages made in ``pages``. The folder of a report is
there whole or not at all: it is made beside its target, and then replaces it.
"""

import os
import stat
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from sim import charts, export, paths, study
from sim.errors import InputError, NoData, brief

NEEDS = ("ipykernel", "nbclient", "nbconvert", "latex2mathml")
"""What the extra ``report`` installs."""
NOTEBOOKS = ("table_size", "evening", "faces_of_death", "spades", "wild_cards")
"""In the order of a report; ``what_if`` plays anew at each move, for which a page has no kernel."""
MARK = ".spadework-report"
"""The file in which a report lists its files, so that nobody else's are ever replaced."""


class Report(NamedTuple):
    """What was written."""

    front: Path
    """The page that leads to the others."""
    pages: list[str]
    """Names of the notebooks that have a page."""
    skipped: dict[str, str]
    """Why other notebooks have none, by name."""


def write(
    path: str | Path, folder: str | Path, progress: Callable[[str], object] = lambda _: None
) -> Report:
    """Write the report of a store (a path) into a folder of its own.

    An earlier report there is replaced, anything else refused. ``progress`` is called with the name
    of each notebook before it is executed. Raises ``InputError`` for what a user can mend, and
    ``Failed`` if a notebook does not run.
    """
    missing = [name for name in NEEDS if find_spec(name) is None]
    if missing:
        raise InputError(f"a report needs {' and '.join(missing)}: pip install 'spadework[report]'")
    paths.status(folder)
    target = Path(os.path.realpath(folder))
    with study.open_study(path) as held:
        if not held.parts:
            raise NoData.in_store(path, "report")
        _check_target(target, Path(path))
        with paths.placed_in(target.parent, folder) as made, TemporaryDirectory() as workspace:
            report = _fill(held, Path(path), made / target.name, Path(workspace), progress)
    return report._replace(front=Path(folder) / "index.html")


def _check_target(target: Path, store: Path) -> None:
    """Refuse a target where something else than an earlier report would be lost."""
    status = paths.status(target)
    if status and not stat.S_ISDIR(status.st_mode):
        raise InputError(f"{target} is a file: name a folder for the report")
    if store.resolve().is_relative_to(target):
        raise InputError(f"the store lies in {target}: name a folder of its own for the report")
    mark = target / MARK
    listed = {MARK} if paths.is_file(mark) else set()
    listed |= set(paths.read_text(mark, "the list of a report").splitlines()) if listed else set()
    others = [name for name in _files(target) if name not in listed or not _plain(target / name)]
    if others:
        raise InputError(
            f"{target} holds {brief(others[0])}, which is no report's: name a new folder, or "
            "a report's"
        )


def _plain(path: Path) -> bool:
    """Whether a report could have written this: a file, and no link to one."""
    return stat.S_ISREG(path.lstat().st_mode)


def _files(folder: Path) -> Iterator[str]:
    """Yield what lies in a folder, by its path from there; folders only where they are empty."""
    for path in sorted(folder.rglob("*")):
        if not path.is_dir() or path.is_symlink() or not any(path.iterdir()):
            yield path.relative_to(folder).as_posix()


def _fill(
    held: study.Study, path: Path, folder: Path, workspace: Path, progress: Callable[[str], object]
) -> Report:
    """Write everything into a folder; the notebooks are executed in another."""
    from sim.report import execute, pages

    folder.mkdir()
    parameters = {"store": str(path.resolve())}
    titles: dict[str, str] = {}
    skipped: dict[str, str] = {}
    for name in NOTEBOOKS:
        progress(name)
        try:
            notebook = execute.executed(name, parameters, workspace)
        except NoData as reason:
            skipped[name] = str(reason)
            continue
        titles[name] = pages.title(notebook)
        pages.save(notebook, titles[name], folder / f"{name}.html")
    export.write(held.store, folder / "estimates.csv", "csv")
    figures = draw(held, folder / "figures")
    left_out = {pages.title(execute.read(name)): reason for name, reason in skipped.items()}
    lacking, status = held.store.lacking_counts(), held.status()
    index = pages.index(brief(path.name), status, titles, left_out, figures, lacking)
    (folder / "index.html").write_text(index, encoding="utf-8")
    (folder / MARK).write_text("\n".join(_files(folder)), encoding="utf-8")
    return Report(folder / "index.html", list(titles), skipped)


def draw(held: study.Study, folder: Path) -> dict[str, str]:
    """Draw what a store holds, each chart as PNG and SVG.

    Returns what each shows, by the name of its files without an ending.
    """
    frame = held.frame()
    drawings = charts.drawings(frame, held.other_frames(frame))
    with charts.narrow():
        for _ in charts.write(drawings, folder, charts.FORMATS):
            pass
    return {drawing.file: drawing.caption for drawing in drawings}
