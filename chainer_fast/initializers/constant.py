"""Initializers that fill an array with fixed values."""
from __future__ import annotations

import typing as tp

import numpy

from chainer_fast import backend, initializer
from chainer_fast._help import mistakes, pytorch
from chainer_fast.backends.arrays import get_array_types
from chainer_fast.types import DTypeSpec, NdArray


class _Constant(initializer.Initializer):

    fill_value = None

    def __init__(self, dtype: DTypeSpec | None = None) -> None:
        if not (numpy.isscalar(self.fill_value)
                or isinstance(self.fill_value, get_array_types())):
            raise ValueError(
                'fill_value has to be a scalar or an array of NumPy or CuPy, not %s'
                % type(self.fill_value))
        super().__init__(dtype)

    def __call__(self, array: NdArray) -> None:
        self._check_dtype(array)
        array = backend.from_chx(array)
        value = self.fill_value
        if isinstance(value, get_array_types()):
            value = backend.get_device_from_array(array).send(value)
        else:
            # Arrays are cast to any dtype, whereas NumPy refuses a NaN scalar as an
            # integer.
            value = backend.get_array_module(array).asarray(value)
        # NaN has no meaning as an integer, which NumPy 1.24 and newer warn of.
        try:
            with numpy.errstate(invalid='ignore'):
                array[...] = value
        except ValueError as error:
            _explain(error, self.fill_value, array)
            raise


def _explain(error, value, array):
    """Add to an exception what initializes an array, if a value does not fit it."""
    if isinstance(value, str):
        mistakes.tell(error, 'initializers have no names: for %r, pass an object, '
                      'chainer.initializers.%s()' % (value, pytorch.initializer(value)))
    elif getattr(value, 'shape', ()) not in ((), array.shape):
        mistakes.tell(error, 'the array that is initialized has the shape %s, the one '
                      'that is given %s%s' % (
                          array.shape, value.shape,
                          ': pass its transpose, x.T'
                          if value.shape[::-1] == array.shape else ''))


class NaN(_Constant):
    """Fills an array with NaN, for values that must be set before they are used.

    Parameters
    ----------
    dtype : dtype specifier or None
        See :class:`chainer_fast.Initializer`.

    Raises
    ------
    AssertionError
        When called, if the array is not of the dtype given.

    Examples
    --------
    >>> W = np.empty(3, np.float32)
    >>> chainer.initializers.NaN()(W)
    >>> W
    array([nan, nan, nan], dtype=float32)
    """

    fill_value: float = numpy.nan


class One(_Constant):
    """Fills an array with ones.

    Parameters
    ----------
    dtype : dtype specifier or None
        See :class:`chainer_fast.Initializer`.

    Raises
    ------
    AssertionError
        When called, if the array is not of the dtype given.

    Examples
    --------
    >>> W = np.empty(3, np.float32)
    >>> chainer.initializers.One()(W)
    >>> W
    array([1., 1., 1.], dtype=float32)
    """

    fill_value: float = 1.0


class Zero(_Constant):
    """Fills an array with zeros.

    Parameters
    ----------
    dtype : dtype specifier or None
        See :class:`chainer_fast.Initializer`.

    Raises
    ------
    AssertionError
        When called, if the array is not of the dtype given.

    Examples
    --------
    >>> W = np.empty(3, np.float32)
    >>> chainer.initializers.Zero()(W)
    >>> W
    array([0., 0., 0.], dtype=float32)
    """

    fill_value: float = 0.0


class Constant(_Constant):
    """Fills an array with a value.

    Parameters
    ----------
    fill_value : scalar or array
        The value; an array is broadcast to the shape of the filled array, and copied to
        its device.
    dtype : dtype specifier or None
        See :class:`chainer_fast.Initializer`.

    Attributes
    ----------
    fill_value
        As given.

    Raises
    ------
    AssertionError
        When called, if the array is not of the dtype given.

    Examples
    --------
    >>> W = np.empty((2, 2), np.float32)
    >>> chainer.initializers.Constant(0.5)(W)
    >>> W
    array([[0.5, 0.5],
           [0.5, 0.5]], dtype=float32)

    Links take a scalar in its place:

    >>> L.Linear(2, 1, initialW=0.5).W.array
    array([[0.5, 0.5]], dtype=float32)
    """

    def __init__(self, fill_value: tp.Any, dtype: DTypeSpec | None = None) -> None:
        self.fill_value = fill_value
        super().__init__(dtype)


class Identity(initializer.Initializer):
    """Fills a square matrix with a multiple of the identity.

    Parameters
    ----------
    scale : float
        Value of the diagonal.
    dtype : dtype specifier or None
        See :class:`chainer_fast.Initializer`.

    Raises
    ------
    AssertionError
        When called, if the array is not of the dtype given.
    ValueError
        When called with anything but a square matrix.

    Examples
    --------
    >>> W = np.empty((2, 2), np.float32)
    >>> chainer.initializers.Identity(3)(W)
    >>> W
    array([[3., 0.],
           [0., 3.]], dtype=float32)
    """

    def __init__(self, scale: float = 1.0, dtype: DTypeSpec | None = None) -> None:
        super().__init__(dtype)
        self.scale = scale

    def __call__(self, array: NdArray) -> None:
        self._check_dtype(array)
        array = backend.from_chx(array)
        n = len(array) if array.ndim else 0
        if array.shape != (n, n):
            raise ValueError(
                'Identity fills square matrices, not an array of shape %s'
                % (array.shape,))
        # Zeros that are multiplied have the sign of the scale, and NaN of NaN.
        array[...] = backend.get_array_module(array).identity(n) * self.scale
