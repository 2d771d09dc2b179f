"""Random matrices with given singular values."""
from __future__ import annotations

import numpy

from chainer_fast.types import DTypeSpec, NdArray


def generate_matrix(
        shape: tuple[int, ...], dtype: DTypeSpec = float, *,
        singular_values: NdArray | float | None = None) -> NdArray:
    """Draw matrices with given singular values.

    The singular vectors are those of a matrix of normally distributed elements, drawn
    from NumPy's global random state.

    Parameters
    ----------
    shape : tuple of int
        Shape of the result, ``(..., M, N)``.
    dtype : dtype
        Floating or complex dtype of the result.
    singular_values : array of float or float
        Singular values of the matrices, which must broadcast to ``(..., min(M, N))``.
        Required.

    Returns
    -------
    numpy.ndarray
        Matrices with this shape and dtype.

    Raises
    ------
    TypeError
        If the dtype is neither floating nor complex, or singular values are missing
        or not real.
    ValueError
        If the shape has fewer than two axes, or singular values are negative or do
        not broadcast.

    Examples
    --------
    >>> from chainer_fast import testing
    >>> matrix = testing.generate_matrix((2, 2), singular_values=[2, 1])
    >>> np.linalg.svd(matrix, compute_uv=False)
    array([2., 1.])
    """
    if singular_values is None:
        raise TypeError('singular_values is required, e.g. singular_values=1')
    if len(shape) < 2:
        raise ValueError(
            'a matrix has two axes or more, not the shape %s' % (tuple(shape),))
    dtype = numpy.dtype(dtype)
    if dtype.kind not in 'fc':
        raise TypeError('expected a floating or complex dtype, not %s' % (dtype,))
    singular_values = numpy.asarray(singular_values)
    if singular_values.dtype.kind == 'c':
        raise TypeError('singular_values must be real, not %s' % (
            singular_values.dtype,))
    if (singular_values < 0).any():
        raise ValueError('singular_values must not be negative: %s' % (
            singular_values,))
    *batch_shape, m, n = shape
    singular_values = _broadcast_to(singular_values, (*batch_shape, min(m, n)))

    if 0 in shape:
        return numpy.empty(shape, dtype)
    drawn = numpy.random.standard_normal(shape)
    if dtype.kind == 'c':
        drawn = drawn + 1j * numpy.random.standard_normal(shape)
    left, _, right = numpy.linalg.svd(drawn, full_matrices=False)
    return ((left * singular_values[..., None, :]) @ right).astype(dtype)


_broadcast_to = numpy.broadcast_to
