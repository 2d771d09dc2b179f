"""Helpers that Chainer keeps at its top level: debug mode, dtypes, array types."""
import warnings

import numpy

from chainer_fast.backends import cuda
from chainer_fast.configuration import config, using_config


class _FallbackType:
    """Type of :data:`Fallback`, which a function's ``forward_chainerx`` returns."""

    def __repr__(self):
        return 'Fallback'

    def __reduce__(self):
        return 'Fallback'


#: What ``forward_chainerx`` returns to have the arrays go through ``forward`` instead.
Fallback = _FallbackType()


# Arrays
#

# What is available does not change while a program runs.
_CPU_TYPES = (numpy.ndarray,)
_GPU_TYPES = (cuda.ndarray,) if cuda.available else ()


def get_array_types():
    """Return the types of array that functions take on this machine.

    Returns
    -------
    tuple of type
    """
    return _CPU_TYPES + _GPU_TYPES


def get_cpu_array_types():
    """Return the types of array in host memory that functions take on this machine.

    Returns
    -------
    tuple of type
    """
    return _CPU_TYPES


def is_arrays_compatible(arrays):
    """Return whether arrays can be used together, as inputs of one function.

    Parameters
    ----------
    arrays : iterable of arrays
        ``None`` goes with everything.

    Returns
    -------
    bool
        ``True`` if all are in host memory, or all are arrays of CuPy.
    """
    given = [a for a in arrays if a is not None]
    in_host_memory = [isinstance(a, _CPU_TYPES) for a in given]
    return all(in_host_memory) or all([isinstance(a, cuda.ndarray) for a in given])


# Debug mode
#

def is_debug():
    """Return whether the running thread is in debug mode.

    In debug mode functions check their inputs and outputs more thoroughly, for values
    that are not a number and for indices out of range, at some cost in time.

    Returns
    -------
    bool
    """
    return bool(config.debug)


def set_debug(debug):
    """Turn debug mode on or off in the running thread.

    Parameters
    ----------
    debug : bool

    See Also
    --------
    chainer_fast.using_config : ``using_config('debug', True)`` does it for a block.
    """
    config.debug = debug


class DebugMode:
    """Context manager that turns debug mode on or off.

    Parameters
    ----------
    debug : bool
        The mode inside the block. On leaving it is as before.

    .. deprecated:: 2.0
        Use ``using_config('debug', ...)``.
    """

    def __init__(self, debug):
        warnings.warn(
            'chainer.DebugMode is deprecated. '
            'Use chainer.using_config("debug", ...) instead.',
            DeprecationWarning, stacklevel=2)
        self._mode = bool(debug)
        self._blocks = []

    def __enter__(self):
        block = using_config('debug', self._mode)
        block.__enter__()
        self._blocks.append(block)

    def __exit__(self, *exc_info):
        self._blocks.pop().__exit__(*exc_info)


# Dtypes
#

class _Mixed16:
    """Type of :data:`mixed16`."""

    dtype = numpy.dtype(numpy.float16)

    def __repr__(self):
        return "dtype('mixed16')"

    def __reduce__(self):
        return 'mixed16'


#: Value of ``config.dtype`` for training in mixed precision: activations are of
#: float16, and what needs the precision, such as parameters, is of float32.
mixed16 = _Mixed16()


def get_dtype(dtype=None, map_mixed16=None):
    """Return the dtype of new arrays and parameters.

    Parameters
    ----------
    dtype : dtype, optional
        The dtype asked for; ``config.dtype`` if ``None``.
    map_mixed16 : dtype, optional
        What :data:`mixed16` means in this place; float16 if ``None``.

    Returns
    -------
    numpy.dtype
    """
    wanted = config.dtype if dtype is None else dtype
    if map_mixed16 is None or not isinstance(wanted, _Mixed16):
        return numpy.dtype(wanted)
    return numpy.dtype(map_mixed16)


def get_compute_mode():
    """Return ``config.compute_mode``.

    Returns
    -------
    str or None
        ``'cudnn_fast'`` asks links for memory layouts that suit cuDNN.
    """
    return config.compute_mode
