"""What a run was made with: scenarios as they were, versions, source and machine."""

import platform
import subprocess
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from sim.scenario import PLAY
from sim.tally import Counts, version_of

PACKAGES = ("spadework", "numpy", "numba", "pandas", "scipy")
SOURCE = Path(__file__).parent.parent
CPU = Path("/proc/cpuinfo")


def run_provenance(jobs: list[Any], engine: str, threads: int) -> dict[str, Any]:
    """Return what a run is made with; ``jobs`` have a scenario, a seed and a note."""
    return {
        "play": PLAY,
        "counts": {name: version_of(name) for name in Counts._fields},
        "python": platform.python_version(),
        **{name: version(name) for name in PACKAGES},
        "git": _commit(),
        "system": platform.system(),
        "machine": platform.machine(),
        "cpu": _cpu(),
        "played_on": engine,
        "threads": threads,
        "scenarios": [
            {"key": job.scenario.key, "seed": job.seed, "target": job.note().target}
            | job.scenario.as_json()
            for job in jobs
        ],
    }


@cache  # it is the source as it was loaded that counts
def _commit() -> dict[str, Any] | None:
    """Return the commit of the source and whether it was edited since; None when installed."""
    if not (SOURCE / ".git").exists():
        return None
    head = _git("rev-parse", "HEAD")
    changes = _git("status", "--porcelain", "--untracked-files=no")
    if head is None or changes is None:
        return None
    return {"commit": head, "dirty": bool(changes)}


def _git(*arguments: str) -> str | None:
    command = ["git", "-C", str(SOURCE), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


@cache
def _cpu() -> str:
    """Return the name of the processor, as far as the system tells it."""
    with suppress(OSError):
        for line in CPU.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor()
