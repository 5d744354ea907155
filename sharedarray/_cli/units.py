"""Figures as people read them."""


def size(nbytes: float) -> str:
    """Return a number of bytes with a binary unit.

    Parameters
    ----------
    nbytes : float
        The number.

    Returns
    -------
    str
        Three or four digits and a unit, such as ``1.50 GiB``.
    """
    if nbytes < 1024:
        return f"{nbytes:.0f} B"
    for unit in ("KiB", "MiB", "GiB", "TiB"):
        nbytes /= 1024
        if nbytes < 999.5 or unit == "TiB":
            break
    digits = 2 if nbytes < 9.995 else 1 if nbytes < 99.95 else 0
    return f"{nbytes:.{digits}f} {unit}"


def seconds(value: float) -> str:
    """Return a duration in seconds.

    Parameters
    ----------
    value : float
        Seconds.

    Returns
    -------
    str
        With its unit, such as ``1.25 s``.
    """
    return f"{value:.2f} s"
