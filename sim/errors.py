"""The one exception for what a user can mend."""


class InputError(ValueError):
    """Bad input; its message is one sentence that names the value, the limit and the way out."""
