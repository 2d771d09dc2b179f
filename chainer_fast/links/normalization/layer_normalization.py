"""Layer normalization with parameters."""
from __future__ import annotations

import math

from chainer_fast import link, variable
from chainer_fast.functions.normalization import layer_normalization
from chainer_fast.links.normalization import _parameters
from chainer_fast.types import InitializerSpec
from chainer_fast.variable import Parameter, Variable, VariableOrArray


class LayerNormalization(link.Link):
    """Normalizes samples over their features, then scales and shifts features.

    .. math::

        y_{ij} = \\gamma_j \\frac{x_{ij} - \\mu_i}{\\sqrt{\\sigma_i^2 + \\epsilon}} +
        \\beta_j

    where :math:`\\mu_i` and :math:`\\sigma_i^2` are the mean and the variance of a row;
    see :func:`~chainer_fast.functions.layer_normalization`.

    Parameters
    ----------
    size : int or None
        Number of features. If None, it is determined at the first call.
    eps : float
        Constant added to the variance.
    initial_gamma, initial_beta : initializer or None
        Initializers of the factor and the summand; one and zero if None. An array is
        used as the parameter without a copy.

    Attributes
    ----------
    gamma, beta : chainer_fast.Parameter
        Factor and summand of each feature, of shape ``(size,)`` and the dtype
        ``chainer.config.dtype``, which must be that of the inputs.
    eps : float
        As given.

    See Also
    --------
    chainer_fast.functions.layer_normalization

    References
    ----------
    J. L. Ba, J. R. Kiros and G. E. Hinton. `Layer normalization
    <https://arxiv.org/abs/1607.06450>`__. 2016.

    Examples
    --------
    >>> ln = L.LayerNormalization(3)
    >>> ln(np.array([[0, 1, 2], [0, 10, 20]], np.float32)).array
    array([[-1.2247,  0.    ,  1.2247],
           [-1.2247,  0.    ,  1.2247]], dtype=float32)
    """

    beta: Parameter

    def __init__(
            self, size: int | None = None, eps: float = 1e-6,
            initial_gamma: InitializerSpec | None = None,
            initial_beta: InitializerSpec | None = None) -> None:
        super().__init__()
        with self.init_scope():
            self.gamma: Parameter = variable.Parameter(
                1 if initial_gamma is None else initial_gamma)
            self.beta = variable.Parameter(0 if initial_beta is None else initial_beta)
        self.eps = eps
        if size is not None:
            self._initialize_params(size)

    def _initialize_params(self, size):
        _parameters.initialize(size, self.gamma, self.beta)

    def forward(self, x: VariableOrArray) -> Variable:
        """Normalize samples.

        Parameters
        ----------
        x : chainer_fast.Variable or array
            Samples, of shape ``(N, size)``.

        Returns
        -------
        chainer_fast.Variable
            Array of the shape and dtype of ``x``.

        Raises
        ------
        chainer_fast.utils.type_check.InvalidType
            If ``x`` does not have two axes, or has another dtype than the parameters.
        ValueError
            If ``x`` has another number of features.
        """
        gamma, beta = self.gamma, self.beta
        if gamma.array is None or beta.array is None:
            self._initialize_params(math.prod(x.shape[1:]))
        return layer_normalization.layer_normalization(x, gamma, beta, self.eps)
