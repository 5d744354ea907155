"""``python -m sharedarray demo``: shaded relief of a terrain, by handle and by pickle.

What a user would write stands in `terrain`; here are files, tables and the comparison.
"""

import argparse
import hashlib
import os
import pathlib
import signal
import sys
from concurrent.futures.process import BrokenProcessPool

import sharedarray as xp

from .. import _devices
from . import compare, loading, picture, terrain
from .errors import UsageError
from .memory import Peak
from .progress import Bar
from .units import seconds, size

DEFAULT_SIZE, LARGEST_DEFAULT = 6144, 8192
LIVELY = 0.6  # gradient that steep places of a terrain get by exaggeration


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command.

    Parameters
    ----------
    parser : argparse.ArgumentParser
        Where to declare them.
    """
    parser.add_argument(
        "file",
        nargs="?",
        metavar="FILE",
        help=".npy or .npz file or image with heights (default: the terrain matplotlib brings)",
    )
    parser.add_argument(
        "--workers",
        type=_at_least(1),
        default=max(2, len(os.sched_getaffinity(0))),
        metavar="N",
        help="number of worker processes (default: %(default)s)",
    )
    parser.add_argument(
        "--size",
        type=_at_least(2),
        metavar="N",
        help=f"points along the longer side (default: {DEFAULT_SIZE}, or the file's if larger)",
    )
    parser.add_argument(
        "--method",
        choices=("bicubic", "bilinear"),
        default="bicubic",
        help="how to upsample (default: %(default)s)",
    )
    parser.add_argument(
        "--nodata", type=float, metavar="VALUE", help="value that stands for no height"
    )
    parser.add_argument(
        "--device",
        default="cpu",
        metavar="DEVICE",
        help="where the arrays are: cpu, cuda, cuda:1 (default: %(default)s)",
    )
    parser.add_argument(
        "--output",
        type=pathlib.Path,
        metavar="PNG",
        help="the picture to write (default: FILE's name with _relief.png, here)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Compute the relief twice, write the picture and compare.

    Parameters
    ----------
    arguments : argparse.Namespace
        As declared by `add_arguments`.

    Returns
    -------
    int
        The exit status: 0, or 1 if the results differ or the workers died.

    Raises
    ------
    UsageError
        If the file or an argument cannot be used.
    """
    device = _existing(arguments.device)
    picture.check()
    found = loading.load(arguments.file, arguments.nodata)
    output = arguments.output or pathlib.Path(f"{pathlib.Path(found.name).stem}_relief.png")
    _check_output(output, arguments.file)
    try:
        with xp.memory("shared"):  # also where SHAREDARRAY_MEMORY says otherwise
            return _demonstrate(found, output, arguments, device)
    except BrokenProcessPool:
        print("a worker process was killed; the work cannot go on", file=sys.stderr)
        return 1


def _demonstrate(
    found: loading.Terrain,
    output: pathlib.Path,
    arguments: argparse.Namespace,
    device: "xp.Device",
) -> int:
    original = found.heights.shape
    lowest, highest = float(xp.nanmin(found.heights)), float(xp.nanmax(found.heights))
    wanted = wanted_size(arguments.size, original)
    model = loading.pool(found, wanted)
    shape, cell, exaggeration = plan(model, wanted)
    chosen = "" if found.chosen is None else f" [{found.chosen}]"
    print(
        f"{found.name}{chosen}: {original[0]} x {original[1]} heights, {lowest:g} to {highest:g}; "
        f"{arguments.method} to {shape[0]} x {shape[1]}" + _on(device),
        flush=True,
    )
    heights = terrain.upsample(model.heights.to_device(device), shape, arguments.method)
    job = (cell, exaggeration, arguments.workers)

    with Peak() as peak:
        relief, taken = _watched("by handle", terrain.shaded_relief, heights, *job)
    rows = terrain.bands(shape[0])
    parts = (cell, exaggeration)
    handles = [compare.sent(heights, relief, band, *parts) for band in rows]
    by_handle = (taken, sum(handles), len(rows) * compare.sent(None), peak.nbytes)
    heights, relief = heights.to_device("cpu"), relief.to_device("cpu")
    digest = _digest(relief)
    picture.write(picture.render(heights, relief[1]), output)
    print(f"{output}: {size(output.stat().st_size)}", flush=True)
    if found.cell is not None:
        slope = relief[0][xp.isfinite(relief[0])]
        if slope.size:
            print(
                f"slope: {float(xp.mean(slope)):.1f} degrees on average, "
                f"{float(xp.max(slope)):.1f} at most"
            )
        del slope
    del heights, relief
    xp.empty_cache()

    with xp.memory("private"):
        heights = terrain.upsample(model.heights.to_device(device), shape, arguments.method)
        heights = heights.to_device("cpu")
    with Peak() as peak:
        relief, taken = _watched("by pickle", compare.shaded_relief, heights, *job, device)
    parts = (*parts, device)
    bands = [compare.sent(*compare.message(heights, band), *parts) for band in rows]
    returned = [compare.sent(relief[:, band]) for band in rows]
    by_pickle = (taken, sum(bands), sum(returned), peak.nbytes)
    equal = _digest(relief) == digest
    memory = "memory of all" if device.type == "cpu" else "host memory of all"
    print(_table(by_handle, by_pickle, equal, arguments.workers, memory))
    return 0 if equal else 1


def wanted_size(size: int | None, shape: tuple[int, int]) -> int:
    """Return the number of points along the longer side, for a file of some shape."""
    return size or min(max(DEFAULT_SIZE, *shape), LARGEST_DEFAULT)


def plan(model: loading.Terrain, wanted: int) -> tuple[tuple[int, int], tuple[float, float], float]:
    """Choose the grid to compute on, so that its points are as far apart both ways.

    Parameters
    ----------
    model : loading.Terrain
        The terrain.
    wanted : int
        Points along the longer side.

    Returns
    -------
    shape : tuple of int
        Rows and columns, at least 2.
    cell : tuple of float
        Distance of its rows and columns, in the unit of the heights.
    exaggeration : float
        By how much to multiply gradients, so that the light shows them.
    """
    rows, columns = model.heights.shape
    south, east = model.cell or (1.0, 1.0)
    length = (max(rows - 1, 1) * south, max(columns - 1, 1) * east)
    shape = tuple(max(2, round(wanted * side / max(length))) for side in length)
    cell = tuple(side / (n - 1) for side, n in zip(length, shape, strict=True))
    padded = xp.pad(model.heights, ((0, rows == 1), (0, columns == 1)), mode="edge")
    gradient = xp.hypot(*xp.gradient(padded, south, east))
    steep = gradient[xp.isfinite(gradient) & (gradient > 0)]
    exaggeration = LIVELY / float(xp.quantile(steep, 0.9)) if steep.size else 1.0
    return shape, cell, exaggeration


def _existing(name: str) -> "xp.Device":
    """Return the device of a name, if arrays can be made and shared there."""
    try:
        device = _devices.resolve(name)
        xp.empty(1, device=device).share_memory_()  # what the workers write has to arrive here
        return device
    except (ValueError, xp.DeviceError) as error:
        raise UsageError(str(error)) from None


def _on(device: "xp.Device") -> str:
    return "" if device.type == "cpu" else f" on {device}"


def _watched(label: str, job, heights, cell, exaggeration, workers, *others):
    """Run a job with a progress bar and return its result and the seconds it took."""
    bar = Bar(f"{label}:", sys.stderr)
    # Until the workers are there, which inherit it, Ctrl-C would end them with a traceback.
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)

    def progress(done: int, total: int) -> None:
        if done == 0:
            signal.signal(signal.SIGINT, before)
        bar(done, total)

    try:
        return job(heights, cell, exaggeration, workers, progress, *others), bar.seconds
    finally:
        signal.signal(signal.SIGINT, before)
        bar.close()


def _digest(relief) -> bytes:
    return hashlib.blake2b(memoryview(xp.ascontiguousarray(relief)).cast("B")).digest()


def _table(
    by_handle: tuple, by_pickle: tuple, equal: bool, workers: int, memory: str = "memory of all"
) -> str:
    def cells(values: tuple) -> list[str]:
        taken, out, back, memory = values
        return [
            seconds(taken),
            size(out),
            size(back),
            "not measurable" if memory is None else size(memory),
        ]

    labels = ["time, start included", "sent to workers", "sent back", f"{memory}, peak"]
    lines = ["", f"{f'{workers} workers':<22}{'by handle':>16}{'by pickle':>16}"]
    for label, ours, theirs in zip(labels, cells(by_handle), cells(by_pickle), strict=True):
        lines.append(f"{label:<22}{ours:>16}{theirs:>16}")
    lines.append("results: " + ("equal, byte for byte" if equal else "DIFFERENT"))
    return "\n".join(lines)


def _check_output(output: pathlib.Path, file: str | None) -> None:
    if output.is_dir():
        raise UsageError(f"{str(output)!r} is a folder, --output needs the name of a file")
    if not output.parent.is_dir():
        raise UsageError(f"there is no folder {str(output.parent)!r} to write {output.name} to")
    if file is not None and output.exists() and output.samefile(file):
        raise UsageError(f"--output {str(output)!r} is the file with the heights")
    if not os.access(output if output.exists() else output.parent, os.W_OK):
        raise UsageError(f"{str(output)!r} cannot be written: permission denied")


def _at_least(least: int):
    def number(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = least - 1
        if value < least:
            raise argparse.ArgumentTypeError(f"{text!r} is no whole number from {least}")
        return value

    return number
