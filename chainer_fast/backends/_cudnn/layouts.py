"""Places of arrays in memory, as cuDNN wants them: dense, channels second or last."""
from chainer_fast.backends._cupy import cupy


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
        return _semantic(cupy.ascontiguousarray(_raw(x)))
    return cupy.ascontiguousarray(x)


def empty(shape, dtype, last):
    """Return a new array in one of the two orders."""
    if last:
        return _semantic(cupy.empty((shape[0], *shape[2:], shape[1]), dtype))
    return cupy.empty(shape, dtype)


def _raw(x):
    return x.transpose(0, *range(2, x.ndim), 1)


def _semantic(raw):
    return raw.transpose(0, raw.ndim - 1, *range(1, raw.ndim - 1))
