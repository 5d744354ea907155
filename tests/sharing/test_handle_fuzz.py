"""Altered handles are refused, or give an array in its bounds; never a signal."""

import pytest

import sharedarray as xp
from tests.harness import Worker, procfs

from . import mutations

MIB = 1 << 20

MAKERS = {
    "small": "return xp.reshape(xp.arange(64.0), (8, 8))[::-1, 2:]",
    "large": "return xp.zeros((1024, 1024))",
    "structured": "return xp.zeros(5, dtype=[('a', 'i4'), ('b', 'f8')])",
    "storage": "return xp.Storage(70000)",
}


@pytest.fixture(scope="module")
def sender():
    """A process whose memory and ledger the altered handles may harm."""
    with Worker("spawn") as running:
        yield running


@pytest.fixture(scope="module")
def opener():
    """A process that opens them."""
    with Worker("spawn", timeout=170) as running:
        yield running


@pytest.fixture(scope="module", params=MAKERS)
def blob(request, sender):
    """The bytes of a handle whose memory is alive."""
    return sender.run(
        f"def make():\n    {MAKERS[request.param]}\n"
        "keep[name] = make()\nkeep[name, 'h'] = keep[name].handle()\n"
        "return bytes(keep[name, 'h'])",
        name=request.param,
    )


def attempt(opener, blob, altered):
    """Open the altered handles there; then the right one, and see that nothing was lost."""
    altered = [one for one in altered if one != blob]
    opener.run("xp.from_handle(xp.Handle.from_bytes(b))\ngc.collect()", b=blob)
    before = opener.call(taken)
    opened, refused, faults = opener.call(mutations.attempt, altered)
    assert not faults
    assert opened + refused == len(altered)
    assert opener.call(mutations.attempt, [blob]) == (1, 0, [])
    after = opener.call(taken)
    assert after[0] <= before[0]
    assert after[1] <= before[1]
    return opened


def taken():
    """Mappings and descriptors of this process, after what it received was dropped."""
    import gc

    gc.collect()
    xp.empty_cache()
    return len(procfs.mappings()), len(procfs.descriptors())


def test_the_checksum_here_is_the_one_of_the_library(blob):
    assert mutations.seal(blob[:-8]) == blob


def test_every_flipped_bit(opener, blob):
    assert attempt(opener, blob, mutations.flips(blob)) == 0


def test_every_length(opener, blob):
    assert attempt(opener, blob, mutations.lengths(blob)) == 0


def test_noise(opener, blob):
    assert attempt(opener, blob, mutations.noise(blob, 1000)) == 0


def test_edited_fields_under_a_right_checksum(opener, blob):
    attempt(opener, blob, list(mutations.edits(blob))[::7])


def test_shuffled_fields_under_a_right_checksum(opener, blob):
    attempt(opener, blob, mutations.shuffles(blob, 1000))


@pytest.mark.slow
def test_all_edited_fields_under_a_right_checksum(opener, blob):
    attempt(opener, blob, mutations.edits(blob))


@pytest.mark.slow
def test_many_shuffled_fields(opener, blob):
    attempt(opener, blob, mutations.shuffles(blob, 20000))


def test_the_sender_lives_on(sender, blob):
    assert sender.run("x = xp.ones(1000)\nreturn float(xp.sum(x))") == 1000


@pytest.mark.parametrize("word", [1 << 20, (1 << 32) - 1])
def test_an_entry_outside_the_ledger(opener, blob, word):
    at = 156  # sa_handle.word, 4 bytes
    altered = mutations.seal(blob[:at] + word.to_bytes(4, "little") + blob[at + 4 : -8])
    attempt(opener, blob, [altered])
