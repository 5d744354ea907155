"""
CuPy's real objects over our memory, on a machine without a driver: ``make cupy``.

Making arrays, views and pointers needs no driver in CuPy, computing does. So the driver double
gives the memory, and two functions of the CUDA runtime, which does not run on the double, are
replaced.
"""
