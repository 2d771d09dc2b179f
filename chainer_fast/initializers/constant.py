"""Initializers that fill an array with fixed values."""
from __future__ import annotations

from typing import Any

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
                'fill_value must be a scalar or an array of NumPy or CuPy, not %s'
                % type(self.fill_value))
        super().__init__(dtype)

    def __call__(self, array: NdArray) -> None:
        self._check_dtype(array)
        array = backend.from_chx(array)
        value = self.fill_value
        if isinstance(value, get_array_types()):
            value = backend.get_device_from_array(array).send(value)
        else:
            # Arrays are cast to any dtype, whereas NumPy does not convert a NaN scalar
            # to an integer.
            value = backend.get_array_module(array).asarray(value)
        # NaN cannot be an integer; NumPy 1.24 and later warn about it.
        try:
            with numpy.errstate(invalid='ignore'):
                array[...] = value
        except ValueError as error:
            _explain(error, self.fill_value, array)
            raise


def _explain(error, value, array):
    """Add advice to an exception if a value cannot initialize an array."""
    if isinstance(value, str):
        mistakes.tell(error, 'initializers have no names: for %r, pass an object, '
                      'chainer.initializers.%s()' % (value, pytorch.initializer(value)))
    elif getattr(value, 'shape', ()) not in ((), array.shape):
        mistakes.tell(error, 'the array to initialize has the shape %s, but the given '
                             'one has %s%s' % (
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
        When called, if the dtype of the array is not the given one.

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
        When called, if the dtype of the array is not the given one.

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
        When called, if the dtype of the array is not the given one.

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
        The value. An array is broadcast to the shape of the array to fill, and copied
        to its device.
    dtype : dtype specifier or None
        See :class:`chainer_fast.Initializer`.

    Attributes
    ----------
    fill_value
        As given.

    Raises
    ------
    AssertionError
        When called, if the dtype of the array is not the given one.

    Examples
    --------
    >>> W = np.empty((2, 2), np.float32)
    >>> chainer.initializers.Constant(0.5)(W)
    >>> W
    array([[0.5, 0.5],
           [0.5, 0.5]], dtype=float32)

    Links accept a scalar instead of it:

    >>> L.Linear(2, 1, initialW=0.5).W.array
    array([[0.5, 0.5]], dtype=float32)
    """

    def __init__(self, fill_value: Any, dtype: DTypeSpec | None = None) -> None:
        self.fill_value = fill_value
        super().__init__(dtype)


class Identity(initializer.Initializer):
    """Fills a square matrix with a multiple of the identity.

    Parameters
    ----------
    scale : float
        Value of the elements on the diagonal.
    dtype : dtype specifier or None
        See :class:`chainer_fast.Initializer`.

    Raises
    ------
    AssertionError
        When called, if the dtype of the array is not the given one.
    ValueError
        When called, if the array is not a square matrix.

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
        # Multiplied zeros have the sign of the scale, and are NaN if it is NaN.
        array[...] = backend.get_array_module(array).identity(n) * self.scale
