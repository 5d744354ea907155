"""However a program ends with arrays alive, it ends with its own code and a silent stderr."""

import pytest

from tests.harness import METHODS, run_script

HEAD = """
    import atexit, gc, os, sys, threading
    import numpy as np
    import sharedarray as xp
    SIZES = [8, 4096, 1 << 20, 16 << 20]
    """

BRIEF = {"SHAREDARRAY_LINGER": "0.2"}  # the keeper of what stays unopened

WAYS = {
    "globals": "arrays = [xp.ones(n // 8) for n in SIZES]",
    "views in globals": "arrays = [xp.ones(n // 8)[::-1] for n in SIZES]",
    "numpy views in globals": "arrays = [np.asarray(xp.ones(n // 8)) for n in SIZES]",
    "memoryviews in globals": "views = [memoryview(xp.ones(n // 8)) for n in SIZES]",
    "dlpack in globals": "x = np.from_dlpack(xp.ones(9)); c = xp.ones(9).__dlpack__()",
    "storages and handles": "s = xp.Storage(9); h = s.handle(); g = xp.ones(9).handle()",
    "sent and not opened": "blobs = [bytes(xp.ones(n // 8).handle()) for n in SIZES]",
    "cycles": "a = [xp.ones(n // 8) for n in SIZES]; a.append(a); del a",
    "cycles without collector": "gc.disable(); a = [xp.ones(9)]; a.append(a); del a",
    "class attributes": """
        class Holder:
            x = xp.ones(1000)
            y = xp.ones(1 << 20)
        """,
    "modules": "sys.x = xp.ones(100); np.x = xp.ones(1 << 20); import builtins; builtins.y = np.x",
    "a daemon thread": """
        ready = threading.Event()
        def run():
            x = xp.ones(1 << 20)
            ready.set()
            while True:
                y = x + 1
        threading.Thread(target=run, daemon=True).start()
        ready.wait()
        """,
    "a thread that ends later": """
        import time
        def run():
            x = xp.ones(1 << 20)
            time.sleep(0.3)
            assert float(xp.sum(x)) == 1 << 20
        threading.Thread(target=run).start()
        """,
    "thread locals": """
        local = threading.local()
        local.x = xp.ones(1000)
        def run():
            local.x = xp.ones(1 << 20)
        t = threading.Thread(target=run); t.start(); t.join()
        """,
    "atexit": """
        x = xp.ones(1000)
        atexit.register(lambda: print(float(xp.sum(x + xp.ones(1000)))))
        """,
    "finalizers": """
        class Holder:
            def __init__(self):
                self.x = xp.ones(1000)
            def __del__(self):
                self.x += 1
                y = self.x + self.x
        keep = Holder()
        cycle = [Holder()]
        cycle.append(cycle)
        """,
    "weak references": "import weakref; x = xp.ones(9); r = weakref.finalize(x, print, 'gone')",
    "an open scope": "scope = xp.memory('private'); scope.__enter__(); x = xp.ones(9)",
    "an open capture": "scope = xp.capture_numpy(); scope.__enter__(); x = np.ones(1 << 18)",
    "numpy arrays from a capture": """
        with xp.capture_numpy():
            arrays = [np.ones(n // 8) for n in SIZES]
        """,
    "a generator": """
        def generate():
            with xp.memory("private"):
                x = xp.ones(9)
                yield x
        g = generate(); next(g)
        """,
    "an exception's frame": """
        try:
            x = xp.ones(9)
            1 / 0
        except ZeroDivisionError as error:
            sys.last = error
        """,
    "a fork": """
        x = xp.ones(1000)
        if os.fork() == 0:
            y = x + 1
            sys.exit(0)
        assert os.wait()[1] == 0
        """,
    "nothing made": "",
}


def text(way):
    """The program that ends this way."""
    import textwrap

    return textwrap.dedent(HEAD) + textwrap.dedent(WAYS[way])


@pytest.mark.parametrize("way", WAYS)
def test_silent_end(way):
    run_script(text(way), flags=["-X", "dev", "-W", "error"], env=BRIEF).ok()


@pytest.mark.parametrize("way", ["globals", "cycles", "sent and not opened", "a daemon thread"])
def test_the_code_is_the_programs_own(way):
    result = run_script(text(way) + "\nsys.exit(7)", flags=["-X", "dev"], env=BRIEF)
    assert (result.rc, result.stderr) == (7, "")
    result = run_script(text(way) + "\nos._exit(8)", flags=["-X", "dev"])
    assert (result.rc, result.stderr) == (8, "")


def test_an_uncaught_exception_shows_only_itself():
    result = run_script(text("globals") + "\nraise LookupError('mine')", flags=["-X", "dev"])
    assert result.rc == 1
    assert result.stderr.rstrip().endswith("LookupError: mine")
    assert result.stderr.startswith("Traceback")
    assert len(result.stderr.splitlines()) == 4


def test_an_import_alone_is_silent_and_makes_no_segment():
    code = """
        import sharedarray, tests.harness.procfs as p
        print(len(p.segments(["self"])))
        """
    assert run_script(code, flags=["-X", "dev", "-W", "error"]).ok() == "0"


MULTI = """
    import multiprocessing as mp, sys
    from concurrent.futures import ProcessPoolExecutor
    import sharedarray as xp

    def work(x):
        x += 1
        return x * 2

    def put(queue, event):
        queue.put(xp.ones(1 << 20))
        event.wait()

    def main(context, way):
        x = xp.ones(1 << 18)
        if way == "pool":
            with context.Pool(2) as pool:
                globals()["kept"] = pool.map(work, [x, x])
                pool.close()
                pool.join()
        elif way == "executor":
            with ProcessPoolExecutor(2, mp_context=context) as executor:
                globals()["kept"] = list(executor.map(work, [x, x]))
        elif way == "manager":
            manager = globals()["kept"] = context.Manager()
            globals()["list"] = manager.list([x])
        elif way == "queue":
            queue, event = context.Queue(), context.Event()
            process = context.Process(target=put, args=(queue, event))
            process.start()
            globals()["kept"] = queue.get()
            event.set()
            process.join()
        elif way == "process":
            process = globals()["kept"] = context.Process(target=work, args=(x,))
            process.start()
        elif way == "daemon":
            event = context.Event()
            process = context.Process(target=put, args=(context.Queue(), event), daemon=True)
            process.start()
        elif way == "unread queue":
            queue = globals()["kept"] = context.Queue()
            queue.put(x)

    if __name__ == "__main__":
        main(mp.get_context(sys.argv[1]), sys.argv[2])
    """


WITH_PROCESSES = ["pool", "manager", "process", "unread queue"]
MORE_WITH_PROCESSES = ["executor", "queue", "daemon"]


@pytest.mark.parametrize(
    "way",
    [*WITH_PROCESSES, *(pytest.param(w, marks=pytest.mark.slow) for w in MORE_WITH_PROCESSES)],
)
@pytest.mark.parametrize("method", METHODS)
def test_programs_with_processes(method, way):
    run_script(MULTI, method, way, flags=["-X", "dev"], env=BRIEF).ok()
