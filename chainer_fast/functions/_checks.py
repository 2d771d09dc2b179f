"""Input conditions shared by many functions."""
from chainer_fast.utils import type_check


def as_float(value):
    """Return a number, or an array of one element, as a float."""
    if type(value) is float:
        return value
    if getattr(value, 'size', 0) == 1:
        value = value.reshape(())       # NumPy 2 does not convert one with axes
    return float(value)


def floats(in_types, *names):
    """Expect inputs with given names, each of a floating dtype."""
    type_check._argname(in_types, names)
    for each in in_types:
        type_check.expect(each.dtype.kind == 'f')


def similar_floats(in_types, *names):
    """Expect floating inputs with given names and equal dtypes and shapes."""
    type_check._argname(in_types, names)
    first = in_types[0]
    type_check.expect(first.dtype.kind == 'f')
    for other in in_types[1:]:
        type_check.expect(first.dtype == other.dtype)
        type_check.expect(first.shape == other.shape)


def axis(x_type, number):
    """Expect an input to have a given axis; it may be negative."""
    if number < 0:
        type_check.expect(-x_type.ndim <= number)
    else:
        type_check.expect(x_type.ndim > number)


def advice_on_axis(function, axis):
    """Return advice for an axis that is an array, for the end of a message."""
    if not hasattr(axis, 'shape'):
        return ''
    return ': the arrays are one argument, a list or a tuple, F.%s((x, y))' % function


def scores_and_labels(in_types):
    """Expect scores ``x`` of classes along axis 1 and integer labels ``t``.

    The scores have one axis more than the labels, that of the classes. Any additional
    axes must have length one.
    """
    type_check._argname(in_types, ('x', 't'))
    x_type, t_type = in_types
    type_check.expect(x_type.dtype.kind == 'f')
    type_check.expect(t_type.dtype.kind == 'i')

    ndim = type_check.eval(t_type.ndim)
    type_check.expect(x_type.ndim >= ndim)
    type_check.expect(x_type.shape[0] == t_type.shape[0])
    type_check.expect(x_type.shape[2:ndim + 1] == t_type.shape[1:])
    for d in range(ndim + 1, type_check.eval(x_type.ndim)):
        type_check.expect(x_type.shape[d] == 1)
