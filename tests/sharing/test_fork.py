"""After `fork` both sides see the arrays made before it, and own what they make after it."""

import pytest

from .forking import script


def test_both_sides_see_writes():
    script(
        """
        arrays = [xp.zeros(n // 8) for n in SIZES]
        there, back = Gate(), Gate()
        def child():
            for x in arrays:
                x += 1
            there.open()
            back.wait()
            assert all(float(x[-1]) == 5 for x in arrays)
        pid = fork(child)
        there.wait()
        for x in arrays:
            assert (np.asarray(x) == 1).all()
            x[...] = 5
        back.open()
        reap(pid)
        """
    )


def test_memory_dropped_by_the_parent_is_not_used_again_while_a_child_sees_it():
    script(
        """
        arrays = [xp.full(n // 8, 3.0) for n in SIZES for _ in range(3)]
        gate = Gate()
        def child():
            gate.wait()
            assert all(bool(xp.all(x == 3)) for x in arrays)
        pid = fork(child)
        arrays.clear()
        gc.collect()
        for _ in range(3):
            junk = [xp.full(n // 8, -1.0) for n in SIZES for _ in range(5)]
        xp.empty_cache()
        junk = [xp.full(n // 8, -1.0) for n in SIZES for _ in range(5)]
        gate.open()
        reap(pid)
        """
    )


def test_memory_dropped_by_the_child_is_not_used_again_while_the_parent_sees_it():
    script(
        """
        arrays = [xp.full(n // 8, 3.0) for n in SIZES for _ in range(3)]
        def child():
            arrays.clear()
            gc.collect()
            xp.empty_cache()
            for _ in range(3):
                junk = [xp.full(n // 8, -1.0) for n in SIZES for _ in range(5)]
        pid = fork(child)
        reap(pid)
        assert all(bool(xp.all(x == 3)) for x in arrays)
        """
    )


def test_what_each_side_makes_afterwards_is_its_own():
    script(
        """
        before = [xp.full(n // 8, 0.0) for n in SIZES]
        del before[1::2]
        there, back = Gate(), Gate()
        def make(value):
            made = []
            for _ in range(40):
                made += [xp.full(n // 8, value) for n in SIZES[:4]]
                made += [xp.full(3, value), np.asarray(xp.ones(500)) * 0 + value]
                del made[::7]
            return made
        def check(made, value):
            assert all(bool((np.asarray(x) == value).all()) for x in made)
        def child():
            mine = make(2.0)
            there.open()
            back.wait()
            check(mine, 2.0)
            assert all(float(x[0]) == 0 for x in before)
        pid = fork(child)
        mine = make(1.0)
        there.wait()
        check(mine, 1.0)
        more = make(1.0)
        back.open()
        check(mine + more, 1.0)
        reap(pid)
        """
    )


def test_grandchildren():
    script(
        """
        x = xp.zeros(100)
        def grandchild():
            y = xp.full(100, 9.0)
            x[2] = 3
            assert (np.asarray(y) == 9).all()
        def child():
            z = xp.full(100, 4.0)
            x[1] = 2
            reap(fork(grandchild))
            assert (np.asarray(z) == 4).all()
        pid = fork(child)
        reap(pid)
        assert x[:3].tolist() == [0, 2, 3]
        """
    )


def test_a_child_sends_home_what_it_made():
    script(
        """
        gate = Gate()
        read, write = os.pipe()
        def child():
            x = xp.full(1000, 6.0)
            os.write(write, bytes(x.handle()))
            gate.wait()
            assert float(x[0]) == 7
        pid = fork(child)
        x = xp.from_handle(xp.Handle.from_bytes(os.read(read, 4096)))
        assert (np.asarray(x) == 6).all()
        x += 1
        gate.open()
        reap(pid)
        assert (np.asarray(x) == 7).all()
        """
    )


def test_a_child_sends_on_what_it_inherited():
    script(
        """
        x = xp.full(1000, 6.0)
        read, write = os.pipe()
        def child():
            os.write(write, bytes(x.handle()))
        pid = fork(child)
        y = xp.from_handle(xp.Handle.from_bytes(os.read(read, 4096)))
        y[0] = 1
        assert float(x[0]) == 1
        reap(pid)
        assert float(y[-1]) == 6
        """
    )


def test_a_child_does_not_take_back_what_its_parent_sent():
    script(
        """
        blob = bytes(xp.full(1 << 20, 6.0).handle())
        def child():
            xp.empty_cache()
            junk = [xp.full(1 << 20, -1.0) for _ in range(3)]
        reap(fork(child))
        xp.empty_cache()
        x = xp.from_handle(xp.Handle.from_bytes(blob))
        assert (np.asarray(x) == 6).all()
        """
    )


def test_private_arrays_are_copied_on_write():
    script(
        """
        with xp.memory("private"):
            x = xp.zeros(1000)
        def child():
            x[...] = 1
            assert (np.asarray(x) == 1).all()
        reap(fork(child))
        assert (np.asarray(x) == 0).all()
        """
    )


@pytest.mark.parametrize("where", ["shared", "private", "capture"])
def test_the_mode_in_force_lasts_in_the_child(where):
    script(
        """
        import contextlib
        scope = {"shared": xp.memory("shared"), "private": xp.memory("private"),
                 "capture": xp.capture_numpy()}[sys.argv[1]]
        def child():
            assert xp.ones(5).is_shared() == (sys.argv[1] != "private")
            assert xp.is_shared(np.ones(5)) == (sys.argv[1] == "capture")
        with scope:
            reap(fork(child))
        assert not xp.is_shared(np.ones(5))
        """,
        where,
    )


def test_forks_while_other_threads_allocate():
    script(
        """
        end = threading.Event()
        faults = []
        def churn(seed):
            chance = np.random.default_rng(seed)
            held = []
            try:
                while not end.is_set():
                    n = int(chance.choice([1, 100, 5000, 30000, 200000]))
                    x = xp.full(n, float(seed))
                    held.append((x, x + 1, xp.sum(x)))
                    if len(held) > 20:
                        x, y, total = held.pop(int(chance.integers(20)))
                        assert float(total) == seed * x.size
                        assert bool((np.asarray(y) == seed + 1).all())
            except BaseException as error:
                faults.append(error)
        threads = [threading.Thread(target=churn, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        seen = xp.full(1000, 7.0)
        def child():
            mine = [xp.full(n // 8, 2.0) for n in SIZES[:4]]
            assert all(bool((np.asarray(x) == 2).all()) for x in mine)
            assert bool((np.asarray(seen) == 7).all())
            y = xp.from_handle(xp.Handle.from_bytes(bytes(mine[0].handle())))
            assert float(y[0]) == 2
            xp.empty_cache()
            assert float(xp.sum(xp.ones(100000))) == 100000
        for _ in range(40):
            reap(fork(child))
        end.set()
        for thread in threads:
            thread.join()
        assert not faults, faults
        """,
        flags=["-W", "ignore::DeprecationWarning"],
    )


def test_fork_in_a_thread():
    script(
        """
        x = xp.zeros(10)
        def child():
            x[0] = 1
            assert float(xp.sum(xp.ones(1000))) == 1000
        def run():
            y = xp.ones(100)
            reap(fork(child))
            assert float(xp.sum(y)) == 100
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
        assert float(x[0]) == 1
        """,
        flags=["-W", "ignore::DeprecationWarning"],
    )


def test_programs_started_inherit_nothing():
    told = script(
        """
        import subprocess
        arrays = [xp.ones(n // 8) for n in SIZES]
        blobs = [bytes(x.handle()) for x in arrays]
        command = "import tests.harness.procfs as p; print(*p.descriptors().values())"
        print(subprocess.run([sys.executable, "-c", command], close_fds=False,
                             capture_output=True, text=True).stdout)
        read, write = os.pipe()
        pid = os.posix_spawn(sys.executable, [sys.executable, "-c", command], os.environ)
        reap(pid)
        """,
        env={"SHAREDARRAY_LINGER": "0.2"},
    )
    assert "/dev/null" in told or "pipe" in told
    assert "memfd" not in told


@pytest.mark.parametrize("end", ["os._exit(0)", "sys.exit(0)", "os.kill(os.getpid(), 9)"])
def test_children_that_end_in_any_way_leave_the_parent_well(end):
    script(
        f"""
        import multiprocessing
        def child(arrays):
            mine = [xp.ones(n // 8) for n in SIZES]
            for x in arrays:
                x += 1
            {end}
        arrays = [xp.zeros(n // 8) for n in SIZES]
        for _ in range(5):
            process = multiprocessing.get_context("fork").Process(target=child, args=(arrays,))
            process.start()
            process.join()
        assert all((np.asarray(x) == 5).all() for x in arrays)
        more = [xp.ones(n // 8) for n in SIZES]
        assert all((np.asarray(x) == 1).all() for x in more)
        """
    )


@pytest.mark.parametrize(
    "nbytes",
    [64 << 10, 1 << 20, *(pytest.param(n << 20, marks=pytest.mark.slow) for n in (8, 64))],
)
def test_a_parent_that_respawns_children_does_not_grow(nbytes):
    script(
        """
        from tests.harness import stays_level
        n = int(sys.argv[1]) // 8
        kept = []
        def child(x):
            x += 1
            junk = [xp.ones(n) for _ in range(3)]
        def round():
            for _ in range(max(5, (320 << 10) // n)):
                x = xp.zeros(n)
                reap(fork(lambda: child(x)))
                assert float(x[-1]) == 1
                del x
                kept.append(xp.ones(3))  # small ones that stay
        stays_level(round, rounds=5, slack=max(4 << 20, 3 * 8 * n))
        """,
        nbytes,
    )
