"""Edges of an image, by convolution with small kernels."""

import importlib
import sys
from types import ModuleType
from typing import Any

SOBEL = [[1, 0, -1], [2, 0, -2], [1, 0, -1]]


def picture(np: ModuleType, size: int) -> Any:
    """Paint a disc, a square and a ramp, with noise, in bytes."""
    y, x = np.mgrid[:size, :size]
    image = 60.0 * x / size
    image[(x - 0.3 * size) ** 2 + (y - 0.35 * size) ** 2 < (0.18 * size) ** 2] += 120.0
    image[size // 2 : -size // 8, size // 2 : -size // 8] += 90.0
    image += np.random.default_rng(5).normal(0, 6, image.shape)
    return image.clip(0, 255).astype(np.uint8)


def convolve(np: ModuleType, image: Any, kernel: Any) -> Any:
    """Convolve an image with a kernel of odd size; edges are continued."""
    kernel = np.asarray(kernel)
    margins = [(length // 2, length // 2) for length in kernel.shape]
    padded = np.pad(image, margins, mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(padded, kernel.shape)
    return np.tensordot(windows, kernel[::-1, ::-1], axes=((2, 3), (0, 1)))


def run(np: ModuleType, size: int = 128) -> dict[str, Any]:
    """Smooth, differentiate, and keep what is steep."""
    image = picture(np, size)
    bell = np.exp(-(np.arange(-3, 4) ** 2) / 4.0)
    smooth = convolve(np, image.astype(np.float32), np.outer(bell, bell) / bell.sum() ** 2)
    right = convolve(np, smooth, SOBEL)
    down = convolve(np, smooth, np.transpose(SOBEL))
    slope = np.hypot(right, down)
    counts, levels = np.histogram(slope, bins=64)
    steep = slope > levels[np.searchsorted(np.cumsum(counts), 0.93 * slope.size)]
    angles = np.degrees(np.arctan2(down[steep], right[steep]))
    return {
        "image": image,
        "smooth": smooth,
        "edges": np.packbits(steep, axis=1),
        "angles": np.histogram(angles, bins=12, range=(-180, 180))[0],
        "share": steep.mean(),
    }


def main(np: ModuleType) -> None:
    """Show the edges in letters."""
    found = run(np)
    edges = np.unpackbits(found["edges"], axis=1)
    for row in edges[::6, ::3]:
        print("".join(".#"[int(pixel)] for pixel in row))
    print(f"{100 * found['share']:.1f} % are edges; angles {found['angles'].tolist()}")


if __name__ == "__main__":
    main(importlib.import_module(sys.argv[1] if len(sys.argv) > 1 else "sharedarray"))
