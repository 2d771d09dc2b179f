"""Memory order of images on a GPU: channels second or last.

Shapes have channels second. Kernels that keep a memory order work on views
(:func:`raw`) whose axes are in that order; for cuDNN, arrays are also dense and
aligned.
"""
from chainer_fast._core.devices.launches import is_channels_last
from chainer_fast.backends._cupy import cupy
from chainer_fast.configuration import config

# Addresses of tensors are multiples of this number of bytes, as declared to cuDNN.
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
    """Return whether an array has channels last, and is not also in C order."""
    return is_channels_last(x)


def orders(x):
    """Return the memory orders to try for convolutions, the best one first.

    Returns
    -------
    tuple of bool
        Whether the channels are last.
    """
    if config.cudnn_channels_last and x.dtype.char in 'ef':
        return True, False
    return channels_last(x),


def keeps(*xs):
    """Return whether a result of arrays of one shape has channels last in memory.

    It has if the configuration requests it and any of the arrays has.
    """
    return bool(config.cudnn_channels_last) and any(map(channels_last, xs))


def dense(x, last):
    """Return an array in one of the two orders, unchanged if possible."""
    if last:
        return semantic(dense(raw(x), False))
    return aligned(x if x.flags.c_contiguous else cupy.ascontiguousarray(x))


def aligned(x):
    """Return a contiguous array with the alignment that cuDNN graphs require.

    Parts of arrays may be misaligned, and are copied. New arrays never are.
    """
    return x.copy() if x.data.ptr % ALIGNMENT else x


def empty(shape, dtype, last):
    """Return a new array in one of the two orders."""
    if last:
        return semantic(cupy.empty((shape[0], *shape[2:], shape[1]), dtype))
    return cupy.empty(shape, dtype)


def elementwise(kernel, operands):
    """Call a kernel that returns one or several arrays, and preserve channels last.

    Parameters
    ----------
    kernel : callable
    operands : list
        Arrays and numbers. If the arrays have one shape, and any has channels last in
        memory, so have the results.
    """
    if not config.cudnn_channels_last:
        return kernel(*operands)
    arrays = [x for x in operands if isinstance(x, cupy.ndarray)]
    if len({x.shape for x in arrays}) != 1 or not keeps(*arrays):
        return kernel(*operands)
    results = kernel(*[
        raw(x) if isinstance(x, cupy.ndarray) else x for x in operands])
    if isinstance(results, tuple):
        return tuple(map(semantic, results))
    return semantic(results)


def in_memory(arrays, last):
    """Return arrays, or views with channels last, whose axes are in memory order."""
    return [raw(x) for x in arrays] if last else arrays


def raw(x):
    """Return a view with the channels last, of an array with the channels second."""
    return x.transpose(0, *range(2, x.ndim), 1)


def semantic(x):
    """Return a view with the channels second, of an array with the channels last."""
    return x.transpose(0, x.ndim - 1, *range(1, x.ndim - 1))
