"""Python in processes of its own: which ``sim`` one imports, and where it keeps what it makes."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

STORE = "{store}"
"""Stands for the path of a new store, which is gone when the process has ended."""


class Source(NamedTuple):
    """A folder that holds ``sim``, and one for caches (None: the user's own)."""

    folder: Path = Path()
    cache: Path | None = None

    def popen(self) -> dict[str, Any]:
        """Return what ``subprocess`` has to know; Python imports first what lies where it runs."""
        caches = dict.fromkeys(("NUMBA_CACHE_DIR", "XDG_CACHE_HOME"), str(self.cache))
        env = os.environ | {"PYTHONSAFEPATH": ""} | (caches if self.cache else {})
        return {"cwd": self.folder, "env": env, "text": True}


HERE = Source()


def python(*arguments: str, source: Source = HERE) -> str:
    """Run Python with these words; return what it prints.

    Raises ``subprocess.CalledProcessError``, which holds what it said, if it fails.
    """
    with tempfile.TemporaryDirectory() as folder:
        store = str(Path(folder) / "study.db")
        command = [sys.executable, *(store if word == STORE else word for word in arguments)]
        return subprocess.run(command, check=True, capture_output=True, **source.popen()).stdout
