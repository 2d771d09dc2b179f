"""Signs."""
from __future__ import annotations

from chainer_fast.functions.math import _rounding
from chainer_fast.variable import Variable, VariableOrArray


def sign(x: VariableOrArray) -> Variable:
    """Elementwise sign.

    The gradient is not propagated: the function is constant between its jumps.

    .. math::

        y = -1 \\quad (x < 0), \\qquad y = 0 \\quad (x = 0), \\qquad y = 1 \\quad (x >
        0)

    Parameters
    ----------
    x : Variable or array
        Numbers of any shape and dtype.

    Returns
    -------
    Variable
        -1, 0 or 1, of the shape and dtype of ``x``, that require no gradient.

    See Also
    --------
    chainer_fast.functions.absolute
    numpy.sign

    Examples
    --------
    >>> F.sign(np.array([-3., 0., 2.], np.float32)).array
    array([-1.,  0.,  1.], dtype=float32)
    """
    return _rounding.piecewise_constant(x, 'sign')
