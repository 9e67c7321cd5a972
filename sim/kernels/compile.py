"""How kernels are compiled and where their machine code is kept.

Numba's ``cache=True`` looks at one file and misses an edit in an imported helper (numba#1833), so
the cache directory carries a hash of every kernel source, of what kernels take constants from, and
of the Numba version. What is read from it is what was written, byte for byte, or is compiled again.
"""

import hashlib
import pickle
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numba
import platformdirs
from numba.core import config as _config
from numba.core.caching import FunctionCache, IndexDataCacheFile

from sim.stderr import say

config: Any = _config  # its published types leave out what is set at run time
njit: Any = numba.njit


def _source_hash() -> str:
    digest = hashlib.sha256(numba.__version__.encode())
    kernels = Path(__file__).parent
    baked_in = (
        kernels.parent / f"{module}.py" for module in ("cards", "events", "game", "policy", "tally")
    )
    for source in (*sorted(kernels.rglob("*.py")), *baked_in):
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def _cache() -> str | None:
    """Where machine code is kept, if it can be: below the user's own NUMBA_CACHE_DIR if set."""
    home = config.CACHE_DIR or Path(platformdirs.user_cache_dir("spadework")) / "kernels"
    folder = Path(home) / _source_hash()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:  # nothing can be kept there, so that each run compiles anew
        return None
    return str(folder)


CACHE = _cache()
DIGEST = hashlib.sha256().digest_size


def is_cold() -> bool:
    """Whether the kernels that play have still to be compiled on this machine."""
    return CACHE is None or not any(Path(CACHE).rglob("*.play_*.nbi"))


class _CheckedFiles(IndexDataCacheFile):
    """Numba's files of a function, an index and one for each signature, each behind a digest.

    The digest is in the file that it is of, and files are put in place whole: of those that write
    at once one is the last, and who reads finds all that it has written.
    """

    def load(self, key: object) -> Any:
        """Return what was kept of a signature, or None.

        Of two that write their first signature at once, both call its file by the same number.
        """
        kept = super().load(key)
        return kept[1] if kept and kept[0] == key else None

    def save(self, key: object, data: object) -> None:
        """Keep what was compiled of a signature, and of which."""
        super().save(key, (key, data))

    def _load_index(self) -> dict[Any, str]:
        return _read(Path(self._index_path)) or {}

    def _save_index(self, overloads: dict[Any, str]) -> None:
        self._write(self._index_path, overloads)

    def _load_data(self, name: str) -> Any:
        return _read(Path(self._data_path(name)))

    def _save_data(self, name: str, data: object) -> None:
        self._write(self._data_path(name), data)

    def _write(self, path: str, kept: object) -> None:
        body = self._dump(kept)
        with self._open_for_write(path) as file:
            file.write(_digest(Path(path), body) + body)


def _digest(path: Path, body: bytes) -> bytes:
    return hashlib.sha256(path.name.encode() + body).digest()


def _read(path: Path) -> Any:
    """Return what a file keeps; None if there is none, or if it is not as it was written."""
    try:
        content = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        content = b""
    digest, body = content[:DIGEST], content[DIGEST:]
    if digest == _digest(path, body):
        return pickle.loads(body)  # noqa: S301 - nobody else has written it
    say(f"the machine code kept in {path} is damaged: it is thrown away and compiled again")
    with suppress(OSError):
        path.unlink()
    return None


class _CheckedCache(FunctionCache):
    """Numba's cache of a function, of which nothing is loaded that was not checked."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._cache_file = _CheckedFiles(self._cache_path, self._impl.filename_base, None)

    def save_overload(self, sig: object, data: object) -> None:
        """Keep what was compiled, if the disk holds it; it plays either way."""
        try:
            super().save_overload(sig, data)
        except OSError as error:
            say(f"machine code cannot be kept: the next run compiles again ({error})")


def _cached(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    def decorate(function: Callable[..., Any]) -> Any:
        before = config.CACHE_DIR
        config.CACHE_DIR = CACHE
        try:
            compiled = njit(nogil=True, error_model="numpy", no_cfunc_wrapper=True, **options)(
                function
            )
            if CACHE is not None:
                compiled._cache = _CheckedCache(function)  # where ``cache=True`` puts Numba's own
            return compiled
        finally:
            config.CACHE_DIR = before

    return decorate


kernel = _cached(_nrt=False)
"""Compile an entry from Python: no GIL held, no fastmath, machine code kept, nothing allocated.

Without allocation there is nothing to count references of: taking an array out of a NamedTuple
otherwise costs an atomic increment and decrement each time (measured: 1,960 ns a pot against 740).
"""

builder = _cached()
"""Compile an entry that may allocate: for what is made once, off the hot path."""


inner: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "_nrt": False,
    "no_cfunc_wrapper": True,
}
"""How parts of kernels are compiled: nobody calls them from C, which saves time."""


def piece(function: Callable[..., Any]) -> Any:
    """Compile a small part into its callers, always."""
    return njit(forceinline=True, **inner)(function)


def part(function: Callable[..., Any]) -> Any:
    """Compile a larger part once, and let the compiler decide whether its callers take it in."""
    return njit(**inner)(function)


def step(function: Callable[..., Any]) -> Any:
    """Write a part into its only caller before anything is compiled, which saves compiling it."""
    return njit(inline="always", **inner)(function)
