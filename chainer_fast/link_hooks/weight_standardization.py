"""Standardization of weights."""
from __future__ import annotations

from chainer_fast.functions.array import reshape
from chainer_fast.functions.normalization import group_normalization
from chainer_fast.link_hooks import _weight


class WeightStandardization(_weight.WeightHook):
    """Link hook that standardizes the weights of each output to mean 0 and variance 1.

    .. math::

        \\hat W_{i} = \\frac{W_i - \\mu_i}{\\sqrt{\\sigma_i^2 + \\epsilon}}

    where :math:`W_i` are the weights with first index :math:`i`, and :math:`\\mu_i` and
    :math:`\\sigma_i^2` are their mean and variance. The link computes with
    :math:`\\hat W`; its parameter remains :math:`W`, and gradients flow through the
    standardization.

    Parameters
    ----------
    eps : float
        Constant added to the variance. All arguments are keyword arguments.
    weight_name : str
        Name of the attribute of the link that is the weight.
    name : str or None
        Name of the hook; that of the class if None.

    Attributes
    ----------
    eps, weight_name
        As given.
    original_weight : chainer_fast.Parameter
        The weight, after a call.

    Raises
    ------
    ValueError
        When the hook is added to a link without this weight.
    NotImplementedError
        When the hook is used in a ``with`` statement.

    References
    ----------
    S. Qiao et al. `Weight standardization <https://arxiv.org/abs/1903.10520>`__. 2019.

    Examples
    --------
    >>> layer = L.Linear(3, 2, nobias=True)
    >>> layer = layer.add_hook(chainer.link_hooks.WeightStandardization())
    >>> y = layer(np.eye(3, dtype=np.float32))
    >>> np.allclose(y.array.mean(axis=0), 0, atol=1e-6)
    True
    """

    name = 'WeightStandardization'

    def __init__(
            self, *, eps: float = 1e-5, weight_name: str = 'W',
            name: str | None = None) -> None:
        super().__init__(weight_name, name)
        self.eps = eps

    def _compute(self, link):
        weight = self.original_weight
        shape, dtype = weight.shape, weight.dtype
        # The weights of each output are passed as a group of channels of one sample.
        size = shape[0]
        x = reshape.reshape(weight, (1, size, -1 if weight.size else 0))
        y = group_normalization.group_normalization(
            x, size, link.xp.ones(size, dtype), link.xp.zeros(size, dtype), self.eps)
        return reshape.reshape(y, shape)
