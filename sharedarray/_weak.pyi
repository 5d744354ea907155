from typing import final

__all__ = ["WeakTable"]

@final
class WeakTable: ...
