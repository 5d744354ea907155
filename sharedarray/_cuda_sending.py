"""Arrays on CUDA devices on their way: what names them."""

from multiprocessing.reduction import ForkingPickler

from ._cuda_array import CudaArray
from ._cuda_handle import handle_of, message
from ._cuda_record import header
from ._cuda_storage import CudaStorage
from ._transport import _receive_array, _receive_storage

__all__ = ["handle", "named"]


def named(x):
    """Describe what a message says of an Array on a CUDA device.

    Parameters
    ----------
    x : Array
        Of the device.

    Returns
    -------
    out : tuple
        Its Storage, and ``(dtype, shape, strides, offset, readonly)`` in bytes.
    """
    storage, pointer = x.storage(), None
    while pointer != storage.data_ptr():  # another thread may move both
        pointer, layout = storage.data_ptr(), header(x)
    offset = layout.ctypes.data - pointer if layout.size else 0
    return storage, (x.dtype, x.shape, x.strides, offset, not layout.flags.writeable)


def handle(x):
    """Return a Handle of an Array on a CUDA device."""
    return handle_of(*named(x), x)


def _reduce_array(x):
    """How multiprocessing sends an Array of a CUDA device: by handle, if the driver exports."""
    if not x.is_shared():
        return x.__reduce_ex__(4)
    return _receive_array, (message(*named(x)),)


def _reduce_storage(storage):
    return _receive_storage, (message(storage, None),)


ForkingPickler.register(CudaArray, _reduce_array)
ForkingPickler.register(CudaStorage, _reduce_storage)
