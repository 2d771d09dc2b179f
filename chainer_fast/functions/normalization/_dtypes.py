"""Dtypes that normalization computes in."""
import numpy


def interm(x, gamma):
    """Return the common dtype of values and parameters, at least single precision.

    The squares of halves do not fit in halves, nor do sums of more than a few of them.
    """
    dtype = x.dtype
    if dtype == gamma.dtype and dtype.itemsize > 2:
        return dtype
    return numpy.promote_types(
        numpy.promote_types(dtype, gamma.dtype), numpy.float32)


def cast_all(arrays, dtype):
    """Return arrays cast to a dtype; arrays that have it already are not copied."""
    return [a if a.dtype == dtype else a.astype(dtype) for a in arrays]
