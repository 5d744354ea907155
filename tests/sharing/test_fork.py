"""After `fork` both sides see the arrays made before it, and own what they make after it."""

import pytest

from tests.harness import run_script

HEAD = """
    import gc, os, sys, threading, time
    import numpy as np
    import sharedarray as xp

    def fork(child):
        '''Run `child` in a fork; its process id.'''
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                child()
                code = 0
            finally:
                sys.stdout.flush()
                os._exit(code)
        return pid

    def reap(pid):
        assert os.waitpid(pid, 0)[1] == 0

    class Gate:
        '''One side waits until the other one opens.'''
        def __init__(self):
            self.ends = os.pipe()
        def open(self):
            os.write(self.ends[1], b"x")
        def wait(self):
            os.read(self.ends[0], 1)

    SIZES = [8, 4096, 64 << 10, 1 << 20, 16 << 20]
    """


def script(code, *arguments, **options):
    """Run the head and the code; it must be silent on stderr."""
    import textwrap

    return run_script(textwrap.dedent(HEAD) + textwrap.dedent(code), *arguments, **options).ok()


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
        """
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


@pytest.mark.parametrize("nbytes", [8, 64 << 10, 48 << 20])
def test_what_a_child_sent_on_comes_back_to_its_parent(nbytes):
    """The parent had dropped it, and never named it by a handle: its holder still can send it."""
    script(
        """
        n = int(sys.argv[1]) // 8
        up, down = os.pipe(), os.pipe()
        x = xp.full(n, 6.0)
        def child():
            y = xp.from_handle(xp.Handle.from_bytes(os.read(down[0], 4096)))
            for _ in range(2):
                os.write(up[1], bytes(y.handle()))
                os.read(down[0], 1)
        holder = fork(child)  # knows nothing of what follows
        z = xp.full(n, 8.0)
        def child():
            os.write(down[1], bytes(z.handle()))
            gate.wait()
        gate = Gate()
        sender = fork(child)
        del z
        gc.collect()
        for _ in range(2):
            z = xp.from_handle(xp.Handle.from_bytes(os.read(up[0], 4096)))
            assert (np.asarray(z) == 8).all()
            del z
            junk = [xp.full(n, -1.0) for _ in range(20)]
            xp.empty_cache()
            os.write(down[1], b"x")
        gate.open()
        reap(sender)
        reap(holder)
        junk = [xp.full(n, -1.0) for _ in range(20)]
        """,
        nbytes,
    )


def test_forks_before_between_and_after_a_message():
    """Wherever a fork falls between making, sending, opening and dropping, all see one memory."""
    script(
        """
        SEEN = []
        def child(read):
            def look():
                for x in SEEN:
                    assert (np.asarray(x) == 5).all()
                SEEN.clear()
                gc.collect()
                junk = [xp.full(n // 8, -1.0) for n in SIZES[:4] for _ in range(3)]
                os.read(read, 1)
            return look
        for n in SIZES:
            read, write = os.pipe()
            children = [fork(child(read))]                         # before
            x = xp.full(n // 8, 5.0)
            SEEN.append(x)
            children.append(fork(child(read)))                     # made
            blob = bytes(x.handle())
            children.append(fork(child(read)))                     # sent
            y = xp.from_handle(xp.Handle.from_bytes(blob))
            SEEN.append(y)
            children.append(fork(child(read)))                     # opened
            SEEN.clear()
            del x
            children.append(fork(child(read)))                     # dropped by the sender
            del y
            gc.collect()
            children.append(fork(child(read)))                     # dropped by all here
            for _ in range(3):
                junk = [xp.full(n // 8, -1.0) for _ in range(5)]
            os.write(write, b"x" * len(children))
            for pid in children:
                reap(pid)
            os.close(read)
            os.close(write)
        """
    )


def test_a_child_outlives_its_parent():
    """What the parent had made, and what it had received, stays for its children."""
    assert (
        script(
            """
            gate, told = Gate(), os.pipe()
            maker_up, maker_down = os.pipe(), os.pipe()
            def maker():
                made = [xp.full(n // 8, 7.0) for n in SIZES]
                for x in made:
                    os.write(maker_up[1], bytes(x.handle()).ljust(512, b"\\0"))
                os.read(maker_down[0], 1)
            first = fork(maker)
            def parent():
                blobs = [os.read(maker_up[0], 512) for _ in SIZES]
                import struct
                got = []
                for blob in blobs:
                    for end in range(len(blob), 0, -1):
                        try:
                            handle = xp.Handle.from_bytes(blob[:end])
                        except xp.HandleError:
                            continue
                        got.append(xp.from_handle(handle))
                        break
                mine = [xp.full(n // 8, 8.0) for n in SIZES]
                def child():
                    gate.wait()
                    junk = [xp.full(n // 8, -1.0) for n in SIZES for _ in range(2)]
                    assert all(bool(xp.all(x == 7)) for x in got)
                    assert all(bool(xp.all(x == 8)) for x in mine)
                    on = xp.from_handle(xp.Handle.from_bytes(bytes(got[1].handle())))
                    assert float(on[0]) == 7
                    os.write(told[1], b"child is well")
                fork(child)
                os.kill(os.getpid(), 9)
            assert os.waitstatus_to_exitcode(os.waitpid(fork(parent), 0)[1]) == -9
            os.write(maker_down[1], b"x")
            reap(first)
            gate.open()
            print(os.read(told[0], 100).decode())
            """
        )
        == "child is well"
    )


def test_grandchildren_of_many_generations():
    """Each generation makes, drops and sends; the youngest still sees what the eldest made."""
    script(
        """
        first = [xp.full(n // 8, 1.0) for n in SIZES]
        read, write = os.pipe()
        def generation(k, above):
            mine = [xp.full(n // 8, float(k)) for n in SIZES[:4]]
            for x, y in above:
                assert (np.asarray(x) == y).all()
            known = above + [(x, k) for x in mine]
            if k < 20:
                pid = fork(lambda: generation(k + 1, known))
                junk = [xp.full(n // 8, -1.0) for n in SIZES[:4] for _ in range(3)]
                reap(pid)
                for x, y in known:
                    assert (np.asarray(x) == y).all()
            else:
                os.write(write, bytes(first[2].handle()))
                os.read(back[0], 1)
        back = os.pipe()
        pid = fork(lambda: generation(2, [(x, 1) for x in first]))
        x = xp.from_handle(xp.Handle.from_bytes(os.read(read, 4096)))
        x[0] = 9
        assert float(first[2][0]) == 9
        x[0] = 1
        os.write(back[1], b"x")
        reap(pid)
        """
    )


@pytest.mark.slow
def test_two_hundred_forks_while_threads_allocate_send_and_open():
    script(
        """
        end, faults = threading.Event(), []
        def churn(seed):
            chance = np.random.default_rng(seed)
            held = []
            try:
                while not end.is_set():
                    n = int(chance.choice([1, 100, 5000, 30000]))
                    held.append(xp.full(n, float(seed)))
                    if len(held) > 20:
                        x = held.pop(int(chance.integers(20)))
                        y = xp.from_handle(xp.Handle.from_bytes(bytes(x.handle())))
                        del x
                        assert bool((np.asarray(y) == seed).all())
            except BaseException as error:
                faults.append(error)
        threads = [threading.Thread(target=churn, args=(i,)) for i in range(3)]
        for thread in threads:
            thread.start()
        seen = [xp.full(n // 8, 7.0) for n in SIZES]
        def child():
            mine = [xp.full(n // 8, 2.0) for n in SIZES[:4]]
            assert all(bool((np.asarray(x) == 2).all()) for x in mine)
            assert all(bool((np.asarray(x) == 7).all()) for x in seen)
            y = xp.from_handle(xp.Handle.from_bytes(bytes(mine[1].handle())))
            assert float(y[0]) == 2
        for _ in range(200):
            reap(fork(child))
        end.set()
        for thread in threads:
            thread.join()
        assert not faults, faults
        """,
        flags=["-W", "ignore::DeprecationWarning"],
        timeout=170.0,
    )


def test_subprocesses_are_started_while_threads_allocate():
    """`subprocess` runs no fork handlers: nothing is pinned, inherited or locked."""
    script(
        """
        import subprocess
        end, faults = threading.Event(), []
        def churn():
            try:
                while not end.is_set():
                    x = xp.full(3000, 4.0)
                    y = xp.from_handle(xp.Handle.from_bytes(bytes(x.handle())))
                    del x
                    assert float(y[-1]) == 4
            except BaseException as error:
                faults.append(error)
        thread = threading.Thread(target=churn)
        thread.start()
        x = xp.ones(100000)
        for _ in range(30):
            done = subprocess.run(["sh", "-c", "ls -l /proc/self/fd; cat /proc/self/maps"],
                                  close_fds=False, capture_output=True, text=True)
            assert done.returncode == 0 and "memfd" not in done.stdout, done
        end.set()
        thread.join()
        assert not faults, faults
        assert float(xp.sum(x)) == 100000
        before = xp.memory_stats()["cpu"]
        subprocess.run(["true"])
        del x
        y = xp.ones(100000)  # recycled: no child is thought to see it
        assert xp.memory_stats()["cpu"]["allocated"] <= before["allocated"]
        """
    )


def test_children_and_parent_drop_in_turn():
    """A drop on either side frees nothing that the other one uses, whatever was sent meanwhile."""
    script(
        """
        for n in SIZES:
            arrays = [xp.full(n // 8, float(i)) for i in range(8)]
            handles = [x.handle() for x in arrays[::2]]
            there, back = Gate(), Gate()
            def child():
                for i in (1, 2, 5):
                    arrays[i] = None
                gc.collect()
                xp.empty_cache()
                junk = [xp.full(n // 8, -1.0) for _ in range(8)]
                there.open()
                back.wait()
                for i in (0, 3, 4, 6, 7):
                    assert (np.asarray(arrays[i]) == i).all(), i
            pid = fork(child)
            there.wait()
            for i in (1, 2, 5):
                assert (np.asarray(arrays[i]) == i).all(), i
            for i in (0, 3, 6):
                arrays[i] = None
            handles.clear()
            gc.collect()
            xp.empty_cache()
            junk = [xp.full(n // 8, -2.0) for _ in range(8)]
            back.open()
            reap(pid)
            for i in (1, 2, 4, 5, 7):
                assert (np.asarray(arrays[i]) == i).all(), i
        """
    )


@pytest.mark.slow
@pytest.mark.time_out(400)
def test_a_pool_that_respawns_500_workers_does_not_grow_its_parent():
    script(
        """
        import multiprocessing
        from tests.harness import returns_to_start

        def double(x):
            junk = [xp.ones(20000) for _ in range(2)]
            x *= 2
            return x

        base = xp.ones(50000)
        def rounds(pool, n):
            for start in range(0, n, 10):
                arrays = [xp.full(20000, float(i)) for i in range(10)]
                for i, y in enumerate(pool.imap(double, arrays)):
                    assert float(y[0]) == float(arrays[i][-1]) == 2.0 * i
                del arrays, y
        context = multiprocessing.get_context("fork")
        with context.Pool(2, maxtasksperchild=1) as pool:
            rounds(pool, 50)
            with returns_to_start(slack=16 << 20, timeout=20):
                rounds(pool, 500)
        assert float(xp.sum(base)) == 50000
        """,
        timeout=380.0,
    )
