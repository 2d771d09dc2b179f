"""Layer normalization with parameters."""
from __future__ import annotations

import math

from chainer_fast import link, variable
from chainer_fast.functions.normalization import layer_normalization
from chainer_fast.links.normalization import _parameters
from chainer_fast.types import InitializerSpec, VariableOrArray
from chainer_fast.variable import Variable


class LayerNormalization(link.Link):
    """Normalizes samples over their features, then scales and shifts features.

    See :func:`~chainer.functions.layer_normalization`.

    Parameters
    ----------
    size : int or None
        Number of features. If None, it is found at the first call.
    eps : float
        Constant added to the variance.
    initial_gamma, initial_beta : initializer or None
        Initialize factor and summand; one and zero if None. An array is used as the
        parameter without a copy.

    Attributes
    ----------
    gamma, beta : chainer_fast.Parameter
        Factor and summand of each feature, of the type ``chainer.config.dtype``, which
        must be that of the inputs.
    eps : float
        As given.

    See Also
    --------
    chainer.functions.layer_normalization
    """

    def __init__(
            self, size: int | None = None, eps: float = 1e-6,
            initial_gamma: InitializerSpec | None = None,
            initial_beta: InitializerSpec | None = None) -> None:
        super().__init__()
        with self.init_scope():
            self.gamma = variable.Parameter(
                1 if initial_gamma is None else initial_gamma)
            self.beta = variable.Parameter(0 if initial_beta is None else initial_beta)
        self.eps = eps
        if size is not None:
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
        """
        gamma, beta = self.gamma, self.beta
        if gamma.array is None or beta.array is None:
            _parameters.initialize(math.prod(x.shape[1:]), gamma, beta)
        return layer_normalization.layer_normalization(x, gamma, beta, self.eps)
