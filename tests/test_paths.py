"""Files that a user names: read whole or refused, written whole or not at all."""

import io
import os
import sys

import pytest

import sim
from sim import cli, game, paths, policy
from sim.errors import InputError, printable

PAGE = 'name = "own"\ntitle = "Own"\nwild = "deuces"\n'
LONG = "a" * 300


def no_file(kind, folder):
    """The path of something in a folder that is no regular file, or that no file can be called."""
    path = folder / "strange"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "loop":
        path.symlink_to(path)
    else:
        path = folder / {"long": LONG, "nought": "a\0b"}[kind]
    return path


KINDS = ("fifo", "folder", "device", "loop", "long", "nought")


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_file_is_not_read(tmp_path, refused, kind):
    path = no_file(kind, tmp_path)
    refused(lambda: paths.read_text(path, "the plan"), "the plan", "cannot be read")
    assert not paths.is_file(path)


def test_a_text_is_read_to_its_end_or_refused(tmp_path, refused):
    path = tmp_path / "text"
    path.write_text("♠ and more")
    assert paths.read_text(path, "it", 12) == "♠ and more"
    refused(lambda: paths.read_text(path, "it", 11), "larger than 11 bytes")
    path.write_bytes(b"caf\xe9")
    refused(lambda: paths.read_text(path, "it"), "not text in UTF-8")
    refused(lambda: paths.read_text(tmp_path / "none", "it"), "No such file")


def test_standard_input_is_bounded(monkeypatch, refused):
    for text in ("short", "longer"):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        if text == "short":
            assert paths.read_text("-", "it", 5) == text
        else:
            refused(lambda: paths.read_text("-", "it", 5), "larger than 5 bytes")
    monkeypatch.setattr(sys, "stdin", None)
    refused(lambda: paths.read_text("-", "it"), "standard input is closed")


def test_pages_and_plans_come_from_standard_input(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(PAGE.encode())))
    assert game.load("-").name == "own"
    plan = b'games = "spades"\nplayers = 2\npots = 10\n'
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(plan)))
    assert cli.main(["plan", "-", "--store", "none.db"]) == 0
    assert "To play: about 10 pots" in capsys.readouterr().out


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "device"])
def test_only_files_are_written_over(tmp_path, refused, kind):
    path = no_file(kind, tmp_path)
    before = [(one.name, one.lstat().st_mode) for one in tmp_path.iterdir()]

    def write():
        with paths.placed(path) as (part,):
            part.write_text("new")

    refused(write)
    assert [(one.name, one.lstat().st_mode) for one in tmp_path.iterdir()] == before


def test_a_file_is_replaced_whole_and_a_link_to_it_stays(tmp_path):
    path, link = tmp_path / "file", tmp_path / "link"
    path.write_text("old")
    link.symlink_to(path)
    with pytest.raises(ZeroDivisionError), paths.placed(link) as (part,):
        part.write_text(f"new {1 / 0}")
    assert path.read_text() == "old"
    with paths.placed(link, tmp_path / "other") as parts:
        for part in parts:
            part.write_text("new")
    assert link.is_symlink()
    assert path.read_text() == (tmp_path / "other").read_text() == "new"
    assert {one.name for one in tmp_path.iterdir()} == {"file", "link", "other"}


COMMANDS = (
    ("games", "NAME"), ("exact", "NAME"), ("replay", "NAME"), ("recommend", "NAME"),
    ("run", "NAME"),
    ("hand", "As", "--game", "NAME"), ("exact", "spades", "--policy", "NAME"),
    ("exact", "spades", "--policy", "NAME.toml"), ("plan", "NAME"), ("run", "--plan", "NAME"),
    ("run", "spades", "--store", "NAME"), ("recommend", "spades", "--store", "NAME"),
    ("status", "NAME"), ("show", "NAME"), ("export", "NAME"), ("chart", "NAME"),
    ("diff", "NAME", "a", "b"), ("merge", "NAME", "--into", "b.db"), ("merge", "--into", "NAME"),
    ("report", "NAME", "--out", "here"), ("convert", "NAME", "--into", "b.db"), ("recount", "NAME"),
)  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("name", [LONG, "\x1b]0;x", os.fsdecode(b"caf\xe9/none"), "./fifo"])
def test_no_name_ends_a_command_but_in_a_sentence(tmp_path, monkeypatch, capsys, command, name):
    monkeypatch.chdir(tmp_path)
    os.mkfifo("fifo")
    words = [word.replace("NAME", name) for word in command]
    if words[0] == "merge" and len(words) == 3:
        words.insert(1, "none.db")
    if words[1:3] == ["spades", "--store"] and name != LONG:
        words[-1] = "./fifo"  # any other could be made
    assert cli.main(words) == 2
    out, err = capsys.readouterr()
    assert (out, len(err.splitlines())) == ("", 1)
    assert printable(err.strip()) == err.strip()
    assert [path.name for path in tmp_path.iterdir()] == ["fifo"]


def test_a_page_may_be_called_what_is_not_utf_8(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name in (b"caf\xe9.toml", b"caf\xe9"):
        with open(name, "w") as file:  # noqa: PTH123 - a path is text
            file.write(PAGE)
        assert cli.main(["games", os.fsdecode(name)]) == 0
        assert capsys.readouterr().out.startswith("Own")
    with open(b"caf\xe9.toml", "w") as file:  # noqa: PTH123
        file.write('name = "own"\nfold = [0.5]\n')
    assert policy.load(os.fsdecode(b"caf\xe9.toml")).name == "own"


@pytest.mark.parametrize("letter", ["\\u001b", "\\u0007", "\\u009b", "\\u202e", "\\u2066"])
def test_pages_hold_nothing_that_steers_a_terminal(letter):
    for word in ("title", "summary", "source"):
        text = f'name = "own"\ntitle = "Own"\n{word} = "a{letter}b"\n'
        if word == "title":
            text = f'name = "own"\ntitle = "a{letter}b"\n'
        with pytest.raises(InputError, match=f"{word}: it holds a control character"):
            game.parse_page(text)
    with pytest.raises(InputError, match="summary: it holds a control character"):
        policy.parse_page(f'name = "own"\nfold = [0.1]\nsummary = "a{letter}b"\n')


def test_words_of_several_lines_become_one():
    page = game.parse_page('name = "own"\ntitle = "Own"\nsummary = """\na\n\tb"""\n')
    assert page.summary == "a b"


def test_a_sentence_stands_on_one_line_whatever_a_path_holds():
    """Also in Python: who prints an error must not be steered by the name in it."""
    with pytest.raises(InputError) as refused:
        sim.open_study("no\nstore \x1b]0;title\a\u202e.db")
    assert str(refused.value).isprintable()
