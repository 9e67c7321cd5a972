"""The README: every example in it runs as it stands."""

import re
import shlex
from pathlib import Path

import pytest

from sim import cli, study

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


COMMANDS = [
    shlex.split(line, comments=True)[1:]
    for block in blocks("sh")
    for line in block.splitlines()
    if line.startswith("spadework ")
]


def test_there_are_examples():
    assert len(COMMANDS) >= 9
    assert len(blocks("python")) == 2
    assert len(blocks("toml")) == 3


def test_the_python_examples_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in blocks("python"):
        exec(block, names)  # noqa: S102 - the project's own example
        names["study"].store.close()
    assert len(names["frame"]) > 100
    assert names["strengths"].shape == (400_000,)


PAGE, PLAN = (
    next(block for block in blocks("toml") if word in block) for word in ("title", "half_width")
)
SHORT = ["--pots", "500", "--quiet"]


def prepared(command):
    """Make what an example finds, and return the example with few pots to play."""
    if command[0] == "show":
        assert cli.main(["run", "spades", "--players", "2", "--store", command[1], *SHORT]) == 0
    if command[0] in ("status", "diff", "export", "merge", "report", "chart"):
        for store in [word for word in command if word.endswith(".db")]:
            if command[command.index(store) - 1] != "--into":
                study.run_plan("study.toml", store).store.close()
    if command[0] not in ("run", "recommend"):
        return command
    for place in [place for place, word in enumerate(command) if word == "--pots"]:
        command = command[:place] + command[place + 2 :]
    return [*command, "--quiet"] if "--plan" in command else [*command, *SHORT]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_runs(command, tmp_path, monkeypatch, capsys):
    """With few pots where it plays, what it reads in place, and pages saved as told."""
    monkeypatch.chdir(tmp_path)
    for page in blocks("toml"):
        name = re.search(r'^name = "(.*)"', page, flags=re.MULTILINE)
        if name:
            assert f"`{name[1]}.toml`" in README
            (tmp_path / f"{name[1]}.toml").write_text(page, encoding="utf-8")
    (tmp_path / "study.toml").write_text(PLAN, encoding="utf-8")
    assert cli.main(prepared(command)) == 0
    assert capsys.readouterr().out
