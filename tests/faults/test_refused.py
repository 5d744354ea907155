"""System calls refused by a real seccomp filter, as containers' profiles refuse them."""

import platform

import pytest

pytestmark = pytest.mark.skipif(
    platform.machine() not in ("x86_64", "aarch64"), reason="no numbers of calls for this machine"
)

#: Refused, a program that uses no socket does not even notice.
HARMLESS = ["fallocate", "getsockopt", "kill", "madvise", "sendmsg", "socket", "threads"]
#: Refused, it gets its exceptions.
NEEDED = ["add_seals", "ftruncate", "memfd_create", "mmap_shared"]
#: Refused to one process, that process cannot receive, or cannot serve.
SENDING = [
    "bind",
    "connect",
    "dupfd",
    "get_seals",
    "getrandom",
    "listen",
    "open_path",
    "prctl",
    "readlink",
    "recvfrom",
    "recvmsg",
    "sendto",
    "statfs",
]
ALL = [*HARMLESS, *NEEDED, *SENDING, "accept4"]


def test_all_refusals_are_here(zygote):
    assert sorted(ALL) == sorted(zygote.run("refusals"))


@pytest.mark.parametrize("number", ["EPERM", "ENOSYS"])
@pytest.mark.parametrize("call", HARMLESS)
def test_what_is_not_needed(zygote, call, number):
    report = zygote.run({"refuse": [[call, number]]})
    assert report["wrong"] is None
    assert report["raised"] == []


@pytest.mark.parametrize("number", ["EPERM", "ENOSYS"])
@pytest.mark.parametrize("call", NEEDED)
def test_no_shared_memory_at_all(zygote, call, number):
    """Each array is an exception that tells what to do."""
    report = zygote.run({"refuse": [[call, number]]})
    assert report["wrong"] is None
    made = [one for one in report["raised"] if one[0].startswith("make")]
    assert len(made) > 10
    for _, kind, code, message in made:
        assert kind in ("OSError", "PermissionError")
        assert code in (1, 38)
        assert "SHAREDARRAY_MEMORY=private" in message
        assert "seccomp" in message


slow = pytest.mark.slow


@pytest.mark.parametrize(
    ("served", "number"),
    [
        (False, "EPERM"),
        (True, "EPERM"),
        pytest.param(False, "ENOSYS", marks=slow),
        pytest.param(True, "ENOSYS", marks=slow),
    ],
    ids=["proc", "sockets", "proc ENOSYS", "sockets ENOSYS"],
)
@pytest.mark.parametrize("call", [*SENDING, pytest.param("accept4", marks=slow)])
def test_sending_and_receiving(zygote, call, served, number):
    report = zygote.run({"served": served, "refuse": [[call, number]]})
    assert report["wrong"] is None
    made = [one for one in report["raised"] if one[0].startswith("make")]
    assert not made or call == "getrandom"


def test_private_memory_needs_none_of_them(zygote):
    report = zygote.run({"private": True, "refuse": [[call, "EPERM"] for call in NEEDED]})
    assert report["wrong"] is None
