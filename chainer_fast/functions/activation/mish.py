"""An addition of this package: Chainer has no such function."""
from __future__ import annotations

from chainer_fast.functions.activation import softplus, tanh
from chainer_fast.variable import Variable, VariableOrArray, as_variable


def mish(x: VariableOrArray) -> Variable:
    """Mish, elementwise. Chainer does not have it.

    .. math:: f(x) = x \\tanh(\\log(1 + \\exp(x)))

    A smooth function close to :func:`~chainer_fast.functions.relu`: its least value
    is about -0.31, at -1.19. It is composed of
    :func:`~chainer_fast.functions.softplus` and :func:`~chainer_fast.functions.tanh`.

    See: `Mish: A Self Regularized Non-Monotonic Activation Function
    <https://arxiv.org/abs/1908.08681>`_

    Parameters
    ----------
    x : Variable or array
        Values of any shape and a floating dtype.

    Returns
    -------
    Variable
        Array of the shape and dtype of ``x``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point.

    See Also
    --------
    chainer_fast.functions.swish

    Examples
    --------
    >>> F.mish(np.array([-1000., -1., 0., 1., 1000.])).array
    array([  -0.    ,   -0.3034,    0.    ,    0.8651, 1000.    ])
    """
    x = as_variable(x)
    return x * tanh.tanh(softplus.softplus(x))
