"""The docs: what the code can tell of itself stands there as it is, and links lead somewhere."""

import re
from pathlib import Path

import numpy as np
import pytest

import sim
from docs import reference, strength_error
from sim import cli, game, policy
from sim.cli.commands import app
from sim.kernels.ranks import CATEGORIES
from sim.plan import Table
from sim.policy import PolicyPage
from sim.stats.metrics import METRICS, PRICE_BANDS

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
    assert len(re.findall(r"^- `\w", section(command), re.MULTILINE)) == count


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


def test_every_level_is_explained():
    """The page names each level that is no number and no policy."""
    several = [
        sim.simulate(name, players, 300, seed=7, policies=policies, progress=False).frame()
        for name, players, policies in (
            ("faces-of-death", 8, ["fold:0.05", ["typical"] * 7 + ["tight"]]),
            ("spades", 4, ["loose"]),
        )
    ]
    levels = {level for frame in several for level in frame.level}
    assert {"community", "free", "third", "p95", "tight"} <= levels
    page = PAGES["metrics.md"]
    streets = {"fourth", "fifth", "sixth"}
    bands = {band for band in PRICE_BANDS if " to " in band or "10 %" in band}
    for level in levels - streets - bands - set(CATEGORIES) - set(policy.shipped()):
        assert re.fullmatch(r"[\d.]+", level) or f"`{level}`" in page, level


def test_every_open_question_stands_with_its_answer():
    for name in game.shipped():
        page = game.load(name)
        for choice in page.choices:
            answer = f"| `{choice.option}` | `{page.option(choice.option)}` | {choice.why} |"
            assert answer in PAGES["assumptions.md"]


def test_errors_of_chances_are_those_of_other_real_deals():
    """The rest of the deck, shuffled by NumPy and dealt by hand."""
    known = strength_error.errors("9c 9d 9h 7c 7d", "spades")[3]
    own = sim.cards.parse_cards("9c 9d 9h 7c 7d")
    rest = np.tile(np.setdiff1d(np.arange(52), own), (20_000, 1))
    rest = np.random.default_rng(1).permuted(rest, axis=1)
    mine = sim.evaluate(np.hstack([np.tile(own, (20_000, 1)), rest[:, :2]]), "spades")
    theirs = [sim.evaluate(rest[:, first : first + 7], "spades") for first in (2, 9, 16)]
    won, tied = mine > np.max(theirs, axis=0), mine == np.max(theirs, axis=0)
    shares = won + tied / (1 + (theirs == mine).sum(axis=0))
    assert abs(shares.mean() - known.real) < 4 * shares.std() / 20_000**0.5
    assert known.said == sim.expected_strength(own, 3, "spades")
    assert known.relative == pytest.approx(known.said / known.real - 1)


def test_what_is_told_of_chances_is_what_real_deals_say():
    three, _, _, house, flush, pairs = strength_error.HANDS

    def told(cards, wild, *others):
        known = strength_error.errors(cards, wild)
        return [f"{100 * known[number].relative:+.0f} %" for number in others]

    in_spades = [
        *told(three, "spades", 1, 3, 6),
        *told(house, "spades", 1, 3, 6),
        *told(flush, "spades", 1, 3),
    ]
    text = " ".join(sim.expected_strength.__doc__.split())
    assert re.findall(r"[+-]\d+ %", text) == in_spades + told(pairs, "none", 1, 3, 6)


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
