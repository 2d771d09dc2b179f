from __future__ import annotations

from chainer_fast.backends.kernels import noise
from chainer_fast.functions.activation import softmax
from chainer_fast.variable import Variable, VariableOrArray, as_variable


def gumbel_softmax(
        log_pi: VariableOrArray, tau: float | Variable = 0.1,
        axis: int = 1) -> Variable:
    """Samples of categorical distributions, relaxed to stay differentiable.

    .. math::

        y_i = \\frac{\\exp((\\ln \\pi_i + g_i) / \\tau)}
                    {\\sum_j \\exp((\\ln \\pi_j + g_j) / \\tau)},
        \\qquad g_i \\sim \\mathrm{Gumbel}(0, 1)

    The lower the temperature :math:`\\tau`, the closer a sample is to a one-hot vector.

    See: `Categorical reparameterization with Gumbel-softmax
    <https://arxiv.org/abs/1611.01144>`_

    Parameters
    ----------
    log_pi : Variable or array
        Logarithms of the class probabilities, of a floating dtype, not necessarily
        normalized.
    tau : float or Variable
        The temperature, a positive number.
    axis : int
        Axis of the classes.

    Returns
    -------
    Variable
        Array of the shape and dtype of ``log_pi`` whose elements sum to 1 along the
        axis.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``log_pi`` is not floating-point or has no such axis.
    ZeroDivisionError
        If ``tau`` is zero.

    See Also
    --------
    chainer_fast.functions.softmax

    Examples
    --------
    >>> log_pi = np.log(np.array([[0.1, 0.8, 0.1]], np.float32))
    >>> F.gumbel_softmax(log_pi, tau=0.1).array
    array([[0., 1., 0.]], dtype=float32)
    """
    log_pi = as_variable(log_pi)
    if log_pi.ndim == 0:
        # There is only one class.
        return as_variable(log_pi.xp.ones((), log_pi.dtype))
    scores = (log_pi + noise.gumbel(log_pi.array)) / tau
    return softmax.softmax(scores, axis=axis)
