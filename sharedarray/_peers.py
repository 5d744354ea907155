"""Which processes have a segment mapped, as the kernel tells."""

import os

__all__ = ["mapped_by"]


def mapped_by(name):
    """Return the processes of this user that have a segment mapped.

    Parameters
    ----------
    name : str
        Of its memfd.

    Returns
    -------
    list of int
        Process ids, ascending, this process among them. Processes whose ``/proc`` entry is closed
        are not seen. Source: proc_pid_maps(5).

    Examples
    --------
    >>> from sharedarray._peers import mapped_by
    >>> mapped_by("no such segment")
    []
    """
    needle = f"/memfd:{name} ".encode()
    found = []
    for entry in os.scandir("/proc"):
        if not entry.name.isdecimal():
            continue
        try:
            with open(f"/proc/{entry.name}/maps", "rb") as maps:
                if needle in maps.read():
                    found.append(int(entry.name))
        except OSError:  # it ended meanwhile, or is another user's
            continue
    return sorted(found)
