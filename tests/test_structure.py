"""The staircase: a module imports only from modules above it, and only the right modules print."""

import ast
import re
from pathlib import Path

import pytest

import sim

SIM = Path(sim.__file__).parent
MODULES = (
    "errors", "arguments", "paths", "formatting", "stderr", "cards", "game", "events", "policy",
    "parsing", "tally", "kernels", "hands", "strength", "odds", "scenario", "stats", "showdown",
    "plan", "runs", "charts", "advice", "rows", "solving", "evenings", "study", "export", "report",
    "cli",
    "__main__",
)  # fmt: skip
"""From the top of the staircase to the bottom."""
WITHIN = {
    "evenings": ("play", "calculated", "results"),
    "stats": (
        "intervals", "kinds", "metrics", "frame", "stopping", "differences", "control_variates",
    ),
    "runs": (
        "lock", "packing", "store", "convert", "threads", "provenance", "run", "cells", "forecast",
        "dask", "progress", "recount", "collection",
    ),
}  # fmt: skip
"""The same within a folder."""
FORBIDDEN = {
    "game": {"numba", "pandas"},
    "policy": {"numba", "pandas"},
    "tally": {"numba", "pandas"},
    "kernels": {"pandas", "sqlite3"},
    "scenario": {"sqlite3", "concurrent"},
    "stats": {"matplotlib"},
}


def sources() -> list[Path]:
    return sorted(
        path for path in SIM.rglob("*.py") if path.name != "__init__.py" or path.parent != SIM
    )


def module_of(path: Path) -> str:
    return path.relative_to(SIM).parts[0].removesuffix(".py")


def imports(path: Path) -> set[str]:
    """Return the dotted names of all modules that a source imports."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module == "sim":
            found |= {f"sim.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


def test_every_module_is_on_the_staircase():
    assert {module_of(path) for path in sources()} == set(MODULES)
    for module, steps in WITHIN.items():
        assert {path.stem for path in (SIM / module).glob("*.py")} == {"__init__", *steps}


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(SIM)))
def test_imports_go_up_the_staircase(path):
    own = module_of(path)
    for name in imports(path):
        if name.startswith("sim."):
            other = name.split(".")[1]
            assert MODULES.index(other) <= MODULES.index(own), f"{path.name} climbs down to {other}"
            if other == own and other in WITHIN and name.count(".") == 2:
                steps = (*WITHIN[other], "__init__")
                assert steps.index(name.split(".")[2]) < steps.index(path.stem), f"{path} to {name}"
        else:
            assert name.split(".")[0] not in FORBIDDEN.get(own, set())


def test_no_public_function_shares_the_name_of_a_module():
    """Once ``sim.policy`` is imported, ``sim.policy`` is the module, whatever was exported."""
    assert not {path.stem for path in SIM.iterdir()} & set(sim.__all__)
    for package in SIM.rglob("__init__.py"):
        body = ast.parse(package.read_text()).body
        functions = {node.name for node in body if isinstance(node, ast.FunctionDef)}
        assert not {path.stem for path in package.parent.iterdir()} & functions, package


def test_exact_values_do_not_use_what_they_check():
    for path in (SIM / "odds").glob("*.py"):
        used = {name for name in imports(path) if name.startswith("sim.kernels")}
        assert used <= {"sim.kernels.ranks", "sim.kernels.evaluate", "sim.kernels.census"}


def test_compiled_code_lives_in_the_kernels_alone():
    for path in sources():
        if module_of(path) != "kernels":
            assert not {name for name in imports(path) if name.split(".")[0] == "numba"}


def test_who_plays_side_by_side_is_met_at_the_door():
    """All that is special to it can be taken out in one commit."""
    for path in sources():
        if path.parent.name != "fast":
            inner = {name for name in imports(path) if name.startswith("sim.kernels.fast.")}
            assert not inner, f"{path.name} climbs in by the window"


def test_only_the_command_line_prints():
    for path in sources():
        calls = [
            node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)
        ]
        names = {call.func.id for call in calls if isinstance(call.func, ast.Name)}
        assert "print" not in names or module_of(path) == "cli"


def test_what_a_user_gave_is_said_shortly():
    """``shown`` cuts what is long and keeps to one line, which ``!r`` does not."""
    for path in sources():
        raised = [
            node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Raise)
        ]
        parts = [part for node in raised for part in ast.walk(node)]
        long = [part for part in parts if getattr(part, "conversion", -1) == ord("r")]
        assert not long, f"{path.name} says a value in its own way"


def test_only_one_module_writes_to_stderr():
    """So that what cannot be written there ends nothing."""
    for path in sources():
        used = re.findall(r"sys\.stderr\.|file=sys\.stderr|warnings\.warn", path.read_text())
        assert not used or module_of(path) == "stderr", f"{path.name} uses {used}"
