"""The command: ``python -m tests.gpu``."""

import argparse
import contextlib
import fnmatch
import importlib.util
import json
import os
import pathlib
import sys
import tempfile
import time
from collections.abc import Mapping

from . import page, runner, suite
from .measure import binary
from .table import Row, Section, as_text, closing, status

BUILD = 240.0  # seconds
SLACK = 64 << 20  # bytes of the device that others may take or give meanwhile
END = "When all is over"


def say(text: str) -> None:
    """Print something at once."""
    print(text, flush=True)


def arguments(words) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.gpu", description=__doc__)
    parser.add_argument("--double", action="store_true", help="on the driver double; no page")
    parser.add_argument(
        "--only", action="append", metavar="NAME", help="checks of this name: 'checks_copies.*'"
    )
    parser.add_argument("--list", action="store_true", help="print the names of the checks")
    parser.add_argument("--seconds", type=float, default=460.0, help="of the whole run (460)")
    parser.add_argument(
        "--wheels",
        type=pathlib.Path,
        metavar="FOLDER",
        help="wheels of pure Python, used as they are: what a machine without network lacks",
    )
    parser.add_argument("--no-build", action="store_true", help="the modules are built already")
    parser.add_argument("--no-tests", action="store_true", help="without pytest")
    parser.add_argument(
        "--page", type=pathlib.Path, default=page.PAGE, help="where to write the page"
    )
    parser.add_argument("--json", type=pathlib.Path, help="where to write the rows as JSON")
    return parser.parse_args(words)


def main(words=None) -> int:
    """Run the checks, print the table and write the page; the exit status."""
    options = arguments(words)
    with contextlib.ExitStack() as stack:
        extra = double(stack) if options.double else {}
        if options.wheels:
            use_wheels(options.wheels)
        return run(options, extra)


def use_wheels(folder: pathlib.Path) -> None:
    """Let this process and those that it starts import from wheels as they are."""
    wheels = [str(path.resolve()) for path in sorted(folder.glob("*-none-any.whl"))]
    kept = filter(None, [os.environ.get("PYTHONPATH")])
    os.environ["PYTHONPATH"] = os.pathsep.join([*wheels, *kept])
    sys.path += wheels


def run(options: argparse.Namespace, extra: Mapping[str, str]) -> int:
    """Run what the command line asks for, with `extra` in the environment of all processes."""
    deadline, start = runner.Deadline(options.seconds), time.monotonic()
    sections = []
    if not (options.no_build or options.list):
        built = build(deadline)
        if built.rows[0].verdict == "FAILED":
            say(as_text([built]))
            return 1
        sections.append(built)
    from . import registry

    checks = registry.all_checks()
    if options.list:
        say("\n".join(checks))
        return 0
    chosen = {pattern: fnmatch.filter(checks, pattern) for pattern in options.only or ()}
    unknown = [pattern for pattern, names in chosen.items() if not names]
    if unknown:
        say(f"no check is called {' or '.join(unknown)}: --list prints the names")
        return 1
    before = facts(extra)
    reason = before if isinstance(before, str) else "" if options.double else no_card(before)
    if reason:
        say(reason)
        return 1
    say("\n".join(f"{name}: {value}" for name, value in before["facts"].items()))
    for name, check in checks.items():
        if not chosen or any(name in names for names in chosen.values()):
            say(f"... {check.title}")
            seconds = min(check.timeout, deadline.left())
            sections.append(runner.run_check(name, check.title, seconds, extra, say))
    if not (options.double or options.no_tests or options.only):
        say(f"... {suite.TITLE}")
        sections.append(suite.run(deadline.left(), say))
    sections.append(Section(END, [given_back(before, extra)]))
    say("\n" + as_text(sections) + "\n" + closing(sections))
    if options.double:
        say("On the driver double: the figures say nothing of any card, and no page is written.")
    taken = time.monotonic() - start
    if options.json:
        rows = [[section.title, row.as_json()] for section in sections for row in section.rows]
        options.json.write_text(json.dumps({**before, "seconds": taken, "rows": rows}, indent=1))
    if not (options.double or options.only):
        page.write(options.page, before["facts"], sections, taken)
        say(f"{options.page} is written")
    return status(sections)


def no_card(before: dict) -> str:
    """Why nothing can be checked on a card here; nothing if it can."""
    if before["double"]:
        return "the driver found is the driver double; --double is what runs on it"
    for name in ("cupy", "array_api_compat"):
        if importlib.util.find_spec(name) is None:
            return (
                f"{name} is needed: pip install 'sharedarray-xp[cuda13]' (or [cuda12], by the "
                "driver's version), or --wheels FOLDER"
            )
    return ""


def double(stack: contextlib.ExitStack) -> Mapping[str, str]:
    """The environment in which the driver is the double, its devices those of all processes."""
    from tests.cuda_double import environment

    machine = stack.enter_context(tempfile.TemporaryDirectory(prefix="gpu-machine-"))
    return environment(devices=2, delayed=True, machine=machine)


def build(deadline: runner.Deadline) -> Section:
    """Build in place with this interpreter."""
    say("... building in place")
    start, seconds = time.monotonic(), min(BUILD, deadline.left())
    command = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
    code, output = runner.run(command, {}, seconds)
    if code != 0:
        say("\n".join(output.strip().splitlines()[-40:]))
        return Section("Build", [Row.failed("in place", runner.ending(code, output, seconds))])
    return Section("Build", [Row("in place", f"{time.monotonic() - start:.0f} s")])


def facts(extra: Mapping[str, str]) -> dict | str:
    """What the machine is, asked in a process of its own; a string says why that failed."""
    with tempfile.TemporaryDirectory(prefix="gpu-") as folder:
        file = pathlib.Path(folder, "facts")
        command = [sys.executable, "-m", f"{__package__}.facts", str(file)]
        code, output = runner.run(command, extra, 60.0)
        if code == 0:
            return json.loads(file.read_text())
        return f"the driver cannot be used: {runner.ending(code, output, 60.0)}"


def given_back(before: dict, extra: Mapping[str, str], pause: float = 1.0) -> Row:
    """Whether the device has its memory back, now that all processes of the checks have ended."""
    what = "device memory in use, by whomever"
    for _ in range(5):  # the driver takes its time with the memory of those that were killed
        after = facts(extra)
        if isinstance(after, str):
            return Row.failed(what, after)
        more = after["used"] - before["used"]
        if more <= SLACK:
            break
        time.sleep(pause)
    return Row.held(what, more <= SLACK, f"{binary(more)} more than before the first check")


if __name__ == "__main__":
    sys.exit(main())
