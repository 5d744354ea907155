"""Arrays in shared memory that behave like NumPy's and travel between processes by handle."""

from sharedarray import _platform  # isort: skip  # first: it says why the rest cannot be imported
from sharedarray._version import __version__

__all__ = ["__version__"]

del _platform
