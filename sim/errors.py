"""What a user can mend, and what a user has stopped."""

import operator


class InputError(ValueError):
    """Bad input; its message is one sentence that names the value, the limit and the way out."""


class NoData(InputError):  # noqa: N818 - as short as its base
    """A store that holds nothing of what it is asked for."""


def whole_number(value: object, what: str) -> int:
    """Return a whole number as an int, NumPy's too; ``what`` names it in the error."""
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise InputError(f"{what} must be a whole number, and {value!r} is none") from None


class Interrupted(Exception):  # noqa: N818 - it is no error
    """A run that its user stopped; its message says what is kept."""


class Failed(Exception):  # noqa: N818 - it is nobody's error here
    """A run that something outside has ended; its message says what, and what is kept."""
