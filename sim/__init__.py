"""Monte Carlo and exact odds for seven-card stud's wildest home games.

``evaluate``, ``category``, ``describe`` and ``deal`` rank and deal hands; ``expected_strength``
says what they will be worth; ``simulate`` plays pots, ``run_plan`` a plan of ``make_plan`` or of a
file, and ``read_or_simulate`` reads a store or plays; ``exact`` gives exact values in the same
columns; ``recommend`` says which table sizes work for a host. ``pots`` tells what became of each
pot, ``metric`` estimates what a function says of it, and ``evening`` plays whole evenings;
``equity`` deals what a hand is up against. ``merge`` brings stores together. A ``Game`` is a page
of rules, and a ``Policy`` says how a player acts.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sim.errors import InputError

if TYPE_CHECKING:
    from sim.evenings import evening
    from sim.game import Game
    from sim.hands import category, deal, describe, evaluate
    from sim.policy import Policy
    from sim.rows import metric, pots
    from sim.showdown import equity
    from sim.solving.answer import best_response
    from sim.strength import expected_strength
    from sim.study import (
        Plan,
        Study,
        exact,
        make_plan,
        merge,
        open_study,
        read_or_simulate,
        recommend,
        run_plan,
        simulate,
    )

    __version__: str

_HOMES = {
    "Game": "sim.game",
    "best_response": "sim.solving.answer",
    "Policy": "sim.policy",
    "category": "sim.hands",
    "deal": "sim.hands",
    "describe": "sim.hands",
    "equity": "sim.showdown",
    "evaluate": "sim.hands",
    "expected_strength": "sim.strength",
    "metric": "sim.rows",
    "pots": "sim.rows",
    "evening": "sim.evenings",
}
"""Where each public name lives, if not in ``sim.study``; loaded when first used, so that importing
the package is quick."""

__all__ = [
    "Game",
    "InputError",
    "Plan",
    "Policy",
    "Study",
    "__version__",
    "best_response",
    "category",
    "deal",
    "describe",
    "equity",
    "evaluate",
    "evening",
    "exact",
    "expected_strength",
    "make_plan",
    "merge",
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
    if name == "__version__":
        from importlib.metadata import version  # which imports much for what is seldom asked

        return version("spadework")
    if name in __all__:
        return getattr(import_module(_HOMES.get(name, "sim.study")), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)
