"""The C core as a library of its own, and processes that use it."""

import gc

import pytest

from . import native


@pytest.fixture(autouse=True)
def nothing_goes():
    """Collect what other tests left: its descriptors would be closed amid this one's counts."""
    gc.collect()


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    """Path of the compiled library."""
    return native.build(tmp_path_factory.mktemp("core"))


@pytest.fixture(scope="session")
def core(library):
    """The functions, in this process."""
    return native.Core(library)


@pytest.fixture
def peers(library):
    """Makes other processes, all ended with the test."""
    made = []

    def make(**options):
        made.append(native.Peer(library, **options))
        return made[-1]

    yield make
    for peer in made:
        peer.kill()


@pytest.fixture
def peer(peers):
    """Another process of this user."""
    return peers()


@pytest.fixture
def flat():
    """This process must end the test with the descriptors it began with."""
    before = native.descriptors()
    yield
    assert native.descriptors() == before
