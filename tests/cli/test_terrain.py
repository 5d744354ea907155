"""The user's part of the demonstration: right against formulas, whatever the bands."""

import math

import numpy as np
import pytest

import sharedarray as xp
from sharedarray._cli import compare, loading, picture, terrain
from sharedarray._cli.demo import plan

METHODS = ["bicubic", "bilinear"]


def array(values):
    return xp.asarray(np.asarray(values, dtype=np.float32))


def shade_all(heights, cell=(1.0, 1.0), exaggeration=1.0):
    relief = xp.empty((2, *heights.shape), dtype=xp.float32)
    for rows in terrain.bands(heights.shape[0]):
        terrain.shade(heights, relief, rows, cell, exaggeration)
    return np.asarray(relief)


@pytest.mark.parametrize("rows", [1, 2, 127, 128, 129, 256, 1000])
def test_bands_cover_each_row_once(rows):
    covered = [row for band in terrain.bands(rows) for row in range(band.start, band.stop)]
    assert covered == list(range(rows))


@pytest.mark.parametrize("method", METHODS)
def test_upsampling_a_plane_gives_the_plane(method):
    model = array(np.add.outer(np.arange(6) * 2.0, np.arange(9) * -3.0))
    fine = np.asarray(terrain.upsample(model, (51, 81), method))
    expected = np.add.outer(np.linspace(0, 10, 51), np.linspace(0, -24, 81))
    inner = (slice(11, -11), slice(11, -11))  # at the edges the spline sees repeated rows
    np.testing.assert_allclose(fine[inner], expected[inner], atol=1e-5)
    assert fine.dtype == np.float32


def test_bilinear_keeps_the_points():
    model = array(np.random.default_rng(1).normal(size=(5, 7)))
    fine = terrain.upsample(model, (9, 13), "bilinear")
    np.testing.assert_allclose(np.asarray(fine)[::2, ::2], np.asarray(model), atol=1e-6)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("shape", [(1, 1), (1, 6), (6, 1)])
def test_upsampling_a_point_or_a_line(method, shape):
    fine = np.asarray(terrain.upsample(array(np.full(shape, 7.0)), (40, 50), method))
    np.testing.assert_allclose(fine, np.full((40, 50), 7.0), rtol=1e-6)


def test_bicubic_slopes_have_no_steps():
    model = array(np.random.default_rng(2).normal(size=(8, 8)))
    jumps = {}
    for method in METHODS:
        fine = np.asarray(terrain.upsample(model, (701, 8), method), dtype=np.float64)
        slope = np.diff(fine, axis=0)
        jumps[method] = np.abs(np.diff(slope, axis=0)).max() / np.abs(slope).max()
    assert jumps["bicubic"] < 0.05 < 0.5 < jumps["bilinear"]


@pytest.mark.parametrize(("south", "east"), [(0, 0), (1, 0), (0, 1), (-0.5, 2), (3, -1)])
def test_slope_and_light_of_a_plane(south, east):
    cell = (2.0, 5.0)
    heights = array(np.add.outer(np.arange(300) * south * 2.0, np.arange(20) * east * 5.0))
    slope, light = shade_all(heights, cell)
    np.testing.assert_allclose(slope, math.degrees(math.atan(math.hypot(south, east))), atol=1e-3)
    normal = np.array([-east, south, 1.0]) / math.sqrt(1 + south**2 + east**2)  # east, north, up
    sun = np.array([-0.5, 0.5, math.sqrt(0.5)])
    np.testing.assert_allclose(light, max(normal @ sun, 0), atol=1e-4)


def test_the_sun_stands_in_the_north_west():
    y, x = np.mgrid[-50:50, -50:50]
    _, light = shade_all(array(-np.hypot(x, y)))  # a cone
    assert light[20, 20] > light[20, 80] > light[80, 80]
    assert light[20, 20] > light[80, 20] > light[80, 80]


def test_exaggeration_changes_light_alone():
    heights = array(np.random.default_rng(3).normal(size=(40, 40)))
    slope, light = shade_all(heights)
    steeper_slope, steeper_light = shade_all(heights, exaggeration=3.0)
    np.testing.assert_array_equal(slope, steeper_slope)
    scaled = shade_all(array(np.asarray(heights) * 3))[1]
    np.testing.assert_allclose(steeper_light, scaled, atol=1e-5)
    assert not np.array_equal(light, steeper_light)


def test_bands_do_not_show(monkeypatch):
    heights = array(np.random.default_rng(4).normal(size=(300, 30)))
    expected = shade_all(heights)
    for band in (1, 7, 299, 1000):
        monkeypatch.setattr(terrain, "BAND", band)
        np.testing.assert_array_equal(shade_all(heights), expected)


def test_no_height_gives_no_relief_around_it():
    values = np.ones((10, 10))
    values[5, 5] = np.nan
    slope, light = shade_all(array(values))
    for plane in (slope, light):
        assert np.isnan(plane[4, 5])
        assert np.isnan(plane[5, 4])
        assert np.isfinite(plane[:4]).all()


@pytest.mark.parametrize("rows", [2, 3, 300])
def test_workers_fill_the_same_array_and_copies_agree(rows):
    heights = array(np.random.default_rng(5).normal(size=(rows, 20)))
    expected = shade_all(heights, (1.0, 2.0), 1.5)
    calls = []
    relief = terrain.shaded_relief(heights, (1.0, 2.0), 1.5, 2, lambda *a: calls.append(a))
    np.testing.assert_array_equal(np.asarray(relief), expected)
    n = len(terrain.bands(rows))
    assert calls == [(done, n) for done in range(n + 1)]
    with xp.memory("private"):
        private = xp.asarray(np.asarray(heights))
    copied = compare.shaded_relief(private, (1.0, 2.0), 1.5, 2, lambda *a: None)
    np.testing.assert_array_equal(np.asarray(copied), expected)
    assert relief.is_shared()
    assert not copied.is_shared()


def test_what_is_sent():
    heights = xp.zeros((2000, 500), dtype=xp.float32)
    assert compare.sent(heights, slice(0, 5)) < 2000
    with xp.memory("private"):
        private = xp.zeros((2000, 500), dtype=xp.float32)
    assert compare.sent(private, slice(0, 5)) > 4_000_000


# The grid.


def terrain_of(values, cell=None):
    return loading.Terrain("x", array(values), cell)


def test_plan_keeps_the_shape_of_the_ground():
    model = terrain_of(np.random.default_rng(6).normal(size=(101, 201)), (10.0, 20.0))
    shape, cell, _ = plan(model, 1000)
    assert shape == (250, 1000)
    assert cell == pytest.approx((1000 / 249, 4000 / 999))


@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (9, 1), (2, 2)])
def test_plan_of_tiny_models(shape):
    planned, cell, exaggeration = plan(terrain_of(np.full(shape, 3.0)), 64)
    assert min(planned) >= 2
    assert max(planned) == 64
    assert min(cell) > 0
    assert exaggeration == 1.0


def test_exaggeration_does_not_depend_on_the_unit():
    values = np.random.default_rng(7).normal(size=(30, 30))
    metres = plan(terrain_of(values), 64)[2]
    millimetres = plan(terrain_of(values * 1000), 64)[2]
    assert metres == pytest.approx(millimetres * 1000)


# The picture.


def test_picture_of_heights_and_light():
    heights = array([[0, 10, 20], [0, 10, np.nan]])
    picture_ = np.asarray(picture.render(heights, array([[0.7, 0.7, 0.7], [0, 0, 0]])))
    assert picture_.shape == (2, 3, 3)
    assert picture_.dtype == np.uint8
    low, middle, high = picture_[0].astype(int)
    assert low[1] > low[0] > 0  # green
    assert middle[0] > middle[2]  # yellow
    assert high.min() > 220  # white
    assert (picture_[1, :2].astype(int) < picture_[0, :2]).all()
    assert (picture_[1, 2] == picture.NOWHERE).all()


def test_picture_of_level_ground():
    picture_ = np.asarray(picture.render(array(np.ones((3, 3))), array(np.full((3, 3), 0.7))))
    assert (picture_ == picture_[0, 0]).all()


def test_large_pictures_are_averaged(monkeypatch):
    monkeypatch.setattr(picture, "LARGEST", 10)
    heights = array(np.tile([0.0, 10.0], (35, 20)))
    picture_ = np.asarray(picture.render(heights, array(np.full((35, 40), 0.7))))
    assert picture_.shape == (8, 10, 3)
    assert (picture_ == picture_[0, 0]).all()
