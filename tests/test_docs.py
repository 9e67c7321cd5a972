"""The docs: what the code can tell of itself stands there as it is, and links lead somewhere."""

import re
from pathlib import Path

import pytest

from docs import reference
from sim import cli, game
from sim.cli.commands import app
from sim.estimate import METRICS
from sim.plan import Table
from sim.policy import PolicyPage

PAGES = {path.name: path.read_text(encoding="utf-8") for path in reference.pages()}
COMMANDS = [info.name or info.callback.__name__ for info in app.registered_commands]
PUBLISHED = "results/published/"
"""What `results/published` holds is made, and tested, by what makes it."""


@pytest.mark.parametrize("page", PAGES)
def test_generated_parts_say_what_the_code_says(page):
    """After a change of what they say: ``python -m docs.reference``."""
    assert reference.filled(PAGES[page]) == PAGES[page]


def test_every_generated_part_has_its_place():
    used = re.findall(r"<!-- generated: ([a-z-]+) -->", "".join(PAGES.values()))
    assert sorted(used) == sorted(reference.MAKERS)


def test_a_change_is_found():
    page = PAGES["commands.md"].replace("--anytime", "--any-time")
    assert reference.filled(page) == PAGES["commands.md"]


def section(command):
    """Return what the reference says of a command."""
    text = PAGES["commands.md"]
    return re.search(rf"^## spadework {command}\n(.*?)^## ", text, re.DOTALL | re.MULTILINE)[1]


@pytest.mark.parametrize("command", COMMANDS)
def test_the_reference_has_every_option_that_help_has(command, capsys):
    """Compared with what Typer itself prints, whatever the reference is made from."""
    assert cli.main([command, "--help"]) == 0
    printed = capsys.readouterr().out
    options = set(re.findall(r"^│ (?:\*  )? *(--[a-z-]+)", printed, re.MULTILINE)) - {"--help"}
    written = re.findall(r"^- `(--[a-z-]+)", section(command), re.MULTILINE)
    assert set(written) == options
    assert len(written) == len(options)
    arguments = re.search(r"─ Arguments ─(.*?)╰", printed, re.DOTALL)
    count = len(re.findall(r"<\w", arguments[1])) if arguments else 0
    assert len(re.findall(r"^- `\[?[A-Z]", section(command), re.MULTILINE)) == count


def test_the_reference_has_every_command(capsys):
    cli.main(["--help"])
    printed = re.findall(r"│ (\w+)\s", capsys.readouterr().out.split("Commands")[1])
    assert printed == COMMANDS
    assert re.findall(r"^## spadework (\w+)", PAGES["commands.md"], re.MULTILINE) == COMMANDS


def test_the_reference_has_every_exit_code():
    for code in (0, cli.FAILED, cli.BAD_INPUT, cli.INTERRUPTED, cli.TERMINATED):
        assert f"\n| {code} |" in PAGES["commands.md"]


def test_every_key_of_every_page_has_its_meaning():
    keys = game.load("spades").rules()
    nested = [key for value in keys.values() if isinstance(value, dict) for key in value]
    plain = [key for key, value in keys.items() if not isinstance(value, dict)]
    for page, names in (
        ("games.md", [*nested, *plain, "name", "title", "source", "summary", "choices", "why"]),
        ("policies.md", PolicyPage.model_fields),
        ("studies.md", Table.model_fields),
        ("metrics.md", METRICS),
    ):
        for name in names:
            row = re.search(rf"^\| `{name}` \|(.*)\|$", PAGES[page], re.MULTILINE)
            assert row, f"{page} does not tell {name}"
            assert len(row[1].split()) > 3


def test_every_open_question_stands_with_its_answer():
    for name in game.shipped():
        page = game.load(name)
        for choice in page.choices:
            answer = f"| `{choice.option}` | `{page.option(choice.option)}` | {choice.why} |"
            assert answer in PAGES["assumptions.md"]


def headings(text):
    """Return the anchors of a page, as GitHub makes them."""
    words = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", word).lower().replace(" ", "-") for word in words}


@pytest.mark.parametrize("path", reference.pages(), ids=lambda path: path.name)
def test_links_lead_somewhere(path):
    links = re.findall(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)", path.read_text(encoding="utf-8"))
    for name, anchor in links:
        if name.startswith(PUBLISHED):
            continue
        there = (path.parent / name) if name else path
        assert there.exists(), f"{path.name} leads to {name}"
        if anchor:
            assert anchor in headings(Path(there).read_text(encoding="utf-8"))


def test_the_readme_leads_to_every_page():
    for path in reference.pages()[1:]:
        assert f"(docs/{path.name}" in PAGES["README.md"]
