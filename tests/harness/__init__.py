"""One way to run tests with several processes: scripts, workers, footprints, time-outs."""

from .footprint import Footprint, FootprintError, check_return, returns_to_start, stays_level
from .keepers import keepers, no_keeper
from .program import Program
from .script import Result, ScriptError, run_script
from .watch import Watch
from .worker import METHODS, Worker, WorkerError, WorkerLost, join

__all__ = [
    "METHODS",
    "Footprint",
    "FootprintError",
    "Program",
    "Result",
    "ScriptError",
    "Watch",
    "Worker",
    "WorkerError",
    "WorkerLost",
    "check_return",
    "join",
    "keepers",
    "no_keeper",
    "returns_to_start",
    "run_script",
    "stays_level",
]
