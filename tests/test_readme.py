"""The README and the pages in docs: every example in them runs as it stands."""

import os
import re
import shlex
from pathlib import Path

import pytest
from pairwise import grid

from docs import reference
from sim import cli, study
from sim.policy import Policy

PAGES = {path.name: path.read_text(encoding="utf-8") for path in reference.pages()}
SAVED = re.compile(r"[Ss]ave this as\s+`([\w-]+\.toml)`:?\n+```toml\n(.*?)```", re.DOTALL)


def blocks(page, language):
    return re.findall(rf"```{language}\n(.*?)```", PAGES[page], flags=re.DOTALL)


FILES = dict(found for text in PAGES.values() for found in SAVED.findall(text))
COMMANDS = {
    line.strip(): shlex.split(line, comments=True)[1:]
    for page in PAGES
    for language in ("sh", "bash")
    for block in blocks(page, language)
    for line in block.replace("\\\n", " ").splitlines()
    if line.startswith("spadework ")
}
SCRIPTS = {page: "".join(blocks(page, "python")) for page in PAGES if blocks(page, "python")}
SHORT = ["--pots", "500", "--quiet"]
SOLVED = ["--pots", "1k", "--scoring-pots", "1k", "--quiet"]


def test_there_are_examples():
    assert len(COMMANDS) >= 40
    assert {"README.md", "policies.md", "python.md", "studies.md"} <= set(SCRIPTS)
    assert len(FILES) == sum(len(blocks(page, "toml")) for page in PAGES) == 5


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the files that a reader has saved, plans of few pots, and a job's number."""
    for name, text in FILES.items():
        for much, little in (('pots = ".*?"', 'pots = "500"'), ('players = "2-8"', "players = 2")):
            text = re.sub(f"^{much}", little, text, flags=re.MULTILINE)
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SLURM_ARRAY_TASK_ID", "3")
    return tmp_path


@pytest.mark.parametrize("page", SCRIPTS)
def test_the_python_examples_run(page, folder):
    names = {}
    exec(SCRIPTS[page], names)  # noqa: S102 - the project's own example
    if "study" in names:
        assert len(names["study"].frame()) > 100
        names["study"].store.close()
    if "strengths" in names:
        assert names["strengths"].size == 400_000


def made(store, command):
    """Make a store such as an example has made before: for a report of one game, for speed."""
    games = ["faces-of-death"] if command == "report" else ["faces-of-death", "spades"]
    sizes = [2, 3, 4] if command == "diff" else [2, 3]
    for asked, options in ((games, []), (games[:1], ["kill.ante_again=true"])):
        study.simulate(asked, sizes, 500, seed=7, options=options, store=store).store.close()


def prepared(command):
    """Make what an example finds, and return the example with few pots to play."""
    command = [os.path.expandvars(word) for word in command]
    for word in [word for word in command if "*" in word]:
        index = command.index(word)
        command[index : index + 1] = [word.replace("*", number) for number in "23"]
    if command[0] in ("show", "status", "diff", "export", "merge", "recount", "report", "chart"):
        for store in [word for word in command if word.endswith(".db")]:
            if command[command.index(store) - 1] != "--into":
                made(store, command[0])
    if any("answer.toml" in word for word in command) and command[0] != "solve":
        Path("answer.toml").write_text(Policy.family("answer", 1.1, 2.0).as_page(), "utf-8")
    if command[0] == "evening":
        return [*command, "--evenings", "20"]
    if command[0] == "solve":  # what is said last counts
        return [*command, *SOLVED]
    if command[0] not in ("run", "recommend"):
        return command
    for index in [index for index, word in enumerate(command) if word == "--pots"]:
        command = command[:index] + command[index + 2 :]
    command = [word for word in command if word != "--quiet"]
    return [*command, "--quiet"] if "--plan" in command else [*command, *SHORT]


def parts_of_line(line):
    """Return what a sample of examples covers: commands and options, but those that take long."""
    command, *words = COMMANDS[line]
    long = command == "report" or "dask" in words
    return set() if long else {command, *(word for word in words if word.startswith("--"))}


@pytest.mark.parametrize("line", grid(((line,) for line in COMMANDS), parts_of_line))
def test_every_command_runs(line, folder, capsys):
    """With few pots where it plays, what it reads in place, and pages saved as told."""
    assert cli.main(prepared(COMMANDS[line])) == 0
    assert capsys.readouterr().out
