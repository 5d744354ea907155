"""``python -m sharedarray info``: the build, and what works on this machine."""

import argparse
import importlib.metadata
import json
import os
import platform

import numpy as np

from .. import _build, _devices, _driver, _version
from .. import _limits as limits
from .._errors import DeviceError
from . import features, units

# The releases of NumPy that brought a new number of the C API.
NUMPY_OF_API = {0x12: "2.0", 0x13: "2.1", 0x14: "2.3", 0x15: "2.4"}
PARTNERS = ("array-api-compat", "cupy-cuda12x", "cupy-cuda13x", "cuda-bindings", "torch", "dask")
COUNTS = ("RLIMIT_NOFILE", "RLIMIT_NOFILE_hard", "vm.max_map_count", "vm.overcommit_memory")
LABELS = {
    "cython": "Cython",
    "numpy": "NumPy",
    "numpy_oldest": "NumPy's C API of",
    "python": "Python",
    "memfd_sealing": "memfd sealing",
    "mfd_noexec_seal": "MFD_NOEXEC_SEAL",
    "madv_collapse": "MADV_COLLAPSE",
    "reopen_by_proc": "reopening by /proc",
    "pss": "smaps_rollup",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command.

    Parameters
    ----------
    parser : argparse.ArgumentParser
        Where to declare them.
    """
    parser.add_argument("--json", action="store_true", help="print JSON, sizes in bytes")


def run(arguments: argparse.Namespace) -> int:
    """Print what there is.

    Parameters
    ----------
    arguments : argparse.Namespace
        As declared by `add_arguments`.

    Returns
    -------
    int
        The exit status, 0.
    """
    found = collect()
    print(json.dumps(found, indent=2) if arguments.json else as_text(found))
    return 0


def collect() -> dict:
    """Gather everything.

    Returns
    -------
    dict
        Sections by name, each a dictionary that JSON can hold.
    """
    return {
        "version": _version.__version__,
        "build": {
            "compiler": _build.compiler,
            "cython": _build.cython,
            "numpy": _numpy_of(_build.numpy_api),
            "numpy_oldest": _numpy_of(_build.numpy_api_oldest),
        },
        "running": {
            "python": platform.python_version(),
            "numpy": np.__version__,
            "kernel": platform.release(),
            "machine": platform.machine(),
            "libc": " ".join(platform.libc_ver()),
            "processors": len(os.sched_getaffinity(0)),
            **_versions(),
        },
        "features": {name: f._asdict() for name, f in features.all_features().items()},
        "settings": {
            "shmem_enabled": features.shmem_enabled(),
            **{k: v for k, v in sorted(os.environ.items()) if k.startswith("SHAREDARRAY_")},
        },
        "limits": limits.all_limits(),
        "cuda": _cuda(),
    }


def as_text(found: dict) -> str:
    """Lay out what `collect` gathered.

    Parameters
    ----------
    found : dict
        Its result.

    Returns
    -------
    str
        Lines for a terminal.
    """
    lines = [f"sharedarray {found['version']} (distribution sharedarray-xp)"]
    for section in ("build", "running"):
        lines += ["", section, *_rows(found[section])]
    lines += ["", "features tried on this machine"]
    for name, feature in found["features"].items():
        mark = "yes" if feature["works"] else "no "
        lines.append(f"  {LABELS[name]:<22} {mark}  {feature['detail']}")
    lines += ["", "settings", *_rows(found["settings"])]
    lines += ["", "limits", *_rows({k: _limit(k, v) for k, v in found["limits"].items()})]
    cuda = found["cuda"]
    lines += ["", "CUDA", f"  {'devices':<22} {cuda['devices']}"]
    if cuda["driver"]:
        double = ", a double without a card" if cuda["double"] else ""
        lines.append(f"  {'driver':<22} CUDA {cuda['driver']}{double}")
    if cuda["reason"]:
        lines.append(f"  {'not usable':<22} {cuda['reason']}")
    return "\n".join(lines)


def _rows(section: dict) -> list[str]:
    return [f"  {LABELS.get(name, name):<22} {value}" for name, value in section.items()]


def _limit(name: str, value: int | None) -> str:
    if value is None:
        return "none"
    return str(value) if name in COUNTS else units.size(value)


def _numpy_of(api: int) -> str:
    return NUMPY_OF_API.get(api, f"C API {api:#x}")


def _versions() -> dict[str, str]:
    found = {}
    for name in PARTNERS:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def _cuda() -> dict:
    driver = _driver.query()
    reason = driver.reason
    if driver.devices:
        try:
            _devices.check(_devices.make("cuda", 0))
        except DeviceError as error:
            reason = str(error)
    return {
        "devices": driver.devices,
        "usable": _devices.count("cuda"),
        "driver": ".".join(map(str, driver.version)) if driver.version else None,
        "double": _driver.is_double(),
        "reason": reason,
    }
