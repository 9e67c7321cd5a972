"""How kernels are compiled and where their machine code is kept.

Numba's ``cache=True`` looks at one file and misses an edit in an imported helper (numba#1833), so
the cache directory carries a hash of every kernel source, of what kernels take constants from, and
of the Numba version.
"""

import hashlib
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import platformdirs
from numba.core import config as _config

config: Any = _config  # its published types leave out what is set at run time
njit: Any = numba.njit


def _source_hash() -> str:
    digest = hashlib.sha256(numba.__version__.encode())
    kernels = Path(__file__).parent
    baked_in = (
        kernels.parent / f"{room}.py" for room in ("cards", "events", "game", "policy", "tally")
    )
    for source in (*sorted(kernels.rglob("*.py")), *baked_in):
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def _cache() -> str:
    """Where machine code is kept: below the user's own NUMBA_CACHE_DIR if there is one."""
    home = config.CACHE_DIR or Path(platformdirs.user_cache_dir("spadework")) / "kernels"
    place = Path(home) / _source_hash()
    try:
        place.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=place).close()
    except OSError:  # nothing can be kept there, so that each run compiles anew
        return tempfile.mkdtemp(prefix="spadework-")
    return str(place)


CACHE = _cache()


def is_cold() -> bool:
    """Whether the kernels that play have still to be compiled on this machine."""
    return not any(Path(CACHE).rglob("*.play_*.nbi"))


def _cached(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    def decorate(function: Callable[..., Any]) -> Any:
        before = config.CACHE_DIR
        config.CACHE_DIR = CACHE
        try:
            return njit(
                cache=True, nogil=True, error_model="numpy", no_cfunc_wrapper=True, **options
            )(function)
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
