"""What a user can mend, and what a user has stopped."""


class InputError(ValueError):
    """Bad input; its message is one sentence that names the value, the limit and the way out."""


class Interrupted(Exception):  # noqa: N818 - it is no error
    """A run that its user stopped; its message says what is kept."""
