"""What a program tells its supervisor."""

import json
import os


class Outcome(Exception):
    """What a cell says, and more about it."""

    def __init__(self, words, details=""):
        super().__init__(words, details)
        self.words, self.details = words, details


def tell(words, details=""):
    """Write one line for the supervisor."""
    os.write(1, (json.dumps([words, details[:2000]]) + "\n").encode())
