from collections.abc import Callable
from typing import Any, final

__all__ = ["Callback", "is_array_like"]

@final
class Arguments: ...

@final
class Callback:
    def __init__(self, function: Callable[..., Any]) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

def is_array_like(value: object) -> bool: ...
