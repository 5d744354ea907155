"""Where arrays are made: `device=`, the device in force, and what came from elsewhere."""

import asyncio
import threading

import numpy as np
import pytest

import sharedarray as xp
from sharedarray import _device
from tests.examples import test_numeric
from tests.swap_in import compare

from .compare import ON_CARD, SECOND, same, two
from .test_functions import FUNCTIONS

MAKERS = {
    "arange": lambda **k: xp.arange(2, 8, 2, **k),
    "empty": lambda **k: xp.zeros_like(xp.empty((2, 3), **k)),
    "empty_like": lambda **k: xp.empty_like([1, 2], **k) * 0,
    "eye": lambda **k: xp.eye(2, 3, k=1, dtype=xp.int8, **k),
    "full": lambda **k: xp.full((2,), 7, **k),
    "full_like": lambda **k: xp.full_like([1.0, 2.0], 5, **k),
    "linspace": lambda **k: xp.linspace(0, 1, 5, endpoint=False, **k),
    "ones": lambda **k: xp.ones(3, dtype=xp.complex64, **k),
    "ones_like": lambda **k: xp.ones_like([1, 2], **k),
    "zeros": lambda **k: xp.zeros((2, 2), order="F", **k),
    "zeros_like": lambda **k: xp.zeros_like([1, 2], **k),
    "asarray": lambda **k: xp.asarray([[1, 2], [3, 4]], **k),
    "asarray of a scalar": lambda **k: xp.asarray(3.5, **k),
    "asarray of ndarray": lambda **k: xp.asarray(np.arange(3), **k),
    "asarray with dtype": lambda **k: xp.asarray([1, 2], dtype=xp.float32, **k),
    "fftfreq": lambda **k: xp.fft.fftfreq(5, d=0.5, **k),
    "rfftfreq": lambda **k: xp.fft.rfftfreq(5, **k),
}
NUMPYS = {
    "array": lambda: xp.array([1, 2]),
    "array of ndarray": lambda: xp.array(np.ones(2), ndmin=2),
    "identity": lambda: xp.identity(3),
    "tri": lambda: xp.tri(3),
    "logspace": lambda: xp.logspace(0, 2, 3),
    "geomspace": lambda: xp.geomspace(1, 8, 4),
    "indices": lambda: xp.indices((2, 2)),
    "bartlett": lambda: xp.bartlett(5),
    "blackman": lambda: xp.blackman(5),
    "hamming": lambda: xp.hamming(5),
    "hanning": lambda: xp.hanning(4),
    "kaiser": lambda: xp.kaiser(5, 14.0),
    "diag_indices": lambda: xp.diag_indices(3),
    "tril_indices": lambda: xp.tril_indices(3),
    "triu_indices": lambda: xp.triu_indices(3, k=1),
    "fromfunction": lambda: xp.fromfunction(lambda i, j: i + 2 * j, (2, 3)),
    "fromiter": lambda: xp.fromiter(iter([1, 2, 3]), dtype=int),
    "fromstring": lambda: xp.fromstring("1 2 3", sep=" "),
}
#: Tried elsewhere, or above under a name of their own.
TRIED = {"astype", "fft.fftfreq", "fft.rfftfreq"}


def test_every_function_that_creates_is_tried():
    creating = {name for name, function in FUNCTIONS.items() if function._creates}
    assert len(creating) > 20
    assert creating - {*MAKERS, *NUMPYS, *TRIED} == set()


@pytest.mark.parametrize("name", sorted(MAKERS))
def test_device_argument(name):
    make = MAKERS[name]
    here = make()
    assert here.device == "cpu"
    same(make(device="cuda:0"), here)
    same(make(device=xp.Device(SECOND)), here, SECOND)
    with xp.Device(SECOND):
        same(make(), here, SECOND)
        same(make(device="cuda:0"), here, "cuda:0")
        same(make(device=None), here, SECOND)
        assert make(device="cpu").device == "cpu"
        with xp.Device("cpu"):
            assert make().device == "cpu"
    assert make().device == "cpu"


@pytest.mark.parametrize("name", sorted(NUMPYS))
def test_device_in_force(name):
    if ON_CARD and name == "geomspace":
        pytest.skip("CuPy has no geomspace")
    here = NUMPYS[name]()
    with xp.Device(SECOND):
        same(NUMPYS[name](), here, SECOND)


def test_device_by_position():
    same(xp.fft.fftfreq(4, 1.0, "cuda:0"), xp.fft.fftfreq(4))


def test_cuda_means_the_device_in_force():
    assert xp.zeros(1, device="cuda").device == "cuda:0"
    with xp.Device(SECOND):
        assert xp.zeros(1, device="cuda").device == SECOND
    assert xp.zeros(2).cuda().device == "cuda:0"
    assert xp.zeros(2).cuda(xp.Device(SECOND).index).device == SECOND


def test_devices_that_do_not_exist():
    for make in (
        lambda: xp.zeros(2, device="cuda:9"),
        lambda: xp.asarray([1], device="cuda:9"),
        lambda: xp.zeros(2).to_device("cuda:9"),
        lambda: xp.Device("cuda:9").__enter__(),
    ):
        with pytest.raises(xp.DeviceError, match="asked for cuda:9"):
            make()


def test_like_another_array():
    there = xp.ones((2, 2), device=SECOND)
    here = xp.ones((2, 2))
    with xp.Device("cuda:0"):
        assert xp.zeros_like(there).device == SECOND
        assert xp.zeros_like(here).device == "cpu"
    assert xp.zeros_like(there, device="cuda:0").device == "cuda:0"
    assert xp.zeros_like(there, device="cpu").device == "cpu"
    assert xp.zeros_like(here, device=SECOND).device == SECOND
    with xp.Device("cuda:0"):
        assert xp.zeros_like([here, here]).device == "cuda:0"
    assert xp.full(3, there[0, 0]).device == SECOND
    assert xp.linspace(there[0, 0], 3, 4).device == SECOND
    assert xp.astype(there, xp.int8, device="cuda:0").tolist() == [[1, 1], [1, 1]]
    assert xp.astype(there, xp.int8, device="cpu").device == "cpu"
    assert xp.astype(here, xp.int8, device="cuda:0").device == "cuda:0"


@two
def test_threads_and_tasks_have_devices_of_their_own():
    found = {}

    def work(name):
        with xp.Device(name):
            barrier.wait()
            found[name] = xp.zeros(2).device

    barrier = threading.Barrier(2)
    threads = [threading.Thread(target=work, args=(f"cuda:{i}",)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {"cuda:0": xp.Device("cuda:0"), SECOND: xp.Device(SECOND)}

    async def task(name):
        with xp.Device(name):
            await asyncio.sleep(0)
            return xp.ones(1).device

    async def both():
        return await asyncio.gather(task("cuda:0"), task(SECOND))

    assert asyncio.run(both()) == ["cuda:0", SECOND]
    assert xp.zeros(1).device == "cpu"


def test_the_device_comes_back_after_an_exception():
    with pytest.raises(ZeroDivisionError), xp.Device(SECOND):
        1 / 0
    assert xp.zeros(1).device == "cpu"


class TestAsarray:
    def test_an_array_stays_what_and_where_it_is(self):
        x = xp.ones(2, device=SECOND)
        with xp.Device("cuda:0"):
            assert xp.asarray(x) is x
            assert xp.array(x, copy=None) is x
        assert xp.asarray(x, device=SECOND) is x
        here = xp.ones(2)
        with xp.Device("cuda:0"):
            assert xp.asarray(here) is here

    @two
    def test_copy(self):
        x = xp.ones(2, device=SECOND)
        y = xp.asarray(x, copy=True)
        y[0] = 5
        assert x.tolist() == [1.0, 1.0]
        assert y.device == SECOND
        assert xp.asarray(x, copy=False) is x
        for make in (
            lambda: xp.asarray(x, device="cpu", copy=False),
            lambda: xp.asarray(x, device="cuda:0", copy=False),
            lambda: xp.asarray(x, dtype=xp.int8, copy=False),
            lambda: xp.asarray(xp.ones((2, 2), device="cuda:0"), order="F", copy=False),
            lambda: xp.asarray(xp.ones(2), device="cuda:0", copy=False),
            lambda: xp.asarray(np.ones(2), device="cuda:0", copy=False),
            lambda: xp.asarray([1, 2], device="cuda:0", copy=False),
        ):
            with pytest.raises(ValueError, match="copy=False"):
                make()

    def test_moves_and_converts(self):
        x = xp.asarray([1.5, 2.5], device="cuda:0")
        assert xp.asarray(x, device="cpu").tolist() == [1.5, 2.5]
        assert xp.asarray(x, dtype=xp.int8).tolist() == [1, 2]
        assert xp.asarray(x, dtype=xp.int8, device=SECOND).device == SECOND
        f = xp.asarray(xp.ones((2, 3), device="cuda:0"), order="F")
        assert f.flags.f_contiguous
        assert f.to_device("cpu").flags.f_contiguous

    def test_lists_of_arrays(self):
        x = xp.asarray([1.0, 2.0], device=SECOND)
        for made in (xp.asarray([x[0], x[1]]), xp.asarray([x, x])[0], xp.array([x[0], 2.0])):
            assert made.device == SECOND
            assert made.tolist() == [1.0, 2.0]
        with xp.Device("cuda:0"):
            assert xp.asarray([x[0], x[1]]).device == SECOND
            assert xp.asarray([x[0], x[1]], device="cuda:0").device == "cuda:0"
        assert xp.asarray([x[0], x[1]], device="cpu").device == "cpu"

    def test_what_holds_objects_is_refused(self):
        for value in ([object()], ["a"]):
            with pytest.raises(TypeError):
                xp.asarray(value, device="cuda:0")


OPERATIONS = [
    lambda x, y: x + y,
    lambda x, y: y + x,
    lambda x, y: x == y,
    lambda x, y: y < x,
    lambda x, y: x @ y,
    lambda x, y: xp.add(x, y),
    lambda x, y: xp.add(y, x),
    lambda x, y: xp.concat([x, y]),
    lambda x, y: xp.stack((y, x)),
    lambda x, y: xp.where(x > 0, x, y),
    lambda x, y: xp.add(x, 1, out=y),
    lambda x, y: xp.add(x, 1, where=y > 0),
    lambda x, y: xp.einsum("i,i->", x, y),
    lambda x, y: x.dot(y),
    lambda x, y: x.clip(y),
    lambda x, y: x.__iadd__(y),
    lambda x, y: x.__setitem__(0, y),
    lambda x, y: x.__setitem__(slice(None), y),
]


class TestMixing:
    """Arrays of several devices in one operation, and NumPy's arrays with ours."""

    @pytest.mark.parametrize("number", range(len(OPERATIONS)))
    def test_two_devices(self, number):
        operation = OPERATIONS[number]
        for other in ("cpu", "cuda:1")[: _device.count()]:
            x, y = xp.ones(2, device="cuda:0"), xp.ones(2, device=other)
            with pytest.raises(ValueError, match=f"({other}.*cuda:0|cuda:0.*{other})"):
                operation(x, y)
            assert (x.tolist(), y.tolist()) == ([1.0, 1.0], [1.0, 1.0])

    def test_a_number_as_an_array_of_the_cpu_is_told_to_become_a_number(self):
        x, root = xp.ones(2, device="cuda:0"), xp.sqrt(4.0)
        for use in (lambda: x * root, lambda: root * x):
            with pytest.raises(ValueError, match=r"numbers, as of x\.item\(\)"):
                use()
        assert (x * root.item()).tolist() == [2.0, 2.0]

    @two
    def test_indices_of_another_device(self):
        x, here = xp.ones(2, device="cuda:0"), xp.ones(2)
        for use in (
            lambda: x[xp.asarray([0, 1])],
            lambda: x[xp.asarray([0, 1], device=SECOND)],
            lambda: here[xp.asarray([0, 1], device="cuda:0")],
            lambda: here.__setitem__(slice(None), x),
            lambda: here.__iadd__(x),
            lambda: here.sum(out=x),
            lambda: here.dot(x),
        ):
            with pytest.raises(ValueError, match="cuda:0"):
                use()
        assert here.tolist() == [1.0, 1.0]

    @pytest.mark.parametrize("number", [n for n in range(len(OPERATIONS)) if n not in (3, 11)])
    def test_numpy_arrays(self, number):
        operation = OPERATIONS[number]
        x, a = xp.ones(2, device="cuda:0"), np.ones(2)
        with pytest.raises(TypeError, match=r"sharedarray\.asarray\(\.\.\., device='cuda:0'\)"):
            operation(x, a)
        assert (x.tolist(), a.tolist()) == ([1.0, 1.0], [1.0, 1.0])

    def test_numpys_protocols(self):
        x, a = xp.ones(2, device="cuda:0"), np.ones(2)
        for use in (
            lambda: np.sin(x),
            lambda: np.mean(x),
            lambda: np.add(x, a),
            lambda: np.add(a, x, out=a),
            lambda: np.concatenate([x, x]),
            lambda: a.__iadd__(x),
            lambda: np.add.reduce(x),
            lambda: a < x,
        ):
            with pytest.raises(TypeError, match=r"asarray\(\.\.\., device='cuda:0'\)"):
                use()

    def test_numpys_scalars_are_fine(self):
        x = xp.ones(2, dtype=xp.float32, device="cuda:0")
        assert (np.float64(2) * x).dtype == np.float64
        assert (x * np.float32(2)).dtype == np.float32
        assert (np.int8(1) + x).tolist() == [2.0, 2.0]
        assert (np.float32(0) < x).tolist() == [True, True]


@pytest.mark.parametrize(
    "call",
    [
        lambda: xp.sqrt(2.0),
        lambda: xp.max([1, 2, 3]),
        lambda: xp.mgrid[0:2, 0:3],
        lambda: xp.r_[0:3, 5],
        lambda: xp.sum(np.ones(3)),
        lambda: xp.divmod(7, [2, 3]),
        lambda: xp.stack([[1, 2], [3, 4]]),
    ],
)
def test_numbers_and_lists_make_arrays_on_the_device_in_force(call):
    with xp.Device(SECOND):
        there = call()
    same(there, call(), SECOND)


def test_what_is_no_array_stays_what_it_is_in_force():
    with xp.Device("cuda:0"):
        assert xp.broadcast_shapes((2, 1), (3,)) == (2, 3)
        assert xp.result_type(xp.int8, xp.float32) == xp.float32
        assert xp.sqrt(xp.ones(2, device="cpu")).device == "cpu"
        assert (xp.ones(2) * xp.sqrt(4.0)).tolist() == [2.0, 2.0]


@pytest.mark.skipif(ON_CARD, reason="CuPy lacks some of what the programs call")
@pytest.mark.parametrize(
    "path",
    [path for path in test_numeric.PATHS if path.stem != "black_scholes"],  # it calls vectorize
    ids=lambda path: path.stem,
)
def test_the_numeric_examples_run_in_a_device_context(path):
    run = test_numeric.loaded(path).run
    found = []

    def brought(result):
        if isinstance(result, xp.Array):
            found.append(result.device)
            return result.to_device("cpu")
        if isinstance(result, (list, tuple)):
            return type(result)(map(brought, result))
        if isinstance(result, dict):
            return {key: brought(value) for key, value in result.items()}
        return result

    with xp.Device("cuda:0"):
        there = run(xp)
    assert list(compare.faults(brought(there), run(np))) == []
    assert set(found) == {xp.Device("cuda:0")}
