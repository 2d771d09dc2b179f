"""Terms of log densities that are finite where the plain formula is not."""
from chainer_fast import backend
from chainer_fast.functions.array.where import where
from chainer_fast.functions.math import exponential, logarithm_1p
from chainer_fast.utils import type_check
from chainer_fast.variable import Variable, as_array, as_variable


def expect_broadcast(**operands):
    """Check that operands can be broadcast, like functions of variables do.

    Masks are computed from arrays, and NumPy would raise a different error.
    """
    shapes = [getattr(x, 'shape', ()) for x in operands.values()]
    if shapes.count(shapes[0]) < len(shapes):
        type_check.expect_broadcast_shapes(*[
            type_check.make_variable(shape, name + '.shape')
            for name, shape in zip(operands, shapes, strict=True)])


def substitute(x, mask, value):
    """Return ``x`` with ``value`` where a mask is true.

    The result is a variable for a variable, and no gradient flows to replaced elements.
    It is an array for an array, so that arithmetic with it still uses the dtype of the
    other operand.
    """
    if not hasattr(x, 'dtype'):
        as_variable(x)      # raises TypeError for a Python number
    xp = backend.get_array_module(x)
    value = xp.array(value, x.dtype)
    if isinstance(x, Variable):
        return where(mask, value, x)
    return xp.where(mask, value, x)


def where_else(mask, x, value):
    """Return the variable ``x``, with the number ``value`` outside of a mask."""
    xp = backend.get_array_module(x)
    return where(mask, x, xp.array(value, x.dtype))


def _times(factor, logarithm, x, pole, ignored):
    expect_broadcast(factor=factor, x=x)
    unused = ignored | (as_array(factor) == 0) & (as_array(x) == pole)
    # At its pole plus one, the logarithm is zero.
    return factor * logarithm(substitute(x, unused, pole + 1))


def times_log(factor, x, ignored=False):
    """Return ``factor * log(x)``, which is zero where both are zero.

    Parameters
    ----------
    factor : Variable or array
        Factors of the logarithms.
    x : Variable or array
        Arguments of the logarithms.
    ignored : bool or array of bool
        Mask of unused elements. The results there are zero, without a warning, and
        their gradients are finite.

    Returns
    -------
    Variable
    """
    return _times(factor, exponential.log, x, 0, ignored)


def times_log1p(factor, x, ignored=False):
    """Return ``factor * log1p(x)``, which is zero at ``x = -1`` if the factor is.

    The arguments are those of :func:`times_log`.
    """
    return _times(factor, logarithm_1p.log1p, x, -1, ignored)
