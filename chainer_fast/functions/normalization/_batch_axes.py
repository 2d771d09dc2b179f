"""Checks of the axes of batches, and of parameters against them."""
import operator
from typing import Any

from numpy.exceptions import AxisError

from chainer_fast.backends.kernels.normalization.axes import _compute_key_axis
from chainer_fast.utils import type_check


def _axis_option(axis):
    """Return the argument ``axis`` as None or a tuple."""
    if axis is None:
        return None
    # Python integers, since results that are cached for some axes are used for equal
    # ones.
    if isinstance(axis, int):
        return int(axis),
    if not isinstance(axis, (tuple, list, str)):
        raise RuntimeError(
            'axis must be an int, a tuple of ints or None, but is %r' % (axis,))
    given: Any = tuple(axis)
    if any([a >= b for a, b in zip(given, given[1:], strict=False)]):
        raise RuntimeError(
            'axis must be in ascending order without duplicates, but is %s'
            % (given,))
    return tuple([int(operator.index(each)) for each in given])


def _fits(arrays, axis):
    """Return whether the shapes of values and parameters match."""
    x, gamma, *others = arrays
    dtype, shape = gamma.dtype, gamma.shape
    for each in others:
        if each.dtype != dtype or each.shape != shape:
            return False
    if axis is None:
        expected = x.shape[1:len(shape) + 1] if x.ndim > len(shape) else None
    else:
        if axis and axis[-1] >= x.ndim:     # they are in ascending order
            return False
        expected = tuple([n for i, n in enumerate(x.shape) if i not in axis])
    return (shape == expected and x.ndim > 0 and x.dtype.kind == 'f'
            and dtype.kind == 'f')


def advise(expect, x, gamma):
    """Return advice on inputs whose channels do not fit the scale, or None.

    Parameters
    ----------
    expect : str
        The condition that the inputs do not meet.
    x, gamma : TypeInfo
        Types of the inputs.

    Returns
    -------
    str or None
        The advice.
    """
    if x.ndim < 2 or gamma.ndim != 1 or not expect.endswith('== gamma.shape[0]'):
        return None
    return ('x has %d channels in its axis 1, and gamma and beta are of %d: make the '
            'link with size=%d' % (x.shape[1], gamma.shape[0], x.shape[1]))


def _check_inputs(in_types, axis):
    """Expect values and parameters whose shapes match."""
    if type_check.in_light_mode() and _fits(in_types, axis):
        return
    x_type, gamma_type, *others = in_types
    type_check.expect(x_type.ndim >= 1)
    for each in x_type, gamma_type:
        type_check.expect(each.dtype.kind == 'f')
    for each in others:
        type_check.expect(
            each.dtype == gamma_type.dtype, each.shape == gamma_type.shape)
    x_ndim, gamma_ndim = [type_check.eval(t.ndim) for t in (x_type, gamma_type)]
    if axis is None:
        type_check.expect(x_type.ndim >= gamma_type.ndim + 1)
    key_axis = _compute_key_axis(x_ndim, gamma_ndim, axis)
    type_check.expect(gamma_type.ndim == len(key_axis))
    for i, key in enumerate(key_axis):
        type_check.expect(x_type.shape[key] == gamma_type.shape[i])
    if axis and axis[-1] >= x_ndim:
        raise AxisError(
            axis[-1], x_ndim, 'axis must name axes of x, and is %s' % (axis,))
