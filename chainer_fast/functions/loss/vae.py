"""Terms of the loss of a variational autoencoder.

See: D. P. Kingma and M. Welling, *Auto-Encoding Variational Bayes*,
https://arxiv.org/abs/1312.6114, appendices B and C.
"""
from __future__ import annotations

import math

from chainer_fast.functions import _halves
from chainer_fast.functions.activation import softplus
from chainer_fast.functions.loss import _reduction
from chainer_fast.functions.math import average, exponential
from chainer_fast.functions.math import sum as sum_
from chainer_fast.variable import Variable, VariableOrArray, as_variable


def _check(reduce):
    _reduction.check(reduce, 'sum', 'mean', 'no')


def _reduced(losses, reduce):
    if reduce == 'no':
        return losses
    return average.average(losses) if reduce == 'mean' else sum_.sum(losses)


def gaussian_kl_divergence(
        mean: VariableOrArray, ln_var: VariableOrArray,
        reduce: str = 'sum') -> Variable:
    """Kullback-Leibler divergence of normal distributions from the standard one.

    .. math::

        D_{KL}(N(\\mu, \\sigma^2) \\| N(0, 1))
            = \\frac{1}{2} \\left( \\mu^2 + \\sigma^2 - \\log \\sigma^2 - 1 \\right)

    See: `Auto-Encoding Variational Bayes <https://arxiv.org/abs/1312.6114>`_

    Parameters
    ----------
    mean : Variable or array
        Means :math:`\\mu`, of a floating dtype.
    ln_var : Variable or array
        Logarithms of the variances :math:`\\sigma^2`, of the same dtype and a shape
        that can be broadcast.
    reduce : str
        ``'sum'`` or ``'mean'`` over all elements, or ``'no'`` for the divergence of
        each element.

    Returns
    -------
    Variable
        The divergence, of the dtype of ``mean``: a scalar, or an array of the common
        shape with ``reduce='no'``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``ln_var`` is not floating-point, or the shapes cannot be broadcast.
    ValueError
        If ``reduce`` has another value.

    See Also
    --------
    chainer_fast.functions.gaussian
    chainer_fast.functions.gaussian_nll

    Examples
    --------
    >>> mean = np.array([0., 2.], np.float32)
    >>> ln_var = np.zeros(2, np.float32)
    >>> F.gaussian_kl_divergence(mean, ln_var, reduce='no').array
    array([0., 2.], dtype=float32)
    """
    _check(reduce)

    def divergence(mean, ln_var):
        twice = mean * mean + exponential.exp(ln_var) - ln_var - 1
        return _reduced(twice * 0.5, reduce)

    return _halves.in_single(divergence, mean, ln_var)


def bernoulli_nll(
        x: VariableOrArray, y: VariableOrArray, reduce: str = 'sum') -> Variable:
    """Negative log-likelihood of Bernoulli distributions given by their logits.

    .. math::

        L = -x \\log s(y) - (1 - x) \\log(1 - s(y)) = \\log(1 + e^y) - x y

    where :math:`s` is the sigmoid.

    Parameters
    ----------
    x : Variable or array
        Observed values, from 0 to 1, of any shape.
    y : Variable or array
        Logits, of a floating dtype and a shape that can be broadcast.
    reduce : str
        ``'sum'`` or ``'mean'`` over all elements, or ``'no'`` for the loss of each
        element.

    Returns
    -------
    Variable
        The loss, of the dtype of ``y``: a scalar, or an array of the common shape with
        ``reduce='no'``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``y`` is not floating-point, or the shapes cannot be broadcast.
    ValueError
        If ``reduce`` has another value.

    See Also
    --------
    chainer_fast.functions.sigmoid_cross_entropy
    chainer_fast.functions.gaussian_nll

    Notes
    -----
    The sigmoid must not have been applied to ``y``.

    Examples
    --------
    >>> x = np.array([0., 1., 1.], np.float32)
    >>> y = np.array([0., 0., 100.], np.float32)
    >>> F.bernoulli_nll(x, y, reduce='no').array    # log 2 twice
    array([0.6931, 0.6931, 0.    ], dtype=float32)
    """
    _check(reduce)

    def loss(x, y):
        return _reduced(softplus.softplus(y) - x * as_variable(y), reduce)

    return _halves.in_single(loss, x, y)


def gaussian_nll(
        x: VariableOrArray, mean: VariableOrArray, ln_var: VariableOrArray,
        reduce: str = 'sum') -> Variable:
    """Negative log-likelihood of normal distributions.

    .. math::

        L = \\frac{1}{2} \\left( \\log 2 \\pi + \\log \\sigma^2
            + \\frac{(x - \\mu)^2}{\\sigma^2} \\right)

    Parameters
    ----------
    x : Variable or array
        Observed values, of a floating dtype.
    mean : Variable or array
        Means :math:`\\mu`, of the same dtype and a shape that can be broadcast.
    ln_var : Variable or array
        Logarithms of the variances :math:`\\sigma^2`, of the same dtype and a shape
        that can be broadcast.
    reduce : str
        ``'sum'`` or ``'mean'`` over all elements, or ``'no'`` for the loss of each
        element.

    Returns
    -------
    Variable
        The loss, of the dtype of ``x``: a scalar, or an array of the common shape with
        ``reduce='no'``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If the arguments are not floating-point, differ in dtype, or their shapes cannot
        be broadcast.
    ValueError
        If ``reduce`` has another value.

    See Also
    --------
    chainer_fast.functions.gaussian_kl_divergence
    chainer_fast.functions.bernoulli_nll

    Examples
    --------
    >>> x = np.array([0., 2.], np.float32)
    >>> mean = np.zeros(2, np.float32)
    >>> ln_var = np.zeros(2, np.float32)
    >>> F.gaussian_nll(x, mean, ln_var, reduce='no').array  # log(2 pi) / 2, and 2 more
    array([0.9189, 2.9189], dtype=float32)
    """
    _check(reduce)

    def loss(x, mean, ln_var):
        ln_var = as_variable(ln_var)
        # Plain arrays may differ in dtype until they are combined with a variable.
        error = x - mean
        distance = error * error * exponential.exp(-ln_var) * 0.5
        constants = (ln_var + math.log(2 * math.pi)) * 0.5
        return _reduced(constants + distance, reduce)

    return _halves.in_single(loss, x, mean, ln_var)
