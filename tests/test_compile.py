"""Machine code on disk: what is loaded is what was written, or it is compiled again."""

import os
import random
import re
import subprocess
import sys

import numba
import pytest

from sim.kernels import compile as compiling

ENDINGS = ("nbi", "nbc")
DAMAGED = re.compile(
    r"the machine code kept in \S+ is damaged: it is thrown away and compiled .*\n"
)


def halved(content):
    return content[: len(content) // 2]


def flipped(content, offset=-1):
    changed = bytearray(content)
    changed[offset] ^= 1 << random.Random(offset).randrange(8)  # noqa: S311
    return bytes(changed)


DAMAGES = {
    "empty": lambda _: b"",
    "cut": halved,
    "cut in the digest": lambda content: content[: compiling.DIGEST - 1],
    "nothing but a digest": lambda content: content[: compiling.DIGEST],
    "one byte more": lambda content: content + b"\0",
    "flipped at the end": flipped,
    "flipped in the middle": lambda content: flipped(content, len(content) // 2),
    "zeroes": lambda content: bytes(len(content)),  # as a power cut may leave it
}


def twice(number):
    """A function that is compiled in no time."""
    return 2 * number


@pytest.fixture
def fresh(tmp_path, monkeypatch):
    """A function: the kernel as a new process has it, with the cache in a folder of its own."""
    monkeypatch.setattr(compiling, "CACHE", str(tmp_path))
    return lambda: compiling.kernel(twice)


def kept(folder, ending):
    (path,) = folder.rglob(f"*.{ending}")
    return path


def loads(kernel):
    """Whether a kernel, called once, has loaded its machine code; its result must be right."""
    assert kernel(21) == 42
    return sum(kernel.stats.cache_hits.values()) == 1


def test_machine_code_is_kept_and_loaded(fresh, capsys):
    assert not loads(fresh())
    assert loads(fresh())
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("damage", DAMAGES)
def test_what_is_damaged_is_compiled_again_and_said_once(fresh, tmp_path, capsys, damage, ending):
    loads(fresh())
    path = kept(tmp_path, ending)
    path.write_bytes(DAMAGES[damage](path.read_bytes()))
    assert not loads(fresh())
    assert DAMAGED.fullmatch(capsys.readouterr().err)
    assert loads(fresh())
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("ending", ENDINGS)
def test_no_flipped_bit_is_loaded(fresh, tmp_path, capsys, ending):
    loads(fresh())
    path = kept(tmp_path, ending)
    whole = path.read_bytes()
    offsets = {*range(0, compiling.DIGEST, 5), *range(compiling.DIGEST, len(whole), 211)}
    for offset in offsets:
        path.write_bytes(flipped(whole, offset))
        assert not loads(fresh())
        assert DAMAGED.fullmatch(capsys.readouterr().err)


def test_a_file_of_another_name_is_not_loaded(fresh, tmp_path, capsys):
    kernel = fresh()
    assert (kernel(21), kernel(0.5)) == (42, 1.0)
    one, other = sorted(tmp_path.rglob("*.nbc"))
    one.write_bytes(other.read_bytes())
    assert not loads(fresh())
    assert DAMAGED.fullmatch(capsys.readouterr().err)


def test_of_two_that_begin_at_once_neither_loads_the_code_of_the_other(
    fresh, tmp_path, capsys, monkeypatch
):
    """Both see an empty index, and call the file of their own signature number one."""
    with monkeypatch.context() as at_once:
        at_once.setattr(compiling._CheckedFiles, "_load_index", lambda _: {})
        fresh()(21)
        code_of_the_first = kept(tmp_path, "nbc").read_bytes()
        fresh()(0.5)
    kept(tmp_path, "nbc").write_bytes(code_of_the_first)  # and the index is that of the second
    kernel = fresh()
    assert kernel(0.5) == 1.0
    assert not kernel.stats.cache_hits
    assert not loads(fresh())
    assert loads(fresh())
    assert capsys.readouterr().err == ""


def test_a_folder_that_takes_nothing_more_ends_nothing(fresh, tmp_path, capsys):
    kernel = fresh()
    (folder,) = tmp_path.iterdir()
    folder.rmdir()
    folder.write_text("no folder")
    assert not loads(kernel)
    assert re.fullmatch(r"machine code cannot be kept: .*\n", capsys.readouterr().err)


HAND = [sys.executable, "-m", "sim", "hand", "As 9d 9h 7s 9c 2s Qd", "--game", "spades"]


def started(folder):
    return subprocess.Popen(
        HAND, env=os.environ | {"NUMBA_CACHE_DIR": str(folder)}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def ended(process):
    out, err = process.communicate(timeout=300)
    return process.returncode, out, err


@pytest.mark.slow
def test_a_command_survives_whatever_became_of_its_cache(tmp_path):
    code, right, errors = ended(started(tmp_path))
    assert (code, errors) == (0, "")
    for ending in ENDINGS:
        paths = list(tmp_path.rglob(f"*.{ending}"))
        assert paths
        for damage in ("empty", "flipped in the middle"):
            for path in paths:
                path.write_bytes(DAMAGES[damage](path.read_bytes()))
            code, out, errors = ended(started(tmp_path))
            assert (code, out) == (0, right)
            assert re.fullmatch(f"({DAMAGED.pattern}){{{len(paths)}}}", errors)
    assert ended(started(tmp_path)) == (0, right, "")


@pytest.mark.slow
def test_two_that_begin_at_once_on_a_damaged_cache_mend_it(tmp_path):
    _, right, _ = ended(started(tmp_path))
    for path in tmp_path.rglob("*.nb?"):
        path.write_bytes(flipped(path.read_bytes()))
    both = [started(tmp_path), started(tmp_path)]
    for code, out, errors in map(ended, both):
        assert (code, out) == (0, right)
        assert re.fullmatch(f"({DAMAGED.pattern})*", errors)
    assert ended(started(tmp_path)) == (0, right, "")


def test_numba_has_no_cache_of_its_own_for_kernels():
    """Were its own ever put back, files would be loaded unchecked."""
    from sim.kernels import play
    from sim.kernels.fast import all_call, rank

    for kernel in (play.play_pots, rank.rank_array, all_call.play_pots_all_call):
        assert isinstance(kernel, numba.core.dispatcher.Dispatcher)
        assert type(kernel._cache) is compiling._CheckedCache
