"""Fixtures for all tests."""

from tests.harness.fixtures import (  # noqa: F401
    context,
    method,
    no_process_left,
    own_worker,
    pytest_collection_finish,
    pytest_runtest_call,
    pytest_sessionfinish,
    worker,
)
