"""Programs that send and end, for the tests of keepers."""

import contextlib
import os
import textwrap

import numpy as np
import pytest

import sharedarray as xp
from tests.harness import procfs, returns_to_start, run_script
from tests.harness.footprint import settle
from tests.harness.keepers import end_keepers

MIB = 1 << 20
SIZES = [8, 4096, MIB, 40 * MIB]  # bytes: a small block, a page, a span, a segment of its own

HEAD = """
    import atexit, gc, os, signal, sys, threading, time
    import numpy as np
    import sharedarray as xp
    def send(n, value):
        print(bytes(xp.full(n, float(value)).handle()).hex(), flush=True)
    """


KEPT = {"SHAREDARRAY_LINGER": "300"}  # the default


def sent(code, *arguments, env=KEPT, **options):
    """What such a program sent before it ended; its stderr was empty and its code 0."""
    options["env"] = env
    text = run_script(textwrap.dedent(HEAD) + textwrap.dedent(code), *arguments, **options).ok()
    return [bytes.fromhex(line) for line in text.split()]


def opened(blob):
    """The array of a message."""
    return xp.from_handle(xp.Handle.from_bytes(blob))


def full_of(x, value):
    """Whether each element has that value."""
    return bool((np.asarray(x) == value).all())


def settle_orphans():
    """Settle, and wait for what ended children of the test left to this process."""
    settle()
    for pid in procfs.children(os.getpid()):
        if procfs.state(pid) == "Z":
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)


@pytest.fixture(autouse=True)
def keepers_end():
    """Each test opens what it sent; then no keeper is left, and nothing that it held."""
    assert end_keepers()
    with returns_to_start(slack=4 * MIB, settle=settle_orphans):
        yield
