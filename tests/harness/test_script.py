"""Scripts end as they say, and a hang or a left-over process is told."""

import os
import subprocess

import pytest

from . import ScriptError, procfs, run_script


def test_streams_and_code():
    result = run_script(
        """
        import sys
        print(sys.argv[1:], sys.stdin.read())
        print("trouble", file=sys.stderr)
        sys.exit(3)
        """,
        "a",
        1,
        stdin="given",
    )
    assert result.rc == 3
    assert result.stdout == "['a', '1'] given\n"
    assert result.stderr == "trouble\n"


def test_ok_returns_stdout():
    assert run_script("print('fine')").ok() == "fine"


@pytest.mark.parametrize("code", ["import sys; sys.stderr.write('x')", "raise SystemExit(1)"])
def test_ok_refuses_a_line_on_stderr_and_a_code(code):
    with pytest.raises(ScriptError):
        run_script(code).ok()


def test_death_by_a_signal_is_seen():
    assert run_script("import os; os.kill(os.getpid(), 9)").rc == -9


HANGS = """
    import os, pathlib, sys, time

    def where_the_child_hangs():
        pathlib.Path(sys.argv[1]).touch()
        time.sleep(100)

    def where_the_parent_hangs():
        os.wait()

    if os.fork():
        where_the_parent_hangs()
    else:
        where_the_child_hangs()
    """


def test_hang_tells_the_stacks_of_all_processes(tmp_path, monkeypatch):
    hangs = tmp_path / "hangs"

    class Popen(subprocess.Popen):
        """Its time-out begins when both processes hang, however long they took to start."""

        def wait(self, timeout=None):
            assert procfs.wait_until(hangs.exists)
            return super().wait(timeout)

    monkeypatch.setattr(subprocess, "Popen", Popen)
    with pytest.raises(ScriptError) as caught:
        run_script(HANGS, hangs, timeout=1.5)
    assert "no end after 1.5 s" in str(caught.value)
    assert "where_the_parent_hangs" in str(caught.value)
    assert "where_the_child_hangs" in str(caught.value)


def test_process_left_behind_is_told_and_ended():
    with pytest.raises(ScriptError, match=r"outlived the program: (\d+): sleep 61") as caught:
        run_script("import subprocess; print(subprocess.Popen(['sleep', '61']).pid)", grace=0.2)
    pid = int(str(caught.value).split("outlived the program: ")[1].split(":")[0])
    assert procfs.wait_until(lambda: procfs.state(pid) in ("", "Z"))


def test_process_left_behind_may_be_allowed():
    code = "import subprocess; subprocess.Popen(['sleep', '61'])"
    assert run_script(code, leaves=True, grace=0.2).rc == 0


def test_limits_hold_in_the_script():
    code = "import resource; print(resource.getrlimit(resource.RLIMIT_NOFILE))"
    assert run_script(code, limits={"nofile": 100}).ok() == "(100, 100)"


@pytest.mark.skipif(os.getuid() != 0, reason="needs root")
def test_user():
    assert run_script("import os; print(os.getuid(), os.getgid())", uid=12345).ok() == "12345 12345"


def test_environment_is_free_of_our_settings(monkeypatch):
    monkeypatch.setenv("SHAREDARRAY_MEMORY", "private")
    code = "import os; print([k for k in os.environ if k.startswith('SHAREDARRAY')])"
    assert run_script(code).ok() == "['SHAREDARRAY_LINGER']"
    assert run_script(code, env={"SHAREDARRAY_CACHE": "0"}).ok() == (
        "['SHAREDARRAY_LINGER', 'SHAREDARRAY_CACHE']"
    )
