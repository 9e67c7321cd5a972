"""Monte Carlo and exact odds for seven-card stud's wildest home games.

``evaluate``, ``category``, ``describe`` and ``deal`` rank and deal hands; ``expected_strength``
says what they will be worth; ``simulate`` plays pots, ``run_plan`` a plan of ``make_plan`` or of a
file, and ``read_or_simulate`` reads a store or plays; ``exact`` gives exact values in the same
columns; ``recommend`` says which table sizes work for a host. ``pots`` tells what became of each
pot, and ``metric`` estimates what a function says of it. A ``Policy`` says how a player acts.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sim.errors import InputError

if TYPE_CHECKING:
    from sim.hands import category, deal, describe, evaluate
    from sim.plan import make_plan
    from sim.policy import Policy
    from sim.rows import metric, pots
    from sim.showdown import equity
    from sim.solving.answer import best_response
    from sim.strength import expected_strength
    from sim.study import (
        Study,
        exact,
        open_study,
        read_or_simulate,
        recommend,
        run_plan,
        simulate,
    )

_HOMES = {
    "evaluate": "sim.hands",
    "category": "sim.hands",
    "describe": "sim.hands",
    "deal": "sim.hands",
    "expected_strength": "sim.strength",
    "equity": "sim.showdown",
    "best_response": "sim.solving.answer",
    "Policy": "sim.policy",
    "metric": "sim.rows",
    "pots": "sim.rows",
    "simulate": "sim.study",
    "exact": "sim.study",
    "make_plan": "sim.plan",
    "open_study": "sim.study",
    "read_or_simulate": "sim.study",
    "recommend": "sim.study",
    "run_plan": "sim.study",
    "Study": "sim.study",
}
"""Where each public name lives; loaded when first used, so that importing the package is quick."""

__all__ = [
    "InputError",
    "Policy",
    "Study",
    "best_response",
    "category",
    "deal",
    "describe",
    "equity",
    "evaluate",
    "exact",
    "expected_strength",
    "make_plan",
    "metric",
    "open_study",
    "pots",
    "read_or_simulate",
    "recommend",
    "run_plan",
    "simulate",
]


_RENAMED = {"chance": "expected_strength"}
"""Names of before, and what they are called now."""


def __getattr__(name: str) -> Any:
    if name in _RENAMED:
        raise AttributeError(f"sim.{name} is now called sim.{_RENAMED[name]}: write that")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
