"""
Run the tests with other libraries, side by side, and print what they say.

``python -m tests.consumers`` runs our own and a part of the suites of SciPy and scikit-learn;
``python -m tests.consumers --full`` the whole of both suites, with a table of the outcomes.
"""

import argparse
import concurrent.futures
import importlib.metadata
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).parents[2]
TIME_OUT = 3600.0  # seconds

# Packages of SciPy with tests on array API backends.
SCIPY = [
    "_lib",
    "cluster",
    "constants",
    "differentiate",
    "fft",
    "integrate",
    "interpolate",
    "linalg",
    "ndimage",
    "optimize",
    "signal",
    "spatial",
    "special",
    "stats",
]

# What is cheap and telling of both suites.
CHOSEN_SCIPY = [
    "scipy.cluster",
    "scipy.constants",
    "scipy.differentiate",
    "scipy.optimize.tests.test_chandrupatla",
    "scipy.integrate.tests.test_quadrature",
    "scipy.fft.tests.test_helper",
    "scipy.fft.tests.test_fftlog",
    "scipy.special.tests.test_logsumexp",
    "scipy.special.tests.test_support_alternative_backends",
    "scipy.stats.tests.test_entropy",
    "scipy.stats.tests.test_variation",
    "scipy.spatial.transform.tests.test_rigid_transform",
    "scipy.ndimage.tests.test_measurements",
    "scipy.signal.tests.test_filter_design",
]
CHOSEN_SKLEARN = [
    "sklearn.utils.tests.test_array_api",
    "sklearn.utils.tests.test_extmath",
    "sklearn.linear_model.tests.test_ridge",
    "sklearn.decomposition.tests.test_pca",
    "sklearn.mixture",
    "sklearn.preprocessing.tests.test_data",
    "sklearn.preprocessing.tests.test_label",
    "sklearn.metrics.tests.test_pairwise",
    "sklearn.metrics.cluster",
]


def command(library, *arguments):
    """Return the command that runs tests of a library on our backend."""
    modules = ["--pyargs", *arguments]
    return [
        *(sys.executable, "-m", "pytest", "-q", "--tb=short", "-c", os.devnull),
        *("--rootdir", tempfile.gettempdir(), "-p", "no:cacheprovider"),
        *("-p", "no:tests.skips", "-p", f"tests.consumers.{library}_plugin"),
        *("-W", "ignore::pytest.PytestRemovedIn10Warning", *modules),
    ]


def run(command, path=None):
    """Run a command, modules being looked for in `path` first; return its status and output."""
    folders = [*([path] if path else []), ROOT, *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(str(folder) for folder in folders if folder),
        "SCIPY_ARRAY_API": "1",
        "MPLBACKEND": "agg",
    }
    done = subprocess.run(
        [str(part) for part in command],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=TIME_OUT,
    )
    return done.returncode, done.stdout


def table(figures):
    """Return the outcomes by package as a table in Markdown."""
    lines = [
        "| | passed | expected to fail | skipped by the suite | failed |",
        "| --- | --- | --- | --- | --- |",
    ]
    for package, found in figures.items():
        counts = [found[name] for name in ("passed", "xfailed", "skipped", "failed")]
        lines.append(f"| {package} | " + " | ".join(f"{count:,}" for count in counts) + " |")
    return "\n".join(lines)


def parts(full):
    """Yield the name and the command of each part of the run."""
    if full:
        for package in SCIPY:
            yield f"scipy.{package}", command("scipy", f"scipy.{package}")
        yield "sklearn", command("sklearn", "sklearn")
    else:
        yield "tests/consumers", [sys.executable, "-m", "pytest", "-q", "tests/consumers"]
        yield "chosen of SciPy", command("scipy", *CHOSEN_SCIPY)
        yield "chosen of scikit-learn", command("sklearn", *CHOSEN_SKLEARN)


def main(arguments):
    """Run the parts; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.consumers", description=__doc__)
    parser.add_argument("--full", action="store_true", help="the whole of both suites")
    parser.add_argument("--only", action="append", help="a part by name, such as scipy.signal")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes at a time")
    options = parser.parse_args(arguments)
    wanted = dict(parts(options.full))
    if unknown := set(options.only or ()) - wanted.keys():
        parser.error(f"no such part: {', '.join(unknown)}; these are: {', '.join(wanted)}")
    failed, figures = [], {}
    with (
        tempfile.TemporaryDirectory() as folder,
        concurrent.futures.ThreadPoolExecutor(options.jobs) as pool,
    ):
        started = {}
        for number, (name, line) in enumerate(wanted.items()):
            if options.only and name not in options.only:
                continue
            path = pathlib.Path(folder, f"{number}.json")
            more = ["--figures", path] if "no:tests.skips" in line else []
            started[pool.submit(run, [*line, *more])] = name, path, time.monotonic()
        for future in concurrent.futures.as_completed(started):
            name, path, start = started[future]
            status, output = future.result()
            print(f"==> {name}\n{output}")
            print(
                f"{name}: status {status}, ready after {time.monotonic() - start:.0f} s", flush=True
            )
            if status:
                failed.append(name)
            if path.exists():
                figures.update(json.loads(path.read_text()))
    versions = ", ".join(
        f"{name} {importlib.metadata.version(name)}" for name in ("numpy", "scipy", "scikit-learn")
    )
    print(f"{versions}\n\n{table(dict(sorted(figures.items())))}\n")
    print(f"failed: {', '.join(failed)}" if failed else "all passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
