"""However a program ends with arrays alive, it ends with its own code and a silent stderr."""

import signal
import textwrap

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
    "caches of functions": """
        import functools
        @functools.lru_cache
        def cached(n):
            return xp.ones(n)
        @functools.cache
        def viewed(n):
            return memoryview(cached(n)), np.asarray(cached(n))[::2]
        viewed(9), viewed(1 << 20)
        """,
    "callbacks of weak references": """
        import weakref
        kept = []
        def gone(reference):
            kept.append(xp.ones(1000) + 1)
        x, y = xp.ones(9), xp.ones(1 << 20)
        references = [weakref.ref(one, gone) for one in (x, y, x[::2], x.storage())]
        """,
    "finalizers that send and receive": """
        class Holder:
            def __init__(self):
                self.x = xp.ones(1 << 18)
            def __del__(self):
                blob = bytes(self.x.handle())
                self.y = xp.from_handle(xp.Handle.from_bytes(blob)) + 1
                xp.empty_cache()
        keep = Holder()
        cycle = [Holder()]
        cycle.append(cycle)
        sys.keep = Holder()
        """,
    "atexit that sends": """
        from multiprocessing.reduction import ForkingPickler
        import pickle
        x = xp.ones(1 << 20)
        atexit.register(lambda: pickle.loads(ForkingPickler.dumps(x + 1)))
        atexit.register(xp.empty_cache)
        """,
    "atexit that makes the first array": "atexit.register(lambda: xp.ones(1 << 20).sum())",
    "threads that call sys.exit": """
        def run():
            x = xp.ones(1 << 20)
            sys.exit(3)
        threads = [threading.Thread(target=run) for _ in range(4)]
        for t in threads: t.start()
        """,
    "daemon threads that do everything": """
        ready = threading.Barrier(5)
        def run(k):
            ready.wait()
            while True:
                x = xp.ones(1 << (3 + 5 * k))
                y = xp.from_handle(xp.Handle.from_bytes(bytes(x.handle())))
                with xp.memory("private"):
                    z = y + 1
                z.share_memory_()
                if k == 3:
                    xp.empty_cache()
        for k in range(4): threading.Thread(target=run, args=(k,), daemon=True).start()
        ready.wait()
        """,
    "a daemon thread within a long operation": """
        ready = threading.Event()
        def run():
            a = xp.ones(1 << 22)
            ready.set()
            while True:
                xp.sort(xp.sin(a))
        threading.Thread(target=run, daemon=True).start()
        ready.wait()
        """,
    "an executor of threads": """
        from concurrent.futures import ThreadPoolExecutor
        executor = ThreadPoolExecutor(3)
        futures = [executor.submit(xp.ones, 1 << 20) for _ in range(20)]
        """,
    "a server of descriptors": """
        os.environ["SHAREDARRAY_SERVE"] = "1"
        blobs = [bytes(xp.ones(n // 8).handle()) for n in SIZES]
        """,
    "an asyncio task": """
        import asyncio
        async def main():
            with xp.capture_numpy():
                x = np.ones(1 << 18)
                await asyncio.sleep(0)
                return xp.asarray(x)
        x = asyncio.run(main())
        """,
    "buffers for pickle": """
        import pickle
        buffers = []
        data = pickle.dumps(xp.ones(1 << 18), protocol=5, buffer_callback=buffers.append)
        """,
    "a frozen collector": "x = [xp.ones(9)]; x.append(x); gc.freeze(); gc.disable()",
    "arrays in place of modules": "sys.modules['mine'] = sys.modules[__name__] = xp.ones(9)",
    "the namespace taken away": """
        x = xp.ones(1 << 20); y = np.asarray(x); h = x.handle()
        for name in [n for n in sys.modules if n.split(".")[0] in ("sharedarray", "numpy")]:
            del sys.modules[name]
        del xp, np
        """,
    "another program instead": "x = xp.ones(1 << 20); os.execv('/bin/true', ['true'])",
    "nothing made": "",
}


def text(way):
    """The program that ends this way."""
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


def test_an_exception_in_a_thread_shows_only_itself():
    code = """
        def run():
            x = xp.ones(1 << 20)
            raise LookupError("mine")
        t = threading.Thread(target=run); t.start(); t.join()
        x = xp.ones(9)
        """
    result = run_script(textwrap.dedent(HEAD) + textwrap.dedent(code), flags=["-X", "dev"])
    assert result.rc == 0
    assert result.stderr.startswith("Exception in thread")
    assert result.stderr.rstrip().endswith("LookupError: mine")
    assert result.stderr.count("Traceback") == 1


def test_exceptions_at_the_end_show_only_themselves():
    code = """
        class Holder:
            def __init__(self):
                self.x = xp.ones(1000)
            def __del__(self):
                raise LookupError("second")
        keep = Holder()
        @atexit.register
        def last():
            x = xp.ones(9)
            raise LookupError("first")
        """
    result = run_script(textwrap.dedent(HEAD) + textwrap.dedent(code), flags=["-X", "dev"])
    assert result.rc == 0
    assert result.stderr.count("Traceback") == 2
    assert "LookupError: first" in result.stderr
    assert result.stderr.rstrip().endswith("LookupError: second")


def test_an_interrupt_shows_only_itself():
    code = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever started this may ignore it
signal.raise_signal(signal.SIGINT)
"""
    result = run_script(text("globals") + code, flags=["-X", "dev"])
    assert result.rc == -2
    assert result.stderr.rstrip().endswith("KeyboardInterrupt")
    assert result.stderr.count("Traceback") == 1


@pytest.mark.parametrize("number", ["SIGTERM", "SIGKILL", "SIGHUP"])
def test_a_signal_is_the_programs_own(number):
    code = f"""
import signal
if signal.getsignal(signal.{number}) == signal.SIG_IGN:  # whoever started this may ignore it
    signal.signal(signal.{number}, signal.SIG_DFL)
signal.raise_signal(signal.{number})
"""
    result = run_script(text("sent and not opened") + code, flags=["-X", "dev"])
    assert (result.rc, result.stderr) == (-getattr(signal, number), "")


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


CHILDREN = """
    import atexit, gc, multiprocessing as mp, os, sys, threading
    import numpy as np
    import sharedarray as xp

    def arrays(x):
        kept = globals()["kept"] = [x, xp.ones(9), x[::2], np.asarray(x), memoryview(x), x + 1]
        kept.append(kept)
        kept.append(x.handle())
        kept.append(bytes(x.handle()))

    def returns(x):
        arrays(x)

    def exits(x):
        arrays(x)
        sys.exit(3)

    def ends_at_once(x):
        arrays(x)
        os._exit(4)

    def daemon_thread(x):
        arrays(x)
        ready = threading.Event()
        def run():
            while True:
                y = x + 1
                z = xp.from_handle(xp.Handle.from_bytes(bytes(y.handle())))
                ready.set()
        threading.Thread(target=run, daemon=True).start()
        ready.wait()

    def thread(x):
        def run():
            y = xp.ones(1 << 20)
            sys.exit(9)
        globals()["t"] = threading.Thread(target=run)
        t.start()

    def finalizer(x):
        class Holder:
            def __del__(self):
                assert float(xp.sum(x * 2)) == 2 << 18
        globals()["holder"] = Holder()
        globals()["cycle"] = cycle = [Holder()]
        cycle.append(cycle)

    def at_exit(x):
        arrays(x)
        atexit.register(lambda: float(xp.sum(x)))
        mp.util.Finalize(None, lambda: float(xp.sum(x + x)), exitpriority=5)

    def served(x):
        os.environ["SHAREDARRAY_SERVE"] = "1"
        arrays(x)

    def grandchild(x):
        process = mp.get_context(sys.argv[1]).Process(target=arrays, args=(x,))
        process.start()
        process.join()
        assert process.exitcode == 0

    def forks(x):
        arrays(x)
        if (pid := os.fork()) == 0:
            sys.exit(0)
        assert os.waitpid(pid, 0)[1] == 0

    CODES = {exits: 3, ends_at_once: 4}
    WAYS = [returns, exits, ends_at_once, daemon_thread, thread, finalizer, at_exit, served, forks,
            grandchild]

    if __name__ == "__main__":
        context = mp.get_context(sys.argv[1])
        x = xp.ones(1 << 18)
        processes = []
        for way in WAYS:
            process = context.Process(target=way, args=(x,), daemon=way is thread)
            process.start()
            process.join()
            assert process.exitcode == CODES.get(way, 0), (way, process.exitcode)
            processes.append(process)
        assert float(xp.sum(x)) == 1 << 18
    """


@pytest.mark.parametrize("method", METHODS)
def test_children_end_with_their_own_code(method):
    run_script(CHILDREN, method, flags=["-X", "dev", "-W", "error"], env=BRIEF, timeout=120).ok()
