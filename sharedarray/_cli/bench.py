"""``python -m sharedarray bench``: the benchmark against what is installed."""

import argparse
import json
import pathlib
from collections.abc import Callable, Sequence

from .._bench import calling, importing, making, many, namespace, sending, streaming
from .._bench.table import Table, binary, machine
from .errors import UsageError

BENCHMARKS: dict[str, Callable[[float], list[Table]]] = {
    "importing": importing.measure,
    "calling": calling.measure,
    "namespace": namespace.measure,
    "making": making.measure,
    "sending": sending.measure,
    "streaming": streaming.measure,
    "many": many.measure,
}
SHARES = {
    "importing": 0.05,
    "calling": 0.05,
    "namespace": 0.20,
    "making": 0.10,
    "sending": 0.25,
    "streaming": 0.25,
    "many": 0.10,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument(
        "benchmarks",
        nargs="*",
        metavar="BENCHMARK",
        help=f"which to run: {', '.join(BENCHMARKS)} (default: all)",
    )
    parser.add_argument(
        "--seconds",
        type=float,
        default=60.0,
        help="about how long all of them take (default: 60); the largest arrays need 30 or more",
    )
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write the values here")
    parser.add_argument("--markdown", action="store_true", help="print tables in Markdown")


def run(arguments: argparse.Namespace) -> int:
    """Run the benchmarks that were asked for and print their tables.

    Parameters
    ----------
    arguments : argparse.Namespace
        As declared by :func:`add_arguments`.

    Returns
    -------
    int
        The exit status.

    Raises
    ------
    UsageError
        For an unknown benchmark.
    """
    unknown = [name for name in arguments.benchmarks if name not in BENCHMARKS]
    if unknown:
        raise UsageError(
            f"no such benchmark: {', '.join(unknown)}; there are {', '.join(BENCHMARKS)}"
        )
    if arguments.json and not arguments.json.absolute().parent.is_dir():
        raise UsageError(f"there is no folder {str(arguments.json.parent)!r} to write to")
    about = machine()
    print(
        f"{about['cpus']} cores, {about['system']}, Python {about['python']},"
        f" NumPy {about['numpy']}; medians; ratios within this run;\n"
        "at most: what a ratio is meant to stay below, on a machine with nothing else to do\n"
    )
    found = {}
    for name in arguments.benchmarks or BENCHMARKS:
        tables = BENCHMARKS[name](arguments.seconds * SHARES[name])
        found[name] = [table.as_json() for table in tables]
        for table in tables:
            print(table.as_markdown() if arguments.markdown else table.as_text(), flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps({"machine": about, "found": found}, indent=1))
        print(f"{arguments.json}: {binary(arguments.json.stat().st_size)}")
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with these arguments (default: those of the process)."""
    parser = argparse.ArgumentParser(prog="python -m sharedarray bench", description=__doc__)
    add_arguments(parser)
    return run(parser.parse_args(argv))
