"""Terrain models from files: ``.npy``, ``.npz`` and images."""

import math
import pathlib
import warnings
import zipfile
from typing import IO, NamedTuple

import numpy as np

import sharedarray as xp

from .errors import UsageError

LUMINANCE = (0.299, 0.587, 0.114)  # ITU-R BT.601: red, green, blue
METRES_PER_DEGREE = 111_200
SAMPLE = "jacksboro_fault_dem.npz"
MAKE_NPY = "np.save writes .npy files"
SCALE = "scale or shift them"
EXTRA = "pip install 'sharedarray-xp[demo]'"


class Terrain(NamedTuple):
    """Heights on a grid.

    Attributes
    ----------
    name : str
        The name of the file.
    heights : Array
        Shape (rows, columns), float32, NaN where there are none.
    cell : tuple of float or None
        Distance of rows and of columns in the unit of the heights, where it is known.
    chosen : str or None
        Which of the arrays of the file these are, where there was a choice.
    """

    name: str
    heights: "xp.Array"
    cell: tuple[float, float] | None
    chosen: str | None = None


def load(path: str | None, nodata: float | None = None) -> Terrain:
    """Read a terrain model.

    Parameters
    ----------
    path : str or None
        A ``.npy`` or ``.npz`` file or an image; None for the sample that matplotlib brings.
    nodata : float, optional
        The value that stands for "no height here"; NaN and infinities always do.

    Returns
    -------
    Terrain
        The model.

    Raises
    ------
    UsageError
        If there is no such file, or no heights in it.
    """
    file = _sample() if path is None else pathlib.Path(path)
    cell = chosen = None
    try:
        if file.suffix.lower() == ".npz":
            values, cell, chosen = _from_npz(file)
        elif file.suffix.lower() == ".npy":
            with file.open("rb") as stream:
                values = _from_npy(stream)
        else:
            values = _from_image(file)
    except FileNotFoundError:
        raise UsageError(f"there is no file {str(file)!r}") from None
    except IsADirectoryError:
        raise UsageError(f"{str(file)!r} is a folder, not a file") from None
    except OSError as error:
        raise UsageError(f"{str(file)!r} cannot be read: {error.strerror or error}") from None
    except (ValueError, EOFError, zipfile.BadZipFile, SyntaxError) as error:
        raise UsageError(f"{str(file)!r} cannot be read: {error}") from None
    given = _plane(values, file.name)
    with np.errstate(over="ignore", under="ignore"):
        values = given.astype(np.float32)
        if nodata is not None:
            values = np.where(values == np.float32(nodata), np.float32(np.nan), values)
    values = np.where(np.isfinite(values), values, np.float32(np.nan))
    _check_precision(given, values, file.name)
    return Terrain(file.name, xp.asarray(values), cell, chosen)


def pool(terrain: Terrain, size: int) -> Terrain:
    """Average a model over blocks, until it is less than twice as large as wanted.

    Parameters
    ----------
    terrain : Terrain
        The model.
    size : int
        The wanted number of points along the longer side.

    Returns
    -------
    Terrain
        The same where there is nothing to do.
    """
    heights, cell = terrain.heights, terrain.cell
    step = max(heights.shape) // size
    if step < 2:
        return terrain
    down, right = (min(step, n) for n in heights.shape)
    rows, columns = heights.shape[0] // down, heights.shape[1] // right
    blocks = heights[: rows * down, : columns * right].reshape(rows, down, columns, right)
    if cell is not None:
        cell = (cell[0] * down, cell[1] * right)
    return terrain._replace(heights=xp.mean(blocks, axis=(1, 3)), cell=cell)


def _sample() -> pathlib.Path:
    try:
        from matplotlib import cbook
    except ImportError:
        raise UsageError(
            f"the sample terrain comes with matplotlib, which is not installed: {EXTRA}, "
            "or name a FILE"
        ) from None
    return pathlib.Path(cbook.get_sample_data(SAMPLE, asfileobj=False))


def _from_npy(stream: IO[bytes]) -> np.ndarray:
    magic = np.lib.format.MAGIC_PREFIX
    if stream.read(len(magic)) != magic:
        raise ValueError(f"it does not begin as a .npy file does; {MAKE_NPY}")
    stream.seek(0)
    try:
        return np.load(stream, allow_pickle=False)
    except ValueError as error:
        if "allow_pickle" not in str(error):
            raise
        raise ValueError("it holds Python objects, heights are real numbers") from None


def _from_npz(
    file: pathlib.Path,
) -> tuple[np.ndarray, tuple[float, float] | None, str | None]:
    # Not by name: np.load leaves a truncated archive open.
    with file.open("rb") as stream, np.load(stream, allow_pickle=False) as archive:
        arrays = {name: archive[name] for name in archive.files}
    flat = [name for name, a in arrays.items() if a.ndim >= 2]
    if not flat:
        held = ", ".join(f"{name} {a.shape}" for name, a in arrays.items()) or "nothing"
        raise ValueError(f"it holds no array of two dimensions ({held})")
    name = "elevation" if "elevation" in flat else flat[0]
    values, chosen = arrays[name], name if len(flat) > 1 else None
    if not {"dx", "dy", "ymin"} <= arrays.keys():
        return values, None, chosen
    dx, dy, latitude = (float(arrays[name]) for name in ("dx", "dy", "ymin"))  # degrees
    dy *= METRES_PER_DEGREE
    dx *= METRES_PER_DEGREE * math.cos(math.radians(latitude))
    return values, (dy, dx) if min(dx, dy) > 0 else None, chosen


def _from_image(file: pathlib.Path) -> np.ndarray:
    try:
        from PIL import Image, UnidentifiedImageError
    except ImportError:
        file.open("rb").close()
        raise UsageError(
            f"{file.name} is read with Pillow, which is not installed: {EXTRA}"
        ) from None
    try:
        with warnings.catch_warnings(), Image.open(file) as image:
            warnings.simplefilter("ignore")
            if image.mode in ("L", "I", "F", "1") or image.mode.startswith("I;"):
                return np.asarray(image)
            pixels = np.asarray(image.convert("RGBA"), dtype=np.float32)
    except UnidentifiedImageError:
        raise UsageError(
            f"{file.name} is no .npy or .npz file, and no image that Pillow knows; {MAKE_NPY}"
        ) from None
    except Image.DecompressionBombError as error:
        raise UsageError(f"{file.name} is too large for an image: {error}") from None
    return np.where(pixels[..., 3] > 0, pixels[..., :3] @ np.float32(LUMINANCE), np.float32(np.nan))


def _plane(values: np.ndarray, name: str) -> np.ndarray:
    """Return values of any kind as a plane of real numbers, or say why they are none."""
    if values.dtype.kind not in "biuf":
        raise UsageError(f"{name} holds {values.dtype}, heights are real numbers")
    if values.ndim == 3 and values.shape[2] in (3, 4):
        values = values[..., :3] @ np.float32(LUMINANCE)
    elif values.ndim == 3 and values.shape[2] == 1:
        values = values[..., 0]
    if values.ndim != 2:
        raise UsageError(
            f"{name} has the shape {values.shape}, heights are a plane: (rows, columns), "
            "or (rows, columns, 3) for colours"
        )
    if values.size == 0:
        raise UsageError(f"{name} is empty: its shape is {values.shape}")
    return values


def _check_precision(given: np.ndarray, values: np.ndarray, name: str) -> None:
    """Say so where float32 has no heights, or one for all, and what was given had others."""
    there = ~np.isnan(values)
    if not there.any():
        finite = given[np.isfinite(given)]
        if finite.size and np.abs(finite).min() > np.finfo(np.float32).max:
            raise UsageError(f"{name}: the heights are too large for float32; {SCALE}")
        raise UsageError(f"{name} has no finite heights")
    plane = values[there]
    if plane.min() == plane.max():
        low, high = given[there].min(), given[there].max()
        if low != high:
            raise UsageError(
                f"{name}: the heights, {low:g} to {high:g}, are all the same in float32; {SCALE}"
            )
