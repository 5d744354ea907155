"""The command ``python -m sharedarray``."""

import argparse
import importlib
import os
import sys
from collections.abc import Sequence

from ._cli.errors import UsageError
from ._version import __version__

COMMANDS = {
    "info": "the build, and what works on this machine",
    "ps": "the shared memory of this user on this machine, and who holds it",
    "demo": "shaded relief of a terrain model, by several processes in shared memory",
    "bench": "benchmarks beside NumPy, multiprocessing.shared_memory and pickle",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Parameters
    ----------
    argv : sequence of str, optional
        Its name and arguments; by default those of this process.

    Returns
    -------
    int
        The exit status: 0, 1 if the command failed, 2 if it was called wrongly, 130 if it was
        interrupted.
    """
    argv = list(sys.argv[1:] if argv is None else argv)
    try:
        try:
            return _run(argv)
        finally:  # here, for at exit there is nobody to say what became of the output
            if sys.stdout is not None:
                sys.stdout.flush()
    except UsageError as error:
        print(f"python -m sharedarray {argv[0]}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        _drop_output()  # the reader went away (`... | head`)
        return 1
    except (MemoryError, OSError) as error:
        name = " ".join(["python -m sharedarray", *argv[:1]])
        print(f"{name}: {str(error) or 'out of memory'}", file=sys.stderr)
        try:
            if sys.stdout is not None:
                sys.stdout.flush()
        except OSError:  # the same one again: no room where the output goes
            _drop_output()
        return 1


def _drop_output() -> None:
    """Send what is still buffered nowhere, so that it does not fail once more at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m sharedarray",
        description="Arrays in shared memory that behave like NumPy's.",
    )
    parser.add_argument("--version", action="version", version=f"sharedarray {__version__}")
    commands = parser.add_subparsers(title="commands", dest="command", metavar="COMMAND")
    chosen = next((word for word in argv if not word.startswith("-")), None)
    for name, summary in COMMANDS.items():
        command = commands.add_parser(name, help=summary, description=f"Show {summary}.")
        if name == chosen:  # what the others need is not imported
            module = importlib.import_module(f"{__package__}._cli.{name}")
            module.add_arguments(command)
            command.set_defaults(run=module.run)
    if not argv:
        parser.print_help()
        return 0
    arguments = parser.parse_args(argv)
    if arguments.command is None:
        parser.error("a command is needed")
    return arguments.run(arguments)


if __name__ == "__main__":
    sys.exit(main())
