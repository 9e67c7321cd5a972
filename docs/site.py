"""Build the site: ``python -m docs.site`` makes ``build/site`` of these pages, or ends with 1.

The reference comes from docstrings, and the gallery from the registry of charts: each picture is
what the line above it returns. A warning is an error, as is a link within the site to nowhere.
"""

import inspect
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sim
from docs.reference import ROOT
from sim import charts
from sim.charts import CHARTS, Chart
from sim.stats.frame import flat

SOURCE, SITE = ROOT / "build" / "site-source", ROOT / "build" / "site"
LINKED = ("results/published", "results/benchmarks")
"""Folders with files, and no pages, that pages lead to."""
MAIN = ("python", "cookbook", "gallery", "api", "commands", "metrics")
"""The pages that stand first in the menu."""
STUDIES = {
    "faces": 'sim.simulate("faces-of-death", pots="100k", seed=7, policies=["stay", "typical"])',
    "spades": 'sim.simulate("spades", pots="100k", seed=7, policies=["stay", "typical"])',
}
EVENING = 'sim.evening("spades", players=7, pots=40, evenings=1000, seed=7).frame()'
"""What the gallery is drawn from, by name."""
PAGES = {
    "overview": (
        "a game under one policy on one page",
        'charts.overview(faces.frame().query("policy == \'stay\'"), "Faces of Death")',
    ),
    "comparison": (
        "the policies of a game side by side",
        'charts.comparison(spades.frame(), "Spades")',
    ),
} | {
    name: (words, f"charts.{name}(evening)")
    for name, words in (
        ("evening_stacks", "stacks as an evening goes on"),
        ("evening_results", "what players take home"),
        ("evening_buy_ins", "whom a buy-in lasts the evening"),
    )
}
"""Charts that no store is asked for: pages of others, and those of evenings."""


def build() -> int:
    """Lay out the pages in a folder of their own and make the site of them; return 0 if it is."""
    for folder in (SOURCE, SITE):
        shutil.rmtree(folder, ignore_errors=True)
    lay_out(SOURCE)
    options = ["-b", "html", "-W", "--keep-going", "-q", "-j", "1", "-c", str(ROOT / "docs")]
    return subprocess.run([sys.executable, "-m", "sphinx", *options, SOURCE, SITE]).returncode  # noqa: S603


def lay_out(source: Path) -> None:
    """Write all that Sphinx reads, in the folders in which it lies here, so that links lead on."""
    (source / "docs").mkdir(parents=True)
    for path in (ROOT / "docs").glob("*.md"):
        shutil.copy(path, source / "docs")
    for name in ("CONTRIBUTING.md", "CHANGELOG.md"):
        shutil.copy(ROOT / name, source)
    for name in LINKED:
        ignored = shutil.ignore_patterns("*.md", "*.db*", "*.parquet")
        shutil.copytree(ROOT / name, source / name, ignore=ignored)
    (source / "docs" / "api.md").write_text(api(), encoding="utf-8")
    (source / "docs" / "gallery.md").write_text(gallery(source / "docs"), encoding="utf-8")
    front = (ROOT / "README.md").read_text(encoding="utf-8")
    (source / "index.md").write_text(f"{front}\n{_menu(source)}", encoding="utf-8")


def _menu(source: Path) -> str:
    """Return the table of contents, which the theme shows at the side."""
    others = sorted(path.stem for path in (source / "docs").glob("*.md"))
    pages = [f"docs/{name}" for name in dict.fromkeys([*MAIN, *others])]
    lines = "\n".join([*pages, "CHANGELOG", "CONTRIBUTING"])
    return f"```{{toctree}}\n:hidden:\n:maxdepth: 2\n\n{lines}\n```\n"


# --- The reference of names -----------------------------------------------------------------------


def api() -> str:
    """Return the page of every public name, from its docstring."""
    parts = ["# Reference of names\n"]
    for module, names in (
        ("sim", [name for name in sim.__all__ if not name.startswith("_")]),
        ("sim.charts", [name for name in charts.__all__ if name.islower()]),
        ("sim.advice", ["Limits", "Pace", "Recommendation"]),
    ):
        lines = "\n".join(f".. auto{_kind(module, name)}:: {module}.{name}" for name in names)
        parts.append(f"## {module}\n\n```{{eval-rst}}\n{lines}\n```\n")
    return "\n".join(parts)


def _kind(module: str, name: str) -> str:
    thing = getattr(sys.modules[module], name)
    if inspect.isclass(thing):
        return "exception" if issubclass(thing, Exception) else "class"
    return "function"


# --- The gallery ----------------------------------------------------------------------------------


def gallery(folder: Path) -> str:
    """Draw every chart into a folder; return the page of them, each with the line that makes it."""
    names: dict[str, Any] = {"sim": sim, "charts": charts}
    begin = ["import sim", "from sim import charts", ""]
    begin += [f"{name} = {call}" for name, call in {**STUDIES, "evening": EVENING}.items()]
    exec("\n".join(begin), names)  # noqa: S102 - the lines that the page shows
    parts = [
        "# Gallery",
        "Every chart, drawn from these two studies and evenings:",
        _code("\n".join(begin)),
    ]
    for name, words, line in _lines(names):
        eval(line, names).savefig(folder / f"{name}.svg")  # noqa: S307 - the same
        parts += [f"## {name}", f"What it shows: {words}.", _code(line), f"![{name}]({name}.svg)"]
    return "\n\n".join(parts) + "\n"


def _lines(names: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield each chart's name, what it shows, and the line that makes it."""
    for name, (words, line) in PAGES.items():
        yield name, words, line
    frames = {study: flat(names[study].frame()) for study in STUDIES}
    for name, chart in CHARTS.items():
        of = next(
            study
            for study, frame in frames.items()
            if chart.own_frame or not chart.rows(frame).empty
        )
        yield name, chart.words, _line(chart, of)


def _line(chart: Chart, of: str) -> str:
    """Return the line that makes a chart of a study; of one policy, if it shows only one."""
    line = chart.line.replace("study", of)
    return f"{line[:-1]}.query(\"policy == 'stay'\"))" if chart.one_policy else line


def _code(text: str) -> str:
    return f"```python\n{text}\n```"


if __name__ == "__main__":
    sys.exit(build())
