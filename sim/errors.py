"""What a user can mend, what a user has stopped, and how values are said in a sentence."""

import os
import re
import reprlib

LONGEST = 80
"""Letters of a value in an error."""
LONGEST_NAME = 200
"""Letters of a name in an error."""
_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = LONGEST
CONTROL = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
"""What steers a terminal, turns lines round, or cannot be written at all."""


def printable(text: str) -> str:
    r"""Return a text as it may be printed: what steers a terminal is spelled, as in ``\x1b``."""
    return CONTROL.sub(lambda match: ascii(match[0])[1:-1], text)


def shown(value: object) -> str:
    """Say any value on one line of at most ``LONGEST`` letters."""
    try:
        text = " ".join(_SHORT.repr(value).split())
    except Exception:  # Python writes no number of 5,000 digits, and a class does as it likes
        text = f"such a {type(value).__name__}"
    text = "".join(letter if letter.isprintable() else "?" for letter in text)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def brief(name: object) -> str:
    """Say a name, a path or what a library says as it is, if that can be printed and is not long.

    Otherwise it is said as values are.
    """
    text = str(name) if isinstance(name, (str, os.PathLike, Exception)) else ""
    return text if text.isprintable() and 0 < len(text) <= LONGEST_NAME else shown(text or name)


class InputError(ValueError):
    """Bad input; its message is one sentence that names the value, the limit and the way out.

    It stands on one line, and nothing in it, a user's own file name say, steers a terminal.

    >>> try:
    ...     sim.exact("spades", players=9)
    ... except sim.InputError as error:
    ...     print(error)
    9 players cannot play: 2 to 8 can
    """

    def __init__(self, sentence: str) -> None:
        super().__init__(printable(" ".join(sentence.split())))


class NoData(InputError):  # noqa: N818 - as short as its base
    """A store that holds nothing of what it is asked for."""

    @classmethod
    def in_store(cls, store: object, wish: str = "") -> "NoData":
        """Say that a store is still empty, so that there is nothing to do as one wished."""
        return cls(f"{store} holds no finished pots yet{wish and f': there is nothing to {wish}'}")


class Interrupted(Exception):  # noqa: N818 - it is no error
    """A run that its user stopped; its message says what is kept."""


class Failed(Exception):  # noqa: N818 - it is nobody's error here
    """A run that something outside has ended; its message says what, and what is kept."""
