"""Forks amid messages, threads, generations and deaths: nobody's drop frees what another uses."""

import pytest

from .forking import script


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
                    post(maker_up[1], x)
                os.read(maker_down[0], 1)
            first = fork(maker)
            def parent():
                got = [fetch(maker_up[0]) for _ in SIZES]
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
        context = multiprocessing.get_context("fork")
        def rounds(n):
            with context.Pool(2, maxtasksperchild=1) as pool:
                for start in range(0, n, 10):
                    arrays = [xp.full(20000, float(i)) for i in range(10)]
                    for i, y in enumerate(pool.imap(double, arrays)):
                        assert float(y[0]) == float(arrays[i][-1]) == 2.0 * i
                    del arrays, y
                pool.close()
                pool.join()
        rounds(50)
        with returns_to_start(slack=8 << 20, timeout=20):
            rounds(500)
        assert float(xp.sum(base)) == 50000
        """,
        timeout=380.0,
    )


def test_a_grandchild_holds_in_its_own_name():
    """Entries of the ledger that its parent had and let go of are its parent's, not its own."""
    script(
        """
        down, up, back = os.pipe(), os.pipe(), Gate()
        def grandchild():
            y = fetch(down[0])
            os.write(up[1], b"x")
            back.wait()
            os.write(up[1], b"well" if (np.asarray(y) == 8).all() else b"overwritten")
        def child():
            for _ in range(5):
                x = fetch(down[0])
                del x
            gc.collect()
            fork(grandchild)
        xp.ones(3)  # there is memory to inherit
        bytes(xp.ones(3).handle())
        pid = fork(child)
        for i in range(5):
            post(down[1], xp.full(300, 1.0))
        y = xp.full(300, 8.0)
        reap(pid)
        post(down[1], y)
        os.read(up[0], 1)
        y.storage().attached()  # looks for the dead
        del y
        junk = [xp.full(300, -1.0) for _ in range(200)]
        back.open()
        assert os.read(up[0], 99) == b"well"
        """
    )


def test_a_parent_killed_before_its_child_has_run():
    """What it had received stays for the child, which has not entered itself anywhere yet."""
    first = """
        import ctypes, time

        SLOW = []
        def starting():
            '''Runs in a forked child before the handlers of the library: registered before.'''
            if SLOW:
                time.sleep(2.0)
        call = ctypes.CFUNCTYPE(None)(starting)
        register = ctypes.CDLL(None).__register_atfork
        assert register(None, None, call, None) == 0
        """
    then = """
        down, up = os.pipe(), os.pipe()
        def child():
            x = fetch(down[0])
            os.write(up[1], b"x")
            SLOW.append(1)
            pid = os.getpid()
            if os.fork() == 0:
                os.write(up[1], b"well" if (np.asarray(x) == 8).all() else b"overwritten")
                os._exit(0)
            os.kill(pid, 9)
        pid = fork(child)
        x = xp.full(300, 8.0)
        post(down[1], x)
        os.read(up[0], 1)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -9
        x.storage().attached()  # looks for the dead
        del x
        junk = [xp.full(300, -1.0) for _ in range(200)]
        assert os.read(up[0], 99) == b"well"
        """
    script(then, before=first)
