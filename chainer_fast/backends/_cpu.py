"""Host memory: NumPy's arrays."""
from __future__ import annotations

from typing import Any

import numpy

from chainer_fast import _backend
from chainer_fast._core import kinds
from chainer_fast.types import NdArray

# Weak references to arrays of NumPy that belong to another device, by their ids.
_of_other_device: dict[Any, Any] = {}


def _is_of_other_device(array):
    return id(array) in _of_other_device


def _array_to_cpu(array):
    if array is None:
        return None
    if isinstance(array, numpy.ndarray):
        return array.view() if _is_of_other_device(array) else array
    kind = kinds.kind_of(array)
    if kind is not None:
        return kind.to_numpy(array)
    if numpy.isscalar(array):
        return numpy.asarray(array)
    raise TypeError(
        'expected an array or a scalar to copy to the CPU, got %s'
        '%s' % (type(array), _hint(array)))


def _hint(array):
    return '; pass its `.array`' if hasattr(array, 'creator_node') else ''


def _to_cpu(arrays):
    """Return an array, or a list or tuple of them, in host memory."""
    return _backend._convert_arrays(arrays, _array_to_cpu)


class CpuDevice(_backend.NamedDevice):
    """The CPU, with NumPy as its array module. Specifier: ``'@numpy'``.

    Examples
    --------
    >>> chainer.backend.CpuDevice() == chainer.get_device('@numpy')
    True
    """

    name = '@numpy'
    xp = numpy
    supported_array_types: tuple[type[Any], ...] = (numpy.ndarray,)

    @staticmethod
    def from_array(array: object) -> CpuDevice | None:
        """Return the device of an array of NumPy, or ``None`` for anything else."""
        if not isinstance(array, numpy.ndarray) or _is_of_other_device(array):
            return None
        return CpuDevice()

    def __repr__(self) -> str:
        return '<%s (numpy)>' % type(self).__name__

    def is_array_supported(self, array: Any) -> bool:
        return super().is_array_supported(array) and not _is_of_other_device(array)

    def send_array(self, array: Any) -> NdArray:
        return _array_to_cpu(array)


kinds.register(kinds.Kind(
    'NumPy', load=lambda: numpy, types=(numpy.ndarray,), current_device=CpuDevice,
    to_numpy=_array_to_cpu))
