"""Build in place, for work on the project: ``python setup.py build_ext --inplace``.

Wheels are built by meson-python from ``meson.build``; both read ``pyx/modules.txt`` and
``pyx/programs.txt``.
"""

import os
import sys

os.chdir(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, "tools")

import buildinfo  # noqa: E402
from Cython.Build import cythonize  # noqa: E402
from setuptools import Distribution, Extension, setup  # noqa: E402
from setuptools.command.build_ext import build_ext  # noqa: E402

# Cython's C depends on the NumPy it is generated beside, which is another one for each Python.
GENERATED = f"build/cython-{sys.implementation.cache_tag}"
CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


class InPlace(Distribution):
    """Leave ``pyproject.toml`` to meson-python: old setuptools refuse what it may say."""

    def parse_config_files(self, *args, **kwargs):
        """Read no configuration files."""


def outdated(target, sources):
    """Whether a file is missing, or older than any that it is made from."""
    return not os.path.exists(target) or any(
        os.path.getmtime(source) > os.path.getmtime(target) for source in sources
    )


class BuildInParallel(build_ext):
    """Compile as many modules at a time as there are cores."""

    def finalize_options(self):
        """Set the number of jobs unless it was given."""
        super().finalize_options()
        self.parallel = self.parallel or CORES

    def run(self):
        """Compile the modules, then the programs."""
        super().run()
        for name, sources in buildinfo.programs().items():
            target = os.path.join("sharedarray", name)
            depends = [*sources, *buildinfo.headers(), "pyx/flags.txt", "pyx/programs.txt"]
            if self.force or outdated(target, depends):
                objects = self.compiler.compile(
                    sources,
                    output_dir=os.path.join(self.build_temp, "programs"),
                    extra_postargs=buildinfo.flags("compile"),
                    depends=depends,
                )
                self.compiler.link_executable(
                    objects, name, "sharedarray", extra_postargs=buildinfo.flags("link")
                )


def extensions():
    """Describe each module of the list."""
    headers = buildinfo.headers()
    for name, sources in buildinfo.modules().items():
        if not os.path.exists(sources[0]):
            continue
        yield Extension(
            f"sharedarray.{name}",
            sources,
            include_dirs=[buildinfo.numpy_include(), str(buildinfo.PYX)],
            depends=[*headers, "pyx/flags.txt"],
            extra_compile_args=buildinfo.flags("compile"),
            extra_link_args=buildinfo.flags("link"),
        )


def directives_changed():
    """Whether Cython wrote any module before its directives were last changed."""
    written = (
        os.path.join(GENERATED, os.path.splitext(sources[0])[0] + ".c")
        for sources in buildinfo.modules().values()
    )
    return any(outdated(path, ["pyx/flags.txt"]) for path in written if os.path.exists(path))


if __name__ == "__main__":
    setup(
        name="sharedarray-xp",
        version=buildinfo.version(),
        packages=["sharedarray"],
        distclass=InPlace,
        cmdclass={"build_ext": BuildInParallel},
        ext_modules=cythonize(
            list(extensions()),
            nthreads=CORES,
            build_dir=GENERATED,
            include_path=["pyx"],
            compiler_directives=buildinfo.directives(),
            force=directives_changed(),
        ),
    )
