"""Comparison and layout of arrays on any device."""
from chainer_fast import backend
from chainer_fast.gradient_check._allclose import assert_allclose  # noqa: F401


def _as_noncontiguous_array(array):
    """Copy an array into one that is neither C- nor Fortran-contiguous.

    Arrays with at most one element, which are always contiguous, and ``None`` are
    returned unchanged. Sequences are converted element by element.
    """
    if isinstance(array, (list, tuple)):
        return type(array)([_as_noncontiguous_array(a) for a in array])
    if array is None or array.size <= 1:
        return array
    device = backend.get_device_from_array(array)
    if device._wraps:
        return device.send(_as_noncontiguous_array(backend.from_chx(array)))
    # Every second element of a larger buffer, in reverse order.
    with backend.using_device(device):
        spread = backend.get_array_module(array).empty(
            [2 * n for n in array.shape], array.dtype)
        view = spread[tuple(slice(None, None, -2) for _ in array.shape)]
        view[...] = array
    return view
