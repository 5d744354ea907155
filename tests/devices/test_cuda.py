"""xp.cuda, and what exists: without a driver, with cards, and asking the driver itself."""

import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import textwrap
import threading

import pytest

import sharedarray as xp
from sharedarray import _backends, _devices, _driver

# A driver of so many devices; notes each process that calls cuInit, which forbids it to fork.
DRIVER = r"""
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int ready;
static int number(const char *name) { const char *t = getenv(name); return t ? atoi(t) : 0; }
int cuInit(unsigned flags) {
    FILE *f = fopen(getenv("DRIVER_LOG"), "a");
    fprintf(f, "%d\n", (int)getpid());
    fclose(f);
    if (number("DRIVER_CRASH")) abort();
    if (number("DRIVER_HANG")) sleep(60);
    if (number("DRIVER_ERROR")) return number("DRIVER_ERROR");
    ready = 1;
    return 0;
}
int cuDeviceGetCount(int *n) {
    if (!ready) return 3;
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    *n = visible ? (*visible ? 1 : 0) : number("DRIVER_COUNT");
    return *n ? 0 : 100;
}
int cuDriverGetVersion(int *v) {
    *v = number("DRIVER_VERSION") ? number("DRIVER_VERSION") : 12090;
    return 0;
}
int cuGetErrorName(int rc, const char **name) { *name = "CUDA_ERROR_OF_A_KIND"; return 0; }
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """A folder with a ``libcuda.so.1``."""
    folder = tmp_path_factory.mktemp("driver")
    (folder / "driver.c").write_text(DRIVER)
    compiler = os.environ.get("CC") or shutil.which("cc") or "gcc"
    target = str(folder / "libcuda.so.1")
    subprocess.run(
        [*compiler.split(), "-shared", "-fPIC", "-o", target, str(folder / "driver.c")], check=True
    )
    return folder


@pytest.fixture
def ask(library, tmp_path):
    """Run Python statements on a machine with that driver; give its lines and the log."""
    log = tmp_path / "log"
    log.touch()

    def run(code, **environment):
        clean = {k: v for k, v in os.environ.items() if not k.startswith("CUDA_")}
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(code)],
            env={
                **clean,
                "LD_LIBRARY_PATH": str(library),
                "DRIVER_LOG": str(log),
                "DRIVER_COUNT": "2",
                **environment,
            },
            cwd=pathlib.Path(xp.__file__).parents[1],
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        return done.stdout.splitlines(), log.read_text().split()

    return run


# Without a driver.


@pytest.mark.usefixtures("no_driver")
class TestWithoutDriver:
    def test_queries(self):
        assert xp.cuda.is_available() is False
        assert xp.cuda.device_count() == 0
        assert _driver.query() == (0, None, "no NVIDIA driver")

    @pytest.mark.parametrize(
        "call",
        [
            xp.cuda.current_device,
            xp.cuda.synchronize,
            xp.cuda.memory_summary,
            lambda: xp.cuda.set_device(0),
            lambda: xp.cuda.set_device("cuda:0"),
            lambda: xp.cuda.synchronize(0),
            lambda: xp.cuda.memory_summary("cuda:0"),
            lambda: xp.Device("cuda:0").__enter__(),
            lambda: xp.Device("cuda").__enter__(),
            lambda: xp.zeros(3, device="cuda:0"),
            lambda: xp.asarray([1, 2], device=xp.Device("cuda")),
            lambda: xp.ones(3).to_device("cuda:0"),
            lambda: xp.ones(3).cuda(0),
            lambda: xp.Storage(10, "cuda:0"),
        ],
    )
    def test_everything_else_says_why(self, call):
        with pytest.raises(xp.DeviceError, match=r"no NVIDIA driver, asked for cuda:0.*'cpu'"):
            call()
        assert issubclass(xp.DeviceError, RuntimeError)
        assert _devices.default() == "cpu"

    def test_naming_a_device_needs_no_driver(self):
        assert xp.Device("cuda:5").index == 5

    def test_malformed_before_missing(self):
        with pytest.raises(ValueError, match="'cpu', 'cuda' or"):
            xp.zeros(3, device="cpu:0")
        with pytest.raises(TypeError, match="a device is a string"):
            xp.zeros(3, device=0)


# With cards.


def test_queries_with_cards(two_cards):
    assert xp.cuda.is_available() is True
    assert xp.cuda.device_count() == 2
    assert xp.cuda.current_device() == 0
    assert xp.cuda.memory_summary() == "cuda:0: all free"
    assert xp.cuda.memory_summary(1) == "cuda:1: all free"
    xp.cuda.synchronize()
    xp.cuda.synchronize("cuda:1")
    with xp.Device("cuda:1"):
        xp.cuda.synchronize()
        assert xp.cuda.current_device() == 1
    assert two_cards.waited == [0, 1, 1]


def test_set_device_says_what_cuda_means(two_cards):
    def chosen():
        return str(xp.Device("cuda")), xp.cuda.current_device(), str(_devices.default())

    def elsewhere():
        for device in (1, "cuda:0", xp.Device("cuda:1")):
            xp.cuda.set_device(device)
            yield chosen()
        with xp.Device("cuda:0"):
            yield chosen()
            xp.cuda.set_device(1)
            yield chosen()
        with xp.Device("cuda:0"):
            xp.cuda.set_device(1)
        yield chosen()

    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        found = pool.submit(lambda: list(elsewhere())).result()
    assert found == [
        ("cuda:1", 1, "cpu"),
        ("cuda:0", 0, "cpu"),
        ("cuda:1", 1, "cpu"),
        ("cuda:0", 0, "cuda:0"),
        ("cuda:1", 1, "cuda:0"),
        ("cuda:1", 1, "cpu"),
    ]
    assert chosen() == ("cuda:0", 0, "cpu")  # it was another thread's choice


@pytest.mark.parametrize("call", [xp.cuda.set_device, xp.cuda.synchronize, xp.cuda.memory_summary])
def test_arguments(call, two_cards):
    for missing in (2, "cuda:2", xp.Device("cuda:2")):
        with pytest.raises(xp.DeviceError, match="2 devices, asked for cuda:2"):
            call(missing)
    for malformed in (-1, "cuda:-1", "cpu", xp.Device("cpu"), "gpu"):
        with pytest.raises(ValueError, match=r"not negative|a CUDA device is needed|'cuda:N'"):
            call(malformed)
    for wrong in (1.0, True, [0]):
        with pytest.raises(TypeError, match="an index, a string or a Device"):
            call(wrong)
    assert xp.cuda.current_device() == 0


def test_one_device_is_singular(monkeypatch):
    monkeypatch.setattr(_driver, "query", lambda: _driver.Driver(1, (13, 0), ""))
    with pytest.raises(xp.DeviceError, match=r"^1 device, asked for cuda:1; the last"):
        xp.Device("cuda:1").__enter__()


def test_cards_that_this_version_cannot_use(cards_without_backend):
    assert xp.cuda.is_available() is False
    assert xp.cuda.device_count() == 0
    with pytest.raises(xp.DeviceError, match="2 devices, asked for cuda:1, but this version"):
        xp.Device("cuda:1").__enter__()
    with pytest.raises(xp.DeviceError, match="2 devices, asked for cuda:7"):
        xp.Device("cuda:7").__enter__()


# The driver itself.

QUERY = "from sharedarray import _driver; print(*_driver.query(), sep='|')"


def test_the_driver_is_asked_by_another_process_once(ask):
    lines, log = ask(
        """
        import os
        from sharedarray import _driver
        import sharedarray as xp
        for _ in range(3):
            print(_driver.query().devices, os.getpid())
            xp.cuda.is_available(), xp.cuda.device_count()
        """
    )
    assert [line.split()[0] for line in lines] == ["2", "2", "2"]
    assert len(log) == 1
    assert log[0] != lines[0].split()[1]


def test_importing_and_computing_ask_nothing(ask):
    _, log = ask(
        """
        import sharedarray as xp
        with xp.Device("cpu"), xp.device_of(xp.ones(3)):
            xp.sum(xp.ones(3)), xp.Device("cuda:1")
        """
    )
    assert log == []


def test_a_process_that_uses_cuda_asks_its_own_driver(ask):
    lines, log = ask(
        """
        import ctypes, os
        from sharedarray import _driver
        ctypes.CDLL("libcuda.so.1").cuInit(0)
        print(_driver.query(), os.getpid(), sep="|")
        """
    )
    assert lines[0].startswith("Driver(devices=2, version=(12, 9), reason='')|")
    assert log == [lines[0].split("|")[1]]


def test_visible_devices_are_the_drivers_business(ask):
    assert ask(QUERY)[0] == ["2|(12, 9)|"]
    assert ask(QUERY, CUDA_VISIBLE_DEVICES="1")[0] == ["1|(12, 9)|"]
    hidden = "0|(12, 9)|the NVIDIA driver sees no device (CUDA_VISIBLE_DEVICES='')"
    assert ask(QUERY, CUDA_VISIBLE_DEVICES="")[0] == [hidden]


def test_visible_devices_may_change(ask):
    lines, log = ask(
        """
        import os
        from sharedarray import _driver
        for visible in ("0", "", "0", ""):
            os.environ["CUDA_VISIBLE_DEVICES"] = visible
            print(_driver.query().devices)
        """
    )
    assert lines == ["1", "0", "1", "0"]
    assert len(log) == 2


@pytest.mark.parametrize(
    ("environment", "reason"),
    [
        ({"DRIVER_ERROR": "100"}, "the NVIDIA driver sees no device"),
        (
            {"DRIVER_ERROR": "803"},
            "the NVIDIA driver cannot be used: CUDA_ERROR_OF_A_KIND (803)",
        ),
        ({"DRIVER_CRASH": "1"}, "the NVIDIA driver failed: exit status -6"),
    ],
)
def test_a_driver_that_fails(ask, environment, reason):
    lines, _ = ask(
        """
        import sharedarray as xp
        assert xp.cuda.device_count() == 0
        try:
            xp.cuda.synchronize()
        except xp.DeviceError as error:
            print(error)
        """,
        **environment,
    )
    assert lines == [f"{reason}, asked for cuda:0; the device 'cpu' is always there"]


def test_a_driver_that_hangs(ask):
    lines, _ = ask(
        "from sharedarray import _driver; _driver.TIMEOUT = 0.5; print(_driver.query().reason)",
        DRIVER_HANG="1",
    )
    assert lines == ["the NVIDIA driver gave no answer within 0.5 s"]


def test_without_an_interpreter_to_ask(ask):
    lines, log = ask(
        "import sys; from sharedarray import _driver; sys.frozen = True; print(*_driver.query())"
    )
    assert lines[0].startswith("0 None the NVIDIA driver cannot be asked")
    assert log == []


# A driver, and no CuPy.

WITHOUT_CUPY = """
import sys

class Hiding:
    def __init__(self, finder):
        self.finder = finder

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("cupy", "cuda"):
            return None
        return self.finder.find_spec(name, path, target)

sys.meta_path[:] = [Hiding(finder) for finder in sys.meta_path]
import sharedarray as xp
from sharedarray.__main__ import main
"""
ENTRIES = (
    "xp.zeros(3, device='cuda')",
    "xp.asarray([1, 2], device=xp.Device('cuda:1'))",
    "xp.ones(3).to_device('cuda:0')",
    "xp.ones(3).cuda()",
    "xp.Storage(10, 'cuda:0')",
    "xp.Device('cuda:1').__enter__()",
    "xp.cuda.current_device()",
    "xp.cuda.set_device(1)",
    "xp.cuda.synchronize()",
    "xp.cuda.memory_summary()",
)


@pytest.mark.parametrize(("version", "extra"), [("12090", "cuda12"), ("13000", "cuda13")])
def test_without_cupy_every_entry_says_what_to_install(ask, version, extra):
    lines, _ = ask(
        f"""{WITHOUT_CUPY}
print(xp.cuda.is_available(), xp.cuda.device_count())
for entry in {ENTRIES}:
    try:
        print(entry, eval(entry))
    except xp.DeviceError as error:
        print(error)
print(xp.zeros(2).device)
""",
        DRIVER_VERSION=version,
    )
    assert lines[0] == "False 0"
    assert lines[-1] == "cpu"
    assert len(lines) == len(ENTRIES) + 2
    for line in lines[1:-1]:
        assert line.startswith("2 devices, asked for cuda:"), line
        assert f'pip install "sharedarray-xp[{extra}]"' in line
        assert "'cpu' is always there" in line


def test_a_driver_that_is_too_old_is_to_be_updated(ask):
    lines, _ = ask(
        """
import sharedarray as xp
print(xp.cuda.device_count())
try:
    xp.zeros(3, device="cuda")
except xp.DeviceError as error:
    print(error)
""",
        DRIVER_VERSION="11080",
    )
    assert lines == [
        "0",
        "2 devices, asked for cuda:0, but the NVIDIA driver is for CUDA 11.8, and one for CUDA 12 "
        "or newer is needed: update it; the device 'cpu' is always there",
    ]


def test_without_cupy_the_demonstration_and_info_say_so(ask):
    # One to stderr, of one line, and the status of a wrong call.
    code = f"""{WITHOUT_CUPY}
import contextlib, io
with contextlib.redirect_stderr(io.StringIO()) as err:
    print(main(["demo", "--device", "cuda"]), err.getvalue().count("\\n"))
print("pip install" in err.getvalue())
with contextlib.redirect_stdout(io.StringIO()) as out:
    print(main(["info"]))
print("pip install" in out.getvalue())
"""
    lines, _ = ask(code)
    assert lines == ["2 1", "True", "True"]


def test_threads_compute_with_one_backend(cards_without_backend, monkeypatch):
    both = threading.Barrier(2)

    class Provider:
        def load(self):
            both.wait(60)
            return object()

    monkeypatch.setitem(_backends._providers, "cuda", Provider())
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        first, second = pool.map(lambda _: _backends.loaded(), range(2))
    assert first is second is _backends.loaded()
