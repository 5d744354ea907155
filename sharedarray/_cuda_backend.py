"""Which library computes on CUDA devices, found when one is first needed."""

import importlib.util

from . import _backends, _driver

OLDEST = (12, 0)  # of CUDA, for which there is a CuPy that this library works with


class Cuda:
    """Finds the backend of CUDA devices: CuPy, or NumPy on a driver double."""

    def __init__(self) -> None:
        self._announced = False

    def missing(self) -> str:
        """Say why no arrays can be made where there are devices.

        Returns
        -------
        out : str
            Empty if they can.
        """
        version = _driver.query().version
        if version is not None and version < OLDEST:
            return (
                f"the NVIDIA driver is for CUDA {version[0]}.{version[1]}, and one for CUDA "
                f"{OLDEST[0]} or newer is needed: update it"
            )
        if _driver.is_double() or importlib.util.find_spec("cupy") is not None:
            return ""
        extra = "cuda12" if version is not None and version < (13, 0) else "cuda13"
        return f'CuPy is not installed: pip install "sharedarray-xp[{extra}]"'

    def announce(self) -> None:
        """Devices come into use: from now on they have to be looked for."""
        if not self._announced:  # later nothing is imported: this may run as the interpreter ends
            from ._cuda_record import look_for_devices

            look_for_devices()
            self._announced = True

    def load(self) -> _backends.Backend:
        """Import the library that computes.

        Returns
        -------
        out : Backend
            The backend.
        """
        from . import _cuda_exchange, _cuda_sending  # noqa: F401  # they complete the class
        from ._cuda_record import look_for_devices

        look_for_devices()
        if _driver.is_double():
            from ._cuda_numpy import NumpyBackend

            return NumpyBackend()
        from ._cuda_cupy import CupyBackend

        return CupyBackend()


_backends.provide("cuda", Cuda())
