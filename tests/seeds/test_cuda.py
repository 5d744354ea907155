"""The rows that need CUDA: on the driver double in both its modes, in `make gpu` on a card."""

import os

import pytest

from tests.cuda_double import beside_real_driver, environment
from tests.harness.worker import Worker, WorkerError

from . import cuda_rows

pytestmark = pytest.mark.gpu
ON_CARD = "SHAREDARRAY_TEST_CARD" in os.environ
# Processes that `multiprocessing` starts when they are first needed, and keeps.
SERVANTS = """
from multiprocessing import forkserver, resource_tracker
forkserver.ensure_running()
resource_tracker.ensure_running()
"""
MODES = ["card"] if ON_CARD else ["immediate", "delayed"]


@pytest.fixture(scope="module", params=MODES)
def machine(request):
    """A process with CUDA devices, two of them on the double."""
    if request.param != "card" and beside_real_driver():
        pytest.skip("the driver double refuses to load beside a real driver")
    before = dict(os.environ)
    if request.param != "card":
        os.environ.update(environment(devices=2, delayed=request.param == "delayed"))
    try:
        running = Worker("spawn")
    finally:
        os.environ.clear()
        os.environ.update(before)
    with running:
        running.run(SERVANTS)
        yield running


@pytest.mark.parametrize("row", cuda_rows.ROWS, ids=lambda row: row.__name__)
def test_row(machine, row):
    needed = getattr(row, "devices", 1)
    if ON_CARD and needed > machine.get("xp.cuda.device_count()"):
        pytest.skip("this machine has one CUDA device")
    machine.call(row)


def test_a_row_that_does_not_hold_is_seen(machine):
    with pytest.raises(WorkerError, match="no ValueError was raised"):
        machine.run("from tests.seeds.cuda_rows import raises\nwith raises(ValueError): pass")
