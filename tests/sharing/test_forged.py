"""Handles that lead to what is not the memory: refused, and nothing is opened or mapped."""

import fcntl
import gc
import json
import os
import re
import struct
import textwrap
import zlib

import pytest

import sharedarray as xp
from tests.harness import Worker, procfs

from .forging import HEADER, NAMES, fields, forged, ledger_name, reshaped, segment_name

MIB = 1 << 20
SEALS = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW


@pytest.fixture(scope="module")
def liar():
    """A process of the same user that makes what the handles lead to."""
    with Worker("spawn") as running:
        yield running


@pytest.fixture(scope="module")
def opener():
    """A process that opens them: were it to crash, it would be seen."""
    with Worker("spawn") as running:
        yield running


def state():
    """Descriptors and mappings of this process, without what the cache keeps."""
    gc.collect()
    xp.empty_cache()
    return len(procfs.descriptors()), len(procfs.mappings())


def refused(opener, blob):
    """Open the handle there: the message of the `HandleError`, nothing being opened or mapped."""
    before = opener.call(state)
    message = opener.run(
        """
        try:
            x = xp.from_handle(xp.Handle.from_bytes(blob))
        except xp.HandleError as error:
            return str(error)
        return None
        """,
        blob=blob,
    )
    assert message is not None, "it was opened"
    assert opener.call(state) == before
    return message


def test_the_fields_are_where_the_tests_think():
    x = xp.ones(OWN := 5 << 20)
    blob = bytes(x.handle())
    now = fields(blob)
    assert (now["pid"], now["uid"], now["nbytes"]) == (os.getpid(), os.geteuid(), 8 * OWN)
    assert os.readlink(f"/proc/self/fd/{now['fd']}") == f"/memfd:{segment_name(blob)} (deleted)"
    assert os.readlink(f"/proc/self/fd/{now['ledger_fd']}").startswith(
        f"/memfd:{ledger_name(blob)}"
    )
    assert forged(blob) == blob
    assert len(NAMES) == len(now)
    assert HEADER.size == 208
    xp.from_handle(xp.Handle.from_bytes(blob))


# ---- no addresses


def addresses(blob):
    """Names of the numbers of a handle that lie in a mapping of this process.

    Beyond 4 GiB: below may lie the heap of an interpreter without position-independent code, whose
    addresses look like any number. Whole numbers only: halves of two that stand side by side may
    look like an address, a process id above the zeros of its neighbour does.
    """
    with open("/proc/self/maps") as maps:
        spans = [
            (int(a, 16), int(b, 16)) for a, b in re.findall(r"^(\w+)-(\w+)", maps.read(), re.M)
        ]
    numbers = fields(blob)
    del numbers["boot"]  # the machine's name for itself, 16 bytes
    steps = struct.unpack_from(f"={2 * numbers['ndim']}q", blob, HEADER.size)
    numbers.update((f"step {i}", step) for i, step in enumerate(steps))
    return [
        name
        for name, value in numbers.items()
        if any(max(start, 1 << 32) <= value < end for start, end in spans)
    ]


def test_handles_carry_no_addresses():
    arrays = [xp.ones(3), xp.ones(MIB), xp.ones((3, 4))[::-1, ::2], xp.zeros((5, 0))]
    for x in arrays:
        handle = x.handle()
        assert addresses(bytes(handle)) == []
        assert addresses(bytes(x.storage().handle())) == []
        handle.close()


def test_an_address_would_be_found():
    x = xp.ones(3)
    blob = bytes(x.handle())
    address = x.storage().data_ptr()
    assert addresses(forged(blob, serial=address)) == ["serial"]
    assert addresses(reshaped(blob, (address,))) == ["step 0"]
    xp.from_handle(xp.Handle.from_bytes(blob))


# ---- segments and ledgers that are not what they are called


@pytest.fixture
def honest(liar):
    """A handle whose memory is alive, in a segment of its own."""
    return liar.run("keep['x'] = xp.ones(5 << 20)\nreturn bytes(keep['x'].handle())")


FAKE = """
    import fcntl
    fd = os.memfd_create(name, os.MFD_ALLOW_SEALING)
    os.ftruncate(fd, size)
    fcntl.fcntl(fd, fcntl.F_ADD_SEALS, seals)
    keep.setdefault('fakes', []).append(fd)
    return fd, os.getpid()
    """
FAULTS = {
    "unsealed": (0, 0),
    "may grow": (0, fcntl.F_SEAL_SHRINK),
    "may shrink": (0, fcntl.F_SEAL_GROW),
    "a page less": (-4096, SEALS),
    "a page more": (4096, SEALS),
    "empty": (None, SEALS),
}


def fake(liar, name, size, fault):
    """A descriptor of the liar that has the name and not the rest."""
    more, seals = FAULTS[fault]
    size = 0 if more is None else size + more
    return liar.run(FAKE, name=name, size=size, seals=seals)[0]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_segment_that_could_lose_its_pages_is_not_mapped(liar, opener, honest, fault):
    now = fields(honest)
    fd = fake(liar, segment_name(honest), now["segment_size"], fault)
    told = refused(opener, forged(honest, fd=fd, creator_fd=fd))
    assert "seal" in told if fault.startswith(("un", "may")) else "size" in told


@pytest.mark.parametrize("fault", FAULTS)
def test_a_ledger_that_could_lose_its_pages_is_not_mapped(liar, opener, honest, fault):
    """That of the creator is needed to count this process; that of the sender for its ticket."""
    from sharedarray import _ledger

    size = _ledger.ledger_layout()["sizes"][0]
    # Another ledger: an opener that has the right one asks for no descriptor.
    other = forged(honest, ledger1=fields(honest)["ledger1"] ^ 1)
    name = ledger_name(other)
    fd = fake(liar, name, size, fault)
    now = fields(other)
    told = refused(
        opener,
        forged(
            other,
            creator_ledger0=now["ledger0"],
            creator_ledger1=now["ledger1"],
            creator_ledger_fd=fd,
            creator_ledger_here=fd,
            ledger_fd=fd,
        ),
    )
    assert "ledger" in told
    # As the sender's alone: the array is had, its message stays in flight, the fake is not mapped.
    assert opener.run(
        """
        x = xp.from_handle(xp.Handle.from_bytes(blob))
        total = float(xp.sum(x))
        with open("/proc/self/maps") as maps:
            return total, name in maps.read()
        """,
        blob=forged(other, ledger_fd=fd),
        name=name,
    ) == (5 << 20, False)


def test_the_fakes_would_do_without_their_faults(liar, opener, honest):
    """So it is the fault that is refused, not the forgery."""
    fd, _ = liar.run(
        FAKE, name=segment_name(honest), size=fields(honest)["segment_size"], seals=SEALS
    )
    blob = forged(honest, fd=fd, creator_fd=fd)
    opener.run("gc.collect(); xp.empty_cache()")
    assert opener.get("float(xp.sum(xp.from_handle(xp.Handle.from_bytes(b))))", b=blob) == 0


FOREIGN = {
    "standard input": "0",
    "terminal": "os.openpty()[1]",
    "listening socket": "__import__('socket').create_server(('127.0.0.1', 0)).detach()",
    "pipe": "os.pipe()[0]",
    "device": "os.open('/dev/zero', os.O_RDWR)",
    "its program": "os.open('/proc/self/exe', os.O_RDONLY)",
    "closed": "os.dup(0) + 100",
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_a_number_that_means_something_else_by_now(liar, opener, honest, kind):
    """It is left alone; the segment is had from where its holder has it, if it has it."""
    fd = liar.get(FOREIGN[kind])
    found = "xp.from_handle(xp.Handle.from_bytes(b)).storage().id"
    same = opener.get(found, b=honest)
    opener.run("gc.collect(); xp.empty_cache()")
    assert opener.get(found, b=forged(honest, fd=fd, creator_fd=fd)) == same
    told = refused(opener, forged(honest, fd=fd, creator_fd=fd, segment1=1))
    assert "gone" in told


# ---- another machine


def test_another_machine_or_an_earlier_boot(opener, honest):
    told = refused(opener, forged(honest, boot=bytes(16)))
    assert "another machine, or of an earlier boot" in told
    assert "pickle.dumps(x)" in told


@pytest.mark.parametrize("kind", ["xp.ones(3)", "xp.Storage(24)"])
def test_what_multiprocessing_brings_from_another_machine_is_lost(liar, opener, kind):
    """As through a manager or a `Client` on another host: an error in unpickling would hang it."""
    data, blob = liar.run(
        "from multiprocessing.reduction import ForkingPickler\n"
        f"x = keep['x'] = {kind}\nreturn bytes(ForkingPickler.dumps(x)), bytes(x.handle())"
    )
    at = data.index(blob[:4])  # each message has a ticket of its own
    theirs = data[at : at + len(blob)]
    assert forged(theirs) == theirs
    data = data.replace(theirs, forged(theirs, boot=bytes(16)))
    kind, told = opener.run(
        """
        import pickle
        x = pickle.loads(data)
        assert x.is_shared() is False
        try:
            x.fill_(1)
        except xp.HandleError as error:
            return type(x).__name__, str(error)
        """,
        data=data,
    )
    assert kind in ("Array", "Storage")
    assert "another machine" in told and "pickle.dumps(x)" in told


# ---- shapes


@pytest.mark.parametrize("extent", [1 << 60, 1 << 62, (1 << 63) - 1])
def test_a_shape_that_no_array_may_have(liar, opener, extent):
    """Its elements, none, lie in the block; NumPy counts its bytes without the axis of length 0."""
    blob = liar.run("x = keep['x'] = xp.ones((4, 8))[:0]\nreturn bytes(x.handle())")
    assert "too big" in refused(opener, reshaped(blob, (0, extent)))
    shape = opener.get("xp.from_handle(xp.Handle.from_bytes(b)).shape", b=reshaped(blob, (0, 9)))
    assert shape == (0, 9)


# ---- descriptions of dtypes


def structure(formats, **more):
    """A description of fields, as honest handles have it."""
    names = [f"f{i}" for i in range(len(formats))]
    offsets = [0] * len(formats)
    parts = {"names": names, "formats": formats, "offsets": offsets, "itemsize": 8, **more}
    return json.dumps(parts).encode()


TEXTS = {
    "a call": b"__import__('os').system('echo called')",
    "deep brackets": b'{"names":' + b"[" * 30000 + b"]" * 30000 + b"}",
    "deep dictionaries": b'{"base":' * 7000,
    "deep shapes": b'{"base":' * 2000 + b'"i4"' + b',"shape":[1]}' * 2000,
    "a long number": b'{"base":"i4","shape":[' + b"9" * 60000 + b"]}",
    "a huge shape": b'{"base":"i4","shape":[4611686018427387904,8]}',
    "a huge item": b"V999999999999",
    "many fields": b",".join([b"i4"] * 15000),
    "nested subarrays": b'{"base":' * 200 + b'"i4"' + b',"shape":[2]}' * 200,
    "objects": b"O",
    "objects in a field": structure(["i4", "O"]),
    "objects below a number": structure(["O"], number="i8"),
    "a field outside": structure(["i4"], offsets=[1 << 40]),
    "a field before": structure(["i4"], offsets=[-4]),
    "names that are none": structure(["i4"], names=[7]),
    "a number of another size": structure(["i4"], number="i2"),
    "nothing": b"",
    "no dtype": b"{}",
    "another kind": b"xi4",
    "no text": b"\xff\xfe\x00",
    "zeros": bytes(60000),
    "compressed": b"z" + zlib.compress(b"O"),
    "compressed nothing": b"z",
    "compressed half": b"z" + zlib.compress(bytes(range(256)))[:60],
    "compressed without end": b"z" + zlib.compress(b'{"names":' + b" " * (60 << 20)),
}


@pytest.mark.parametrize("text", TEXTS)
def test_hostile_descriptions_of_dtypes(liar, opener, honest, text):
    refused(opener, forged(honest, text=TEXTS[text]))


def test_an_honest_description_in_other_words(liar, opener, honest):
    blob = forged(honest, text=structure(["<i4", "<i4"], names=["a", "b"], offsets=[0, 4]))
    code = "return xp.from_handle(xp.Handle.from_bytes(b)).dtype.names"
    assert opener.run(textwrap.dedent(code), b=blob) == ("a", "b")


SEALS_OF_A_PEER = {"future writers": 0x10, "no more seals": fcntl.F_SEAL_SEAL, "both": 0x11}


@pytest.mark.parametrize("seal", SEALS_OF_A_PEER)
def test_a_peer_that_seals_what_it_received(liar, opener, seal):
    """New receivers may be refused; who has the memory keeps it, and nobody gets wrong zeros."""
    xp.empty_cache()
    x = xp.full(5 << 20, 3.0)
    liar.run(
        """
        import fcntl
        keep['x'] = x
        name = x.storage().id.partition('-')[0]
        for number in os.listdir('/proc/self/fd'):
            try:
                if name in os.readlink(f'/proc/self/fd/{number}'):
                    fcntl.fcntl(int(number), fcntl.F_ADD_SEALS, seals)
            except FileNotFoundError:
                pass
        """,
        x=x,
        seals=SEALS_OF_A_PEER[seal],
    )
    code = """
        try:
            x = xp.from_handle(xp.Handle.from_bytes(b))
        except xp.HandleError as error:
            return str(error)
        return float(xp.sum(x))
        """
    total = 3.0 * x.size
    told = opener.run(code, b=bytes(x.handle()))
    assert told == total if seal == "no more seals" else "not permitted" in told, told
    assert opener.run(code, b=bytes(x.readonly().handle())) == total
    x += 1
    liar.run("keep['x'] += 1")
    assert float(x[-1]) == 5
    liar.run("keep.clear()")
    opener.run("gc.collect(); xp.empty_cache()")
    del x
    for _ in range(2):
        y = xp.zeros(5 << 20)
        assert not y.any()
        y += 1
        del y
        xp.empty_cache()
