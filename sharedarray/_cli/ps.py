"""``python -m sharedarray ps``: the shared memory of this user, and who holds it."""

import argparse
import dataclasses
import json
import os
import pwd
import shutil
import sys
import time

from .. import _segments as segments
from .units import size

INTERVAL = 2.0  # seconds
SHORT = 12  # digits of an id in the table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command.

    Parameters
    ----------
    parser : argparse.ArgumentParser
        Where to declare them.
    """
    parser.add_argument("--json", action="store_true", help="print JSON, sizes in bytes")
    parser.add_argument(
        "--watch",
        nargs="?",
        type=_positive,
        const=INTERVAL,
        metavar="SECONDS",
        help=f"look again and again, until Ctrl-C (every {INTERVAL:g} seconds by default)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Print what there is, once or until interrupted.

    Parameters
    ----------
    arguments : argparse.Namespace
        As declared by `add_arguments`.

    Returns
    -------
    int
        The exit status, 0.
    """
    if arguments.watch is None:
        _show(arguments.json)
        return 0
    clear = sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"
    try:
        while True:
            if not arguments.json:
                print("\x1b[H\x1b[2J" if clear else "", end="")
                print(time.strftime("%H:%M:%S"), end="\n\n")
            _show(arguments.json, line=True)
            if not (clear or arguments.json):
                print(flush=True)
            time.sleep(arguments.watch)
    except KeyboardInterrupt:
        return 0


def _show(as_json: bool, line: bool = False) -> None:
    found = segments.scan()
    if as_json:
        text = json.dumps(as_dict(found), indent=None if line else 2)
    else:
        text = as_text(found, shutil.get_terminal_size((100, 24)).columns)
    print(text, flush=True)


def as_dict(found: segments.Scan) -> dict:
    """Return a scan as JSON can hold it.

    Parameters
    ----------
    found : Scan
        What `sharedarray._segments.scan` gave.

    Returns
    -------
    dict
        ``user``, ``segments``, ``ledgers``, ``closed`` and ``total``.
    """
    return {
        "user": found.uid,
        "segments": [_segment(one) for one in found.segments],
        "ledgers": [_segment(one) for one in found.ledgers],
        "closed": list(found.closed),
        "total": {
            "segments": len(found.segments),
            "size": sum(one.size for one in found.segments),
            "resident": _resident(found.segments),
            "in_flight": sum(one.in_flight for one in found.segments),
            "processes": len(_holders(found)),
            "ledgers_resident": _resident(found.ledgers),
        },
    }


def _segment(one: segments.Segment) -> dict:
    return {**dataclasses.asdict(one), "in_flight": one.in_flight}


def as_text(found: segments.Scan, width: int = 100) -> str:
    """Lay a scan out for a terminal.

    Parameters
    ----------
    found : Scan
        What `sharedarray._segments.scan` gave.
    width : int, optional
        Columns; longer command lines are cut.

    Returns
    -------
    str
        Two tables and a line of totals; a sentence where there is nothing.
    """
    holders = _holders(found)
    if not holders:
        return "\n".join([f"No process of user {_user(found.uid)} holds any.", *_closed(found)])
    lines = []
    if found.segments:
        lines += [*_table(found.segments), ""]
    lines += [f"{'PROCESS':<8} {'KIND':<8} {'SEGMENTS':>8}  COMMAND"]
    for pid, (holder, count) in sorted(holders.items()):
        line = f"{pid:<8} {holder.kind:<8} {count:>8}  {_printable(holder.command)}"
        lines.append(line if len(line) <= width else f"{line[: max(width, 30) - 3]}...")
    total = as_dict(found)["total"]
    lines += [
        "",
        f"total: {_count(total['segments'], 'segment')} of {size(total['size'])}, "
        f"{size(total['resident'])} resident; {_count(total['in_flight'], 'message')} in flight; "
        f"{_count(len(holders), 'process', 'processes')}; "
        f"{_count(len(found.ledgers), 'ledger')}, {size(total['ledgers_resident'])} resident",
        *_closed(found),
    ]
    return "\n".join(lines)


def _table(found: tuple[segments.Segment, ...]) -> list[str]:
    creators = [_creator(one) for one in found]
    wide = max(len(word) for word in (*creators, "CREATOR"))
    head = f"{'SEGMENT':<{SHORT}} {'SIZE':>9} {'RESIDENT':>9}  {'CREATOR':<{wide}}"
    lines = [f"{head} {'IN FLIGHT':>9}  HOLDERS"]
    for one, creator in zip(found, creators, strict=True):
        resident = "?" if one.resident is None else size(one.resident)
        holders = " ".join(str(h.pid) for h in one.holders)
        lines.append(
            f"{one.id[:SHORT]} {size(one.size):>9} {resident:>9}  {creator:<{wide}}"
            f" {one.in_flight:>9}  {holders}"
        )
    return lines


def _creator(one: segments.Segment) -> str:
    """Return who made a segment, and whether that process has it still."""
    if one.creator is None:
        return "unknown"
    if one.creator.pid in [holder.pid for holder in one.holders]:
        return str(one.creator.pid)
    after = {True: "let go", False: "ended", None: "elsewhere"}[one.creator.alive]
    return f"{one.creator.pid} ({after})"


def _holders(found: segments.Scan) -> dict[int, tuple[segments.Holder, int]]:
    """Return every process that holds something, and how many segments that is."""
    holders: dict[int, tuple[segments.Holder, int]] = {}
    for counted, group in ((1, found.segments), (0, found.ledgers)):
        for one in group:
            for holder in one.holders:
                _, before = holders.get(holder.pid, (holder, 0))
                holders[holder.pid] = holder, before + counted
    return holders


def _resident(found: tuple[segments.Segment, ...]) -> int:
    return sum(one.resident or 0 for one in found)


def _closed(found: segments.Scan) -> list[str]:
    if not found.closed:
        return []
    these = ", ".join(map(str, found.closed))
    return [f"not to be looked into (their /proc entries are closed): process {these}"]


def _user(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def _printable(text: str) -> str:
    """Return a command line as a terminal can bear it."""
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)


def _count(n: int, noun: str, plural: str | None = None) -> str:
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"


def _positive(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e9:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds above 0")
    return value
