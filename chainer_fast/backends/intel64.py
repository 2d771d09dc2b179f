"""Chainer's backend for x86 processors, with oneDNN instead of iDeep.

Chainer used iDeep, whose ``mdarray`` wrapped arrays of the predecessor of oneDNN. The
last release of ``ideep4py`` is from 2019. The names that programs use are kept, and
the library behind them is oneDNN itself, which works on NumPy arrays.
``config.use_ideep`` turns it on, and it is loaded when it is first needed.
"""
from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

import numpy

from chainer_fast import _backend
from chainer_fast._core import kinds
from chainer_fast._help import installation
from chainer_fast.backends import _cpu
from chainer_fast.backends._onednn import library
from chainer_fast.configuration import config
from chainer_fast.types import NdArray

# Numbers of axes of the arrays that are marked as arrays of the device.
_NDIMS = (1, 2, 4)


class _TypeOfMarked(type):

    def __instancecheck__(cls, array: NdArray) -> bool:
        return _cpu._is_of_other_device(array)


class mdarray(metaclass=_TypeOfMarked):
    """Arrays on the device ``'@intel64'``, for ``isinstance``.

    They are NumPy arrays that were sent to the device, so that every function supports
    them at full speed. A call returns a view of an array on the device.

    Parameters
    ----------
    array : numpy.ndarray
        An array of float32, with 1, 2 or 4 axes.
    """

    dtype: numpy.dtype
    ndim: int

    def __new__(cls, array: NdArray) -> Any:
        array = numpy.asarray(array).view()
        if not _can_be_marked(array):
            raise ValueError(
                'arrays of the device must be float32, have 1, 2 or 4 axes and not be '
                'empty; got %s of shape %s' % (array.dtype, array.shape))
        _cpu._of_other_device[id(array)] = weakref.ref(array, _forget(id(array)))
        return array


def _forget(key):
    # Referenced here, as modules are empty when the last arrays are freed at exit.
    pop = _cpu._of_other_device.pop
    return lambda _: pop(key, None)


def _can_be_marked(array):
    return array.dtype == numpy.float32 and array.ndim in _NDIMS and array.size > 0


class ideep:
    """Names of the module ``ideep4py`` that programs use."""

    mdarray = mdarray
    array = mdarray


class Intel64Device(_backend.NamedDevice):
    """An x86 processor with oneDNN.

    Raises
    ------
    RuntimeError
        If oneDNN is not available.

    Examples
    --------
    If oneDNN is installed: ::

        chainer.config.use_ideep = 'auto'
        model.to_device('@intel64')
    """

    xp = numpy
    name = '@intel64'
    supported_array_types: tuple[type[Any], ...] = (numpy.ndarray, mdarray)

    def __init__(self) -> None:
        check_ideep_available()

    @staticmethod
    def from_array(array: object) -> Intel64Device | None:
        """Return the device of an ``mdarray``, or ``None`` for anything else."""
        return Intel64Device() if _cpu._is_of_other_device(array) else None

    def __repr__(self) -> str:
        return '<%s>' % type(self).__name__

    def send_array(self, array: Any) -> NdArray:
        if _cpu._is_of_other_device(array):
            return array
        array = _cpu._array_to_cpu(array)
        if array is not None and _can_be_marked(array):
            return mdarray(array)
        return array


# Its arrays are NumPy arrays.
kinds.register(kinds.Kind('iDeep', device_of=Intel64Device.from_array))


def is_ideep_available() -> bool:
    """Return whether oneDNN can be used; the first call searches it.

    Returns
    -------
    bool
        Whether oneDNN is loaded.
    """
    return library.available()


def check_ideep_available() -> None:
    """Raise ``RuntimeError`` unless oneDNN can be used."""
    if not is_ideep_available():
        raise RuntimeError(
            'iDeep is not available: oneDNN, which replaces it, cannot be used (%s). '
            'To install it: %s' % (
                library.reason(), installation.install('onednn')))


def should_use_ideep(level: str) -> bool:
    """Return whether a function should use oneDNN at a level of the configuration.

    Parameters
    ----------
    level : {'==always', '>=auto'}
        Lowest value of ``config.use_ideep`` at which oneDNN is used.

    Returns
    -------
    bool
        Whether to use oneDNN.

    Raises
    ------
    ValueError
        If oneDNN is available and ``level`` or ``config.use_ideep`` is unknown.
    """
    if config.use_ideep == 'never' and level in _backend._LEVELS:
        return False        # known without loading the library
    if not is_ideep_available():
        return False
    return _backend._library_wanted('iDeep', 'use_ideep', level, config.use_ideep)


def inputs_all_ready(
        inputs: Sequence[NdArray], supported_ndim: tuple[int, ...] = (2, 4)) -> bool:
    """Return whether arrays can be passed to oneDNN directly.

    Parameters
    ----------
    inputs : sequence of arrays
        The arrays.
    supported_ndim : tuple of int
        Numbers of dimensions that the function supports.

    Returns
    -------
    bool
        ``True`` if oneDNN is available and all inputs are arrays of float32 in host
        memory with a supported number of dimensions.
    """
    return is_ideep_available() and all(
        isinstance(x, numpy.ndarray) and x.dtype == numpy.float32
        and x.ndim in supported_ndim for x in inputs)
