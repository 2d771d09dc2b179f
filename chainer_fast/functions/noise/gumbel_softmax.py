from __future__ import annotations

import numpy

from chainer_fast import backend
from chainer_fast.backends.kernels import noise
from chainer_fast.functions.activation import softmax
from chainer_fast.variable import Variable, VariableOrArray, as_array, as_variable


def gumbel_softmax(
        log_pi: VariableOrArray, tau: float | Variable = 0.1,
        axis: int = 1) -> Variable:
    """Relaxed samples of categorical distributions, which are differentiable.

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
        Logarithms of the class probabilities, not necessarily normalized. A variable
        must have a floating dtype; plain arrays may have an integer dtype, and the
        noise is then rounded towards zero.
    tau : float or Variable
        The temperature, a positive number.
    axis : int
        Axis of the classes.

    Returns
    -------
    Variable
        Array of the shape of ``log_pi`` whose elements sum to 1 along the axis, in its
        dtype if that is a floating dtype, otherwise in float64.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``log_pi`` is a variable that is not floating-point, or has no such axis.
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
    if isinstance(log_pi, numpy.generic):
        log_pi = numpy.asarray(log_pi)
    array = as_array(log_pi)
    if array.ndim == 0:
        # There is only one class.
        return Variable(backend.get_array_module(array).ones((), array.dtype))
    if isinstance(tau, numpy.ndarray) and tau.ndim == 0:
        tau = tau[()]
    if array.dtype.kind == 'f' and numpy.isscalar(tau):
        log_pi = as_variable(log_pi)
    # The division determines the dtype of other plain arrays.
    scores = (log_pi + noise.gumbel(array)) / tau
    return softmax.softmax(scores, axis=axis)
