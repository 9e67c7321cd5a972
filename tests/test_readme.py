"""The README: every example in it runs as it stands."""

import re
import shlex
from pathlib import Path

import pytest

from sim import cli

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
    assert len(blocks("python")) == 1
    assert len(blocks("toml")) == 2


def test_the_python_example_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(blocks("python")[0], names)  # noqa: S102 - the project's own example
    assert len(names["frame"]) > 100
    assert names["strengths"].shape == (400_000,)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_runs(command, tmp_path, monkeypatch, capsys):
    """With few pots where it plays, the pages saved as told, and a store where one is shown."""
    monkeypatch.chdir(tmp_path)
    for page in blocks("toml"):
        name = re.search(r'^name = "(.*)"', page, flags=re.MULTILINE)[1]
        assert f"`{name}.toml`" in README
        (tmp_path / f"{name}.toml").write_text(page, encoding="utf-8")
    few = ["--pots", "500", "--quiet"]
    if command[0] == "show":
        assert cli.main(["run", "spades", "--players", "2", "--store", command[1], *few]) == 0
    if command[0] == "run":
        places = [place for place, word in enumerate(command) if word == "--pots"]
        for place in places:
            command = command[:place] + command[place + 2 :]
        command = [*command, *few]
    assert cli.main(command) == 0
    assert capsys.readouterr().out
