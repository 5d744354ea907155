"""Other libraries, where they are installed."""

from types import ModuleType


def _optional(name: str) -> ModuleType | None:
    try:
        return __import__(name)
    except ImportError:
        return None


torch = _optional("torch")
