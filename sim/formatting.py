"""Figures as people read them: one way to write each kind, in tables, charts, advice and pages."""

import math

COUNTED = ("chips", "cards")
"""Units of what is counted, and so told without decimals."""


def percent(share: float, digits: int = 1) -> str:
    """Write a share as per cent."""
    return f"{100 * share:.{digits}f} %"


def amount(value: float, digits: int = 2, *, signed: bool = False) -> str:
    """Write an amount with so many decimals, and its sign even if it is positive."""
    return f"{value:{'+' if signed else ''},.{digits}f}"


def figure(value: float, digits: int, *, share: bool) -> str:
    """Write a share or an amount; nothing for what is not known (NaN)."""
    if math.isnan(value):
        return ""
    if not share:
        return amount(value, digits)
    shown = percent(value, digits)
    return f"{100 * value:.3g} %" if value and not float(shown.removesuffix(" %")) else shown


def decimals(error: float, *, share: bool) -> int:
    """Return how many decimals of a figure an error of this size leaves worth reading.

    The last is of the order of a tenth of the error.
    """
    scale = 100 * error if share else error
    return 1 - math.floor(math.log10(scale))


def between(low: str, high: str) -> str:
    """Write an interval, whose unit is said once."""
    return f"{low.removesuffix(' %')} – {high}"


def in_unit(value: float, unit: str, *, given: bool = False, short: bool = False) -> str:
    """Write a figure that a host may limit, or a limit as it was ``given``."""
    if math.isnan(value):
        return "unknown"
    if math.isinf(value):
        return "none"
    if given:
        return f"{100 * value:g} %" if unit == "share" else f"{value:g}"
    if unit == "share":
        return percent(value, 1 if short else 2)
    if short:
        return f"{value:.0f}" if float(value).is_integer() else f"{value:.3g}"
    return amount(value, 0 if unit in COUNTED else 2)
