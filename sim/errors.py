"""What a user can mend, and what a user has stopped."""

import re

CONTROL = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
"""What steers a terminal, turns lines round, or cannot be written at all."""


def printable(text: str) -> str:
    r"""Return a text as it may be printed: what steers a terminal is spelled, as in ``\x1b``."""
    return CONTROL.sub(lambda match: ascii(match[0])[1:-1], text)


class InputError(ValueError):
    """Bad input; its message is one sentence that names the value, the limit and the way out.

    It stands on one line, and nothing in it, a user's own file name say, steers a terminal.
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
