from __future__ import annotations

from chainer_fast.functions.activation import elu
from chainer_fast.variable import Variable, VariableOrArray


def selu(
        x: VariableOrArray, alpha: float = 1.6732632423543772,
        scale: float = 1.0507009873554805) -> Variable:
    """Scaled exponential linear unit, elementwise.

    .. math::

        f(x) = \\lambda x \\quad (x \\ge 0), \\qquad
        f(x) = \\lambda \\alpha (\\exp(x) - 1) \\quad (x < 0)

    With the default constants, a layer of many such units preserves mean zero and
    variance one from its input to its output.

    See: `Self-normalizing neural networks <https://arxiv.org/abs/1706.02515>`_

    Parameters
    ----------
    x : Variable or array
        Values of any shape and a floating dtype.
    alpha : float
        The parameter :math:`\\alpha`.
    scale : float
        The parameter :math:`\\lambda`.

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
    chainer_fast.functions.elu

    Examples
    --------
    >>> x = np.array([-1., 0., 2.], np.float32)
    >>> F.selu(x).array
    array([-1.1113,  0.    ,  2.1014], dtype=float32)
    """
    return scale * elu.elu(x, alpha=alpha)
