"""Senders that have no keeper: what becomes of what they sent, and who is told why."""

import os
import pathlib
import shutil
import signal
import subprocess
import textwrap
from multiprocessing.reduction import ForkingPickler

import pytest

import sharedarray as xp
from tests.harness import keepers, run_script

from .senders import HEAD, KEPT, MIB, full_of, keepers_end, opened, sent  # noqa: F401
from .test_keeper import give


@pytest.mark.parametrize(
    "end",
    [
        "os._exit(0)",
        "os.kill(os.getpid(), signal.SIGKILL)",
        "os.kill(os.getpid(), signal.SIGTERM)",
        "os.execv(sys.executable, [sys.executable, '-c', ''])",
        "os.abort()",
    ],
)
def test_other_ends_count_as_killed(end):
    code = textwrap.dedent(HEAD) + f"send(1000, 1)\n{end}"
    blob = bytes.fromhex(run_script(code, env=KEPT).stdout)
    assert keepers() == []
    with pytest.raises(xp.HandleError, match=r"ended.*was killed, left by os\._exit"):
        opened(blob)


KILLED = """
from multiprocessing.reduction import ForkingPickler
return bytes(ForkingPickler.dumps(xp.full(1 << 20, 8.0)))
"""


def test_a_killed_sender_is_a_lost_array(own_worker):
    message = own_worker.run(KILLED)
    own_worker.kill()
    x = ForkingPickler.loads(message)
    assert (x.shape, x.is_shared()) == ((MIB,), False)
    with pytest.raises(xp.HandleError, match="was killed"):
        x + 1


def test_what_a_killed_sender_sent_can_be_had_from_another_holder(own_worker, worker):
    message = own_worker.run(KILLED)
    worker.run("import pickle\nkeep['x'] = pickle.loads(b)", b=message)
    own_worker.kill()
    x = ForkingPickler.loads(message)
    assert full_of(x, 8)
    x[0] = 1
    assert worker.get("float(keep['x'][0])") == 1
    worker.run("keep.clear()\ngc.collect()\nxp.empty_cache()")


def die(n, path):
    """Send, and be killed before anybody opens it."""
    message = ForkingPickler.dumps(xp.full(n, 1.0))
    with open(path + "~", "wb") as file:
        file.write(message)
    os.rename(path + "~", path)
    os.kill(os.getpid(), signal.SIGKILL)


def reads(path):
    """Open a message in a pool's worker."""
    x = ForkingPickler.loads(pathlib.Path(path).read_bytes())
    return x.is_shared()


def test_a_pool_that_meets_a_killed_senders_message_goes_on(context, tmp_path):
    path = tmp_path / "message"
    process = context.Process(target=die, args=(MIB, str(path)))
    process.start()
    process.join(60)
    assert process.exitcode == -signal.SIGKILL
    with context.Pool(1) as pool:
        assert pool.apply_async(reads, (str(path),)).get(60) is False
        assert float(pool.apply_async(give, (3,)).get(60)[0]) == 3
        pool.close()
        pool.join()


@pytest.fixture
def package(tmp_path):
    """A copy of the package, to be damaged."""
    shutil.copytree(
        os.path.dirname(xp.__file__),
        tmp_path / "sharedarray",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    return tmp_path / "sharedarray"


def sent_by(package):
    """What a program with this copy of the package sent."""
    code = "import sys\nsys.path.insert(0, sys.argv[1])\n" + textwrap.dedent(HEAD)
    code += "assert xp.__file__.startswith(sys.argv[1])\nsend(1000, 1)"
    return bytes.fromhex(run_script(code, package.parent, flags=["-X", "dev"], env=KEPT).ok())


def test_a_package_that_cannot_be_written(package):
    os.chmod(package, 0o555)
    blob = sent_by(package)
    assert len(keepers()) == 1
    assert full_of(opened(blob), 1)


DAMAGE = {
    "missing": lambda program: program.unlink(),
    "not executable": lambda program: program.chmod(0o644),
    "no program": lambda program: program.write_bytes(b"\x7fELF, it says"),
    "a folder": lambda program: (program.unlink(), program.mkdir()),
    "another program": lambda program: shutil.copy("/bin/true", program),
    "a program that stays": lambda program: (
        program.unlink(),
        program.write_text("#!/bin/sh\nexec 3>&-\n"),
        program.chmod(0o755),
    ),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_program_that_cannot_run(package, damage):
    DAMAGE[damage](package / "sharedarray-keeper")
    blob = sent_by(package)
    assert keepers() == []
    with pytest.raises(xp.HandleError, match="could not run its keeper"):
        opened(blob)


def test_run_by_hand_it_says_what_it_is():
    program = pathlib.Path(xp.__file__).with_name("sharedarray-keeper")
    done = subprocess.run([program], capture_output=True, text=True, timeout=20)
    assert done.returncode == 2
    assert "started by processes that end" in done.stderr


@pytest.mark.parametrize("limits", [{"nofile": 24}, {"nproc": 0}, {"core": 0}])
def test_under_limits_it_keeps_or_says_nothing(limits):
    (blob,) = sent("send(1000, 1)", limits=limits)
    if keepers():
        assert full_of(opened(blob), 1)
    else:
        with pytest.raises(xp.HandleError, match="could not run its keeper"):
            opened(blob)


def test_senders_without_messages_have_none():
    sent("x = xp.ones(1 << 20)\nh = x.handle()\ny = xp.from_handle(h)")
    assert keepers() == []


def test_what_was_collected_is_not_kept():
    blobs = sent("send(1000, 1)\nxp.collect()")
    assert keepers() == []
    with pytest.raises(xp.HandleError):
        opened(blobs[0])
