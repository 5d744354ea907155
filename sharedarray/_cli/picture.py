"""The picture: elevation tints under shaded relief."""

import pathlib

import sharedarray as xp

from .errors import UsageError
from .loading import EXTRA

LARGEST = 2048  # pixels along the longer side
# Height (0: lowest, 1: highest) and colour.
TINTS = (
    (0.00, (96, 140, 100)),
    (0.20, (158, 178, 120)),
    (0.40, (222, 212, 156)),
    (0.60, (204, 168, 120)),
    (0.80, (158, 122, 98)),
    (1.00, (244, 242, 240)),
)
NOWHERE = 232  # grey of what has no height
SHADOW = 0.3  # light that reaches the shadows


def check() -> None:
    """Raise `UsageError` if pictures cannot be written here."""
    try:
        import PIL.Image  # noqa: F401
    except ImportError:
        raise UsageError(
            f"the picture is written with Pillow, which is not installed: {EXTRA}"
        ) from None


def render(heights: "xp.Array", light: "xp.Array") -> "xp.Array":
    """Colour shaded relief by height.

    Parameters
    ----------
    heights, light : Array
        Shape (rows, columns).

    Returns
    -------
    Array
        Shape (rows, columns, 3), uint8; smaller by averaging if it were larger than `LARGEST`.
    """
    step = -(-max(heights.shape) // LARGEST)
    heights, light = _smaller(heights, step), _smaller(light, step)
    lowest, highest = float(xp.nanmin(heights)), float(xp.nanmax(heights))
    level = (heights - lowest) / ((highest - lowest) or 1)
    known = xp.isfinite(level + light)
    level, light = xp.where(known, level, 0), xp.where(known, light, 0)
    places = [place for place, _ in TINTS]
    bright = SHADOW + (1 - SHADOW) * light
    channels = []
    for channel in range(3):
        tint = xp.interp(level, places, [colour[channel] for _, colour in TINTS])
        # Level ground, lit by sin(45 deg), keeps about its tint.
        channels.append(xp.where(known, xp.clip(tint * bright * 1.25, 0, 255), NOWHERE))
    return xp.astype(xp.round(xp.stack(channels, axis=-1)), xp.uint8)


def write(picture: "xp.Array", path: pathlib.Path) -> None:
    """Write a picture as PNG.

    Parameters
    ----------
    picture : Array
        Shape (rows, columns, 3), uint8.
    path : pathlib.Path
        The file, replaced if it exists.
    """
    from PIL import Image

    Image.fromarray(picture.numpy()).save(path, format="PNG")


def _smaller(plane: "xp.Array", step: int) -> "xp.Array":
    if step < 2:
        return plane
    down, right = (min(step, n) for n in plane.shape)
    rows, columns = plane.shape[0] // down, plane.shape[1] // right
    blocks = plane[: rows * down, : columns * right].reshape(rows, down, columns, right)
    return xp.mean(blocks, axis=(1, 3))
