"""What a user did wrong, in one sentence."""


class UsageError(Exception):
    """The command cannot do what was asked; the message is all that the user sees."""
