"""HTML of executed notebooks that needs nothing from anywhere: no script, no style, no font."""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import Environment, FileSystemLoader
from latex2mathml.converter import convert
from nbconvert import HTMLExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

from sim.stats.frame import flat

TEMPLATES = FileSystemLoader(Path(__file__).parent / "templates")
STATUS = ("game", "players", "policy", "seed", "pots", "stop")
"""What the index says of a store."""


class _Renderer(IPythonRenderer):  # type: ignore[misc]
    """Markdown with formulas as MathML, which browsers draw by themselves."""

    def block_math(self, body: str) -> str:
        return str(convert(body, display="block"))

    def inline_math(self, body: str) -> str:
        return str(convert(body))


def _markdown(source: str) -> str:
    renderer = _Renderer(escape=False, exclude_anchor_links=True)
    return str(MarkdownWithMath(renderer=renderer).render(source))


def title(notebook: Any) -> str:
    """Return what a notebook's first heading says."""
    return str(notebook.cells[0].source.splitlines()[0].removeprefix("# "))


def save(notebook: Any, name: str, path: Path) -> None:
    """Write an executed notebook as a page; its code is folded away."""
    exporter = HTMLExporter(
        template_name="basic",
        template_file="page.html.j2",
        extra_loaders=[TEMPLATES],
        exclude_input_prompt=True,
        exclude_output_prompt=True,
    )
    exporter.register_filter("markdown2html", _markdown)
    resources = {"page_title": name, "made_by": _made_by()}
    html, _ = exporter.from_notebook_node(_joined(notebook), resources=resources)
    path.write_text(html, encoding="utf-8")


def _joined(notebook: Any) -> Any:
    """Return a notebook with neighbouring cells of code joined where the first shows nothing."""
    joined = deepcopy(notebook)
    cells: list[Any] = []
    for cell in joined.cells:
        code = cells and cells[-1].cell_type == cell.cell_type == "code"
        if code and not cells[-1].outputs:
            cell.source = f"{cells.pop().source}\n\n\n{cell.source}"
        cells.append(cell)
    joined.cells = cells
    return joined


def index(
    store: str,
    status: pd.DataFrame,
    titles: Mapping[str, str],
    skipped: Mapping[str, str],
    figures: Mapping[str, str],
    lacking: Sequence[str],
) -> str:
    """Return the page that leads to the others.

    ``titles`` are by page, the reasons of what is ``skipped`` by title, captions by file;
    ``lacking`` are counts that some pots lack.
    """
    rows = flat(status)[list(STATUS)].fillna("")
    template = Environment(loader=TEMPLATES, autoescape=True).get_template("index.html.j2")
    return template.render(
        store=store, titles=titles, skipped=skipped, figures=figures, lacking=lacking,
        made_by=_made_by(), columns=STATUS, rows=rows.to_dict("records"),
    )  # fmt: skip


def _made_by() -> str:
    return f"spadework {version('spadework')}"
