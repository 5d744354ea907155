"""ps: every segment of this user, and who holds it."""

import gc
import json
import os
import pathlib
import pwd
import random
import signal
import subprocess
import sys
import textwrap
import time

import pytest

import sharedarray as xp
from sharedarray import _processes as processes
from sharedarray import _segments as segments
from sharedarray._cli import ps
from sharedarray._notes import LAYOUT
from tests.harness import Program, Watch, Worker, procfs, run_script

from .conftest import SOURCE

MIB = 1 << 20
OWN = 40 * MIB  # an array of that size has a segment of its own
SOMEONE, ANOTHER = 61236, 61237

root_only = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")


def entry(x, found=None):
    """The one entry of the segment in which an Array lies; None if there is none."""
    name = x if isinstance(x, str) else x.storage().id.partition("-")[0]
    (one,) = [s for s in (found or segments.scan()).segments if s.id == name] or [None]
    return one


def holders(one):
    """The entry's holders by process id."""
    return {holder.pid: holder for holder in one.holders}


def environment():
    """As for a program of a user: the library is found, no settings."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("SHAREDARRAY_")}
    path = os.pathsep.join(filter(None, [str(SOURCE), kept.get("PYTHONPATH")]))
    return {**kept, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}


PS_AS = """
    import os, sys
    from sharedarray.__main__ import main
    from sharedarray._cli import ps
    from tests.core.native import become

    become(int(sys.argv[1]))
    sys.exit(main(["ps", *sys.argv[2:]]))
    """


def ps_as(uid, *arguments):
    """What ``ps`` prints for a user."""
    return run_script(PS_AS, uid, *arguments).ok()


# ---- who made it, who holds it


def test_maker_and_holders(method):
    xp.empty_cache()  # or the block comes warm
    x = xp.zeros(OWN // 8)
    x[: MIB // 8] = 1.0
    with Worker(method) as first, Worker(method) as second:
        for worker in (first, second):
            worker.run("keep['x'] = x", x=x)
        one = entry(x)
        assert one.size >= OWN
        assert MIB <= one.resident < OWN
        assert one.creator == segments.Creator(os.getpid(), True)
        found = holders(one)
        assert {os.getpid(), first.pid, second.pid} <= set(found)
        for pid in (os.getpid(), first.pid, second.pid):
            assert found[pid].kind == "process"
            assert found[pid].mapped
            assert found[pid].writable
        assert "python" in found[first.pid].command
        assert first.pid in x.storage().processes()
        assert second.get("sorted(keep['x'].storage().processes())") == x.storage().processes()
    assert procfs.wait_until(lambda: set(holders(entry(x))) == {os.getpid()})


def test_one_entry_for_the_arrays_of_a_segment():
    x, y = xp.ones(10), xp.ones(10)
    found = segments.scan()
    assert entry(x, found) is entry(y, found)
    assert [s.id for s in found.segments].count(entry(x).id) == 1


def test_a_receiver_of_readonly_views_does_not_write(own_worker):
    if own_worker.method == "fork":
        pytest.skip("what is inherited is writable")
    x = xp.ones(OWN // 8)
    own_worker.run("keep['x'] = x", x=x.readonly())
    found = holders(entry(x))
    assert found[own_worker.pid].mapped
    assert not found[own_worker.pid].writable
    assert found[os.getpid()].writable


def test_a_killed_maker(own_worker):
    x = own_worker.get(f"xp.ones({OWN // 8})")
    assert entry(x).creator == segments.Creator(own_worker.pid, True)
    own_worker.kill()
    one = entry(x)
    assert one.creator == segments.Creator(own_worker.pid, False)
    assert own_worker.pid not in holders(one)
    assert f"{own_worker.pid} (ended)" in ps.as_text(segments.scan())


def test_a_maker_that_let_go():
    with Worker("spawn") as maker:
        x = maker.get(f"xp.ones({OWN // 8})")
        assert procfs.wait_until(
            lambda: maker.run("xp.empty_cache()") or maker.pid not in holders(entry(x))
        )
        assert entry(x).creator == segments.Creator(maker.pid, True)
        assert f"{maker.pid} (let go)" in ps.as_text(segments.scan())


ORPHAN = """
    import os, sys, time
    import sharedarray as xp
    from sharedarray import _segments as segments

    x = xp.ones(5 << 20)
    maker = os.getpid()
    told, tell = os.pipe()
    if os.fork():
        os._exit(0)
    while os.getppid() == maker:
        time.sleep(0.01)
    (one,) = [s for s in segments.scan().segments if x.storage().id.startswith(s.id)]
    assert one.creator == segments.Creator(maker, False), one
    assert [h.pid for h in one.holders] == [os.getpid()], one
    print("as it should be")
    """


def test_a_child_whose_parent_made_it_and_ended():
    assert run_script(ORPHAN).ok() == "as it should be"


# ---- in flight


def test_messages_in_flight(own_worker):
    x = xp.ones(OWN // 8)
    assert entry(x).in_flight == 0
    blobs = [bytes(x.handle()) for _ in range(3)]
    one = entry(x)
    assert one.in_flight == 3
    assert holders(one)[os.getpid()].in_flight == 3
    own_worker.run("keep['x'] = xp.from_handle(xp.Handle.from_bytes(b))", b=blobs[0])
    assert entry(x).in_flight == 2
    blob = own_worker.get("bytes(keep['x'].handle())")
    one = entry(x)
    assert one.in_flight == 3
    assert holders(one)[own_worker.pid].in_flight == 1
    for each in (*blobs[1:], blob):
        xp.from_handle(xp.Handle.from_bytes(each))
    assert entry(x).in_flight == 0


def test_what_a_killed_sender_sent_is_not_in_flight(own_worker):
    x = xp.ones(OWN // 8)
    own_worker.run("keep['b'] = bytes(x.handle())", x=x)
    assert entry(x).in_flight == 1
    own_worker.kill()
    assert entry(x).in_flight == 0


KEPT = """
    import os, subprocess
    import sharedarray as xp

    x = xp.ones(5 << 20)
    blob = bytes(x.handle())
    numbers = []
    for number in os.listdir("/proc/self/fd"):
        try:
            if "memfd:sharedarray-" in os.readlink(f"/proc/self/fd/{number}"):
                numbers.append(int(number))
        except FileNotFoundError:
            pass
    keeper = subprocess.Popen(
        ["/some/where/sharedarray-keeper", "60"], executable="/bin/sleep", pass_fds=numbers,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    print(x.storage().id.partition("-")[0], os.getpid(), keeper.pid, flush=True)
    os._exit(0)
    """


def test_a_keeper(tmp_path):
    """Played by another program here: it has the descriptors and that name, and maps nothing."""
    with Program(tmp_path, KEPT) as program:
        name, sender, keeper = program.line.split()
        assert program.finish() == 0
    try:
        found = segments.scan()
        one = entry(name, found)
        assert one.creator == segments.Creator(int(sender), False)
        (only,) = one.holders
        assert (only.pid, only.kind, only.mapped) == (int(keeper), "keeper", False)
        assert only.in_flight == one.in_flight == 1
        assert one.resident == 40 * MIB
        assert any(h.kind == "keeper" for ledger in found.ledgers for h in ledger.holders)
        assert f"{keeper:<8} keeper" in ps.as_text(found)
    finally:
        os.kill(int(keeper), signal.SIGKILL)
        os.waitpid(int(keeper), 0)
    assert entry(name) is None


# ---- processes that hold it in unusual ways


WITHOUT_DESCRIPTORS = """
    import os, sys
    import sharedarray as xp

    x = xp.ones(5 << 20)
    os.closerange(3, 1000)
    print(x.storage().id.partition("-")[0], flush=True)
    sys.stdin.read()
    """


@pytest.mark.parametrize("administrator", [True, False])
def test_mapped_and_not_open(administrator, monkeypatch, tmp_path):
    if not administrator:
        look = os.stat

        def stat(path, *arguments, **names):
            if "map_files" in str(path):
                raise PermissionError(1, "Operation not permitted")
            return look(path, *arguments, **names)

        monkeypatch.setattr(os, "stat", stat)
    with Program(tmp_path, WITHOUT_DESCRIPTORS) as program:
        one = entry(program.line)
        assert one.size >= 40 * MIB
        assert one.resident >= 40 * MIB
        (only,) = one.holders
        assert (only.pid, only.mapped, only.writable) == (program.pid, True, True)


def test_a_memfd_that_borrows_the_name_is_another_one():
    x = xp.ones(OWN // 8)
    name = entry(x).id
    fake = os.memfd_create(f"sharedarray-{name}")
    os.ftruncate(fake, 4096)
    try:
        found = [s for s in segments.scan().segments if s.id == name]
        assert sorted(s.size for s in found)[0] == 4096
        assert len(found) == 2
    finally:
        os.close(fake)
    assert entry(x).size >= OWN


def test_a_memfd_of_another_program_is_none_of_ours():
    def ours():
        return sum(os.getpid() in holders(one) for one in segments.scan().segments)

    before = ours()
    names = ("sharedarray-info", "sharedarray-" + "G" * 32, "x" * 44, "fork-witness")
    others = [os.memfd_create(name) for name in names]
    assert ours() == before
    right = os.memfd_create("sharedarray-" + "a" * 32)
    assert ours() == before + 1
    for fd in (*others, right):
        os.close(fd)


def test_files_of_other_programs_are_not_opened(tmp_path):
    file = tmp_path / "file"
    file.write_text("not ours")
    with file.open() as held, Watch(file) as watch:
        segments.scan()
        assert watch.opened() == 0
        file.read_text()
        assert watch.opened() == 1
        assert held.read() == "not ours"


@root_only
def test_a_file_with_a_lying_name_is_neither_opened_nor_listed():
    name = random.Random(5).randbytes(16).hex()
    path = pathlib.Path(f"/memfd:sharedarray-{name}")
    path.write_bytes(bytes(4096))
    with Watch(path) as watch, path.open("r+b") as file:
        path.unlink()
        assert watch.opened() == 1
        assert os.readlink(f"/proc/self/fd/{file.fileno()}") == f"{path} (deleted)"
        assert entry(name) is None
        assert watch.opened() == 0


def test_looking_leaves_nothing_and_commits_no_memory():
    gc.collect()  # what other tests left must not go meanwhile
    x = xp.ones(10)
    bytes(x.handle())

    def ledger():
        return sum(s.resident for s in segments.scan().ledgers if os.getpid() in holders(s))

    ledger()
    held, mapped, before = len(os.listdir("/proc/self/fd")), len(procfs.mappings()), ledger()
    for _ in range(5):
        segments.scan()
    assert len(os.listdir("/proc/self/fd")) == held
    assert len(procfs.mappings()) == mapped
    assert 0 < ledger() == before


def test_looking_at_a_ledger_does_not_touch_all_of_it():
    """In a program whose ledger has few entries."""
    code = """
    import os
    import sharedarray as xp
    from sharedarray import _segments as segments

    x = xp.ones(10)
    bytes(x.handle())

    def ledger():
        own = [s for s in segments.scan().ledgers if any(h.pid == os.getpid() for h in s.holders)]
        return sum(s.resident for s in own)

    before = ledger()
    for _ in range(5):
        segments.scan()
    assert 0 < ledger() == before < 1 << 20, (before, ledger())
    """
    run_script(textwrap.dedent(code)).ok()


def test_processes_that_come_and_go_are_no_error():
    code = "import os\nfor _ in range(300):\n    if os.fork() == 0: os._exit(0)\n    os.wait()"
    busy = subprocess.Popen([sys.executable, "-c", code])
    x = xp.ones(10)
    looks = 0
    while busy.poll() is None or looks < 3:
        assert entry(x) is not None
        looks += 1


def test_a_process_that_vanishes_at_each_step(monkeypatch):
    """Every file of it is gone, one after the other."""
    gone = 1 << 21
    x = xp.ones(10)
    pids, read, process = processes._pids, processes._bytes, processes._process
    monkeypatch.setattr(processes, "_pids", lambda: [*pids(), gone])
    assert entry(x) is not None
    real = process(os.getpid(), os.geteuid())
    monkeypatch.setattr(
        processes,
        "_process",
        lambda pid, uid: (
            processes.Process(gone, gone, real.pidns, "process", "gone")
            if pid == gone
            else process(pid, uid)
        ),
    )
    assert entry(x) is not None
    monkeypatch.setattr(
        processes,
        "_bytes",
        lambda path: read(path.replace(str(gone), "self") if "maps" in path else path),
    )
    assert gone not in holders(entry(x))


GARBLING = """
    import mmap, os, random, sys
    import sharedarray as xp

    x = xp.ones(5 << 20)
    blob = bytes(x.handle())
    magic = int(sys.argv[2])
    size = int(sys.argv[4])
    for number in os.listdir("/proc/self/fd"):
        try:
            if os.fstat(int(number)).st_size == size:
                ledger = mmap.mmap(int(number), size)
        except OSError:
            pass
    chance = random.Random(int(sys.argv[1]))
    for at in range(0, size, 4096):
        if chance.random() < 0.1 or at == 0:
            ledger[at : at + 4096] = chance.randbytes(4096)
    ledger[magic : magic + 8] = int(sys.argv[3]).to_bytes(8, "little")
    print(x.storage().id.partition("-")[0], flush=True)
    sys.stdin.read()
    os._exit(0)
    """


@pytest.mark.parametrize("seed", range(3))
def test_a_ledger_that_holds_noise(seed, tmp_path):
    arguments = LAYOUT["magic"], LAYOUT["magic_value"], LAYOUT["sizes"][0]
    with Program(tmp_path, GARBLING, seed, *arguments) as program:
        found = segments.scan()
        assert program.pid in holders(entry(program.line, found))
        ps.as_text(found)
        json.dumps(ps.as_dict(found))


# ---- other users


MAKER = """
    import os, sys
    import sharedarray as xp
    from tests.core.native import become, set_dumpable

    become(int(sys.argv[1]))
    set_dumpable(int(sys.argv[2]))
    x = xp.ones(10)
    print(x.storage().id.partition("-")[0], flush=True)
    sys.stdin.read()
    """


@root_only
def test_each_user_sees_the_own_processes_alone(tmp_path):
    ours = xp.ones(10)
    with Program(tmp_path, MAKER, SOMEONE, 1) as program:
        assert entry(program.line) is None
        assert entry(ours) is not None
        seen = json.loads(ps_as(SOMEONE, "--json"))
        names = {one["id"] for one in seen["segments"]}
        assert program.line in names
        assert entry(ours).id not in names
        assert seen["user"] == SOMEONE
        assert program.pid not in seen["closed"]


@root_only
def test_a_user_with_nothing():
    assert ps_as(ANOTHER) == f"No process of user {ANOTHER} holds any."
    assert json.loads(ps_as(ANOTHER, "--json"))["segments"] == []


@root_only
def test_a_process_whose_entry_is_closed_is_named(tmp_path):
    with Program(tmp_path, MAKER, SOMEONE, 0) as program:
        seen = json.loads(ps_as(SOMEONE, "--json"))
        assert program.pid in seen["closed"]
        assert program.line not in {one["id"] for one in seen["segments"]}
        told = ps_as(SOMEONE)
        closed = told.partition("(their /proc entries are closed): process ")[2]
        assert str(program.pid) in closed.split(", ")
        assert program.line[:12] not in told


# ---- the command


KEYS = {
    "": {"user", "segments", "ledgers", "closed", "total"},
    "segment": {"id", "size", "resident", "creator", "holders", "in_flight"},
    "holder": {"pid", "kind", "command", "mapped", "writable", "in_flight"},
    "creator": {"pid", "alive"},
    "total": {"segments", "size", "resident", "in_flight", "processes", "ledgers_resident"},
}


def test_json(command):
    x = xp.ones(OWN // 8)
    keep = bytes(x.handle())
    found = json.loads(command("ps", "--json").stdout)
    assert set(found) == KEYS[""]
    assert found["user"] == os.geteuid()
    assert set(found["total"]) == KEYS["total"]
    for one in (*found["segments"], *found["ledgers"]):
        assert set(one) == KEYS["segment"]
        assert len(one["id"]) == 32
        assert one["holders"]
        assert one["creator"] is None or set(one["creator"]) == KEYS["creator"]
        for holder in one["holders"]:
            assert set(holder) == KEYS["holder"]
    (one,) = [s for s in found["segments"] if x.storage().id.startswith(s["id"])]
    assert one["creator"] == {"pid": os.getpid(), "alive": True}
    assert one["in_flight"] == 1
    assert found["total"]["segments"] == len(found["segments"])
    assert found["total"]["size"] == sum(s["size"] for s in found["segments"])
    makers = [ledger["creator"] for ledger in found["ledgers"]]
    assert {"pid": os.getpid(), "alive": True} in makers
    xp.from_handle(xp.Handle.from_bytes(keep))


def test_text(command):
    x = xp.ones(OWN // 8)
    lines = command("ps", COLUMNS="60").stdout.splitlines()
    assert lines[0].split() == ["SEGMENT", "SIZE", "RESIDENT", "CREATOR", "IN", "FLIGHT", "HOLDERS"]
    (line,) = [line for line in lines if line.startswith(x.storage().id[: ps.SHORT])]
    assert line.split()[1:6] == ["40.0", "MiB", "40.0", "MiB", str(os.getpid())]
    table = lines[lines.index("") + 1 :]
    assert table[0].split() == ["PROCESS", "KIND", "SEGMENTS", "COMMAND"]
    assert any(line.startswith(f"{os.getpid()} ") and "process" in line for line in table)
    assert all(len(line) <= 60 for line in table[1 : table.index("")])
    (total,) = [line for line in lines if line.startswith("total: ")]
    assert "resident" in total
    assert "in flight" in total


def test_text_of_nothing():
    name = pwd.getpwuid(0).pw_name
    assert ps.as_text(segments.Scan(0, (), (), ())) == f"No process of user {name} holds any."
    told = ps.as_text(segments.Scan(4242424, (), (), (7, 8)))
    assert told.splitlines() == [
        "No process of user 4242424 holds any.",
        "not to be looked into (their /proc entries are closed): process 7, 8",
    ]


def test_text_of_what_is_not_known():
    holder = segments.Holder(7, "process", "a\x1b[31m\nb", False, True, 2)
    one = segments.Segment("0" * 32, 4096, None, None, (holder,))
    away = segments.Segment("1" * 32, 8192, 4096, segments.Creator(9, None), (holder,))
    told = ps.as_text(segments.Scan(0, (one, away), (), ()))
    assert "unknown" in told
    assert "9 (elsewhere)" in told
    assert "?" in told
    assert "\x1b" not in told
    assert "a\\x1b[31m\\x0ab" in told
    assert (
        "total: 2 segments of 12.0 KiB, 4.00 KiB resident; 4 messages in flight; 1 process; "
        in told
    )


@pytest.mark.parametrize("form", ["text", "json"])
def test_watch_ends_by_ctrl_c(form, tmp_path):
    x = xp.ones(10)
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "sharedarray",
            "ps",
            "--watch",
            "0.05",
            *(["--json"] * (form == "json")),
        ],
        env=environment(),
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        lines = []
        while sum(x.storage().id[: ps.SHORT] in line for line in lines) < 3:
            lines.append(process.stdout.readline())
            assert lines[-1], process.stderr.read()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
    finally:
        process.kill()
        process.communicate()
    assert (process.returncode, err) == (0, "")
    if form == "json":
        assert all(set(json.loads(line)) == KEYS[""] for line in lines)
    else:
        assert time.strptime(lines[0].strip(), "%H:%M:%S")
        assert "\x1b" not in "".join(lines)


@pytest.mark.parametrize("value", ["0", "-1", "nan", "often"])
def test_watch_takes_seconds(value, capsys):
    from sharedarray.__main__ import main

    with pytest.raises(SystemExit) as stop:
        main(["ps", "--watch", value])
    assert stop.value.code == 2
    assert "is no number of seconds above 0" in capsys.readouterr().err
