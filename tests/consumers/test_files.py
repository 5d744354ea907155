"""Files, copies and streams: ``np.save``, ``np.load``, ``copy``, ``pickle`` and ``io``."""

import array
import copy
import gzip
import io
import json
import mmap
import pickle
import struct
import zipfile

import numpy as np
import pytest
import scipy.io

import sharedarray as xp

from .common import check, rng

M = rng().standard_normal((5, 4))
DTYPES = ["bool", "int8", "uint64", "float16", "float32", "complex128", "U5", "S3", "datetime64[s]"]


def sample(dtype):
    """Return an ndarray of the dtype."""
    return np.arange(6).reshape(2, 3).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_save_and_load(tmp_path, dtype):
    x = xp.asarray(sample(dtype))
    for module in (np, xp):
        module.save(tmp_path / "x.npy", x)
        back = module.load(tmp_path / "x.npy")
        assert type(back) is (np.ndarray if module is np else xp.Array)
        assert back.dtype == x.dtype
        assert back.tolist() == x.tolist()
    assert back.is_shared()


def test_the_file_is_numpys(tmp_path):
    written = {}
    for name, value in (("ours", xp.asarray(M)), ("theirs", M)):
        np.save(tmp_path / name, value)
        written[name] = (tmp_path / f"{name}.npy").read_bytes()
    assert written["ours"] == written["theirs"]


@pytest.mark.parametrize("view", [np.s_[::2], np.s_[:, 1], np.s_[::-1, ::-1]])
def test_views(tmp_path, view):
    np.save(tmp_path / "x.npy", xp.asarray(M)[view])
    np.testing.assert_array_equal(np.load(tmp_path / "x.npy"), M[view])
    np.save(tmp_path / "x.npy", xp.asarray(M).T)
    np.testing.assert_array_equal(np.load(tmp_path / "x.npy"), M.T)


@pytest.mark.parametrize("save", ["savez", "savez_compressed"])
def test_archives(tmp_path, save):
    getattr(np, save)(tmp_path / "x.npz", a=xp.asarray(M), b=xp.arange(3))
    with np.load(tmp_path / "x.npz") as found:
        np.testing.assert_array_equal(found["a"], M)
        assert found["b"].tolist() == [0, 1, 2]


def test_load_into_shared_memory(tmp_path):
    """What is read inside ``capture_numpy`` is adopted, not copied."""
    np.save(tmp_path / "x.npy", M)
    with xp.capture_numpy():
        read = np.load(tmp_path / "x.npy")
    x = xp.asarray(read)
    assert x.is_shared()
    assert np.shares_memory(x.numpy(), read)
    mapped = xp.asarray(np.load(tmp_path / "x.npy", mmap_mode="r"))
    check(mapped, M)


def test_text(tmp_path):
    np.savetxt(tmp_path / "x.txt", xp.asarray(M))
    np.testing.assert_allclose(np.loadtxt(tmp_path / "x.txt"), M)


def test_streams():
    x = xp.asarray(M)
    stream = io.BytesIO()
    stream.write(x)
    assert stream.getvalue() == M.tobytes()
    y = xp.zeros((5, 4))
    assert io.BytesIO(M.tobytes()).readinto(y) == M.nbytes
    check(y, M)
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb") as file:
        file.write(x)
    assert gzip.decompress(packed.getvalue()) == M.tobytes()
    np.save(stream := io.BytesIO(), x)
    stream.seek(0)
    np.testing.assert_array_equal(np.load(stream), M)
    with zipfile.ZipFile(io.BytesIO(), "w") as archive:
        archive.writestr("x", x.tobytes())
        assert archive.read("x") == M.tobytes()


def test_files_on_disk(tmp_path):
    x = xp.asarray(M)
    with open(tmp_path / "x", "wb", buffering=0) as file:
        assert file.write(x) == M.nbytes
    y = xp.empty((5, 4))
    with open(tmp_path / "x", "rb", buffering=0) as file:
        assert file.readinto(y) == M.nbytes
    check(y, M)
    x.tofile(tmp_path / "y")
    check(xp.fromfile(tmp_path / "y").reshape(5, 4), M)
    with open(tmp_path / "y", "r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
        borrowed = xp.frombuffer(mapped)
        assert borrowed.sum() == x.sum() or abs(float(borrowed.sum() - x.sum())) < 1e-12
        borrowed[0] = 7
        del borrowed
        assert struct.unpack_from("d", mapped)[0] == 7


def test_matlab_files(tmp_path):
    scipy.io.savemat(tmp_path / "x.mat", {"x": xp.asarray(M)})
    np.testing.assert_array_equal(scipy.io.loadmat(tmp_path / "x.mat")["x"], M)
    scipy.io.wavfile.write(tmp_path / "x.wav", 8000, xp.arange(8, dtype=xp.int16))
    assert scipy.io.wavfile.read(tmp_path / "x.wav")[1].tolist() == list(range(8))


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, np.copy, xp.copy])
def test_copies(duplicate):
    x = xp.asarray(M)
    y = duplicate(x)
    check(y if isinstance(y, xp.Array) else xp.asarray(y), M)
    y[0, 0] = 9.0
    assert x[0, 0] == M[0, 0]
    with xp.memory("private"):
        assert not copy.deepcopy(x).is_shared()


def test_deepcopy_of_what_holds_arrays():
    """What is one array in the original is one in the copy."""
    x = xp.asarray(M)
    held = copy.deepcopy({"a": x, "b": [x, x]})
    assert held["a"] is held["b"][0] is held["b"][1]
    assert held["a"] is not x
    check(held["a"], M)


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickle(tmp_path, protocol):
    path = tmp_path / "x.pickle"
    path.write_bytes(pickle.dumps({"x": xp.asarray(M)}, protocol))
    found = pickle.loads(path.read_bytes())["x"]
    check(found, M)
    found += 1


def test_pickle_out_of_band():
    buffers = []
    x = xp.asarray(M)
    text = pickle.dumps(x, 5, buffer_callback=buffers.append)
    assert [buffer.raw().nbytes for buffer in buffers] == [M.nbytes]
    assert len(text) < M.nbytes + 300
    check(pickle.loads(text, buffers=[bytearray(buffers[0])]), M)


def test_standard_library():
    x = xp.asarray([1.0, 2.0])
    assert array.array("d", x).tolist() == [1.0, 2.0]
    assert bytes(x) == struct.pack("2d", 1.0, 2.0)
    assert json.dumps(x.tolist()) == "[1.0, 2.0]"
    assert sum(x) == 3.0
    assert max(x) == 2.0
    assert sorted(x, reverse=True)[0] == 2.0
    first, second = x
    assert (float(first), float(second)) == (1.0, 2.0)
    assert "".join(f"{value:.1f} " for value in x) == "1.0 2.0 "
