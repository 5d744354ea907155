"""An image filter: workers read one image and fill their bands of one result."""

from functools import partial
from multiprocessing import get_context

import sharedarray as xp

Band = tuple[int, int]


def blur(band: Band, image: xp.Array, out: xp.Array) -> None:
    """Fill rows of `out` with the mean of 3 x 3 pixels of `image`, which has a margin of one."""
    first, last = band
    columns = out.shape[1]
    total = xp.zeros((last - first, columns))
    for down in range(3):
        for right in range(3):
            total += image[first + down : last + down, right : right + columns]
    out[first:last] = total / 9


def main() -> None:
    """Blur an image with two workers, and compare with the mean computed here."""
    picture = xp.random.default_rng(0).random((600, 800))
    image = xp.pad(picture, 1, mode="edge")
    out = xp.empty_like(picture)
    bands = [(first, first + 100) for first in range(0, 600, 100)]
    with get_context("spawn").Pool(2) as pool:
        pool.map(partial(blur, image=image.readonly(), out=out), bands)
    windows = xp.lib.stride_tricks.sliding_window_view(image, (3, 3))
    assert xp.allclose(out, xp.mean(windows, axis=(2, 3)))
    print(f"variance {xp.var(picture):.4f} before, {xp.var(out):.4f} after")


if __name__ == "__main__":
    main()
