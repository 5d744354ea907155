"""What the namespace can do: ``__array_namespace_info__``."""

import numpy as np

from ._data_types import KINDS
from ._devices import Device, count, default, resolve


class Info:
    """What the namespace can do, as the standard asks for it."""

    __module__ = "sharedarray"

    def capabilities(self) -> dict[str, bool | int]:
        """Tell which optional parts of the standard there are.

        Returns
        -------
        out : dict
            Boolean indexing and shapes that depend on data work; at most 64 dimensions.

        Examples
        --------
        >>> import sharedarray as xp
        >>> xp.__array_namespace_info__().capabilities()["max dimensions"]
        64
        """
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> Device:
        """Tell the device on which arrays are made.

        Returns
        -------
        out : Device
            The device in force.

        Examples
        --------
        >>> import sharedarray as xp
        >>> xp.__array_namespace_info__().default_device()
        Device('cpu')
        """
        return default()

    def default_dtypes(
        self, *, device: Device | str | None = None
    ) -> dict[str, np.dtype[np.generic]]:
        """Tell the data types that are used where none is named.

        Parameters
        ----------
        device : Device or str, optional
            The device; the answer is the same for all.

        Returns
        -------
        out : dict
            Types by kind.

        Examples
        --------
        >>> import sharedarray as xp
        >>> xp.__array_namespace_info__().default_dtypes()["real floating"]
        dtype('float64')
        """
        resolve(device)
        return {
            "real floating": np.dtype("float64"),
            "complex floating": np.dtype("complex128"),
            "integral": np.dtype("int64"),
            "indexing": np.dtype("int64"),
        }

    def dtypes(
        self, *, device: Device | str | None = None, kind: str | tuple[str, ...] | None = None
    ) -> dict[str, np.dtype[np.generic]]:
        """Tell the data types of the standard.

        Parameters
        ----------
        device : Device or str, optional
            The device; the answer is the same for all.
        kind : str or tuple of str, optional
            Kinds as in `isdtype`; by default all.

        Returns
        -------
        out : dict
            Types by name.

        Raises
        ------
        ValueError
            If there is no such kind.

        Examples
        --------
        >>> import sharedarray as xp
        >>> list(xp.__array_namespace_info__().dtypes(kind="real floating"))
        ['float32', 'float64']
        """
        resolve(device)
        kinds = ("bool", "numeric") if kind is None else kind
        names: list[str] = []
        for each in kinds if isinstance(kinds, tuple) else (kinds,):
            if not isinstance(each, str) or each not in KINDS:
                raise ValueError(f"kind {each!r} is unknown; there are {', '.join(KINDS)}")
            names += KINDS[each]
        return {name: np.dtype(name) for name in names}

    def devices(self) -> tuple[Device, ...]:
        """Tell the devices on which arrays can be made.

        Returns
        -------
        out : tuple of Device
            The CPU, and the CUDA devices.

        Examples
        --------
        >>> import sharedarray as xp
        >>> xp.__array_namespace_info__().devices()[0]
        Device('cpu')
        """
        return (Device("cpu"), *(Device("cuda", i) for i in range(count("cuda"))))


def __array_namespace_info__():
    """Tell what the namespace can do.

    Returns
    -------
    out : Info
        An object with `capabilities`, `default_device`, `default_dtypes`, `dtypes` and `devices`.

    Examples
    --------
    >>> import sharedarray as xp
    >>> "float64" in xp.__array_namespace_info__().dtypes()
    True
    """
    return Info()


__array_namespace_info__.__module__ = "sharedarray"
