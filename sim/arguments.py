"""What a caller of Python's face hands over: each kind of argument is checked, and said, one way.

All raise ``InputError`` for what they do not take; ``what`` names the argument in it.
"""

import operator
import os
from collections.abc import Callable, Container, Iterable, Mapping
from functools import wraps
from inspect import signature
from itertools import islice
from numbers import Real
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from sim.errors import InputError, shown

Kind = TypeVar("Kind")
Call = TypeVar("Call", bound=Callable[..., Any])
OTHER_NAMES = {
    "game": "games", "games": "game", "policy": "policies", "policies": "policy",
}  # fmt: skip
"""Of arguments that take one here and several there: whichever name is written is understood."""
LONGEST_PATH = 1000
"""Letters of a path: no system takes many more."""
MOST = 10_000
"""Of what is given several of; a list of more, or without an end, is a mistake."""
NESTED = 6
"""So deep are lists looked into for masked arrays; a policy's tables have so many axes."""


def renamed(words: Mapping[str, Any], known: Container[str]) -> dict[str, Any]:
    """Return arguments by the names that are known, if they have the other one's."""
    taken: dict[str, Any] = {}
    for word, value in words.items():
        other = OTHER_NAMES.get(word, word)
        name = other if word not in known and other in known else word
        if name in taken:
            raise InputError(f"{word} and {other} are the same: give one of them")
        taken[name] = value
    return taken


def one_name(call: Call) -> Call:
    """Let a function take ``policy`` as ``policies``, ``games`` as ``game``, and so on."""
    known = signature(call).parameters

    @wraps(call)
    def called(*values: Any, **words: Any) -> Any:
        return call(*values, **renamed(words, known))

    return called  # type: ignore[return-value]


def flag(value: object, what: str) -> bool:
    """Return True or False, NumPy's too; nothing else is taken as either."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise InputError(f"{what} = {shown(value)} will not do: give True or False")


def instance(value: object, kind: type[Kind], what: str) -> Kind:
    """Return what is of a type, as text is of ``str``."""
    if isinstance(value, kind):
        return value
    raise InputError(f"{what} must be a {kind.__name__}, and {shown(value)} is none")


def one_of(value: object, known: Iterable[str], what: str) -> str:
    """Return a word of those that are known."""
    names = list(known)
    if isinstance(value, str) and value in names:
        return str(value)
    raise InputError(f"there is no {what} {shown(value)}: there are {', '.join(names)}")


def whole_number(
    value: object, what: str, least: int | None = None, most: int | None = None
) -> int:
    """Return a whole number as an int, NumPy's too; True and False are none."""
    try:
        if isinstance(value, (bool, np.ma.MaskedArray)):
            raise TypeError
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise InputError(f"{what} must be a whole number, and {shown(value)} is none") from None
    if (least is None or number >= least) and (most is None or number <= most):
        return number
    limits = f"from {least} to {most}" if most is not None else f"of at least {least}"
    raise InputError(f"{what} = {shown(number)} will not do: give a whole number {limits}")


def number(value: object, what: str, least: float, most: float) -> float:
    """Return a number as a float, NumPy's too; True, False, NaN and times are none."""
    is_number = isinstance(value, Real) and not isinstance(value, (bool, np.timedelta64))
    if is_number and least <= value <= most:  # type: ignore[operator]
        return float(value)  # type: ignore[arg-type]
    limits = f"from {least:g} to {most:g}"
    raise InputError(f"{what} = {shown(value)} will not do: give a number {limits}")


def several(values: object, what: str) -> list[Any]:
    """Return what is given several of as a list; text, bytes and mappings are one thing each."""
    try:
        if isinstance(values, (str, bytes, Mapping, type)):
            raise TypeError
        items = list(islice(values, MOST + 1))  # type: ignore[call-overload]
    except TypeError:
        raise InputError(
            f"{what} cannot be {shown(values)}: give one, or several in a list"
        ) from None
    if len(items) > MOST:
        raise InputError(f"{what} is given more than {MOST:,} times: give fewer")
    return items


def path(value: object, what: str) -> Path:
    """Return a path, given as text or as one."""
    text = os.fspath(value) if isinstance(value, (str, os.PathLike)) else None
    if isinstance(text, str) and "\0" not in text and len(text) <= LONGEST_PATH:
        return Path(text)
    raise InputError(f"{what} must be a path, and {shown(value)} is none")


def numbers(values: object, what: str, kinds: str = "iu") -> NDArray[Any]:
    """Return an array of numbers of these kinds (``dtype.kind``): whole ones, or others, too.

    NumPy would forget which values of a masked array are to be left out, and take times for whole
    numbers.
    """
    if _hides(values):
        raise InputError(f"{what} must not be masked: leave out what is masked, or fill it")
    try:
        array = np.asarray(values)
    except (ValueError, TypeError, OverflowError, MemoryError):
        array = None
    if array is not None and (array.dtype.kind in kinds or array.size == 0):
        return array
    kind = "whole numbers" if kinds == "iu" else "numbers"
    raise InputError(f"{what} must be an array of {kind} of one shape, and {shown(values)} is none")


def _hides(values: Any, depth: int = NESTED) -> bool:
    """Whether something in an array, or in lists of arrays, is masked."""
    if isinstance(values, (list, tuple)) and depth:
        kinds = set(map(type, values))  # of a long list of numbers, at the speed of C
        deeper = any(issubclass(kind, (list, tuple, np.ma.MaskedArray)) for kind in kinds)
        return deeper and any(_hides(value, depth - 1) for value in values)
    return isinstance(values, np.ma.MaskedArray) and bool(np.ma.is_masked(values))
