"""The first process of new namespaces: mounts ``/dev/shm``, runs one program, looks after it.

``supervisor.py MEGABYTES SECONDS PEER EXPERIMENT`` prints what happened as JSON. When it ends, the
kernel ends whatever the program left, and its ``/dev/shm`` with it.
"""

import contextlib
import json
import os
import pathlib
import select
import signal
import subprocess
import sys
import time

SHM = pathlib.Path("/dev/shm")
HERE = pathlib.Path(__file__).resolve().parent


def processes():
    """Command lines of all other living processes of this namespace."""
    found = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
            if folder.name != str(os.getpid()) and state not in "ZX":
                command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                found[int(folder.name)] = command.strip()
    return found


def files(folder):
    """Names and bytes in memory or on disk of all files below a folder."""
    found = {}
    for path in folder.rglob("*"):
        with contextlib.suppress(OSError):
            if path.is_file():
                found[str(path)] = path.stat().st_blocks * 512
    return found


def told(process, seconds):
    """What the program tells: the first line that is JSON, or that it said nothing.

    Its end is no sign: what it left behind may hold the pipe open.
    """
    end = time.monotonic() + seconds
    text = b""
    while True:
        ready, _, _ = select.select([process.stdout], [], [], max(0.0, end - time.monotonic()))
        if not ready:
            return ["hangs", ""]
        piece = os.read(process.stdout.fileno(), 65536)
        if not piece:
            return ["ends without a word", ""]
        *lines, text = (text + piece).split(b"\n")
        for line in lines:
            with contextlib.suppress(ValueError):
                return json.loads(line)


def reap():
    """Let ended orphans go."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def left_over(folder, settled=8.0):
    """What is there a few seconds after the program is gone."""
    end = time.monotonic() + settled
    while time.monotonic() < end and (processes() or files(SHM)):
        reap()
        time.sleep(0.1)
    reap()
    return {"processes": processes(), "shm": files(SHM), "tmp": files(folder)}


def main():
    megabytes, seconds, peer, experiment = sys.argv[1:]
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", SHM], check=True)
    folder = pathlib.Path(os.environ["TMPDIR"])
    words = folder.parent / "stderr"
    program = subprocess.Popen(
        [sys.executable, HERE / "program.py", peer, experiment],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=words.open("wb"),
        start_new_session=True,
    )
    outcome = told(program, float(seconds))
    if outcome[0] not in ("held", "hangs"):
        try:
            program.wait(30)
        except subprocess.TimeoutExpired:
            outcome = ["hangs at its end", outcome[0]]
    if program.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(program.pid, signal.SIGKILL)
        program.wait()
    report = {"outcome": outcome[0], "details": outcome[1], "left": None}
    if experiment in ("held", "forgotten"):
        report["left"] = left_over(folder)
    report["stderr"] = words.read_text(errors="replace")[-2000:]
    json.dump(report, sys.stdout)


if __name__ == "__main__":
    main()
