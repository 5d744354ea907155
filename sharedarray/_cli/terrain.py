"""Slope and shaded relief of a terrain model, by several processes in the same two arrays.

Each worker gets the whole arrays, `heights` and `relief`, as handles of a few hundred bytes. It
reads and writes the memory of the process that made them: its band of rows.
"""

import math
import multiprocessing
import signal
from concurrent.futures import ProcessPoolExecutor, as_completed

import sharedarray as xp

BAND = 128  # rows of one task
AZIMUTH, ALTITUDE = math.radians(315), math.radians(45)  # of the sun: north-west, half-way up
EAST = math.sin(AZIMUTH) * math.cos(ALTITUDE)
NORTH = math.cos(AZIMUTH) * math.cos(ALTITUDE)
UP = math.sin(ALTITUDE)


def bands(rows):
    """Divide a number of rows into slices."""
    return [slice(top, min(top + BAND, rows)) for top in range(0, rows, BAND)]


def interpolate(model, at, method):
    """Return the rows of `model` at fractional positions `at`."""
    first = xp.astype(xp.floor(at), xp.int64)
    t = xp.astype(at - first, xp.float32)[:, None]
    if method == "bilinear":
        weights = {0: 1 - t, 1: t}
    else:  # cubic B-spline: slope and curvature have no jumps
        weights = {
            -1: (1 - t) ** 3 / 6,
            0: (3 * t**3 - 6 * t**2 + 4) / 6,
            1: (-3 * t**3 + 3 * t**2 + 3 * t + 1) / 6,
            2: t**3 / 6,
        }
    last = model.shape[0] - 1
    return sum(model[xp.clip(first + k, 0, last)] * weight for k, weight in weights.items())


def upsample(model, shape, method="bicubic"):
    """Return `model` on a grid of another shape."""
    columns = xp.linspace(0, model.shape[1] - 1, shape[1], device=model.device)
    model = interpolate(model.T, columns, method).T
    at = xp.linspace(0, model.shape[0] - 1, shape[0], device=model.device)
    heights = xp.empty(shape, dtype=xp.float32, device=model.device)
    for rows in bands(shape[0]):
        heights[rows] = interpolate(model, at[rows], method)
    return heights


def shade(heights, relief, rows, cell, exaggeration):
    """Fill the rows of `relief`: slope in degrees, and light from 0 to 1."""
    top = max(rows.start - 1, 0)  # the rows next to the band belong to its gradient
    inner = slice(rows.start - top, rows.stop - top)
    south, east = (g[inner] for g in xp.gradient(heights[top : rows.stop + 1], *cell))
    relief[0, rows] = xp.atan(xp.hypot(south, east)) * (180 / math.pi)
    south, east = south * exaggeration, east * exaggeration
    light = (UP - EAST * east + NORTH * south) / xp.sqrt(1 + south**2 + east**2)
    relief[1, rows] = xp.maximum(light, 0)


def shaded_relief(heights, cell, exaggeration, workers, progress):
    """Return slope and light of all heights, computed by worker processes."""
    relief = xp.empty((2, *heights.shape), dtype=xp.float32, device=heights.device)
    spawn = multiprocessing.get_context("spawn")
    ignore = (signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which stops the workers
    with ProcessPoolExecutor(workers, spawn, signal.signal, ignore) as pool:
        job = (heights, relief)
        tasks = [pool.submit(shade, *job, r, cell, exaggeration) for r in bands(len(heights))]
        try:
            progress(0, len(tasks))
            for done, task in enumerate(as_completed(tasks), 1):
                task.result()
                progress(done, len(tasks))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return relief
