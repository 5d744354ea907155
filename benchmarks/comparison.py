"""What becomes of shared arrays, ours beside other libraries: every cell is a run of its own.

    python benchmarks/comparison.py --venv /tmp/peers

makes a virtual environment with the other libraries and prints the table in Markdown; ``--write``
puts it into ``docs/comparison.md``. Each run is a program in namespaces of its own (for root, or
where user namespaces are allowed), so that nothing it leaves stays on the machine.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile
import venv

import sharedarray

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parent / "docs" / "comparison.md"
BEGIN, END = "<!-- comparison -->\n", "<!-- end -->"
SECONDS = 90
SHM = {"small_shm": 64}  # megabytes of /dev/shm
USUAL_SHM = 4096

PEERS = {  # distributions; the first one's version is shown
    "sharedarray": ("sharedarray-xp", "numpy", "array-api-compat"),
    "multiprocessing.shared_memory": (),
    "torch, file_descriptor": ("torch", "numpy"),
    "torch, file_system": ("torch", "numpy"),
    "SharedArray": ("SharedArray",),
    "shared-ndarray2": ("shared-ndarray2",),
    "ray": ("ray",),
    "joblib": ("joblib",),
}
PINNED = {"torch": "torch==2.13.0"}
ROWS = {
    "ended_opened": "sender ends, receiver has it open",
    "ended_unopened": "sender ends before it is opened",
    "killed_opened": "`kill -9` of the sender, receiver has it open",
    "killed_unopened": "`kill -9` of the sender before it is opened",
    "passed_on": "passed on to a third process, the first having ended",
    "opened_twice": "one message opened by two processes",
    "small_shm": "100 MB where `/dev/shm` has 64 MB",
    "many": "5,000 arrays of 4 KiB, `ulimit -n 1024`",
    "held": "left after `kill -9` of all",
    "forgotten": "left after a normal end, nothing deleted",
}


def install(folder: pathlib.Path, peers: list[str]) -> dict[str, str]:
    """Make or complete a virtual environment; why each library that cannot be there is not."""
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
    missing = {}
    for peer in peers:
        for name in PEERS[peer]:
            if name == "sharedarray-xp":  # what is compared is this tree's
                continue
            command = [python, "-m", "pip", "install", "-q", PINNED.get(name, name)]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                missing[peer] = (done.stderr.strip().splitlines() or ["no reason"])[-1]
    return missing


def environment(folder: pathlib.Path) -> dict[str, str]:
    """Variables of the programs: this tree's library beside the virtual environment's."""
    ours = pathlib.Path(sharedarray.__file__).parents[1]
    return {
        "PATH": f"{folder / 'bin'}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
        "PYTHONPATH": str(ours),
        "PYTHONDONTWRITEBYTECODE": "1",
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_AUTH_MODE": "disabled",
    }


def version(folder: pathlib.Path, peer: str) -> str:
    """Return the version of a library."""
    if peer == "sharedarray":
        return sharedarray.__version__
    if not PEERS[peer]:
        return f"Python {platform.python_version()}"
    code = f"import importlib.metadata as m; print(m.version({PEERS[peer][0]!r}))"
    command = [folder / "bin" / "python", "-c", code]
    return subprocess.run(command, capture_output=True, text=True).stdout.strip()


def namespaces() -> list[str]:
    """Return the command that runs another one in namespaces of its own."""
    more = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    return ["unshare", *more, "--mount", "--pid", "--fork", "--mount-proc", "--kill-child"]


def run(folder: pathlib.Path, peer: str, experiment: str) -> dict:
    """Run one experiment with one library.

    Returns
    -------
    dict
        ``outcome``, ``details``, ``stderr``, and ``left``: what was left.
    """
    # A short path: Ray puts sockets there.
    with tempfile.TemporaryDirectory(prefix="cmp") as place:
        temporary = pathlib.Path(place, "t")
        temporary.mkdir()
        command = [*namespaces(), folder / "bin" / "python", HERE / "comparison" / "supervisor.py"]
        command += [str(SHM.get(experiment, USUAL_SHM)), str(SECONDS), peer, experiment]
        try:
            done = subprocess.run(
                [str(word) for word in command],
                env=environment(folder) | {"TMPDIR": str(temporary), "HOME": place},
                capture_output=True,
                text=True,
                timeout=SECONDS + 60,
            )
        except subprocess.TimeoutExpired:
            return {"outcome": "hangs", "details": "", "left": None, "stderr": ""}
    try:
        return json.loads(done.stdout)
    except ValueError:
        raise RuntimeError(f"{peer}, {experiment}: {done.stdout}{done.stderr}") from None


def cell(found: dict) -> str:
    """Return what stands in the table."""
    left = found["left"]
    if left is None or found["outcome"] not in ("ok", "held"):
        return found["outcome"]
    parts = []
    for name, where in (("shm", "`/dev/shm`"), ("tmp", "`/tmp`")):
        nbytes = sum(left[name].values())
        if nbytes >= 1e6:
            parts.append(f"{nbytes / 1e6:.0f} MB in {where}")
        elif left[name]:
            number = len(left[name])
            parts.append(f"{number} small file{'s' if number > 1 else ''} in {where}")
    if left["processes"]:
        number = len(left["processes"])
        parts.append(f"{number} process{'es' if number > 1 else ''}")
    return ", ".join(parts) or "nothing"


def markdown(found: dict[str, dict[str, dict]], versions: dict[str, str]) -> str:
    """Return the table."""
    peers = list(found)
    lines = ["| | " + " | ".join(f"{peer}<br>{versions[peer]}" for peer in peers) + " |"]
    lines.append("| --- |" + " --- |" * len(peers))
    for experiment, words in ROWS.items():
        if any(experiment in found[peer] for peer in peers):
            cells = [cell(found[p][experiment]) if experiment in found[p] else "" for p in peers]
            lines.append(f"| {words} | " + " | ".join(cells) + " |")
    system = f"{platform.system()} {'.'.join(platform.release().split('.')[:2])}"
    about = f"{datetime.date.today():%d %B %Y}, {system}, Python {platform.python_version()}."
    return "\n".join([f"Run on {about}", "", *lines, ""])


def main() -> None:
    """Run what was asked for and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--venv", type=pathlib.Path, required=True, help="made if it is not there")
    parser.add_argument("--no-install", action="store_true", help="use it as it is")
    parser.add_argument("--peer", action="append", choices=PEERS, help="default: all")
    parser.add_argument("--experiment", action="append", choices=ROWS, help="default: all")
    parser.add_argument("--json", type=pathlib.Path, help="write everything that was found here")
    parser.add_argument("--write", action="store_true", help=f"put the table into {PAGE.name}")
    asked = parser.parse_args()
    if not shutil.which("unshare"):
        sys.exit("needs the program unshare (util-linux)")
    folder, peers = asked.venv.absolute(), asked.peer or list(PEERS)
    missing = {} if asked.no_install else install(folder, peers)
    found: dict[str, dict[str, dict]] = {}
    versions = {}
    for peer in peers:
        if peer in missing:
            print(f"{peer} cannot be installed: {missing[peer]}", file=sys.stderr)
            continue
        versions[peer], found[peer] = version(folder, peer), {}
        for experiment in asked.experiment or ROWS:
            found[peer][experiment] = one = run(folder, peer, experiment)
            print(f"{peer}: {experiment}: {cell(one)}", file=sys.stderr, flush=True)
    text = markdown(found, versions)
    print(text)
    if asked.json:
        asked.json.write_text(json.dumps(found, indent=1))
    if asked.write:
        page = PAGE.read_text()
        start, end = page.index(BEGIN) + len(BEGIN), page.index(END)
        PAGE.write_text(page[:start] + text + page[end:])


if __name__ == "__main__":
    main()
