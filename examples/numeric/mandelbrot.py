"""The Mandelbrot set: points leave the computation when they escape."""

import importlib
import sys
from types import ModuleType
from typing import Any

SHADES = " .:-=+*#%@"


def run(np: ModuleType, width: int = 240, height: int = 160, limit: int = 60) -> dict[str, Any]:
    """Count the steps until each point escapes, with a smooth fraction."""
    x = np.linspace(-2.1, 0.7, width)
    y = np.linspace(-1.2, 1.2, height)
    c = (x + 1j * y[:, np.newaxis]).ravel()
    z = np.zeros_like(c)
    steps = np.full(c.shape, limit, dtype=np.float64)
    alive = np.arange(c.size)
    for count in range(limit):
        z[alive] = z[alive] ** 2 + c[alive]
        size = np.abs(z[alive])
        escaped = size > 4.0
        steps[alive[escaped]] = count + 1 - np.log2(np.log(size[escaped]))
        alive = alive[~escaped]
        if not alive.size:
            break
    steps = steps.reshape(height, width)
    histogram, edges = np.histogram(steps[steps < limit], bins=8)
    return {
        "steps": steps,
        "inside": np.mean(steps == limit),
        "histogram": histogram,
        "edges": edges,
    }


def main(np: ModuleType) -> None:
    """Show the set in letters."""
    found = run(np)
    small = found["steps"][::8, ::4]
    shades = (np.interp(small, (0, small.max()), (0, len(SHADES) - 1))).astype(int)
    for row in shades:
        print("".join(SHADES[shade] for shade in row))
    print(f"{100 * found['inside']:.1f} % of the picture belongs to the set")


if __name__ == "__main__":
    main(importlib.import_module(sys.argv[1] if len(sys.argv) > 1 else "sharedarray"))
