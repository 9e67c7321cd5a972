"""Inputs that nobody writes on purpose, to every command and every public function.

    python tests/fuzz.py commands            # all of CI's; processes: a few as users start them
    python tests/fuzz.py calls 5000 9000     # inputs 5000 to 8999
    python tests/fuzz.py commands 17         # input 17 alone, with what it prints

What is tried is declared elsewhere: commands by the command-line library, functions with what
they take and do not take by ``test_arguments``. Here stand the words of command lines. Input
``number`` is the same on every machine as long as all these are; one process that has loaded
everything forks children, which take inputs in turn, so that a crash or a hang costs one of them.
"""

import contextlib
import io
import multiprocessing
import os
import resource
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import cache, partial
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import test_arguments
import typer

import sim
from sim import cli
from sim.cli.commands import app
from sim.errors import Failed, InputError
from sim.policy import SHAPE, Policy
from sim.runs import dask

SECONDS = 30.0
"""After which an input counts as hanging; on a quiet machine the longest takes two."""
MEMORY = 6 << 30
"""Bytes that a child may take."""
LONGEST_SENTENCE = 1000
OLD = Path(__file__).parent / "facts" / "format-2.db"
COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]

# --- Files ---------------------------------------------------------------------------------------

PAGE = """name = "{}"
title = "A Page"
summary = "One sentence."
wild = "spades"
flush_repeats = false
[ante]
amount = 1
who = "dealer"
[kill]
cards = "Jh Qh"
treatment = "redeal"
ante_again = false
max_deals = 20
[toll]
cards = "hearts"
prices = [2, 5]
[betting]
bets = [2, 2, 2, 2, 5]
raises = 3
bring_in = 0
opens = "high-hand"
[[choices]]
option = "kill.treatment"
why = "So it is."
"""
PLAN = """games = ["spades", {page = "faces-of-death", options = ["kill.ante_again=true"]}]
options = ["ante.amount=2"]
players = "2-3"
policies = ["stay", "fold:0.1"]
seed = 7
pots = 30
half_width = 0.1
metric = "pot_size"
level = "mean"
max_seconds = 1
"""
POLICIES = {
    "caution": 'name = "own"\nsummary = "So."\ncaution = 1.1\naggression = 2\n',
    "fold": 'name = "own"\nfold = [0.1, 0, 0, 0, 1]\n',
    "packed": Policy.of_tables("own", np.full(SHAPE, 0.1), np.zeros(SHAPE)).as_page(),
}
VALUES = (
    '""', '"x"', "0", "-1", "1e400", "nan", "inf", "[]", "[[]]", "{}", "true", "1979-05-27",
    '"\\u001b]0;x\\u0007"', '"\\u0000"', "9223372036854775808", "9" * 5000, f'"{"a" * 50_000}"',
    "[" * 3000, '["a", 1]', '"missing.toml"', '"[bold]"', "{a = 1}", '"२"', "0.1", "[nan]",
)  # fmt: skip
"""What damaged pages, plans and policies say in the place of what is right."""
STATEMENTS = (
    "DELETE FROM scenarios", "DELETE FROM cells", "DROP TABLE notes", "DROP TABLE cells",
    "PRAGMA user_version=99", "PRAGMA application_id=1", "PRAGMA journal_mode=delete",
    "UPDATE cells SET pots='abc'", "UPDATE cells SET cell=-cell-1", "UPDATE cells SET seed=NULL",
    "UPDATE cells SET tally=zeroblob(100)", "UPDATE scenarios SET content='[]'",
    "UPDATE scenarios SET key=x'ff00'", "UPDATE scenarios SET content=x'ff'",
    "UPDATE notes SET target='nan'", "UPDATE notes SET seconds='x'", "UPDATE runs SET totals=1",
    "CREATE TRIGGER t BEFORE INSERT ON cells BEGIN SELECT RAISE(IGNORE); END",
    "CREATE TABLE other(x)", "CREATE INDEX i ON cells (pots)",
    "ALTER TABLE cells RENAME TO kept; CREATE VIEW cells AS SELECT * FROM kept",
    "ALTER TABLE cells RENAME TO kept; CREATE TABLE cells AS SELECT * FROM kept "
    "UNION ALL SELECT * FROM kept",
    "DROP TABLE scenarios; CREATE VIEW scenarios AS WITH RECURSIVE r(key, content, digest) AS "
    "(SELECT 'a', 'b', 1 UNION ALL SELECT key, content, digest + 1 FROM r) SELECT * FROM r",
    "DROP TABLE cells; CREATE VIEW cells AS WITH RECURSIVE r(scenario, seed, cell, pots, tally, "
    "digest) AS (SELECT 'a', 1, 1, 1, 1, 1 UNION ALL SELECT scenario, seed, cell + 1, 1, 1, 1 "
    "FROM r) SELECT * FROM r",
    "PRAGMA writable_schema=1; UPDATE sqlite_master SET sql=x'ff' WHERE name='cells'",
    "PRAGMA writable_schema=1; UPDATE sqlite_master SET sql='CREATE TABLE cells(é' "
    "WHERE name='cells'",
    "PRAGMA writable_schema=1; UPDATE sqlite_master SET rootpage=3",
)  # fmt: skip
"""What damages a store without cutting or flipping it."""
LONG = "a" * 240
RAW = os.fsdecode(b"\xff\xfe")
PAGES = ["page.toml", "./page.toml", f"{LONG}.toml", f"{RAW}.toml", "link.toml", "a b?%41#.toml"]
PLANS, OWN = ["plan.toml", "./plan.toml"], ["caution.toml", "fold.toml"]
STORES = ["store.db", "./store.db", "other.db", f"{RAW}.db", "link.db", "a b?%41#.db"]
FILES = [
    "empty", "empty.toml", "empty.db", "one.toml", "bytes.toml", "bytes.db", "huge.toml", "huge.db",
    "pipe.toml", "pipe.db", "folder", "folder.toml", "folder.db", "dangling.toml", "loop.toml",
    "latin.toml", "utf16.toml", "control.toml", "damaged-page.toml", "damaged-plan.toml",
    "damaged-policy.toml", "damaged.db", "damaged.db", "text.csv", "other-program.db",
    "missing.toml", "missing/x.db", "page.toml/x", "text.csv/x.db", f"{'b' * 300}.toml",
    f"{'b' * 5000}.db", "/", ".", "..", "-", "new\nline.toml", "hard.db",
]  # fmt: skip
"""Whatever may lie in the place of a file that is right."""


@cache
def stores() -> dict[str, bytes]:
    """Return two stores of a few pots and another program's database, made once."""
    made = {}
    with tempfile.TemporaryDirectory() as root:
        for name, games, policies in (
            ("study", ["faces-of-death", "spades"], ["stay", "tight"]),
            ("other", ["faces-of-death"], ["fold:0.1"]),
        ):
            path = Path(root) / name
            sim.simulate(games, 2, 40, seed=7, policies=policies, store=path).store.close()
            made[name] = path.read_bytes()
        with closing(sqlite3.connect(Path(root) / "else.db")) as db:
            db.execute("CREATE TABLE t(x)")
        made["else"] = (Path(root) / "else.db").read_bytes()
    return made


def furnish(folder: Path) -> None:
    """Fill a folder with all files that inputs may name, but those that are damaged anew."""
    for name in ("page.toml", f"{LONG}.toml", f"{RAW}.toml", "a b?%41#.toml", "new\nline.toml"):
        (folder / name).write_text(PAGE.format("own"))
    for name in ("store.db", f"{RAW}.db", "a b?%41#.db"):
        (folder / name).write_bytes(stores()["study"])
    (folder / "other.db").write_bytes(stores()["other"])
    (folder / "hard.db").hardlink_to(folder / "other.db")
    (folder / "plan.toml").write_text(PLAN)
    for name, text in POLICIES.items():
        (folder / f"{name}.toml").write_text(text)
    for name in ("empty", "empty.toml", "empty.db"):
        (folder / name).touch()
    (folder / "one.toml").write_bytes(b"x")
    (folder / "text.csv").write_text("a,b\n1,2\n")
    for name in ("bytes.toml", "bytes.db"):
        (folder / name).write_bytes(bytes(range(256)) * 20)
    for name in ("huge.toml", "huge.db"):
        with (folder / name).open("wb") as file:
            file.truncate(1 << 36)
    for name in ("pipe.toml", "pipe.db"):
        os.mkfifo(folder / name)
    for name in ("folder", "folder.toml", "folder.db"):
        (folder / name).mkdir()
        (folder / name / "file").write_text("kept")
    for name, other in (("link.toml", "page.toml"), ("link.db", "store.db"), ("loop.toml",) * 2):
        (folder / name).symlink_to(other)
    (folder / "dangling.toml").symlink_to("nowhere")
    (folder / "latin.toml").write_bytes('name = "café"'.encode("latin-1"))
    (folder / "utf16.toml").write_bytes(PAGE.encode("utf-16"))
    (folder / "control.toml").write_text(PAGE.format("own").replace("A Page", "\\u001b]0;x\\u0007"))
    (folder / "old.db").write_bytes(OLD.read_bytes())
    (folder / "other-program.db").write_bytes(stores()["else"])


def damaged(text: str, draw: "Draw") -> bytes:
    """Return a text with one or two faults."""
    for _ in range(draw.below(2) + 1):
        lines = text.split("\n")
        at = draw.below(len(lines))
        key, equals, _ = lines[at].partition(" = ")
        match draw.below(8):
            case 0:
                del lines[at]
            case 1:
                lines.insert(at, draw.one(("x = 1", "[[[", "[x]", lines[at], "\x00", "# \ud7ff")))
            case 2:
                lines = [*lines[:at], lines[at][: len(lines[at]) // 2]]
            case _:
                lines[at] = f"{key} = {draw.one(VALUES)}" if equals else lines[at]
        text = "\n".join(lines)
    content = bytearray(text.encode())
    if not draw.below(8) and content:
        content[draw.below(len(content))] ^= 1 << draw.below(8)
    return bytes(content)


def damage(folder: Path, draw: "Draw") -> None:
    """Write one page, plan, policy and store with faults of this input's own."""
    (folder / "damaged-page.toml").write_bytes(damaged(PAGE.format("own"), draw))
    (folder / "damaged-plan.toml").write_bytes(damaged(PLAN, draw))
    (folder / "damaged-policy.toml").write_bytes(damaged(draw.one([*POLICIES.values()]), draw))
    content, path = bytearray(stores()[draw.one(("study", "other"))]), folder / "damaged.db"
    match draw.below(4):
        case 0:
            del content[draw.below(len(content)) :]
        case 1:
            content[draw.below(len(content))] ^= 1 << draw.below(8)
        case 2:  # in the head and the schema
            content[draw.below(4096)] = draw.below(256)
    path.write_bytes(content)
    if bytes(content) in stores().values():
        with closing(sqlite3.connect(path)) as db, contextlib.suppress(sqlite3.Error):
            db.execute("PRAGMA synchronous=OFF")
            db.executescript(draw.one(STATEMENTS))
            db.commit()


def snapshot(folder: Path) -> dict[str, tuple[int, ...]]:
    """Return what lies in a folder: each name with kind and, of files, size and time of writing."""
    found = {}
    for path in folder.rglob("*"):
        state = path.lstat()
        written = () if stat.S_ISDIR(state.st_mode) else (state.st_size, state.st_mtime_ns)
        found[os.fspath(path.relative_to(folder))] = (state.st_mode, *written)
    return found


# --- Values --------------------------------------------------------------------------------------

TEXTS = (
    "", " ", "x", "-", "--", "-1", "0", "é♠", RAW, "a" * 300, "a" * 5000, "\x1b]0;t\x07", "a\nb",
    "1e400", "nan", "[", "{}", "%s", "0x10", "٣", "9" * 30, "9" * 5000, "../..", ",", "=", ":",
    "[bold]", "true", "None", "\u202e", "1,,2", "2-", "fold:", "fold:nan", "fold:2", "=1",
)  # fmt: skip
"""What may stand in the place of any word of a command line."""
GAMES = ["faces-of-death", "spades", "seven-card-stud", "black-mariah"]
SEEDS = ["0", "7", "9223372036854775807"]
GOOD: dict[str, list[str]] = {
    "game": [*GAMES, *PAGES],
    "games": [*GAMES, *PAGES],
    "plan": PLANS,
    "path": PLANS,
    "players": ["2", "3,8", "2-3"],
    "pots": ["1", "40", "1_0"],
    "pot": ["0", "39", "9999999999"],
    "seed": SEEDS,
    "threads": ["1", "2", "1024"],
    "store": [*STORES, "new.db", "new/new.db"],
    "stores": STORES,
    "old": ["old.db"],
    "into": ["new.db", "new/new.db", "other.db", "store.db"],
    "kill": ["redeal", "player-out"],
    "settings": [
        "ante.amount=3", "wild=deuces", "wild=none", "toll.prices=[1,2]", "kill.max_deals=3",
        "kill.ante_again=true", "flush_repeats=true", "betting.raises=0",
    ],
    "policies": ["stay", "typical", "tight", "fold:0.1", "tight,stay", *OWN],
    "policy": ["stay", "typical", "fold:0.1", *OWN],
    "against": ["stay", "typical", "tight,stay", *OWN],
    "scoring_pots": ["1k"],
    "engine": ["threads"],
    "scheduler": ["tcp://127.0.0.1:9"],
    "output": ["table", "csv", "json", "parquet"],
    "by": ["pot", "deal"],
    "first": ["0", "3", "9999999000"],
    "limits": ["deals=6", "long_pots=0.2", "buy_in=100", "evening_buy_in=200"],
    "seconds": ["shuffle=30", "card=1"],
    "cards": ["As 9d 9h", "As 9d 9h 7s 9c 2s Qd", "Ks"],
    "up": ["9h", "As", ""],
    "opponents": ["1", "3", "7"],
    "board": ["Kd 2s", "8c", ""],
    "dead": ["4c 5c", ""],
    "to_call": ["0", "2"],
    "names": ["kill_rate", "toll_pot", "overview", "comparison", "survival"],
    "formats": ["png", "svg,png"],
    "out": ["new", "new.csv", "new/new", "folder", "text.csv", "new.json", "new.parquet", "-"],
    "a": ["faces-of-death:2", "spades:2"],
    "b": ["faces-of-death:2:tight", "spades:2", "spades:2:tight"],
    "metrics": ["kill_rate", "toll_pot", "pot_size"],
    "hours": ["0.1", "1"],
    "buy_in": ["100", "500"],
    "broke": ["rebuy", "leave"],
    "buy_ins": ["1", "3"],
    "rebuy_below": ["20", "60"],
    "stake": ["0.25", "1"],
    "evenings": ["2", "9"],
    "dealer": ["1", "2"],
    "charts": ["new", "new/new", "folder"],
}  # fmt: skip
"""What is right for a parameter of a command, by its name."""
EDGES: dict[str, list[str]] = {
    "players": ["1", "9", "2-9", "8-2", "2,2", "02"],
    "pots": ["0", "-1", "0.5k", "99999999999G", "1k1"],
    "pot": ["-1", "9223372036854775807", "18446744073709551616"],
    "by": ["seat", "Pot"],
    "first": ["-1", "10000000000", "1e3"],
    "seed": ["-1", "9223372036854775808", "1.5"],
    "threads": ["0", "-1", "1025", "9" * 30],
    "kill": ["player_out", "REDEAL"],
    "settings": [
        "wild", "wild=", "wild=1", "ante.amount=1e400", "ante.amount=10001", "ante=1",
        "name=spades",
        "kill.cards=spades,hearts,clubs,diamonds", "betting.bets=[1]", "toll.prices=[[1]]",
        "ante.amount=[[[[", "title=\x1b[2J", f"title={'a' * 5000}", f"ante.amount={'9' * 5000}",
        "wild.a.b=1", "=", "kill.max_deals=10000", "choices=[]", "changed=1",
    ],
    "policies": [
        "fold:1,1,1,1,1", "fold:0", "fold:1", "stay,stay,stay", "fold:0.1,0.2", "fold:-0", "Tight",
        f"fold:0.{'1' * 300}",
    ],
    "scheduler": ["inproc://x", "tcp://", "tls://127.0.0.1:9", "x:y:z"],
    "limits": ["deals=nan", "deals=inf", "deals=-1", "x=1", "deals", "deals=1=1", "long_pots=7"],
    "seconds": ["card=nan", "card=-1", "card=1e308", "cards=1"],
    "cards": ["As As", "1s", "As " * 8, "As,9d", "A♠ 10h", "as 9D"],
    "up": ["As 9d 9h 7s 9c", "Kd", "As As"],
    "opponents": ["0", "8", "-1"],
    "hours": ["0", "-1", "nan", "inf", "73", "1e400"],
    "buy_in": ["1", "20", "1000001", "1.5"],
    "buy_ins": ["0", "1001"],
    "rebuy_below": ["0", "100", "9" * 30],
    "stake": ["0", "nan", "-1", "1e9"],
    "evenings": ["1", "200001", "-2"],
    "dealer": ["0", "9"],
    "a": ["spades", "spades:2:", ":2", "spades:2:stay:stay", "0" * 16, "spades:x", "spades:99"],
    "b": ["faces-of-death:2", "spades:٢", "spades:2:x"],
}  # fmt: skip
"""What is nearly right, or right and seldom."""
ALWAYS = {"players", "pots", "evenings", "scoring_pots"}
"""Without these more would be played than there is time for."""
SELDOM = {"everything": 0.05, "plan": 0.1}
"""How often an option that takes its time is given, where not one time in three."""
DAMAGED = {
    "game": ["damaged-page.toml", "control.toml"],
    "games": ["damaged-page.toml", "control.toml"],
    "plan": ["damaged-plan.toml"],
    "path": ["damaged-plan.toml"],
    "policy": ["damaged-policy.toml"],
    "policies": ["damaged-policy.toml", "stay,damaged-policy.toml"],
    "against": ["damaged-policy.toml"],
    "store": ["damaged.db"],
    "stores": ["damaged.db"],
    "old": ["damaged.db", "store.db"],
    "into": ["damaged.db"],
    "out": FILES,
    "charts": FILES,
}
"""Of parameters that name files, what is damaged anew for each input."""


class Draw:
    """Seeded choices of one input."""

    def __init__(self, *words: object) -> None:
        digest = sha256(repr(words).encode()).digest()
        self._generator = np.random.Generator(np.random.PCG64(int.from_bytes(digest[:16])))

    def below(self, limit: int) -> int:
        return int(self._generator.integers(limit))

    def one(self, several: Any) -> Any:
        return several[self.below(len(several))]

    def chance(self, share: float) -> bool:
        return bool(self._generator.random() < share)


# --- Commands ------------------------------------------------------------------------------------


def bad_word(command: str, name: str, draw: Draw) -> str:
    """Return what does not fit a parameter, or hardly."""
    if command == "report" and name == "out":
        return good_word(command, name, draw)
    pools = [TEXTS, *[EDGES.get(name, TEXTS)] * 2, *[FILES, DAMAGED.get(name, FILES)] * 2]
    return str(draw.one(draw.one(pools if name in DAMAGED else pools[:3])))


def good_word(command: str, name: str, draw: Draw) -> str:
    """Return what fits a parameter; a report has no good place, because it would take minutes."""
    if command == "report" and name == "out":
        return str(draw.one(["folder", "text.csv", "text.csv/x", "."]))
    return str(draw.one(GOOD[name]))


def command_line(number: int) -> list[str]:
    """Return the words of an input: a command that is right but in one or two places."""
    draw = Draw("command", number)
    weighted = [name for name, each in COMMANDS.items() for _ in each.params[:7]]
    command = draw.one(weighted)
    used = [
        each for each in COMMANDS[command].params
        if each.name != "help"
        and (each.required or each.name in ALWAYS or draw.chance(SELDOM.get(each.name, 0.3)))
    ]  # fmt: skip
    if any(each.name == "plan" for each in used) and draw.chance(0.9):  # which says what to play
        used = [each for each in used if each.name in ("plan", "store", "threads", "quiet")]
    bad = {draw.below(len(used) or 1) for _ in range(draw.one((0, 1, 1, 1, 1, 1, 2)))}
    options, arguments = [], []
    for place, each in enumerate(used):
        if getattr(each, "is_flag", False):
            options.append(each.opts[0])
            continue
        words = [good_word(command, each.name, draw)]
        if each.multiple or each.nargs == -1:
            words += [good_word(command, each.name, draw) for _ in range(draw.one((0, 0, 1)))]
        if place in bad:
            words[0] = bad_word(command, each.name, draw)
        flag = [each.opts[0]] if each.param_type_name == "option" else []
        (options if flag else arguments).extend(chain(*([*flag, word] for word in words)))
    if "--scheduler" in options:
        options += ["--engine", "dask"]
    if draw.chance(0.03):
        options += draw.one((["--nothing"], ["--help"], ["word"], ["--store"]))
    return [command, *options, *arguments]


def try_command(number: int, root: Path, *, talk: bool = False, here: bool = True) -> list[str]:
    """Run a command line in a furnished folder; return what is wrong with how it ended.

    It is run ``here``, or in a process of its own.
    """
    folder, spare = root / "here", root / "tmp"
    words = command_line(number)
    damage(folder, Draw("damage", number))
    before = snapshot(folder)
    code, out, err = (captured if here else in_a_process)(words, root)
    after, left = snapshot(folder), [path.name for path in spare.iterdir()]
    if talk:
        print(f"code {code}\n--- stdout\n{out}\n--- stderr\n{err}")
    faults = [f"stray file {name}" for name in left]
    faults += [f"left {name}" for name in after if "/.export-" in name or name.endswith("-lock")]
    if isinstance(code, str):
        return [*faults, code]
    if code not in (0, cli.BAD_INPUT):
        faults.append(f"code {code}: {err[-200:]!r}")
    if code == cli.BAD_INPUT and before != after:
        changed = sorted(name for name in before | after if before.get(name) != after.get(name))
        faults.append(f"refused, but wrote {changed}")
    if code == cli.BAD_INPUT and not sentence(err.rstrip("\n")):
        faults.append(f"refused, not in one sentence: {err[:300]!r} … {err[-100:]!r}")
    if "Traceback" in err or "Warning" in err:
        faults.append(f"raw: {err[-300:]!r}")
    for name, text in (("stdout", out), ("stderr", err)):
        if not all(line.isprintable() for line in text.replace("\t", "").split("\n")):
            faults.append(f"control characters on {name}")
    return faults


def captured(words: list[str], root: Path) -> tuple[int | str, str, str]:
    """Run a command with its streams in files; return its code, or what it raised, and those."""
    places = [root / "stdout", root / "stderr"]
    kept = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (path.open("w", encoding="utf-8") for path in places)
    code: int | str
    try:
        code = cli.main(words)
    except BaseException as error:
        code = raised(error)
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.close()
        sys.stdout, sys.stderr = kept
    return code, *(path.read_text(encoding="utf-8", errors="replace") for path in places)


def in_a_process(words: list[str], _root: Path) -> tuple[int | str, str, str]:
    """Run a command as users do; return its code and streams."""
    done = subprocess.run(
        [sys.executable, "-m", "sim", *words], stdin=subprocess.DEVNULL, capture_output=True,
        encoding="utf-8", errors="replace", check=False,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


def sentence(text: str) -> bool:
    """Whether this is one line that can be read."""
    return bool(text.strip()) and text.isprintable() and len(text) <= LONGEST_SENTENCE


def raised(error: BaseException) -> str:
    """Say what came out of the code, and where from, without what differs from case to case."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "/sim/" in frame.filename] or frames
    place = f"{Path(own[-1].filename).name}:{own[-1].name}"
    return f"raised {type(error).__name__} in {place}: {str(error)[:150]!r}"


# --- Calls ---------------------------------------------------------------------------------------


def call(number: int) -> tuple[str, dict[str, Any]]:
    """Return an input: what is called, and arguments that are right but for one or two."""
    draw = Draw("call", number)
    name = draw.one([name for name, (_, words) in test_arguments.CALLS.items() if words])
    words = dict(test_arguments.CALLS[name][1])
    for _ in range(draw.one((1, 1, 1, 2))):
        pool = [*test_arguments.wrong().values()] if draw.chance(0.8) else [*FILES, *TEXTS]
        words[draw.one([*words])] = draw.one(pool)
    return name, words


def try_call(number: int, root: Path, *, talk: bool = False) -> list[str]:
    """Call in a furnished folder; return what is wrong with how it ended."""
    name, words = call(number)
    before = snapshot(root / "here")
    with warnings.catch_warnings(), (root / "stderr").open("w") as quiet:
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", UserWarning)  # of duplicates in a plan, as documented
        warnings.simplefilter("ignore", ResourceWarning)
        with contextlib.redirect_stderr(quiet), contextlib.redirect_stdout(quiet):
            ended = outcome(test_arguments.CALLS[name][0], words)
    if talk:
        print(repr(ended))
    if not isinstance(ended, Exception):
        return []
    faults = [] if isinstance(ended, (InputError, Failed)) else [raised(ended)]
    if not faults and not sentence(str(ended)):
        faults.append(f"refused, not in one sentence: {str(ended)[:300]!r}")
    after = snapshot(root / "here")
    if before != after:
        changed = sorted(name for name in before | after if before.get(name) != after.get(name))
        faults.append(f"refused, but wrote {changed}")
    return faults


def outcome(function: Callable[..., Any], words: dict[str, Any]) -> Any:
    """Return what a call returns or raises; of a study, once its frame is made."""
    try:
        value = function(**words)
        if isinstance(value, sim.Study):
            with value:
                value.frame()
    except Exception as error:
        return error
    return value


# --- All of them ---------------------------------------------------------------------------------


class Kind(NamedTuple):
    """A way to try the house."""

    attempt: Callable[..., list[str]]
    words: Callable[[int], object]
    inputs: int
    """Of CI."""
    batch: int
    """That one child takes in turn."""


KINDS = {
    "commands": Kind(try_command, command_line, 400, 20),
    "processes": Kind(partial(try_command, here=False), command_line, 6, 6),
    "calls": Kind(try_call, call, 2500, 300),
}


def tried(kind: Kind, first: int, end: int) -> Iterator[tuple[int, list[str]]]:
    """Yield inputs with what is wrong with how they ended, in order."""
    fork = multiprocessing.get_context("fork")
    while first < end:
        stop = min(end, first + kind.batch)
        reader, writer = fork.Pipe(duplex=False)
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as root:
            child = fork.Process(target=_take, args=(kind, range(first, stop), Path(root), writer))
            child.start()
            writer.close()
            for first, faults in _answers(reader, first, stop):  # noqa: B020
                yield first, faults
            first += 1
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid or 0, signal.SIGKILL)
            child.join()


def _answers(reader: Any, first: int, stop: int) -> Iterator[tuple[int, list[str]]]:
    """Yield what a child says of its inputs; the last is the one that it did not survive."""
    for number in range(first, stop):
        if not reader.poll(SECONDS):
            yield number, [f"hangs: no end after {SECONDS:g} s"]
            return
        try:
            yield number, reader.recv()
        except EOFError:
            yield number, ["ended the process"]
            return


def _take(kind: Kind, numbers: range, root: Path, writer: Any) -> None:
    """Try inputs in turn, in a process of their own."""
    os.setsid()
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    here, spare = root / "here", root / "tmp"
    spare.mkdir()
    tempfile.tempdir = os.environ["TMPDIR"] = str(spare)
    clean = None
    for number in numbers:
        if snapshot(here) != clean:
            shutil.rmtree(here, ignore_errors=True)
            here.mkdir()
            furnish(here)
            os.chdir(here)
            clean = snapshot(here)
        writer.send(kind.attempt(number, root))
    writer.close()


def warm_up() -> None:
    """Load whatever commands and functions load, so that children find it there."""
    stores()
    with tempfile.TemporaryDirectory() as root, contextlib.chdir(root):
        for function, words in test_arguments.CALLS.values():
            with contextlib.suppress(InputError):
                function(**words)
        store = Path("s.db")
        store.write_bytes(stores()["other"])
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            for words in (
                "run spades --players 2 --pots 40 --seed 7 --policy tight --store s.db",
                "chart s.db",
                "export s.db --format parquet",
                "show s.db --format json",
                "hand As,Ks,4h --game spades --opponents 1",
            ):
                assert cli.main(words.split()) == 0
    import distributed  # noqa: F401

    dask.PATIENCE = 0.5


def main(words: list[str]) -> int:
    """Try what the command line says; print each fault, and at last how many inputs there were."""
    kind = KINDS[words[0]]
    numbers = [int(word) for word in words[1:]]
    if len(numbers) == 1:
        return _one(kind, numbers[0])
    first, end = numbers or (0, kind.inputs)
    warm_up()
    bad = 0
    for number, faults in tried(kind, first, end):
        bad += bool(faults)
        for fault in faults:
            print(f"{words[0]} {number}: {kind.words(number)!r:.400}: {fault}", flush=True)
    print(f"{end - first} {words[0]}, {bad} with faults")
    return min(bad, 1)


def _one(kind: Kind, number: int) -> int:
    print(kind.words(number))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as root:
        here = Path(root) / "here"
        here.mkdir()
        (Path(root) / "tmp").mkdir()
        furnish(here)
        os.chdir(here)
        faults = kind.attempt(number, Path(root), talk=True)
    print(*faults, sep="\n")
    return min(len(faults), 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
