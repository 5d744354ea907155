"""Functions of the namespace on CUDA devices: the backend computes, results are Arrays there."""

from . import _device
from ._array import Array
from ._cuda_call import Call, cuda_of
from ._cuda_record import index_of
from ._devices import resolve

NOWHERE = 1000  # no argument by position is written to
#: Functions that look at data types alone; arrays are replaced by theirs.
OF_DTYPES = frozenset({"can_cast", "finfo", "iinfo", "isdtype", "result_type"})
#: Functions that return read-only views, where the library has no such.
DIAGONALS = frozenset({"diagonal", "linalg.diagonal"})
#: Functions that write to an argument: its place.
WRITES = {
    "copyto": 0,
    "fill_diagonal": 0,
    "place": 0,
    "put": 0,
    "put_along_axis": 0,
    "putmask": 0,
    "random.shuffle": 0,
}


def name_of(function):
    """Return the name of a function of the namespace, dotted below the package.

    Parameters
    ----------
    function : Function
        The function.

    Returns
    -------
    out : str
        Such as ``"linalg.svd"`` or ``"add.reduce"``.
    """
    return f"{function.__module__}.{function.__qualname__}".partition(".")[2]


def call(function, positional, keywords):
    """Call a function of the namespace with Arrays of a CUDA device among its arguments.

    Parameters
    ----------
    function : Function
        The function.
    positional : list
        Its arguments by position.
    keywords : dict
        Its arguments by name.

    Returns
    -------
    out : object
        What it returns, Arrays being on the device of the arguments.

    Raises
    ------
    ValueError
        If the arguments lie on several devices.
    TypeError
        If NumPy arrays are among them.
    NotImplementedError
        If the library that computes on the device has no such function.
    """
    target = _without_device(function, positional, keywords)
    if keywords:
        function._rename(positional, keywords)
    name, free = _known(function)
    work = Call(index_of(cuda_of((positional, keywords))))
    if name in OF_DTYPES:
        positional = [x.dtype if isinstance(x, Array) else x for x in positional]
        return function(*positional, **keywords)
    if keywords or len(positional) > free:
        _check_outputs(function, name, positional, keywords)
    result = work.calling(
        work.library.function(name, function),
        *[work.convert(x) for x in positional],
        **{key: work.convert(x) for key, x in keywords.items()},
    )
    if name in DIAGONALS:
        result.setflags(write=False)
    return result if target is None else result.to_device(resolve(target))


def _without_device(function, positional, keywords):
    """Take the argument `device` out of a call and return it."""
    if not function._creates:
        return None
    if len(positional) > function._device:
        device, positional[function._device] = positional[function._device], None
        return device
    return keywords.pop("device", None)


_about: dict[object, tuple[str, int]] = {}


def _known(function):
    """Return the name of a function, and how many arguments by position are never written to."""
    found = _about.get(function)
    if found is None:
        name = name_of(function)
        writes = name.endswith(".at") or name in WRITES or name == "nan_to_num"
        free = -1 if writes else min(function._outputs(), default=NOWHERE)
        found = _about[function] = name, free
    return found


def _check_outputs(function, name, positional, keywords):
    """Raise where the function would write to a read-only array."""
    written = [positional[i] for i in function._outputs() if i < len(positional)]
    written.append(keywords.get("out"))
    place = 0 if name.endswith(".at") else WRITES.get(name)
    if name == "nan_to_num" and not (keywords.get("copy", True) and all(positional[1:2])):
        place = 0
    if place is not None and place < len(positional):
        written.append(positional[place])
    for item in written:
        for x in item if isinstance(item, tuple) else (item,):
            if isinstance(x, Array) and not x.flags.writeable:
                raise ValueError("output array is read-only")


def create(function, device, positional, keywords):
    """Make arrays by a function of the namespace on a CUDA device.

    Parameters
    ----------
    function : Function
        The function.
    device : Device
        The device, which exists.
    positional : list
        Its arguments by position.
    keywords : dict
        Its arguments by name.

    Returns
    -------
    out : object
        What it returns, Arrays being on `device`.
    """
    _without_device(function, positional, keywords)
    if _holds_arrays((positional, keywords)):
        with _device.CPU:
            return _moved(function(*positional, **keywords), device)
    if keywords:
        function._rename(positional, keywords)
    work = Call(device.index)
    theirs = work.library.function(name_of(function), function)
    return work.calling(theirs, *positional, **keywords)


def follow(function, device, positional, keywords):
    """Call a function of the namespace with numbers and lists, as a device in force wants it.

    Parameters
    ----------
    function : callable
        A function of the namespace, or an index helper's.
    device : Device
        The device in force.
    positional, keywords : list, dict
        The arguments.

    Returns
    -------
    out : object
        What it returns, Arrays being on `device`; NotImplemented where an argument is an Array,
        for results are where the arguments are.
    """
    if _holds_arrays((positional, keywords)):
        return NotImplemented
    with _device.CPU:
        return _moved(function(*positional, **keywords), device)


def _moved(result, device):
    """Return what a function returned on another device."""
    if isinstance(result, Array):
        return result.to_device(device)
    if isinstance(result, tuple):
        return tuple(_moved(x, device) for x in result)
    return result


def _holds_arrays(x):
    """Tell whether Arrays are among nested arguments."""
    if isinstance(x, Array):
        return True
    if isinstance(x, (list, tuple)):
        return any(_holds_arrays(item) for item in x)
    return isinstance(x, dict) and any(_holds_arrays(item) for item in x.values())
