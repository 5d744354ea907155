"""matplotlib: the same picture as NumPy's, to the last pixel."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

import sharedarray as xp

from .common import rng

V = rng().standard_normal(50).cumsum()
M = rng().uniform(size=(12, 15))
GRID = np.meshgrid(np.linspace(-1, 1, 9), np.linspace(-1, 1, 9))

PLOTS = {
    "plot": lambda axes, s: axes.plot(s(np.arange(50)), s(V)),
    "plot of y": lambda axes, s: axes.plot(s(V), "o-"),
    "plot of columns": lambda axes, s: axes.plot(s(M)),
    "scatter": lambda axes, s: axes.scatter(s(V), s(V[::-1]), c=s(V), s=s(np.abs(V) * 10)),
    "bar": lambda axes, s: axes.bar(s(np.arange(50)), s(V)),
    "hist": lambda axes, s: axes.hist(s(V), bins=s(np.linspace(-9, 9, 12))),
    "fill_between": lambda axes, s: axes.fill_between(
        s(np.arange(50)), s(V), s(V + 1), where=s(V > 0)
    ),
    "errorbar": lambda axes, s: axes.errorbar(s(np.arange(50)), s(V), yerr=s(np.abs(V) / 9)),
    "step": lambda axes, s: axes.step(s(np.arange(50)), s(V)),
    "semilogy": lambda axes, s: axes.semilogy(s(np.abs(V) + 0.1)),
    "imshow": lambda axes, s: axes.imshow(s(M)),
    "imshow of colours": lambda axes, s: axes.imshow(s(np.stack([M, M / 2, M / 3], axis=-1))),
    "imshow of bytes": lambda axes, s: axes.imshow(s((M * 255).astype(np.uint8)), cmap="gray"),
    "contourf": lambda axes, s: axes.contourf(s(GRID[0]), s(GRID[1]), s(GRID[0] * GRID[1])),
    "pcolormesh": lambda axes, s: axes.pcolormesh(s(M)),
    "quiver": lambda axes, s: axes.quiver(s(GRID[0]), s(GRID[1]), s(GRID[1]), s(-GRID[0])),
    "boxplot": lambda axes, s: axes.boxplot(s(M)),
    "ticks": lambda axes, s: axes.set_xticks(s(np.linspace(0, 1, 4))),
    "limits": lambda axes, s: axes.set(
        xlim=s(np.asarray([1.0, 2.0])), ylim=(s(V).min(), s(V).max())
    ),
}


def picture(draw, convert):
    """Return the pixels."""
    figure, axes = plt.subplots(figsize=(2, 2), dpi=50)
    try:
        draw(axes, convert)
        figure.canvas.draw()
        return np.asarray(figure.canvas.buffer_rgba()).copy()
    finally:
        plt.close(figure)


@pytest.mark.parametrize("name", PLOTS)
def test_plot(name):
    got, want = picture(PLOTS[name], xp.asarray), picture(PLOTS[name], np.asarray)
    np.testing.assert_array_equal(got, want)
    assert np.ptp(want) > 0


def test_files(tmp_path):
    path = tmp_path / "image.png"
    plt.imsave(path, xp.asarray(M))
    check = plt.imread(path)
    plt.imsave(path, M)
    np.testing.assert_array_equal(check, plt.imread(path))
