"""Normalization of batches with corrections by running statistics."""
from __future__ import annotations

import warnings
from typing import Any

from chainer_fast import _numbers, function
from chainer_fast.backends.kernels import normalization as kernels
from chainer_fast.backends.kernels.normalization import dtypes as _dtypes
from chainer_fast.configuration import config
from chainer_fast.functions.normalization import batch_normalization
from chainer_fast.types import GradArrays, NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import Variable, VariableOrArray


def _deprecated_statistic(name):
    """Return a property for a running statistic that warns when it is used."""
    def get(function):
        warnings.warn(
            'The attributes of BatchRenormalizationFunction are deprecated. Pass '
            'update_statistics=True to batch_renormalization to update the arrays of '
            'running statistics.', DeprecationWarning)
        return getattr(function, '_running_' + name)

    return property(get, doc='Running %s; deprecated.' % name)


class BatchRenormalizationFunction(function.Function):
    """Normalizes a batch by its moments, with corrections towards running ones.

    The corrections are treated as constants: no gradient flows through them.

    Parameters
    ----------
    eps : float
        Constant added to the variance.
    mean, var : array
        Running statistics.
    decay : float
        Weight of the previous running statistics in an update.
    rmax, dmax : float
        Bounds of the corrections.
    update_statistics : bool
        Whether to update the running statistics in place.

    Attributes
    ----------
    r, d : array
        The corrections, a factor and an offset, after the call.
    std : array
        Standard deviation of the batch, after the call.
    """

    eps: float
    decay: float
    rmax: float
    dmax: float
    std: NdArray

    r: NdArray | None = None
    d: NdArray | None = None

    def __init__(
            self, eps: float = 2e-5, mean: NdArray | None = None,
            var: NdArray | None = None, decay: float = 0.9, rmax: float = 1,
            dmax: float = 0, update_statistics: bool = True) -> None:
        self._running_mean: Any = mean
        self._running_var: Any = var
        self.eps, self.decay = eps, decay
        # The negative of an unsigned integer wraps around.
        self.rmax, self.dmax = _numbers.plain(rmax), _numbers.plain(dmax)
        self.update_statistics = update_statistics

    running_mean: Any = _deprecated_statistic('mean')
    running_var: Any = _deprecated_statistic('var')

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check._argname(in_types, ('x', 'gamma', 'beta'))
        batch_normalization._check_inputs(in_types, None)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        # Outside of training, there are no moments of a batch.
        assert config.train, 'batch_renormalization can be used in training only'
        x, gamma, beta = inputs
        axis = self._axis = batch_normalization._compute_axis(x.ndim, gamma.ndim)
        mean, var = kernels.moments(
            *_dtypes.cast_all((x,), _dtypes.interm(x, gamma)), axis)
        self._mean = mean
        # gamma (x_hat r + d) + beta is x_hat factor + offset.
        self.std, self._inv_std, self.r, self.d, self._factor, offset = (
            kernels.corrections(
                gamma, beta, mean, var, self._running_mean, self._running_var, self.eps,
                self.rmax, self.dmax))
        y = kernels.batch_apply(x, self._factor, offset, mean, self._inv_std, axis)
        if self.update_statistics and x.size > 0:
            count = x.size // gamma.size
            kernels.update_running(
                self._running_mean, self._running_var, mean, var, self.decay,
                count / max(count - 1., 1.))
        return y,

    def backward(
            self, inputs: tuple[NdArray, ...],
            grad_outputs: GradArrays) -> tuple[NdArray | None, ...]:
        gx, by_x_hat, gbeta = kernels.batch_backward(
            inputs[0], self._factor, *grad_outputs, self._mean, self._inv_std,
            self._axis, False)
        ggamma = by_x_hat * self.r + gbeta * self.d
        return gx, *_dtypes.cast_all((ggamma, gbeta), inputs[1].dtype)


def batch_renormalization(
        x: VariableOrArray, gamma: VariableOrArray, beta: VariableOrArray, rmax: float,
        dmax: float, eps: float = 2e-5, running_mean: NdArray | None = None,
        running_var: NdArray | None = None, decay: float = 0.9,
        update_statistics: bool = False) -> Variable:
    """Normalize a batch by its moments, corrected towards running statistics.

    .. math::

        y = \\gamma \\left( \\frac{x - \\mu}{\\sigma} r + d \\right) + \\beta, \\quad
        r = \\frac{\\sigma}{\\sigma_\\mathrm{run}}, \\quad
        d = \\frac{\\mu - \\mu_\\mathrm{run}}{\\sigma_\\mathrm{run}}

    with :math:`r` clipped to :math:`[1 / r_\\mathrm{max}, r_\\mathrm{max}]` and
    :math:`d` to :math:`[-d_\\mathrm{max}, d_\\mathrm{max}]`. Without the bounds, the
    batch would be normalized by the running statistics, as in testing. Both are treated
    as constants in the gradient.

    See: `Batch Renormalization: Towards Reducing Minibatch Dependence in
    Batch-Normalized Models <https://arxiv.org/abs/1702.03275>`_

    Parameters
    ----------
    x : Variable or array
        Batch of a floating dtype and shape ``(N, C, ...)``.
    gamma, beta : Variable or array
        Factors and offsets of shape ``(C,)``.
    rmax, dmax : float
        Bounds of the corrections.
    eps : float
        Constant added to the variances.
    running_mean, running_var : array
        Running statistics of shape ``(C,)``.
    decay : float
        Weight of the previous running statistics in an update.
    update_statistics : bool
        Whether to update the running statistics in place.

    Returns
    -------
    Variable
        Array of the shape and dtype of ``x``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point, or the shapes of ``gamma`` and ``beta`` do not
        match it.
    TypeError
        If running statistics are missing.
    ValueError
        If the shape of the running statistics is not that of ``gamma``.

    See Also
    --------
    chainer_fast.functions.batch_normalization
    chainer_fast.functions.fixed_batch_normalization
    chainer_fast.links.BatchRenormalization

    Examples
    --------
    >>> x = np.array([[1.], [3.]], np.float32)      # mean 2, deviation 1
    >>> gamma, beta = np.ones(1, np.float32), np.zeros(1, np.float32)
    >>> mean, var = np.zeros(1, np.float32), np.full(1, 4., np.float32)
    >>> F.batch_renormalization(        # within the bounds: x / 2
    ...     x, gamma, beta, rmax=3., dmax=5., running_mean=mean, running_var=var).array
    array([[0.5],
           [1.5]], dtype=float32)
    >>> F.batch_renormalization(        # without correction: x - 2
    ...     x, gamma, beta, rmax=1., dmax=0., running_mean=mean, running_var=var).array
    array([[-1.],
           [ 1.]], dtype=float32)
    """
    if running_mean is None:
        raise TypeError('running_mean is required')
    if running_var is None:
        raise TypeError('running_var is required')
    return BatchRenormalizationFunction(
        eps, running_mean, running_var, decay, rmax, dmax, update_statistics,
    )(x, gamma, beta)


def fixed_batch_renormalization(
        x: VariableOrArray, gamma: VariableOrArray, beta: VariableOrArray,
        mean: VariableOrArray, var: VariableOrArray, eps: float = 2e-5) -> Variable:
    """Normalize a batch by given statistics, scale and shift.

    .. deprecated:: 7.0
        Use :func:`~chainer_fast.functions.fixed_batch_normalization`, which is
        equivalent.

    .. math:: y = \\gamma \\frac{x - \\mu}{\\sqrt{\\sigma^2 + \\epsilon}} + \\beta

    Parameters
    ----------
    x : Variable or array
        Batch of a floating dtype and shape ``(N, C, ...)``.
    gamma, beta : Variable or array
        Factors and offsets of shape ``(C,)``.
    mean, var : Variable or array
        Mean and variance of shape ``(C,)``.
    eps : float
        Constant added to the variance.

    Returns
    -------
    Variable
        Array of the shape and dtype of ``x``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point, or the shapes of the other arguments do not
        match it.

    Warns
    -----
    DeprecationWarning
        Always.

    See Also
    --------
    chainer_fast.functions.fixed_batch_normalization

    Examples
    --------
    >>> import warnings
    >>> x = np.array([[1.], [3.]], np.float32)
    >>> one, zero = np.ones(1, np.float32), np.zeros(1, np.float32)
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter('ignore', DeprecationWarning)
    ...     F.fixed_batch_renormalization(x, one, zero, one, one * 4).array
    array([[0.],
           [1.]], dtype=float32)
    >>> F.fixed_batch_normalization(x, one, zero, one, one * 4).array   # write this
    array([[0.],
           [1.]], dtype=float32)
    """
    warnings.warn(
        'fixed_batch_renormalization is deprecated. Use fixed_batch_normalization '
        'instead.', DeprecationWarning)
    return batch_normalization.fixed_batch_normalization(
        x, gamma, beta, mean, var, eps=eps)
