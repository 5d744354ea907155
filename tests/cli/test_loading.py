"""Terrain models from files of every kind, good and bad."""

import sys

import numpy as np
import pytest
from PIL import Image

import sharedarray as xp
from sharedarray._cli import loading
from sharedarray._cli.errors import UsageError

HEIGHTS = np.arange(12, dtype=np.float64).reshape(3, 4)


@pytest.fixture
def save(tmp_path):
    """Write an array to a file of the kind that its name says; give the path."""

    def write(name, values, **others):
        path = tmp_path / name
        if path.suffix == ".npy":
            np.save(path, values)
        elif path.suffix == ".npz":
            np.savez(path, **others)
        else:
            values.save(path)
        return str(path)

    return write


def check(path, expected, **options):
    terrain = loading.load(path, **options)
    assert isinstance(terrain.heights, xp.Array)
    assert terrain.heights.dtype == xp.float32
    np.testing.assert_array_equal(np.asarray(terrain.heights), expected)
    return terrain


def test_the_sample():
    terrain = loading.load(None)
    assert terrain.name == "jacksboro_fault_dem.npz"
    assert terrain.heights.shape == (344, 403)
    assert (float(xp.min(terrain.heights)), float(xp.max(terrain.heights))) == (236, 1076)
    north, east = terrain.cell  # metres: three seconds of arc, at 36.7 degrees north
    assert north == pytest.approx(92.7, abs=0.1)
    assert east == pytest.approx(74.3, abs=0.1)


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", ">f4", "i2", "u1", "i8", "u8", "?", "g"])
def test_npy_of_each_dtype(save, dtype):
    values = (HEIGHTS % 2 if dtype == "?" else HEIGHTS).astype(dtype)
    assert check(save("a.npy", values), values.astype("f4")).cell is None


def test_npy_in_other_layouts(save):
    check(save("a.npy", np.asfortranarray(HEIGHTS)), HEIGHTS)
    check(save("b.npy", HEIGHTS[::-1, ::2]), HEIGHTS[::-1, ::2])


@pytest.mark.parametrize("shape", [(1, 1), (1, 5), (5, 1)])
def test_tiny(save, shape):
    check(save("a.npy", np.ones(shape)), np.ones(shape))


def test_npz_takes_elevation_or_else_the_first_plane(save):
    path = save("a.npz", None, z=np.ones(3), first=HEIGHTS, second=HEIGHTS + 1)
    assert check(path, HEIGHTS).chosen == "first"
    path = save("b.npz", None, first=HEIGHTS, elevation=HEIGHTS + 1)
    assert check(path, HEIGHTS + 1).chosen == "elevation"
    path = save("c.npz", None, elevation=np.ones(3), z=HEIGHTS)
    assert check(path, HEIGHTS).chosen is None


def test_npz_with_useless_distances(save):
    path = save("a.npz", None, elevation=HEIGHTS, dx=0.0, dy=0.0, ymin=45.0)
    assert check(path, HEIGHTS).cell is None


def test_upper_case_names(save, tmp_path):
    path = save("a.npy", HEIGHTS)
    (tmp_path / "a.npy").rename(tmp_path / "A.NPY")
    check(path.replace("a.npy", "A.NPY"), HEIGHTS)


def test_grey_images(save):
    for name, mode in (("a.png", "L"), ("b.tif", "F"), ("c.tif", "I"), ("d.bmp", "L")):
        image = Image.fromarray(HEIGHTS.astype({"L": "u1", "F": "f4", "I": "i4"}[mode]))
        assert image.mode == mode
        check(save(name, image), HEIGHTS)
    check(save("e.png", Image.fromarray((HEIGHTS * 5000).astype("u2"))), HEIGHTS * 5000)
    check(save("f.png", Image.fromarray(HEIGHTS > 5)), HEIGHTS > 5)


def test_colour_images_are_taken_by_luminance(save):
    colours = np.zeros((1, 4, 3), "u1")
    colours[0, 0], colours[0, 1], colours[0, 2], colours[0, 3] = 255, (255, 0, 0), (0, 255, 0), 0
    image = Image.fromarray(colours)
    expected = np.float32([[255, 0.299 * 255, 0.587 * 255, 0]])
    found = np.asarray(loading.load(save("a.png", image)).heights)
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    found = np.asarray(loading.load(save("a.npy", colours)).heights)
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    found = np.asarray(loading.load(save("b.png", image.quantize(4))).heights)
    np.testing.assert_allclose(found, expected, atol=1)


def test_transparent_pixels_have_no_height(save):
    pixels = np.full((1, 2, 4), 255, "u1")
    pixels[0, 1, 3] = 0
    check(save("a.png", Image.fromarray(pixels)), np.float32([[255, np.nan]]))


def test_planes_with_a_third_axis(save):
    check(save("a.npy", HEIGHTS[..., None]), HEIGHTS)
    with_alpha = np.ones((2, 2, 4))
    check(save("b.npy", with_alpha), np.ones((2, 2)))


def test_what_stands_for_no_height(save):
    values = HEIGHTS.copy()
    values[0] = np.nan, np.inf, -np.inf, -9999
    expected = values.copy()
    expected[0, 1:3] = np.nan
    path = save("a.npy", values)
    check(path, expected)
    expected[0, 3] = np.nan
    check(path, expected, nodata=-9999.0)
    check(save("b.npy", np.int16([[-32768, 5]])), np.float32([[np.nan, 5]]), nodata=-32768.0)


# Bad files.


def refused(path, *says, **options):
    with pytest.raises(UsageError) as info:
        loading.load(path, **options)
    message = str(info.value)
    assert "\n" not in message
    for part in says:
        assert part in message


def test_missing(tmp_path):
    for name in ("a.npy", "a.npz", "a.png", "a"):
        refused(str(tmp_path / name), "there is no file", name)


def test_a_folder(tmp_path):
    refused(str(tmp_path), "is a folder, not a file")
    (tmp_path / "a.npy").mkdir()
    refused(str(tmp_path / "a.npy"), "is a folder, not a file")


def test_not_readable(save, monkeypatch):
    path = save("a.npy", HEIGHTS)

    def deny(*args, **kwargs):
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(np, "load", deny)
    refused(path, "cannot be read: Permission denied")


@pytest.mark.parametrize("name", ["a.npy", "a.npz", "a.png", "a.txt", "a"])
@pytest.mark.parametrize("content", [b"", b"rubbish " * 50, b"\x89PNG\r\n\x1a\n", b"PK\x03\x04"])
def test_rubbish(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    refused(str(path), name)


@pytest.mark.parametrize("name", ["a.npy", "a.npz", "a.png"])
def test_truncated(save, tmp_path, name):
    noise = np.random.default_rng(1).integers(0, 256, (64, 64), "u1")
    save(name, Image.fromarray(noise) if name == "a.png" else noise, elevation=noise)
    whole = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(whole[: len(whole) // 2])
    refused(str(tmp_path / name), name, "cannot be read")


@pytest.mark.parametrize(
    ("values", "says"),
    [
        (np.arange(5.0), "(5,)"),
        (np.float64(5), "()"),
        (np.ones((2, 2, 2)), "(2, 2, 2)"),
        (np.ones((1, 1, 1, 3)), "(1, 1, 1, 3)"),
        (np.ones((0, 5)), "is empty"),
        (np.ones((2, 2), complex), "complex128"),
        (np.array([["a", "b"]]), "<U1"),
        (np.zeros((2, 2), "datetime64[s]"), "datetime64"),
        (np.zeros((2, 2), [("a", "f4")]), "heights are real numbers"),
        (np.full((2, 2), np.nan), "no finite heights"),
    ],
    ids=lambda v: "",
)
def test_no_heights(save, values, says):
    refused(save("a.npy", values), "a.npy", says)


def test_no_height_is_left(save):
    refused(save("a.npy", np.zeros((2, 2))), "no finite heights", nodata=0.0)


def test_objects_are_not_unpickled(save):
    refused(save("a.npy", np.array([[object()]])), "cannot be read")


def test_text_and_objects_under_a_wrong_name(save, tmp_path):
    """NumPy's advice to unpickle is not passed on."""
    (tmp_path / "a.npy").write_text("1 2 3\n")
    refused(str(tmp_path / "a.npy"), "does not begin as a .npy file", "np.save")
    path = save("b.npy", np.array([[None]]))
    with pytest.raises(UsageError, match="holds Python objects") as info:
        loading.load(path)
    assert "pickle" not in str(info.value)


@pytest.mark.parametrize("factor", [1e-300, 1e300])
def test_heights_that_float32_cannot_hold(save, factor):
    refused(save("a.npy", (HEIGHTS + 1) * factor), "float32", "scale or shift")


def test_heights_that_float32_cannot_tell_apart(save):
    refused(save("a.npy", 1e9 + HEIGHTS), "1e+09 to 1e+09", "the same in float32")
    check(save("b.npy", np.full((3, 4), 1e9)), np.full((3, 4), 1e9))


def test_a_huge_value_that_stands_for_no_height(save):
    values = HEIGHTS.copy()
    values[0, 0] = -np.finfo(np.float64).max
    expected = HEIGHTS.copy()
    expected[0, 0] = np.nan
    check(save("a.npy", values), expected)


def test_npz_without_a_plane(save):
    refused(save("a.npz", None, x=np.ones(3)), "no array of two dimensions (x (3,))")
    refused(save("b.npz", None), "no array of two dimensions (nothing)")


def test_a_picture_that_is_a_bomb(save, monkeypatch):
    path = save("a.png", Image.new("L", (100, 100)))
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 1000)
    refused(path, "too large for an image")


@pytest.mark.parametrize(("missing", "file"), [("matplotlib", None), ("PIL", "a.png")])
def test_packages_that_are_missing(save, monkeypatch, missing, file):
    path = file and save(file, Image.new("L", (2, 2)))
    monkeypatch.setitem(sys.modules, missing, None)
    refused(path, "not installed", "pip install 'sharedarray-xp[demo]'")


# Averaging what is larger than wanted.


def test_pool():
    terrain = loading.Terrain("x", xp.asarray(np.float32(np.arange(48).reshape(6, 8))), (2.0, 3.0))
    assert loading.pool(terrain, 8) is terrain
    assert loading.pool(terrain, 5) is terrain
    half = loading.pool(terrain, 4)
    assert half.cell == (4.0, 6.0)
    expected = np.asarray(terrain.heights).reshape(3, 2, 4, 2).mean((1, 3))
    np.testing.assert_array_equal(np.asarray(half.heights), expected)
    assert loading.pool(terrain, 3).heights.shape == (3, 4)
    flat = loading.Terrain("x", xp.asarray(np.ones((1, 9), "f4")), None)
    assert loading.pool(flat, 2).heights.shape == (1, 2)
