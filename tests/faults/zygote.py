"""Runs cases: each in a process forked from this one, which has imported and made nothing.

A case is a dictionary: ``rules`` (arguments of `Shim.fail`), ``refuse`` (those of `Shim.refuse`),
``served`` (descriptors go by sockets), ``private`` (arrays are in private memory), ``plant`` (a
fault in the program itself).
"""

import contextlib
import gc
import json
import os
import pathlib
import select
import signal
import sys
import traceback

import sharedarray as xp
from tests.harness import procfs

from . import scenario
from .shim import FOREVER, Shim

TIMEOUT = 60.0
shim = Shim()


def holdings(pid):
    """Descriptors and mappings of segments, and other descriptors, of a process."""
    targets = [t.replace(str(pid), "PID") for t in procfs.descriptors(pid).values()]
    segments = [target for target in targets if "memfd:" in target]
    maps = procfs.mappings(pid, "memfd:")
    return len(targets) - len(segments), len(segments), len(maps)


def closed_proc(pid):
    """Be refused the descriptors of that process, as its being non-dumpable would have it."""
    for call in ("readlink", "open"):
        shim.fail(call, "EACCES", 1, FOREVER, f"/proc/{pid}/fd/")


def prepare(case):
    """What the partner does before it serves."""

    def set_up(other):
        if case.get("served"):
            os.environ["SHAREDARRAY_SERVE"] = "1"
            closed_proc(other)

    return set_up


def plant(kind):
    """A fault of the program's own, which the checks must see."""
    if kind == "descriptor":
        os.dup(0)
    elif kind == "segment":
        keep.append(os.memfd_create("sharedarray-planted"))
    elif kind == "array":
        keep.append(xp.zeros(scenario.BIG))
    elif kind == "value":
        raise scenario.Wrong("planted")
    elif kind == "stderr":
        print("planted", file=sys.stderr, flush=True)
    elif kind == "signal":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif kind == "hang":
        signal.pause()


keep = []


def play(case, tell, told):
    """Run one case in this process, and report."""
    partner = scenario.Partner(prepare(case))
    program = scenario.Program(partner, shim)
    report = {"partner": partner.pid, "wrong": None, "kept": True}
    try:
        prepare(case)(partner.pid)
        gc.collect()
        report["start"] = holdings(os.getpid())
        shim.lib.shim_forget(case.get("plant") == "close")
        for rule in case.get("rules", ()):
            shim.fail(*rule)
        for refusal in case.get("refuse", ()):
            shim.refuse(*refusal)
        if case.get("private"):
            program.run_private()
        else:
            program.run()
        report["calls"], report["failed"] = shim.counts(), shim.counts(failed=True)
        shim.clear()
        if case.get("served"):
            closed_proc(partner.pid)
        if not case.get("refuse"):
            program.recover()
        if case.get("plant"):
            plant(case["plant"])
        program.settle()
    except Exception:
        report["wrong"] = traceback.format_exc()
    report["raised"] = program.raised
    # A forked child that cannot learn its pid namespace is never uncounted: that is the safe side.
    lost = any(rule[0] == "stat" for rule in case.get("rules", ()))
    report["kept"] = lost or program.in_flight() or partner.in_flight()
    scenario.put(tell, report)
    os.read(told, 1)  # looked at from outside
    status = partner.end()
    return 0 if status == 0 else 7


def left(report, pid):
    """
    Sentences on what the two hold when nothing should be held.

    What is in flight may be kept: a message that could not be opened is not lost with that.
    """
    for name, process in (("the program", pid), ("its partner", report["partner"])):
        others, segments, maps = holdings(process)
        sockets = 2 if "socket:" in str(procfs.descriptors(process)) else 0  # the server's
        start = report["start"][0] + sockets
        if name == "the program" and others > start:
            yield f"{name} holds {others - start} descriptors: {procfs.descriptors(process)}"
        if not report["kept"] and (segments > 1 or maps > 1):  # its own ledger
            what = [*procfs.descriptors(process).values(), *procfs.mappings(process, "memfd:")]
            yield f"{name} holds {segments} segments and {maps} mappings: {what}"


def wait(pid, seconds):
    """Exit code of a child, or None when it does not end."""
    found = []

    def ended():
        done, status = os.waitpid(pid, os.WNOHANG)
        found[:] = [status] if done else []
        return done

    procfs.wait_until(ended, timeout=seconds, pause=0.002)
    return os.waitstatus_to_exitcode(found[0]) if found else None


def kill_group(pid):
    """End a case that hangs, with its partner and children."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def run(case):
    """Run one case; its report, with what is wrong under ``wrong``."""
    answer, tell = os.pipe()
    told, go = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 9
        try:
            os.setsid()
            os.close(answer)
            os.close(go)
            code = play(case, tell, told)
        finally:
            os._exit(code)
    os.close(tell)
    os.close(told)
    try:
        ready, _, _ = select.select([answer], [], [], case.get("timeout", TIMEOUT))
        if not ready:
            stacks = pathlib.Path(f"/proc/{pid}/wchan").read_text()
            kill_group(pid)
            return {"wrong": f"hangs ({stacks})", "raised": []}
        try:
            report = scenario.get(answer)
        except EOFError:
            code = wait(pid, 20.0)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGKILL)
            return {"wrong": f"ended with {code} and no report", "raised": []}
        if not report["wrong"]:
            found = []

            def nothing_left():
                found[:] = left(report, pid)
                return not found

            # A server's thread may be about to close; what was planted stays.
            procfs.wait_until(nothing_left, timeout=2.0 if case.get("plant") else 20.0)
            report["wrong"] = "; ".join(found) or None
        os.write(go, b"x")
        code = wait(pid, 20.0)
        if code is None:
            kill_group(pid)
        if code != 0 and not report["wrong"]:
            report["wrong"] = f"ended with {code}"
        return report
    finally:
        os.close(answer)
        os.close(go)


def main():
    """Answer requests, one line of JSON each, until there are no more."""
    shim.watch(pathlib.Path(xp.__file__).resolve().parent)
    gc.collect()
    gc.freeze()  # collections in the cases look at what is theirs
    for line in sys.stdin:
        case = json.loads(line)
        answer = shim.refusals() if case == "refusals" else run(case)
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
