"""Weight initializers."""
from __future__ import annotations

import numpy

from chainer_fast import backend, initializer as initializer_module
from chainer_fast._help import mistakes
from chainer_fast.backends.arrays import get_array_types
from chainer_fast.backends.dtypes import get_dtype
from chainer_fast.initializers import (
    constant as constant,
    normal as normal,
    orthogonal as orthogonal,
    sampling as sampling,
    uniform as uniform,
)
from chainer_fast.initializers.constant import (
    Constant as Constant,
    Identity as Identity,
    NaN as NaN,
    One as One,
    Zero as Zero,
)
from chainer_fast.initializers.normal import (
    GlorotNormal as GlorotNormal,
    HeNormal as HeNormal,
    LeCunNormal as LeCunNormal,
    Normal as Normal,
)
from chainer_fast.initializers.orthogonal import Orthogonal as Orthogonal
from chainer_fast.initializers.sampling import (
    DownsamplingConvFilter as DownsamplingConvFilter,
    UpsamplingDeconvFilter as UpsamplingDeconvFilter,
)
from chainer_fast.initializers.uniform import (
    GlorotUniform as GlorotUniform,
    HeUniform as HeUniform,
    LeCunUniform as LeCunUniform,
    Uniform as Uniform,
)
from chainer_fast.types import (
    AbstractInitializer, DeviceSpec, DTypeSpec, NdArray, ShapeSpec, Xp)


def generate_array(
        initializer: AbstractInitializer, shape: ShapeSpec, xp: Xp,
        dtype: DTypeSpec = None,
        device: DeviceSpec | None = None) -> NdArray:
    """Create an array and fill it by an initializer.

    Parameters
    ----------
    initializer : callable
        Called with the array, which it fills. Its attribute ``dtype``, unless it is
        missing or None, is the dtype of the array.
    shape : int or tuple of int
        Shape of the array.
    xp : module
        :mod:`numpy` or :mod:`cupy`.
    dtype : dtype specifier or None
        dtype of the array. None means the dtype of the initializer or, if that is None,
        too, ``chainer_fast.config.dtype``.
    device : device specifier or None
        Device of the array; None means the current device of ``xp``.

    Returns
    -------
    numpy.ndarray or cupy.ndarray
        The filled array.

    Raises
    ------
    ValueError
        If ``dtype`` contradicts the initializer, or ``device`` contradicts ``xp``.

    Examples
    --------
    >>> init = chainer.initializers.Constant(2)
    >>> chainer.initializers.generate_array(init, (2,), np, dtype=np.float32)
    array([2., 2.], dtype=float32)
    """
    wanted = getattr(initializer, 'dtype', None)
    if wanted is None:
        wanted = dtype
    elif dtype is not None and numpy.dtype(dtype) != numpy.dtype(wanted):
        raise ValueError(
            'the array should have dtype %s but the initializer creates %s; pass only '
            'one of them' % (dtype, wanted))
    wanted = get_dtype(wanted)

    if shape is None:
        shape = ()      # as in NumPy 1
    try:
        if device is None:
            array = xp.empty(shape, dtype=wanted)
            initializer(array)
            return array

        device = backend.get_device(device)
        if device.xp is not xp:
            raise ValueError(
                'device %s creates arrays of %s, but xp is %s' % (
                    device, device.xp, xp))
        with backend.using_device(device):
            array = xp.empty(shape, dtype=wanted)
            initializer(array)
    except TypeError as error:
        _explain_shape(error, shape)
        raise
    return array


def _explain_shape(error, shape):
    """Name in an exception the length of an array that is not an integer, if any."""
    lengths = shape if isinstance(shape, (tuple, list)) else (shape,)
    for length in lengths:
        if not hasattr(length, '__index__'):
            mistakes.tell(error, (
                'sizes are integers, but the shape of the array would be %s: %s' % (
                    tuple(lengths), 'n // 2 is an integer, n / 2 is not'
                    if isinstance(length, float) else (
                        '%r is not an integer' % (length,)))))
            return


def _is_value(initializer):
    return (numpy.isscalar(initializer)
            or isinstance(initializer, get_array_types()))


def _check_is_initializer_like(initializer):
    if initializer is not None and not _is_value(initializer):
        _check_callable(initializer)


def _check_callable(initializer):
    if not callable(initializer):
        raise TypeError(
            'an initializer is None, a scalar, an array or a callable, not %s'
            % type(initializer))
    if isinstance(initializer, type) and issubclass(
            initializer, initializer_module.Initializer):
        mistakes.warn_once(('initializer', initializer), (
            'the class %s is not an initializer and would not change the array: pass '
            'an object, %s()' % (initializer.__name__, initializer.__name__)))


def _get_initializer(initializer):
    """Return the callable for an initializer specification.

    None means :class:`LeCunNormal`, a scalar or an array means :class:`Constant`.
    """
    if initializer is None:
        return LeCunNormal()
    if _is_value(initializer):
        return Constant(initializer)
    _check_callable(initializer)
    return initializer
