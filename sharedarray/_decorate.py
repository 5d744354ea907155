"""A re-entrant context manager as a decorator, for functions of every kind."""

import contextlib
import functools
import inspect
from typing import Any


def decorate(context: contextlib.AbstractContextManager, function: Any) -> Any:
    """Return `function` with its body, and nothing but its body, inside `context`.

    Parameters
    ----------
    context : context manager
        Entered at each call, and at each step of a generator.
    function : callable
        A function, coroutine function, generator function or asynchronous generator function.

    Returns
    -------
    callable
        Of the same kind.
    """
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def wrapper(*args, **kwargs):
            with context:
                return await function(*args, **kwargs)

    elif inspect.isasyncgenfunction(function):

        @functools.wraps(function)
        async def wrapper(*args, **kwargs):
            body = function(*args, **kwargs)
            resume = functools.partial(body.asend, None)
            while True:
                try:
                    with context:
                        value = await resume()
                except StopAsyncIteration:
                    return
                try:
                    resume = functools.partial(body.asend, (yield value))
                except GeneratorExit:
                    with context:
                        await body.aclose()
                    raise
                except BaseException as error:
                    resume = functools.partial(body.athrow, error)

    elif inspect.isgeneratorfunction(function):

        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            body = function(*args, **kwargs)
            resume = functools.partial(body.send, None)
            while True:
                try:
                    with context:
                        value = resume()
                except StopIteration as stop:
                    return stop.value
                try:
                    resume = functools.partial(body.send, (yield value))
                except GeneratorExit:
                    with context:
                        body.close()
                    raise
                except BaseException as error:
                    resume = functools.partial(body.throw, error)

    else:

        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            with context:
                return function(*args, **kwargs)

    return wrapper
