"""Base class of weight initializers, and the fan-in and fan-out of a weight."""
from __future__ import annotations

import math

from chainer_fast.types import DTypeSpec, NdArray


class Initializer:
    """Base class of objects that fill an array with initial values.

    A subclass defines ``__call__``. A scalar, an array or any other callable that fills
    an array is accepted instead of an initializer.

    Parameters
    ----------
    dtype : dtype specifier or None
        Expected dtype of the arrays to fill. Links create their parameters with it;
        None leaves the choice to ``chainer_fast.config.dtype``.

    Attributes
    ----------
    dtype
        As given.

    See Also
    --------
    chainer_fast.initializers

    Examples
    --------
    >>> class Range(chainer.Initializer):
    ...     def __call__(self, array):
    ...         array[...] = np.arange(array.size).reshape(array.shape)
    >>> L.Linear(2, 2, initialW=Range()).W.array
    array([[0., 1.],
           [2., 3.]], dtype=float32)
    """

    def __init__(self, dtype: DTypeSpec | None = None) -> None:
        self.dtype = dtype

    def __call__(self, array: NdArray) -> None:
        """Fill an array in place.

        Parameters
        ----------
        array : numpy.ndarray or cupy.ndarray
            Array to fill. Every element is overwritten.
        """
        raise NotImplementedError(
            '%s does not define __call__(array)' % type(self).__name__)

    def _check_dtype(self, array):
        assert self.dtype is None or array.dtype == self.dtype, (
            'array of dtype %s passed to an initializer of dtype %s'
            % (array.dtype, self.dtype))


def get_fans(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the numbers of inputs and outputs that a weight connects to each unit.

    The first axis counts output channels and the second input channels; the other axes
    are the receptive field of a convolution.

    Parameters
    ----------
    shape : tuple of int
        Shape of the weight, with two or more axes.

    Returns
    -------
    tuple of int
        ``(fan_in, fan_out)``

    Raises
    ------
    ValueError
        If ``shape`` is not a tuple, or has fewer than two axes.

    Examples
    --------
    >>> chainer.initializer.get_fans((16, 3, 5, 5))
    (75, 400)
    """
    if not isinstance(shape, tuple):
        raise ValueError(
            'shape must be a tuple of int, not %r of %s' % (shape, type(shape)))
    if len(shape) < 2:
        raise ValueError(
            'fans are defined for shapes of two axes or more, not for %s' % (shape,))
    outputs, inputs, *field = shape
    area = math.prod(field)
    return inputs * area, outputs * area
