"""Where memory cannot be had a handle says why, and nothing is mapped."""

import gc
import os
import subprocess

import pytest

import sharedarray as xp
from tests.harness import Worker, WorkerError, procfs, run_script

MIB = 1 << 20

root = pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")


def open_counted(blob):
    """Try to open; the error, and whether mappings or descriptors were left."""

    def taken():
        return len(procfs.mappings()), len(procfs.descriptors())

    gc.collect()  # what was left before must not go meanwhile
    before = taken()
    try:
        xp.from_handle(xp.Handle.from_bytes(blob))
    except xp.HandleError as error:
        return str(error), taken() == before
    return "opened", False


@pytest.mark.parametrize("nbytes", [8, 16 * MIB])
def test_the_sender_was_killed(method, nbytes):
    with Worker(method) as reader:
        with Worker(method) as sender:
            blob = sender.run(
                "keep['x'] = xp.ones(n)\nreturn bytes(keep['x'].handle())", n=nbytes // 8
            )
            sender.kill()
        reader.call(open_counted, blob)
        reason, nothing_left = reader.call(open_counted, blob)
        assert reason != "opened"
        assert len(reason.split()) > 3
        assert nothing_left


@pytest.mark.parametrize("nbytes", [8, MIB])
def test_the_process_id_belongs_to_another_program_now(own_worker, nbytes):
    """The descriptor that the handle names must not be opened when it is another's."""
    blob = own_worker.run("keep['x'] = xp.ones(n)\nreturn bytes(keep['x'].handle())", n=nbytes // 8)
    own_worker.death("os.execvp('sleep', ['sleep', '0.5'])")
    reason, nothing_left = open_counted(blob)
    assert reason != "opened"
    assert nothing_left


def test_exec_counts_as_killed(own_worker):
    blob = own_worker.run("keep['x'] = xp.ones(9)\nreturn bytes(keep['x'].handle())")
    own_worker.send("os.execvp('sleep', ['sleep', '5'])")
    assert procfs.wait_until(lambda: procfs.command(own_worker.pid).startswith("sleep"))
    reason, nothing_left = open_counted(blob)
    assert reason != "opened"
    assert nothing_left


OPENER = """
    import sys
    import sharedarray as xp
    if len(sys.argv) > 1:
        import os
        os.setgid(int(sys.argv[1])); os.setuid(int(sys.argv[1]))
    try:
        x = xp.from_handle(xp.Handle.from_bytes(bytes.fromhex(sys.stdin.read())))
        print("opened", float(x[0]))
    except xp.HandleError as error:
        print("HandleError", error)
    """


@root
def test_another_user():
    x = xp.ones(1000)
    told = run_script(OPENER, 12345, stdin=bytes(x.handle()).hex()).ok()
    assert told.startswith("HandleError")
    assert "user" in told


@root
@pytest.mark.parametrize("before", [False, True])
@pytest.mark.parametrize("size", [10, MIB])
def test_a_sender_whose_proc_entry_is_closed(size, before):
    """After `setuid` a process is not dumpable: its descriptors cannot be seen in ``/proc``."""
    code = """
        import os, sys, time
        import sharedarray as xp

        sent = xp.zeros(3)
        if sys.argv[2] == "True":
            bytes(sent.handle())

        def pipe_end():
            os.setgid(12345)
            os.setuid(12345)

        requests, answers = os.pipe(), os.pipe()
        if os.fork() == 0:
            pipe_end()
            blob = os.read(requests[0], 4096)
            try:
                os.listdir(f"/proc/{os.getppid()}/fd")
                os.write(answers[1], b"/proc is open")
            except PermissionError:
                x = xp.from_handle(xp.Handle.from_bytes(blob))
                x += 1
                os.write(answers[1], b"opened")
            os._exit(0)
        pipe_end()
        if sys.argv[2] == "True":
            time.sleep(0.15)  # a process looks at itself ten times a second
        x = xp.zeros(int(sys.argv[1]))
        os.write(requests[1], bytes(x.handle()))
        print(os.read(answers[0], 100).decode(), float(x[0]), float(x[-1]))
        os.wait()
        """
    assert run_script(code, size, before).ok() == "opened 1.0 1.0"


def unshare_works():
    command = ["unshare", "--pid", "--fork", "true"]
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


namespaces = pytest.mark.skipif(not unshare_works(), reason="new pid namespaces are not allowed")


@namespaces
@pytest.mark.parametrize("mount", [[], ["--mount-proc"]], ids=["old proc", "new proc"])
def test_another_pid_namespace(mount):
    x = xp.ones(1000)
    wrapper = ["unshare", "--pid", "--fork", *mount]
    told = run_script(OPENER, stdin=bytes(x.handle()).hex(), wrapper=wrapper).ok()
    assert told.startswith("HandleError")
    assert "namespace" in told
    assert "SHAREDARRAY_SERVE" in told


SERVING = """
    import subprocess, sys
    import sharedarray as xp
    x = xp.full(int(sys.argv[1]), 7.0)
    command = ["unshare", "--pid", "--fork", "--mount-proc", sys.executable, "-c", sys.argv[2]]
    blob = bytes(x.handle()).hex()
    print(subprocess.run(command, input=blob, capture_output=True, text=True, check=True).stdout)
    """


@namespaces
@pytest.mark.parametrize("size", [10, MIB])
def test_another_pid_namespace_with_a_serving_sender(size):
    import textwrap

    code = textwrap.dedent(OPENER)
    told = run_script(SERVING, size, code, env={"SHAREDARRAY_SERVE": "1"}).ok()
    assert told == "opened 7.0"


@pytest.mark.parametrize("setting", ["yes", "2", " 1", "true"])
def test_a_wrong_setting_of_the_server_is_told(setting):
    result = run_script("import sharedarray", env={"SHAREDARRAY_SERVE": setting})
    assert result.rc == 1
    assert "SHAREDARRAY_SERVE: 1 (always) or 0 (where /proc is closed to others)" in result.stderr
    assert repr(setting) in result.stderr


SERVES = """
    import os
    import sharedarray as xp
    x = xp.ones(3)
    bytes(x.handle())
    print(len(os.listdir("/proc/self/task")) > 1)
    """


@pytest.mark.parametrize(("setting", "serves"), [("1", True), ("0", False), ("", False)])
def test_the_setting_of_the_server(setting, serves):
    env = {"SHAREDARRAY_SERVE": setting, "OPENBLAS_NUM_THREADS": "1"}
    assert run_script(SERVES, env=env).ok() == str(serves)


def test_a_storage_that_is_gone(own_worker):
    blob = own_worker.run("keep['s'] = xp.Storage(5000)\nreturn bytes(keep['s'].handle())")
    own_worker.kill()
    with pytest.raises(xp.HandleError):
        xp.from_handle(xp.Handle.from_bytes(blob))


def test_from_handle_raises_in_a_worker_and_the_worker_goes_on(worker):
    with pytest.raises(WorkerError) as caught:
        worker.run("xp.from_handle(xp.Handle.from_bytes(b'x' * 100))")
    assert caught.value.kind == "HandleError"
    assert worker.get("1") == 1
