"""Signatures of functions and methods: names, kinds and defaults of the standard's parameters."""

import inspect

import array_api_strict as strict
import pytest

import sharedarray as xp

from .compare import Strict, lookup
from .test_complete import DTYPES, standard

POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
UNDEFINED = inspect.Parameter.empty
# Where array-api-strict has another signature than the standard, the standard's parameters.
STANDARD = {"Array.to_device": lambda self, device, /, *, stream=None: None}
# NumPy's array protocols, which array-api-strict has besides the standard's methods.
PROTOCOLS = {"Array.__array__", "Array.__buffer__"}


def namespace_functions():
    """The functions of the standard, dotted."""
    for name in sorted(standard() - set(DTYPES)):
        if name.startswith(("Array.", "info.", "__")):
            continue
        if callable(lookup(strict, name)):
            yield name


def methods():
    """The methods of arrays and of the info namespace: ours, and the standard's."""
    owners = {
        "Array": (xp.Array, Strict),
        "info": tuple(type(n.__array_namespace_info__()) for n in (xp, strict)),
    }
    for name in sorted(standard() - PROTOCOLS):
        owner, _, bare = name.rpartition(".")
        if owner in owners:
            ours, theirs = (getattr(o, bare) for o in owners[owner])
            if callable(theirs):
                yield pytest.param(ours, STANDARD.get(name, theirs), id=name)


def parameters(function):
    """The parameters of a function, in order."""
    return list(inspect.signature(function).parameters.values())


def faults(ours, theirs):
    """What a call that the standard allows would meet in a list of parameters."""
    found = []
    by_name = {p.name: p for p in ours}
    for place, p in enumerate(theirs):
        mine = ours[place] if place < len(ours) else None
        if p.kind is p.POSITIONAL_ONLY:
            fits = mine is not None and mine.kind in POSITIONAL
        elif p.kind is p.VAR_POSITIONAL:
            fits = mine is not None and mine.kind is p.VAR_POSITIONAL
        elif p.kind is p.POSITIONAL_OR_KEYWORD:
            fits = mine is not None and mine.name == p.name and mine.kind is p.kind
        else:
            mine = by_name.get(p.name)
            fits = mine is not None and mine.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)
        if not fits:
            found.append(f"{p} at {place}: {mine}")
        elif p.default is not UNDEFINED and mine.default is UNDEFINED:
            found.append(f"{p}: no default")
        elif p.default is not UNDEFINED and not same_default(mine.default, p.default):
            found.append(f"{p}: default {mine.default!r}")
    needed = {p.name for p in theirs} | {p.name for p in ours[: len(theirs)]}
    more = [p for p in ours if p.default is UNDEFINED and p.name not in needed]
    anything = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return found + [f"{p} has no default" for p in more if p.kind not in anything]


def same_default(ours, theirs):
    """Whether two defaults are the same; array-api-strict marks some that it leaves out."""
    if type(theirs).__name__ == "Undef":
        return ours is None
    return type(ours) is type(theirs) and ours == theirs


@pytest.mark.parametrize("name", list(namespace_functions()))
def test_function(name):
    ours, theirs = lookup(xp, name), lookup(strict, name)
    assert faults(parameters(ours), parameters(theirs)) == []


@pytest.mark.parametrize(("ours", "theirs"), list(methods()))
def test_method(ours, theirs):
    own, wanted = parameters(ours), parameters(theirs)
    assert own[0].name == wanted[0].name == "self"
    assert faults(own[1:], wanted[1:]) == []


def test_every_callable_has_a_signature():
    """Nothing is left out because it cannot be looked at."""
    names = list(namespace_functions())
    assert len(names) > 150
    assert len(list(methods())) > 55
    for name in names:
        assert parameters(lookup(xp, name))


def f(x, /, axis=0, *, keepdims=False):
    """What the standard has in the test below."""


WRONG = {
    "another name": lambda x, /, axes=0, *, keepdims=False: None,
    "another order": lambda axis=0, x=1, /, *, keepdims=False: None,
    "a keyword only": lambda x, /, *, axis=0, keepdims=False: None,
    "no keyword": lambda x, axis=0, /, *, keepdims=False: None,
    "missing": lambda x, /, axis=0: None,
    "another default": lambda x, /, axis=-1, *, keepdims=False: None,
    "another type of default": lambda x, /, axis=0, *, keepdims=0: None,
    "no default": lambda x, /, axis=0, *, keepdims: None,
    "one more that is needed": lambda x, /, axis=0, *, keepdims=False, more: None,
    "fewer": lambda: None,
}


@pytest.mark.parametrize("fault", WRONG)
def test_a_wrong_signature_is_seen(fault):
    assert faults(parameters(f), parameters(f)) == []
    wider = parameters(lambda x, axis=0, out=None, keepdims=False, *, where=True: None)
    assert faults(wider, parameters(f)) == []
    assert faults(parameters(WRONG[fault]), parameters(f))
