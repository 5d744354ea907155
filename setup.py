"""Build in place: ``python setup.py build_ext --inplace``."""

import pathlib

import numpy
from Cython.Build import cythonize
from setuptools import Extension, setup

HERE = pathlib.Path(__file__).parent
PYX = pathlib.Path("pyx/sharedarray")


def extensions():
    """Read the one list of modules, ``pyx/modules.txt``."""
    for line in (HERE / "pyx/modules.txt").read_text().splitlines():
        name, _, sources = line.partition(":")
        if not (HERE / PYX / f"{name}.pyx").exists():
            continue
        yield Extension(
            f"sharedarray.{name}",
            [str(PYX / f"{name}.pyx"), *(str(PYX / c) for c in sources.split())],
            include_dirs=[numpy.get_include(), str(PYX)],
            define_macros=[
                ("NPY_NO_DEPRECATED_API", "NPY_2_0_API_VERSION"),
                ("NPY_TARGET_VERSION", "NPY_2_0_API_VERSION"),
                ("_GNU_SOURCE", "1"),
            ],
            extra_compile_args=["-O3", "-std=gnu11", "-fvisibility=hidden"],
        )


setup(
    name="sharedarray-xp",
    packages=["sharedarray"],
    ext_modules=cythonize(
        list(extensions()),
        include_path=["pyx"],
        compiler_directives={"language_level": 3, "binding": True, "embedsignature": False},
    ),
)
