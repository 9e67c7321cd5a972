"""Reports: pages that need nothing from anywhere, whole or not there, in nobody else's place."""

import html.parser
import json
import os
import re
import shutil
import subprocess
from xml.etree import ElementTree

import nbformat
import numpy as np
import pandas as pd
import pytest
from matplotlib import image

import sim
from sim import cli, paths, report, study
from sim.errors import Failed
from sim.report import execute
from sim.runs.store import Store

POTS = 2345


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A small store of Faces of Death alone."""
    path = tmp_path_factory.mktemp("report") / "study.db"
    policies = ["stay", "typical"]
    study.simulate(
        "faces-of-death", [2, 3], POTS, seed=5, store=path, policies=policies
    ).store.close()
    return path


@pytest.fixture(scope="module")
def made(store, tmp_path_factory):
    """The whole report of that store, and the folder that it is in."""
    folder = tmp_path_factory.mktemp("out") / "report"
    heard = []
    found = report.write(store, folder, heard.append)
    assert heard == list(report.NOTEBOOKS)
    return found, folder


@pytest.fixture
def no_notebooks(monkeypatch):
    """Reports of no notebooks and no figures, which take no time."""
    monkeypatch.setattr(report, "NOTEBOOKS", ())
    monkeypatch.setattr(report, "draw", lambda _frame, _folder: {})


class Asked(html.parser.HTMLParser):
    """What a page asks a browser to load, and whether it runs anything."""

    def __init__(self):
        super().__init__()
        self.sources, self.links, self.tags = [], [], set()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        for name, value in attrs:
            if name == "href" and tag == "a":
                self.links.append(value)
            elif name in ("src", "href", "srcset", "data"):
                self.sources.append(value)


def asked_by(path):
    page = Asked()
    page.feed(path.read_text(encoding="utf-8"))
    return page


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_pages_need_nothing_from_anywhere(made):
    found, folder = made
    pages = sorted(folder.glob("*.html"))
    assert {page.stem for page in pages} == {"index", *found.pages}
    for page in pages:
        asked, text = asked_by(page), page.read_text(encoding="utf-8")
        assert not asked.tags & {"script", "link", "iframe", "object"}
        assert not re.search(r"url\(|@import", text)
        for source in asked.sources:
            assert source.startswith("data:image/") or (folder / source).is_file()
        for link in asked.links:
            assert (folder / link).is_file()
        if page.stem != "index":
            assert "data:image/png;base64," in text
            assert "<table" in text


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_pages_show_what_the_store_holds_and_formulas(made):
    found, folder = made
    text = (folder / "faces_of_death.html").read_text(encoding="utf-8")
    assert f"{POTS:,} pots at each table size" in text
    assert "<math" in text
    assert r"\binom" not in text
    assert "player-out" in text[text.index("Left out") :]
    index = (folder / "index.html").read_text(encoding="utf-8")
    assert set(found.skipped) == {"evening", "spades", "wild_cards"}
    assert all(f"<li>{title}" in index for title in ("Spades: what", "Wild cards: how"))
    assert "what_if" not in found.pages
    caption = "On which street killers strike: Faces of Death, stay, typical"
    assert f'alt="{caption}"' in index
    assert f"<figcaption>{caption} (" in index
    for reason in found.skipped.values():
        assert "holds no pots of spades" in reason
        assert reason.split(": play")[0] in index
    assert index.count(f'<td class="">{POTS:,}</td>') == 4


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_tables_and_figures_lie_beside_the_pages(made, store):
    _, folder = made
    with study.open_study(store) as opened:
        frame = opened.frame()
    table = pd.read_csv(folder / "estimates.csv")
    assert np.allclose(table.estimate, frame.estimate, equal_nan=True)
    assert list(pd.read_csv(folder / "estimates-columns.csv").name) == list(table.columns)
    figures = {path.name for path in (folder / "figures").iterdir()}
    charts = ("kill_rate", "kill_streets", "deals_per_pot", "survival", "winning_hands")
    names = {f"faces-of-death-{name}" for name in (*charts, "recommendation")}
    assert figures == {f"{name}.{kind}" for name in names for kind in ("png", "svg")}
    for name in names:
        assert (folder / f"figures/{name}.png").read_bytes().startswith(b"\x89PNG")
    height, width, _ = image.imread(folder / "figures/faces-of-death-kill_streets.png").shape
    assert height > width  # the panels of its two policies are stacked
    for name in names:
        assert ElementTree.parse(folder / f"figures/{name}.svg").getroot().tag.endswith("svg")  # noqa: S314


def test_a_report_takes_the_place_of_an_earlier_one_alone(store, tmp_path, no_notebooks, refused):
    folder = tmp_path / "report"
    report.write(store, folder)
    (folder / "index.html").write_text("old")
    assert report.write(store, folder).front == folder / "index.html"
    assert "Report on study.db" in (folder / "index.html").read_text(encoding="utf-8")
    (folder / "mine.txt").write_text("mine")
    refused(lambda: report.write(store, folder), "mine.txt", "no report's")
    assert (folder / "mine.txt").read_text() == "mine"
    (tmp_path / "empty").mkdir()
    report.write(store, tmp_path / "empty")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "report"]


def test_places_where_something_would_be_lost_are_refused(store, tmp_path, no_notebooks, refused):
    (tmp_path / "file").write_text("mine")
    refused(lambda: report.write(store, tmp_path / "file"), "is a file")
    refused(lambda: report.write(store, store.parent), "the store lies in")
    (tmp_path / "others" / "deep").mkdir(parents=True)
    refused(lambda: report.write(store, tmp_path / "others"), "deep")
    refused(lambda: report.write(store, tmp_path / "file" / "report"), "cannot be written")
    assert (tmp_path / "file").read_text() == "mine"
    refused(lambda: report.write(store, tmp_path / ("a" * 300)), "File name too long")


def test_what_was_put_in_the_place_of_a_report_s_file_stays(store, tmp_path, no_notebooks, refused):
    folder = tmp_path / "report"
    report.write(store, folder)
    (folder / "index.html").unlink()
    os.mkfifo(folder / "index.html")
    refused(lambda: report.write(store, folder), "index.html", "no report's")
    assert (folder / "index.html").is_fifo()


def test_a_report_that_fails_leaves_what_was_there(store, tmp_path, no_notebooks, monkeypatch):
    folder = tmp_path / "report"
    report.write(store, folder)
    before = (folder / "index.html").read_bytes()

    def fails(name, *_):
        raise Failed(f"the notebook {name} fails: ValueError: no")

    monkeypatch.setattr(report, "NOTEBOOKS", ("spades",))
    monkeypatch.setattr(execute, "executed", fails)
    with pytest.raises(Failed, match="spades fails"):
        report.write(store, folder)
    assert (folder / "index.html").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["report"]


def test_a_folder_that_cannot_take_its_place_leaves_the_old_one(tmp_path, store, no_notebooks):
    old, room = tmp_path / "report", tmp_path / "room"
    report.write(store, old)
    with pytest.raises(FileNotFoundError):
        paths._take_place(tmp_path / "never made", old, room)
    assert (old / "index.html").is_file()


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_a_notebook_that_fails_is_named(tmp_path, monkeypatch):
    broken = execute.read("faces_of_death")
    broken.cells[2].source = "1 / 0"
    monkeypatch.setattr(execute, "read", lambda _: broken)
    with pytest.raises(Failed, match="faces_of_death fails: ZeroDivisionError: division by zero"):
        execute.executed("faces_of_death", {}, tmp_path)


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_a_kernel_registered_by_somebody_else_is_not_used(tmp_path, monkeypatch):
    spec = tmp_path / "kernels" / "python3"
    spec.mkdir(parents=True)
    words = {"argv": ["/bin/false"], "display_name": "Python 3", "language": "python"}
    (spec / "kernel.json").write_text(json.dumps(words))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    notebook = execute.read("what_if")
    notebook.cells = [nbformat.v4.new_code_cell("import sim; print(sim.__file__)")]
    execute.run(notebook, tmp_path)
    assert notebook.cells[0].outputs[0].text.strip() == sim.__file__


def test_what_is_missing_is_said(store, tmp_path, monkeypatch, refused, no_notebooks):
    refused(lambda: report.write(tmp_path / "none.db", tmp_path / "out"), "no store")
    Store(tmp_path / "empty.db").close()
    refused(lambda: report.write(tmp_path / "empty.db", tmp_path / "out"), "no finished pots")
    monkeypatch.setattr(report, "find_spec", lambda name: None if name == "nbconvert" else name)
    refused(lambda: report.write(store, tmp_path / "out"), "nbconvert", "spadework[report]")
    assert not (tmp_path / "out").exists()


def test_the_command_says_where_the_report_is(store, tmp_path, capsys, no_notebooks, monkeypatch):
    out = str(tmp_path / "out")
    assert cli.main(["report", str(store), "--out", out]) == 0
    assert capsys.readouterr().out == f"Report:  {out}/index.html\n"
    monkeypatch.setattr(report, "NOTEBOOKS", ("spades",))

    def nothing(*_):
        raise report.NoData("the store holds no pots of spades")

    monkeypatch.setattr(execute, "executed", nothing)
    assert cli.main(["report", str(store), "--out", out]) == 0
    said, heard = capsys.readouterr()
    assert "Left out: spades: the store holds no pots of spades" in said
    assert heard == "Executing spades …\n"
    assert cli.main(["report", str(store), "--out", out, "--quiet"]) == 0
    assert capsys.readouterr().err == ""
    assert cli.main(["report", str(store), "--out", str(store)]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


PROBE = """<script>addEventListener("load", () => {
const images = [...document.images].map(one => [one.complete, one.naturalWidth]);
const rows = [...document.querySelectorAll("table")].map(one => one.rows.length);
const widths = one => one.getBoundingClientRect().width;
const formulas = [...document.querySelectorAll("math")].map(widths);
const asked = performance.getEntriesByType("resource").map(one => one.name);
document.documentElement.style.width = "400px";  // and then as a phone shows it
const wide = [...document.querySelectorAll("table, .output_area img, figure img")].map(one => {
const box = one.closest(".output_subarea, .scroll, figure");
const room = box.getBoundingClientRect();
return [room.right, one.scrollWidth > room.width + 1, getComputedStyle(box).overflowX];
});
document.body.dataset.seen = JSON.stringify({images, rows, formulas, asked, wide});
});</script>"""
QUIET = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip


@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_a_browser_without_network_shows_charts_tables_and_formulas(made, tmp_path):
    """The page looks at itself, and Chromium prints what it saw."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("there is no chromium: apt-get install chromium")
    _, folder = made
    seen = {}
    for name in ("index", "faces_of_death"):
        page = folder / f"seen-{name}.html"
        text = (folder / f"{name}.html").read_text(encoding="utf-8")
        page.write_text(text.replace("</body>", f"{PROBE}</body>"), encoding="utf-8")
        command = [
            chromium, *QUIET, f"--user-data-dir={tmp_path / name}", "--timeout=20000",
            "--host-resolver-rules=MAP * ~NOTFOUND", "--dump-dom", page.as_uri(),
        ]  # fmt: skip
        shown = subprocess.run(
            command, capture_output=True, encoding="utf-8", timeout=120, check=True
        )
        page.unlink()
        found = re.search(r'data-seen="(.*?)"', shown.stdout)
        seen[name] = json.loads(html.unescape(found[1]))
    for page in seen.values():
        assert page["images"]
        assert all(complete and width > 100 for complete, width in page["images"])
        assert page["rows"]
        assert min(page["rows"]) > 1
        assert all(right <= 400 for right, *_ in page["wide"])
        assert {overflow for _, wider, overflow in page["wide"] if wider} <= {"auto"}
        assert not [address for address in page["asked"] if not address.startswith("file:")]
    assert any(wider for _, wider, _ in seen["faces_of_death"]["wide"])
    assert len(seen["faces_of_death"]["images"]) == 2
    assert all(width > 5 for width in seen["faces_of_death"]["formulas"])
    assert len(seen["faces_of_death"]["formulas"]) >= 4
