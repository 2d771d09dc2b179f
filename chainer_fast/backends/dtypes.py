"""Dtypes of new arrays, according to ``config.dtype``."""
from __future__ import annotations

import os
from typing import Any

import numpy

from chainer_fast.configuration import config, global_config
from chainer_fast.types import DTypeSpec


class _Mixed16:
    """Type of :data:`mixed16`."""

    # Pickles refer to the object by its name, an attribute of the package.
    __module__ = 'chainer_fast'

    dtype: Any = numpy.dtype(numpy.float16)

    def __repr__(self) -> str:
        return "dtype('mixed16')"

    def __reduce__(self) -> str:
        return 'mixed16'


#: Value of ``config.dtype`` for training in mixed precision: activations are in
#: float16, parameters and other values that need the precision in float32.
mixed16: Any = _Mixed16()


def get_dtype(dtype: DTypeSpec = None, map_mixed16: DTypeSpec = None) -> DTypeSpec:
    """Return the dtype of new arrays and parameters.

    Parameters
    ----------
    dtype : dtype, optional
        The requested dtype; ``config.dtype`` if ``None``.
    map_mixed16 : dtype, optional
        Meaning of :data:`mixed16` here; float16 if ``None``.

    Returns
    -------
    numpy.dtype
        The dtype; never :data:`mixed16`.

    Examples
    --------
    >>> chainer.get_dtype(), chainer.get_dtype(np.float64)
    (dtype('float32'), dtype('float64'))
    >>> with chainer.using_config('dtype', chainer.mixed16):
    ...     chainer.get_dtype(), chainer.get_dtype(map_mixed16=np.float32)
    (dtype('float16'), dtype('float32'))
    """
    wanted = config.dtype if dtype is None else dtype
    if map_mixed16 is None or not isinstance(wanted, _Mixed16):
        return numpy.dtype(wanted)
    return numpy.dtype(map_mixed16)


def _default():
    """Return the default value of ``config.dtype``."""
    name = os.environ.get('CHAINER_DTYPE', 'float32')
    if name not in ('float16', 'float32', 'float64', 'mixed16'):
        raise TypeError(
            'CHAINER_DTYPE must be float16, float32, float64 or mixed16, not %r' % (
                name,))
    return mixed16 if name == 'mixed16' else numpy.dtype(name)


global_config.dtype = _default()
