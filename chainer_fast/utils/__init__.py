"""Helpers for many parts of the package, and small algorithms of general use."""
from __future__ import annotations

import contextlib
import shutil
import tempfile
import traceback
from collections import abc as collections_abc
from typing import Any

import numpy

from chainer_fast.backends.arrays import force_array, size_of_shape
from chainer_fast.types import DTypeSpec
from chainer_fast.utils import (
    _collections,
    argument as argument,
    array as array,
    cache as cache,
    conv as conv,
    conv_nd as conv_nd,
    conv_nd_kernel as conv_nd_kernel,
    error as error,
    imgproc as imgproc,
    meta as meta,
    precision as precision,
    type_check as type_check,
)
from chainer_fast.utils.array import sum_to as sum_to
from chainer_fast.utils.conv import (
    get_conv_outsize as get_conv_outsize,
    get_deconv_outsize as get_deconv_outsize,
)
from chainer_fast.utils.error import _format_array_props
from chainer_fast.utils.experimental import experimental as experimental
from chainer_fast.utils.meta import enable_final as enable_final, final as final
from chainer_fast.utils.nondeterministic import nondeterministic as nondeterministic
from chainer_fast.utils.sparse import (
    CooMatrix as CooMatrix,
    get_order as get_order,
    to_coo as to_coo,
)
from chainer_fast.types import NdArray


def force_type(dtype: DTypeSpec, value: Any) -> NdArray | numpy.generic:
    """Cast a scalar or an array unless it already has the dtype.

    Parameters
    ----------
    dtype : numpy.dtype
        The type.
    value : scalar or array
        Value to cast. Integers that are out of range wrap around.

    Returns
    -------
    numpy scalar or array
        The value in the dtype.

    Examples
    --------
    >>> chainer.utils.force_type(np.dtype(np.float32), np.arange(2))
    array([0., 1.], dtype=float32)
    """
    if not numpy.isscalar(value):
        return value if value.dtype == dtype else value.astype(dtype, copy=False)
    if dtype.kind == 'f':
        return dtype.type(value)
    # NumPy's scalar types raise an error or warn for integers out of range.
    return numpy.asarray(value).astype(dtype)[()]


@contextlib.contextmanager
def tempdir(**kwargs: Any):
    """Create a temporary directory that is removed at the end of the ``with`` block.

    Parameters
    ----------
    ignore_errors : bool
        Whether to ignore errors when removing the directory. Default: False.
    **kwargs
        Arguments of :func:`tempfile.mkdtemp`.

    Yields
    ------
    str
        Path of the directory.

    Examples
    --------
    >>> import os
    >>> with chainer.utils.tempdir() as path:
    ...     os.path.isdir(path)
    True
    >>> os.path.exists(path)
    False
    """
    ignore_errors = kwargs.pop('ignore_errors', False)
    path = tempfile.mkdtemp(**kwargs)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=ignore_errors)


def _check_arrays_forward_compatible(arrays, label=None):
    """Raise ``TypeError`` unless the arrays are of one library; ignore None."""
    if type_check.same_types(*[x for x in arrays if x is not None]):
        return
    raise TypeError(
        'incompatible array types are mixed in the forward input%s.\nActual: %s' % (
            '' if label is None else ' (%s)' % (label,),
            ', '.join([str(type(x)) for x in arrays])))


def _raise_from(exc_type, message, orig_exc):
    """Raise an exception whose message includes its cause."""
    cause = ''.join(traceback.format_exception_only(type(orig_exc), orig_exc))
    raise exc_type('%s\n\n(caused by)\n%s' % (message, cause)).with_traceback(
        orig_exc.__traceback__) from None


def _repr_with_named_data(inst, **kwargs):
    """Return a text for ``__repr__`` with some named values."""
    values = ' '.join(['%s=%s' % item for item in kwargs.items()])
    return '<%s.%s %s>' % (type(inst).__module__, type(inst).__name__, values)


WalkerAlias: type[Any]


def __getattr__(name: str) -> type[Any]:
    # Imported late: samplers are device residents, which use `meta` of this package.
    if name != 'WalkerAlias':
        raise AttributeError('module %r has no attribute %r' % (__name__, name))
    from chainer_fast.utils import walker_alias
    return walker_alias.WalkerAlias
