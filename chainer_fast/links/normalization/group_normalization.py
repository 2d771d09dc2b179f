"""Group normalization with parameters."""
from __future__ import annotations

import numpy

from chainer_fast import link
from chainer_fast.backends.dtypes import get_dtype
from chainer_fast.functions.normalization import group_normalization
from chainer_fast.links.normalization import _parameters
from chainer_fast.types import InitializerSpec
from chainer_fast.variable import Parameter, Variable, VariableOrArray


class GroupNormalization(link.Link):
    """Normalizes samples over groups of channels, then scales and shifts channels.

    .. math:: y = \\gamma \\frac{x - \\mu}{\\sqrt{\\sigma^2 + \\epsilon}} + \\beta

    where :math:`\\mu` and :math:`\\sigma^2` are the mean and the variance over a group
    of channels of a sample; see :func:`~chainer_fast.functions.group_normalization`.
    The result depends neither on the other samples of the batch nor on
    ``chainer.config.train``.

    Parameters
    ----------
    groups : int
        Number of groups, which must divide the number of channels.
    size : int or None
        Number of channels. If None, it is determined at the first call.
    eps : float
        Constant added to the variance.
    initial_gamma, initial_beta : initializer or None
        Initializers of the factor and the summand; one and zero if None.

    Attributes
    ----------
    gamma, beta : chainer_fast.Parameter
        Factor and summand of each channel, of shape ``(size,)`` and the dtype
        ``chainer.config.dtype``; in single precision if that is ``chainer.mixed16``.
    groups, eps
        As given.

    See Also
    --------
    chainer_fast.functions.group_normalization

    References
    ----------
    Y. Wu and K. He. `Group normalization <https://arxiv.org/abs/1803.08494>`__. ECCV
    2018.

    Examples
    --------
    >>> gn = L.GroupNormalization(groups=2)
    >>> gn(np.zeros((2, 6, 8, 8), np.float32)).shape
    (2, 6, 8, 8)
    >>> gn.gamma.shape
    (6,)
    """

    groups: int
    eps: float

    def __init__(
            self, groups: int, size: int | None = None, eps: float = 1e-5,
            initial_gamma: InitializerSpec | None = None,
            initial_beta: InitializerSpec | None = None) -> None:
        super().__init__()
        self.groups, self.eps = groups, eps
        dtype = get_dtype(None, map_mixed16=numpy.float32)
        with self.init_scope():
            self.gamma: Parameter = _parameters.make(initial_gamma, 1, dtype)
            self.beta: Parameter = _parameters.make(initial_beta, 0, dtype)
        if size is not None:
            self._initialize_params(size)

    def _initialize_params(self, size):
        _parameters.initialize(size, self.gamma, self.beta)

    def forward(self, x: VariableOrArray) -> Variable:
        """Normalize samples.

        Parameters
        ----------
        x : chainer_fast.Variable or array
            Samples of a floating dtype and shape ``(N, C, ...)``.

        Returns
        -------
        chainer_fast.Variable
            Array of the shape and dtype of ``x``.

        Raises
        ------
        chainer_fast.utils.type_check.InvalidType
            If ``x`` is not of a floating dtype, or has another number of channels.
        ValueError
            If ``x`` has no axis of channels when the parameters are created, or the
            groups do not divide the channels.
        TypeError
            If ``groups`` is not an int.
        """
        gamma = self.gamma
        if gamma.array is None:
            if x.ndim < 2:
                raise ValueError(
                    'x must have an axis of samples and one of channels, but has '
                    'shape %s' % (x.shape,))
            self._initialize_params(x.shape[1])
        return group_normalization.group_normalization(
            x, self.groups, gamma, self.beta, self.eps)
