"""The job of `terrain` once more, with what pickling does to it."""

import multiprocessing
import pickle
import signal
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing.reduction import ForkingPickler

import sharedarray as xp

from . import terrain


def shade_copy(heights, rows, cell, exaggeration, device):
    """Return slope and light of some rows of a copied band, computed on a device."""
    with xp.memory("private"):
        heights = heights.to_device(device)
        relief = xp.empty((2, *heights.shape), dtype=xp.float32, device=device)
        terrain.shade(heights, relief, rows, cell, exaggeration)
        return relief[:, rows].to_device("cpu")


def shaded_relief(
    heights, cell, exaggeration, workers, progress: Callable[[int, int], None], device="cpu"
):
    """Return slope and light of all heights, each band sent and returned by value.

    Parameters
    ----------
    heights : Array
        In private memory, so that it goes by value.
    cell : tuple of float
        As `terrain.shade` takes it.
    exaggeration : float
        As `terrain.shade` takes it.
    workers : int
        Number of processes.
    progress : callable
        Called with the number of bands that are done, and of all.
    device : str or Device, optional
        Where the workers compute; bands go there and come back through the host.

    Returns
    -------
    Array
        Shape (2, rows, columns), in private memory.
    """
    with xp.memory("private"):
        relief = xp.empty((2, *heights.shape), dtype=xp.float32)
    spawn = multiprocessing.get_context("spawn")
    ignore = (signal.SIGINT, signal.SIG_IGN)
    with ProcessPoolExecutor(workers, spawn, signal.signal, ignore) as pool:
        tasks = {
            pool.submit(shade_copy, *message(heights, rows), cell, exaggeration, device): rows
            for rows in terrain.bands(len(heights))
        }
        try:
            progress(0, len(tasks))
            for done, task in enumerate(as_completed(tasks), 1):
                relief[:, tasks[task]] = task.result()
                progress(done, len(tasks))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return relief


def message(heights, rows):
    """Return a band with the neighbours it needs, and the rows of it that are wanted."""
    top = max(rows.start - 1, 0)
    return heights[top : rows.stop + 1], slice(rows.start - top, rows.stop - top)


def sent(*what) -> int:
    """Return how many bytes a message takes when it is sent to another process.

    Parameters
    ----------
    *what : object
        What is sent.

    Returns
    -------
    int
        Its size.
    """
    data = ForkingPickler.dumps(what)
    pickle.loads(data)  # opened, so that no sender waits for a receiver
    return len(data)
