"""Altered handles of device memory are refused, or give an array in its bounds; never a signal."""

import pytest

from tests.sharing import forging, mutations

from .machines import COUNTS, ON_CARD, processes

pytestmark = pytest.mark.gpu

MAKERS = {
    "array": "keep['x'] = xp.reshape(xp.arange(64.0, device='cuda'), (8, 8))[::-1, 2:]",
    "read-only": "keep['x'] = xp.ones(5, device='cuda').readonly()",
    "storage": "keep['x'] = xp.Storage(70_000, 'cuda')",
}
ATTEMPT = """
opened, refused, faults = 0, 0, []
for blob in blobs:
    try:
        found = xp.from_handle(xp.Handle.from_bytes(blob))
        opened += 1
        if isinstance(found, xp.Storage):
            found[:1], found[-1:]
        elif found.nbytes < 1 << 24:
            found.to_device("cpu")
    except xp.HandleError:
        refused += 1
    except Exception as error:
        faults.append((blob.hex(), repr(error)))
    found = None
return opened, refused, faults
"""


@pytest.fixture(scope="module")
def pair():
    with processes({}, {}) as workers:
        for worker in workers:
            worker.timeout = 170.0  # thousands of handles in one request
        yield workers


@pytest.fixture(scope="module", params=MAKERS)
def blob(request, pair):
    """The bytes of a handle whose memory is alive."""
    return pair[0].run(
        f"{MAKERS[request.param]}\nkeep['x', name] = keep['x'], (h := keep['x'].handle())\n"
        "return bytes(h)",
        name=request.param,
    )


def attempt(pair, blob, altered):
    """Open the altered handles; then the right one, and see that nothing is left of them."""
    altered = [one for one in altered if one != blob]
    opened, refused, faults = pair[1].run(ATTEMPT, blobs=altered)
    assert faults == []
    assert opened + refused == len(altered) > 0
    assert pair[1].run(ATTEMPT, blobs=[blob]) == (1, 0, [])
    if not ON_CARD:
        counts = pair[1].run(f"gc.collect()\nxp.empty_cache()\n{COUNTS}")
        assert set(counts.values()) == {0}, counts
    assert pair[0].get("float(xp.sum(xp.ones(1000, device='cuda')))") == 1000
    return opened


def test_the_checksum_is_that_of_handles_of_the_cpu(blob):
    assert mutations.seal(blob[:-8]) == blob


@pytest.mark.parametrize("how", ["flips", "lengths", "noise"])
def test_what_the_checksum_does_not_fit_is_refused(pair, blob, how):
    altered = mutations.noise(blob, 1000) if how == "noise" else getattr(mutations, how)(blob)
    assert attempt(pair, blob, altered) == 0


def test_edited_fields_under_a_right_checksum(pair, blob):
    attempt(pair, blob, list(mutations.edits(blob))[::5])


def test_shuffled_fields_under_a_right_checksum(pair, blob):
    attempt(pair, blob, mutations.shuffles(blob, 1000))


@pytest.mark.parametrize("extent", [1 << 60, 1 << 62, (1 << 63) - 1])
def test_a_shape_that_no_array_may_have(pair, extent):
    """As for the CPU, and before the backend is asked, whose error would be another."""
    empty = pair[0].run(
        "x = keep['x'] = xp.ones((4, 8), device='cuda')[:0]\nreturn bytes(x.handle())"
    )
    wrong, right = (forging.reshaped(empty, (0, n)) for n in (extent, 9))
    assert attempt(pair, right, [wrong]) == 0


@pytest.mark.slow
@pytest.mark.skipif(ON_CARD, reason="the check on a card has minutes for everything")
def test_all_edits_and_many_shuffles(pair, blob):
    attempt(pair, blob, mutations.edits(blob))
    attempt(pair, blob, mutations.shuffles(blob, 20_000))
