"""Places of arrays in memory, as cuDNN wants them: dense, aligned, and the channels
second or last.
"""
from chainer_fast.backends._cupy import cupy

# Addresses of tensors are multiples of so many bytes, as cuDNN's frontend tells it.
ALIGNMENT = 16


def strides(shape, last):
    """Return the strides of a dense array, in elements.

    Parameters
    ----------
    shape : sequence of int
        Shape with the channels second.
    last : bool
        Whether the channels are last in memory.

    Returns
    -------
    list of int
    """
    axes = [0, *range(2, len(shape)), 1] if last else list(range(len(shape)))
    found, step = [0] * len(shape), 1
    for axis in reversed(axes):
        found[axis] = step
        step *= shape[axis]
    return found


def channels_last(x):
    """Return whether an array has its channels last, and is not plain as well."""
    return not x.flags.c_contiguous and _raw(x).flags.c_contiguous


def dense(x, last):
    """Return an array in one of the two orders, the same one if it can be."""
    if last:
        return _semantic(dense(_raw(x), False))
    return aligned(x if x.flags.c_contiguous else cupy.ascontiguousarray(x))


def aligned(x):
    """Return a contiguous array at an address that graphs of cuDNN are promised.

    Parts of arrays may be elsewhere, and are copied. New arrays never are.
    """
    return x.copy() if x.data.ptr % ALIGNMENT else x


def empty(shape, dtype, last):
    """Return a new array in one of the two orders."""
    if last:
        return _semantic(cupy.empty((shape[0], *shape[2:], shape[1]), dtype))
    return cupy.empty(shape, dtype)


def _raw(x):
    return x.transpose(0, *range(2, x.ndim), 1)


def _semantic(raw):
    return raw.transpose(0, raw.ndim - 1, *range(1, raw.ndim - 1))
