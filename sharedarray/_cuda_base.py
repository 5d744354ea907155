"""What the libraries that compute on CUDA devices have in common, whichever of them does."""

from typing import Any

from . import _cuda, _cuda_blocks
from ._cuda_record import cuda_array
from ._cuda_storage import CudaStorage


class CudaBackend:
    """The part of a `Backend` that does not depend on its library."""

    storage_type: Any = CudaStorage

    def synchronize(self, index):
        """Wait until the device has done all that it was given."""
        _cuda.synchronize(index)

    def memory_summary(self, index):
        """Return a table of the memory of the device."""
        return _cuda_blocks.memory_summary(index)

    def arrive(self, block, dtype, shape, strides, offset, readonly):
        """Make the Array of a handle that was opened."""
        b = self.array(block, offset, shape, strides, dtype)
        return cuda_array(self.frozen(b) if readonly else b, block.index, not readonly)
