"""What a user can mend, and what a user has stopped."""


class InputError(ValueError):
    """Bad input; its message is one sentence that names the value, the limit and the way out."""


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
