"""The limits under which this process lives."""

import os
import resource

CGROUPS = "/sys/fs/cgroup"
SOME_MAPPINGS = 64  # that were let go of, after one was refused
NO_LIMIT_V1 = 1 << 60  # bytes: version 1 says "no limit" by a number near the largest


def all_limits() -> dict[str, int | None]:
    """Return each limit by its name, None where there is none.

    Returns
    -------
    dict of str to int or None
        Sizes in bytes.
    """
    machine, available = machine_memory()
    return {
        "RLIMIT_NOFILE": _rlimit(resource.RLIMIT_NOFILE),
        "RLIMIT_NOFILE_hard": _rlimit(resource.RLIMIT_NOFILE, hard=True),
        "RLIMIT_FSIZE": _rlimit(resource.RLIMIT_FSIZE),
        "RLIMIT_AS": _rlimit(resource.RLIMIT_AS),
        "RLIMIT_MEMLOCK": _rlimit(resource.RLIMIT_MEMLOCK),
        "vm.max_map_count": _number("/proc/sys/vm/max_map_count"),
        "vm.overcommit_memory": _number("/proc/sys/vm/overcommit_memory"),
        "machine": machine,
        "machine_available": available,
        "cgroup": cgroup_memory(),
        "cache": cache_memory(),
    }


def machine_memory() -> tuple[int | None, int | None]:
    """Return the machine's memory, and what of it is available, in bytes."""
    lines = dict(
        line.split(":", 1) for line in _text("/proc/meminfo").splitlines() if line.count(":") == 1
    )

    def kib(name: str) -> int | None:
        return int(lines[name].split()[0]) << 10 if name in lines else None

    return kib("MemTotal"), kib("MemAvailable")


def cache_memory() -> int | None:
    """Return how many bytes of freed memory a process keeps warm at most."""
    text = os.environ.get("SHAREDARRAY_CACHE", "").strip()
    if text.isdecimal():
        return int(text)
    known = [limit for limit in (machine_memory()[0], cgroup_memory()) if limit is not None]
    return min(known) // 4 if known else None


def cache_cap() -> int:
    """Return the most bytes of freed memory that the pool keeps.

    Raises
    ------
    ValueError
        If ``SHAREDARRAY_CACHE`` is set to no number of bytes.
    """
    text = os.environ.get("SHAREDARRAY_CACHE")
    if not text:
        return cache_memory() or 1 << 30
    if not text.strip().isdecimal():
        raise ValueError(f"SHAREDARRAY_CACHE: a number of bytes is needed, not {text!r}")
    return min(int(text), (1 << 63) - 1)


def check_serve() -> None:
    """Raise `ValueError` if ``SHAREDARRAY_SERVE`` is set to neither 0 nor 1."""
    text = os.environ.get("SHAREDARRAY_SERVE") or "0"
    if text not in ("0", "1"):
        raise ValueError(
            "SHAREDARRAY_SERVE: 1 (always) or 0 (where /proc is closed to others) is "
            f"needed, not {text!r}"
        )


def size_text(n: float) -> str:
    """Format a number of bytes in binary units."""
    if n < 1024:
        return f"{n} B"
    for unit in ("KiB", "MiB", "GiB"):
        n /= 1024
        if n < 1024:
            return f"{n:.1f} {unit}"
    return f"{n / 1024:.1f} TiB"


def linger() -> float:
    """Return for how many seconds what is in flight is kept after the end of this process.

    Raises
    ------
    ValueError
        If ``SHAREDARRAY_LINGER`` is set to no number of seconds.
    """
    text = os.environ.get("SHAREDARRAY_LINGER") or "300"
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < float("inf"):
        raise ValueError(f"SHAREDARRAY_LINGER: a number of seconds is needed, not {text!r}")
    return min(seconds, 1e9)


def mapping_limit() -> str:
    """Return which limit lets the kernel refuse this process more mappings, in words, or ""."""
    try:
        with open("/proc/self/maps", "rb") as file:  # piece by piece: no mapping may be left for it
            count = sum(piece.count(b"\n") for piece in iter(lambda: file.read(1 << 14), b""))
        most = _number("/proc/sys/vm/max_map_count")
        if most is not None and count + SOME_MAPPINGS >= most:
            return f"vm.max_map_count is {most:,}, and this process has {count:,} mappings"
        locked = [s for s in _text("/proc/self/status").splitlines() if s.startswith("VmLck:")]
        limit = _rlimit(resource.RLIMIT_MEMLOCK)
        if limit is not None and locked and locked[0].split()[1] != "0":
            return (
                f"RLIMIT_MEMLOCK (ulimit -l) is {size_text(limit)}, and this process locks all "
                "its memory (mlockall)"
            )
    except (MemoryError, OSError):
        pass
    return ""


def cgroup_memory(
    groups: "str | os.PathLike[str]" = CGROUPS, membership: str | None = None
) -> int | None:
    """Return the least memory limit of this process's control group and those above it.

    Parameters
    ----------
    groups : str or path, optional
        Where control groups are mounted.
    membership : str, optional
        What ``/proc/self/cgroup`` says.

    Returns
    -------
    int or None
        Bytes; None if there is no limit.
    """
    found = []
    groups = os.fspath(groups)
    text = _text("/proc/self/cgroup") if membership is None else membership
    for line in text.splitlines():
        _, controllers, path = line.split(":", 2)
        relative = path.strip("/")
        if controllers == "":
            found += [
                int(limit)
                for folder in _upwards(groups, relative)
                if (limit := _text(f"{folder}/memory.max").strip()).isdigit()
            ]
        elif "memory" in controllers.split(","):
            # Inside a container the path may be the host's, and the mount the group itself.
            for folder in (f"{groups}/memory/{relative}", f"{groups}/memory"):
                stat = dict(s.split() for s in _text(f"{folder}/memory.stat").splitlines())
                if "hierarchical_memory_limit" in stat:
                    found.append(int(stat["hierarchical_memory_limit"]))
                    break
    return min((limit for limit in found if limit < NO_LIMIT_V1), default=None)


def _upwards(root: str, relative: str) -> list[str]:
    parts = [part for part in relative.split("/") if part]
    return ["/".join([root, *parts[:count]]) for count in range(len(parts), -1, -1)]


def _rlimit(which: int, hard: bool = False) -> int | None:
    limit = resource.getrlimit(which)[hard]
    return None if limit == resource.RLIM_INFINITY else limit


def _number(path: str) -> int | None:
    text = _text(path).strip()
    return int(text) if text.isdigit() else None


def _text(path: str) -> str:
    try:
        with open(path) as file:
            return file.read()
    except OSError:
        return ""
